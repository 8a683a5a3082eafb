"""Operations called at the server that `neurigraph up` leaves in a home: what both sides have in common, and the command's side.

Opening the engine takes a second and more, most operations a hundredth of it. The server (`engine.shell.home_server`) has it open
and listens on a socket in the home. A command that finds one with its own code and settings calls the operations there; where
none listens, or one with other code or settings, the command opens the engine itself.

    command                              server
    code of the command, settings   →
                                    ←    Welcome, or the end of the connection
    Call: a path, arguments         →
                                    ←    Advance …           progress, where the operation reports it
                                    ←    Answer or Refusal

Both ends are the same code of the same account, so values go as Python pickles them. The socket lies in a folder that only the
account may write, and each end asks the system whose process the other one is.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import socket
import struct
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from uuid import UUID

from engine.domain.ingest import UNLIMITED, Limits
from engine.domain.principal import Principal
from engine.embedded import attached
from engine.errors import NeurigraphError, StackError
from engine.progress import Progress, Silent
from engine.settings import Settings

if TYPE_CHECKING:
    from engine.neurigraph import Engine

SOCKET = "commands.sock"
"""In the home, which is the owner's alone."""
PACKAGE = Path(__file__).resolve().parents[1]
AT_MOST = 2.0
"""Seconds until a server has taken a command; after that the command opens the engine itself."""
LONGEST = 2**30
"""Bytes of a message at most."""
ENDED = "The server of the home, which carried out the operation, has ended; what it did is not known."
_READ_AT_START = ("PYTHON", "TZ", "SSL_", "HTTP_", "HTTPS_", "ALL_PROXY", "NO_PROXY", "OMP_", "OPENBLAS_")
"""Variables beside the settings that Python and its libraries read: they must be those that the server was started with."""

Reader: TypeAlias = asyncio.StreamReader
Writer: TypeAlias = asyncio.StreamWriter


@dataclass(frozen=True, slots=True)
class Step:
    """From an engine to what is called: an attribute, or what a method gives."""

    name: str
    given: tuple[Any, ...] | None = None
    named: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """The call of an operation. `limits`: of the models for all calls with this `block`, which is 0 outside of one."""

    steps: tuple[Step, ...]
    given: tuple[Any, ...]
    named: dict[str, Any]
    block: int = 0
    limits: Limits = UNLIMITED


@dataclass(frozen=True, slots=True)
class Welcome:
    """The server takes calls. `stopped`: why nothing may be written; see `Installation.stopped_at_start`."""

    stopped: str | None


@dataclass(frozen=True, slots=True)
class Advance:
    """A call of the caller's progress."""

    method: str
    given: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What an operation gave."""

    value: Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error: its class, arguments and attributes, since not every error can be made from its arguments."""

    kind: type[BaseException]
    given: tuple[Any, ...]
    named: dict[str, Any]

    @classmethod
    def of(cls, error: BaseException) -> Refusal:
        return cls(type(error), error.args, dict(vars(error)))

    def error(self) -> BaseException:
        made = self.kind.__new__(self.kind, *self.given)
        vars(made).update(self.named)
        return made


class ProgressHere:
    """In place of a progress among the arguments of a call: it is told by messages."""


def code_here() -> str:
    """What both ends must have in common: the code and when a file of it was last changed, when a package was installed, Python,
    and what its libraries read from the environment."""
    changed = max(one.stat().st_mtime_ns for one in _files(PACKAGE))
    installed = [os.stat(one).st_mtime_ns for one in sys.path if one.endswith("-packages") and os.path.isdir(one)]
    read = sorted(one for one in os.environ.items() if one[0].upper().startswith(_READ_AT_START))
    return repr((str(PACKAGE), changed, installed, sys.prefix, sys.version, read))


