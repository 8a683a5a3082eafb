"""Intentions that records state, and what becomes of them, for the user of a graph."""

from __future__ import annotations

from uuid import UUID

from engine.commit.decisions import IntentionDecided
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.clock import NOW, Clock
from engine.domain.intention import Intention, IntentionDecision, IntentionState
from engine.domain.page import check_page
from engine.domain.principal import Principal
from engine.entities.reads import EntityReads
from engine.stores.rows import only
from engine.stores.statements import cypher


class IntentionLists:
    """Lists and closes them."""

    def __init__(self, reads: EntityReads, units: UnitsOfWork, clock: Clock) -> None:
        self._reads, self._units, self._clock = reads, units, clock

    async def page(
        self, principal: Principal, *, state: IntentionState | None, entity_id: UUID | None, limit: int
    ) -> tuple[Intention, ...]:
        check_page(limit)
        return await self._found(principal, state=state or "", entity_id=str(entity_id or ""), limit=limit)

    async def decide(
        self, principal: Principal, intention_id: UUID, state: IntentionState, reason: str, own_id: UUID | None = None
    ) -> Intention:
        """Gives one a state; under the `own_id` of the request it is given once. Raises NotFound."""
        if own_id and await self._units.done_before(principal, own_id):
            return only(await self._found(principal, intention_id=str(intention_id)))
        only(await self._found(principal, intention_id=str(intention_id)))
        decision = IntentionDecision(
            intention_id=intention_id,
            user_id=principal.user_id,
            state=state,
            at=self._clock.now(),
            reason=reason,
        )
        async with self._units.begin(principal) as unit:
            await unit.accept(IntentionDecided(decision), commit_id=own_id)
        return only(await self._found(principal, intention_id=str(intention_id)))

    async def _found(
        self, principal: Principal, *, state: str = "", entity_id: str = "", intention_id: str = "", limit: int = 1
    ) -> tuple[Intention, ...]:
        asked = {"state": state, "entity_id": entity_id, "intention_id": intention_id, "limit": limit}
        return tuple(await self._reads.read(principal, NOW, cypher("entity/intentions"), Intention, **asked))
