"""What is erased in the graph is gone from every property, and what stays says what a graph says that never had it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import User
from engine.domain.retraction import RetractionSubject
from engine.forgetting.graph import ErasedGraph
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.communities.test_communities import build

START = datetime(2024, 5, 8, 18, tzinfo=UTC)
Step = Callable[[Memory], Awaitable[None]]
"""Something that a user does."""

OF_USER = "MATCH (n) WHERE n.user_id = $user_id OR n.subject_id IS NOT NULL RETURN labels(n) AS labels, properties(n) AS properties"
LINKS_OF_USER = """
MATCH (n)-[x]->(o) WHERE n.user_id = $user_id OR o.user_id = $user_id OR x.user_id = $user_id
RETURN type(x) AS type, properties(x) AS properties, labels(n) AS source, labels(o) AS target
"""


# what a user does --------------------------------------------------------------------------------------------


def says(source: str, day: int, *texts: str) -> Step:
    async def say(memory: Memory) -> None:
        turns = tuple(Turn("Bob", text) for text in texts)
        talk = Conversation(source, turns, f"Call {source}", START + timedelta(days=day))
        await memory.records.remember(talk, node_id=memory.principal.user_id)

    return say


async def entity(memory: Memory, name: str) -> UUID:
    [found] = [one for one in await memory.entities.list(limit=500, everything=True) if name in one.names]
    return found.entity_id


# what is looked at --------------------------------------------------------------------------------------------


async def everything(engine: Engine, user_id: UUID) -> str:
    """All that the graph has of a user, as one text in small letters."""
    nodes = await engine.neo4j.read(OF_USER, user_id=str(user_id))
    return str((nodes, await engine.neo4j.read(LINKS_OF_USER, user_id=str(user_id)))).casefold()


ENTITIES = """
MATCH (e:Entity {user_id: $user_id})
RETURN e.key AS key, [label IN labels(e) WHERE label <> 'Entity'] AS label, e.name AS name, e.name_key AS name_key, e.kind AS kind, e.mentions AS mentions,
       coalesce(e.fact_count, 0) AS facts, e.active AS active, e.lone AS lone, e.paired AS paired, e.given_names AS given, e.names_before AS before,
       e.names_withdrawn AS withdrawn, e.last_context AS last_context, [place IN e.places | substring(place, 37)] AS places, e.last_mentioned_at AS last_mentioned_at,
       size(coalesce(e.withdrawn_at, [])) AS withdrawn_times,
       COLLECT { MATCH (e)-[anchor:ANCHORED_AT]->(n:Node) RETURN n.name + ' ' + anchor.mentions ORDER BY n.name } AS anchors,
       COLLECT { MATCH (e)<-[m:MENTIONS]-(r:Record) RETURN [r.title, m.names, m.context, m.known_to IS NULL] ORDER BY r.title, m.context } AS mentioned,
       COLLECT { MATCH (e)<-[i:INTENDS]-(:Record) RETURN [i.text, i.due, i.state, i.known_to IS NULL] ORDER BY i.text } AS intentions,
       COLLECT { MATCH (e)-[:SUPERSEDES]->(o:Entity) RETURN o.key ORDER BY o.key } AS merged
ORDER BY key
"""
NAMES = """
MATCH (a:Alias {user_id: $user_id})
RETURN a.type AS type, a.key AS key, a.value AS value, a.verified AS verified, a.withdrawn AS withdrawn, size(coalesce(a.not_of, [])) AS not_of,
       COLLECT { MATCH (a)-[:NAMES]->(e:Entity) RETURN e.key ORDER BY e.key } AS named
ORDER BY type, key
"""
RELATIONS = """
MATCH (a:Entity {user_id: $user_id})-[x]->(b:Entity)
WHERE x.relation_id IS NOT NULL
RETURN a.key AS source, type(x) AS type, b.key AS target, x.strength AS strength, round(x.confidence, 6) AS confidence, x.since AS since, x.until AS until,
       x.last_at AS last_at, x.known_to IS NULL AS holds, x.functional AS functional, x.symmetric AS symmetric, x.properties AS properties,
       size(coalesce(x.archivings, [])) AS archivings, x.ended_with IS NOT NULL AS ended_with,
       head(COLLECT { MATCH (c:Entity {user_id: $user_id})-[by]->(d:Entity) WHERE by.relation_id = x.ended_by RETURN [c.key, type(by), d.key] }) AS ender
ORDER BY source, type, target
"""
FACTS = """
MATCH (f:Fact {user_id: $user_id})
RETURN f.caption AS caption, f.name AS name, f.status AS status, f.confirmations AS confirmations,
       COLLECT { MATCH (f)-[about:ABOUT]->(e:Entity) RETURN [e.key, about.primary] ORDER BY e.key } AS about,
       COLLECT { MATCH (f)-[x:SUPERSEDES|CONTRADICTS|MAY_REPLACE]->(o:Fact) RETURN [type(x), o.caption] ORDER BY o.caption } AS others,
       COLLECT { MATCH (f)<-[x:STATES]-(r:Record) RETURN [r.title, x.known_to IS NULL] ORDER BY r.title } AS stated
