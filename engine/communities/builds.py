"""Derives communities, clusters, insights, and what entities are, for one user after the other. A job runs it.

    users whose data changed → graph, facts, texts of a user → groups and what they say → entered in one step

A user is looked at again when commits or facts came since the last build, or when its communities are not in the graph any more.
The texts that mention the entities of a user, from which comes what they mean, are read up to a bound.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from engine.communities.clustering import Clusters, fingerprint, groups, identified, vector_of
from engine.communities.descriptions import (
    Meaning,
    ReadItem,
    community_name,
    community_summary,
    derived,
    meanings,
    reading,
)
from engine.communities.graph_entries import Build, EnteredGroup, enter
from engine.communities.graph_read import GraphReads, KnownRelation, UserGraph
from engine.communities.insights import CONFIRMED, ModelInsights, Observed, Summarised, observed, strongest
from engine.domain.community import InsightKind
from engine.domain.fact import Fact
from engine.domain.principal import Principal
from engine.errors import NotFound, ProviderUnavailable, StoreDamaged, WrongDimension
from engine.naming.configuration import Domain
from engine.providers.active import ActiveModel, Model
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text
from engine.turns import computed

LEAST_MENTIONS, MOST_ENTITIES, MOST_ITEMS, MOST_IN_ALL = 3, 300, 60, 5000
"""Mentions that an entity needs; entities of a user, those with most mentions; the newest texts of each, and of all."""
TEXTS_AT_ONCE = 500

log = logging.getLogger(__name__)

PAGE = 100
LEAST_MEMBERS = 2
MOST_RELATIONS = 12
"""Relations that a summary is composed of."""
MOST_FACTS = 200
"""Contradicting facts, and confirmed ones, of a user."""
OFFLINE: tuple[InsightKind, ...] = ("pattern", "contradiction", "trend", "community")


@dataclass(frozen=True, slots=True)
class _Item:
    item_id: UUID
    content: str
    vector: bytes


class MeaningReads:
    """Derives meanings of entities."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def found(self, user_id: UUID, graph: UserGraph, model: Model) -> list[Meaning]:
        """The meanings of a user's entities that are mentioned often enough. Raises StoreUnavailable."""
        often = [one for one in graph.entities.values() if one.mentions >= LEAST_MENTIONS][:MOST_ENTITIES]
        nodes: dict[str, UUID] = {}
        mentioned: dict[str, list[str]] = {}
        for one in often:
            newest = list(dict(_items(graph, one.entity_id)).items())[:MOST_ITEMS]
            wanted = [(item, node) for item, node in newest if item in nodes or len(nodes) < MOST_IN_ALL]
            nodes.update(wanted)
            mentioned[one.entity_id] = [item for item, _ in reversed(wanted)]
        items = await self._read(user_id, nodes, model)
        return await computed(meanings, mentioned, {one.entity_id: one.name for one in often}, items)

    async def _read(self, user_id: UUID, nodes: dict[str, UUID], model: Model) -> dict[str, ReadItem]:
        read: dict[str, ReadItem] = {}
        version = {"column": model.version.column, "version": model.name}
        wanted = list(nodes.items())
        for start in range(0, len(wanted), TEXTS_AT_ONCE):
            page = wanted[start : start + TEXTS_AT_ONCE]
            asked = {"items": [UUID(item) for item, _ in page], "nodes": [node for _, node in page]}
            parameters = {"user_id": user_id, **version, **asked}
            for one in await self._postgres.fetch_as_service(sql_text("community/items"), parameters, row=_Item):
                read[str(one.item_id)] = ReadItem(str(one.item_id), one.content, vector_of(one.vector))
        return read


def _items(graph: UserGraph, entity_id: str) -> Iterator[tuple[str, UUID]]:
    """The items that mention an entity with their nodes, those of the newest records first; not those that it only speaks."""
    for record in graph.records_of.get(entity_id, ()):
        for one in record.mentioned:
            if one.entity_id == entity_id and one.role != "author":
                for span in one.spans:
                    yield span.partition(":")[0], record.node_id


@dataclass(frozen=True, slots=True)
class CommunityBuildReport:
    """The result of a run: users looked at anew, and what they have now."""

    users: int = 0
    communities: int = 0
    clusters: int = 0
    insights: int = 0
    damaged: int = 0
    """Users passed over because their graph is damaged; the next run tries them again."""


@dataclass(frozen=True, slots=True)
class _Due:
    user_id: UUID
    mark: str
    known: str | None
    communities: int | None
    read_at: datetime


