"""The embedded servers after a kill, and after a disk that was full."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import neo4j
import psutil
import psycopg
import pytest
from holders import Holder, all_gone, ask_both, eventually, everything, pid_of

from engine.embedded import Stack, attached, keep_running, status
from engine.progress import Silent

pytestmark = pytest.mark.ledger("U07")


def answers(stack: Stack) -> bool:
    try:
        return ask_both(stack) == (1, 1)
    except (psycopg.OperationalError, neo4j.exceptions.DriverError, neo4j.exceptions.Neo4jError):
        return False


async def test_killed_servers_come_back_on_their_ports(home: Path, cache: Path) -> None:
    async with attached(home, cache, progress=Silent()) as stack:
        with psycopg.connect(stack.postgres_url) as connection:
            connection.execute("CREATE TABLE kept (n int)")
            connection.execute("INSERT INTO kept VALUES (7)")
        for name in ("neo4j", "postgres"):
            killed = pid_of(home, name)
            os.kill(killed, signal.SIGKILL)
            assert await asyncio.to_thread(eventually, lambda gone=killed: not psutil.pid_exists(gone), 5)
            assert await asyncio.to_thread(eventually, lambda: answers(stack), 30)
            assert pid_of(home, name) != killed
        with psycopg.connect(stack.postgres_url) as connection:
            assert connection.execute("SELECT n FROM kept").fetchone() == (7,)


async def test_killed_supervisor_is_replaced(home: Path, cache: Path, hold: Callable[..., Holder]) -> None:
    holder = hold(home)
    stack = holder.stack()
    old = pid_of(home, "supervisor")
    os.kill(old, signal.SIGKILL)
    # The holder notices by itself; another process that comes meanwhile gets the same stack.
    async with attached(home, cache, progress=Silent()) as again:
        assert again == stack
        assert ask_both(again) == (1, 1)
        assert pid_of(home, "supervisor") != old
        assert await asyncio.to_thread(eventually, lambda: status(home).leases == 2, 10)


async def test_servers_end_with_a_killed_supervisor(home: Path, cache: Path) -> None:
    await keep_running(home, cache, progress=Silent())
    processes = everything(home)
    os.kill(pid_of(home, "supervisor"), signal.SIGKILL)
    assert await asyncio.to_thread(eventually, lambda: all_gone(processes), 15)
    assert not status(home).running


@pytest.mark.long
async def test_what_a_full_disk_cut_off_in_its_log_does_not_keep_neo4j_down(home: Path, cache: Path) -> None:
    stack = await keep_running(home, cache, progress=Silent())
    login = neo4j.basic_auth(stack.neo4j_user, stack.neo4j_password)
    with neo4j.GraphDatabase.driver(stack.neo4j_url, auth=login) as driver:
        driver.execute_query("CREATE (:Kept {n: 7})", database_="neo4j")
    processes = everything(home)
    for pid in [pid_of(home, name) for name in ("supervisor", "neo4j")]:
        os.kill(pid, signal.SIGKILL)
    assert await asyncio.to_thread(eventually, lambda: all_gone(processes), 15)
    with (home / "neo4j/data/transactions/neo4j/neostore.transaction.db.0").open("ab") as log:
        log.write(b"\x01" * 300)
    async with asyncio.timeout(60):
        stack = await keep_running(home, cache, progress=Silent())
    with neo4j.GraphDatabase.driver(stack.neo4j_url, auth=login) as driver:
        rows = driver.execute_query("MATCH (k:Kept) RETURN k.n AS n", database_="neo4j").records
    assert [row["n"] for row in rows] == [7]
