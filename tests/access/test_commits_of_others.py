"""A commit changes the graph of its own user alone, whatever ids its rows name."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg.types.json import Jsonb

from engine.commit.changes import OF_KIND, Json, from_row, parameters
from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.retraction import RetractionSubject
from engine.errors import Conflict, InvalidInput, NotFound
from engine.lab.benchmarks.knowledge_facts import ReadsLines
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.stores.statements import cypher
from engine.wiring.open_engine import open_engine

GRANTS, NODES = {"granted", "revoked"}, {"node", "node_revised"}
"""Kinds that only functions of the database enter; grants only at nodes that the user owns."""
WORDS = {"title", "name", "summary", "caption", "context", "value", "text", "reason", "privacy", "properties"}


@pytest.fixture
async def keeping(engine: Engine, settings: Settings, memory: Memory) -> AsyncIterator[Memory]:
    """The memory on an engine that reads facts and keeps intentions."""
    with_intentions = settings.model_copy(update={"intentions": True})
    async with open_engine(with_intentions, language=ReadsLines(), warming=False) as opened:
        yield opened.memory(memory.principal.user_id)


async def lived(engine: Engine, memory: Memory) -> list[Json]:
    """Everything that a user can change in the graph was changed; the changes of the outbox, in their order."""
    root = memory.principal.user_id
    boats, work = [await memory.nodes.provision(NewNode(root, name)) for name in ("Boats", "Work")]

    async def say(*texts: str) -> UUID:
        turns = tuple(Turn("Bob", text) for text in texts)
        report = await memory.records.remember(Conversation(str(uuid4()), turns), node_id=boats.node_id)
        return report.records[0].record_id

    first = await say("Elli Lund is a friend of Dave Kowalski.", "I want to sell the boat by 12 June 2024.")
    red = await say("Dave Kowalski's favourite colour is red.")
    await say("Dave Kowalski's favourite colour is blue.")
    await say("Dave Kowalski's favourite colour is blue.")
    [galway, *_] = await memory.facts.write(
        WrittenFact("Elli Lund lives in Galway.", ("Elli Lund",)), node_id=boats.node_id
    )
    text = await memory.records.remember_text("Letter", "Margaret Osei works at Initech.", node_id=boats.node_id)
    letter = text.records[0].record_id
    edge = await memory.edges.make(boats.node_id, work.node_id, "holds", {"since": "2001"})
    for change in (
        Change("edge", edge.edge_id, {"properties": {"since": "2002"}}),
        Change("record", letter, {"title": "A letter"}, boats.node_id),
        Change("node", boats.node_id, {"name": "Ships", "parent_id": str(work.node_id)}),
    ):
        await memory.history.change(change)
    evidence = "MATCH (:Record {record_id: $id})-[v:EVIDENCE]->() RETURN v.item_id AS item, v.relation_id AS relation"
    [works] = await engine.neo4j.read(evidence, id=str(letter))
    words = {"content": "Margaret Osei works at Hooli."}
    await memory.history.change(Change("item", UUID(works["item"]), words, boats.node_id))
    await memory.records.move(letter, boats.node_id, work.node_id)
    named = "MATCH (e:Entity {user_id: $user}) WHERE e.name IN ['Elli Lund', 'Dave Kowalski'] RETURN e.entity_id AS id ORDER BY e.name DESC"
    elli, dave = [UUID(row["id"]) for row in await engine.neo4j.read(named, user=str(root))]
    await engine.neo4j.write(
        "MATCH (a:Entity {entity_id: $a}), (b:Entity {entity_id: $b}) CREATE (a)-[:POSSIBLY_SAME {pair_id: $a, score: 0.5, known_from: datetime()}]->(b)",
        a=str(elli), b=str(dave),
    )  # fmt: skip
    await memory.entities.tell_apart(elli)
    [friend] = await engine.neo4j.read(evidence, id=str(first))
    relation = UUID(friend["relation"])
    await memory.entities.archive_relation(relation)
    await memory.entities.describe_relation(relation, {"met": "1999"})
    await memory.entities.correct(dave, name="David Kowalski", kind="animal")
    await memory.entities.add_alias(dave, "email", "dave@example.org")
    [intention, *_] = await memory.intentions.list()
    await memory.intentions.decide(intention.intention_id, "done")
    merge = await memory.entities.merge(elli, dave)
    await memory.entities.undo_merge(merge.merge_id)
    await memory.entities.merge(elli, dave)
    await memory.retractions.retract(RetractionSubject("record", str(red)))
    await memory.retractions.undo((await memory.retractions.list())[0].retraction_id)
    await memory.retractions.retract(RetractionSubject("fact", str(galway.fact_id)))
    return await entered(engine, root)


async def entered(engine: Engine, user: UUID) -> list[Json]:
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT kind, payload FROM engine.outbox WHERE user_id = %s ORDER BY created_at", [user]
        )
        return [change for row in await cursor.fetchall() for change in from_row(row["kind"], row["payload"])]


COUNTED = {"access_count", "last_accessed_at"}
"""What reads change, some time later."""


async def graph_of(engine: Engine, user: UUID) -> dict[str, tuple[object, ...]]:
    """All nodes of a user, or at one of these, and all relationships at these nodes."""
    rows = await engine.neo4j.write(
        "MATCH (n) WHERE n.user_id = $user OR EXISTS { (n)--({user_id: $user}) }"
        " RETURN elementId(n) AS id, labels(n) AS kind, properties(n) AS properties, [] AS ends"
        " UNION MATCH (n {user_id: $user})-[x]-()"
        " RETURN elementId(x) AS id, [type(x)] AS kind, properties(x) AS properties, [elementId(startNode(x)), elementId(endNode(x))] AS ends",
        user=str(user),
    )  # fmt: skip
    return {
        row["id"]: (
            sorted(row["kind"]),
            sorted((key, str(value)) for key, value in row["properties"].items() if key not in COUNTED),
            tuple(row["ends"]),
        )
        for row in rows
    }


def altered(value: Any, named: Mapping[str, str], flipped: bool, field: str = "") -> Any:
    """A row that names these instead, and says something newer."""
    if isinstance(value, dict):
        return {key: altered(one, named, flipped, key) for key, one in value.items()}
    if isinstance(value, list):
        return [altered(one, named, flipped, field) for one in value]
    if field in named and value is not None:
        return named[field]
    if isinstance(value, bool):
        return value is not flipped
    if isinstance(value, int):
        return value + 100
    if isinstance(value, str) and value[10:11] == "T" and value[4:5] == "-":
        return "2031-05-01T12:00:00+00:00"
    if isinstance(value, str) and field in WORDS:
        return "of another"
    return value


async def another_user(engine: Engine) -> dict[str, str]:
    """Another user in the graph, with a record, a fact and an entity: their ids by the fields of rows that name them."""
    named = {"user_id": str(uuid4()), "record_id": str(uuid4()), "fact_id": str(uuid4()), "entity_id": str(uuid4())}
    await engine.neo4j.write(
        "CREATE (n:Node:User {node_id: $user_id, user_id: $user_id, records: 1, items: 1})-[:HOLDS]->"
        "(r:Record {record_id: $record_id, user_id: $user_id, node_id: $user_id, items: 1, privacy: 'shared', known_from: datetime()})"
        "-[:STATES {fact_id: $fact_id, revision: 1}]->(:Fact {fact_id: $fact_id, user_id: $user_id, revision: 1, status: 'live'}),"
        " (r)-[:MENTIONS {role: 'x', names: [], spans: [], known_from: datetime()}]->"
        "(:Entity {entity_id: $entity_id, user_id: $user_id, key: 'person:eve', name: 'Eve', kind: 'person', mentions: 1})",
        **named,
    )  # fmt: skip
    return named | {"node_id": named["user_id"], "source_id": named["user_id"], "merged_id": named["entity_id"]}


def claims(change: Json, ids: Mapping[str, str]) -> list[Json]:
    """The change in the name of that user: with all ids as they are, and with some of the user's own."""
    own = (
        (), ("record_id",), ("record_id", "node_id"), ("record_id", "node_id", "fact_id"), ("node_id",), ("source_id",),
        ("entity_id",), ("merged_id",),
    )  # fmt: skip
    every = [
        altered(change, {name: ids[name] for name in ("user_id", *names)}, flipped)
        for names in own
        for flipped in (False, True)
    ]
    return [one for at, one in enumerate(every) if one not in every[:at]]


