"""Ranked candidates with their contents as the hits of an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol
from uuid import UUID

from engine.domain.names import shown_name
from engine.domain.search import Anchor, Hit, ItemKind, LeftOut
from engine.retrieval.anchors import Navigation
from engine.retrieval.candidate import Contents
from engine.retrieval.fusion import Ranked
from engine.retrieval.rationale import rationale, reached_over

MOST_REACHED = 20
"""Hits of which it is said over which entity they were reached: its name is looked for in their texts."""


class FoundItem(Protocol):
    """What the row of a found item has of it."""

    @property
    def node_id(self) -> UUID: ...
    @property
    def kind(self) -> ItemKind: ...
    @property
    def session(self) -> UUID: ...
    @property
    def position(self) -> int: ...
    @property
    def speaker(self) -> str: ...
    @property
    def occurred_at(self) -> datetime | None: ...


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown, best first, with the contents of it and of the passages from which it was reached, by node and item.
    `chosen`: the rows that were to be shown, with those that vanished since."""

    ranked: tuple[Ranked, ...]
    contents: Mapping[tuple[UUID, UUID], Contents]
    left_out: tuple[LeftOut, ...]
    chosen: tuple[UUID, ...] = ()


def hits_of(shown: Shown, navigation: Navigation, kinds: Sequence[str], *, owns: bool) -> tuple[Hit, ...]:
    """What is shown, as hits. `kinds`: of entities, in the domain; `owns`: whether the owner asks."""
    return tuple(
        _hit(one if number < MOST_REACHED else replace(one, link=None), shown, navigation, kinds, owns=owns)
        for number, one in enumerate(shown.ranked)
    )


def _hit(ranked: Ranked, shown: Shown, navigation: Navigation, kinds: Sequence[str], *, owns: bool) -> Hit:
    found, signals = ranked.candidate, ranked.signals
    told = shown.contents[found.node_id, found.item_id]
    anchor: Anchor | None = navigation.leading.get(found.node_id)
    reached = reached_over(ranked.link, told, shown.contents, navigation.entities, kinds)
    why = rationale(anchor, tuple(told.path), signals, reached, ranked.newer)
    return replace(hit_of(found, told, ranked.score, signals, why, owns=owns), reached=reached)


def hit_of(
    found: FoundItem, told: Contents, score: float, signals: Mapping[str, float], why: str, *, owns: bool
) -> Hit:
    """A found item with its contents."""
    return Hit(
        item_id=told.item_id,
        record_id=told.record_id,
        node_id=found.node_id,
        kind=found.kind,
        content=told.content,
        speaker=found.speaker,
        occurred_at=found.occurred_at,
        session=found.session,
        position=found.position,
        source_ref=told.source_ref if owns or found.kind != "chunk" else None,  # a path may name what is hidden
        section=told.section,
        score=round(score, 4),
        signals=signals,
        record_title=told.record_title,
        record_summary=told.record_summary,
        content_type=told.content_type,
        file_id=told.file_id,
        file_name=shown_name(told.file_name, told.record_title),
        file_state=told.file_state,
        path=tuple(told.path),
        why=why,
        scope=told.scope,
        scope_id=told.scope_id,
        source=told.source,
    )
