"""A graph that older releases made and today's upgraded has the schema and the data of one that today's files made."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from engine.embedded import Stack, attached, stop
from engine.errors import StoreTimeout
from engine.knowledge.dictionary import Described, described
from engine.progress import Silent
from engine.stores.migrations import Migration, migrate_neo4j, migrations
from engine.stores.neo4j import Neo4j
from engine.stores.statements import cypher, cypher_names

DATA = """
CREATE (u:Node:User {node_id: 'u', user_id: 'u', name: 'Ann', name_key: 'ann', schema_name: 'su'})
CREATE (w:Node:Concept {node_id: 'w', user_id: 'u', name: 'Work', name_key: 'work', schema_name: 'sw'})
CREATE (n:Node:Concept {node_id: 'n', user_id: 'u', name: 'Boat', name_key: 'boat', schema_name: 'sn', embedding: [0.6, 0.8]})
CREATE (u)-[:HAS_CHILD]->(w), (u)-[:HAS_CHILD]->(n)
CREATE (w)-[:HAD_CHILD {slice_id: 's', valid_to: datetime('2026-02-01'), known_to: datetime('2026-03-01')}]->(n)
CREATE (n)-[:HOLDS]->(:Record {record_id: 'r', user_id: 'u', node_id: 'n', title: 'The hull'})
CREATE (u)-[:RELATED {edge_id: 'e', edge_type: 'owns'}]->(n), (w)-[:RELATED {edge_id: 's', edge_type: 'same person', since: '2003'}]->(n)
CREATE (l:Node:Concept {node_id: 'l', user_id: 'u', name: 'Lake', name_key: 'lake', schema_name: 'sl'})
CREATE (x:Entity {entity_id: 'x', user_id: 'u', key: 'person:ida', name: 'Ida', mentions: 10, lone: false})
CREATE (u)-[:MENTIONED {first_at: datetime('2025-01-01'), at: datetime('2025-02-01'), context: 'with Ida', source: 'r', times: 10}]->(x)
CREATE (x)-[:ANCHORED_AT {mentions: 1}]->(u), (x)-[:ANCHORED_AT {mentions: 4}]->(w), (x)-[:ANCHORED_AT {mentions: 2}]->(n), (x)-[:ANCHORED_AT {mentions: 3}]->(l)
CREATE (:Subject {subject_id: 'p', kind: 'persona'})-[:GRANTED {grant_id: 'g', mode: 'read'}]->(n)
"""
SINCE = {
    5: "MATCH (n:Node {node_id: 'n'}) SET n.placed_at = datetime('2026-03-01')",
    6: "MATCH ()-[g:GRANTED]->() SET g.subject_id = 'p', g.user_id = 'u'",
    22: "MATCH (:User)-[k:MENTIONED]->(e:Entity)-[weakest:ANCHORED_AT {mentions: 1}]->() SET e.places = ['l 3', 'n 2', 'u 1', 'w 4'],"
    " e.last_context = 'with Ida', e.last_record_id = 'r' DELETE k, weakest",
    23: "MATCH (w)-[old:RELATED {edge_id: 's'}]->(n) CREATE (w)-[e:SAME_PERSON]->(n) SET e = properties(old) DELETE old",
    24: "MATCH (r:Record) SET r:Document, r.caption = 'Document: The hull'",
}
"""What releases write besides, by the migration that brought it for the data of before."""
EVERYTHING = """
MATCH (n) WHERE NOT n:Migration
RETURN labels(n) AS labels, properties(n) AS properties, COLLECT { MATCH (n)-[r]->(m) RETURN [type(r), properties(r), m.node_id] ORDER BY type(r), m.node_id } AS edges
"""
CONSTRAINTS = "SHOW CONSTRAINTS YIELD name, type, entityType, labelsOrTypes, properties"
INDEXES = "SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, options, state WHERE type <> 'LOOKUP'"


@pytest.fixture(scope="module")
async def stack(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> AsyncIterator[Stack]:
    """Stores of this module's own, empty at first."""
    home = tmp_path_factory.mktemp("graph") / "home"
    async with attached(home, cache, progress=Silent()) as stack:
        yield stack
    await stop(home)


@asynccontextmanager
async def opened(stack: Stack, timeout: float) -> AsyncIterator[Neo4j]:
    login = (stack.neo4j_user, stack.neo4j_password)
    graph = Neo4j(stack.neo4j_url, login, database="neo4j", pool=2, timeout=timeout, connect_timeout=10)
    yield graph
    await graph.close()


@pytest.fixture(scope="module")
async def graph(stack: Stack) -> AsyncIterator[Neo4j]:
    async with opened(stack, 60) as graph:
        yield graph


