"""Recognises what a path holds and reads it: own format, LoCoMo, text files.

The disk and the parser work in a thread; progress is reported from the event loop.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from pathlib import Path

from pydantic_core import from_json

from engine.connectors.foreign import refuse_foreign
from engine.connectors.locomo import locomo_histories
from engine.connectors.native import FORMAT, native_history
from engine.connectors.places import Skipped
from engine.connectors.source import ACCEPTED, disk_errors, read_text_bytes, shown, size_of
from engine.connectors.texts import CONTENT_TYPES, text_history
from engine.domain.history import History
from engine.domain.names import clean_name
from engine.errors import InvalidHistory, WrongContentType
from engine.progress import Progress, counted

_TASK = "read"
_SEVERAL = {
    "empty file": "empty files",
    "turn without text": "turns without text",
    "conversation without turns": "conversations without turns",
    "sample without turns": "samples without turns",
}
"""What is left out, as it is named where there is one, and where there are more."""
_AT = re.compile(r"^(.*) at line (\d+) column (\d+)$", re.DOTALL)


async def read_history(
    path: Path, *, handle: str | None = None, max_text_bytes: int, progress: Progress
) -> list[History]:
    """The histories in a file or folder, never empty ones; nothing is written.

    `handle` names the user instead of the file's own; text files need it. What is empty is left out and
    counted in the note of the progress. Raises an InvalidInput, nearly always InvalidHistory with the place
    of the first thing that is wrong; WrongContentType for an export of another assistant; TooLarge for a file above
    `max_text_bytes`.
    """
    user = clean_name(handle) if handle is not None else None
    skipped: Skipped = Counter()
    await asyncio.to_thread(refuse_foreign, path)
    size = await asyncio.to_thread(_size, path, max_text_bytes)
    progress.start(_TASK, size, "bytes" if size is not None else "")
    try:
        histories = await asyncio.to_thread(_read, path, user, max_text_bytes, skipped)
        progress.advance(_TASK, size or 0)
    finally:
        progress.finish(_TASK, _note(skipped))
    return histories


def _size(path: Path, max_text_bytes: int) -> int | None:
    """Bytes of a file, None for a folder: unknown before it was walked."""
    if _is_folder(path):
        return None
    if path.suffix.lower() not in (".json", *CONTENT_TYPES):
        with disk_errors(path):
            path.stat()  # a missing file is reported before an unknown kind
        raise WrongContentType(f"{shown(path)} is not read here; accepted is {ACCEPTED}.")
    return size_of(path, max_text_bytes)


def _is_folder(path: Path) -> bool:
    with disk_errors(path):
        return path.is_dir()


def _read(path: Path, handle: str | None, max_text_bytes: int, skipped: Skipped) -> list[History]:
    if path.suffix.lower() == ".json" and not _is_folder(path):
        histories = _documented(path, handle, max_text_bytes, skipped)
    else:
        histories = [text_history(path, handle=handle, max_text_bytes=max_text_bytes, skipped=skipped)]
    if not any(history.conversations or history.files for history in histories):
        raise InvalidHistory(f"{shown(path)} holds no turn with text and no file with content.")
    return histories


def _documented(path: Path, handle: str | None, max_text_bytes: int, skipped: Skipped) -> list[History]:
    document = _parsed(path, max_text_bytes)
    if isinstance(document, list) or (isinstance(document, dict) and "conversation" in document):
        return locomo_histories(document, handle=handle, skipped=skipped)
    if isinstance(document, dict) and "format" in document:
        return [native_history(document, path.parent, handle=handle, max_text_bytes=max_text_bytes, skipped=skipped)]
    raise InvalidHistory(
        f"{shown(path)} is JSON, but no history that is known here: neither an object with "
        f'"format": "{FORMAT}" nor samples with a "conversation".'
    )


def _parsed(path: Path, max_text_bytes: int) -> object:
    content = read_text_bytes(path, max_text_bytes)
    if not content or content.isspace():
        raise InvalidHistory(f"{shown(path)} is empty.")
    try:
        return from_json(content, allow_inf_nan=False, cache_strings="keys")
    except ValueError as error:
        found = _AT.match(str(error))
        if found is None:
            raise InvalidHistory(f"{shown(path)} is not valid JSON: {error}.") from error
        line, offset = int(found[2]), int(found[3])
        raise InvalidHistory(
            f"{shown(path)} is not valid JSON: {_explained(found[1])}.",
            line=line,
            column=_column(content, line, offset),
        ) from error


def _explained(complaint: str) -> str:
    if "hex escape" in complaint:
        return f"a \\u escape is not whole or half a surrogate pair ({complaint})"
    return complaint.replace("expected ident", "a word that JSON does not know")


def _column(content: bytes, line: int, offset: int) -> int:
    """The column in characters from one in bytes."""
    start = 0
    for _ in range(line - 1):
        start = content.index(b"\n", start) + 1
    return max(len(content[start : start + offset].decode("utf-8", "ignore")), 1)


def _note(skipped: Skipped) -> str:
    noted = [counted(count, kind, _SEVERAL[kind]) for kind, count in skipped.items() if count]
    return f"skipped {', '.join(noted)}" if noted else ""
