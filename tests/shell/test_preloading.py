"""Commands that a process with the engine loaded runs: the same as those that run by themselves, also when something goes wrong."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

from engine.embedded import attached, status
from engine.neurigraph import Engine
from engine.progress import Silent
from engine.settings import Settings
from engine.shell import preloaded
from engine.shell.preloading import SOCKET, inherited, is_own_account, listens
from engine.wiring.open_engine import open_engine
from engine.wiring.warming import warm_commands
from tests.clean_environment import CLEAN
from tests.retrieval.test_warming import planned

pytestmark = pytest.mark.ledger("U05")

ENVIRONMENT = CLEAN | {"NEURIGRAPH_WORKSPACE": "tests", "NEURIGRAPH_PRELOAD": "true"}
ALONE = ENVIRONMENT | {"NEURIGRAPH_PRELOAD": "false"}
ANOTHER_PYTHON = ENVIRONMENT | {"PYTHONHASHSEED": "1"}
"""Another setting of the interpreter than the loaded process has."""


@pytest.fixture(scope="module")
def loaded(engine: Engine, settings: Settings) -> Iterator[psutil.Process]:
    preloaded.start(settings.home)
    process = found(settings.home)
    yield process
    for server in status(settings.home).servers:
        if server.name == "commands":
            psutil.Process(server.pid).kill()


def found(home: Path) -> psutil.Process:
    """The loaded process of a home, when it listens."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for server in status(home).servers:
            if server.name == "commands":
                return psutil.Process(server.pid)
        time.sleep(0.1)
    raise AssertionError((home / "logs" / "commands.log").read_text())


