"""Ranked candidates with their contents as the hits of an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol
from uuid import UUID

from engine.domain.clock import Moment
from engine.domain.explanation import WidenedBy
from engine.domain.names import shown_name
from engine.domain.node import Anchor, LeftOut
from engine.domain.principal import Principal
from engine.domain.search import Hit, ItemKind
from engine.facts.about import doubts_among, marks_of, newer_first
from engine.retrieval.anchors import Navigation
from engine.retrieval.candidate import Contents
from engine.retrieval.fusion import Ranked
from engine.retrieval.rationale import rationale, reached_over
from engine.stores.postgres import Postgres

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


def hits_of(
    shown: Shown, navigation: Navigation, kinds: Sequence[str], *, owns: bool, widened_by: WidenedBy | None = None
) -> tuple[Hit, ...]:
    """What is shown, as hits. `kinds`: of entities, in the domain; `owns`: whether the owner asks; `widened_by`: why nodes were
    searched that no anchor leads to."""
    return tuple(
        _hit(one if number < MOST_REACHED else replace(one, link=None), shown, navigation, kinds, owns, widened_by)
        for number, one in enumerate(shown.ranked)
    )


async def marked(postgres: Postgres, principal: Principal, moment: Moment, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """The hits with the marks of facts in doubt, the newer of two before the older."""
    facts = [hit.item_id for hit in hits if hit.kind == "fact"]
    doubts = await doubts_among(postgres, principal, moment, facts)
    marks = marks_of(doubts)
    ordered = newer_first(hits, doubts, lambda hit: hit.item_id)
    return tuple(replace(hit, doubt=marks[hit.item_id]) if hit.item_id in marks else hit for hit in ordered)


def _hit(
    ranked: Ranked, shown: Shown, navigation: Navigation, kinds: Sequence[str], owns: bool, widened_by: WidenedBy | None
) -> Hit:
    found, signals = ranked.candidate, ranked.signals
    contents = shown.contents[found.node_id, found.item_id]
    anchor: Anchor | None = navigation.leading.get(found.node_id)
    reached = reached_over(ranked.link, contents, shown.contents, navigation.entities, kinds)
    beyond = widened_by if navigation.anchors and anchor is None else None
    why = rationale(anchor, tuple(contents.path), signals, reached, ranked.newer, beyond)
    return replace(hit_of(found, contents, ranked.score, signals, why, owns=owns), reached=reached)


def hit_of(
    found: FoundItem, contents: Contents, score: float, signals: Mapping[str, float], why: str, *, owns: bool
) -> Hit:
    """A found item with its contents."""
    return Hit(
        item_id=contents.item_id,
        record_id=contents.record_id,
        node_id=found.node_id,
        kind=found.kind,
        content=contents.content,
        speaker=found.speaker,
        occurred_at=found.occurred_at,
        session=found.session,
        position=found.position,
        source_ref=contents.source_ref if owns or found.kind != "chunk" else None,  # a path may name what is hidden
        section=contents.section,
        score=round(score, 4),
        signals=signals,
        record_title=contents.record_title,
        record_summary=contents.record_summary,
        content_type=contents.content_type,
        file_id=contents.file_id,
        file_name=shown_name(contents.file_name, contents.record_title),
        file_state=contents.file_state,
        path=tuple(contents.path),
        why=why,
        scope=contents.scope,
        scope_id=contents.scope_id,
        source=contents.source,
        passed=contents.passed,
    )
