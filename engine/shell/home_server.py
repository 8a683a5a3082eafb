"""The server that `neurigraph up` leaves in a home: it has the engine open and carries out what commands call.

It holds no lease, so `down` does not wait for it: commands hold one themselves. It ends with the servers of the home, when its
code is no longer that on the disk, and when `up` is given other settings. See `engine.shell.remote`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import asdict
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.domain.ingest import UNLIMITED
from engine.embedded.layout import FileLock, Home, write_private
from engine.embedded.processes import identity_of
from engine.embedded.reach import Stack, State, read_state, running_server
from engine.errors import NeurigraphError
from engine.settings import Settings
from engine.shell import garbage
from engine.shell.remote import (
    PACKAGE,
    SOCKET,
    Advance,
    Answer,
    Call,
    ProgressHere,
    Reader,
    Refusal,
    Step,
    Welcome,
    Writer,
    code_here,
    connected,
    is_own_account,
    packed,
    received,
    settings_here,
)

if TYPE_CHECKING:
    from engine.neurigraph import Engine

log = logging.getLogger(__name__)
LOOK = 0.5
"""Seconds between two looks whether the servers of the home still run."""
PATIENCE = 30.0
"""Seconds that a new server waits for the end of one with older code, which ends after its calls."""
LONGEST_WARMING = 120.0
"""Seconds after which planning the first queries is given up."""
LONGEST_CLOSING = 10.0
"""Seconds that the engine may take to close: the stores may be gone."""
MOST_AT_ONCE = 64
"""Commands that are connected at once; further ones open the engine themselves."""


def is_there(settings: Settings) -> bool:
    """Whether a server was left in a home and runs."""
    return any(one.identity.process() is not None for one in running_server(Home(settings.home.absolute())))


async def start(settings: Settings, stack: Stack) -> None:
    """Starts the server of a home in the background, unless there is one with this code and these settings; another one ends."""
    async with connected(settings) as served:
        if served is not None:
            return
    home = Home(settings.home.absolute())
    for one in running_server(home):
        if (process := one.identity.process()) is not None:
            process.terminate()
    _leave(home, pickle.dumps((settings, stack)))


def _leave(home: Home, given: bytes) -> None:
    # Not as a module: the name of the program in help and errors is that of the command.
    program = (
        f"import sys; sys.path.append({str(PACKAGE.parent)!r}); from engine.shell import home_server as s; s.main()"
    )
    with home.log("commands").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", program], stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True
        )
        assert process.stdin is not None
        with process.stdin:  # not as arguments: they hold passwords
            process.stdin.write(given)


class HomeServer:
    """Takes calls from commands with the same code and settings. `runs`: whether the servers are those that the engine knows."""

    def __init__(self, engine: Engine, code: str, runs: Callable[[], bool]) -> None:
        self._engine, self._code, self._settings = engine, code, settings_here(engine.settings)
        self._runs = runs
        self._sessions: set[asyncio.Task[Any]] = set()
        self.current = True

    @property
    def busy(self) -> bool:
        """Whether commands are connected."""
        return bool(self._sessions)

    async def serve(self, reader: Reader, writer: Writer) -> None:
        """The calls of one command."""
        task = asyncio.current_task()
        assert task is not None
        self._sessions.add(task)
        try:
            with suppress(Exception):  # whatever it sends, other commands go on
                if await self._welcomed(reader, writer):
                    await self._called(reader, writer)
        finally:
            self._sessions.discard(task)
            writer.close()

    async def _welcomed(self, reader: Reader, writer: Writer) -> bool:
        """Whether the other end is a command of this account with this code and these settings: before nothing is unpickled."""
        connection: socket.socket = writer.get_extra_info("socket")
        self.current = self._code == await asyncio.to_thread(code_here)
        alike = is_own_account(connection) and self.current and self._runs() and len(self._sessions) <= MOST_AT_ONCE
        if not alike or (await reader.readline()).decode(errors="replace").rstrip("\n") != self._code:
            return False
        if await received(reader) != self._settings:
            return False
        writer.write(packed(Welcome(self._engine.installation.stopped_at_start)))
        return True

    async def _called(self, reader: Reader, writer: Writer) -> None:
        with ExitStack() as limits:
            block = 0
            while True:
                call: Call = await received(reader)
                if call.block != block:
                    limits.close()
                    block = call.block
                    if call.limits != UNLIMITED:
                        limits.enter_context(self._engine.spending(call.limits))
                answer = await self._answered(call, reader, writer)
                writer.write(_packed(answer))
                await writer.drain()

    async def _answered(self, call: Call, reader: Reader, writer: Writer) -> Answer | Refusal:
        """The answer of a call, which ends when its command leaves. Raises EOFError then."""
        work = asyncio.create_task(self._carried_out(call, writer))
        leaving = asyncio.create_task(reader.read(1))  # a command sends nothing while it waits
        await asyncio.wait((work, leaving), return_when=asyncio.FIRST_COMPLETED)
        left = not work.done()
        for task in (work, leaving):
            task.cancel()
        await asyncio.wait((work, leaving))
        if left:
            raise EOFError
        return work.result()

    async def _carried_out(self, call: Call, writer: Writer) -> Answer | Refusal:
        progress = _Sent(writer)

        def here(value: Any) -> Any:
            return progress if isinstance(value, ProgressHere) else value

        try:
            called = self._found(call.steps)
            named = {name: here(value) for name, value in call.named.items()}
            return Answer(await called(*map(here, call.given), **named))
        except Exception as error:
            if not isinstance(error, NeurigraphError | BaseExceptionGroup):
                log.exception("a call failed")
            return Refusal.of(error)

    def _found(self, steps: tuple[Step, ...]) -> Any:
        found: Any = self._engine
        for step in steps:
            found = getattr(found, step.name)
            if step.given is not None:
                found = found(*step.given, **step.named)
        return found


class _Sent:
    """A progress that tells the command."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def start(self, task: str, total: float | None, unit: str = "") -> None:
        self._send("start", task, total, unit)

    def advance(self, task: str, amount: float = 1) -> None:
        self._send("advance", task, amount)

    def finish(self, task: str, note: str = "") -> None:
        self._send("finish", task, note)

    def _send(self, method: str, *given: Any) -> None:
        self._writer.write(packed(Advance(method, given)))


