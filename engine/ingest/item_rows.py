"""Items as the tables of a node take them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.commit.rows import items, records
from engine.domain.extraction import PLAIN
from engine.domain.record import EmbeddedRecord, ItemDraft, RecordDraft
from engine.domain.scope import INGESTED, MemoryScope, Origin, Privacy, ScopeKind, SourceKind
from engine.domain.terms import sparse_of, stored_words, weights
from engine.domain.utterance import Utterance
from engine.stores.postgres import Connection

Row = dict[str, Any]

_NO_UTTERANCE = Utterance(False, False, False, False, 0, 0)
_UTTERANCE = tuple(field.name for field in fields(Utterance))


def item_row(item: ItemDraft, record_id: UUID, privacy: Privacy, found: list[str], now: datetime) -> Row:
    """An item of a record as the node's table takes it, without its vector. `privacy`: the record's; `found`: its words."""
    start, end = item.span or (None, None)
    return {
        "item_id": item.item_id,
        "record_id": record_id,
        "kind": item.kind,
        "session": item.session,
        "position": item.position,
        "source_ref": item.source_ref,
        "speaker": item.speaker,
        "content": item.content,
        "content_hash": items.hash_of(item.content),
        "terms": sparse_of(weights(found, item.unit)),
        "occurred_at": item.occurred_at,
        "dates": list(item.dates),
        **{name: getattr(item.utterance or _NO_UTTERANCE, name) for name in _UTTERANCE},
        "section": item.section,
        "span_start": start,
        "span_end": end,
        "token_count": item.token_count,
        "entities": list(item.entities),
        "about": list(item.about),
        **derived_columns(item, privacy),
        **times(now, item.occurred_at),
    }


def times(now: datetime, occurred_at: datetime | None) -> Row:
    """`known_from` and `valid_from` of content. It is valid since it was said, where that is known; never in the future."""
    return {"now": now, "valid_from": None if occurred_at is None else min(occurred_at, now)}


def item_words(item: ItemDraft) -> list[str]:
    """The words that an item is found by."""
    return [] if item.whole else stored_words(item.content)


def in_turn(items: Iterable[tuple[EmbeddedRecord, int, list[str]]]) -> list[tuple[EmbeddedRecord, int, list[str]]]:
    """Items (record, place in it, words) in the order of writing: observations last, by id. So two commits with the same
    observations cannot deadlock: the second waits for the first."""

    def turn(one: tuple[EmbeddedRecord, int, list[str]]) -> UUID:
        item = one[0].draft.items[one[1]]
        return item.item_id if item.kind == "observation" else UUID(int=0)

    return sorted(items, key=turn)


def derived_columns(item: ItemDraft, privacy: str) -> dict[str, Any]:
    """The columns of an item beside its text: category, tags, subjects, confidence, importance, privacy."""
    known = item.derived or PLAIN
    return {
        "category": known.category,
        "tags": list(known.tags or item.tags),
        "subjects": list(known.subjects),
        "confidence": known.confidence,
        "importance": known.importance,
        "privacy": "private" if known.private else privacy,
    }


def special(draft: RecordDraft) -> bool:
    """Whether its origin is not the default, or a model made one of its items."""
    return draft.origin != INGESTED or any(item.extracted for item in draft.items)


async def set_origin(connection: Connection, draft: RecordDraft) -> None:
    """Writes an origin other than the default; the default can be written to a node of an older version, too."""
    if draft.origin != INGESTED:
        await records.set_origin(connection, draft.node.schema_name, draft.record_id, draft.origin)
    await set_items_origin(connection, draft.node.schema_name, draft.origin, draft.items)


async def set_items_origin(connection: Connection, schema: str, origin: Origin, new: Sequence[ItemDraft]) -> None:
    """The same for new items of a record of that origin; items that a model made get the source `extracted`."""
    usual = [item.item_id for item in new if not item.extracted]
    extracted = [item.item_id for item in new if item.extracted]
    for ids, own in ((usual, origin), (extracted, replace(origin, source="extracted"))):
        if ids and own != INGESTED:
            await items.set_origin(connection, schema, ids, own)


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """What a record says of its readers, of where it belongs, and its words, before it is renewed."""

    privacy: Privacy
    scope: ScopeKind
    scope_id: str | None
    source: SourceKind
    terms: Any

    @property
    def origin(self) -> Origin:
        """To what it belongs and how it came in."""
        return Origin(MemoryScope(self.scope, self.scope_id), self.source)

    @property
    def private(self) -> bool:
        return self.privacy == "private"

    @property
    def scoped(self) -> bool:
        """Whether it belongs to less than the user's whole memory."""
        return self.scope != "user"
