"""Enters what a build derived: the graph's part in one statement, then the rest in one transaction of Postgres, with the mark.

A build that is killed in between is made again: its mark is not there. Of two builds at once the one that read later is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.communities.descriptions import DerivedEntity, Meaning
from engine.communities.graph_read import KnownRelation, MemberEntity, UserGraph
from engine.communities.insights import Observed
from engine.domain.community import InsightKind
from engine.providers.active import shell_vector
from engine.providers.embedder import Vectors
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Connection, Jsonb, Postgres
from engine.stores.statements import cypher, sql_text


@dataclass(frozen=True, slots=True)
class EnteredGroup:
    """A community or a cluster to be entered; `vector` None where it could not be made."""

    group_id: UUID
    name: str
    summary: str
    fingerprint: str
    members: Sequence[str]
    vector: Vectors | None


@dataclass(frozen=True, slots=True)
class Build:
    """All that was derived for a user, of what was read at `read_at`. It knows nothing of insights of other kinds
    than `kinds`."""

    user_id: UUID
    mark: str
    read_at: datetime
    version: str
    graph: UserGraph
    communities: Sequence[EnteredGroup]
    clusters: Sequence[EnteredGroup]
    entities: Sequence[DerivedEntity]
    insights: Sequence[Observed]
    kinds: Sequence[InsightKind]
    meanings: Sequence[Meaning]


async def enter(postgres: Postgres, neo4j: Neo4j, build: Build) -> bool:
    """Enters a build; False where a later one was entered. Raises StoreUnavailable; repeating it changes nothing."""
    asked = {"user_id": str(build.user_id), "built_at": build.read_at}
    communities = [_community(one, build.version) for one in build.communities]
    entities = [_entity(one) for one in build.entities]
    written = await neo4j.write(
        cypher("lifecycle/communities_built"), row=int, **asked, communities=communities, entities=entities
    )
    return bool(written) and await _rest(postgres, build)


async def _rest(postgres: Postgres, build: Build) -> bool:
    user, version = {"user_id": build.user_id}, {"version": build.version}
    noted = {"mark": build.mark, "communities": len(build.communities), "built_at": build.read_at}
    clusters = {"built_at": build.read_at, "clusters": Jsonb([_cluster(one) for one in build.clusters])}
    meanings = {"built_at": build.read_at, "meanings": Jsonb([_meaning(one) for one in build.meanings])}
    found = {
        "found": Jsonb([_insight(one) for one in build.insights]),
        "kinds": list(build.kinds),
        "now": build.read_at,
    }
    async with postgres.as_service() as connection:
        await connection.execute(sql_text("commit/hold_writes"), user)
        if not await connection.fetch(sql_text("community/built"), {**user, **noted}, row=UUID):
            return False
        kept = {"kept": [one.group_id for one in build.clusters]}
        await connection.execute(sql_text("community/clusters_gone"), {**user, **kept})
        await connection.execute(sql_text("community/clusters_kept"), {**user, **version, **clusters})
        await connection.execute(sql_text("community/insights_kept"), {**user, **found})
        kept = {"kept": [UUID(one.entity_id) for one in build.meanings]}
        await connection.execute(sql_text("community/meanings_gone"), {**user, **version, **kept})
        await connection.execute(sql_text("community/meanings_kept"), {**user, **version, **meanings})
        await _copied(connection, build)
    return True


async def _copied(connection: Connection, build: Build) -> None:
    """A copy of the graph's entities and relations, for SQL; none where something may have been withdrawn since the graph was
    read: the next run makes it."""
    read: dict[str, Any] = {"user_id": build.user_id, "read_at": build.read_at}
    if await connection.fetch(sql_text("community/copy_outdated"), read, row=UUID):
        return
    entities, relations = list(build.graph.entities.values()), build.graph.relations
    known = {"kept": [UUID(one.entity_id) for one in entities], "entities": Jsonb([*map(_known_entity, entities)])}
    await connection.execute(sql_text("community/entities_known"), {**read, **known})
    stated = {"kept": [one.relation_id for one in relations], "relations": Jsonb([*map(_known_relation, relations)])}
    await connection.execute(sql_text("community/relations_known"), {**read, **stated})


def _community(one: EnteredGroup, version: str) -> dict[str, Any]:
    return {
        "community_id": str(one.group_id),
        "name": one.name,
        "size": len(one.members),
        "summary": one.summary,
        "fingerprint": one.fingerprint,
        "vector": None if one.vector is None else shell_vector(one.vector),
        "vector_version": None if one.vector is None else version,
        "members": list(one.members),
    }


def _entity(one: DerivedEntity) -> dict[str, Any]:
    of = [str(relation) for relation in one.summary_of]
    return {"entity_id": one.entity_id, "importance": one.importance, "summary": one.summary, "summary_of": of}


def _cluster(one: EnteredGroup) -> dict[str, Any]:
    vector = None if one.vector is None else _written(one.vector)
    row = {"cluster_id": str(one.group_id), "name": one.name, "summary": one.summary}
    return {**row, "facts": list(one.members), "vector": vector}


def _insight(one: Observed) -> dict[str, Any]:
    row: dict[str, Any] = {"key": one.key, "kind": one.kind, "text": one.text, "entities": list(one.entities)}
    for name, ids in (("facts", one.facts), ("relations", one.relations), ("records", one.records)):
        row[name] = [str(each) for each in ids]
    return row


def _meaning(one: Meaning) -> dict[str, Any]:
    row = {"entity_id": one.entity_id, "descriptors": list(one.descriptors), "drift": one.drift, "items": one.items}
    return {**row, "centroid": _written(one.centroid)}


def _known_entity(one: MemberEntity) -> dict[str, Any]:
    row: dict[str, Any] = {"entity_id": one.entity_id, "name": one.name, "kind": one.kind, "mentions": one.mentions}
    return {**row, "nodes": one.nodes, "last_mentioned_at": one.last_mentioned_at.isoformat()}


def _known_relation(one: KnownRelation) -> dict[str, Any]:
    row: dict[str, Any] = {"relation_id": str(one.relation_id), "relation_type": one.relation_type, "since": one.since}
    ends = {"source_id": one.source_id, "target_id": one.target_id}
    return {**row, **ends, "strength": one.strength, "confidence": one.confidence}


def _written(vector: Vectors) -> str:
    """A vector as Postgres reads it."""
    return str(shell_vector(vector))