def _packed(answer: Answer | Refusal) -> bytes:
    """An error that cannot be pickled is told in words."""
    try:
        return packed(answer)
    except Exception as error:  # noqa: BLE001 (pickle raises many kinds)
        told = answer.error() if isinstance(answer, Refusal) else error
        return packed(Refusal.of(RuntimeError(f"{type(told).__name__}: {told}")))


@asynccontextmanager
async def _listening(server: HomeServer, home: Home) -> AsyncIterator[None]:
    """Within this, the socket is there; one that a server has left is replaced."""
    async with await asyncio.start_unix_server(server.serve, sock=_bound(home), limit=2**20):
        if (own := identity_of(os.getpid())) is not None:
            write_private(home.commands, asdict(own))  # for `neurigraph status`
        yield


def _bound(home: Home) -> socket.socket:
    """The socket of a home, which the account alone may use; one that a server has left is replaced."""
    os.chdir(home.folder)  # its path may have 100 bytes only
    Path(SOCKET).unlink(missing_ok=True)
    made, before = socket.socket(socket.AF_UNIX), os.umask(0o177)
    try:
        made.bind(SOCKET)
    finally:
        os.umask(before)
    return made


async def _run(settings: Settings, stack: Stack, state: State, code: str) -> None:
    """Serves until the servers of the home end, the code on the disk is another, or a signal comes; then commands that are
    connected come to their end."""
    home, ended = Home(settings.home.absolute()), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    opening = import_module("engine.wiring.open_engine").open_engine
    addresses = import_module("engine.wiring.addresses").embedded_addresses(settings, stack)
    async with opening(settings, addresses=addresses, worker=False, warming=False) as engine:
        server = HomeServer(engine, code, partial(_runs, home, state))
        async with _listening(server, home):
            warming = asyncio.create_task(_warm(engine))
            while _runs(home, state) and (server.busy or not ended.is_set()):
                await asyncio.sleep(LOOK)
                if not server.current:
                    ended.set()
            warming.cancel()
        asyncio.get_running_loop().call_later(LONGEST_CLOSING, os._exit, 0)


def _runs(home: Home, state: State) -> bool:
    """Whether the servers of the home are those that the engine was opened with."""
    now = read_state(home)
    return now is not None and (now.token, now.servers) == (state.token, state.servers)


async def _warm(engine: Engine) -> None:
    """Has the servers plan what the first commands ask."""
    with suppress(NeurigraphError, TimeoutError):
        async with asyncio.timeout(LONGEST_WARMING):
            await import_module("engine.wiring.warming").warm_commands(engine)


def _taken(lock: FileLock) -> bool:
    """Whether this process has the lock; the server before may have it for a moment."""
    deadline = time.monotonic() + PATIENCE
    while not (taken := lock.take()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return taken


def main() -> None:
    """Serves a home in this process."""
    code = code_here()  # before the rest of it is loaded
    settings, stack = pickle.load(sys.stdin.buffer)  # of `start`
    logging.basicConfig(handlers=[logging.NullHandler()])  # servers that end meanwhile are no error
    log.addHandler(logging.StreamHandler())  # what is one stands in the log of the home
    home = Home(settings.home.absolute())
    state, lock = read_state(home), FileLock(home.folder / f"{SOCKET}.lock")
    if state is not None and _taken(lock):
        garbage.rarely()
        with suppress(NeurigraphError):  # the servers have ended meanwhile
            asyncio.run(_run(settings, stack, state, code))
