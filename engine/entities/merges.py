"""Merges of entities: a link says that one is part of another, and reads follow it.

Mentions, names and relations stay with the entity that they were found for, so the end of the link undoes a merge exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from engine.commit.changes import EntitiesApart, EntitiesMerged, GraphChange, MergeUndone
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.clock import NOW, Clock, Moment
from engine.domain.entity import Merge, Pair
from engine.domain.graph import NewMerge, ToldApart, UndoneMerge
from engine.domain.page import check_page
from engine.domain.principal import Principal
from engine.entities.reads import EntityReads
from engine.errors import Conflict, InvalidInput
from engine.stores.rows import only
from engine.stores.statements import cypher


@dataclass(frozen=True, slots=True)
class _Pair:
    """The entities that two entities are read as."""

    entity_as: UUID
    merged_as: UUID


class Merges:
    """Makes and undoes merges, for the user of a graph."""

    def __init__(self, reads: EntityReads, units: UnitsOfWork, clock: Clock) -> None:
        self._reads, self._units, self._clock = reads, units, clock

    async def merge(
        self, principal: Principal, entity_id: UUID, merged_id: UUID, reason: str, own_id: UUID | None = None
    ) -> Merge:
        """See `engine.operations.entities`. What is merged into a merged entity is merged into that which it is part of. Under
        the `own_id` of the request it is made once: a repeat whose answer was lost returns it."""
        if entity_id == merged_id:
            raise InvalidInput("An entity cannot be merged with itself.")
        for made in await self._found(principal, NOW, own_id, 1) if own_id else ():
            return made
        asked = {"entity_id": str(entity_id), "merged_id": str(merged_id)}
        pair = only(await self._reads.read(principal, NOW, cypher("entity/pair"), _Pair, **asked))
        if pair.entity_as == pair.merged_as:
            raise Conflict("They are merged already.")
        if pair.merged_as != merged_id:
            raise Conflict("The second one is part of another entity: merge that one, or undo its merge first.")
        merge_id, now = own_id or uuid4(), self._clock.now()
        new = NewMerge(
            merge_id=merge_id,
            user_id=principal.user_id,
            entity_id=pair.entity_as,
            merged_id=merged_id,
            at=now,
            reason=reason,
            by=principal.name,
        )
        await self._accepted(principal, EntitiesMerged(new))
        for made in await self._found(principal, NOW, merge_id, 1):
            return made
        raise Conflict("One of them was merged by another request meanwhile.")

    async def undo(self, principal: Principal, merge_id: UUID) -> Merge:
        merge = only(await self._found(principal, NOW, merge_id, 1))
        undone = UndoneMerge(merge_id=merge_id, user_id=principal.user_id, at=self._clock.now())
        await self._accepted(principal, MergeUndone(undone))
        return merge

    async def tell_apart(self, principal: Principal, pair_id: UUID) -> Pair:
        """Keeps the user's word; repeating it changes nothing. Raises NotFound for a pair that is not there, or is one now."""
        pair = only(await self._reads.pairs(principal, pair_id=pair_id, limit=1))
        apart = ToldApart(pair_id=pair_id, user_id=principal.user_id, at=self._clock.now())
        await self._accepted(principal, EntitiesApart(apart))
        return pair

    async def page(self, principal: Principal, moment: Moment, *, limit: int) -> tuple[Merge, ...]:
        check_page(limit)
        return tuple(await self._found(principal, moment, None, limit))

    async def _accepted(self, principal: Principal, change: GraphChange) -> None:
        async with self._units.begin(principal) as unit:
            await unit.accept(change)

    async def _found(self, principal: Principal, moment: Moment, merge_id: UUID | None, limit: int) -> list[Merge]:
        asked = {"merge_id": str(merge_id or ""), "limit": limit}
        return await self._reads.read(principal, moment, cypher("entity/merges"), Merge, **asked)
