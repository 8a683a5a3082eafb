"""Search in a memory, context for a model, and answers from it."""

from __future__ import annotations

from dataclasses import replace

from engine.domain.context import Context, ContextAnswer, ContextRequest
from engine.domain.read_limits import UNLIMITED_READ, ReadLimits
from engine.domain.scope import USERS, MemoryScope
from engine.domain.search import DecayRequest, SearchAnswer, SearchRequest
from engine.operations.caller import Part, readers
from engine.operations.declaring import OfGraph, reads
from engine.privacy.redact import redacted_scope
from engine.retrieval.context.assembling import Answers, Contexts
from engine.retrieval.decayed import DecayedSearch
from engine.retrieval.pipeline import LimitedSearch
from engine.retrieval.touches import Touches


class Searching(OfGraph, name="searching"):
    """Reading navigates first, then searches there; in a small memory everywhere."""

    _answers = Part(Answers)
    _contexts = Part(Contexts)
    _decayed_search = Part(DecayedSearch)
    _limited_search = Part(LimitedSearch)
    _touches = Part(Touches)

    @reads(readers, limited=False, spends=True)
    async def search(self, request: SearchRequest, limits: ReadLimits = UNLIMITED_READ) -> SearchAnswer:
        """Navigates to the anchors, searches there, in a small memory everywhere, opens nothing. See
        `retrieval.pipeline`, and `retrieval.budgets` for what limits do. Raises NotFound."""
        request = replace(request, scopes=self._scopes(request.scopes))
        return await self._answered(await self._limited_search.search(self._principal, request, limits))

    @reads(readers, limited=False, spends=True)
    async def search_decayed(self, request: DecayRequest) -> SearchAnswer:
        """The best items by meaning × confidence × decay by age, of all that may be read. See `retrieval.decayed`. Raises
        NotFound, ProviderUnavailable."""
        request = replace(request, scopes=self._scopes(request.scopes))
        return await self._answered(await self._decayed_search.search(self._principal, request))

    @reads(readers, limited=False, spends=True)
    async def context(self, request: ContextRequest) -> Context:
        """What the memory holds that matters to a question, as text for a prompt within so many tokens, with sources. See
        `retrieval.context`. Raises NotFound."""
        return await self._told(await self._contexts.context(self._principal, self._redacted(request)))

    @reads(readers, limited=False, spends=True)
    async def answer(self, request: ContextRequest) -> ContextAnswer:
        """The language model's answer from that context alone, with citations; a refusal where nothing supports one. Raises
        NotFound, NoLanguageModel, ProviderUnavailable."""
        answer = await self._answers.answer(self._principal, self._redacted(request))
        await self._told(answer.context)
        return answer

    async def _answered(self, answer: SearchAnswer) -> SearchAnswer:
        """The answer, the hits of it counted as read. Raises NotFound where there is no such graph."""
        if not answer.nodes_searched:
            await self.caller.require_known()
        self._touches.note_parts(answer.hits)
        self._touches.note_entities(hit.reached.entity_id for hit in answer.hits if hit.reached)
        return answer

    async def _told(self, context: Context) -> Context:
        """The context, the pieces of it counted as read. Raises NotFound where there is no such graph."""
        if not context.nodes_searched:
            await self.caller.require_known()
        self._touches.note_parts(context.pieces)
        self._touches.note_entities(piece.entity_id for piece in context.pieces)
        return context

    def _redacted(self, request: ContextRequest) -> ContextRequest:
        return replace(request, scopes=self._scopes(request.scopes))

    def _scopes(self, named: tuple[MemoryScope, ...]) -> tuple[MemoryScope, ...]:
        """The scopes that a request names and that of the memory, as they are stored."""
        own = {*named, self.caller.origin.scope} - {USERS}
        return tuple(redacted_scope(scope, self.caller.redactor) for scope in sorted(own, key=str))
