"""What Neo4j does while its Java start cache is recorded: what is not done then is loaded slowly after each start."""

from __future__ import annotations

import asyncio

from neo4j import AsyncGraphDatabase
from neo4j.exceptions import DriverError, Neo4jError

from engine.embedded.neo4j_server import USER, Neo4jServer
from engine.errors import StackError
from engine.stores.migrations import migrations, statements
from engine.stores.statements import cypher

FIRST = ("search/anchors", "node/shell")
"""The statements that the first question waits for: each is planned for seconds."""
LONGEST = 300.0
"""Seconds for all of it; a server that is being recorded is slow."""


async def plan(server: Neo4jServer) -> None:
    """Makes the indexes and plans the first statements, so that the classes of the planner are recorded. Raises StackError."""
    try:
        async with (
            asyncio.timeout(LONGEST),
            AsyncGraphDatabase.driver(
                server.url, auth=(USER, server.password), notifications_min_severity="OFF"
            ) as driver,
            driver.session(database="neo4j") as session,
        ):
            for migration in migrations("neo4j"):
                for statement in statements(migration.text):
                    await (await session.run(statement)).consume()
            for name in FIRST:
                await (await session.run(f"EXPLAIN {cypher(name)}")).consume()
    except (DriverError, Neo4jError, TimeoutError) as error:
        raise StackError(f"Neo4j did not plan: {error}") from error
