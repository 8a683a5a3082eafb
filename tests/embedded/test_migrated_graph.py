"""A graph that older releases made and today's upgraded has the schema and the data of one that today's files made."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.embedded import attached, stop
from engine.progress import Silent
from engine.stores.migrations import migrate_neo4j, migrations
from engine.stores.neo4j import Neo4j
from engine.stores.statements import CYPHER_FOLDER, cypher

DATA = """
CREATE (u:Node:User {node_id: 'u', user_id: 'u', name: 'Ann', name_key: 'ann', schema_name: 'su'})
CREATE (w:Node:Concept {node_id: 'w', user_id: 'u', name: 'Work', name_key: 'work', schema_name: 'sw'})
CREATE (n:Node:Concept {node_id: 'n', user_id: 'u', name: 'Boat', name_key: 'boat', schema_name: 'sn', embedding: [0.6, 0.8]})
CREATE (u)-[:HAS_CHILD]->(w), (u)-[:HAS_CHILD]->(n)
CREATE (w)-[:HAD_CHILD {slice_id: 's', valid_to: datetime('2026-02-01'), known_to: datetime('2026-03-01')}]->(n)
CREATE (n)-[:HOLDS]->(:Record {record_id: 'r', user_id: 'u', node_id: 'n', title: 'The hull'})
CREATE (u)-[:RELATED {edge_id: 'e', edge_type: 'owns'}]->(n)
CREATE (:Subject {subject_id: 'p', kind: 'persona'})-[:GRANTED {grant_id: 'g', mode: 'read'}]->(n)
"""
SINCE = {
    5: "MATCH (n:Node {node_id: 'n'}) SET n.placed_at = datetime('2026-03-01')",
    6: "MATCH ()-[g:GRANTED]->() SET g.subject_id = 'p', g.user_id = 'u'",
}
"""What releases write besides, by the migration that brought it for the data of before."""
EVERYTHING = """
MATCH (n) WHERE NOT n:Migration
RETURN labels(n) AS labels, properties(n) AS properties, COLLECT { MATCH (n)-[r]->(m) RETURN [type(r), properties(r), m.node_id] ORDER BY type(r), m.node_id } AS edges
"""
CONSTRAINTS = "SHOW CONSTRAINTS YIELD name, type, entityType, labelsOrTypes, properties"
INDEXES = "SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, options, state WHERE type <> 'LOOKUP'"


@pytest.fixture(scope="module")
async def graph(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> AsyncIterator[Neo4j]:
    """A Neo4j of this module's own, empty at first."""
    home = tmp_path_factory.mktemp("graph") / "home"
    async with attached(home, cache, progress=Silent()) as stack:
        login = (stack.neo4j_user, stack.neo4j_password)
        opened = Neo4j(stack.neo4j_url, login, database="neo4j", pool=2, timeout=60, connect_timeout=10)
        yield opened
        await opened.close()
    await stop(home)


@pytest.mark.ledger("U03")
async def test_every_statement_is_planned_and_its_names_are_known_from_the_start(graph: Neo4j) -> None:
    """A plan that names what did not exist is made again when that comes into being: a search of a new user would take seconds."""
    await migrate_neo4j(graph, migrations("neo4j"))
    unknown = set()
    async with graph.driver.session(database="neo4j", notifications_min_severity="WARNING") as session:
        for path in CYPHER_FOLDER.rglob("*.cypher"):
            name = path.relative_to(CYPHER_FOLDER).with_suffix("").as_posix()
            if name.startswith(("parts/", "schema/")):
                continue
            comment, version, text = cypher(name).rpartition("CYPHER 25\n")
            summary = await (await session.run(f"{version}EXPLAIN {comment}{text}")).consume()
            unknown |= {
                one.status_description
                for one in summary.gql_status_objects
                if one.gql_status in {"01N50", "01N51", "01N52"}
            }
    assert not unknown, "a Neo4j migration makes the names of what statements use"


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
