"""What a build reads of a user's knowledge graph: entities with those merged into them, relations, and the newest records with
what they mention. Bounded; in the name of the user."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import combinations
from uuid import UUID

from engine.domain.clock import NOW, Clock
from engine.domain.forms import IdText, ItemSpan
from engine.domain.principal import Principal
from engine.stores.neo4j import Neo4j
from engine.stores.statements import cypher

MOST_ENTITIES, MOST_RELATIONS, MOST_RECORDS = 5000, 20_000, 3000
"""The most mentioned, the strongest, the newest."""
MOST_TOGETHER = 12
"""Entities of a record that count as mentioned together."""
TOGETHER = 0.1
"""Weight of two entities that one record mentions, and no other; a relation of strength 1 weighs up to 1."""


@dataclass(frozen=True, slots=True)
class MemberEntity:
    """An entity as all that is merged into it, `members`; where it belonged at the last build."""

    entity_id: IdText
    name: str
    kind: str
    members: tuple[IdText, ...]
    mentions: int
    nodes: int
    last_mentioned_at: datetime
    community_id: UUID | None

    @property
    def place(self) -> tuple[int, str, str]:
        """Its place among others: not by the id alone, so that another store with the same content has the same communities."""
        return -self.mentions, self.name, self.entity_id


@dataclass(frozen=True, slots=True)
class KnownRelation:
    """A relation that holds."""

    relation_id: UUID
    relation_type: str
    source_id: IdText
    target_id: IdText
    strength: int
    confidence: float
    since: str | None = None

    @property
    def weight(self) -> float:
        return self.strength * self.confidence


@dataclass(frozen=True, slots=True)
class Mentioned:
    """A mention in a record: `item:start-end` for each place."""

    entity_id: IdText
    role: str
    spans: tuple[ItemSpan, ...]


@dataclass(frozen=True, slots=True)
class MentioningRecord:
    """A record with what it mentions; `dated`: whether `at` is when it happened, not when it was stored."""

    record_id: UUID
    node_id: UUID
    at: datetime
    dated: bool
    mentioned: tuple[Mentioned, ...]


@dataclass(frozen=True)
class UserGraph:
    """The graph of one user, merged entities as one: relations and mentions name the entity that they are read as."""

    entities: Mapping[str, MemberEntity]
    relations: Sequence[KnownRelation]
    records: Sequence[MentioningRecord]

    @cached_property
    def records_of(self) -> Mapping[str, Sequence[MentioningRecord]]:
        """The records that mention an entity, the newest first."""
        found: dict[str, list[MentioningRecord]] = defaultdict(list)
        for record in self.records:
            for entity_id in dict.fromkeys(one.entity_id for one in record.mentioned):
                found[entity_id].append(record)
        return found

    @cached_property
    def relations_of(self) -> Mapping[str, Sequence[KnownRelation]]:
        """The relations of an entity in both directions, the strongest first."""
        found: dict[str, list[KnownRelation]] = defaultdict(list)
        for relation in self.relations:
            found[relation.source_id].append(relation)
            found[relation.target_id].append(relation)
        return found

    @cached_property
    def edges(self) -> Mapping[tuple[str, str], float]:
        """How strongly entities belong together: relations by strength and confidence, and a little for each record that mentions
        both. Speakers are not counted: they are in every record."""
        edges: dict[tuple[str, str], float] = defaultdict(float)
        for relation in self.relations:
            one, other = sorted((relation.source_id, relation.target_id))
            edges[one, other] += relation.weight
        for record in self.records:
            named = sorted({one.entity_id for one in record.mentioned if one.role != "author"})
            named = sorted(named, key=lambda one: self.entities[one].place)[:MOST_TOGETHER]
            for one, other in combinations(sorted(named), 2):
                edges[one, other] += TOGETHER / (len(named) - 1)
        return edges


class GraphReads:
    """Reads user graphs."""

    def __init__(self, neo4j: Neo4j, clock: Clock) -> None:
        self._neo4j, self._clock = neo4j, clock

    async def graph(self, principal: Principal) -> UserGraph:
        """The graph of a user as it is now. Raises StoreUnavailable."""
        known = {**principal.parameters, **NOW.graph_parameters(self._clock.now())}
        entities = await self._neo4j.read(cypher("community/entities"), row=MemberEntity, **known, limit=MOST_ENTITIES)
        relations = await self._neo4j.read(
            cypher("community/relations"), row=KnownRelation, **known, limit=MOST_RELATIONS
        )
        records = await self._neo4j.read(cypher("community/records"), row=MentioningRecord, **known, limit=MOST_RECORDS)
        return whole(entities, relations, records)


def whole(
    entities: Sequence[MemberEntity], relations: Sequence[KnownRelation], records: Sequence[MentioningRecord]
) -> UserGraph:
    """The graph with each member of a merge replaced by the entity that it is read as; what names others is left out."""
    read_as = {member: one.entity_id for one in entities for member in one.members}
    between = [
        KnownRelation(
            one.relation_id,
            one.relation_type,
            read_as[one.source_id],
            read_as[one.target_id],
            one.strength,
            one.confidence,
            one.since,
        )
        for one in relations
        if one.source_id in read_as and one.target_id in read_as and read_as[one.source_id] != read_as[one.target_id]
    ]
    between.sort(key=lambda one: (-one.weight, str(one.relation_id)))
    kept = [
        MentioningRecord(
            record.record_id,
            record.node_id,
            record.at,
            record.dated,
            tuple(
                Mentioned(read_as[one.entity_id], one.role, one.spans)
                for one in record.mentioned
                if one.entity_id in read_as
            ),
        )
        for record in records
    ]
    return UserGraph({one.entity_id: one for one in entities}, between, kept)