class CommunityBuilds:
    """Builds for all users; for the service, each in the name of its user."""

    def __init__(
        self,
        postgres: Postgres,
        neo4j: Neo4j,
        reads: tuple[GraphReads, Clusters, MeaningReads],
        active: ActiveModel,
        domain: Domain,
        modelled: ModelInsights | None,
    ) -> None:
        self._postgres, self._neo4j, self._active = postgres, neo4j, active
        self._graphs, self._clusters, self._meanings = reads
        self._domain, self._modelled = domain, modelled

    async def run(self) -> CommunityBuildReport:
        """One pass over all users; one whose graph is damaged is passed over. Raises StoreUnavailable; what was built stays."""
        users = communities = clusters = insights = damaged = 0
        async for due in self._due():
            try:
                build = await self._build(due)
                entered = await enter(self._postgres, self._neo4j, build)
            except NotFound:  # the user is being forgotten meanwhile: what is in the graph already goes with the rest
                continue
            except StoreDamaged as error:
                log.warning("The communities of user %s are as they were: %s", due.user_id, error.detail)
                damaged += 1
                continue
            if entered:
                users, communities = users + 1, communities + len(build.communities)
                clusters, insights = clusters + len(build.clusters), insights + len(build.insights)
        return CommunityBuildReport(users, communities, clusters, insights, damaged)

    async def _due(self) -> AsyncIterator[_Due]:
        """Users of whom something has to be derived."""
        after = UUID(int=0)
        while True:
            asked = {"after": after, "version": (await self._active.follow()).name, "most": PAGE}
            page = await self._postgres.fetch_as_service(sql_text("community/due"), asked, row=_Due)
            amiss = await self._amiss(page)
            for one in page:
                if one.mark != one.known or one.user_id in amiss:
                    yield one
            if len(page) < PAGE:
                return
            after = page[-1].user_id

    async def _amiss(self, page: Sequence[_Due]) -> set[UUID]:
        users = [
            {"user_id": str(one.user_id), "communities": one.communities} for one in page if one.communities is not None
        ]
        return set(await self._neo4j.read(cypher("doctor/communities"), row=UUID, users=users)) if users else set()

    async def _build(self, due: _Due) -> Build:
        principal, model = Principal.user(due.user_id), await self._active.follow()
        graph = await self._graphs.graph(principal)
        communities = await computed(_communities, graph, due.user_id)
        named = await self._with_vectors(
            [self._community(one, members, graph, model) for one, members in communities], model
        )
        clusters = await self._with_vectors(await self._clusters.found(due.user_id, model), model)
        facts = await self._facts(principal)
        found = await computed(
            observed, graph, communities, [one for one in facts if one.contradicts], facts, self._domain
        )
        more, kinds = await self._more(principal, graph, named, clusters)
        return Build(
            user_id=due.user_id,
            mark=due.mark,
            read_at=due.read_at,
            version=model.name,
            graph=graph,
            communities=named,
            clusters=clusters,
            entities=await computed(derived, graph, self._domain),
            insights=[*found, *more],
            kinds=kinds,
            meanings=await self._meanings.found(due.user_id, graph, model),
        )

    def _community(self, community_id: UUID, members: Sequence[str], graph: UserGraph, model: Model) -> EnteredGroup:
        inside = set(members)
        names = [one.name for one in strongest([graph.entities[one] for one in members])]
        said = [
            self._said(one, graph) for one in graph.relations if one.source_id in inside and one.target_id in inside
        ][:MOST_RELATIONS]
        summary = community_summary(names, said, model.embedder.count_tokens)
        return EnteredGroup(community_id, community_name(names), summary, fingerprint(members), members, None)

    def _said(self, one: KnownRelation, graph: UserGraph) -> str:
        source, target = graph.entities[one.source_id], graph.entities[one.target_id]
        return f"{source.name} {reading(one.relation_type, self._domain)} {target.name}"

    async def _with_vectors(self, made: Sequence[EnteredGroup], model: Model) -> list[EnteredGroup]:
        """With the vectors of their summaries; without, where the service of the embeddings does not answer."""
        if not made:
            return []
        try:
            summaries = [one.summary for one in made]
            vectors = await self._active.patience.asked(lambda: model.vectors(summaries))
        except (ProviderUnavailable, WrongDimension):
            return list(made)
        return [
            EnteredGroup(one.group_id, one.name, one.summary, one.fingerprint, one.members, vector)
            for one, vector in zip(made, vectors, strict=True)
        ]

    async def _facts(self, principal: Principal) -> list[Fact]:
        """Facts that contradict each other, or were confirmed again and again."""
        asked = {"user_id": principal.user_id, "confirmed": CONFIRMED, "most": MOST_FACTS}
        ids = await self._postgres.fetch_as_service(sql_text("community/contradicting"), asked, row=UUID)
        wanted = {"facts": ids}
        return await self._postgres.fetch(principal, sql_text("community/texts"), wanted, row=Fact) if ids else []

    async def _more(
        self,
        principal: Principal,
        graph: UserGraph,
        communities: Sequence[EnteredGroup],
        clusters: Sequence[EnteredGroup],
    ) -> tuple[Sequence[Observed], Sequence[InsightKind]]:
        """Insights of a language model, and the kinds of insights of which this build knows all."""
        if self._modelled is None:
            return (), (*OFFLINE, "insight")
        summaries = [_summarised(one, graph) for one in communities]
        summaries += [Summarised(one.summary, facts=tuple(UUID(fact) for fact in one.members)) for one in clusters]
        found = await self._modelled.insights(principal, summaries)
        return ((), OFFLINE) if found is None else (found, (*OFFLINE, "insight"))


def _communities(graph: UserGraph, user_id: UUID) -> list[tuple[UUID, Sequence[str]]]:
    before: dict[UUID, list[str]] = {}
    for one in graph.entities.values():
        if one.community_id is not None:
            before.setdefault(one.community_id, []).append(one.entity_id)
    order = sorted(graph.entities.values(), key=lambda one: one.place)
    found = groups(graph.edges, LEAST_MEMBERS, [one.entity_id for one in order])
    return identified(found, before, user_id)


def _summarised(one: EnteredGroup, graph: UserGraph) -> Summarised:
    inside = set(one.members)
    between = [r.relation_id for r in graph.relations if r.source_id in inside and r.target_id in inside]
    named = strongest([graph.entities[member] for member in one.members])
    return Summarised(
        one.summary, relations=tuple(between[:MOST_RELATIONS]), entities=tuple(each.entity_id for each in named[:8])
    )
