"""What another reading of a stored record comes to: which items stay, which are new, which end, which fields differ. Pure rules.

An item is recognised by what it says and where: a turn or a derived item by its place in the session, a chunk by the headings
above it. Changes by hand do not count, and what was changed by hand never ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from engine.domain.document import chunk_hash, matched
from engine.domain.record import ItemDraft
from engine.domain.search import ItemKind

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

    @property
    def digest(self) -> bytes:
        """What it is recognised by."""
        return _digest(self.kind, self.position, self.section, self.content)


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
class MatchedItems:
    """What became of some items: how many stay with id and vector, all as they are from now on, which are new, which end."""

    kept: int
    items: tuple[ItemDraft, ...]
    fresh: tuple[ItemDraft, ...]
    gone: tuple[tuple[UUID, int], ...]


def matched_items(
    held: Sequence[HeldItem], items: Sequence[ItemDraft], taken: set[UUID], revision: int
) -> MatchedItems:
    """Which of the items are those that are held. What was ended by hand stays ended; what a renewal ended comes back as another
    item. `taken`: ids that a new item cannot have."""
    there = {one.item_id: one for one in held if one.holds or not one.superseded}
    match = matched(
        [(one.item_id, one.digest) for one in there.values()],
        [_digest(item.kind, item.position, item.section, item.content) for item in items],
    )
    placed = []
    for item, place in zip(items, match.places, strict=True):
        new_id = uuid5(item.item_id, f"again {revision}") if item.item_id in taken else item.item_id
        placed.append(replace(item, item_id=place or new_id))
    fresh = tuple(item for item, place in zip(placed, match.places, strict=True) if place is None)
    gone = (there[item_id] for item_id in match.gone)
    ended = tuple((one.item_id, one.revision) for one in gone if one.holds and one.revision == 1)
    return MatchedItems(len(placed) - len(fresh), tuple(placed), fresh, ended)


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


def _digest(kind: ItemKind, position: int, section: str, content: str) -> bytes:
    return chunk_hash(section if kind == "chunk" else f"{kind} {position} {section}", content)
