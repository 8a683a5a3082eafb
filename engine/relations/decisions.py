"""What the user decides of relations: one that is wrong is archived, and can come back; properties of their own.

What records state stays as it is: an archived relation is left out of lists, lines of what is known and communities, however
many records state it from then on.
"""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from engine.commit.changes import RelationDecided
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.clock import NOW, Clock
from engine.domain.entity import Relation, Why
from engine.domain.principal import Principal
from engine.domain.relation import RelationDecision, written_properties
from engine.entities.reads import MOST_RELATIONS, EntityReads
from engine.errors import NotFound


class RelationDecisions:
    """Keeps them, for the user of a graph."""

    def __init__(self, reads: EntityReads, units: UnitsOfWork, clock: Clock) -> None:
        self._reads, self._units, self._clock = reads, units, clock

    async def archive(self, principal: Principal, relation_id: UUID, *, archived: bool, reason: str) -> Relation:
        """Archives a relation, or lets it count again; repeating it changes nothing. Raises NotFound."""
        return await self._decided(principal, relation_id, archived=archived, reason=reason)

    async def describe(self, principal: Principal, relation_id: UUID, properties: Mapping[str, str]) -> Relation:
        """Gives a relation these properties, in place of those it has. Raises NotFound, InvalidInput."""
        return await self._decided(principal, relation_id, properties=written_properties(properties))

    async def _decided(
        self,
        principal: Principal,
        relation_id: UUID,
        *,
        archived: bool | None = None,
        properties: str | None = None,
        reason: str = "",
    ) -> Relation:
        known = await self._reads.why(principal, relation_id, NOW, limit=1)
        decision = RelationDecision(
            relation_id=relation_id,
            user_id=principal.user_id,
            archived=archived,
            properties=properties,
            at=self._clock.now(),
            reason=reason,
        )
        async with self._units.begin(principal) as unit:
            await unit.accept(RelationDecided(decision))
        return await self._shown(principal, known)

    async def _shown(self, principal: Principal, known: Why) -> Relation:
        """The relation as it is now, from the side of its source. Raises NotFound."""
        found = await self._reads.relations(principal, known.source_id, NOW, ended=True, limit=MOST_RELATIONS)
        for one in found:
            if one.relation_id == known.relation_id:
                return one
        raise NotFound
