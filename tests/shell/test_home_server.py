"""Commands whose operations the server of the home carries out: the same as those that open the engine, also when something goes
wrong."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest import mock
from uuid import uuid4

import psutil
import psycopg
import pytest

from engine.domain.ingest import Limits
from engine.domain.read_limits import MOST
from engine.domain.search import SearchRequest
from engine.embedded import Stack, attached, status
from engine.errors import CommitSetAside, InvalidHistory, NotFound, ProviderUnavailable, StoreDamaged, UnusableAnswer
from engine.neurigraph import Engine
from engine.progress import Silent
from engine.settings import Settings
from engine.shell import home_server
from engine.shell.remote import SOCKET, Refusal, code_here, connected, is_own_account, opened, packed, settings_here
from engine.wiring.open_engine import open_engine
from engine.wiring.warming import warm_commands
from tests.clean_environment import CLEAN

pytestmark = pytest.mark.ledger("U05")

ENVIRONMENT = CLEAN | {
    "NEURIGRAPH_WORKSPACE": "tests",
    "NEURIGRAPH_PRELOAD": "true",
    "NEURIGRAPH_STATEMENT_TIMEOUT_S": "600",  # what ends a statement that waits is not its own limit
}
ALONE = ENVIRONMENT | {"NEURIGRAPH_PRELOAD": "false"}
ANOTHER_PYTHON = ENVIRONMENT | {"PYTHONHASHSEED": "1"}
OTHER_SETTINGS = ENVIRONMENT | {"NEURIGRAPH_TOUCH_INTERVAL_S": "61"}
TIMES = re.compile(r'"timings_ms": \{[^}]*\}')
PROGRAM = """
import atexit, sys
atexit.register(lambda: "engine.wiring.open_engine" in sys.modules and print("opened here", file=sys.stderr))
sys.argv[0] = "neurigraph"
from engine.cli import main
main()
"""
"""The command; it says at its end whether it opened the engine itself."""


@asynccontextmanager
async def as_commands(**changes: str) -> AsyncIterator[None]:
    """Within this, the environment of this process is that of the commands."""
    with mock.patch.dict(os.environ, ENVIRONMENT | changes, clear=True):
        yield


async def left(settings: Settings, **changes: str) -> psutil.Process:
    """The server of the home of the tests, started as `up` starts it."""
    async with as_commands(**changes), attached(settings.home, settings.cache, progress=Silent()) as stack:
        await home_server.start(Settings(home=settings.home, cache=settings.cache), stack)
    return await asyncio.to_thread(found, settings.home)


@pytest.fixture(scope="module")
async def served(engine: Engine, settings: Settings) -> AsyncIterator[psutil.Process]:
    yield await left(settings)
    for server in status(settings.home).servers:
        if server.name == "commands":
            psutil.Process(server.pid).kill()


def found(home: Path) -> psutil.Process:
    """The server of a home, when it listens."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for server in status(home).servers:
            if server.name == "commands":
                return psutil.Process(server.pid)
        time.sleep(0.1)
    raise AssertionError((home / "logs" / "commands.log").read_text())


async def until(holds: Callable[[], Any], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not await asyncio.to_thread(holds):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


@pytest.fixture
async def user(engine: Engine) -> str:
    handle = f"p{uuid4().hex[:12]}"
    await engine.workspace.users.create(handle, "Bob")
    return handle


def command(settings: Settings) -> list[str]:
    return [sys.executable, "-c", PROGRAM, "--home", str(settings.home), "--cache", str(settings.cache)]


def began(
    settings: Settings, folder: Path, *arguments: str, environment: dict[str, str] = ENVIRONMENT
) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*command(settings), *arguments], cwd=folder, env=environment, text=True, stdin=pipe, stdout=pipe, stderr=pipe
    )


async def ended(running: subprocess.Popen[str], given: str = "") -> tuple[int, str, str]:
    out, errors = await asyncio.to_thread(running.communicate, given, 120)
    return running.returncode, out, errors


async def titles(engine: Engine, handle: str) -> list[str]:
    user = await engine.workspace.users.find(handle)
    return [record.title for record in (await engine.memory(user.user_id).nodes.metadata(user.user_id)).records]


@asynccontextmanager
async def held(stack: Stack) -> AsyncIterator[Callable[[], int]]:
    """Within this no operation reads users; gives how many wait for it."""
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'engine.users'::regclass"
    with psycopg.connect(stack.postgres_admin_url) as holding, psycopg.connect(stack.postgres_admin_url) as looking:
        holding.execute("LOCK TABLE engine.users IN ACCESS EXCLUSIVE MODE")
        looking.autocommit = True

        def count() -> int:
            row = looking.execute(waiting).fetchone()
            return row[0] if row else 0

        yield count