def until(holds: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
async def user(engine: Engine) -> str:
    handle = f"p{uuid4().hex[:12]}"
    await engine.workspace.users.create(handle, "Bob")
    return handle


def command(settings: Settings) -> list[str]:
    program = "import sys; sys.argv[0] = 'neurigraph'; from engine.cli import main; main()"
    return [sys.executable, "-c", program, "--home", str(settings.home), "--cache", str(settings.cache)]


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


async def child(loaded: psutil.Process) -> psutil.Process:
    """The process that runs the one command."""
    for _ in range(1200):
        if children := loaded.children():
            return children[0]
        await asyncio.sleep(0.05)
    raise AssertionError("no command runs there")


async def titles(engine: Engine, handle: str) -> list[str]:
    user = await engine.workspace.users.find(handle)
    return [record.title for record in (await engine.memory(user.user_id).nodes.metadata(user.user_id)).records]


async def test_up_has_the_first_queries_planned_without_waiting_for_it(settings: Settings, tmp_path: Path) -> None:
    """By a process that holds no lease: `status` names nobody, and `down` is not refused meanwhile."""
    home = tmp_path / "home"
    own = settings.model_copy(update={"home": home})

    async def run(name: str) -> None:
        await asyncio.to_thread(subprocess.run, [*command(own), name], env=ENVIRONMENT, check=True, capture_output=True)

    await run("up")
    try:
        loaded = found(home)
        assert status(home).holders == ()
        until(lambda: len(children_of(loaded)) == 0, seconds=120)
        async with attached(home, own.cache, progress=Silent()) as stack, open_engine(own, warming=False) as fresh:
            before = await planned(fresh, stack)
            await warm_commands(fresh)
            assert before >= await planned(fresh, stack)
        assert (home / "logs" / "commands.log").read_text() == ""
    finally:
        await run("down")


def children_of(loaded: psutil.Process) -> list[psutil.Process]:
    """Processes that it forked and that nobody waits for."""
    line = loaded.cmdline()
    return [one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == line and one.pid != loaded.pid]


async def test_it_reads_and_writes_what_the_command_was_given(
    loaded: psutil.Process, engine: Engine, settings: Settings, user: str, tmp_path: Path
) -> None:
    by_stdin = began(settings, tmp_path, "record", "write", "Said", "--user", user, "--json")
    assert (await child(loaded)).ppid() == loaded.pid
    code, out, errors = await ended(by_stdin, "Ellen has sold the boat.\n")
    assert code == 0 and json.loads(out), errors
    (tmp_path / "note.txt").write_text("Dave looks for another boat.")
    code, out, errors = await ended(began(settings, tmp_path, "record", "write", "File", "note.txt", "--user", user))
    assert code == 0, errors
    assert sorted(await titles(engine, user)) == ["File", "Said"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("tree", "--json"),
        ("tree", "--user", "nobody-at-all"),
        ("entity", "show"),
        ("no-such-command",),
        ("record", "write", "--help"),
    ],
)
async def test_output_errors_and_exit_code_are_those_of_a_command_alone(
    loaded: psutil.Process, settings: Settings, user: str, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    whose = ("--user", user) if arguments == ("tree", "--json") else ()
    both = [began(settings, tmp_path, *arguments, *whose, environment=one) for one in (ENVIRONMENT, ALONE)]
    there, here = await asyncio.gather(*(ended(one) for one in both))
    assert there == here


@pytest.mark.parametrize("environment", [ALONE, ANOTHER_PYTHON])
async def test_it_runs_by_itself_where_that_is_wanted_or_needed(
    loaded: psutil.Process, engine: Engine, settings: Settings, user: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    writing = began(settings, tmp_path, "record", "write", "Alone", "--user", user, environment=environment)
    ending = asyncio.create_task(ended(writing, "A boat.\n"))
    while not ending.done():
        assert not loaded.children()
        await asyncio.wait([ending], timeout=0.05)
    assert ending.result()[0] == 0 and await titles(engine, user) == ["Alone"]


async def test_ctrl_c_ends_the_command_there(
    loaded: psutil.Process, engine: Engine, settings: Settings, user: str, tmp_path: Path
) -> None:
    writing = began(settings, tmp_path, "record", "write", "Cut off", "--user", user)
    there = await child(loaded)
    writing.send_signal(signal.SIGINT)
    code, out, errors = await ended(writing)
    assert (code, out, errors.strip()) == (130, "", "Interrupted.")
    await asyncio.to_thread(there.wait, 30)
    assert await titles(engine, user) == []


async def test_a_command_whose_caller_was_killed_ends(
    loaded: psutil.Process, engine: Engine, settings: Settings, user: str, tmp_path: Path
) -> None:
    writing = began(settings, tmp_path, "record", "write", "Cut off", "--user", user)
    there = await child(loaded)
    writing.kill()
    await asyncio.to_thread(there.wait, 30)
    await ended(writing)
    assert await titles(engine, user) == []


async def test_a_command_that_is_killed_there_has_the_code_of_the_signal(
    loaded: psutil.Process, settings: Settings, user: str, tmp_path: Path
) -> None:
    writing = began(settings, tmp_path, "record", "write", "Cut off", "--user", user)
    (await child(loaded)).kill()
    assert (await ended(writing))[0] == 128 + signal.SIGKILL


async def test_a_stopped_command_stops_there_until_it_goes_on(
    loaded: psutil.Process, engine: Engine, settings: Settings, user: str, tmp_path: Path
) -> None:
    writing = began(settings, tmp_path, "record", "write", "Stopped", "--user", user)
    there, here = await child(loaded), psutil.Process(writing.pid)
    writing.send_signal(signal.SIGTSTP)
    await asyncio.to_thread(until, lambda: {there.status(), here.status()} == {psutil.STATUS_STOPPED})
    writing.send_signal(signal.SIGCONT)
    code, _, errors = await ended(writing, "Ellen has sold the boat.\n")
    assert code == 0, errors
    assert await titles(engine, user) == ["Stopped"]


async def test_the_shell_that_wants_completions_is_found(
    loaded: psutil.Process, settings: Settings, tmp_path: Path
) -> None:
    from_bash = ["bash", "-c", '"$@"; exit $?', "bash", *command(settings), "--show-completion"]
    done = await asyncio.to_thread(
        subprocess.run, from_bash, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True
    )
    assert done.returncode == 0 and "complete" in done.stdout, done


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a folder to another user")
async def test_nothing_is_handed_over_in_the_home_of_another_user(settings: Settings) -> None:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{folder}/{SOCKET}")
        listening.listen()
        listening.settimeout(0.1)
        os.chown(folder, 54321, -1)
        assert not await asyncio.to_thread(listens, Path(folder))
        with pytest.raises(TimeoutError):
            listening.accept()


async def test_nothing_is_handed_over_in_a_home_that_others_may_write() -> None:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{folder}/{SOCKET}")
        listening.listen()
        listening.settimeout(0.1)
        os.chmod(folder, 0o720)
        assert not await asyncio.to_thread(listens, Path(folder))
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


async def test_other_limits_of_the_caller_are_seen() -> None:
    said = "from engine.shell.preloading import inherited; print(inherited())"
    done = await asyncio.to_thread(
        subprocess.run, ["sh", "-c", 'ulimit -n 300; exec "$@"', "sh", sys.executable, "-c", said],
        env=ENVIRONMENT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() != inherited()


@pytest.mark.parametrize("stream", ["0", "1", "2"])
async def test_a_closed_stream_changes_nothing(
    loaded: psutil.Process, settings: Settings, user: str, tmp_path: Path, stream: str
) -> None:
    closing = ["sh", "-c", f'exec {stream}>&-; exec "$@"', "sh"]
    done = await asyncio.to_thread(
        subprocess.run,
        [*closing, *command(settings), "tree", "--user", user],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and ("Bob" in done.stdout or stream == "1") and "Traceback" not in done.stderr, done


async def test_nonsense_and_callers_that_leave_do_not_end_it(
    loaded: psutil.Process, settings: Settings, user: str, tmp_path: Path
) -> None:
    whole = {
        "arguments": ["neurigraph", "tree"],
        "environment": dict(os.environ),
        "umask": 0o22,
        "inherited": inherited(),
    }
    lines = (b"", b"\n", b"\nnonsense\n", b"\n{}\n", b"\n" + json.dumps(whole).encode() + b"\n")
    for line in lines:
        for files in ([], [0], [0, 1, 2, 0]):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(settings.home / SOCKET))
                if line:
                    socket.send_fds(connection, [line[:1]], files)
                    connection.sendall(line[1:])
    assert not loaded.children()  # none of them said that it waits
    writing = began(settings, tmp_path, "record", "write", "Later", "--user", user)
    assert (await child(loaded)).is_running()
    assert (await ended(writing, "Ellen has sold the boat.\n"))[0] == 0


async def test_many_commands_run_at_once(
    loaded: psutil.Process, engine: Engine, settings: Settings, user: str, tmp_path: Path
) -> None:
    running = [began(settings, tmp_path, "record", "write", f"{number}", "--user", user) for number in range(6)]
    ends = await asyncio.gather(*(ended(one, f"Ellen has sold boat {number}.\n") for number, one in enumerate(running)))
    assert [code for code, _, _ in ends] == [0] * 6, ends
    assert sorted(await titles(engine, user)) == [f"{number}" for number in range(6)]


async def test_where_it_was_killed_commands_run_alone(
    loaded: psutil.Process, engine: Engine, settings: Settings, user: str, tmp_path: Path
) -> None:
    """The last of them: it ends the process."""
    loaded.kill()
    code, _, errors = await ended(began(settings, tmp_path, "record", "write", "Alone", "--user", user), "A boat.\n")
    assert code == 0, errors
    assert await titles(engine, user) == ["Alone"]
    preloaded.start(settings.home)
    assert found(settings.home).pid != loaded.pid


async def test_where_it_is_killed_the_command_there_ends_and_does_not_run_again(
    loaded: psutil.Process, engine: Engine, settings: Settings, user: str, tmp_path: Path
) -> None:
    """Also where the errors have no room."""
    preloaded.start(settings.home)
    process = found(settings.home)
    full = ["sh", "-c", 'exec "$@" 2>/dev/full', "sh", *command(settings), "record", "write", "Once", "--user", user]
    writing = subprocess.Popen(  # noqa: ASYNC220 (it goes on beside this)
        full, cwd=tmp_path, env=ENVIRONMENT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    there = await child(process)
    await asyncio.sleep(1)
    process.kill()
    assert await asyncio.to_thread(writing.wait, 30) == 1  # run again, it would wait for its input
    await asyncio.to_thread(there.wait, 30)
    await ended(writing)
    assert await titles(engine, user) == []
    preloaded.start(settings.home)
