"""A managed Postgres is dumped and restored into a new server by the commands of docs/backup.md, as they stand there."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest
from psycopg import conninfo, sql
from pydantic import SecretStr

from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.search import SearchRequest
from engine.embedded import Stack
from engine.embedded.layout import Secrets
from engine.embedded.postgres_server import PostgresServer, find_postgres
from engine.embedded.processes import account_for
from engine.embedded.readiness import any_free_port
from engine.errors import SettingsError, StoreUnavailable
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.stores import definitions, postgres
from engine.stores.sql_roles import SqlRoles
from engine.stores.urls import url_parts
from engine.wiring.open_engine import open_engine
from tests.access.databases import administrator, opened
from tests.clean_environment import CLEAN

pytestmark = pytest.mark.usefixtures("few_nodes")  # the doctor looks at all users
PAGE = Path(__file__).resolve().parents[2] / "docs" / "backup.md"
"""The page whose commands are run."""


def commands(beginning: str) -> str:
    """The block of commands in the section of managed stores that begins so."""
    section = PAGE.read_text(encoding="utf-8").partition("## Managed stores")[2].partition("\n## ")[0]
    [block] = [one for one in re.findall(r"```\n(.*?)```", section, re.DOTALL) if one.startswith(beginning)]
    return block


@pytest.fixture
async def target(tmp_path: Path) -> AsyncIterator[PostgresServer]:
    """A new server: an administrator, an empty database, the service role; nothing of the engine."""
    folder, account = tmp_path / "postgres", account_for(tmp_path / "postgres" / "data")
    folder.mkdir()
    files = await asyncio.to_thread(find_postgres, account)
    server = PostgresServer(files, account, folder, tmp_path / "log", any_free_port(), Secrets("", "admin", "owner"))
    await server.initialise()
    process = await server.start()
    await server.wait(process)
    yield server
    await server.stop(process)


def run(folder: Path, block: str, server: PostgresServer, service: str) -> subprocess.CompletedProcess[str]:
    path = f"{server.files.programs}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    admin = {"NEURIGRAPH_POSTGRES_ADMIN_URL": server.admin_url, "NEURIGRAPH_POSTGRES_URL": service}
    env = CLEAN | admin | {"PATH": path, "HOME": str(folder), "NEURIGRAPH_HOME": str(folder / "unused")}
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
async def lake(engine: Engine, memory: Memory) -> AsyncIterator[NewNode]:
    node = NewNode(memory.principal.user_id, "Lake", summary="A cold lake.")
    made = await memory.nodes.provision(node)
    await memory.records.remember(Conversation("c", (Turn("Ann", "The walleye of Loon Lake."),)), node_id=made.node_id)
    await engine.installation.advance(always=True)  # the restored database makes no mark of its own then
    yield node


def moved(settings: Settings, stack: Stack, server: PostgresServer, home: Path) -> Settings:
    """The settings of an engine on the restored Postgres, with the graph and the files of the session."""
    return settings.model_copy(
        update={
            "home": home, "neo4j_url": stack.neo4j_url, "neo4j_password": SecretStr(stack.neo4j_password),
            "postgres_url": SecretStr(server.owner_url), "objects_url": SecretStr((settings.home / "objects").as_uri()),
        }
    )  # fmt: skip


@pytest.mark.ledger("X12")
async def test_the_commands_of_the_page_bring_everything_back(
    engine: Engine,
    settings: Settings,
    stack: Stack,
    memory: Memory,
    lake: NewNode,
    target: PostgresServer,
    tmp_path: Path,
) -> None:
    analysts = SqlRoles(engine.postgres, stack.postgres_admin_url)
    issued = await analysts.create(
        f"reads_{uuid4().hex[:12]}", memory.principal.user_id
    )  # their roles are not in a dump
    dumped = await asyncio.to_thread(run, tmp_path, commands("pg_dump"), target, stack.postgres_url)
    await analysts.drop(issued.role)
    assert (dumped.returncode, dumped.stderr) == (0, "")
    restored = await asyncio.to_thread(run, tmp_path, commands("neurigraph prepare"), target, target.owner_url)
    assert restored.returncode == 0 and "error" not in restored.stderr, restored.stderr
    async with open_engine(moved(settings, stack, target, tmp_path / "unused"), warming=False) as other:
        assert await definitions.lacking(other.postgres) == []
        assert await other.doctor.examine() == []
        theirs = other.memory(memory.principal.user_id)
        assert [hit.path[-1] for hit in (await theirs.search(SearchRequest("walleye"))).hits] == ["Lake"]
    assert await engine.installation.stopped() is None


async def test_a_restore_without_the_request_role_is_told_and_mended(
    settings: Settings, stack: Stack, memory: Memory, lake: NewNode, target: PostgresServer, tmp_path: Path
) -> None:
    """As by one who reads half of the page: policies, which name the role, are left out; every row is there."""
    assert (await asyncio.to_thread(run, tmp_path, commands("pg_dump"), target, stack.postgres_url)).returncode == 0
    careless = 'pg_restore --no-owner --dbname="$NEURIGRAPH_POSTGRES_URL" neurigraph.dump'
    half = await asyncio.to_thread(run, tmp_path, careless, target, target.owner_url)
    assert half.returncode == 1 and 'role "neurigraph_request" does not exist' in half.stderr
    moved_there = moved(settings, stack, target, tmp_path / "unused")
    with pytest.raises(SettingsError, match="prepare"):
        async with open_engine(moved_there, warming=False):
            pass
    assert (await asyncio.to_thread(run, tmp_path, "neurigraph prepare", target, target.owner_url)).returncode == 0
    async with open_engine(moved_there, warming=False) as other:
        assert await definitions.lacking(other.postgres) == [], "a start makes what the shared tables lack"
        found = await other.doctor.examine()
        assert {one.kind for one in found} == {"tables-damaged"}, found
        assert not (await other.mending.run(dry_run=True)).surplus
        assert [one.failure for one in await other.remedies.fix(found) if one.failure] == []
        assert await other.doctor.examine() == []
        theirs = other.memory(memory.principal.user_id)
        assert [hit.path[-1] for hit in (await theirs.search(SearchRequest("walleye"))).hits] == ["Lake"]


async def test_a_refused_connection_says_why(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    """In words of the engine, without the name or the password of the URL."""
    monkeypatch.setattr(postgres, "OPENING", 0.5)
    parts, made = url_parts(stack.postgres_url), uuid4().hex[:8]
    roles = {
        f"full_{made}": "LOGIN PASSWORD 'known' CONNECTION LIMIT 0",
        f"barred_{made}": "NOLOGIN PASSWORD 'known'",
        f"new_{made}": "",
    }
    full, barred, new = roles
    async with administrator(stack) as connection:
        for role, may in roles.items():
            await connection.execute(sql.SQL("CREATE ROLE {} {}").format(sql.Identifier(role), sql.SQL(may)))
        try:
            for changed, says in (
                ({"password": "guessed"}, "refuses the password"),
                ({"user": "nobody_here"}, "has no such role"),
                ({"dbname": "nowhere_here"}, "has no such role or database"),
                ({"user": full, "password": "known"}, "has no connection left"),
                ({"user": barred, "password": "known"}, "does not let the role in its URL log in"),
                ({"user": new, "password": "known"}, "no password and may not log in"),
                ({"sslmode": "require"}, "does not encrypt"),
            ):
                url = conninfo.make_conninfo("", **{**parts, **changed})
                with pytest.raises(StoreUnavailable, match=says) as refused:
                    async with opened(url, url):
                        pass
                assert not [one for one in changed.values() if one in str(refused.value) and one != "require"]
        finally:
            for role in roles:
                await connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))
