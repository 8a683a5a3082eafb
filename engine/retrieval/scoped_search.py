"""The one SQL call of a search: all nodes in scope, words and meaning in one scan each, candidates with neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from uuid import UUID

from engine.domain.clock import Moment
from engine.domain.embedding import EmbeddingVersion
from engine.domain.principal import Principal
from engine.domain.scope import MemoryScope, SourceKind
from engine.domain.search import ItemKind
from engine.providers.embedder import Vectors
from engine.retrieval.candidate import Candidate
from engine.retrieval.weights import Limits
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text


@dataclass(frozen=True, slots=True)
class Scope:
    """What is searched. `nodes` None: everything that the principal may read; `kinds` None: items of all kinds; `sources`
    None: whatever way they came in; `scopes` beside the user's memory as a whole."""

    nodes: Sequence[UUID] | None
    kinds: Sequence[ItemKind] | None
    moment: Moment
    now: datetime
    """The present, for what the moment leaves open."""
    scopes: Sequence[MemoryScope] = ()
    sources: Sequence[SourceKind] | None = None


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The question's vector and the embedding version that it can be compared with; `values` None without one."""

    values: Vectors | None
    version: EmbeddingVersion

    @property
    def text(self) -> str | None:
        """As Postgres reads it."""
        if self.values is None:
            return None
        return "[" + ",".join(format(value, ".7g") for value in self.values.tolist()) + "]"


@dataclass(frozen=True, slots=True)
class Scanned:
    """What the stores gave: candidates in no order, how much was looked at, and the embedding version that was active."""

    candidates: tuple[Candidate, ...]
    nodes_searched: int
    items_searched: int
    active: str


_COLUMNS = tuple(field.name for field in fields(Candidate))


class ScopedSearch:
    """Searches the items of nodes, under the principal's rights."""

    def __init__(self, postgres: Postgres, limits: Limits) -> None:
        self._postgres, self._limits = postgres, limits

    async def scan(self, principal: Principal, scope: Scope, terms: Sequence[int], vector: QueryVector) -> Scanned:
        """The candidates for a question's terms and vector; raises StoreUnavailable."""
        rows = await self._postgres.fetch(
            principal,
            sql_text("search"),
            {
                "user_id": principal.user_id,
                "nodes": None if scope.nodes is None else list(scope.nodes),
                "most_nodes": self._limits.nodes,
                "query": vector.text,
                "version": vector.version.name,
                "terms": list(terms),
                "kinds": None if scope.kinds is None else list(scope.kinds),
                "as_of": scope.moment.as_of,
                "known_at": scope.moment.known_at,
                "now": scope.now,
                "candidates": self._limits.candidates,
                "shrink": self._limits.shrink,
                "sources": None if scope.sources is None else list(scope.sources),
                "scopes": [str(scope) for scope in scope.scopes],
            },
        )
        found = tuple(Candidate(*[row[name] for name in _COLUMNS]) for row in rows if row["item_id"] is not None)
        return Scanned(found, rows[0]["nodes_searched"], rows[0]["items_searched"], rows[0]["active"])
