"""The parts of a backup and their copying: folders and files with their hashes, in a manifest that is written last. The servers
of a home are stopped, and kept so, while their files are changed.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from engine.embedded import stop
from engine.embedded.file_locks import FileLock
from engine.embedded.layout import Home
from engine.errors import BackupError
from engine.settings import Settings
from engine.stores.tier import OWN, UNFINISHED
from engine.stores.whole_files import write_whole

MANIFEST = "manifest.json"
FORMAT = 1
BLOCK = 1 << 20
RUNNING = frozenset({"postmaster.pid", "store_lock", "database_lock"})
"""Files that only a running server has."""
ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class BackupPart:
    """A file or folder of a home, by its name in the backup. `only`: the entries of a folder that are kept; none means all."""

    name: str
    place: Path
    only: tuple[str, ...] = ()


@dataclass(slots=True)
class Manifest:
    """The contents of a backup: its folders, and size and SHA-256 of each file, by their paths in it."""

    format: int
    version: str
    taken_at: str
    folders: list[str] = field(default_factory=list)
    files: dict[str, tuple[int, str]] = field(default_factory=dict)


def whole(folder: Path) -> Path:
    """The folder's absolute path."""
    return Path(os.path.abspath(folder.expanduser()))


def databases(settings: Settings) -> tuple[BackupPart, ...]:
    """The two databases of a home with their passwords: copied while they are stopped."""
    home = whole(settings.home)
    return (
        BackupPart("neo4j", home / "neo4j", ("data", "prepared")),
        BackupPart("postgres", home / "postgres", ("data", "prepared")),
        BackupPart("secrets.json", home / "secrets.json"),
    )


def object_folders(settings: Settings) -> tuple[BackupPart, ...]:
    """The folders of the object store. Raises BackupError where they are no folders."""
    hot = settings.objects_url.get_secret_value() if settings.objects_url else None
    cold = settings.objects_cold_url.get_secret_value() if settings.objects_cold_url else None
    found = [BackupPart("objects", _folder(hot) if hot else whole(settings.home) / "objects")]
    return (*found, BackupPart("objects-cold", _folder(cold))) if cold else tuple(found)


def _folder(url: str) -> Path:
    parts = urlsplit(url)
    if parts.scheme != "file":
        raise BackupError("The object store is a bucket: back it up with the means of its service; see docs/backup.md.")
    return Path(unquote(parts.path))


def copy(part: BackupPart, target: Path, manifest: Manifest, *, all_of_it: bool = True) -> None:
    """Copies a part to `target` and enters it in the manifest; files that are there already with the same size are kept.

    Without `all_of_it` only what never changes is copied: objects, while writes go on. Blocks.
    """
    if part.place.is_file():
        _copy_file(part.place, target, part.name, manifest)
        return
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in _entries(part.place, part.only):
        below = path.relative_to(part.place).as_posix()
        if path.is_dir():
            (target / below).mkdir(mode=0o700, exist_ok=True)
            manifest.folders.append(f"{part.name}/{below}")
        elif all_of_it or not below.startswith(OWN):
            _copy_file(path, target / below, f"{part.name}/{below}", manifest)


def remove_others(part: BackupPart, target: Path, manifest: Manifest) -> None:
    """Removes from a copy what is not in the manifest: objects that were deleted since they were copied. Blocks."""
    for path in [path for path in target.rglob("*") if path.is_file()]:
        if f"{part.name}/{path.relative_to(target).as_posix()}" not in manifest.files:
            path.unlink()


def _entries(folder: Path, only: tuple[str, ...] = ()) -> Iterator[Path]:
    """The entries of a folder, folders before their contents."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path.name in RUNNING or path.name == UNFINISHED or (only and path.name not in only):
            continue
        yield path
        if path.is_dir():
            yield from _entries(path)


def _copy_file(source: Path, target: Path, name: str, manifest: Manifest) -> None:
    known = manifest.files.get(name)
    try:
        if known and target.exists() and source.stat().st_size == known[0]:
            return
        digest, size = hashlib.sha256(), 0
        with source.open("rb") as reader, target.open("wb") as writer:
            while block := reader.read(BLOCK):
                digest.update(block)
                size += writer.write(block)
        shutil.copymode(source, target)
    except FileNotFoundError:  # an object that was deleted meanwhile, or its folder
        manifest.files.pop(name, None)
        target.unlink(missing_ok=True)
        return
    except OSError as error:
        raise BackupError(f"{source} cannot be copied to {target}: {error.strerror}.") from error
    manifest.files[name] = (size, digest.hexdigest())


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Writes the manifest after everything else is on the disk. Blocks."""
    os.sync()
    write_whole(folder / MANIFEST, json.dumps(asdict(manifest)).encode("utf-8"))


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a backup. Raises BackupError where there is none, or it is of a format that is not known."""
    try:
        content = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        manifest = Manifest(**content)
    except FileNotFoundError as error:
        raise BackupError(f"{folder} is not a backup: it has no {MANIFEST}.") from error
    except (ValueError, TypeError) as error:
        raise BackupError(f"{folder / MANIFEST} cannot be read.") from error
    if manifest.format != FORMAT:
        raise BackupError(f"{folder} was made by another version of Neurigraph ({manifest.version}).")
    return manifest


def copy_back(backup: Path, part: BackupPart, target: Path, manifest: Manifest) -> None:
    """Copies a part of a backup to `target`, comparing every file with its hash. Raises BackupError. Blocks."""
    if part.name in manifest.files:
        _copy_checked(backup / part.name, target, part.name, manifest)
        return
    target.mkdir(mode=0o700, parents=True)
    for name in manifest.folders:
        if name.startswith(f"{part.name}/"):
            (target / name.removeprefix(f"{part.name}/")).mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in manifest.files:
        if name.startswith(f"{part.name}/"):
            _copy_checked(backup / name, target / name.removeprefix(f"{part.name}/"), name, manifest)


def _copy_checked(source: Path, target: Path, name: str, manifest: Manifest) -> None:
    copied = Manifest(FORMAT, "", "")
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _copy_file(source, target, name, copied)
    if name not in copied.files:
        raise BackupError(f"The backup is not whole: {name} is missing.")
    if copied.files[name] != tuple(manifest.files[name]):
        raise BackupError(f"The backup is damaged: {name} is not as it was written.")


@asynccontextmanager
async def servers_stopped(home: Path) -> AsyncIterator[None]:
    """Neither server runs meanwhile, and none can be started: processes that use them wait, and their requests fail."""
    lock = FileLock(Home(whole(home)).lock)
    for _ in range(ATTEMPTS):
        await stop(home)
        if lock.take():  # else a process that uses them was faster and is restarting them
            break
        await asyncio.sleep(0.2)
    else:
        raise BackupError(f"Another process restarts the servers of {home}; end it first.")
    try:
        yield
    finally:
        lock.give_back()
