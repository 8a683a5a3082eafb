"""The explanation of an answer, made of what the search had at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from engine.domain.explanation import (
    Explanation,
    FoundBy,
    FoundCandidates,
    HitExplanation,
    NotShown,
    Recall,
    SearchedNodes,
    SignalShare,
)  # fmt: skip
from engine.domain.search import Hit
from engine.retrieval.candidate import Candidate
from engine.retrieval.fusion import FAMILY, NEWER_STATE, SIGNALS, Ranked
from engine.retrieval.hits import Shown
from engine.retrieval.weights import Weights
from engine.retrieval.widening import ScannedNodes


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
    return tuple(replace(hit, explanation=_hit(ranked, weights)) for hit, ranked in pairs)


def _hit(ranked: Ranked, weights: Weights) -> HitExplanation:
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
