"""Mutations of what guards a graph: a policy, a condition of a rule or a predicate of a Cypher statement is taken away, and
a short run of operations aimed at it must find a leak.

Where none is found because another filter holds the same, the piece stands among the redundant ones with what holds it.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from psycopg import sql

from engine.lab.leaks.forest import Size
from engine.lab.leaks.fuzzer import Leak, Run
from engine.lab.leaks.model import World
from engine.neurigraph import Engine
from engine.stores import statements

SMALL = Size(users=2, nodes=9, edges=8, grants=10)
ONE_GRAPH = Size(users=1, nodes=9, edges=8, grants=10)
"""For what shows within a graph: half the work."""
AIMED, AIMED_AT_REDUNDANT = 1_200, 250
"""Operations after which a mutation must have been noticed; most are within the first few dozen."""
EVERY_ROW = "rows of a node, search nodes"


async def noticed(
    engine: Engine, world: World, kinds: str, *, redundant: bool = False, changing: bool = False, planned: bool = True
) -> tuple[Leak, ...]:
    """What a run aimed at these kinds (separated by commas) finds; the drawing has several attempts to hit a leak.

    A Cypher statement that was mutated is not `planned` yet: two operations do that one after the other, else each of the first ones would.
    """
    assert await stands(engine, world), "the stores were emptied: every answer of this forest is a wrong one"
    if not planned:
        await Run(engine, world, seed=1, kinds=kinds.split(", "), patience=1, at_once=1).go(2, changing=False)
    attempts, count = (11, 12, 13), AIMED
    if redundant:
        attempts, count = (11,), AIMED_AT_REDUNDANT
    elif changing:  # a run changes the forest before its operations: many short ones
        attempts, count = range(11, 131), AIMED // 120
    for seed in attempts:
        run = Run(engine, world, seed=seed, kinds=kinds.split(", "), patience=1, at_once=4)
        await run.go(count, changing=changing)
        if run.leaks:
            return tuple(run.leaks)
    return ()


async def stands(engine: Engine, forest: World) -> bool:
    """Whether nobody has emptied the stores since it was grown."""
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT count(*) AS there FROM engine.nodes WHERE node_id = ANY (%s)", [list(forest.places)]
        )
        return (await cursor.fetchone())["there"] == len(forest.places)


LARGE = ("node/shell", "search/anchors", "entity/")
SAMPLED = 12
LONG = pytest.mark.long


def known(cases: dict[str, str], redundant: dict[str, str], large: tuple[str, ...] = LARGE) -> list[object]:
    """The cases as parameters; a redundant one says so in its id.

    Neo4j plans each mutation of its large statements for seconds: a sample of those runs in `make test`, all in `make soak`.
    """
    slow = [name for name in cases if name.startswith(large)]
    rare = {name for at, name in enumerate(slow) if at % SAMPLED or name in redundant}
    return [
        pytest.param(name, id=f"{name} (redundant)" if name in redundant else name, marks=LONG if name in rare else ())
        for name in cases
    ]


async def in_every_node(engine: Engine, world: World, statement: str) -> None:
    async with engine.postgres.as_service() as connection:
        for place in world.places.values():
            await connection.execute(sql.SQL(statement).format(schema=sql.Identifier(place.schema_name)))


async def as_service(engine: Engine, statement: str) -> None:
    async with engine.postgres.as_service() as connection:
        await connection.execute(sql.SQL(statement.replace("{", "{{").replace("}", "}}")).format())


def statement_text(name: str) -> str:
    return statements.cypher(name)


def rewrite(monkeypatch: pytest.MonkeyPatch, name: str, text: str) -> None:
    """The engine sends this text for the statement of that name until the test is over."""
    real: Callable[[str], str] = statements.cypher

    def rewritten(asked: str) -> str:
        return text if asked == name else real(asked)

    together = statements.cypher_together  # keeps what it has put together from the real text
    for module in list(sys.modules.values()):
        if getattr(module, "cypher", None) is real:
            monkeypatch.setattr(module, "cypher", rewritten)
        if getattr(module, "cypher_together", None) is together:
            monkeypatch.setattr(module, "cypher_together", together.__wrapped__)


@asynccontextmanager
async def policies_of_nodes_restored(engine: Engine, world: World) -> AsyncIterator[None]:
    """Within, the policies and triggers of the forest's nodes may be changed."""
    try:
        yield
    finally:
        async with engine.postgres.as_service() as connection:
            for place in world.places.values():
                await connection.execute(
                    "SELECT engine.apply_node_policies(%s, %s)", [place.node_id, place.schema_name]
                )


CATALOG = """
SELECT concat_ws(' ', 'policy', p.schemaname, p.tablename, p.policyname, p.permissive, p.roles, p.cmd, p.qual, '/', p.with_check)
FROM pg_policies AS p WHERE p.schemaname = ANY (%(schemas)s)
UNION ALL SELECT concat_ws(' ', 'table', c.oid::regclass, c.relrowsecurity, c.relforcerowsecurity, c.relacl::text)
FROM pg_class AS c WHERE c.relkind = 'r' AND c.relnamespace::regnamespace::text = ANY (%(schemas)s)
UNION ALL SELECT concat_ws(' ', 'constraint', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
FROM pg_constraint AS c WHERE c.connamespace::regnamespace::text = ANY (%(schemas)s)
UNION ALL SELECT concat_ws(' ', 'trigger', t.tgrelid::regclass, t.tgenabled, pg_get_triggerdef(t.oid))
FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
WHERE NOT t.tgisinternal AND c.relnamespace::regnamespace::text = ANY (%(schemas)s)
UNION ALL SELECT concat_ws(' ', 'function', f.oid::regprocedure, pg_get_functiondef(f.oid), f.proacl::text)
FROM pg_proc AS f WHERE f.pronamespace = 'engine'::regnamespace AND f.prokind = 'f'
"""


async def guarding(engine: Engine, world: World) -> set[str]:
    """All that guards rows, as Postgres has it now: policies, rights, constraints, triggers and functions."""
    schemas = ["engine", *(place.schema_name for place in world.places.values())]
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(f"SELECT one FROM ({CATALOG}) AS c (one)", {"schemas": schemas})
        return {row["one"] for row in await cursor.fetchall()}