def _files(folder: Path) -> list[os.DirEntry[str]]:
    found, waiting = [], [os.fspath(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    found.append(entry)
                elif entry.is_dir() and entry.name != "__pycache__":
                    waiting.append(entry.path)
    return found


def settings_here(settings: Settings) -> dict[str, Any]:
    """Settings as they are compared: a path means the same wherever the command was started."""
    return {name: one.absolute() if isinstance(one, Path) else one for name, one in settings.model_dump().items()}


def is_own_account(connection: socket.socket) -> bool:
    """Whether the other end of a Unix socket is a process of this account; True where the system does not say."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    given = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    account: int = struct.unpack("3i", given)[1]
    return account == os.geteuid()


def packed(message: object) -> bytes:
    """A message as it is sent: its length, then its pickle."""
    content = pickle.dumps(message)
    return struct.pack("!Q", len(content)) + content


async def received(reader: Reader) -> Any:
    """The next message. Raises EOFError at the end, ValueError for what is none."""
    try:
        (length,) = struct.unpack("!Q", await reader.readexactly(8))
        if length > LONGEST:
            raise ValueError
        return pickle.loads(await reader.readexactly(length))  # of the same account: see the module
    except asyncio.IncompleteReadError as error:
        raise EOFError from error


class Session:
    """A connection to a server; one call after the other."""

    def __init__(self, reader: Reader, writer: Writer, stopped: str | None) -> None:
        self._reader, self._writer, self._turn = reader, writer, asyncio.Lock()
        self._block, self._limits, self._blocks = 0, UNLIMITED, 0
        self.stopped = stopped

    async def call(self, steps: tuple[Step, ...], *given: Any, **named: Any) -> Any:
        """The answer of an operation. Raises what it raises; StackError where the server ends meanwhile."""
        progress: list[Progress] = [Silent()]

        def sent(value: Any) -> Any:
            if hasattr(value, "advance") and hasattr(value, "finish"):
                progress[0] = value
                return ProgressHere()
            return value

        call = Call(
            steps,
            tuple(map(sent, given)),
            {name: sent(value) for name, value in named.items()},
            self._block,
            self._limits,
        )
        async with self._turn:
            try:
                self._writer.write(packed(call))
                await self._writer.drain()
                while isinstance(message := await received(self._reader), Advance):
                    getattr(progress[0], message.method)(*message.given)
            except (OSError, EOFError, ValueError) as error:
                raise StackError(ENDED) from error
        if isinstance(message, Refusal):
            raise message.error()
        return message.value

    def close(self) -> None:
        """Ends what is under way, too."""
        self._writer.close()

    @contextmanager
    def spending(self, limits: Limits) -> Iterator[None]:
        """All calls inside share these limits. See `Engine.spending`."""
        before = self._block, self._limits
        self._blocks += 1
        self._block, self._limits = self._blocks, limits
        try:
            yield
        finally:
            self._block, self._limits = before


class Remote:
    """Stands for a part of the server's engine: its attributes are parts, a call is sent there."""

    def __init__(self, session: Session, steps: tuple[Step, ...] = ()) -> None:
        self._session, self._steps = session, steps

    def __getattr__(self, name: str) -> Remote:
        if name.startswith("_"):
            raise AttributeError(name)
        return Remote(self._session, (*self._steps, Step(name)))

    async def __call__(self, *given: Any, **named: Any) -> Any:
        return await self._session.call(self._steps, *given, **named)


class RemoteMemory(Remote):
    """Stands for a `Memory`."""

    def __init__(self, session: Session, steps: tuple[Step, ...], principal: Principal) -> None:
        super().__init__(session, steps)
        self.principal = principal

    def __getattr__(self, name: str) -> Any:
        if name in ("within", "on_terms", "anew", "until"):
            return partial(self._narrowed, name)
        return super().__getattr__(name)

    def _narrowed(self, name: str, *given: Any, **named: Any) -> RemoteMemory:
        return RemoteMemory(self._session, (*self._steps, Step(name, given, named)), self.principal)


class RemoteEngine(Remote):
    """Stands for an `Engine`. What it gives beside memories are calls, no values."""

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__(session)
        self.settings, self.spending = settings, session.spending

    def memory(self, user_id: UUID) -> RemoteMemory:
        """The memory of a user, acting as that user."""
        return RemoteMemory(self._session, (Step("memory", (user_id,)),), Principal.user(user_id))


@asynccontextmanager
async def connected(settings: Settings) -> AsyncIterator[tuple[Engine, str | None] | None]:
    """What stands for the engine of the server of a home, and why nothing may be written there; None where none takes calls."""
    session = None
    if settings.preload and settings.neo4j_url is None and settings.postgres_url is None:
        with suppress(OSError, EOFError, ValueError, TimeoutError, NeurigraphError):
            async with asyncio.timeout(AT_MOST):
                session = await _welcomed(settings)
    if session is None:
        yield None
        return
    try:
        # a lease of its own: `down` is refused meanwhile, and names this command
        async with attached(settings.home, settings.cache, progress=Silent()):
            yield cast("Engine", RemoteEngine(session, settings)), session.stopped
    finally:
        session.close()


async def _welcomed(settings: Settings) -> Session | None:
    connection = opened(settings.home)
    reader, writer = await asyncio.open_unix_connection(sock=connection, limit=2**20)
    writer.write(code_here().encode() + b"\n" + packed(settings_here(settings)))
    try:
        welcome: Welcome = await received(reader)
    except BaseException:
        writer.close()
        raise
    return Session(reader, writer, welcome.stopped)


def opened(home: Path) -> socket.socket:
    """A connection to the server of a home. Raises OSError where there is none, or where it may be another account's."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        with _inside(home):
            status = os.stat(".")
            # Its owner, and who may replace the socket, would get these settings.
            if status.st_uid != os.geteuid() or status.st_mode & 0o022:
                raise PermissionError
            connection.settimeout(AT_MOST)
            connection.connect(SOCKET)
        if not is_own_account(connection):
            raise PermissionError
        connection.setblocking(False)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Within this, the working directory is that folder: the path of a socket may have 100 bytes only."""
    before = os.open(".", os.O_RDONLY)
    try:
        os.chdir(folder)
        yield
    finally:
        os.fchdir(before)
        os.close(before)
