"""A search within limits: of time, of tokens, and, where the caller takes a part of it, without the graph.

    search → (the graph does not answer: all readable nodes, without anchors) → the hits that fit the tokens

What was cut, and what is only a part, is said in the notes of the answer; a note of a part begins with "Partial:".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from uuid import UUID

from engine.domain.ingest import UNLIMITED, Limits
from engine.domain.principal import Principal
from engine.domain.read_limits import UNLIMITED_READ, ReadLimits
from engine.domain.search import Hit, SearchAnswer, SearchRequest, cursor_after
from engine.errors import StoreUnavailable
from engine.progress import counted
from engine.providers.active import ActiveModel
from engine.providers.calls import spending
from engine.retrieval.pipeline import Search
from engine.retrieval.query import MOST_NODES_ASKED
from engine.stores.limits import ending_within
from engine.stores.neo4j import STORE as GRAPH
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text
from engine.turns import computed

PARTIAL = "Partial:"
"""How the note of a partial answer begins."""
FIRST = 0.6
"""Share of the time that the first attempt has, where a second one without the graph may follow."""
EMBEDDING = 0.5
"""Share of the time of an attempt that the vector of the question may take; then it is searched by words."""


class LimitedSearch:
    """Searches within `ReadLimits`."""

    def __init__(self, search: Search, postgres: Postgres, active: ActiveModel) -> None:
        self._search, self._postgres, self._active = search, postgres, active

    async def search(
        self, principal: Principal, request: SearchRequest, limits: ReadLimits = UNLIMITED_READ
    ) -> SearchAnswer:
        """The answer of a search within these limits. Raises what a search raises; StoreTimeout when the time is over."""
        seconds = limits.seconds(self._postgres.limit)
        with ending_within(seconds):
            if limits.partial:
                answer = await self._whole_or_part(principal, request, limits, seconds)
            else:
                answer = await self._attempt(principal, request, limits, seconds)
        if limits.max_tokens is None:
            return answer
        count = self._active.current.embedder.count_tokens
        return await computed(_within, request, answer, limits.max_tokens, count)

    async def _attempt(
        self,
        principal: Principal,
        request: SearchRequest,
        limits: ReadLimits,
        seconds: float,
        nodes: tuple[UUID, ...] | None = None,
    ) -> SearchAnswer:
        waiting = UNLIMITED if limits.max_ms is None else Limits(milliseconds=round(seconds * 1000 * EMBEDDING))
        with ending_within(seconds), spending(waiting):
            return await self._search.search(principal, request, nodes)

    async def _whole_or_part(
        self, principal: Principal, request: SearchRequest, limits: ReadLimits, seconds: float
    ) -> SearchAnswer:
        led = request.nodes is None and not request.filters.below
        try:
            answer = await self._attempt(principal, request, limits, seconds * FIRST if led else seconds)
        except StoreUnavailable as error:
            if not led or error.store != GRAPH:
                raise
            answer = await self._without_graph(principal, request, limits, seconds)
            answer = noted(answer, f"{PARTIAL} {error.detail.partition(';')[0]}: all readable nodes, without anchors.")
        if not answer.embeddings and answer.nodes_searched:
            answer = noted(answer, f"{PARTIAL} by words only.")
        return answer

    async def _without_graph(
        self, principal: Principal, request: SearchRequest, limits: ReadLimits, seconds: float
    ) -> SearchAnswer:
        asked = {"user_id": principal.user_id, "most": MOST_NODES_ASKED}
        nodes = tuple(await self._postgres.fetch(principal, sql_text("context/nodes"), asked, row=UUID))
        if not nodes:
            return SearchAnswer(request.query, (), (), widened=True, nodes_searched=0, items_searched=0)
        answer = await self._attempt(principal, request, limits, seconds * (1 - FIRST), nodes)
        return replace(answer, widened=True)


def noted(answer: SearchAnswer, *notes: str) -> SearchAnswer:
    """The answer with further notes."""
    return replace(answer, notes=(*answer.notes, *notes))


def partial_notes(notes: Sequence[str]) -> tuple[str, ...]:
    """What notes say of an answer that is only a part; empty where it is whole."""
    return tuple(note.removeprefix(PARTIAL).strip() for note in notes if note.startswith(PARTIAL))


def _within(request: SearchRequest, answer: SearchAnswer, most: int, count: Callable[[str], int]) -> SearchAnswer:
    """The best hits whose contents have at most so many tokens together."""
    taken: list[Hit] = []
    tokens = 0
    for hit in answer.hits:
        tokens += count(hit.content)
        if tokens > most:
            break
        taken.append(hit)
    left = len(answer.hits) - len(taken)
    if not left:
        return answer
    note = f"{counted(left, 'hit')} left out: the contents of all have more than {most:,} tokens."
    passed = [hit.item_id for hit in taken or answer.hits[:1]]  # one that alone is too long is not tried again
    following = cursor_after(request, answer.known_at, passed) if answer.known_at else None
    explanation = answer.explanation
    if explanation is not None:
        explanation = replace(explanation, not_shown=replace(explanation.not_shown, tokens=left))
    return noted(replace(answer, hits=tuple(taken), next_cursor=following, explanation=explanation), note)
