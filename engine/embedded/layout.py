"""Paths: one home per stack, one cache shared by all homes of a user; and locks between processes on files there, which are
released when their holder ends, also after a crash.

The home holds what cannot be fetched again (data, passwords); the cache what can (jars, encoders, Java start cache).
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import math
import os
import secrets
import shlex
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic

from engine.errors import StackError
from engine.progress import Progress

HOME_NAMES = frozenset({"neo4j", "postgres", "logs", "objects", "demo", "user-keys", "receipts"})
"""Folders that the engine makes in a home; a folder that holds nothing else may be made private."""
WRITTEN_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True)
class Secrets:
    """The generated passwords of one home."""

    neo4j: str
    postgres: str
    owner: str


@dataclass(frozen=True, slots=True)
class Ports:
    """Loopback ports of one home. They stay the same unless another process takes them."""

    bolt: int
    postgres: int
    http: int


class Home:
    """The folders and files of one stack."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.neo4j = folder / "neo4j"
        self.postgres = folder / "postgres"
        self.logs = folder / "logs"
        """The output of the servers and the supervisor."""
        self.state = folder / "stack.json"
        """The state file of the running supervisor; absent while nothing runs."""
        self.lock = folder / "supervisor.lock"
        """Held by the supervisor from its first to its last moment."""
        self.commands = folder / "commands.json"
        """Which process was the last server for commands; see `engine.shell.home_server`."""
        self.receipt_key = folder / "receipt-key.pem"
        """The key that signs receipts of forgettings; made with the first one."""
        self.restoring = folder / "restoring.json"
        """Exists while a backup is restored; an interrupted restore leaves it."""
        self.forgetting_again = folder / "forgetting-again.json"
        """Exists from when an older backup is in its place until what was forgotten since is forgotten there, too."""
        self.receipts = folder / "receipts"
        """The receipts of forgettings, see `engine.forgetting.receipt_files`."""
        self.backups = folder / "backups.json"
        """Which backups were made of this home."""

    def create(self) -> None:
        """Make the folders, each for the owner alone, as those above that are missing. A foreign folder keeps the mode that it
        has. Raises StackError where other accounts may write into it."""
        fresh = not self.folder.exists()
        # `parents=True` would give those above the mode of the umask: the home of the demo lies in ~/.neurigraph
        for above in reversed([one for one in self.folder.parents if not one.exists()]):
            above.mkdir(mode=0o700, exist_ok=True)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        ours = fresh or all(entry.name in HOME_NAMES for entry in self.folder.iterdir())
        if ours:
            self.folder.chmod(0o700)
        self.refuse_if_shared()
        for folder in (self.neo4j, self.postgres, self.logs):
            folder.mkdir(mode=0o700, exist_ok=True)

    def refuse_if_shared(self) -> None:
        """Raises StackError where other accounts may write into the home: they could replace its state, sockets and files."""
        with contextlib.suppress(FileNotFoundError):
            mode = stat.S_IMODE(self.folder.stat().st_mode)
            if mode & WRITTEN_BY_OTHERS:
                raise StackError(
                    f"Other accounts may write into {self.folder} (mode {mode:04o}); a home is its owner's alone: "
                    f"chmod go-w {shlex.quote(str(self.folder))}"
                )

    def secrets(self) -> Secrets:
        """The passwords, generated at the first call."""
        file = self.folder / "secrets.json"
        if not file.exists():
            write_private(file, asdict(Secrets(*(secrets.token_hex(24) for _ in range(3)))))
        return Secrets(**json.loads(file.read_text()))

    def remembered_ports(self) -> Ports | None:
        """The ports of the last run; None when there was none or the file is damaged."""
        with contextlib.suppress(FileNotFoundError, ValueError, TypeError):
            return Ports(**json.loads((self.folder / "ports.json").read_text()))
        return None

    def remember_ports(self, ports: Ports) -> None:
        """Keep the ports for the next run."""
        write_private(self.folder / "ports.json", asdict(ports))

    def log(self, name: str) -> Path:
        """The log of one process, for the owner alone. That of the last run is moved aside, and the one before it is deleted."""
        file = self.logs / f"{name}.log"
        if file.exists():
            file.replace(self.logs / f"{name}.old.log")
        file.touch(mode=0o600)
        return file


class Cache:
    """The folders of what was fetched or can be computed again: jars, encoders, start caches of the Java runtime."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.jars = folder / "jars"
        self.encoders = folder / "encoders"
        self.java = folder / "java"

    def lock(self, name: str) -> Path:
        """The lock file that guards one kind of work in this cache."""
        return self.folder / f"{name}.lock"


def write_private(file: Path, content: object) -> None:
    """Write JSON that only the owner may read, in one step: a reader sees the old or the new file."""
    fresh = file.with_name(f"{file.name}.{os.getpid()}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        json.dump(content, stream)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(file)


class FileLock:
    """An exclusive lock on a file. The file stays; only the lock on it counts."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._descriptor: int | None = None

    def take(self) -> bool:
        """Try once; False when another process (or another object here) holds it."""
        descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def give_back(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def is_held(file: Path) -> bool:
    """Whether some process holds the lock at this moment."""
    if not file.exists():
        return False
    probe = FileLock(file)
    free = probe.take()
    probe.give_back()
    return not free


@asynccontextmanager
async def locked(file: Path, progress: Progress, waiting_for: str, patience: float = math.inf) -> AsyncIterator[bool]:
    """Hold the lock; while another process has it, a progress task named `waiting_for` is shown. Whether it is held: not where
    the other one has it for more than `patience` seconds."""
    lock, end = FileLock(file), monotonic() + patience
    held = lock.take()
    if not held:
        progress.start(waiting_for, None)
        while not held and monotonic() < end:
            await asyncio.sleep(0.2)
            held = lock.take()
        progress.finish(waiting_for, "" if held else "not waited for any longer")
    try:
        yield held
    finally:
        lock.give_back()
