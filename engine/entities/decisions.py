"""What the user decides of entities: a display name and a kind that are right, whatever texts say from then on; aliases,
names and addresses that decide which entity a text means; and which two entities are one.

The key of an entity stays, so that it is found by it as before; the old name still leads to it. The first entity that has an
alias keeps it. A merge is a link that says that one is part of another, and reads follow it: mentions, names and relations
stay with the entity that they were found for, so the end of the link undoes a merge exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from pydantic import TypeAdapter

from engine.commit.changes import AliasDecided, EntitiesApart, EntitiesMerged, EntityCorrected, GraphChange, MergeUndone
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.clock import NOW, Clock, Moment
from engine.domain.entity import Alias, AliasDecision, AliasType, Entity, EntityCorrection, Merge, Pair, alias_key
from engine.domain.graph import NewMerge, ToldApart, UndoneMerge
from engine.domain.names import clean_name, name_key
from engine.domain.principal import Principal
from engine.domain.read_limits import check_page
from engine.entities.reads import EntityReads
from engine.errors import AliasTaken, Conflict, InvalidInput, NotFound
from engine.naming.configuration import Domain
from engine.stores.rows import only
from engine.stores.statements import cypher


class EntityDecisions:
    """Keeps them, for the user of a graph."""

    def __init__(self, reads: EntityReads, units: UnitsOfWork, clock: Clock, domain: Domain) -> None:
        self._reads, self._units, self._clock, self._domain = reads, units, clock, domain

    async def correct(
        self, principal: Principal, entity_id: UUID, *, name: str | None, kind: str | None, reason: str
    ) -> Entity:
        """See `engine.operations.entities`. Of a merged entity that which it is part of is corrected."""
        if name is None and kind is None:
            raise InvalidInput("Give a name or a kind.")
        labels = self._domain.labels
        if kind is not None and kind not in labels:
            raise InvalidInput(f"{kind[:80]} is no kind of entities here; kinds are {', '.join(labels)}.")
        written = None if name is None else clean_name(name)
        known = await self._reads.entity(principal, entity_id, NOW)
        correction = EntityCorrection(
            entity_id=known.entity_id,
            user_id=principal.user_id,
            name=written,
            name_key=None if written is None else name_key(written),
            kind=kind,
            label=None if kind is None else labels[kind],
            at=self._clock.now(),
            reason=reason,
        )
        async with self._units.begin(principal) as unit:
            await unit.accept(EntityCorrected(correction))
        return await self._reads.entity(principal, known.entity_id, NOW)


@dataclass(frozen=True, slots=True)
class _Held:
    """An alias with the entity that has it, and the one that this is read as."""

    entity_id: UUID
    whole_id: UUID
    whole_name: str
    type: AliasType
    value: str
    verified: bool
    known_from: datetime

    @property
    def alias(self) -> Alias:
        return Alias(self.whole_id, self.type, self.value, self.verified, self.known_from)


class EntityAliases:
    """Keeps them, for the user of a graph."""

    def __init__(self, reads: EntityReads, units: UnitsOfWork, clock: Clock) -> None:
        self._reads, self._units, self._clock = reads, units, clock

    async def of(self, principal: Principal, entity_id: UUID) -> tuple[Alias, ...]:
        """Those of an entity and of what was merged into it. Raises NotFound."""
        await self._reads.entity(principal, entity_id, NOW)
        asked = {"entity_id": str(entity_id), "type": "", "key": ""}
        found = await self._reads.read(principal, NOW, cypher("entity/aliases"), _Held, **asked)
        return tuple(one.alias for one in found)

    async def give(
        self, principal: Principal, entity_id: UUID, type_: AliasType, value: str, *, new: bool = True
    ) -> Alias:
        """Gives an entity an alias; one that it has is vouched for, and without `new` only that. Raises NotFound, InvalidInput,
        AliasTaken."""
        written = clean_name(value)
        key = _key(type_, written)
        whole = (await self._reads.entity(principal, entity_id, NOW)).entity_id
        held = await self._holder(principal, type_, key)
        if held is None and not new:
            raise NotFound
        if held is not None and held.whole_id != whole:
            raise _taken(held)
        given_to = held.entity_id if held else whole
        await self._decide(principal, self._decision(principal, given_to, (type_, key, written)))
        held = await self._holder(principal, type_, key)
        if held is None or held.whole_id != whole:  # another request was first
            raise _taken(held) if held else NotFound
        return held.alias

    async def take(
        self, principal: Principal, entity_id: UUID, type_: AliasType, value: str, own_id: UUID | None = None
    ) -> Alias:
        """Takes an alias from an entity; under the `own_id` of the request it is taken once. Raises NotFound, Conflict for its
        display name."""
        for taken in await self._units.done_before(principal, own_id) or () if own_id else ():
            return TypeAdapter(Alias).validate_python(taken["decision"]["was"])
        key = _key(type_, clean_name(value))
        known = await self._reads.entity(principal, entity_id, NOW)
        held = await self._holder(principal, type_, key)
        if held is None or held.whole_id != known.entity_id:
            raise NotFound
        if type_ == "name" and key == alias_key("name", known.name):
            raise Conflict("It is the display name: give the entity another one first.")
        taken_away = self._decision(principal, held.entity_id, (type_, key, held.value), held.alias)
        await self._decide(principal, taken_away, own_id)
        return held.alias

    async def _holder(self, principal: Principal, type_: AliasType, key: str) -> _Held | None:
        asked = {"entity_id": "", "type": type_, "key": key}
        found = await self._reads.read(principal, NOW, cypher("entity/aliases"), _Held, **asked)
        return found[0] if found else None

    def _decision(
        self, principal: Principal, entity_id: UUID, alias: tuple[AliasType, str, str], was: Alias | None = None
    ) -> AliasDecision:
        """That the entity is given an alias (type, normal form, value), or loses the one that `was`."""
        type_, key, value = alias
        return AliasDecision(
            entity_id=entity_id,
            user_id=principal.user_id,
            type=type_,
            key=key,
            value=value,
            given=was is None,
            at=self._clock.now(),
            was=was,
        )

    async def _decide(self, principal: Principal, decision: AliasDecision, own_id: UUID | None = None) -> None:
        async with self._units.begin(principal) as unit:
            await unit.accept(AliasDecided(decision), commit_id=own_id)


def _key(type_: AliasType, value: str) -> str:
    if key := alias_key(type_, value):
        return key
    raise InvalidInput(f"{value[:80]!r} cannot be an alias of type {type_}.")


def _taken(held: _Held) -> AliasTaken:
    return AliasTaken(
        f"{held.value} ({held.type}) is an alias of {held.whole_name}, {held.whole_id}: remove it there first, or merge the two."
    )


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
