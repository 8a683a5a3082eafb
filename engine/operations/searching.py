"""Search in a memory."""

from __future__ import annotations

from dataclasses import replace

from engine.domain.scope import USERS
from engine.domain.search import SearchAnswer, SearchRequest
from engine.operations.caller import readers
from engine.operations.declaring import OfGraph, reads
from engine.operations.redactions import scopes


class Searching(OfGraph, name="searching"):
    """Reading navigates first, then searches only there."""

    @reads(readers, limited=False, spends=True)
    async def search(self, request: SearchRequest) -> SearchAnswer:
        """Navigates to the anchors, searches only there, opens nothing. See `retrieval.pipeline`. Raises NotFound."""
        own = {*request.scopes, self.caller.origin.scope} - {USERS}
        request = scopes(replace(request, scopes=tuple(sorted(own, key=str))), self.caller.redactor, None)
        answer = await self._parts.search.search(self._principal, request)
        if not answer.nodes_searched:
            await self.caller.require_known()
        return answer
