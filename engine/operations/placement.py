"""Where the records of a memory lie, why, and how that is corrected."""

from __future__ import annotations

from uuid import UUID

from engine.domain.assignment import Assignment, AssignmentFilter, Moved
from engine.operations.asking import Asking

EVERY = AssignmentFilter()


class PlacedRecords(Asking):
    """Decisions that placed records, and moves."""

    async def assignments(self, wanted: AssignmentFilter = EVERY) -> tuple[Assignment, ...]:
        """Why records lie where they lie, newest first, one page; empty for all but the user. Raises InvalidInput."""
        return await self._parts.assignments.page(self.principal, wanted)

    async def move_record(
        self, record_id: UUID, source: UUID, target: UUID, *, reason: str = "", key: str | None = None
    ) -> Moved:
        """Moves a record from one node to another of the same graph, with all that hangs on it. See `Moving.move`.

        The same move with the same `key` is done once, and gives the same answer again.
        """
        async with self._noting("move", target):
            reason = self._parts.redactor.text(reason)
            return await self._parts.moving.move(self.principal, record_id, source, target, reason, key)
