"""What the knowledge graph adds to the context of a question: who the entities are that it names, their relations and facts;
and who the user is. Ids of facts alone: their texts are read where they lie, with the other items of the context.

At most fifteen statements on the graph: two for the names and the user, four for each of three entities, one for what states
their relations; and two on Postgres.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from engine.domain.clock import END_OF_TIME, NOW, Moment
from engine.domain.context import ContextRequest, Piece
from engine.domain.entity import UNKNOWN_KIND, Entity, Relation
from engine.domain.names import name_key
from engine.domain.principal import Principal
from engine.domain.search import AskedRelation, SearchRequest
from engine.entities.reads import EntityReads, Named, Stated
from engine.errors import NotFound
from engine.facts.about import EntityFacts, FactAbout
from engine.hierarchy.tables import Damage
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

ENTITIES = 2
"""Entities that a question names, of which the context tells."""
LOOKED_AT = 20
RELATIONS, FACTS, OF_USER = 6, 20, 20
"""Most relations and facts of an entity, and facts of each type that say who the user is, of which some are shown."""
SAYS_NOTHING = frozenset({UNKNOWN_KIND, "person"})
"""Kinds of which a line without another name is left out: "Ellen Harlan: person." takes room and answers nothing."""


@dataclass(frozen=True, slots=True)
class FactPlace:
    """A fact that belongs to a context, and the node where it lies."""

    fact_id: UUID
    node_id: UUID


@dataclass(frozen=True, slots=True)
class About:
    """What is known: lines of profiles, facts about the entities, the subjects' own first; `ended`: those of them that are
    over."""

    lines: tuple[Piece, ...] = ()
    facts: tuple[FactPlace, ...] = ()
    ended: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True)
class _Known:
    """One entity."""

    entity: Entity
    relations: tuple[Relation, ...]
    facts: list[FactAbout]


class Knowledge:
    """Reads what is known, as far as the principal may, at the moment of the question."""

    def __init__(self, postgres: Postgres, entities: EntityReads, facts: EntityFacts) -> None:
        self._postgres, self._entities, self._facts = postgres, entities, facts

    async def named(self, principal: Principal, keys: Sequence[str], moment: Moment) -> list[UUID]:
        """The entities that a question names; the longest name of a place in it counts."""
        found = await self._entities.named(principal, keys, moment, limit=LOOKED_AT)
        return [one.entity_id for one in longest(found)[:ENTITIES]]

    async def asker(self, principal: Principal, request: ContextRequest) -> list[UUID]:
        """The user as an entity, for the user alone, where the whole memory is asked."""
        if not principal.owns or request.nodes is not None:
            return []
        return [one.entity_id for one in await self._entities.of_user(principal, request.moment)]

    async def of_user(self, principal: Principal, request: ContextRequest) -> tuple[FactPlace, ...]:
        """The facts that say who the user is: for the user alone, as of now, where the whole memory is asked."""
        if not principal.owns or request.moment != NOW or request.nodes is not None:
            return ()
        asked = {"most": OF_USER, "now": self._entities.now()}
        return tuple(await self._postgres.fetch(principal, sql_text("context/profile"), asked, row=FactPlace))

    async def about(
        self,
        principal: Principal,
        entities: Sequence[UUID],
        request: ContextRequest,
        *,
        past: bool,
        without: Collection[UUID] = (),
    ) -> About:
        """What is known of these entities; `past`: for the user also facts that are over; `without`: relations that it leaves
        out."""
        moment = request.moment
        asked = (self._one(principal, one, moment, past=past) for one in entities)
        known = list({one.entity.entity_id: one for one in await asyncio.gather(*asked) if one is not None}.values())
        relations = [one.relation_id for each in known for one in each.relations if one.relation_id not in without]
        stated = {one.relation_id: one for one in await self._entities.best_evidence(principal, relations, moment)}
        lines = [line for one in known for line in _lines(one, stated) if _inside(request, line.node_id)]
        told = await allowed_records(self._postgres, principal, lines, request, self._entities.now())
        facts = [fact for one in known for fact in one.facts if _inside(request, fact.node_id)]
        over = frozenset(fact.fact_id for fact in facts if fact.status != "live")
        return About(
            lines=_first([line for line in lines if line.record_id in told]),
            facts=tuple(dict.fromkeys(FactPlace(fact.fact_id, fact.node_id) for fact in facts)),
            ended=over if moment == NOW else frozenset(),
        )

    async def warm(self, principal: Principal) -> None:
        """Has the stores plan its statements, for a principal that need not exist."""
        unknown = principal.user_id
        await self.named(principal, ["warm"], NOW)
        await self.of_user(principal, ContextRequest("warm"))
        for moment in (NOW, Moment(known_at=END_OF_TIME)):  # relations are read by another statement then
            await self._one(principal, unknown, moment, past=False)
        await self._entities.best_evidence(principal, [unknown], NOW)
        await self._entities.of_user(principal, NOW)

    async def _one(self, principal: Principal, entity_id: UUID, moment: Moment, *, past: bool) -> _Known | None:
        """None where it may not be read, or was not there at the moment."""
        # at a moment of the past what holds is asked where the texts lie: what is over now may hold then
        ended = past or moment != NOW
        found = await asyncio.gather(
            self._entities.entity(principal, entity_id, moment),
            self._entities.relations(principal, entity_id, moment, ended=False, limit=RELATIONS),
            self._facts.about(principal, entity_id, moment, ended=ended, limit=FACTS),
            return_exceptions=True,
        )
        errors = [one for one in found if isinstance(one, BaseException)]
        if unexpected := [error for error in errors if not isinstance(error, NotFound)]:
            raise unexpected[0]
        if errors:
            return None
        one, relations, facts = cast(tuple[Entity, tuple[Relation, ...], list[FactAbout]], found)
        return _Known(one, relations, [fact for fact in facts if moment != NOW or fact.status != "withdrawn"])


def longest(found: Sequence[Named]) -> list[Named]:
    """Without those whose name is a part of a longer one that was found, and without repeats."""
    kept: list[Named] = []
    for one in sorted(found, key=lambda named: -len(named.key.split())):
        part = any(one.key != other.key and f" {one.key} " in f" {other.key} " for other in kept)
        if not part and one.entity_id not in {other.entity_id for other in kept}:
            kept.append(one)
    return kept


def _inside(request: ContextRequest, node_id: UUID) -> bool:
    return request.nodes is None or node_id in request.nodes


async def allowed_records(
    postgres: Postgres,
    principal: Principal,
    sources: Collection[Piece | Stated],
    request: ContextRequest | SearchRequest,
    now: datetime,
) -> set[UUID]:
    """The records of these that belong to the scopes and sources of the request, which the graph does not know; none of damaged
    nodes."""

    async def read(nodes: list[UUID]) -> list[UUID]:
        asked = placed(request, now) | {"nodes": nodes, "records": list({one.record_id for one in sources})}
        return await postgres.fetch(principal, sql_text("context/records"), asked, row=UUID)

    return set(await Damage(postgres).without(principal, (one.node_id for one in sources), read))


def placed(request: ContextRequest | SearchRequest, now: datetime) -> dict[str, Any]:
    """The parameters of a statement that say what is asked: sources, scopes, the moment."""
    moment = request.moment
    return {
        "sources": None if request.sources is None else list(request.sources),
        "scopes": [str(scope) for scope in request.scopes],
        "as_of": moment.as_of or now,
        "known_at": moment.known_at,
        "earliest": moment.earliest,
    }


def _lines(known: _Known, stated: Mapping[UUID, Stated]) -> Iterator[Piece]:
    """Who it is, once for each record that it may be told by, the newest first; and its relations."""
    one = known.entity
    for mention in one.latest:
        # names that this record uses: others may stand in a thread alone
        names = sorted(
            (name for name in one.names if name_key(name) in mention.names), key=lambda name: name != one.name
        )
        if len(names) > 1 or (names and one.kind not in SAYS_NOTHING):
            others = ", ".join(names[1:])
            text = f"{names[0]}: {one.kind}{f'; also called {others}' if others else ''}."
            yield _line(text, mention.record_id, mention.node_id, mention.title, mention.at, one.entity_id)
    for relation in known.relations:
        if source := stated.get(relation.relation_id):
            text = f"{relation.statement(one.name)}."
            yield _line(text, source.record_id, source.node_id, source.title, source.at, one.entity_id)


def asked_line(one: AskedRelation) -> Piece:
    """The line of a relation that the question asks for."""
    text = f"{one.relation.statement(one.entity_name)}."
    return _line(text, one.record_id, one.node_id, one.title, one.at, one.entity_id)


def _first(lines: Sequence[Piece]) -> tuple[Piece, ...]:
    """The first of the lines with the same text."""
    return tuple(
        {line.text: line for line in reversed(lines)}[text] for text in dict.fromkeys(one.text for one in lines)
    )


def _line(text: str, record_id: UUID, node_id: UUID, title: str, at: datetime, entity_id: UUID) -> Piece:
    return Piece(0, "profile", text, record_id, node_id, title=title, occurred_at=at, entity_id=entity_id)
