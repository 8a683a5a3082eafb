"""Paths: one home per stack, one cache shared by all homes of a user.

The home holds what cannot be fetched again (data, passwords); the cache what can (jars, encoders, Java start cache).
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shlex
import stat
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.errors import StackError

HOME_NAMES = frozenset({"neo4j", "postgres", "logs", "objects", "demo", "user-keys"})
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
