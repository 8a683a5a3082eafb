"""How the contents of a memory change, what they were, and sources that are withdrawn."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from engine.domain.clock import NOW, Moment
from engine.domain.delta import EVERYTHING, Change, Changed, Delta, DifferencePage, SubjectKind, SubjectState, Within
from engine.domain.retraction import Retraction, RetractionPreview, RetractionSubject
from engine.history.changes import Changes
from engine.history.reading import Past
from engine.history.retractions import SourceRetractions
from engine.operations import redactions
from engine.operations.caller import Part, members, owner, readers
from engine.operations.declaring import OfGraph, reads, writes
from engine.retrieval.touches import Touches

_PLACE = "change.node_id or change.subject_id"


class History(OfGraph, name="history"):
    """Changes as deltas, states at any moment, differences. A subject is a record, an item, a node or an edge."""

    _changes = Part(Changes)
    _past = Part(Past)
    _touches = Part(Touches)

    @writes(members, redacts={"change": redactions.change}, at=_PLACE, refusal="change", once=True, spends=True)
    async def change(self, change: Change) -> Changed:
        """Changes a subject by a delta: nothing is overwritten. See `engine.domain.delta`.

        Raises NotFound, Conflict (it was changed meanwhile), NameTaken, DepthExceeded, InvalidInput, StoreUnavailable.
        """
        keyed = replace(change, key=self.caller.key or change.key)
        return await self._changes.change(self._principal, keyed)

    @reads(readers, at="node_id or subject_id", refusal="history")
    async def deltas(
        self, kind: SubjectKind, subject_id: UUID, *, node_id: UUID | None = None, after: int = 0, limit: int = 100
    ) -> tuple[Delta, ...]:
        """How a subject changed, by revision, one page; a record's or item's `node_id` is where it lies. Raises NotFound."""
        return await self._past.deltas(self._principal, kind, subject_id, node_id=node_id, after=after, limit=limit)

    @reads(readers, at="node_id or subject_id", refusal="state")
    async def state(
        self, kind: SubjectKind, subject_id: UUID, *, node_id: UUID | None = None, moment: Moment = NOW
    ) -> SubjectState:
        """What a subject was at a moment on both clocks, with its revision of today. Counts as a read of a record, an item or a
        node that was there. Raises NotFound."""
        state = await self._past.state(self._principal, kind, subject_id, node_id=node_id, moment=moment)
        if state.fields is not None and kind != "edge":
            read = {f"{kind}s": [subject_id]} if kind != "node" else {}
            self._touches.note(state.node_id, **read)
        return state

    @reads(readers, at="within.node_id", refusal="difference")
    async def difference(
        self,
        start: datetime,
        end: datetime,
        within: Within = EVERYTHING,
        *,
        after: tuple[UUID, UUID] | None = None,
        limit: int = 100,
    ) -> DifferencePage:
        """What differs between what was so at `start` and at `end`: in all, at one node, of one subject. Raises NotFound."""
        return await self._past.difference(self._principal, start, end, within, after=after, limit=limit)


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
        where a later retraction changed the same facts: that one is undone first; Forgotten where all of it was forgotten."""
        return await self._retractions.undo(self._principal, retraction_id)

    @reads(owner)
    async def list(self, *, before: int | None = None, limit: int = 100) -> tuple[Retraction, ...]:
        """Retractions, newest first, one page; `before` is the `number` of the last one of the page before. Raises
        InvalidInput."""
        return await self._retractions.page(self._principal, before=before, limit=limit)
