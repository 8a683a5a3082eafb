"""A search whose hits count less with age: meaning × confidence × decay."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from uuid import UUID

from engine.domain.clock import NOW, Moment
from engine.domain.filters import ALL, Filters
from engine.domain.scope import MemoryScope, SourceKind
from engine.domain.search import ItemKind, SearchRequest
from engine.errors import InvalidInput

LEAST_DAYS, MOST_DAYS = 0.001, 100_000


@dataclass(frozen=True, slots=True)
class DecayRequest:
    """A question to a search with decay. An item scores cosine × confidence × 1 / (1 + age / `days`), so at an age of `days` it
    counts half; None: `NEURIGRAPH_DECAY_DAYS`. Items of less than `least_confidence` are left out. The others as in
    `SearchRequest`; `nodes` None: all that the principal may read. Raises InvalidInput."""

    query: str
    limit: int = 10
    days: float | None = None
    least_confidence: float = 0.0
    kinds: tuple[ItemKind, ...] | None = None
    nodes: tuple[UUID, ...] | None = None
    moment: Moment = NOW
    scopes: tuple[MemoryScope, ...] = ()
    sources: tuple[SourceKind, ...] | None = None
    filters: Filters = ALL

    def __post_init__(self) -> None:
        if self.days is not None and not (isfinite(self.days) and LEAST_DAYS <= self.days <= MOST_DAYS):
            raise InvalidInput(f"The days of a decay are {LEAST_DAYS} to {MOST_DAYS:,}.")
        if not (isfinite(self.least_confidence) and 0 <= self.least_confidence <= 1):
            raise InvalidInput("The least confidence is a number from 0 to 1.")

    @property
    def search(self) -> SearchRequest:
        """What it has in common with other searches."""
        return SearchRequest(
            self.query, self.limit, self.kinds, self.nodes, "always", self.moment, self.scopes, self.sources, self.filters
        )  # fmt: skip
