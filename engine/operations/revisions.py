"""How the contents of a memory change, and what they were."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from engine.domain.clock import NOW, Moment
from engine.domain.delta import Change, Changed, Delta, SubjectKind, SubjectState
from engine.history.reading import EVERYTHING, DifferencePage, Within
from engine.operations.asking import Asking
from engine.privacy.nodes import redacted_change


class LivingRecords(Asking):
    """Changes as deltas, states at any moment, differences."""

    async def change(self, change: Change) -> Changed:
        """Changes a record, an item, a node or a relation by a delta: nothing is overwritten. See `engine.domain.delta`.

        Raises NotFound, Conflict (it was changed meanwhile), NameTaken, DepthExceeded, InvalidInput, StoreUnavailable.
        """
        change = redacted_change(change, self._parts.redactor)
        async with self._noting("change", change.node_id or change.subject_id):
            return await self._parts.changes.change(self.principal, change)

    async def archive(self, node_id: UUID, *, reason: str = "") -> Changed:
        """Archives a node with all below it: not searched, without new content, still there for the past. The root archives
        its user."""
        return await self.change(Change("node", node_id, {"archived": True}, reason=reason))

    async def unarchive(self, node_id: UUID, *, reason: str = "") -> Changed:
        """Takes an archived node back; what lies below another archived node stays archived."""
        return await self.change(Change("node", node_id, {"archived": False}, reason=reason))

    async def deltas(
        self, kind: SubjectKind, subject_id: UUID, *, node_id: UUID | None = None, after: int = 0, limit: int = 100
    ) -> tuple[Delta, ...]:
        """How a subject changed, by revision, one page; a record's or item's `node_id` is where it lies. Raises NotFound."""
        async with self._reading("history", node_id or subject_id):
            return await self._parts.past.deltas(
                self.principal, kind, subject_id, node_id=node_id, after=after, limit=limit
            )

    async def state(
        self, kind: SubjectKind, subject_id: UUID, *, node_id: UUID | None = None, moment: Moment = NOW
    ) -> SubjectState:
        """What a subject was at a moment on both clocks, with its revision of today. Raises NotFound."""
        async with self._reading("state", node_id or subject_id):
            return await self._parts.past.state(self.principal, kind, subject_id, node_id=node_id, moment=moment)

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
        async with self._noting("difference", within.node_id or self.principal.user_id):
            return await self._parts.past.difference(self.principal, start, end, within, after=after, limit=limit)
