"""The lock lists: which files are fetched, how long they are and what they hash to. Nothing else is ever run."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

LOCKS = Path(__file__).parent / "locks"
NEO4J, BROWSER, ENCODERS = (LOCKS / name for name in ("neo4j-2026.08.1.lock", "browser.lock", "encoders.lock"))

FIXED_TIME = 946_684_800
"""Modification time of every fetched file (seconds): the Java start cache refuses jars whose time has changed,
and a jar that is fetched again is the same jar."""


@dataclass(frozen=True, slots=True)
class LockedFile:
    """One line of a lock list: hash, size in bytes, path below the repository's base URL."""

    sha256: str
    size: int
    path: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class LockList:
    """A lock list and its name, which also names its stamp and its lock file in the cache."""

    name: str
    files: tuple[LockedFile, ...]

    def paths(self, folder: Path) -> list[Path]:
        """Where the files lie below a folder, in the list's order."""
        return [folder / file.path for file in self.files]

    def only(self, part: str) -> LockList:
        """The files whose path holds `part`, as a list of its own."""
        return LockList(f"{self.name}-{part}", tuple(file for file in self.files if part in file.path))


def read_lock(file: Path) -> LockList:
    """Parse lines of `sha256 size path`."""
    fields = (line.split() for line in file.read_text().splitlines() if line.strip())
    return LockList(file.stem, tuple(LockedFile(sha256, int(size), path) for sha256, size, path in fields))


Stamp = Mapping[str, list[int | str]]
"""For each path what was found when it was hashed: sha256, size, modification time in ns."""


def read_stamp(file: Path) -> Stamp:
    """The stamp of an earlier check; empty when there is none."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        content = json.loads(file.read_text())
        return content if isinstance(content, dict) else {}
    return {}


def write_stamp(file: Path, folder: Path, files: Iterable[LockedFile]) -> None:
    """Note that these files were hashed and found right."""
    stamp = {}
    for wanted in files:
        found = (folder / wanted.path).stat()
        stamp[wanted.path] = [wanted.sha256, found.st_size, found.st_mtime_ns]
    fresh = file.with_name(f"{file.name}.{os.getpid()}.new")
    fresh.write_text(json.dumps(stamp))
    fresh.replace(file)


def lacking(files: Iterable[LockedFile], folder: Path, stamp: Stamp) -> tuple[LockedFile, ...]:
    """The files that are missing or damaged. Only files that the stamp does not cover are hashed."""
    return tuple(wanted for wanted in files if not _is_right(folder / wanted.path, wanted, stamp))


def _is_right(file: Path, wanted: LockedFile, stamp: Stamp) -> bool:
    try:
        found = file.stat()
    except FileNotFoundError:
        return False
    if found.st_size != wanted.size:
        return False
    if stamp.get(wanted.path) == [wanted.sha256, found.st_size, found.st_mtime_ns]:
        return True
    return sha256_of(file) == wanted.sha256


def sha256_of(file: Path) -> str:
    """Hexadecimal SHA-256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
