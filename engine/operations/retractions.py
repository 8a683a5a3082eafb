"""Sources that are withdrawn."""

from __future__ import annotations

from uuid import UUID

from engine.domain.retraction import Retraction, RetractionPreview, RetractionSubject
from engine.history.retractions import SourceRetractions
from engine.operations import redactions
from engine.operations.caller import owner
from engine.operations.declaring import OfGraph, reads, writes
from engine.operations.parts import Part


class Retractions(OfGraph, name="retractions"):
    """Withdraws sources: what they alone support ends, what they had superseded holds again. For the user of the graph alone."""

    _retractions = Part(SourceRetractions)

    @reads(owner)
    async def preview(self, subject: RetractionSubject, *, limit: int = 100) -> RetractionPreview:
        """What a retraction would do: nothing is written. Lists hold `limit` entries at most. Raises NotFound, InvalidInput."""
        named = redactions.subject(subject, self.caller.redactor, None)
        return await self._retractions.preview(self._principal, named, limit=limit)

    @writes(owner, redacts={"subject": redactions.subject, "reason": redactions.note}, once=True, spends=True)
    async def retract(self, subject: RetractionSubject, reason: str = "") -> Retraction:
        """Withdraws a record, all records of a document or a source, or one fact. The same call goes on with a retraction that
        was interrupted. Raises NotFound, Conflict where another retraction withdrew it, InvalidInput."""
        return await self._retractions.retract(self._principal, subject, reason)

    @writes(owner, once=True, spends=True)
    async def undo(self, retraction_id: UUID) -> Retraction:
        """Brings back what a retraction withdrew; what came since stays. Repeating it changes nothing. Raises NotFound, Conflict
        where a later retraction changed the same facts: that one is undone first."""
        return await self._retractions.undo(self._principal, retraction_id)

    @reads(owner)
    async def list(self, *, before: int | None = None, limit: int = 100) -> tuple[Retraction, ...]:
        """Retractions, newest first, one page; `before` is the `number` of the last one of the page before. Raises
        InvalidInput."""
        return await self._retractions.page(self._principal, before=before, limit=limit)
