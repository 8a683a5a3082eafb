"""What an answer says beside its hits: where was searched, what a reader should know, and what its next page leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

from engine.domain.explanation import SearchedNodes
from engine.domain.search import Hit, SearchRequest
from engine.retrieval.anchors import Navigation
from engine.retrieval.fusion import Ranked
from engine.retrieval.hits import Shown
from engine.retrieval.scoped_search import Scanned


def following_of(ranked: Sequence[Ranked], shown: Shown, hits: Sequence[Hit]) -> list[UUID]:
    """What the next page leaves out of this one: the rows that were looked at, also those that vanished since, and the
    items whose states these are. Empty where no other candidate is left."""
    passed, damaged = set(shown.chosen), {one.node_id for one in shown.left_out}
    if all(one.candidate.item_id in passed or one.candidate.node_id in damaged for one in ranked):
        return []
    return list(dict.fromkeys((*(hit.item_id for hit in hits), *shown.chosen)))


def places_of(named: Sequence[UUID] | None, navigation: Navigation) -> SearchedNodes:
    """Where was searched. `named`: the nodes that the request names."""
    if named is not None:
        return "asked"
    return "all" if navigation.scope is None else "anchors"


def notes_of(request: SearchRequest, cut: int, hits: Sequence[Hit], scanned: Scanned, shown: Shown) -> Iterator[str]:
    """What a reader of the answer should know of it. `cut`: the question was cut to so many characters; 0: it was not."""
    if cut:
        yield f"The question was cut to {cut:,} characters."
    undated = sum(hit.occurred_at is None for hit in hits)
    if request.moment.as_of is not None and undated:
        yield f"{undated} of the hits have no date: they count as true at every time."
    if by_index := len(scanned.nodes_by_index):
        yield f"{by_index} large {_were(by_index)} searched by indexes: near items may be missing."
    if damaged := len(shown.left_out):
        yield f"{damaged} damaged {_were(damaged)} left out."


def _were(nodes: int) -> str:
    return "node was" if nodes == 1 else "nodes were"
