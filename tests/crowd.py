"""Rows of others in the graph, and the plans that statements get beside them.

Where a store has few rows a scan of them is as cheap as a seek, and a plan may be either; which one it is in a large store must not
depend on whose rows are counted: each seek is asked for by a hint.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from neo4j import READ_ACCESS

from engine.neurigraph import Engine
from tests.planned import operators

_CROWD = """
UNWIND range(1, 3000) AS i CALL (i) { WITH i, 'crowd' + i % 5 AS user_id
CREATE (n:Node {user_id: user_id, node_id: 'crowd-n' + i, name_key: 'crowd', schema_name: 'crowd' + i})
CREATE (n)-[:HAS_CHILD]->(:Node {user_id: user_id, node_id: 'crowd-m' + i, name_key: 'crowd', schema_name: 'crowd-m' + i})
CREATE (n)-[:HOLDS]->(r:Record {user_id: user_id, record_id: 'crowd' + i})
CREATE (e:Entity {user_id: user_id, entity_id: 'crowd-e' + i, key: 'crowd-e' + i, active: true})
CREATE (o:Entity {user_id: user_id, entity_id: 'crowd-o' + i, key: 'crowd-o' + i, active: true})
CREATE (r)-[:MENTIONS]->(e), (r)-[:EVIDENCE {relation_id: 'crowd' + i}]->(e), (e)-[:KNOWS {relation_id: 'crowd' + i}]->(o)
CREATE (e)-[:SUPERSEDES {merge_id: 'crowd' + i}]->(o), (:Alias {user_id: user_id, type: 'name', key: 'crowd' + i})-[:NAMES]->(e)
CREATE (r)-[:STATES]->(f:Fact {user_id: user_id, fact_id: 'crowd' + i, status: 'live'})-[:ABOUT]->(e)
CREATE (:Subject {subject_id: 'crowd' + i})-[:GRANTED {grant_id: 'crowd' + i, subject_id: 'crowd' + i, user_id: user_id}]->(n)
CREATE (n)-[:WAS]->(:Past {user_id: user_id, slice_id: 'crowd' + i, name_key: 'crowd'})
} IN TRANSACTIONS OF 500 ROWS
"""
_EMPTIED = "MATCH (x:$any($labels) WHERE x.user_id STARTS WITH 'crowd' OR x.subject_id STARTS WITH 'crowd') CALL (x) { DETACH DELETE x } IN TRANSACTIONS"
_LABELS = "Node Record Entity Alias Fact Subject Past".split()


_SOUGHT = re.compile(r"(?:UNIQUE|INDEX) (?:.*\[)?(\w+):")

Steps = list[tuple[str, str, int]]


@asynccontextmanager
async def crowded(engine: Engine) -> AsyncIterator[Callable[[str, Mapping[str, Any]], Awaitable[Steps]]]:
    """Five users with 3,000 rows of each kind. Gives what plans a statement anew, and raises AssertionError where it writes, scans,
    or seeks without a hint."""
    async with engine.neo4j.driver.session() as session:
        try:
            await (await session.run(_CROWD)).consume()
            await (await session.run("CALL db.prepareForReplanning()")).consume()
            yield lambda statement, given: _planned(engine, statement, given)
        finally:
            await (await session.run(_EMPTIED, labels=_LABELS)).consume()


async def _planned(engine: Engine, statement: str, given: Mapping[str, Any]) -> Steps:
    async with engine.neo4j.driver.session(default_access_mode=READ_ACCESS) as session:
        seen = await (await session.run(f"EXPLAIN CYPHER 25 replan=force {statement}", dict(given))).consume()
    assert seen.query_type == "r" and seen.plan is not None, statement
    assert not {one.gql_status for one in seen.gql_status_objects} & {"01N30", "01N31"}, statement  # hints not followed
    steps = list(operators(seen.plan))
    assert [step for step in steps if step[0].endswith("Scan")] == [], statement
    sought = {seek[1] for _, details, _ in steps if (seek := _SOUGHT.search(details))}
    assert sought <= set(re.findall(r"USING INDEX SEEK (\w+):", statement)), statement
    return steps
