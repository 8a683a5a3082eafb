"""Intentions: what people say that they want or plan to do. Experimental, and kept only where the setting says so."""

from __future__ import annotations

from uuid import UUID

from engine.domain.intention import Intention, IntentionState
from engine.knowledge.intentions import IntentionLists
from engine.operations import redactions
from engine.operations.caller import owner
from engine.operations.declaring import OfGraph, reads, writes
from engine.operations.parts import Part


class Intentions(OfGraph, name="intentions"):
    """Intentions that records state; for the user of the graph alone."""

    _intentions = Part(IntentionLists)

    @reads(owner)
    async def list(
        self, *, state: IntentionState | None = None, entity_id: UUID | None = None, limit: int = 100
    ) -> tuple[Intention, ...]:
        """Intentions in any state, or in one, those that are due first, then the newest; of one entity, or of all."""
        return await self._intentions.page(self._principal, state=state, entity_id=entity_id, limit=limit)

    @writes(owner, redacts={"state": redactions.without_text, "reason": redactions.note}, once=True)
    async def decide(self, intention_id: UUID, state: IntentionState, reason: str = "") -> Intention:
        """Says that an intention is done or dropped, or open again. Raises NotFound."""
        own_id = self.caller.own_id("decide", intention_id, state, reason)
        return await self._intentions.decide(self._principal, intention_id, state, reason, own_id)
