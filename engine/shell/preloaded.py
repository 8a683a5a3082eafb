"""The process that has the engine loaded and forks for each command: `start` starts it in the background.

It has one thread and never opens a store; each child does that for itself, as a command that runs alone. The first child is no
command: it has the servers plan what the first commands will ask. It ends with the servers of the home, and when its code is no
longer that on the disk. See `engine.shell.preloading`.
"""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from engine.embedded.file_locks import FileLock
from engine.embedded.layout import Home, write_private
from engine.embedded.processes import identity_of
from engine.embedded.reach import Stack, read_state
from engine.errors import NeurigraphError
from engine.settings import Settings
from engine.shell import garbage
from engine.shell.preloading import AT_MOST, GO, PACKAGE, SOCKET, inherited, is_own_account, listens, run_here

LOOK = 0.5
"""Seconds between two looks whether the servers of the home still run."""
LONGEST = 16 * 2**20
"""Bytes of a request at most: arguments and environment, of which the system allows less."""
PATIENCE = 30.0
"""Seconds that a new process waits for the end of one with older code, which ends after its commands."""
LONGEST_WARMING = 120.0
"""Seconds after which the child that warms gives up."""
FILES = 4
"""Standard input, output and errors of a command, and its folder."""


@dataclass(frozen=True, slots=True)
class Request:
    """A command as it was handed over."""

    arguments: list[str]
    environment: dict[str, str]
    umask: int
    files: tuple[int, ...]


class Forks:
    """Listens, forks for each command, and sends back exit codes."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening, self._inherited, self._current = listening, inherited(), True
        self._running: dict[int, socket.socket] = {}
        self._events, (self._woken, self._waking) = selectors.DefaultSelector(), socket.socketpair()
        for one in (self._woken, self._waking):
            one.setblocking(False)
        signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        self._events.register(self._woken, selectors.EVENT_READ)
        self._events.register(listening, selectors.EVENT_READ)

    def request(self, wanted: Callable[[], bool]) -> Request | None:
        """In each child the command that it has to run; in this process None, when it is no longer wanted."""
        while (wanted() and self._current) or self._running:
            for key, _ in self._events.select(LOOK):
                if key.fileobj is self._listening:
                    with suppress(ConnectionAbortedError, BlockingIOError):  # the caller has left
                        if (request := self._forked(self._listening.accept()[0])) is not None:
                            return request
                elif key.fileobj is self._woken:
                    with suppress(BlockingIOError):
                        self._woken.recv(4096)
                else:
                    self._end(key.data)
            self._report()
        return None

    def _forked(self, connection: socket.socket) -> Request | None:
        """Forks for the command of a connection: in the child the request, here None."""
        files: list[int] = []
        try:
            connection.settimeout(AT_MOST)
            if not is_own_account(connection):
                raise PermissionError
            _, files, _, _ = socket.recv_fds(connection, 1, FILES)
            received = connection.makefile("rb")
            asked = json.loads(received.readline(LONGEST))
            request = Request(asked["arguments"], asked["environment"], asked["umask"], tuple(files))
            self._current = self._inherited == inherited()
            if (
                self._current
                and asked["inherited"] == self._inherited
                and len(files) == FILES
                and self._ready(connection, received)
            ):
                process = os.fork()
                if not process:
                    files = []
                    self._forget(connection)
                    return request
                self._running[process] = connection
                self._events.register(connection, selectors.EVENT_READ, process)
                connection.sendall(json.dumps({"process": process}).encode() + b"\n")
                return None
        except (OSError, ValueError, KeyError, TypeError):  # a caller that has left, or nonsense
            if connection in self._running.values():
                return None  # its end is seen as that of others
        finally:
            for file in files:
                os.close(file)
        connection.close()
        return None

    def _ready(self, connection: socket.socket, received: BinaryIO) -> bool:
        """Whether the caller wants it to run here. One that has lost patience runs it itself."""
        connection.sendall(b'{"ready": true}\n')
        return received.read(1) == GO

    def _end(self, process: int) -> None:
        """Ends a command whose caller has left."""
        self._events.unregister(self._running[process])
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)

    def _report(self) -> None:
        """Sends the exit codes of commands that have ended."""
        for process, connection in list(self._running.items()):
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                number = os.waitstatus_to_exitcode(status)
                with suppress(OSError):
                    connection.sendall(json.dumps({"code": number if number >= 0 else 128 - number}).encode() + b"\n")
                with suppress(KeyError):
                    self._events.unregister(connection)
                connection.close()
                del self._running[process]

    def _forget(self, connection: socket.socket) -> None:
        """For a child: nothing of this process stays open or listens to signals."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._events.close()
        for one in (self._listening, self._woken, self._waking, connection, *self._running.values()):
            one.close()


