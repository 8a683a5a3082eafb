"""What records speak of, in the model: mentions, evidence of relations and merges as stored, and who may know of them.

An entity is there for whoever may read a record that mentions it: its names, counts and relations are those that such
records support.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import NAMESPACE_OID, UUID, uuid5

from engine.domain.clock import NOW, Moment
from engine.entities.resolution.romanized import canonical_key
from engine.lab.leaks.things import Asker, Written, tokens
from engine.stores.statements import cypher

if TYPE_CHECKING:
    from engine.lab.leaks.model import World
    from engine.neurigraph import Engine


@dataclass(frozen=True, slots=True)
class Said:
    """A record mentions an entity, by names in normal form. `told`: its kind, as the record tells it; `decided`: an alias
    of it is verified, or a node is about it."""

    record_id: UUID
    entity_id: UUID
    user_id: UUID
    key: str
    name: str
    kind: str
    role: str
    told: str
    names: tuple[str, ...]
    known_from: datetime
    known_to: datetime | None
    name_before: str | None
    kind_before: str | None
    corrected_at: datetime | None
    given: tuple[str, ...]
    document: bool
    items: tuple[UUID, ...]
    decided: bool

    def corrected(self, moment: Moment) -> bool:
        """Whether the user had corrected it, as far as was known then."""
        return self.corrected_at is not None and (moment.known_at is None or self.corrected_at <= moment.known_at)

    def called(self, moment: Moment) -> str:
        """What the user calls it."""
        return self.name if self.corrected(moment) else self.name_before or self.name

    def kind_then(self, moment: Moment) -> str:
        """What it is for the user."""
        return self.kind if self.corrected(moment) else self.kind_before or self.kind


@dataclass(frozen=True, slots=True)
class Stated:
    """A record states a relation. `over`: until when it holds, as it is kept for the user."""

    record_id: UUID
    at: datetime
    relation_id: UUID
    relation_type: str
    source_id: UUID
    target_id: UUID
    weight: float
    since: str | None
    until: str | None
    ended: bool
    over: str | None
    symmetric: bool
    enders: tuple[UUID, ...]
    known_from: datetime
    known_to: datetime | None


@dataclass(frozen=True, slots=True)
class Joined:
    """A merge."""

    user_id: UUID
    merge_id: UUID
    entity_id: UUID
    merged_id: UUID
    known_from: datetime
    known_to: datetime | None


@dataclass(frozen=True, slots=True)
class AboutOne:
    """A fact of a record is about an entity."""

    fact_id: UUID
    entity_id: UUID
    record_id: UUID
    live: bool
    private: bool


@dataclass(frozen=True, slots=True)
class _Called:
    """A name of an entity, or a pair."""

    user_id: UUID
    key: str
    value: str
    pair_id: UUID | None


@dataclass(slots=True)
class Spoken:
    """All of it."""

    entities: dict[UUID, Said] = field(default_factory=dict)
    """One mention of each."""
    said: tuple[Said, ...] = ()
    stated: dict[UUID, list[Stated]] = field(default_factory=dict)
    joined: tuple[Joined, ...] = ()
    values: dict[tuple[UUID, str], str] = field(default_factory=dict)
    pairs: dict[UUID, UUID] = field(default_factory=dict)
    """The user of each pair."""
    facts: tuple[AboutOne, ...] = ()

    def whole_of(self, entity_id: UUID, moment: Moment) -> UUID:
        """What an entity is read as."""
        return self.way_up(entity_id, moment)[-1]

    def way_up(self, entity_id: UUID, moment: Moment) -> list[UUID]:
        """An entity, what it was merged into, what that was merged into, and so on."""
        above = {one.merged_id: one.entity_id for one in self.joined if holds(one, moment)}
        way = [entity_id]
        while way[-1] in above:
            way.append(above[way[-1]])
        return way

    def counted_facts(self, world: World, asker: Asker, whole: UUID, moment: Moment = NOW) -> int:
        """How many live facts about an entity an asker may read, now; `moment`: by its rights and the merges of then."""
        if world.owns(asker, asker.graph):
            return len([one for one in self.facts if one.live and self.whole_of(one.entity_id, moment) == whole])
        return len(self.facts_about(world, asker, whole, moment))

    def facts_about(self, world: World, asker: Asker, whole: UUID, moment: Moment = NOW) -> set[UUID]:
        """The live facts about an entity that an asker may read, now."""
        live = [one for one in self.facts if one.live and self.whole_of(one.entity_id, moment) == whole]
        own = world.owns(asker, asker.graph)
        records = {one.fact_id: world.written.get(one.record_id) for one in live if own or not one.private}
        return {
            fact
            for fact, record in records.items()
            if record is not None and world.sees(asker, record, "items", moment.earliest)
        }

    def speaking(self) -> dict[UUID, set[UUID]]:
        """Of each entity, with what was merged into it, and of each relation: the records that speak of it."""
        found = defaultdict[UUID, set[UUID]](set)
        for one in self.said:
            found[one.entity_id].add(one.record_id)
        for merge in self.joined:
            found[merge.entity_id] |= found[merge.merged_id]
        for relation_id, lines in self.stated.items():
            found[relation_id] = {one.record_id for one in lines}
        return dict(found)

    def supporting(self, world: World, asker: Asker, relation_id: UUID, moment: Moment) -> list[Stated]:
        """What an asker may read that states a relation, the oldest first."""
        lines = [one for one in self.stated.get(relation_id, ()) if supports(world, asker, one, moment)]
        return sorted(lines, key=lambda one: (one.at, one.known_from))

    def until(self, world: World, asker: Asker, lines: list[Stated], moment: Moment) -> str | None:
        """Until when a relation holds: as it is kept for the user, for others as what they may read says."""
        last = lines[-1]
        if world.owns(asker, asker.graph) and moment == NOW:
            return last.over
        if last.ended:
            return last.until or last.at.date().isoformat()
        ending = [one for ender in set(last.enders) for one in self.supporting(world, asker, ender, moment)]
        ending = [one for one in ending if self._rivals(last, one, moment)]
        times = (one.since or one.at.date().isoformat() for one in ending if one.at > last.at and not one.ended)
        return min(times, default=None)

    def _rivals(self, one: Stated, other: Stated, moment: Moment) -> bool:
        """Whether of two relations one can hold at a time, merged entities being one; of one name they are in any case. One
        between two that are one has no rival."""
        own = [self.whole_of(end, moment) for end in (one.source_id, one.target_id)]
        ends = [self.whole_of(end, moment) for end in (other.source_id, other.target_id)]
        shared = not set(own).isdisjoint(ends) if one.symmetric else own[0] == ends[0]
        return shared and own[0] != own[1] and not set(ends) <= set(own)


def holds(one: Said | Stated | Joined, moment: Moment) -> bool:
    """Whether it was known at a moment."""
    if moment.known_at is None:
        return one.known_to is None
    return one.known_from <= moment.known_at and (one.known_to is None or one.known_to > moment.known_at)


def supports(world: World, asker: Asker, one: Said | Stated, moment: Moment) -> bool:
    """Whether an asker may know what a record says."""
    record = world.written.get(one.record_id)
    return record is not None and holds(one, moment) and world.sees(asker, record, "records", moment.earliest)


async def heard(engine: Engine, users: Iterable[UUID]) -> Spoken:
    """Reads all of it as the service sees it."""
    asked = {"users": [str(user) for user in users]}
    said = await engine.neo4j.read(cypher("leaks/said"), row=Said, **asked)
    stated = defaultdict[UUID, list[Stated]](list)
    for one in await engine.neo4j.read(cypher("leaks/stated"), row=Stated, **asked):
        stated[one.relation_id].append(one)
    called = await engine.neo4j.read(cypher("leaks/called"), row=_Called, **asked)
    return Spoken(
        entities={one.entity_id: one for one in said},
        said=tuple(said),
        stated=dict(stated),
        joined=tuple(await engine.neo4j.read(cypher("leaks/joined"), row=Joined, **asked)),
        facts=tuple(await engine.neo4j.read(cypher("leaks/facts"), row=AboutOne, **asked)),
        values={(one.user_id, one.key): one.value for one in called if one.pair_id is None},
        pairs={one.pair_id: one.user_id for one in called if one.pair_id is not None},
    )


def hear(world: World, spoken: Spoken) -> None:
    """What all records speak of enters the model."""
    world.spoken = spoken
    for subject, records in spoken.speaking().items():
        world.speaking[subject] = records & world.written.keys()
        world.things[str(subject)] = ("spoken", subject)


def add_people(world: World, record: Written) -> None:
    """The names in its text that other records use, too."""
    for name in record.named:
        if name in world.people.get(world.places[record.node_id].user_id, ()):
            one = uuid5(NAMESPACE_OID, name)
            world.speaking[one].add(record.record_id)
            world.things.update(dict.fromkeys(tokens(name), ("spoken", one)))


def met(world: World, asker: Asker) -> set[UUID]:
    """The entities that an asker may know of now."""
    return {one.entity_id for one in world.spoken.said if supports(world, asker, one, NOW)}


def betrayed(world: World, before: Spoken, known: set[UUID], record_id: UUID) -> Iterable[str]:
    """Whether names of a new record were taken for hidden entities: only one whose key they make may be met so."""
    for one in world.spoken.said:
        if one.record_id == record_id and one.entity_id in before.entities and one.entity_id not in known:
            kind = one.key.partition(":")[0]
            if one.key not in {canonical_key(kind, name) for name in one.names}:
                yield f"{one.names} were taken for the hidden {one.key}"
