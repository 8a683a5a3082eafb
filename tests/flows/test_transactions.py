"""What a request's transaction leaves behind when it fails: nothing in the tables, nothing in the pool."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest
from psycopg import sql

from engine.errors import InvalidInput
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.postgres import Postgres
from engine.turns import SHARE

ADDED = sql.SQL("INSERT INTO engine.idempotency (user_id, key, request_hash) VALUES (%(user)s, %(key)s, %(hash)s)")
HASH = bytes(32)
COUNTED = sql.SQL("SELECT count(*) AS n FROM engine.idempotency WHERE key LIKE %(key)s")


@pytest.fixture
async def one_connection(engine: Engine):
    """The stores' own Postgres through pools of one request connection."""
    pools = Postgres(
        engine.postgres.service.conninfo,
        engine.postgres.request.conninfo,
        size=1,
        statement_timeout=10,
        connect_timeout=10,
    )
    await pools.open_service()
    await pools.open_request()
    yield pools
    await pools.close()


async def test_a_block_that_raises_has_written_nothing(memory: Memory, one_connection: Postgres) -> None:
    assert memory.principal.owns
    user, key = memory.principal.principal_id, uuid4().hex
    with pytest.raises(ZeroDivisionError):
        async with one_connection.as_principal(memory.principal) as connection:
            await connection.execute(ADDED, {"user": user, "key": key, "hash": HASH})
            raise ZeroDivisionError
    assert await one_connection.fetch(memory.principal, COUNTED, {"key": key}, row=int) == [0]


async def test_failed_statements_do_not_spoil_the_connection(memory: Memory, one_connection: Postgres) -> None:
    """The driver prepares a statement after five uses; one that the server skipped must not count as prepared."""
    user, rare = memory.principal.principal_id, sql.SQL("SELECT %(number)s::int + 1 AS n")
    for attempt in range(12):
        with pytest.raises(InvalidInput):
            async with one_connection.as_principal(memory.principal) as connection:
                await connection.execute(sql.SQL("SELECT 'x'::text::int"))
                await connection.execute(rare, {"number": attempt})
                await connection.execute(ADDED, {"user": user, "key": f"{user}-{attempt}", "hash": HASH})
        rows = await one_connection.fetch(memory.principal, rare, {"number": attempt}, row=int)
        assert rows == [attempt + 1]
    assert await one_connection.fetch(memory.principal, COUNTED, {"key": f"{user}-%"}, row=int) == [0]


async def test_one_principal_does_not_take_all_connections(engine: Engine, memory: Memory) -> None:
    taken, released, quick = asyncio.Semaphore(0), asyncio.Event(), sql.SQL("SELECT 1 AS n")

    async def holding() -> None:
        SHARE.set("greedy")
        async with engine.postgres.as_principal(memory.principal):
            taken.release()
            await released.wait()

    async def asked() -> list[int]:
        SHARE.set("modest")
        return await engine.postgres.fetch(memory.principal, quick, {}, row=int)

    most = engine.settings.postgres_pool * 3 // 4
    greedy = [asyncio.create_task(holding()) for _ in range(engine.settings.postgres_pool)]
    try:
        for _ in range(most):
            await taken.acquire()
        assert await asyncio.create_task(asked()) == [1]
        assert taken.locked(), "the greedy one has more than its share"
    finally:
        released.set()
        await asyncio.gather(*greedy)
