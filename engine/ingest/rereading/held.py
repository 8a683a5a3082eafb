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

from engine.commit.unit_of_work import attempts
from engine.domain.dates import dates_in
from engine.domain.history import Turn
from engine.domain.layout import layout_of
from engine.domain.node import ContentType
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode, FileDraft, ItemDraft, RecordDraft, TriggerType
from engine.domain.rereading import HeldFields, HeldItem
from engine.domain.scope import MemoryScope, Origin, Privacy, ScopeKind, SourceKind
from engine.domain.splitting import chunks
from engine.errors import DamagedFile, NotFound
from engine.ingest.drafts import Document, PlacedTurn, document_draft, turn_items
from engine.ingest.versions.revising import RecordRenewals
from engine.providers.active import ActiveModel
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in, sql_text
from engine.turns import computed

ReadResource = Callable[[Principal, UUID], Awaitable[bytes]]
"""The bytes of a raw resource, compared with their hash. Raises NotFound, DamagedFile, StoreUnavailable."""
ASKED, NOT_ASKED = "?", ""
"""Placeholders for the text before a turn: only whether it is a question matters."""


@dataclass(frozen=True, slots=True)
class Place:
    """A record and where it lies."""

    record_id: UUID
    node_id: UUID
    schema_name: str

    @property
    def node(self) -> AssignableNode:
        return AssignableNode(self.node_id, self.schema_name, (), 0, "", (), (), ())


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

    place: Place
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

    def __init__(
        self, postgres: Postgres, renewals: RecordRenewals, active: ActiveModel, read_resource: ReadResource
    ) -> None:
        self._postgres, self._renewals, self._active, self._read = postgres, renewals, active, read_resource

    async def held(self, principal: Principal, place: Place) -> Held | None:
        """The stored record; None where it is missing or has ended. Raises StoreUnavailable."""
        async for attempt in attempts(self._postgres, [place.node_id]):
            with attempt:
                found = await self._held(principal, place)
        return found

    async def _held(self, principal: Principal, place: Place) -> Held | None:
        schema, record = place.schema_name, {"record_id": place.record_id}
        async with self._postgres.as_principal(principal) as connection:
            await connection.execute(sql_text("node/require_current"), {"nodes": [place.node_id]})
            row = await connection.first(sql_in("record/held", schema), record, row=HeldRow)
            if row is None:
                return None
            model = self._active.current
            fields = await self._renewals.held(connection, principal, model, place.node_id, schema, place.record_id)
            items = await connection.fetch(sql_in("item/held", schema), record, row=HeldItem)
            document = {"document_id": place.record_id}
            version = await connection.first(sql_text("document/part"), document, row=DocumentPart)
        return Held(place, row, fields, tuple(items), version)

    async def draft(self, principal: Principal, held: Held) -> RecordDraft:
        """The record drafted again from its source. Raises StoreUnavailable."""
        text = await self._text(principal, held)
        return await computed(_draft, held, text)

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


def _draft(held: Held, text: str | None) -> RecordDraft:
    if text is None or not held.source_items:
        items = tuple(_item(item) for item in _in_order(held.source_items))
        joined = "\n" if held.row.content_type == "conversation" else "\n\n"
        return _record(held, items, joined.join(item.content for item in items))
    if held.row.layout:
        return _conversation(held, held.row.layout, text)
    session = held.source_items[0].session
    fields = held.fields.fields
    occurred_at = datetime.fromisoformat(fields["occurred_at"]) if fields["occurred_at"] else None
    row = held.row
    document = Document(row.source_id, fields["title"], text, occurred_at, row.content_type, _file(held))
    draft = document_draft(session, document, chunks(text), held.place.node, held.row.trigger_type)
    number = held.version.version + 1 if held.version else 1
    ids = (uuid5(session, f"{number}:{item.position}") for item in draft.items)
    return _record(held, tuple(replace(item, item_id=new) for item, new in zip(draft.items, ids, strict=True)), text)


def _conversation(held: Held, compact: dict[str, Any], transcript: str) -> RecordDraft:
    layout = layout_of(compact)
    session = held.source_items[0].session
    turns = [Turn(one.speaker, transcript[one.start : one.start + one.length], one.at, one.ref) for one in layout.turns]
    before = [None if one.asked is None else ASKED if one.asked else NOT_ASKED for one in layout.turns]
    placed = [
        PlacedTurn(one.number, turn, previous, held.place.node)
        for one, turn, previous in zip(layout.turns, turns, before, strict=True)
    ]
    items = tuple(item for one in placed for item in turn_items(one, layout.started_at, session, layout.speakers))
    return _record(held, items, "\n".join(turn.text for turn in turns))


def _record(held: Held, items: tuple[ItemDraft, ...], text: str) -> RecordDraft:
    row = held.row
    occurred = items[0].occurred_at if items else None
    return RecordDraft(
        record_id=held.place.record_id,
        node=held.place.node,
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
        occurred_at=held.occurred_at,
        dates=dates_in(held.content, held.occurred_at),
        section=held.section,
        span=None if held.span_start is None or held.span_end is None else (held.span_start, held.span_end),
    )


def _in_order(items: Sequence[HeldItem]) -> list[HeldItem]:
    """Items in the order of the source; those of a long turn share a position and are ordered by their ids."""
    parts: dict[UUID, int] = {}
    for (session, position), number in Counter((item.session, item.position) for item in items).items():
        parts |= {uuid5(session, f"{position}:{part}"): part for part in range(number)}
    return sorted(items, key=lambda item: (item.position, parts.get(item.item_id, 0)))
