"""Reads of communities, clusters and insights, for the user of the graph. What they say is composed of what holds now; an insight
is shown only as long as all holds that it rests on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.communities.descriptions import cluster_name, cluster_summary, community_name, community_summary, reading
from engine.domain.clock import NOW, Clock
from engine.domain.community import (
    Community,
    CommunityOf,
    CommunityRelation,
    CommunityView,
    EntityMeaning,
    Insight,
    InsightKind,
    Member,
)
from engine.domain.fact import Fact
from engine.domain.forms import IdText
from engine.domain.principal import Principal
from engine.domain.read_limits import check_page
from engine.errors import NotFound
from engine.naming.configuration import Domain
from engine.providers.active import ActiveModel
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.rows import only
from engine.stores.statements import cypher, sql_text
from engine.turns import computed

IN_A_LIST, IN_A_VIEW = 20, 100
"""Members and relations that are read of each community of a list, and of one that is shown."""
NEAR = 5
"""Entities that are shown as near to one."""


@dataclass(frozen=True, slots=True)
class _Between:
    relation_id: UUID
    relation_type: str
    source_id: UUID
    target_id: UUID
    strength: int


@dataclass(frozen=True, slots=True)
class _Community:
    community_id: UUID
    size: int
    updated_at: datetime
    built_at: datetime
    members: tuple[Member, ...]
    relations: tuple[_Between, ...]


@dataclass(frozen=True, slots=True)
class _Cluster:
    cluster_id: UUID
    size: int
    changed_at: datetime
    built_at: datetime
    facts: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class _Named:
    entity_id: UUID
    name: str


@dataclass(frozen=True, slots=True)
class _Renamed:
    entity_id: UUID
    at: datetime


@dataclass(frozen=True, slots=True)
class _Holding:
    relations: frozenset[UUID]
    entities: frozenset[UUID]
    records: frozenset[UUID]
    renamed: tuple[_Renamed, ...]


class CommunityReads:
    """Reads what builds derived."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, clock: Clock, domain: Domain, active: ActiveModel) -> None:
        self._postgres, self._neo4j, self._clock = postgres, neo4j, clock
        self._domain, self._active = domain, active

    async def page(self, principal: Principal, of: CommunityOf, *, limit: int) -> tuple[Community, ...]:
        """The largest communities of entities, or clusters of facts."""
        check_page(limit)
        read = self._of_entities if of == "entities" else self._of_facts
        return tuple(one.community for one in await read(principal, None, IN_A_LIST, limit))

    async def view(self, principal: Principal, community_id: UUID) -> CommunityView:
        """One of either sort. Raises NotFound."""
        found = await self._of_entities(principal, community_id, IN_A_VIEW, 1)
        return only(found or await self._of_facts(principal, community_id, IN_A_VIEW, 1))

    async def insights(
        self, principal: Principal, kind: InsightKind | None, *, ended: bool, limit: int
    ) -> tuple[Insight, ...]:
        """Insights, the newest first; of those that are not over only such as still hold, of the others none whose words were
        withdrawn."""
        check_page(limit)
        asked: dict[str, Any] = {"kind": kind, "ended": ended, "limit": limit}
        found = await self._postgres.fetch(principal, sql_text("community/insights"), asked, row=Insight)
        if not found:
            return ()
        holding = await self._holding(principal, found)
        return tuple(one for one in found if _holds(one, holding))

    async def meaning(self, principal: Principal, entity_id: UUID) -> EntityMeaning:
        """What the texts of an entity mean, or of that which it is part of, by the active embeddings. Raises NotFound."""
        who = principal.parameters
        joined = await self._neo4j.read(cypher("community/joined"), row=IdText, **who, entity_id=str(entity_id))
        most = 2 * NEAR  # some may be merged by now
        asked = {"joined": joined, "version": self._active.current.name, "most": most}
        found = only(await self._postgres.fetch(principal, sql_text("community/meaning"), asked, row=EntityMeaning))
        near_ids = [str(one.entity_id) for one in found.near]
        named = await self._neo4j.read(cypher("community/named"), row=_Named, **who, entities=near_ids)
        names = {one.entity_id: one.name for one in named}
        near = [replace(one, name=names[one.entity_id]) for one in found.near if one.entity_id in names]
        return replace(found, near=tuple(near[:NEAR]))

    async def _of_entities(
        self, principal: Principal, community_id: UUID | None, most: int, limit: int
    ) -> list[CommunityView]:
        asked = {"community_id": str(community_id or ""), "most": most, "limit": limit}
        known = {**principal.parameters, **NOW.graph_parameters(self._clock.now())}
        found = await self._neo4j.read(cypher("community/page"), row=_Community, **known, **asked)
        return await computed(self._composed, found, self._active.current.embedder.count_tokens)

    def _composed(self, found: Sequence[_Community], count_tokens: Callable[[str], int]) -> list[CommunityView]:
        return [self._view(one, count_tokens) for one in found]

    def _view(self, one: _Community, count_tokens: Callable[[str], int]) -> CommunityView:
        names = {member.member_id: member.text for member in one.members}
        between = [each for each in one.relations if each.source_id in names and each.target_id in names]
        said = [
            f"{names[each.source_id]} {reading(each.relation_type, self._domain)} {names[each.target_id]}"
            for each in between
        ]
        listed = list(names.values())
        summary = community_summary(listed, said, count_tokens)
        relations = tuple(
            CommunityRelation(
                each.relation_id,
                each.source_id,
                self._domain.reading(each.relation_type),
                each.target_id,
                each.strength,
            )
            for each in between
        )
        name = community_name(listed)
        community = Community(one.community_id, "entities", name, one.size, summary, one.built_at, one.updated_at)
        return CommunityView(community, one.members, relations)

    async def _of_facts(
        self, principal: Principal, cluster_id: UUID | None, most: int, limit: int
    ) -> list[CommunityView]:
        asked = {"cluster_id": cluster_id, "most": most, "limit": limit}
        found = await self._postgres.fetch(principal, sql_text("community/clusters"), asked, row=_Cluster)
        ids = {"facts": [fact for one in found for fact in one.facts]}
        texts = await self._postgres.fetch(principal, sql_text("community/texts"), ids, row=Fact) if found else []
        known = {one.fact_id: one for one in texts}
        return await computed(_clusters, found, known, self._active.current.embedder.count_tokens)

    async def _holding(self, principal: Principal, insights: Sequence[Insight]) -> _Holding:
        """What still holds of what insights rest on."""
        asked = {
            "relations": sorted({str(each) for one in insights for each in one.relations}),
            "entities": sorted({str(each) for one in insights for each in one.entities}),
            "records": sorted({str(each) for one in insights for each in one.records}),
        }
        known = {**principal.parameters, **NOW.graph_parameters(self._clock.now())}
        found = await self._neo4j.read(cypher("community/holding"), row=_Holding, **known, **asked)
        if not found:
            raise NotFound
        return found[0]


def _holds(one: Insight, holding: _Holding) -> bool:
    """Whether all that an insight rests on holds, of one that is over whether what it names is still there, and is called so; of
    its facts the database has said so."""
    return (
        (one.known_to is not None or holding.relations.issuperset(one.relations))
        and holding.entities.issuperset(one.entities)
        and holding.records.issuperset(one.records)
        and not any(each.entity_id in one.entities and each.at > one.built_at for each in holding.renamed)
    )


def _clusters(
    found: Sequence[_Cluster], known: dict[UUID, Fact], count_tokens: Callable[[str], int]
) -> list[CommunityView]:
    made = []
    for one in found:
        facts = [known[fact] for fact in one.facts if fact in known]
        texts = [fact.text for fact in facts]
        name, summary = (
            cluster_name([fact.subjects for fact in facts], texts),
            cluster_summary(texts[:20], count_tokens),
        )
        community = Community(one.cluster_id, "facts", name, one.size, summary, one.built_at, one.changed_at)
        members = [Member(fact.fact_id, fact.text, "fact", fact.importance, fact.confirmations + 1) for fact in facts]
        made.append(CommunityView(community, tuple(members), ()))
    return made