@pytest.fixture(scope="module")
async def stack(settings: Settings) -> AsyncIterator[Stack]:
    async with attached(settings.home, settings.cache, progress=Silent()) as stack:
        yield stack


def idle(home: Path) -> bool:
    """Whether the graph server of a home does next to nothing for six seconds: what had to be planned is planned."""

    def spent() -> float:
        return next(one.cpu for one in status(home).servers if one.name == "neo4j")

    before = spent()
    time.sleep(6)
    return spent() - before < 0.6


async def planning(engine: Engine) -> dict[str, int]:
    """The statements of the graph that the first commands ask, each with the longest that the server planned it, in microseconds."""
    await engine.neo4j.read("CALL db.stats.stop('QUERIES')")
    await engine.neo4j.read("CALL db.stats.clear('QUERIES')")
    await engine.neo4j.read("CALL db.stats.collect('QUERIES')")
    await warm_commands(engine)
    await engine.neo4j.read("CALL db.stats.stop('QUERIES')")
    asked: list[Any] = await engine.neo4j.read("CALL db.stats.retrieve('QUERIES', {maxInvocations: 0})")
    return {one["data"]["query"]: one["data"]["invocationSummary"]["compileTimeInUs"]["max"] for one in asked}


async def test_up_has_the_first_queries_planned_without_waiting_for_it(settings: Settings, tmp_path: Path) -> None:
    """By a process that holds no lease: `status` names nobody, and `down` is not refused meanwhile."""
    home = tmp_path / "home"
    own = settings.model_copy(update={"home": home})

    async def run(name: str) -> None:
        await asyncio.to_thread(subprocess.run, [*command(own), name], env=ENVIRONMENT, check=True, capture_output=True)

    await run("up")
    try:
        await asyncio.to_thread(found, home)
        assert status(home).holders == ()
        await until(lambda: idle(home), seconds=180)
        async with attached(home, own.cache, progress=Silent()), open_engine(own, warming=False) as fresh:
            kept = await planning(fresh)
            await fresh.neo4j.read("CALL db.clearQueryCaches()")
            anew = await planning(fresh)
        slow = {statement for statement, took in anew.items() if took > 100_000}
        assert len(slow) > 10
        assert {one for one in slow if 10 * kept[one] > anew[one]} == set()
        assert (home / "logs" / "commands.log").read_text() == ""
    finally:
        await run("down")


