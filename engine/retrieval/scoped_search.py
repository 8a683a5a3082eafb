"""The two SQL calls of a search: all nodes in scope, words and meaning in one scan each, candidates with neighbours; then the
contents of what is shown.

A search goes beyond the anchors, so that nodes make it faster and never hide an answer. Where all that may be read is little, all
of it is searched; nodes with a rare word of the question that the anchors do not hold are searched beside them: the scan itself
decides both by the counts of words. A weak best hit is known after it only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from engine.domain.clock import Moment
from engine.domain.embedding import EmbeddingVersion
from engine.domain.node import LeftOut
from engine.domain.principal import Principal
from engine.domain.scope import MemoryScope, SourceKind
from engine.domain.search import ItemKind, WidenedBy
from engine.errors import InvalidInput, NotFound, StoreFailed
from engine.hierarchy.tables import Damage
from engine.providers.embedder import Vectors
from engine.retrieval.candidate import Candidate, Contents, DecayRow
from engine.retrieval.fusion import Ranked
from engine.retrieval.weights import Weights, WideningWeights
from engine.stores.postgres import Jsonb, Postgres
from engine.stores.statements import sql_text

R = TypeVar("R")
EVERYTHING: frozenset[WidenedBy | None] = frozenset(("few_items", "weak_hit", "nothing_found"))
"""Reasons to search all nodes."""
SEEN_AFTER: frozenset[WidenedBy | None] = frozenset(("weak_hit", "nothing_found"))
"""Those of them that are known after the scan, which is then repeated."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What is searched. `nodes` None: everything that the principal may read; `kinds` None: items of all kinds; `sources`
    None: all sources; `scopes` beside the user's memory as a whole; `filters` as `engine.search_scan` takes them."""

    nodes: Sequence[UUID] | None
    kinds: Sequence[ItemKind] | None
    moment: Moment
    now: datetime
    """The current time, for the clocks that the moment leaves open."""
    scopes: Sequence[MemoryScope] = ()
    sources: Sequence[SourceKind] | None = None
    filters: Mapping[str, Any] | None = None
    explain: bool = False
    widens: bool = False
    """Whether other nodes are searched, too, where these may hide an answer."""

    @property
    def exactly(self) -> Scope:
        """The same, of which all items are read: with filters that all pass no index is used."""
        return replace(self, filters=self.filters or {})


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The question's vector and the embedding version that it can be compared with; `values` None without one. `tokens`: its
    token vectors, None where the encoder gives none."""

    values: Vectors | None
    version: EmbeddingVersion
    tokens: Vectors | None = None

    @property
    def text(self) -> str | None:
        """As Postgres reads it."""
        if self.values is None:
            return None
        return "[" + ",".join(format(value, ".7g") for value in self.values.tolist()) + "]"


@dataclass(frozen=True, slots=True)
class Scanned:
    """What the stores returned: candidates, the earliest first, how much was searched, the active embedding version, and the
    damaged nodes that were left out."""

    candidates: tuple[Candidate, ...]
    nodes_searched: int
    items_searched: int
    passages_searched: int
    active: str
    left_out: tuple[LeftOut, ...] = ()
    nodes_by_index: tuple[UUID, ...] = ()
    """Nodes of which only what indexes gave was looked at."""
    nodes_readable: int = 0
    items_read: int = 0
    """How many nodes may be read, and how many rows were compared; both only for an explanation."""
    widened_by: WidenedBy | None = None
    """Why other nodes were searched, too."""


FAILURES = (StoreFailed, NotFound, InvalidInput)
"""Errors of a search at a damaged node: a missing table, lost rights, a row of the wrong shape."""
ROUNDS = 3
"""Attempts of a search without the nodes that were found damaged."""


@dataclass(frozen=True, slots=True)
class _Row(Candidate):
    """A candidate, or where nothing was found a row without an item, and what every row tells of the search."""

    nodes_searched: int = 0
    items_searched: int = 0
    passages_searched: int = 0
    active: str = ""
    nodes_by_index: tuple[UUID, ...] = ()
    nodes_readable: int = 0
    items_read: int = 0
    widened_by: WidenedBy | None = None


def _scanned(found: Sequence[_Row], left_out: tuple[LeftOut, ...]) -> Scanned:
    first = found[0]
    return Scanned(
        candidates=tuple(row for row in found if row.item_id is not None),
        nodes_searched=first.nodes_searched,
        items_searched=first.items_searched,
        passages_searched=first.passages_searched,
        active=first.active,
        left_out=left_out,
        nodes_by_index=first.nodes_by_index,
        nodes_readable=first.nodes_readable,
        items_read=first.items_read,
        widened_by=first.widened_by,
    )


class ScopedSearch:
    """Searches the items of nodes, under the principal's rights."""

    def __init__(self, postgres: Postgres, weights: Weights, damage: Damage) -> None:
        self._postgres, self._damage = postgres, damage
        self._limits, self._walk, self._widening = weights.limits, weights.walk, weights.widening

    async def scan(
        self,
        principal: Principal,
        scope: Scope,
        terms: Sequence[int],
        entities: Sequence[int],
        vector: QueryVector,
    ) -> Scanned:
        """The candidates for a question's terms, entities and vector, without those of damaged nodes.

        Raises StoreUnavailable, StoreDamaged where it is not nodes that are damaged.
        """
        parameters = self._parameters(principal, scope, terms, entities, vector)

        async def ask(left_out: tuple[LeftOut, ...]) -> list[_Row]:
            asked = {**parameters, "without": [one.node_id for one in left_out], "explain": scope.explain}
            return await self._postgres.fetch(principal, sql_text("search/candidates"), asked, row=_Row)

        return _scanned(*await self.without_damaged(principal, scope, vector, ask))

    async def decayed(
        self,
        principal: Principal,
        scope: Scope,
        vector: QueryVector,
        asked: Mapping[str, Any],
        left_out: tuple[LeftOut, ...],
    ) -> list[DecayRow]:
        """The rows of a search with decay, without these nodes. Raises what a scan raises."""
        without = {"without": [one.node_id for one in left_out]}
        parameters = {**self._parameters(principal, scope, (), (), vector), **asked, **without}
        return await self._postgres.fetch(principal, sql_text("search/decayed"), parameters, row=DecayRow)

    async def without_damaged(
        self,
        principal: Principal,
        scope: Scope,
        vector: QueryVector,
        ask: Callable[[tuple[LeftOut, ...]], Awaitable[R]],
        left_out: tuple[LeftOut, ...] = (),
    ) -> tuple[R, tuple[LeftOut, ...]]:
        """What `ask` returns, and the nodes that it was to leave out: where it fails, it is asked again without those that
        are found damaged."""
        rounds = 1
        while True:
            try:
                return await ask(left_out), left_out
            except FAILURES:
                fresh = await self._fresh_damage(principal, scope, vector, left_out)
                if not fresh or rounds == ROUNDS:
                    raise
                rounds, left_out = rounds + 1, left_out + fresh

    async def contents(
        self, principal: Principal, scope: Scope, found: Sequence[tuple[UUID, UUID]]
    ) -> dict[tuple[UUID, UUID], Contents]:
        """The contents of items, by node and item; of one that vanished since there are none. Raises what a scan raises."""
        parameters = {
            "nodes": [node for node, _ in found],
            "items": [item for _, item in found],
            "as_of": scope.moment.as_of,
            "known_at": scope.moment.known_at,
            "now": scope.now,
        }
        rows = await self._postgres.fetch(principal, sql_text("search/contents"), parameters, row=Contents)
        return {(one.node_id, one.row_id): one for one in rows}

    async def _fresh_damage(
        self, principal: Principal, scope: Scope, vector: QueryVector, known: Sequence[LeftOut]
    ) -> tuple[LeftOut, ...]:
        """The damaged nodes of the scope, without the known ones."""
        # A search of the past also reads nodes that hold moved records, a widened one others: any of them may be the damaged one.
        nodes = None if scope.moment.known_at or scope.widens else scope.nodes
        version = vector.version.name
        found = await self._damage.found(principal, nodes, rows=True, vector=vector.text, version=version)
        return tuple(one for one in found if one.node_id not in {before.node_id for before in known})

    def _parameters(
        self, principal: Principal, scope: Scope, terms: Sequence[int], entities: Sequence[int], vector: QueryVector
    ) -> dict[str, Any]:
        return {
            "user_id": principal.user_id,
            "nodes": None if scope.nodes is None else list(scope.nodes),
            "widens": scope.widens,
            "few_items": self._widening.few_items,
            "rare_share": self._widening.rare_share,
            "most_nodes": self._limits.nodes,
            "query": vector.text,
            "version": vector.version.name,
            "terms": list(terms),
            "entities": list(entities),
            "kinds": None if scope.kinds is None else list(scope.kinds),
            "as_of": scope.moment.as_of,
            "known_at": scope.moment.known_at,
            "now": scope.now,
            "candidates": self._limits.candidates,
            "walked": self._walk.candidates,
            "rare": self._walk.rare,
            "named": self._walk.named,
            "shrink": self._limits.shrink,
            "sources": None if scope.sources is None else list(scope.sources),
            "scopes": [str(scope) for scope in scope.scopes],
            "filters": None if scope.filters is None else Jsonb(scope.filters),
        }


@dataclass(frozen=True, slots=True)
class ScannedNodes:
    """What was scanned in the end, and why it was more than the anchors lead to."""

    scope: Scope
    scanned: Scanned
    ranked: list[Ranked]
    widened_by: WidenedBy | None


def widening(
    by_scan: WidenedBy | None, found: Sequence[Candidate], *, by_anchors: bool, weights: WideningWeights | None
) -> WidenedBy | None:
    """Why more is searched than the anchors lead to; None where it is not. `by_scan`: what the scan decided; `by_anchors`: there
    was none; `weights`: None where the anchors do not decide where to search."""
    if weights is not None and by_scan != "few_items" and (hides := hides_answer(found, weights)):
        return hides
    return by_scan or ("no_anchor" if by_anchors else None)


def hides_answer(found: Sequence[Candidate], weights: WideningWeights) -> WidenedBy | None:
    """Why what was found at the anchors is not enough, if it is not. Nearness is that of vectors, without them of words."""
    if not found:
        return "nothing_found"
    near = [one.meaning_overall for one in found if one.cosine is not None]
    return "weak_hit" if max(near or [one.words_overall for one in found]) < weights.weak_hit else None
