"""The files of a backup: copied, or linked, listed with their hashes in its manifest, compared when they come back."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from engine.errors import BackupError
from engine.stores.tier import OWN, UNFINISHED
from engine.stores.whole_files import write_whole

MANIFEST = "manifest.json"
FORMAT = 1
BLOCK = 1 << 20
RUNNING = frozenset({"postmaster.pid", "store_lock", "database_lock"})
"""Files that only a running server has."""


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


def link(part: BackupPart, base: Path, folder: Path, before: Manifest, manifest: Manifest) -> None:
    """Links what an earlier backup has of a part of objects, which never change, and enters it in the manifest: it takes no room
    again, and stays when the earlier one is deleted. What cannot be linked, as on another disk, is left to be copied. Blocks."""
    for name, (size, digest) in before.files.items():
        below = name.removeprefix(f"{part.name}/")
        if below == name or below.startswith(OWN):
            continue
        source, target = base / name, folder / name
        with suppress(OSError):
            if (part.place / below).stat().st_size == source.stat().st_size == size:
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                os.link(source, target)
                manifest.files[name] = (size, digest)


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