async def changed_in_the_name_of(
    engine: Engine, ids: Mapping[str, str], changes: list[Json], user: UUID
) -> list[object]:
    """What the graph of the user has otherwise than before, with the kind of the changes that changed it."""
    before, noticed = await graph_of(engine, user), []
    for kind in OF_KIND.values():
        for claim in (claim for change in changes if change["kind"] == kind.kind for claim in claims(change, ids)):
            for statement in filter(None, (kind.statement, kind.withdrawn)):
                with suppress(Conflict, InvalidInput):  # the id is that of another one
                    await engine.neo4j.write(cypher(statement), **parameters(claim))
        after = await graph_of(engine, user)
        differing = sorted(one for one in after.keys() | before.keys() if after.get(one) != before.get(one))
        noticed += [(kind.kind, before.get(one), after.get(one)) for one in differing]
        before = after
    return noticed


@pytest.mark.ledger("N28", "X01")
async def test_a_commit_changes_the_graph_of_its_own_user_alone(engine: Engine, keeping: Memory) -> None:
    changes, user = await lived(engine, keeping), keeping.principal.user_id
    assert {change["kind"] for change in changes} == OF_KIND.keys() - GRANTS
    ids = await another_user(engine)
    try:
        assert await changed_in_the_name_of(engine, ids, changes, user) == []
    finally:
        await engine.neo4j.write("MATCH (n {user_id: $user_id}) DETACH DELETE n", user_id=ids["user_id"])
    for change in {change["kind"]: change for change in changes}.values():
        foreign, unnamed = (altered(change, {"user_id": one}, False) for one in (ids["user_id"], None))
        assert await takes(engine, keeping, change["kind"], {"changes": [change, change]}) is (
            change["kind"] not in NODES
        )
        for one in (foreign, unnamed):
            assert not await takes(engine, keeping, one["kind"], {"changes": [change, one]}), change["kind"]
            assert not await takes(engine, keeping, one["kind"], parameters(one)), change["kind"]


