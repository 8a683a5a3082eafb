"""Search in a memory."""

from __future__ import annotations

from dataclasses import replace

from engine.domain.scope import USERS
from engine.domain.search import SearchAnswer, SearchRequest
from engine.operations.caller import Caller, readers
from engine.operations.declaring import Subject, reads
from engine.operations.redactions import scopes


class Searching(Subject[Caller], name="searching"):
    """Reading navigates first, then searches only there."""

    @reads(readers, limited=False)
    async def search(self, request: SearchRequest) -> SearchAnswer:
        """Navigates to the anchors, searches only there, opens nothing. See `retrieval.pipeline`. Raises NotFound."""
        own = {*request.scopes, self.caller.origin.scope} - {USERS}
        request = scopes(replace(request, scopes=tuple(sorted(own, key=str))), self.caller.redactor, None)
        answer = await self.caller.parts.search.search(self.caller.principal, request)
        if not answer.nodes_searched:
            await self.caller.require_known()
        return answer
