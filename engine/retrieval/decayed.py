"""A search with decay: every item that may be read is scored in Postgres by meaning, confidence and age together, so the best are
the best by that score, not the nearest ones ordered again.

    embed → nodes and entities of the filters → one scan → contents of what is shown

No graph is asked, unless a filter names an entity. Without a vector there is no meaning, so there is no answer then.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from engine.domain.clock import Clock
from engine.domain.node import LeftOut
from engine.domain.principal import Principal
from engine.domain.scope import check_scopes
from engine.domain.search import DecayRequest, Hit, SearchAnswer
from engine.errors import Conflict
from engine.progress import counted
from engine.providers.active import ActiveModel, Model
from engine.providers.calls import QUESTION
from engine.retrieval.candidate import Contents, DecayRow
from engine.retrieval.hits import hit_of
from engine.retrieval.query import Narrowing, check_request, parse
from engine.retrieval.scoped_search import QueryVector, Scope, ScopedSearch
from engine.retrieval.weights import SearchLimits
from engine.stores.limits import ending_within
from engine.stores.postgres import Postgres


class DecayedSearch:
    """Answers `DecayRequest`s from what the principal may read."""

    def __init__(  # noqa: PLR0913 (wired in one place)
        self,
        postgres: Postgres,
        active: ActiveModel,
        scoped: ScopedSearch,
        narrowing: Narrowing,
        limits: SearchLimits,
        clock: Clock,
        days: float,
    ) -> None:
        self._limit, self._active, self._scoped, self._narrowing = postgres.limit, active, scoped, narrowing
        self._limits, self._clock, self._days = limits, clock, days

    async def search(self, principal: Principal, request: DecayRequest) -> SearchAnswer:
        """The best items by their final score. Raises InvalidInput, NotFound, ProviderUnavailable, StoreUnavailable."""
        check_request(request.search)
        check_scopes(principal, request.scopes)
        with ending_within(self._limit):
            own = self._active.current
            answer, active = await self._answer(principal, request, own)
            if active != own.name:  # another version was promoted meanwhile
                answer, active = await self._answer(principal, request, own := await self._active.follow())
            if active != own.name:
                raise Conflict("The embedding version changes just now; ask again.")
        return answer

    async def _answer(self, principal: Principal, request: DecayRequest, model: Model) -> tuple[SearchAnswer, str]:
        now = self._clock.now()
        question = parse(request.query, now, self._limits)
        made = await self._active.patience.asked(lambda: model.embed_query(question.text), QUESTION)
        vector = QueryVector(made.vector, model.version)
        narrowed = await self._narrowing.narrowed(principal, request.search, request.moment, now)
        scope = Scope(
            narrowed.nodes, request.kinds, request.moment, now, request.scopes, request.sources, narrowed.filters
        )
        asked: dict[str, Any] = {
            "days": request.days or self._days,
            "confidence": round(request.least_confidence, 6),
            "limit": request.limit,
        }
        rows, contents, left_out = await self._found(principal, scope, vector, asked)
        hits = [
            _hit(row, contents[row.node_id, row.item_id], owns=principal.owns)
            for row in rows
            if row.item_id is not None and (row.node_id, row.item_id) in contents
        ]
        notes = (f"{counted(len(left_out), 'damaged node')} left out.",) if left_out else ()
        if question.cut:
            notes = (*notes, f"The question was cut to {self._limits.query_characters:,} characters.")
        answer = SearchAnswer(
            query=question.text,
            hits=tuple(hits),
            anchors=(),
            widened=narrowed.nodes is None,
            nodes_searched=rows[0].nodes_searched,
            items_searched=rows[0].items_searched,
            notes=notes,
            embeddings=model.name,
            left_out=left_out,
            known_at=request.moment.known_at or now,
        )
        return answer, rows[0].active

    async def _found(
        self, principal: Principal, scope: Scope, vector: QueryVector, asked: dict[str, Any]
    ) -> tuple[list[DecayRow], dict[tuple[UUID, UUID], Contents], tuple[LeftOut, ...]]:
        """The best rows with their contents, without damaged nodes."""

        async def ask(
            left_out: tuple[LeftOut, ...],
        ) -> tuple[list[DecayRow], dict[tuple[UUID, UUID], Contents]]:
            rows = await self._scoped.decayed(principal, scope, vector, asked, left_out)
            wanted = [(row.node_id, row.item_id) for row in rows if row.item_id is not None]
            return rows, await self._scoped.contents(principal, scope, wanted) if wanted else {}

        (rows, contents), left_out = await self._scoped.without_damaged(principal, scope, vector, ask)
        return rows, contents, left_out


def _hit(row: DecayRow, contents: Contents, *, owns: bool) -> Hit:
    signals = {"cosine": round(row.cosine, 4), "confidence": round(row.confidence, 4), "decay": round(row.decay, 4)}
    parts = (
        f"meaning {row.cosine:.2f} × confidence {row.confidence:.2f} × decay {row.decay:.2f} ({row.age_days:,.0f} days)"
    )
    return hit_of(row, contents, row.score, signals, f"{' > '.join(contents.path)}: {parts}", owns=owns)