def become(request: Request) -> None:
    """Takes over the input, output, folder, environment and arguments of a command."""
    os.setsid()
    for number, file in enumerate(request.files[:3]):
        os.dup2(file, number)
    os.fchdir(request.files[3])
    for file in request.files:
        os.close(file)
    os.umask(request.umask)
    os.environ.clear()
    os.environ.update(request.environment)
    time.tzset()
    sys.argv = request.arguments
    sys.stdin, sys.stdout, sys.stderr = _stream(0, sys.stdin), _stream(1, sys.stdout), _stream(2, sys.stderr)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _stream(number: int, like: Any) -> io.TextIOWrapper:
    """A standard stream as Python opens it at its start."""
    buffered: Any = open(number, "wb" if number else "rb", closefd=False)  # noqa: SIM115 (as long as the process)
    return io.TextIOWrapper(buffered, like.encoding, like.errors, line_buffering=number == 2 or buffered.isatty())


def _listening() -> socket.socket:
    """The socket in the working directory; one that a process has left is replaced."""
    listening = socket.socket(socket.AF_UNIX)
    os.umask(0o077)
    Path(SOCKET).unlink(missing_ok=True)
    listening.bind(SOCKET)
    listening.listen(32)
    listening.setblocking(False)
    return listening


def start(folder: Path, cache: Path | None = None, stack: Stack | None = None) -> None:
    """Starts the process for a home, in the background, unless one is there already. With `stack`, servers that have just been
    started, it has these plan the first queries."""
    if listens(folder):
        return
    # Not as a module: the name of the program in help and errors is that of the command.
    program = (
        f"import sys; sys.path.append({str(PACKAGE.parent)!r}); from engine.shell import preloaded; preloaded.main()"
    )
    with Home(folder).log("commands").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", program, str(folder)],
            cwd="/", stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True, text=True,
        )  # fmt: skip
        assert process.stdin is not None
        with process.stdin:  # not as arguments: they hold passwords
            given = {"folder": os.getcwd(), "cache": str(cache), "stack": stack.as_json()} if stack else None
            json.dump(given, process.stdin)


def _taken(lock: FileLock) -> bool:
    """Whether this process has the lock; one with older code may have it for a moment."""
    deadline = time.monotonic() + PATIENCE
    while not (taken := lock.take()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return taken


def _warm(home: Path, lock: FileLock, given: dict[str, Any]) -> None:
    """In a child of a child, which nobody waits for: has the servers plan what the first commands ask. It takes no lease, so
    `down` does not wait for it, and starts no servers."""
    if child := os.fork():
        os.waitpid(child, 0)
        return
    if not os.fork():
        lock.give_back()
        logging.basicConfig(handlers=[logging.NullHandler()])  # servers that end meanwhile are no error
        os.nice(10)  # a command that comes meanwhile goes first
        os.chdir(given["folder"])  # where `up` had its .env
        asyncio.run(_warmed(Settings(home=home, cache=Path(given["cache"])), Stack.from_json(given["stack"])))
    os._exit(0)


async def _warmed(settings: Settings, stack: Stack) -> None:
    opening = import_module("engine.wiring.open_engine").open_engine
    addresses = import_module("engine.wiring.addresses").embedded_addresses(settings, stack)
    with suppress(NeurigraphError, TimeoutError):
        async with asyncio.timeout(LONGEST_WARMING), opening(settings, addresses=addresses, warming=False) as engine:
            await import_module("engine.wiring.warming").warm_commands(engine)


def main() -> None:
    """Listens until the servers of the home end; in each child runs a command and ends with its exit code."""
    home, given = Home(Path(sys.argv[1])), json.load(sys.stdin)
    os.chdir(home.folder)
    lock, first = FileLock(home.folder / f"{SOCKET}.lock"), read_state(home)
    if first is None or not _taken(lock):
        return
    with garbage.importing():
        import_module("engine.wiring.open_engine")
        list(import_module("engine.shell.application").command().commands.values())  # the modules of all commands
    if given is not None:
        _warm(home.folder, lock, given)
    forks = Forks(_listening())
    if (own := identity_of(os.getpid())) is not None:
        write_private(home.commands, asdict(own))  # for `neurigraph status`
    request = forks.request(lambda: (state := read_state(home)) is not None and state.token == first.token)
    if request is not None:
        lock.give_back()
        become(request)
        run_here()
