"""Ranked candidates with their contents as the hits of an answer; why a hit is where it is, in a few words: the anchor that led
to its node, and the strongest signals; and the explanation of an answer, made of what the search had at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol, get_args
from uuid import UUID

from engine.domain.clock import Moment
from engine.domain.entity import entity_number
from engine.domain.names import shown_name
from engine.domain.node import Anchor, LeftOut
from engine.domain.principal import Principal
from engine.domain.search import (
    Explanation,
    FoundBy,
    FoundCandidates,
    Hit,
    HitExplanation,
    ItemKind,
    NotShown,
    ReachedOver,
    Recall,
    SearchedNodes,
    SignalShare,
    WidenedBy,
)
from engine.entities.resolution.romanized import canonical_key
from engine.facts.about import doubts_among, marks_of, newer_first
from engine.retrieval.anchors import NamedEntity, Navigation
from engine.retrieval.candidate import Candidate, Contents
from engine.retrieval.fusion import FAMILY, NEWER_STATE, SIGNALS, Ranked, Reached
from engine.retrieval.scoped_search import ScannedNodes
from engine.retrieval.weights import Weights
from engine.stores.postgres import Postgres

SHOWN = 3

_REASONS = {
    "name": "named in the question",
    "alias": "known by a name in the question",
    "text": "words of the question in its summary",
    "meaning": "close in meaning",
    "edge": "linked to a named node",
}
_WIDENED: Mapping[WidenedBy, str] = {
    "no_anchor": "no node was named or meant for sure",
    "few_items": "few items: all were searched",
    "rare_words": "holds a rare word of the question",
    "weak_hit": "what is near lies elsewhere: all nodes were searched",
    "nothing_found": "nothing lies at the nodes of the question: all were searched",
}
_SIGNALS = {
    "words": "same words", "words_previous": "words of the turn before", "words_previous2": "words two turns before",
    "words_next": "words of the turn after", "meaning": "meaning", "meaning_previous": "meaning of the turn before",
    "meaning_next": "meaning of the turn after", "record_words": "words of the conversation",
    "speaker_named": "its speaker is named", "assistant": "an assistant says it", "is_question": "asks itself",
    "previous_has_question": "follows a question", "first_of_session": "opens a conversation",
    "first_person": "speaks of its speaker", "log_words": "length", "time_expressions": "speaks of a time",
    "date_match": "date", "anchor": "anchor",
    "words_other_language": "same words in another language", "words_unspaced": "the word that is asked",
    "covered_window": "covers the question with the turns before it",
    "covered_next": "covers the question with the turn after it", "graph": "shared entities", "hop": "one entity from a hit",
    "newer_state": "a newer state of what another hit says",
}  # fmt: skip


_LONGEST_NAME = 6
_WORD = re.compile(r"[^\W_][\w.’'&-]*")
MOST_REACHED = 20
"""Hits of which it is said over which entity they were reached: its name is looked for in their texts."""


def rationale(
    anchor: Anchor | None,
    path: tuple[str, ...],
    signals: Mapping[str, float],
    reached: ReachedOver | None = None,
    newer: Candidate | None = None,
    widened_by: WidenedBy | None = None,
) -> str:
    """One line: path; anchor and reason, or why it was searched without one; the entity over which it was reached; the day of a
    newer state that is above it; the three signals that raised the hit most."""
    place = " > ".join(path)
    if anchor is not None:
        reasons = " and ".join(_REASONS[reason] for reason in anchor.reasons)
        within = "" if anchor.path == path else f" through {' > '.join(anchor.path)}"
        place += f"{within} ({reasons})"
    elif widened_by is not None:
        place += f" ({_WIDENED[widened_by]})"
    if reached is not None:
        over = f"over {reached.entity}" if reached.entity else "over an entity"
        place += f", {over} from “{reached.from_title}”" if reached.from_title else f", {over} of the question"
    if newer is not None and newer.occurred_at is not None:
        place += f", an older state of what was said on {newer.occurred_at.date().isoformat()}"
    raised = sorted(((part, name) for name, part in signals.items() if part > 0 and name in _SIGNALS), reverse=True)[
        :SHOWN
    ]
    shown = ", ".join(f"{_SIGNALS[name]} {part:+.2f}" for part, name in raised)
    return f"{place}: {shown}" if shown else place


def reached_over(
    link: Reached | None,
    told: Contents,
    contents: Mapping[tuple[UUID, UUID], Contents],
    named: Sequence[NamedEntity],
    kinds: Sequence[str],
) -> ReachedOver | None:
    """The way to a passage by the names that are shown: those of the question, or the words of the passage. None without one.
    `kinds`: of entities, in the domain."""
    if link is None:
        return None
    if link.start is None:
        of_question = next((one for one in named if link.entity in one.numbers), None)
        return ReachedOver(of_question.name, entity_id=of_question.entity_id) if of_question else ReachedOver(None)
    start = contents.get((link.start.node_id, link.start.item_id))
    if start is None:
        return None
    name = _name_in(f"{told.record_title}\n{told.content}", link.entity, kinds)
    return ReachedOver(name, start.item_id, start.record_id, start.record_title)


def _name_in(text: str, entity: int, kinds: Sequence[str]) -> str | None:
    """The words of a text that name an entity, of which only the number is at hand."""
    for name in _names(text):
        of_any_kind = canonical_key("", name)
        if any(entity_number(f"{kind}{of_any_kind}") == entity for kind in kinds):
            return name
    return None


def _opens(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit()


def _names(text: str) -> Iterator[str]:
    """Runs of words that begin and end with a capital or a digit."""
    words = list(_WORD.finditer(text))
    for first in range(len(words)):
        if not _opens(words[first][0]):
            continue
        for last in range(first, min(first + _LONGEST_NAME, len(words))):
            if _opens(words[last][0]):
                yield text[words[first].start() : words[last].end()]


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


def explained(found: ScannedNodes, shown: Shown, hits: int, searched: SearchedNodes) -> Explanation:
    """`found`: without what an earlier page gave; `hits`: how many are given now."""
    scanned, ranked = found.scanned, found.ranked
    damaged = {one.node_id for one in shown.left_out}
    lost = sum(one.candidate.node_id in damaged for one in ranked)
    by_index = len(scanned.nodes_by_index)
    return Explanation(
        searched,
        nodes_exact=scanned.nodes_searched - by_index,
        nodes_by_index=scanned.nodes_by_index,
        items_read=scanned.items_read,
        candidates=_found(scanned.candidates),
        not_shown=NotShown(
            limit=len(ranked) - lost - len(shown.chosen),
            tokens=0,
            earlier_pages=len(scanned.candidates) - len(ranked) + len(shown.ranked) - hits,
            damaged=lost,
            gone=len(shown.chosen) - len(shown.ranked),
            damaged_nodes=len(damaged),
            other_nodes=max(0, scanned.nodes_readable - scanned.nodes_searched - len(scanned.left_out)),
        ),
        widened_by=found.widened_by,
    )


def recall_of(exact: Sequence[Ranked], shown: Shown) -> Recall | None:
    """How many of the best of an exact search are among those chosen to be shown; None where it has none."""
    found = sum(one.candidate.item_id in shown.chosen for one in exact)
    return Recall(len(exact), found, round(found / len(exact), 4)) if exact else None


def explained_hits(hits: Sequence[Hit], shown: Shown, weights: Weights) -> tuple[Hit, ...]:
    """All hits of what is shown, each with its signals before and after they were weighed."""
    pairs = zip(hits, shown.ranked, strict=True)
    return tuple(replace(hit, explanation=_hit_explained(ranked, weights)) for hit, ranked in pairs)


def _hit_explained(ranked: Ranked, weights: Weights) -> HitExplanation:
    section = weights.sections[ranked.weights]
    weighed = zip(SIGNALS, ranked.values.tolist(), ranked.parts.tolist(), strict=True)
    signals = {
        name: SignalShare(round(value, 4), section[name], round(share, 4)) for name, value, share in weighed if value
    }
    for name, added in ((NEWER_STATE, ranked.raised), (FAMILY, ranked.beside)):
        if added:
            signals[name] = SignalShare(round(added, 4), 1.0, round(added, 4))
    return HitExplanation(_lists(ranked.candidate), ranked.weights, section["offset"], signals)


def _lists(candidate: Candidate) -> tuple[FoundBy, ...]:
    """The lists that the bits of `found_by` say, in their order."""
    return tuple(name for place, name in enumerate(get_args(FoundBy)) if candidate.found_by >> place & 1)


def _found(candidates: Sequence[Candidate]) -> FoundCandidates:
    lists = [_lists(one) for one in candidates]
    by = {name: sum(name in one for one in lists) for name in get_args(FoundBy)}
    return FoundCandidates(len(lists), **by, neighbours=lists.count(()))
