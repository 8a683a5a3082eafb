"""Attaches a process to a stack: prepare the files, find or start the supervisor, hold a lease.

`attached` is the entry point; `keep_running` and `stop` are for the shell's `up` and `down`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

from engine.embedded.door import LOCK_HELD, LONGEST_LINE, Message, messages, receive, replay, send
from engine.embedded.downloads import BROWSER, NEO4J, fetch, read_lock
from engine.embedded.java import find_java
from engine.embedded.layout import Cache, Home, is_held
from engine.embedded.processes import end_strays
from engine.embedded.reach import Stack, State, read_state
from engine.embedded.readiness import LONGEST_START, LOOPBACK, last_words
from engine.errors import DownloadFailed, MissingPrerequisite, StackError
from engine.progress import Progress, Silent

_ERRORS = {kind.__name__: kind for kind in (StackError, DownloadFailed, MissingPrerequisite)}
CHECKOUT = Path(__file__).resolve().parents[2]
ATTEMPTS = 3
"""How many supervisors may end without an answer before the caller gets an error."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A caller's request: the home, the cache, the options."""

    home: Path
    cache: Path
    progress: Progress
    base_url: str | None = None
    browser: bool = False
    restart: bool = False
    """Whether Neo4j may be restarted for the browser under processes that use it."""
    restoring: bool = False
    """Whether it is the restore itself that asks."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A stack and the connection that keeps it alive."""

    stack: Stack
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class _Ending(Exception):
    """This supervisor is about to end or has ended; retry with the next one."""


@asynccontextmanager
async def attached(
    home: Path, cache: Path, *, progress: Progress, base_url: str | None = None, restoring: bool = False
) -> AsyncIterator[Stack]:
    """The stack of a home, for the length of the block; started if it does not run. `restoring`: for the restore itself, whose
    home is closed to all others until what was forgotten since the backup is forgotten there, too.

    When the last process has left, the servers end after a few seconds, unless they are kept. A supervisor that
    dies meanwhile is replaced, as a rule on the same ports. Raises StackError and its kinds.
    """
    wish = Wish(_whole(home), _whole(cache), progress, base_url, restoring=restoring)
    lease = await _reach(wish, "attach")
    holding = asyncio.create_task(_hold(wish, lease))
    try:
        yield lease.stack
    finally:
        holding.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await holding


async def keep_running(
    home: Path,
    cache: Path,
    *,
    progress: Progress,
    base_url: str | None = None,
    browser: bool = False,
    restart: bool = False,
) -> Stack:
    """Start the stack, if it does not run, and leave it running until `stop`.

    Where it runs without the browser, Neo4j is restarted; raises StackError where others use it, unless `restart`.
    """
    lease = await _reach(Wish(_whole(home), _whole(cache), progress, base_url, browser, restart), "keep")
    lease.writer.close()
    return lease.stack


async def stop(home: Path) -> bool:
    """End the stack cleanly, also while processes use it; True when something ran. Returns when it has ended.

    Attached processes do not restart it; they attach again when another process has started it. Raises StackError where other
    accounts may write into the home: its state would name processes of their choice.
    """
    place = Home(_whole(home))
    place.refuse_if_shared()
    state = read_state(place)
    stopped = False
    if state:
        with contextlib.suppress(_Ending):
            reader, writer = await _knock(state, {"ask": "stop"})
            stopped = await receive(reader) is not None
            writer.close()
    while is_held(place.lock) or (state and state.alive):  # noqa: ASYNC110 (another process)
        await asyncio.sleep(0.05)
    # Servers of a dead supervisor.
    return await end_strays((place.neo4j, place.postgres / "data"), 30) or stopped


def _whole(folder: Path) -> Path:
    return Path(os.path.abspath(folder.expanduser()))


async def _hold(wish: Wish, lease: Lease) -> None:
    """Keep the lease; when the supervisor dies, take one on its successor.

    After a `stop` the successor is one that another process has started.
    """
    again = replace(wish, progress=Silent())
    home = Home(wish.home)
    while True:
        before = read_state(home)
        try:
            said = await receive(lease.reader)
        finally:
            lease.writer.close()
        if said and "stopped" in said:
            await _until_started(home, before)
        lease = await _reach_patiently(again)