async def takes(engine: Engine, memory: Memory, kind: str, payload: Json) -> bool:
    """Whether the user may enter this in the outbox without the engine; nothing of it stays."""
    insert = "INSERT INTO engine.outbox (commit_id, user_id, kind, payload) VALUES (%s, %s, %s, %s)"
    try:
        async with engine.postgres.as_principal(memory.principal) as connection:
            await connection.execute(insert, [uuid4(), memory.principal.user_id, kind, Jsonb(payload)])
            await connection.fetch("SELECT 1 AS sent", row=int)
            raise ZeroDivisionError
    except (NotFound, ZeroDivisionError) as error:
        return isinstance(error, ZeroDivisionError)


async def test_what_older_releases_left_is_applied(engine: Engine, memory: Memory) -> None:
    """Their commits of edges named no user, nor did slices that were closed before they came."""
    root = memory.principal.user_id
    work = (await memory.nodes.provision(NewNode(root, "Work"))).node_id
    edge = await memory.edges.make(root, work, "holds", {"since": "2001"})
    await memory.history.change(Change("node", work, {"summary": "Boats are built."}))
    await memory.history.change(Change("edge", edge.edge_id, {"properties": {"since": "2002"}}))
    changes, before = await entered(engine, root), await graph_of(engine, root)
    [node] = [one for one in changes if one["kind"] == "node_revised"]
    *_, last = [parameters(one) for one in changes if one["kind"] == "edge_revised"]
    await engine.neo4j.write(
        "MATCH (p:Past {user_id: $user})<-[was:WAS]-() DELETE was SET p = {slice_id: p.slice_id, known_to: p.known_to}"
        " WITH DISTINCT 0 AS _ MATCH (:Node {node_id: $user})-[e:RELATED]->() SET e.revision = 1, e.since = '2001'",
        user=str(root),
    )  # fmt: skip
    older = {"revision": {key: value for key, value in last["revision"].items() if key != "user_id"}}
    waiting = uuid4()
    async with engine.postgres.as_service() as connection:
        await connection.execute(
            "INSERT INTO engine.outbox (commit_id, user_id, kind, payload) VALUES (%s, %s, 'edge_revised', %s)",
            [waiting, root, Jsonb(older)],
        )
    await engine.outbox.recover_one(waiting)
    await engine.neo4j.write(cypher("node/revised"), **parameters(node))
    after = await graph_of(engine, root)
    assert contents(after) == contents(before)


def contents(graph: dict[str, tuple[object, ...]]) -> list[str]:
    """What it holds, without the ids of relationships, which were made again."""
    return sorted(str(one) for one in graph.values())
