"""A batch of lines of an import as sources, stored: each line is reported by what became of it; a bad one stops no other.

What a version of its document holds already is known, also where the document has a later version: a file with several versions
of one document, imported twice, would otherwise bring the earlier ones back as the next.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

from pydantic import ValidationError
from pydantic_core import from_json

from engine.domain.history import Conversation, HistoryFile
from engine.domain.ingest import Terms
from engine.domain.names import file_name, is_blank
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode
from engine.domain.report import FORGOTTEN, STORED_ALREADY, Skipped
from engine.domain.scope import MemoryScope, Origin, Privacy, check_privacy
from engine.domain.written import Line, LineBody, LineReport
from engine.errors import Conflict, InvalidInput, InvalidText, NeurigraphError, NotFound, TooLarge
from engine.ingest.cleaning import Cleaned, cleaned, key_of
from engine.ingest.documents import fact_document, note, text_document
from engine.ingest.drafts import Document
from engine.ingest.pipeline import Ingest
from engine.ingest.sources import HeldVersion, Ingested, Pending
from engine.naming.mentions import leading_subject
from engine.privacy.redact import Redactor, redacted_fact
from engine.progress import Silent
from engine.stores.statements import sql_text
from engine.turns import computed

MOST_FIELDS = 20
"""Invalid fields of one line that are named."""
LONGEST_PLACE = 200


@dataclass(frozen=True, slots=True)
class WrittenLine:
    """A line that can be stored. `version`: which version of its document its text is, where the line says so."""

    number: int
    content: Conversation | Document
    node_id: UUID | None
    privacy: Privacy
    origin: Origin
    version: int | None


def read_lines(lines: Sequence[Line], most_bytes: int, redactor: Redactor) -> list[WrittenLine | LineReport]:
    """Each line as what is to be stored, or as the report of what is wrong with it; without the totals of an export."""
    return [read for line in lines if (read := _read(line, most_bytes, redactor)) is not None]


def failed_line(
    number: int, error: NeurigraphError, fields: Sequence[tuple[str, str]] = (), source_id: str = ""
) -> LineReport:
    """The report of a line that this error kept from being stored."""
    return LineReport(
        number, "failed", source_id, cause=type(error).__name__, detail=error.detail, fields=tuple(fields)
    )


def _read(line: Line, most_bytes: int, redactor: Redactor) -> WrittenLine | LineReport | None:
    """An export has lines of its own: one for each source that it could not give, and its totals at the end, which are no record:
    None."""
    if line.content is None:
        return failed_line(line.number, TooLarge(f"A line has at most {most_bytes} bytes."))
    try:
        value = _parsed(line.content)
        if "done" in value:
            return None
        if "problem" in value:
            return failed_line(line.number, NotFound("The export could not give this source."))
        body = LineBody.model_validate(value)
        origin = Origin(MemoryScope(body.scope, body.scope_id), body.source)
        content = _content(body, redactor)
    except ValidationError as error:
        fields = _fields(error)
        return failed_line(line.number, InvalidInput(": ".join(filter(None, fields[0]))), fields)
    except InvalidInput as error:
        return failed_line(line.number, error)
    return WrittenLine(line.number, content, body.node_id, body.privacy, origin, body.version)


def _parsed(content: bytes) -> dict[str, Any]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidText(f"The line is not UTF-8: byte {error.start} cannot be read.") from error
    try:
        value = from_json(text, allow_inf_nan=False, cache_strings="keys")
    except ValueError as error:
        raise InvalidInput(f"The line is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise InvalidInput("A line is a JSON object.")
    if "\\u0000" in text and _holds_nul(value):
        raise InvalidText("A text of the line holds a NUL character.")
    return value


def _holds_nul(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_nul(part) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\x00" in value


def _content(body: LineBody, redactor: Redactor) -> Conversation | Document:
    if sum(one is not None for one in (body.conversation, body.text, body.fact)) != 1:
        raise InvalidInput("A line is a conversation, a text or a fact: it has exactly one of these.")
    if body.conversation is not None:
        return body.conversation.conversation
    if body.fact is not None:
        fact = redacted_fact(body.fact.fact, redactor)
        about = fact.about or tuple(filter(None, [leading_subject(fact.text)]))
        return fact_document(body.source_id or _hash_of(body.fact.text, body, redactor), replace(fact, about=about))
    return _text(body, body.text or "", redactor)


def _text(body: LineBody, text: str, redactor: Redactor) -> Document:
    if is_blank(text):
        raise InvalidInput("There is no text to store.")
    if body.title and is_blank(body.title):
        raise InvalidInput("The title is empty. Without a title, the beginning of the text is shown.")
    source_id = body.source_id or _hash_of(text, body, redactor)
    if body.content_type == "file_upload" and body.file_name:
        came = HistoryFile(source_id, Path(body.file_name), body.media_type, body.title, body.occurred_at)
        return text_document(source_id, body.title or came.path.name, text.encode("utf-8"), came)
    made = note(source_id, body.title, text, body.content_type)
    file = replace(
        made.file, name=file_name(body.file_name) if body.file_name else made.file.name, content_type=body.media_type
    )
    return replace(made, occurred_at=body.occurred_at, file=file)


def _hash_of(text: str, body: LineBody, redactor: Redactor) -> str:
    """The id of a text that names none, so that it is stored once. Of the redacted text: from a hash of the original what stands
    behind a marker could be guessed."""
    parts = (redactor.text(body.title), redactor.text(text))
    return f"sha256:{hashlib.sha256(chr(0).join(parts).encode('utf-8')).hexdigest()}"


def _fields(error: ValidationError) -> list[tuple[str, str]]:
    """Places of invalid fields and what is wrong there, never their values."""
    found = error.errors(include_url=False, include_input=False, include_context=False)[:MOST_FIELDS]
    return [(_place(one["loc"]), one["msg"].removeprefix("Value error, ")) for one in found]


def _place(location: Sequence[int | str]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return text.removeprefix(".")[:LONGEST_PLACE]


class Importing:
    """Stores lines for one principal."""

    def __init__(self, ingest: Ingest, redactor: Redactor, most_bytes: int, principal: Principal, terms: Terms) -> None:
        self._ingest, self._redactor, self._most = ingest, redactor, most_bytes
        self._principal, self._terms = principal, terms

    async def stored(self, lines: Sequence[Line]) -> tuple[LineReport, ...]:
        """One report for each line, in order, but for the totals of an export; what it calls stored is durable. Raises
        StoreUnavailable: what was stored until then stays, and is known when the lines come again."""
        read = await computed(read_lines, lines, self._most, self._redactor)
        written = [line for line in read if isinstance(line, WrittenLine)]
        reports = {line.number: line for line in read if isinstance(line, LineReport)}
        nodes = await self._named_nodes(written)
        for line in written:
            if line.node_id is not None and line.node_id not in nodes:
                reports[line.number] = failed_line(
                    line.number, NotFound("There is no such node."), source_id=self._id(line)
                )
        for number, source_id in await self._known(written):
            reports[number] = LineReport(number, "skipped", source_id)
        for group in self._groups([line for line in written if line.number not in reports]):
            pending = [
                Pending(line.content, nodes.get(line.node_id) if line.node_id else None, line.privacy, line.origin)
                for line in group
            ]
            done = await self._ingest.store(self._principal, pending, Silent(), terms=self._terms)
            reports |= {line.number: report for line, report in zip(group, self._reported(group, done), strict=True)}
        return tuple(reports[line.number] for line in lines if line.number in reports)

    def _id(self, line: WrittenLine) -> str:
        """The id of the source as reports of ingests have it."""
        return self._redactor.identifier(line.content.source_id)

    async def _named_nodes(self, lines: Sequence[WrittenLine]) -> Mapping[UUID, AssignableNode]:
        for line in lines:
            check_privacy(self._principal, line.privacy)
        if all(line.node_id is None for line in lines):
            return {}
        return {node.node_id: node for node in await self._ingest.nodes(self._principal)}

    async def _known(self, lines: Sequence[WrittenLine]) -> list[tuple[int, str]]:
        """Numbers and ids of the lines whose text a version of its document holds already, or the one that the line names."""
        documents = [(line, line.content) for line in lines if isinstance(line.content, Document)]
        keys = [self._principal.own_key(key_of(document, self._redactor)) for _, document in documents]
        held: dict[str, list[HeldVersion]] = defaultdict(list)
        parameters = {"user_id": self._principal.user_id, "sources": keys}
        postgres, statement = self._ingest.commit.postgres, sql_text("document/versions_held")
        for one in await postgres.fetch(self._principal, statement, parameters, row=HeldVersion) if keys else ():
            held[one.source_id].append(one)
        return [
            (line.number, self._id(line))
            for (line, document), key in zip(documents, keys, strict=True)
            if key in held
            and await computed(
                _holds, [one for one in held[key] if line.version in (None, one.version)], document, self._redactor
            )
        ]

    def _groups(self, lines: Sequence[WrittenLine]) -> Iterator[list[WrittenLine]]:
        """The lines in groups in which no source comes twice: the second one builds on the first."""
        group: dict[str, WrittenLine] = {}
        for line in lines:
            if self._id(line) in group:
                yield list(group.values())
                group = {}
            group[self._id(line)] = line
        if group:
            yield list(group.values())

    def _reported(self, lines: Sequence[WrittenLine], done: Ingested) -> Iterator[LineReport]:
        stored = {source_id: records for commit in done.stored for source_id, records in commit.sources.items()}
        skipped = {one.source_id: one for one in done.skipped}
        for line in lines:
            source_id = self._id(line)
            if source_id in stored:
                yield LineReport(line.number, "stored", source_id, stored[source_id])
            else:
                yield _skipped(line.number, skipped[source_id])


def _holds(versions: Sequence[HeldVersion], document: Document, redactor: Redactor) -> bool:
    clean = cleaned(document, redactor)
    return isinstance(clean, Cleaned) and any(clean.knows(one.content_hash, 1) for one in versions)


def _skipped(number: int, one: Skipped) -> LineReport:
    if one.reason == STORED_ALREADY:
        return LineReport(number, "skipped", one.source_id)
    if one.reason == FORGOTTEN:
        return LineReport(number, "forgotten", one.source_id)
    return LineReport(number, "failed", one.source_id, cause=one.cause or Conflict.__name__, detail=one.reason)