async def _until_started(home: Home, before: State | None) -> None:
    """Wait until another supervisor runs than the one before, which may take a while to end."""
    while (state := read_state(home)) is None or (before and state.token == before.token):  # noqa: ASYNC110
        await asyncio.sleep(0.5)


async def _reach_patiently(wish: Wish) -> Lease:
    """Retry until a supervisor answers. Callers see errors on their own connections meanwhile."""
    while True:
        try:
            return await _reach(wish, "attach")
        except StackError:
            await asyncio.sleep(2)


async def _reach(wish: Wish, ask: str) -> Lease:
    """Ask the supervisor of the home, starting one if there is none."""
    home = Home(wish.home)
    home.refuse_if_shared()
    if home.restoring.exists() or (home.forgetting_again.exists() and not wish.restoring):
        raise StackError(f"A restore of {home.folder} was cut off: run `neurigraph restore` again.")
    deadline = time.monotonic() + LONGEST_START
    prepared = False
    started = 0
    if wish.browser:
        # Also when the stack runs: its starter may not have requested this.
        await fetch(read_lock(BROWSER), Cache(wish.cache), wish.progress, base_url=wish.base_url)
    while time.monotonic() < deadline:
        state = read_state(home)
        if state is None and not is_held(home.lock):
            if started == ATTEMPTS:
                raise StackError(f"The supervisor ended at once: {last_words(home.logs / 'supervisor.log')}")
            if not prepared:
                await _prepare(wish)
                prepared = True
                continue
            started += await _start_supervisor(wish)
        elif state is not None:
            with contextlib.suppress(_Ending):
                return await _ask_for_stack(state, wish, ask)
        await asyncio.sleep(0.05)
    raise StackError(f"The servers did not come up within {LONGEST_START:g} s.")


async def _prepare(wish: Wish) -> None:
    """Fetch what the servers need and make the Java start cache; nothing is started."""
    cache = Cache(wish.cache)
    jars = await fetch(read_lock(NEO4J), cache, wish.progress, base_url=wish.base_url)
    # late: it loads a driver, which takes longer than what most callers do here
    await import_module("engine.embedded.neo4j_server").ensure_start_cache(find_java(cache, jars), cache, wish.progress)


async def _ask_for_stack(state: State, wish: Wish, ask: str) -> Lease:
    asked = {"ask": ask, "browser": wish.browser, "restart": wish.restart, "holder": _own_name()}
    reader, writer = await _knock(state, asked)
    try:
        async for message in messages(reader):
            if "progress" in message:
                replay(message, wish.progress)
            elif "stack" in message:
                return Lease(Stack.from_json(message["stack"]), reader, writer)
            elif "error" in message:
                if message["final"]:
                    await reader.read()
                raise _ERRORS[message["error"]](message["detail"])
            else:
                break
        raise _Ending
    except BaseException:
        writer.close()
        raise


def _own_name() -> str:
    """The readable name of this process: `neurigraph serve (process 4711)`."""
    name, words = Path(sys.argv[0]).stem, iter(sys.argv[1:])
    command = ""
    for word in words:
        if word in ("--home", "--cache"):
            next(words, None)
        elif not word.startswith("-"):
            command = word
            break
    own = f"neurigraph {command}" if name in ("neurigraph", "cli") else name or "python"
    return f"{own.strip()[:60]} (process {os.getpid()})"


async def _knock(state: State, message: Message) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    try:
        reader, writer = await asyncio.open_connection(LOOPBACK, state.supervisor.port, limit=LONGEST_LINE)
        await send(writer, {"token": state.token, **message})
    except OSError as error:
        raise _Ending from error
    return reader, writer


async def _start_supervisor(wish: Wish) -> int:
    """Start a supervisor in the background; 0 when another process was faster."""
    # -P: a module beside the caller must not shadow a module of the engine.
    command = [sys.executable, "-P", "-m", "engine.embedded.supervisor", str(wish.home), str(wish.cache)]
    import_path = [str(CHECKOUT), os.environ.get("PYTHONPATH", "")]
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd="/",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, import_path))},
    )
    _, complaint = await process.communicate()
    if process.returncode not in (0, LOCK_HELD):
        words = complaint.decode(errors="replace").strip().splitlines() or ["it printed nothing."]
        raise StackError(f"The supervisor could not be started: {words[-1]}")
    return int(process.returncode == 0)
