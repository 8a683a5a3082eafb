"""What a request's transaction leaves behind when it fails: nothing in the tables, nothing in the pool."""

from __future__ import annotations

import asyncio
import os
import socket
from uuid import uuid4

import psycopg
import pytest
from psycopg import conninfo, sql

from engine.errors import InvalidInput
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.stores.postgres import Postgres
from engine.turns import SHARE
from engine.wiring.open_engine import open_engine

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

    most = engine.postgres.request.max_size * 3 // 4
    greedy = [asyncio.create_task(holding()) for _ in range(engine.postgres.request.max_size)]
    try:
        for _ in range(most):
            await taken.acquire()
        assert await asyncio.create_task(asked()) == [1]
        assert taken.locked(), "the greedy one has more than its share"
    finally:
        released.set()
        await asyncio.gather(*greedy)


@pytest.mark.ledger("U07")
async def test_a_process_holds_no_more_connections_than_its_setting(settings: Settings, memory: Memory) -> None:
    """Requests, the service, the queue and its worker together, however many ask at once."""
    # the type of another role's connection is not shown: NULL for those of the request role
    own = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE application_name = 'counted' AND backend_type IS DISTINCT FROM 'parallel worker'"
    )
    counted, taken, released = [], asyncio.Semaphore(0), asyncio.Event()

    async def holding(opened: Engine, share: str) -> None:
        SHARE.set(share)
        async with opened.postgres.as_principal(memory.principal):
            taken.release()
            await released.wait()

    os.environ["PGAPPNAME"] = "counted"
    try:
        async with open_engine(settings.model_copy(update={"postgres_pool": 8}), worker=True, warming=False) as opened:
            size, mine = opened.postgres.request.max_size, opened.memory(memory.principal.user_id)
            holders = [asyncio.create_task(holding(opened, f"reader {n}")) for n in range(size)]
            for _ in holders:
                await taken.acquire()
            asking = [mine.records.assignments() for _ in range(30)]
            asking += [
                opened.workspace.jobs.ask(name) for name in ("recovery", "file-sweep", "clean-up", "stalled-jobs")
            ]
            asking += [opened.workspace.users.get(memory.principal.user_id) for _ in range(30)]
            waiting = [asyncio.create_task(one) for one in asking]
            counted.append((await opened.postgres.fetch_as_service(sql.SQL(own), row=int))[0])
            released.set()
            while not all(one.done() for one in waiting):
                counted.append((await opened.postgres.fetch_as_service(sql.SQL(own), row=int))[0])
            await asyncio.gather(*holders, *waiting)
    finally:
        del os.environ["PGAPPNAME"]
    assert counted[0] > size, "the service's connection stands beside those that requests hold"
    assert max(counted) <= 8


@pytest.mark.ledger("U07")
async def test_a_query_whose_client_is_gone_ends(engine: Engine) -> None:
    """The embedded Postgres looks for its clients every ten seconds; this query would go on for an hour."""
    name, running = (
        f"gone {uuid4()}",
        sql.SQL("SELECT pid FROM pg_stat_activity WHERE application_name = %(name)s AND state = 'active'"),
    )
    endless = {"application_name": name, "options": "-c statement_timeout=0"}
    url = conninfo.make_conninfo(engine.postgres.service.conninfo, **endless)
    asking = await psycopg.AsyncConnection.connect(url, autocommit=True)
    asking.pgconn.send_query(b"SELECT pg_sleep(3600)")

    async def until(there: bool) -> None:
        for _ in range(600):
            if bool(await engine.postgres.fetch_as_service(running, {"name": name}, row=int)) is there:
                return
            await asyncio.sleep(0.1)
        raise AssertionError(there)

    try:
        await until(there=True)
        with socket.socket(fileno=os.dup(asking.fileno())) as connection:
            connection.shutdown(socket.SHUT_RDWR)
        await until(there=False)
    finally:
        await engine.postgres.fetch_as_service(
            sql.SQL("SELECT pg_terminate_backend(a.pid) FROM ({}) AS a").format(running), {"name": name}, row=bool
        )
        await asking.close()