async def unknown_to(graph: Neo4j, texts: Iterable[str]) -> set[str]:
    """Names in these statements that the graph does not know."""
    found = set()
    async with graph.driver.session(database="neo4j", notifications_min_severity="WARNING") as session:
        for text in texts:
            comment, version, statement = text.rpartition("CYPHER 25\n")
            summary = await (await session.run(f"{version}EXPLAIN {comment}{statement}")).consume()
            told = [one for one in summary.gql_status_objects if one.gql_status in {"01N50", "01N51", "01N52"}]
            found |= {one.status_description for one in told}
    return found


@pytest.mark.ledger("U03")
async def test_every_name_of_a_statement_is_known_from_the_start(graph: Neo4j, long: bool) -> None:
    """A plan that names what did not exist is made again when that comes into being: a search of a new user would take seconds.

    To plan all statements takes more than a minute: the short form asks for whatever the dictionary and a statement name.
    """
    await migrate_neo4j(graph, migrations("neo4j"))
    texts = [cypher(name) for name in cypher_names() if not name.startswith("schema/")]
    asked = texts if long else list(names_alone(texts, *described()))
    assert len(asked) > 20
    assert not await unknown_to(graph, asked), "a Neo4j migration makes the names of what statements use"
    assert len(await unknown_to(graph, ["MATCH (n:Walleye)-[:SWAM]->() WHERE n.heavy = 1 RETURN n"])) == 3


def names_alone(texts: Iterable[str], labels: Mapping[str, Described], types: Mapping[str, Described]) -> Iterator[str]:
    """Short statements with the labels, types and properties of the dictionary that one of these texts has."""
    said = {*re.findall(r"\w+", "\n".join(re.sub(r"//.*|'[^']*'", "", text) for text in texts))}
    properties = {key for one in (*labels.values(), *types.values()) for key in one.properties}
    for made, names in (
        ("MATCH (n) WHERE n.`{}` = 1 RETURN n", properties),
        ("MATCH (n:`{}`) RETURN n", {name for name, one in labels.items() if not one.open}),
        ("MATCH ()-[r:`{}`]->() RETURN r", {name for name, one in types.items() if not one.open}),
    ):
        yield from (made.format(name) for name in sorted(names & said))


async def emptied(graph: Neo4j) -> None:
    await graph.write("MATCH (n) DETACH DELETE n")
    for row in await graph.read("SHOW CONSTRAINTS YIELD name"):
        await graph.write(f"DROP CONSTRAINT {row['name']}")
    for row in await graph.read("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'"):
        await graph.write(f"DROP INDEX {row['name']}")


async def filled(graph: Neo4j, release: int) -> None:
    """With the data as that release wrote them."""
    for statement in (DATA, *(since for first, since in SINCE.items() if first <= release)):
        await graph.write(statement)


async def state(graph: Neo4j) -> set[str]:
    """Schema and data in a form that compares."""
    rows = [row for statement in (CONSTRAINTS, INDEXES, EVERYTHING) for row in await graph.read(statement)]
    return {json.dumps(row, default=str, sort_keys=True) for row in rows}


async def test_an_upgraded_graph_is_a_new_one(graph: Neo4j) -> None:
    wanted = migrations("neo4j")
    await emptied(graph)
    assert await migrate_neo4j(graph, wanted) == [one.name for one in wanted]
    await filled(graph, len(wanted))
    new = await state(graph)
    assert await migrate_neo4j(graph, wanted) == [] and await state(graph) == new
    for release in (1, 3, len(wanted) - 1):
        await emptied(graph)
        await migrate_neo4j(graph, wanted[:release])
        await filled(graph, release)
        await migrate_neo4j(graph, wanted)
        old = await state(graph)
        assert (sorted(old - new), sorted(new - old)) == ([], []), f"from release {release}"


async def test_a_migration_has_more_time_than_a_request(stack: Stack, graph: Neo4j) -> None:
    """It may go through a large graph; where it was cut at each start, the engine would never open again."""
    await emptied(graph)
    long = "UNWIND range(1, 60_000_000) AS number WITH count(number) AS count CREATE (:Counted {count: count})"
    async with opened(stack, 0.5) as hurried:
        with pytest.raises(StoreTimeout):
            await hurried.write(long)
        assert await migrate_neo4j(hurried, [Migration("V0001__long.cypher", f"{long};\n", 1)]) == [
            "V0001__long.cypher"
        ]
    assert await graph.read("MATCH (n:Counted) RETURN n.count AS count", row=int) == [60_000_000]
