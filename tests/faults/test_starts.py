"""Processes that start at the same time on the same stores: each prepares them or waits, none is in another's way."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import conninfo, sql

from engine.embedded import attached, stop
from engine.neurigraph import Engine
from engine.progress import Silent
from engine.settings import Settings
from tests.clean_environment import CLEAN

ROOT = Path(__file__).resolve().parents[2]
PROCESSES = 4


async def started(environment: dict[str, str]) -> list[str]:
    """What each of some processes printed that began at once; an error where one failed."""
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.faults.starter", cwd=ROOT, env=CLEAN | environment,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )
        for _ in range(PROCESSES)
    ]  # fmt: skip
    outputs = await asyncio.wait_for(asyncio.gather(*(process.communicate() for process in processes)), 240)
    assert [process.returncode for process in processes] == [0] * PROCESSES, [words.decode() for _, words in outputs]
    return [words.decode().strip() for words, _ in outputs]


@pytest.mark.ledger("U07")
async def test_processes_that_start_at_once_on_one_home(engine: Engine) -> None:
    home, cache = str(engine.settings.home), str(engine.settings.cache)
    assert await started({"NEURIGRAPH_HOME": home, "NEURIGRAPH_CACHE": cache}) == ["opened"] * PROCESSES


@pytest.mark.ledger("U07")
@pytest.mark.long
async def test_processes_that_start_at_once_on_new_managed_stores(settings: Settings, tmp_path: Path) -> None:
    """The first start of all: everything is to be made, on stores of no other installation."""
    home = tmp_path / "home"
    database = f"fresh_{uuid4().hex[:12]}"
    async with attached(home, settings.cache, progress=Silent()) as stack:
        admin = stack.postgres_admin_url
        async with await psycopg.AsyncConnection.connect(admin, autocommit=True) as connection:
            named = sql.Identifier(database)
            await connection.execute(sql.SQL("CREATE DATABASE {} OWNER neurigraph_owner").format(named))
        fresh = conninfo.make_conninfo(admin, dbname=database)
        environment = {
            "NEURIGRAPH_CACHE": str(settings.cache),
            "NEURIGRAPH_NEO4J_URL": stack.neo4j_url,
            "NEURIGRAPH_NEO4J_PASSWORD": stack.neo4j_password,
            "NEURIGRAPH_POSTGRES_URL": conninfo.make_conninfo(stack.postgres_url, dbname=database),
            "NEURIGRAPH_OBJECTS_URL": (tmp_path / "objects").as_uri(),
        }
        prepare = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "engine.cli", "prepare", cwd=ROOT, env=CLEAN | environment | {"NEURIGRAPH_POSTGRES_ADMIN_URL": fresh}
        )  # fmt: skip
        assert await prepare.wait() == 0
        assert await started(environment) == ["opened"] * PROCESSES
    await stop(home)
