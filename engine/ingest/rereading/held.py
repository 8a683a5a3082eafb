"""Stored records as drafts: from the raw resource, verified by its hash, and the places of its turns or passages in it.

A record that was stored without such places, or that cannot be rebuilt from the bytes alone (a part of a document that spans
several nodes, a binary file), is drafted from its stored turns and passages.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from engine.domain.delta import BEGINNING, STATELESS, Subject, fields_at
from engine.domain.document import chunks
from engine.domain.history import Turn
from engine.domain.node import ContentType, TriggerType
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode, FileDraft, ItemDraft, RecordDraft, layout_of
from engine.domain.scope import MemoryScope, Origin, Privacy, ScopeKind, SourceKind
from engine.domain.shown import ShownPassage, changed
from engine.domain.utterance import spoken_at, spoken_dates
from engine.errors import DamagedFile, NotFound
from engine.ingest.drafts import Document, PlacedTurn, document_draft, turn_items
from engine.providers.active import ActiveModel
from engine.records.diff import HeldFields, HeldItem
from engine.records.slices import SlicePlace, Slices
from engine.records.writer import RecordPlace
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in, sql_text
from engine.turns import computed

ReadResource = Callable[[Principal, UUID], Awaitable[bytes]]
"""The bytes of a raw resource, compared with their hash. Raises NotFound, DamagedFile, StoreUnavailable."""
ASKED, NOT_ASKED = "?", ""
"""Placeholders for the text before a turn: only whether it is a question matters."""


@dataclass(frozen=True, slots=True)
class HeldRow:
    """What a record says of itself, and of the file of its newest version. `layout`: where the turns stand in that file."""

    content_type: ContentType
    trigger_type: TriggerType
    source_id: str
    privacy: Privacy
    scope: ScopeKind
    scope_id: str | None
    source: SourceKind
    file_id: UUID
    file_name: str
    file_type: str
    media_type: str
    layout: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """The newest version of a document, or of a part of it; `parts`: of how many it consists."""

    version: int
    source_id: str
    title: str
    content_hash: bytes
    file_id: UUID
    file_name: str
    chunks: list[UUID]
    parts: int


@dataclass(frozen=True, slots=True)
class Held:
    """A record as it is kept: its row, its fields, all its items; of a document the newest version."""

    place: RecordPlace
    row: HeldRow
    fields: HeldFields
    items: tuple[HeldItem, ...]
    version: DocumentPart | None

    @property
    def read(self) -> bool:
        """Whether no fact holds its whole input: a model has read it, or it is older than such facts."""
        return not any(item.whole and item.holds for item in self.items)

    @property
    def source_items(self) -> list[HeldItem]:
        """Turns or chunks of the source as it was stored last."""
        return [item for item in self.items if not item.derived and not item.superseded]


class HeldRecords:
    """Reads stored records, for their user."""

    def __init__(self, postgres: Postgres, slices: Slices, active: ActiveModel, read_resource: ReadResource) -> None:
        self._postgres, self._slices, self._active, self._read = postgres, slices, active, read_resource

    async def held(self, principal: Principal, place: RecordPlace) -> Held | None:
        """The stored record; None where it is missing or has ended. Raises StoreUnavailable."""
        schema, record = place.schema_name, {"record_id": place.record_id}
        async with self._postgres.as_principal(principal) as connection:
            row = await connection.first(sql_in("record/held", schema), record, row=HeldRow)
            if row is None:
                return None
            at = SlicePlace(principal, place.node_id, schema, "record", self._active.current)
            fields = _fields((await self._slices.read(connection, at, place.record_id)).subject)
            items = await connection.fetch(sql_in("item/held", schema), record, row=HeldItem)
            document = {"document_id": place.record_id}
            version = await connection.first(sql_text("document/part"), document, row=DocumentPart)
        return Held(place, row, fields, tuple(items), version)

    async def drafts(self, principal: Principal, held: Held) -> tuple[RecordDraft, RecordDraft]:
        """The record drafted again from its source, and as it is to be read: what was changed by hand says what it says now,
        what was ended says nothing. Raises StoreUnavailable."""
        draft = await computed(_draft, held, await self._text(principal, held))
        return draft, await self._shown(principal, held, draft)

    async def _shown(self, principal: Principal, held: Held, draft: RecordDraft) -> RecordDraft:
        asked = {"record_id": held.place.record_id, "node_id": held.place.node_id, "parts": False, "now": None}
        found = await self._postgres.fetch(principal, sql_text("record/passages"), asked, row=ShownPassage)
        if not changed(found):
            return draft
        by_id = {one.item_id: one.content or "" for one in found}
        by_text = {one.first: one.content or "" for one in found}  # passages of a document are drafted with other ids
        says = [by_id.get(item.item_id, by_text.get(item.content, item.content)) for item in draft.items]
        items = tuple(replace(item, content=text) for item, text in zip(draft.items, says, strict=True))
        return replace(draft, items=items, text="\n".join(text for text in says if text))

    async def _text(self, principal: Principal, held: Held) -> str | None:
        """The source text; None where it cannot be read from its file."""
        whole = held.version is not None and held.version.parts == 1
        if not held.row.media_type.startswith("text/") or not (whole or held.row.layout):
            return None
        try:
            text = (await self._read(principal, held.row.file_id)).decode("utf-8-sig")
        except (NotFound, DamagedFile, UnicodeDecodeError):  # the doctor reports damaged files
            return None
        if held.version and hashlib.sha256(text.encode()).digest() != held.version.content_hash:
            return None
        return text


def _fields(record: Subject) -> HeldFields:
    """The fields as the source, or a model, set them last, and those corrected by hand."""
    own = [delta for delta in record.deltas if delta.operation == "renewed"]
    by_hand = (delta for delta in record.deltas if delta.operation not in STATELESS and delta.operation != "renewed")
    corrected = frozenset(name for delta in by_hand if delta.effective_at is None for name in delta.fields)
    fields = fields_at(record.base, own, BEGINNING, max((delta.known_at for delta in own), default=BEGINNING))
    return HeldFields(record.revision, fields, corrected)


def _node(place: RecordPlace) -> AssignableNode:
    return AssignableNode(place.node_id, place.schema_name, (), 0, "", (), (), ())


def as_it_came(draft: RecordDraft, drafted: RecordDraft) -> RecordDraft:
    """The draft with the texts of its source: items are recognised by what they began with."""
    came = {item.item_id: item.content for item in drafted.items}
    items = (replace(item, content=came.get(item.item_id, item.content)) for item in draft.items)
    return replace(draft, items=tuple(items))


def _draft(held: Held, text: str | None) -> RecordDraft:
    if text is None or not held.source_items:
        items = tuple(_item(item) for item in _in_order(held.source_items))
        joined = "\n" if held.row.content_type == "conversation" else "\n\n"
        return _record(held, items, joined.join(item.content for item in items))
    if held.row.layout:
        return _conversation(held, held.row.layout, text)
    session = held.source_items[0].session
    fields = held.fields.fields
    instant = datetime.fromisoformat(fields["occurred_at"]) if fields["occurred_at"] else None
    occurred_at = spoken_at(instant, held.source_items[0].dates)
    row = held.row
    document = Document(row.source_id, fields["title"], text, occurred_at, row.content_type, _file(held))
    draft = document_draft(session, document, chunks(text), _node(held.place), held.row.trigger_type)
    number = held.version.version + 1 if held.version else 1
    ids = (uuid5(session, f"{number}:{item.position}") for item in draft.items)
    return _record(held, tuple(replace(item, item_id=new) for item, new in zip(draft.items, ids, strict=True)), text)


def _conversation(held: Held, compact: dict[str, Any], transcript: str) -> RecordDraft:
    layout = layout_of(compact)
    session = held.source_items[0].session
    turns = [Turn(one.speaker, transcript[one.start : one.start + one.length], one.at, one.ref) for one in layout.turns]
    before = [None if one.asked is None else ASKED if one.asked else NOT_ASKED for one in layout.turns]
    placed = [
        PlacedTurn(one.number, turn, previous, _node(held.place))
        for one, turn, previous in zip(layout.turns, turns, before, strict=True)
    ]
    items = tuple(item for one in placed for item in turn_items(one, layout.started_at, session, layout.speakers))
    return _record(held, items, "\n".join(turn.text for turn in turns))


def _record(held: Held, items: tuple[ItemDraft, ...], text: str) -> RecordDraft:
    row = held.row
    occurred = items[0].occurred_at if items else None
    return RecordDraft(
        record_id=held.place.record_id,
        node=_node(held.place),
        title=held.fields.fields["title"],
        text=text,
        content_type=row.content_type,
        trigger_type=row.trigger_type,
        source_id=row.source_id,
        occurred_at=occurred,
        items=items,
        file=_file(held),
        privacy=row.privacy,
        origin=Origin(MemoryScope(row.scope, row.scope_id), row.source),
    )


def _file(held: Held) -> FileDraft:
    """The file of the record, which is stored already."""
    row = held.row
    return FileDraft(row.file_id, row.file_name, row.file_type, row.media_type, b"")


def _item(held: HeldItem) -> ItemDraft:
    said_at = spoken_at(held.occurred_at, held.dates)
    return ItemDraft(
        item_id=held.item_id,
        kind=held.kind,
        session=held.session,
        position=held.position,
        content=held.content,
        embedded=held.content,
        unit="turn" if held.kind == "turn" else "passage",
        speaker=held.speaker,
        source_ref=held.source_ref,
        occurred_at=said_at,
        dates=spoken_dates(held.content, said_at),
        section=held.section,
        span=None if held.span_start is None or held.span_end is None else (held.span_start, held.span_end),
    )


def _in_order(items: Sequence[HeldItem]) -> list[HeldItem]:
    """Items in the order of the source; those of a long turn share a position and are ordered by their ids."""
    parts: dict[UUID, int] = {}
    for (session, position), number in Counter((item.session, item.position) for item in items).items():
        parts |= {uuid5(session, f"{position}:{part}"): part for part in range(number)}
    return sorted(items, key=lambda item: (item.position, parts.get(item.item_id, 0)))
