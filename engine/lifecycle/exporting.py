"""Exports: what a principal stored, read from the raw inputs, so that an import stores the same again.

The inputs that had come in when the export began are what it gives: those are never changed. A conversation is one line, where
its first part came; each version of a document is one. Whether a record still holds, and its title, are read at that moment.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from engine.domain.clock import Clock
from engine.domain.file_state import ResourceType
from engine.domain.history import source_key
from engine.domain.names import UNNAMED, shown_name
from engine.domain.node import ContentType
from engine.domain.principal import Principal
from engine.domain.record import layout_of
from engine.domain.scope import Privacy, ScopeKind, SourceKind
from engine.domain.written import ConversationBody, ExportedLine, ExportPage, ExportPlace, LeftOutOfExport, LineBody
from engine.errors import DamagedFile, InvalidInput, InvalidText, NeurigraphError, NotFound, StoreDamaged, TooLarge
from engine.lifecycle.resources import FileParts, RawResources
from engine.stores.postgres import Postgres
from engine.stores.rows import only
from engine.stores.statements import sql_in, sql_text
from engine.turns import computed


@dataclass(frozen=True, slots=True)
class SourceRow:
    """An input, and what the version of a document says that it is."""

    resource_id: UUID
    content_type: ResourceType
    source_id: str
    record_id: UUID
    file_name: str
    media_type: str
    size_bytes: int
    received_at: datetime
    node_id: UUID
    title: str | None
    version: int | None
    newest: bool


@dataclass(frozen=True, slots=True)
class PartRow:
    """A part of a conversation."""

    resource_id: UUID
    record_id: UUID
    node_id: UUID
    size_bytes: int
    received_at: datetime
    layout: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """Where a record lies now."""

    record_id: UUID
    schema_name: str


@dataclass(frozen=True, slots=True)
class RecordRow:
    """What a record says of itself now; `reworded`: one of its items was changed."""

    record_id: UUID
    title: str
    content_type: ContentType
    privacy: Privacy
    scope: ScopeKind
    scope_id: str | None
    source: SourceKind
    occurred_at: datetime | None
    reworded: bool

    @property
    def origin(self) -> dict[str, Any]:
        """The fields of a line that say to what it belongs."""
        return {"scope": self.scope, "scope_id": self.scope_id, "source": self.source}


@dataclass(frozen=True, slots=True)
class FactFields:
    """What a user stated beside the text of a fact; `withdrawn`: it holds no longer."""

    about: list[str]
    fact_type: str
    category: str
    confidence: float
    importance: float
    at: datetime | None
    withdrawn: bool


SOURCES = 100
"""Sources that are looked up at once."""
ENOUGH_BYTES = 1 << 20
"""A page ends with the source that reaches this."""
PARTS = 500
"""Parts of a conversation that are looked up at once."""
LOOKS = 3
"""A record may be moved between two looks."""
LONGEST_SHOWN, LONGEST_TITLE = 80, 200
"""Characters of the title that a text without one gets, and of any."""
Found = RecordRow | StoreDamaged


class Exporting:
    """Reads what a principal stored, for that principal."""

    def __init__(self, postgres: Postgres, resources: RawResources, clock: Clock, most_bytes: int) -> None:
        """`most_bytes`: the largest line."""
        self._postgres, self._resources, self._clock, self._most = postgres, resources, clock, most_bytes
        self._shown = FileParts(postgres)

    async def page(self, principal: Principal, place: ExportPlace | None) -> ExportPage:
        """The first lines, or those from a place on. Raises StoreUnavailable."""
        place = place or ExportPlace(self._clock.now())
        sources = await self._fetch(principal, "export/sources", place, row=SourceRow, limit=SOURCES)
        documents = [one.record_id for one in sources if one.content_type != "conversation"]
        records = await self._records(principal, documents)
        lines: list[ExportedLine] = []
        withdrawn = size = 0
        for source in sources:
            line = await self._line(principal, place, source, records)
            place = ExportPlace(place.until, (source.received_at, source.resource_id))
            if line is None:
                withdrawn += 1
                continue
            lines.append(line)
            size += source.size_bytes
            if size >= ENOUGH_BYTES:
                return ExportPage(tuple(lines), withdrawn, place, more=True)
        return ExportPage(tuple(lines), withdrawn, place, more=len(sources) == SOURCES)

    async def left_out(self, principal: Principal, place: ExportPlace) -> LeftOutOfExport:
        """What the export up to this place does not give."""
        parameters = {"user_id": principal.user_id, "authored_by": principal.name, "until": place.until}
        return only(await self._postgres.fetch(principal, sql_text("export/left_out"), parameters, row=LeftOutOfExport))

    async def conversation(self, principal: Principal, source_id: str) -> ConversationBody | None:
        """A conversation as an export gives it now; None where it cannot."""
        place = ExportPlace(self._clock.now())
        try:
            body = await self._conversation(principal, place, source_key(source_id), source_id)
            return LineBody.model_validate(body).conversation if body else None
        except (ValidationError, DamagedFile, NotFound, InvalidInput):
            return None

    async def _line(
        self, principal: Principal, place: ExportPlace, source: SourceRow, records: Mapping[UUID, Found]
    ) -> ExportedLine | None:
        """The source as a line; None where it holds no longer. What lies at a damaged node is left out, with the reason."""
        prefix, _, source_id = source.source_id.partition(":")
        try:
            if source.content_type == "conversation":
                body = await self._conversation(principal, place, source.source_id, source_id)
            elif (record := records.get(source.record_id)) is None:
                return None
            elif isinstance(record, StoreDamaged):
                return _failed(source_id, record)
            elif prefix == "fact":
                body = await self._fact(principal, source, record, source_id)
            else:
                body = await self._document(principal, source, record, prefix, source_id)
            if body is None:
                return None
            return ExportedLine(source_id, await computed(LineBody.model_validate, body))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            return _failed(source_id, InvalidInput(f"An import would not take it: {first['msg']}."))
        except (DamagedFile, NotFound, InvalidInput, StoreDamaged) as error:
            return _failed(source_id, error)

    # conversations ----------------------------------------------------------------------------------------

    async def _conversation(
        self, principal: Principal, place: ExportPlace, source: str, source_id: str
    ) -> dict[str, Any] | None:
        turns: dict[int, dict[str, Any]] = {}
        found: list[RecordRow] = []
        started: list[datetime] = []
        size = 0
        async for part, record in self._parts(principal, place, source):
            size += part.size_bytes
            if size > self._most:
                raise TooLarge(f"Its turns have more than the {self._most} bytes that a line may have.")
            if part.layout is None:
                raise InvalidInput("It was stored before the places of turns were kept.")
            transcript = _text(await self._resources.read(principal, part.resource_id))
            shown = await self._reworded(principal, part, record)
            layout = layout_of(part.layout)
            started += [layout.started_at] if layout.started_at else []
            found.append(record)
            for turn in layout.turns:
                said = (
                    transcript[turn.start : turn.start + turn.length] if shown is None else shown.get(turn.number, "")
                )
                if not said:  # ended by hand
                    continue
                turns[turn.number] = {
                    "speaker": turn.speaker,
                    "text": said,
                    "at": turn.at,
                    "id": turn.ref,
                    "privacy": record.privacy,
                }
        if not turns:
            return None
        # where parts differ, what is meant for the fewest readers holds for all of it
        origin = next((record for record in found if record.scope != "user"), found[0])
        private = origin.scope != "user" or all(record.privacy == "private" for record in found)
        title = "" if origin.title == source_id[:LONGEST_TITLE] else origin.title
        conversation = {
            "id": source_id,
            "turns": [turns[number] | ({"privacy": "org"} if private else {}) for number in sorted(turns)],
            "title": title,
            "started_at": min(started, default=None),
            "privacy": "private" if private else "org",
        }
        return {"conversation": conversation, **origin.origin}

    async def _parts(
        self, principal: Principal, place: ExportPlace, source_id: str
    ) -> AsyncIterator[tuple[PartRow, RecordRow]]:
        """The parts of a conversation whose records hold."""
        start = ExportPlace(place.until)
        while True:
            parts = await self._fetch(principal, "export/parts", start, row=PartRow, limit=PARTS, source_id=source_id)
            records = await self._records(principal, [part.record_id for part in parts])
            for part in parts:
                record = records.get(part.record_id)
                if isinstance(record, StoreDamaged):
                    raise record
                if record is not None:
                    yield part, record
            if len(parts) < PARTS:
                return
            start = ExportPlace(place.until, (parts[-1].received_at, parts[-1].resource_id))

    # documents --------------------------------------------------------------------------------------------

    async def _document(
        self, principal: Principal, source: SourceRow, record: RecordRow, prefix: str, source_id: str
    ) -> dict[str, Any]:
        text = _text(await self._resources.read(principal, source.resource_id))
        shown = await self._reworded(principal, source, record) if source.newest else None
        title = (None if source.newest else source.title) or record.title
        if shown is not None:
            text = "\n\n".join(shown[place] for place in sorted(shown))
        known = "webhook" if source.content_type == "webhook" else record.content_type
        return {
            "text": text,
            "title": "" if title == text[:LONGEST_SHOWN] and prefix == "text" else title,
            "source_id": source_id,
            "content_type": "file_upload" if prefix == "file" else known,
            "privacy": record.privacy,
            "occurred_at": record.occurred_at,
            "file_name": None if source.file_name in (UNNAMED, shown_name(UNNAMED, title)) else source.file_name,
            "media_type": source.media_type,
            "version": source.version,
            **record.origin,
        }

    async def _fact(
        self, principal: Principal, source: SourceRow, record: RecordRow, source_id: str
    ) -> dict[str, Any] | None:
        """A fact that the user stated, also one that was replaced; of one that only confirmed another its text."""
        text = _text(await self._resources.read(principal, source.resource_id))
        if shown := await self._reworded(principal, source, record):
            [text] = shown.values()
        places = await self._places(principal, {record.record_id})
        if (schema := places.get(record.record_id)) is None:
            return None
        known = {"records": [record.record_id]}
        facts = await self._postgres.fetch(principal, sql_in("export/facts", schema), known, row=FactFields)
        if facts and facts[0].withdrawn:
            return None
        fields = asdict(facts[0]) if facts else {"at": record.occurred_at}
        fields.pop("withdrawn", None)
        return {"fact": {"text": text, **fields}, "source_id": source_id, "privacy": record.privacy, **record.origin}

    # records ----------------------------------------------------------------------------------------------

    async def _records(self, principal: Principal, ids: Sequence[UUID]) -> Mapping[UUID, Found]:
        """Those of the records that hold now; of records at a damaged node the error."""
        found: dict[UUID, Found] = {}
        wanted, last = set(ids), dict[UUID, str]()
        for _ in range(LOOKS):
            places = await self._places(principal, wanted)
            if not places or places == last:  # those that are still wanted hold no longer
                break
            last = places
            by_schema: dict[str, list[UUID]] = defaultdict(list)
            for record_id, schema in places.items():
                by_schema[schema].append(record_id)
            for schema, there in by_schema.items():
                statement = sql_in("export/records", schema)
                try:
                    for one in await self._postgres.fetch(principal, statement, {"records": there}, row=RecordRow):
                        found[one.record_id] = one
                except StoreDamaged as error:
                    found |= dict.fromkeys(there, error)
            wanted -= found.keys()
            last = {record_id: schema for record_id, schema in last.items() if record_id in wanted}
        return found

    async def _reworded(
        self, principal: Principal, part: PartRow | SourceRow, record: RecordRow
    ) -> dict[int, str] | None:
        """Its turns or passages by their places, where one was changed or ended by hand; None: all are as they came."""
        if not record.reworded:
            return None
        shown = await self._shown.reworded(principal, part.record_id, part.node_id)
        texts: dict[int, str] = {}
        for one in shown:
            if one.content is not None:
                texts[one.position] = f"{texts[one.position]} {one.content}" if one.position in texts else one.content
        return texts if shown else None

    async def _places(self, principal: Principal, records: set[UUID]) -> dict[UUID, str]:
        if not records:
            return {}
        parameters = {"user_id": principal.user_id, "records": list(records)}
        places = await self._postgres.fetch(principal, sql_text("export/places"), parameters, row=PlaceRow)
        return {place.record_id: place.schema_name for place in places}

    async def _fetch(
        self, principal: Principal, name: str, place: ExportPlace, *, row: type, **named: Any
    ) -> list[Any]:
        after_time, after_id = place.after or (None, None)
        parameters = {"user_id": principal.user_id, "authored_by": principal.name, "until": place.until}
        parameters |= {"after_time": after_time, "after_id": after_id, **named}
        return await self._postgres.fetch(principal, sql_text(name), parameters, row=row)


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidText("Its file is not a text.") from error


def _failed(source_id: str, error: NeurigraphError) -> ExportedLine:
    return ExportedLine(source_id, None, type(error).__name__, error.detail)