async def test_it_reads_and_writes_what_the_command_was_given(
    served: psutil.Process, engine: Engine, settings: Settings, user: str, tmp_path: Path
) -> None:
    by_stdin = began(settings, tmp_path, "record", "write", "Said", "--user", user, "--json")
    code, out, errors = await ended(by_stdin, "Ellen has sold the boat.\n")
    assert code == 0 and json.loads(out) and errors == ""
    (tmp_path / "note.txt").write_text("Dave looks for another boat.")
    code, out, errors = await ended(began(settings, tmp_path, "record", "write", "File", "note.txt", "--user", user))
    assert (code, errors) == (0, "")
    assert sorted(await titles(engine, user)) == ["File", "Said"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("tree", "--json"),
        ("tree",),
        ("node", "show", "Nowhere"),
        ("entity", "list", "--json"),
        ("entity", "show", "Nobody at all"),
        ("context", "Who has a boat?", "--json"),
        ("cypher", "strongest", "--json"),
        ("change", "node", "/", "parent=/"),
        ("history", "record", "no-id"),
        ("job", "show", "no-such-job"),
    ],
)
async def test_output_errors_and_exit_code_are_those_of_a_command_that_opens_the_engine(
    served: psutil.Process, settings: Settings, user: str, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    whose = () if arguments[0] == "job" else ("--user", user)
    both = [began(settings, tmp_path, *arguments, *whose, environment=one) for one in (ENVIRONMENT, ALONE)]
    (code, out, errors), (code_alone, out_alone, errors_alone) = await asyncio.gather(*(ended(one) for one in both))
    assert (code, errors + "opened here\n") == (code_alone, errors_alone)
    assert TIMES.sub("", out) == TIMES.sub("", out_alone)


@pytest.mark.parametrize("environment", [ALONE, ANOTHER_PYTHON, OTHER_SETTINGS])
async def test_the_engine_is_opened_where_that_is_wanted_or_needed(
    served: psutil.Process, engine: Engine, settings: Settings, user: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    writing = began(settings, tmp_path, "record", "write", "Alone", "--user", user, environment=environment)
    code, _, errors = await ended(writing, "A boat.\n")
    assert (code, errors) == (0, "opened here\n") and await titles(engine, user) == ["Alone"]
    assert served.is_running()


async def test_debug_opens_the_engine_so_that_its_traceback_is_whole(
    served: psutil.Process, settings: Settings, tmp_path: Path
) -> None:
    given = [*command(settings), "--debug", "tree", "--user", "nobody-at-all"]
    done = await asyncio.to_thread(subprocess.run, given, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 1 and "operations" in done.stderr and "opened here" in done.stderr


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
async def test_an_operation_ends_with_its_command(
    served: psutil.Process, settings: Settings, stack: Stack, tmp_path: Path, ending: signal.Signals
) -> None:
    async with held(stack) as waiting:
        listing = began(settings, tmp_path, "user", "list")
        await until(waiting)
        assert any(f"(process {listing.pid})" in one for one in status(settings.home).holders)  # `down` is refused
        listing.send_signal(ending)
        code, out, errors = await ended(listing)
        if ending == signal.SIGINT:
            assert (code, out, errors.strip()) == (130, "", "Interrupted.")
        await until(lambda: not waiting())
    assert (await ended(began(settings, tmp_path, "user", "list")))[2] == ""


async def test_nothing_is_sent_in_the_home_of_another_account_or_one_that_others_may_write() -> None:
    changes: list[Callable[[str], None]] = [lambda folder: os.chmod(folder, 0o720)]
    if os.geteuid() == 0:
        changes.append(lambda folder: os.chown(folder, 54321, -1))
    for change in changes:
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
            listening.bind(f"{folder}/{SOCKET}")
            listening.listen()
            listening.settimeout(0.1)
            change(folder)
            with pytest.raises(PermissionError):
                opened(Path(folder))
            with pytest.raises(TimeoutError):
                listening.accept()


@pytest.mark.skipif(os.geteuid() != 0, reason="takes another account")
async def test_an_end_of_another_account_is_known() -> None:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
        os.chmod(folder, 0o777)
        listening.bind(f"{folder}/{SOCKET}")
        os.chmod(f"{folder}/{SOCKET}", 0o777)
        listening.listen()
        asks = f"import os, socket; os.setuid(65534); s = socket.socket(1); s.connect({folder + '/' + SOCKET!r}); s.recv(1)"
        other = await asyncio.create_subprocess_exec(sys.executable, "-I", "-c", asks)
        with socket.socket(socket.AF_UNIX) as own:
            accepted, _ = await asyncio.to_thread(listening.accept)
            with accepted:
                assert not is_own_account(accepted)
                own.connect(f"{folder}/{SOCKET}")
                ours, _ = listening.accept()
                with ours:
                    assert is_own_account(ours) and is_own_account(own)
                accepted.sendall(b".")
        assert await asyncio.wait_for(other.wait(), 20) == 0


class Mark:
    """Makes a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.file,))


async def test_nonsense_and_callers_that_leave_do_not_end_it(
    served: psutil.Process, engine: Engine, settings: Settings, user: str, tmp_path: Path
) -> None:
    """Of a caller with other code nothing is unpickled."""
    async with as_commands():
        code = code_here().encode()
        same = packed(settings_here(Settings(home=settings.home, cache=settings.cache)))
    mark = tmp_path / "unpickled"
    for sent in (
        b"",
        b"\n",
        b"nonsense" * 400_000,
        b"other code\n" + packed(Mark(mark)),
        code,
        code + b"\n",
        code + b"\n" + b"\xff" * 200,
        code + b"\n" + packed({"home": "another"}),
        code + b"\n" + same,
        code + b"\n" + same + packed("nonsense"),
        code + b"\n" + same + same[:20],
    ):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(20)
            connection.connect(str(settings.home / SOCKET))
            try:
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(4096):
                    pass
            except OSError:
                pass  # it had closed the connection
    assert not mark.exists()
    writing = began(settings, tmp_path, "record", "write", "Later", "--user", user)
    assert await ended(writing, "Ellen has sold the boat.\n") == (0, mock.ANY, "")
    assert served.is_running() and await titles(engine, user) == ["Later"]


async def test_many_commands_run_at_once(
    served: psutil.Process, engine: Engine, settings: Settings, user: str, tmp_path: Path
) -> None:
    running = [began(settings, tmp_path, "record", "write", f"{number}", "--user", user) for number in range(6)]
    ends = await asyncio.gather(*(ended(one, f"Ellen has sold boat {number}.\n") for number, one in enumerate(running)))
    assert [code for code, _, _ in ends] == [0] * 6, ends
    assert sorted(await titles(engine, user)) == [f"{number}" for number in range(6)]


def _errors() -> Iterator[BaseException]:
    yield NotFound()
    yield InvalidHistory("Wrong.", line=3, column=4)
    yield StoreDamaged("Postgres", uuid4())
    yield CommitSetAside(uuid4(), "why")
    yield ProviderUnavailable("Silent.", retry_after=7)
    yield UnusableAnswer("Nonsense.", input_tokens=3, output_tokens=4)
    yield ExceptionGroup("several", [StoreDamaged("Neo4j")])


@pytest.mark.parametrize("error", list(_errors()), ids=lambda one: type(one).__name__)
async def test_an_error_is_the_same_at_both_ends(error: BaseException) -> None:
    made = pickle.loads(pickle.dumps(Refusal.of(error))).error()
    assert (type(made), str(made), vars(made)) == (type(error), str(error), vars(error))


async def test_limits_hold_for_all_operations_inside_them(
    served: psutil.Process, engine: Engine, settings: Settings, user: str
) -> None:
    async def asked(opened: Engine) -> list[tuple[str, ...]]:
        memory = opened.memory((await opened.workspace.users.find(user)).user_id)
        notes = []
        with opened.spending(Limits(model_calls=1)):
            for _ in range(2):
                notes.append((await memory.search(SearchRequest("Who has a boat?"))).notes)
        notes.append((await memory.search(SearchRequest("Who has a boat?"))).notes)
        return notes

    async with as_commands(), connected(Settings(home=settings.home, cache=settings.cache)) as there:
        assert there is not None
        assert await asked(there[0]) == await asked(engine)


class Told:
    """A progress that remembers."""

    def __init__(self) -> None:
        self.tasks: list[tuple[str, str]] = []

    def start(self, task: str, total: float | None, unit: str = "") -> None:
        self.tasks.append(("start", task))

    def advance(self, task: str, amount: float = 1) -> None:
        pass

    def finish(self, task: str, note: str = "") -> None:
        self.tasks.append(("finish", task))


async def test_progress_is_told_where_the_command_runs(
    served: psutil.Process, engine: Engine, settings: Settings, user: str
) -> None:
    owner = (await engine.workspace.users.find(user)).user_id
    async with as_commands(), connected(Settings(home=settings.home, cache=settings.cache)) as there:
        assert there is not None
        memory, told = there[0].memory(owner), Told()
        begun = await memory.replays.begin()
        await memory.replays.build(begun.replay_id, told)
        await memory.replays.discard(begun.replay_id)
    assert {what for what, _ in told.tasks} == {"start", "finish"}


async def test_up_with_other_settings_replaces_it(
    served: psutil.Process, engine: Engine, settings: Settings, tmp_path: Path
) -> None:
    assert (await left(settings)).pid == served.pid
    await left(settings, NEURIGRAPH_TOUCH_INTERVAL_S="61")
    await until(lambda: found(settings.home).pid != served.pid)
    assert not served.is_running() or served.status() == psutil.STATUS_ZOMBIE
    assert (await ended(began(settings, tmp_path, "user", "list", environment=OTHER_SETTINGS)))[2] == ""
    assert (await ended(began(settings, tmp_path, "user", "list")))[2] == "opened here\n"
    found(settings.home).kill()


async def test_where_it_was_killed_commands_open_the_engine(
    engine: Engine, settings: Settings, user: str, tmp_path: Path
) -> None:
    process = await left(settings)
    process.kill()
    code, _, errors = await ended(began(settings, tmp_path, "record", "write", "Alone", "--user", user), "A boat.\n")
    assert (code, errors) == (0, "opened here\n") and await titles(engine, user) == ["Alone"]
    again = await left(settings)
    await until(lambda: found(settings.home).pid != process.pid)
    again.kill()


async def test_where_it_is_killed_the_command_says_so_and_does_not_run_again(
    engine: Engine, settings: Settings, stack: Stack, tmp_path: Path
) -> None:
    process = await left(settings)
    await until(lambda: found(settings.home).pid)
    handle = f"p{uuid4().hex[:12]}"
    async with held(stack) as waiting:
        making = began(settings, tmp_path, "user", "create", handle)
        await until(waiting)
        process.kill()
        code, out, errors = await ended(making)
    assert (code, out) == (1, "") and "has ended; what it did is not known" in errors and "opened here" not in errors
    assert handle not in {one.handle for one in await engine.workspace.users.list(limit=MOST)}
