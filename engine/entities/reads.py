"""Reads of entities; `engine.operations.entities` says what each call returns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from engine.domain.clock import NOW, Clock, Moment
from engine.domain.entity import (
    Entity,
    EntityFilter,
    EntityPage,
    EntityPlace,
    EntitySummary,
    Evidence,
    Pair,
    Relation,
    RelationBetween,
    Why,
)
from engine.domain.forms import Span
from engine.domain.names import name_key
from engine.domain.principal import Principal
from engine.domain.read_limits import check_page
from engine.domain.relation import MOST_ENTITIES, MentionedTogether, read_properties
from engine.entities.resolution.romanized import is_key_of
from engine.errors import InvalidInput, StoreDamaged
from engine.naming.configuration import Domain
from engine.stores.neo4j import STORE, Neo4j
from engine.stores.rows import R, only
from engine.stores.statements import cypher

FIRST = (2**62, "")
"""Before the first entity: none has more mentions."""
SPARE, EVERY = 100, 2**31 - 1
"""Entities looked at for the first page beside those shown, as some may have fewer mentions than they say; all of them."""
MOST_RELATIONS = 1000
FEWEST_WANTED = 11
"""Types and entities that a statement of relations is sent, blank ones among them: for another size class it is planned again."""
MOST_MENTIONS = 1000
"""Records of one entity that are looked at for those that mention another one, too."""
MOST_SHOWN = 50
"""Nodes and mentions of one entity."""


@dataclass(frozen=True, slots=True)
class _Listed:
    entities: tuple[EntitySummary, ...]
    left_out: int | None
    """None where these may not be the whole page."""


@dataclass(frozen=True, slots=True)
class _Neighbour:
    """A relation of an entity; `asked_id`: the other one among those that are asked for."""

    entity_id: UUID
    asked_id: UUID | None
    relation_id: UUID
    relation_type: str
    outgoing: bool
    other_id: UUID
    other_name: str
    other_kind: str
    strength: int
    confidence: float
    since: str | None
    until: str | None
    archived: bool
    properties: str | None


@dataclass(frozen=True, slots=True)
class _Neighbours:
    relations: tuple[_Neighbour, ...]


@dataclass(frozen=True, slots=True)
class _Stated:
    """Evidence of a relation, with its ends."""

    relation_type: str
    source_id: UUID
    source_name: str
    target_id: UUID
    target_name: str
    record_id: UUID
    node_id: UUID
    title: str
    at: datetime
    item_id: UUID | None
    span: Span | None
    weight: float
    since: str | None
    until: str | None
    ended: bool
    fact_id: UUID | None


@dataclass(frozen=True, slots=True)
class Named:
    """An entity that a question names, and the normal form of the name that was found."""

    entity_id: UUID
    key: str


@dataclass(frozen=True, slots=True)
class KnownAs:
    """An entity, and a name of it. `keys`: of it and of all that was merged with it, where they were asked for."""

    entity_id: UUID
    name: str
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stated:
    """The weightiest record that states a relation; in which item and where, for those who may read the items."""

    relation_id: UUID
    record_id: UUID
    node_id: UUID
    title: str
    at: datetime
    item_id: UUID | None
    span: Span | None


SAME = [one.name for one in fields(Relation) if one.name not in ("reads", "properties")]


def _few(entity_ids: Sequence[UUID]) -> Sequence[UUID]:
    """The same. Raises InvalidInput for more than are looked at at once."""
    if len(entity_ids) > MOST_ENTITIES:
        raise InvalidInput(f"At most {MOST_ENTITIES} entities are looked at at once.")
    return entity_ids


def _of(one: EntitySummary, moment: Moment) -> EntitySummary:
    """What a list shows of it: of the past nothing that a job derived."""
    return one if moment == NOW else replace(one, importance=None, summary=None)


class EntityReads:
    """Reads entities from the graph."""

    def __init__(self, neo4j: Neo4j, clock: Clock, domain: Domain) -> None:
        self._neo4j, self._clock, self._domain = neo4j, clock, domain

    async def page(
        self,
        principal: Principal,
        moment: Moment,
        wanted: EntityFilter,
        *,
        after: EntityPlace | None,
        limit: int,
    ) -> EntityPage:
        check_page(limit)
        before = list(FIRST) if after is None else [after[0], str(after[1])]
        # an empty list has a type of its own, for which the server plans again
        asked = {"kinds": list(wanted.kinds) or [""], "name": name_key(wanted.name), "everything": wanted.everything}
        page = {"before": before, "limit": limit}
        asked["kept"] = principal.owns and moment == NOW  # what the graph keeps counted is what is asked for
        kept = asked["kept"] and not wanted.name
        asked["marks"] = [False] if kept and not wanted.everything else [False, True]
        first = kept and after is None
        for most in (limit + SPARE, EVERY) if first else (EVERY,):
            for found in await self.read(principal, moment, cypher("entity/page"), _Listed, **asked, **page, most=most):
                if found.left_out is not None:
                    return EntityPage((_of(one, moment) for one in found.entities), found.left_out)
        return EntityPage(())

    async def entity(self, principal: Principal, entity_id: UUID, moment: Moment) -> Entity:
        asked = {"entity_id": str(entity_id), "most": MOST_SHOWN}
        one = only(await self.read(principal, moment, cypher("entity/shown"), Entity, **asked))
        if one.key and not is_key_of(one.key, (one.name, *one.names)):
            one = replace(one, key=None)  # it tells a name that no record uses any more
        if moment == NOW:
            return one
        return replace(one, importance=None, summary=None, mentioned=None, access_count=None, last_accessed_at=None)

    async def relations(
        self,
        principal: Principal,
        entity_id: UUID,
        moment: Moment,
        *,
        ended: bool,
        limit: int,
        wanted: Collection[str | UUID] | None = None,
    ) -> tuple[Relation, ...]:
        """Those of an entity, the strongest first. `wanted`: of these types, or with these entities."""
        found = await self._related(
            principal, [entity_id], moment, among=False, ended=ended, limit=limit, wanted=wanted
        )
        if not found:
            await self.entity(principal, entity_id, moment)  # one that may not be read is not found
        return tuple(map(self._relation, found))

    async def relations_between(
        self, principal: Principal, entity_ids: Sequence[UUID], moment: Moment, *, limit: int
    ) -> tuple[RelationBetween, ...]:
        found = await self._related(principal, _few(entity_ids), moment, among=True, ended=False, limit=limit)
        return tuple(self._between(one, one.asked_id) for one in found if one.asked_id)

    async def mentioned_together(
        self, principal: Principal, entity_ids: Sequence[UUID], *, limit: int
    ) -> tuple[MentionedTogether, ...]:
        check_page(limit, MOST_RELATIONS)
        asked = {"entity_ids": [str(one) for one in _few(entity_ids)], "most": MOST_MENTIONS, "limit": limit}
        return tuple(await self.read(principal, NOW, cypher("entity/mentioned_together"), MentionedTogether, **asked))

    async def _related(
        self,
        principal: Principal,
        entity_ids: Sequence[UUID],
        moment: Moment,
        *,
        limit: int,
        wanted: Collection[str | UUID] | None = None,
        **which: bool,
    ) -> tuple[_Neighbour, ...]:
        check_page(limit, MOST_RELATIONS)
        sent = ["*"] if wanted is None else [str(one) for one in wanted]
        sent += [""] * (FEWEST_WANTED - len(sent))
        asked = {"entity_ids": [str(one) for one in entity_ids], "wanted": sent, "limit": limit, **which}
        statement = "entity/relations" if principal.owns and moment == NOW else "entity/relations_then"
        [found] = await self.read(principal, moment, cypher(statement), _Neighbours, **asked)
        return found.relations

    def _between(self, one: _Neighbour, target: UUID) -> RelationBetween:
        type_, times = one.relation_type, (one.since, one.until)
        ends = one.entity_id, target
        return RelationBetween(
            one.relation_id, type_, self._domain.reading(type_), *ends, one.strength, one.confidence, *times
        )

    def _relation(self, one: _Neighbour) -> Relation:
        reads = self._domain.reading(one.relation_type, backwards=not one.outgoing)
        same = {name: getattr(one, name) for name in SAME}
        try:
            properties = read_properties(one.properties)
        except ValueError as error:
            raise StoreDamaged(STORE) from error
        return Relation(reads=reads, properties=properties, **same)

    async def why(self, principal: Principal, relation_id: UUID, moment: Moment, *, limit: int) -> Why:
        check_page(limit)
        asked = {"relation_id": str(relation_id), "limit": limit}
        rows = await self.read(principal, moment, cypher("entity/why"), _Stated, **asked)
        first = only(rows[:1])
        names = [one.name for one in fields(Evidence) if one.name != "text"]
        evidence = tuple(Evidence(**{name: getattr(row, name) for name in names}) for row in rows)
        reads = self._domain.reading(first.relation_type)
        ends = (first.source_id, first.source_name, first.target_id, first.target_name)
        return Why(relation_id, first.relation_type, reads, *ends, evidence)

    async def named(self, principal: Principal, keys: Sequence[str], moment: Moment, *, limit: int) -> list[Named]:
        """The entities with one of these names, in normal form, the longest names first."""
        asked = {"keys": list(keys), "limit": limit}
        return await self.read(principal, moment, cypher("entity/named"), Named, **asked) if keys else []

    async def of_user(self, principal: Principal, moment: Moment) -> list[KnownAs]:
        """The user as an entity, for the user alone; none where nothing speaks of the user by name."""
        return await self.read(principal, moment, cypher("entity/of_user"), KnownAs)

    async def best_evidence(self, principal: Principal, relations: Sequence[UUID], moment: Moment) -> list[Stated]:
        """Of each of these relations the weightiest record that states it; none where none may be read."""
        asked = {"relations": [str(one) for one in relations]}
        return await self.read(principal, moment, cypher("entity/best_evidence"), Stated, **asked) if relations else []

    async def pairs(self, principal: Principal, *, pair_id: UUID | None = None, limit: int) -> tuple[Pair, ...]:
        """Those that nobody has decided; or this one, also where the user has told them apart."""
        check_page(limit)
        asked = {"pair_id": str(pair_id or ""), "limit": limit}
        return tuple(await self.read(principal, NOW, cypher("entity/pairs"), Pair, **asked))

    def now(self) -> datetime:
        """The present."""
        return self._clock.now()

    async def read(
        self, principal: Principal, moment: Moment, statement: LiteralString, row: type[R], **asked: Any
    ) -> list[R]:
        """The rows of a statement for a principal and a moment."""
        known = {**principal.parameters, **moment.graph_parameters(self._clock.now())}
        return await self._neo4j.read(statement, row=row, **known, **asked)