ORDER BY caption, status
"""
SHELLS = """
MATCH (n:Node {user_id: $user_id})
RETURN n.name AS name, n.records AS records, n.items AS items, coalesce(n.private_records, 0) AS private_records, coalesce(n.private_items, 0) AS private_items,
       COLLECT { MATCH (n)-[:HOLDS]->(r:Record) RETURN [r.title, r.items, r.mentions] ORDER BY r.title } AS held
ORDER BY name
"""
SEEN = {"entities": ENTITIES, "names": NAMES, "relations": RELATIONS, "facts": FACTS, "shells": SHELLS}


async def seen(engine: Engine, memory: Memory) -> dict[str, list[Any]]:
    """The graph of a user without ids and times of storing."""
    user = str(memory.principal.user_id)
    return {name: await engine.neo4j.read(statement, user_id=user) for name, statement in SEEN.items()}  # type: ignore[arg-type]


# erased -------------------------------------------------------------------------------------------------------


async def records_of(engine: Engine, memory: Memory, source: str) -> list[UUID]:
    found = await engine.neo4j.read(
        "MATCH (r:Record {user_id: $user_id}) WHERE r.title = $title RETURN r.record_id AS record_id",
        user_id=str(memory.principal.user_id), title=f"Call {source}",
    )  # fmt: skip
    return [UUID(row["record_id"]) for row in found]  # type: ignore[index]


async def facts_of(engine: Engine, records: Sequence[UUID]) -> list[UUID]:
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT fact_id FROM engine.facts WHERE record_id = ANY (%s)", [list(records)]
        )
        return [row["fact_id"] for row in await cursor.fetchall()]  # type: ignore[call-overload]


async def forget(engine: Engine, memory: Memory, source: str) -> Mapping[str, int]:
    """Withdraws a source, and erases it in the graph."""
    records = await records_of(engine, memory, source)
    assert records
    facts = await facts_of(engine, records)
    for record in records:
        await memory.retractions.retract(RetractionSubject("record", str(record)))
    erased = ErasedGraph(engine.neo4j)
    counts = await erased.erase_records(memory.principal.user_id, records, facts)
    assert await erased.erase_records(memory.principal.user_id, records, facts) == {}, "it was erased"
    text = await everything(engine, memory.principal.user_id)
    assert [one for one in (*records, *facts) if str(one) in text] == []
    return counts


@pytest.fixture
async def others(engine: Engine) -> Memory:
    """The memory of a user who never had what is forgotten."""
    return engine.memory((await engine.workspace.users.create(f"o{uuid4().hex[:12]}", "Bob Harlan")).user_id)


# tests --------------------------------------------------------------------------------------------------------

FORGOTTEN = says(
    "gone",
    3,
    "Teresa Vangorsk sold her boat to Zelmira Quimbleton.",
    "Teresa Vangorsk is married to Oskar Prillwitz since 2003.",
)
REST = (
    says("cake", 1, "Teresa came by with a cake."),
    says("couple", 5, "Ellen Harlan is married to Dave Kowalski.", "Dave Kowalski works at Harlan Joinery."),
    says("cup", 6, "Teresa has a cup. Ellen Harlan works at Harlan Joinery."),
)
WORDS = ("vangorsk", "zelmira", "quimbleton", "prillwitz", "oskar", "call gone")


@pytest.mark.parametrize("place", range(len(REST) + 1))
async def test_what_one_source_said_is_gone(engine: Engine, memory: Memory, others: Memory, place: int) -> None:
    for step in (*REST[:place], FORGOTTEN, *REST[place:]):
        await step(memory)
    for step in REST:
        await step(others)
    await build(engine)
    text = await everything(engine, memory.principal.user_id)
    assert [word for word in WORDS if word not in text] == []
    await forget(engine, memory, "gone")
    text = await everything(engine, memory.principal.user_id)
    assert [word for word in WORDS if word in text] == []
    assert await seen(engine, memory) == await seen(engine, others)


async def test_all_of_a_user_is_gone(engine: Engine, user: User, memory: Memory, others: Memory) -> None:
    for step in (*REST, FORGOTTEN):
        await step(memory)
        await step(others)
    await build(engine)
    before = await everything(engine, others.principal.user_id)
    counts = await ErasedGraph(engine.neo4j).erase_user(user.user_id)
    assert {
        "Record",
        "Entity",
        "Alias",
        "Node",
        "Community",
        "MENTIONS",
        "EVIDENCE",
        "RELATION",
        "NAMES",
        "HOLDS",
    } <= counts.keys()
    assert str(user.user_id) not in await everything(engine, user.user_id)
    assert await ErasedGraph(engine.neo4j).erase_user(user.user_id) == {}
    assert await everything(engine, others.principal.user_id) == before
