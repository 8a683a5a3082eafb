"""What becomes a document: files of a history (read once, decoded strictly, with the type that the manifest names), texts that
came without a file, occasions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Literal, cast
from uuid import uuid4

from engine.domain.fact import WrittenFact
from engine.domain.file_state import ResourceType
from engine.domain.history import HistoryFile
from engine.domain.names import UNNAMED, file_name
from engine.domain.node import ContentType
from engine.domain.occasion import Occasion
from engine.domain.record import AssignableNode, FileDraft
from engine.domain.scope import Origin, Privacy, SourceKind, parsed_scope
from engine.errors import InvalidInput, InvalidText, TooLarge, WrongContentType
from engine.ingest.drafts import Document

TEXT_TYPES = frozenset({"text/plain", "text/markdown"})


async def read_document(file: HistoryFile, *, max_text_bytes: int) -> Document:
    """The text of a file. Raises InvalidInput when it vanished, WrongContentType, InvalidText, TooLarge."""
    return await asyncio.to_thread(_read, file, max_text_bytes)


def _read(file: HistoryFile, limit: int) -> Document:
    if file.content_type not in TEXT_TYPES:
        read = ", ".join(sorted(TEXT_TYPES))
        raise WrongContentType(f"{file.path.name}: {file.content_type} is not read; {read} are.")
    content = _bytes(file.path, limit)
    return text_document(file.source_id, file.title or file.path.name, content, file)


def reference_of(file: HistoryFile, node: AssignableNode | None, origin: Origin) -> dict[str, str]:
    """The reference by which a file of a history can be read again, with its node, origin and privacy."""
    return {
        "path": str(file.path.absolute()),
        "content_type": file.content_type,
        "title": file.title,
        "occurred_at": file.occurred_at.isoformat() if file.occurred_at else "",
        "node_id": str(node.node_id) if node else "",
        "scope": str(origin.scope),
        "source": origin.source,
        "privacy": file.privacy,
    }


def referred(source_id: str, reference: Mapping[str, str]) -> tuple[HistoryFile, Origin]:
    """The file that a reference names, and its origin.

    Entries from before the privacy was kept name none; they are read as `org`, the default.
    """
    occurred = reference["occurred_at"]
    file = HistoryFile(
        source_id,
        Path(reference["path"]),
        reference["content_type"],
        reference["title"],
        datetime.fromisoformat(occurred) if occurred else None,
        privacy=cast(Privacy, reference.get("privacy", "org")),
    )
    return file, Origin(parsed_scope(reference["scope"]), cast(SourceKind, reference["source"]))


def note(source_id: str | None, title: str, text: str, content_type: ContentType | Literal["webhook"]) -> Document:
    """A text that came without a file as a document with one of its own. Raises InvalidInput for half a surrogate pair."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(f"The text is not valid Unicode (character {error.start}).") from error
    kind: ContentType = "event" if content_type == "webhook" else content_type
    received_as: ResourceType | None = "webhook" if content_type == "webhook" else None
    file = FileDraft(uuid4(), UNNAMED, "document", "text/plain", content)
    return Document(f"text:{source_id or uuid4()}"[:500], title, text, None, kind, file, received_as)


def fact_document(source_id: str | None, fact: WrittenFact) -> Document:
    """A fact as one text with its own file."""
    made = note(source_id, "", fact.text, "other")
    source = f"fact:{made.source_id.removeprefix('text:')}"[:500]
    return replace(made, source_id=source, occurred_at=fact.at, fact=fact)


def occasion_document(occasion: Occasion) -> Document:
    """The occasion as one text with its own file; its time is that of its beginning, or of its end."""
    made = note(occasion.source_id, occasion.name, f"{occasion.headline}\n\n{occasion.text}", "event")
    file = replace(made.file, name=f"{occasion.kind}.txt")
    return replace(made, occurred_at=occasion.started_at or occasion.ended_at, file=file)


def text_document(source_id: str, title: str, content: bytes, file: HistoryFile) -> Document:
    """A document from the bytes of a text; the bytes are kept as they are."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidText(f"{title}: byte {error.start} is not UTF-8.") from error
    if "\x00" in text:
        raise InvalidText(f"{title}: character {text.index(chr(0)) + 1} is NUL; this is not a text.")
    draft = FileDraft(uuid4(), file_name(file.path.name), "document", file.content_type, content)
    return Document(f"file:{source_id}"[:500], title, text, file.occurred_at, "file_upload", draft)


def _bytes(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as reader:
            content = reader.read(limit + 1)
    except FileNotFoundError as error:
        raise InvalidInput(f"{path.name} is missing; nothing of it was stored.") from error
    except OSError as error:
        raise InvalidInput(f"{path.name} cannot be read: {error.strerror}.") from error
    if len(content) > limit:
        raise TooLarge(f"{path.name} is larger than {limit} bytes.")
    return content
