"""The user's aliases of entities: names and addresses that decide which entity a text means. The first that has one keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from pydantic import TypeAdapter

from engine.commit.changes import AliasDecided
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.clock import NOW, Clock
from engine.domain.entity_decision import Alias, AliasDecision, AliasType, alias_key
from engine.domain.names import clean_name
from engine.domain.principal import Principal
from engine.entities.reads import EntityReads
from engine.errors import AliasTaken, Conflict, InvalidInput, NotFound
from engine.stores.statements import cypher


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
