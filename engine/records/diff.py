"""What differs between a stored record and its source as it is now, or as it is read now: which items stay, which are new, which
end, which fields differ. One rule for new versions of documents, readings again and replays. Pure.

An item is recognised by what it says and where: a turn or a derived item by its place in the session, a chunk by the headings
above it. Changes by hand do not count, and what was changed by hand never ends.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from engine.domain.document import chunk_hash
from engine.domain.record import ItemDraft
from engine.domain.search import ItemKind

UNTOUCHED = 1
"""The revision of an item that was never changed."""
KEYWORDS = ("kw_entities", "kw_topics", "kw_dates", "kw_relationships")


@dataclass(frozen=True, slots=True)
class HeldFields:
    """The fields of a record as its source, or a model, made them last, and those that were corrected by hand."""

    revision: int
    fields: Mapping[str, Any]
    corrected: frozenset[str]


@dataclass(frozen=True, slots=True)
class HeldItem:
    """An item of a record as it is kept. `content` is what it began with; `whole`: it holds the whole input; `holds`: it is known
    until further notice; `superseded`: it ended because the record was renewed, not by hand."""

    item_id: UUID
    kind: ItemKind
    session: UUID
    position: int
    source_ref: str | None
    speaker: str
    section: str
    occurred_at: datetime | None
    dates: list[str]
    span_start: int | None
    span_end: int | None
    revision: int
    whole: bool
    content: str
    holds: bool
    superseded: bool

    @property
    def derived(self) -> bool:
        """Whether it does not stand in the source itself."""
        return self.kind not in ("turn", "chunk")


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A record as another reading makes it, beside what it was at `revision`. `kept`: items that stay; `fields`: those that
    differ; `fresh`: new items; `gone`: those that end, with their revisions; `places`: where others lie now (position, span);
    `chunks`: all of a document that is split otherwise, with their hashes; `missing`: whether answers of a model are, and
    `unread`: why it has not read all of it."""

    record_id: UUID
    node_id: UUID
    schema: str
    revision: int
    kept: int
    fields: Mapping[str, Any] = field(default_factory=dict)
    fresh: tuple[ItemDraft, ...] = ()
    gone: tuple[tuple[UUID, int], ...] = ()
    places: tuple[tuple[UUID, int, int, int], ...] = ()
    chunks: tuple[tuple[UUID, str], ...] = ()
    missing: bool = False
    unread: str = ""

    @property
    def differs(self) -> bool:
        """Whether anything would change."""
        return bool(self.fields or self.fresh or self.gone or self.places)

    @property
    def new_summary(self) -> str | None:
        """The summary, where it is another one."""
        summary: str | None = self.fields.get("summary")
        return summary


@dataclass(frozen=True, slots=True)
class ItemDiff:
    """Items as they are wanted beside those that a record has. `items`: all wanted ones, those that stay with the ids that they
    have; `new`: the ids of the others; `gone`: what is there and not wanted any more, in its order."""

    items: tuple[ItemDraft, ...]
    new: frozenset[UUID]
    gone: tuple[UUID, ...]

    @property
    def fresh(self) -> tuple[ItemDraft, ...]:
        """The items that are not there yet."""
        return tuple(item for item in self.items if item.item_id in self.new)


def diff(
    held: Sequence[tuple[UUID, bytes]], wanted: Sequence[ItemDraft], new_id: Callable[[ItemDraft], UUID]
) -> ItemDiff:
    """Which of the wanted items are those that are held, by their digests; of equal ones the first becomes the first."""
    waiting: dict[bytes, deque[UUID]] = defaultdict(deque)
    for item_id, held_digest in held:
        waiting[held_digest].append(item_id)
    found = [same.popleft() if (same := waiting.get(digest(item))) else None for item in wanted]
    items = tuple(replace(item, item_id=place or new_id(item)) for item, place in zip(wanted, found, strict=True))
    new = frozenset(item.item_id for item, place in zip(items, found, strict=True) if place is None)
    stayed = {place for place in found if place is not None}
    return ItemDiff(items, new, tuple(item_id for item_id, _ in held if item_id not in stayed))


def diff_again(held: Sequence[HeldItem], wanted: Sequence[ItemDraft], taken: set[UUID], revision: int) -> ItemDiff:
    """The same of another reading of one source. What was ended by hand stays ended, what was changed by hand never ends; what a
    renewal ended comes back as another item. `taken`: ids that a new item cannot have."""
    there = {one.item_id: one for one in held if one.holds or not one.superseded}

    def new_id(item: ItemDraft) -> UUID:
        return uuid5(item.item_id, f"again {revision}") if item.item_id in taken else item.item_id

    found = diff([(one.item_id, digest(one)) for one in there.values()], wanted, new_id)
    gone = (there[item_id] for item_id in found.gone)
    return replace(found, gone=tuple(one.item_id for one in gone if one.holds and one.revision == UNTOUCHED))


def moved(held: Sequence[HeldItem], items: Sequence[ItemDraft]) -> tuple[tuple[UUID, int, int, int], ...]:
    """Chunks that stay and lie elsewhere now."""
    places = {one.item_id: (one.position, one.span_start, one.span_end) for one in held}
    return tuple(
        (item.item_id, item.position, *item.span)
        for item in items
        if item.span and item.item_id in places and places[item.item_id] != (item.position, *item.span)
    )


def differing(held: HeldFields, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that come out otherwise than last time, but for those that were corrected by hand."""
    return {name: new for name, new in fields.items() if name not in held.corrected and held.fields.get(name) != new}


def digest(item: ItemDraft | HeldItem) -> bytes:
    """What an item is recognised by."""
    section = item.section if item.kind == "chunk" else f"{item.kind} {item.position} {item.section}"
    return chunk_hash(section, item.content)
