"""A backup of the embedded stores as one: `neurigraph backup DIR`.

    objects      copied while the servers run: they never change
    databases    copied while both servers are stopped, with the objects that came meanwhile
    manifest     size and hash of every file, written last; then the folder gets its name

Until the end the folder is called `DIR.unfinished`, so an interrupted backup never looks complete. Processes that use the
servers wait during the short stop; their requests fail meanwhile and can be retried.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import monotonic

from pydantic import SecretStr

from engine.backup.parts import (
    FORMAT,
    Manifest,
    copy,
    databases,
    object_folders,
    remove_others,
    servers_stopped,
    whole,
    write_manifest,
)
from engine.backup.restore import restore
from engine.commit.outbox import StepHook, no_step
from engine.embedded import attached, keep_running, status, stop
from engine.errors import BackupError
from engine.lifecycle.doctor import Finding
from engine.progress import Progress, Silent
from engine.settings import Settings
from engine.wiring.open_engine import open_engine


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A backup that was made. `stopped_s`: how long the servers were stopped; `findings`: the doctor's, where it was verified."""

    folder: Path
    files: int
    size_bytes: int
    stopped_s: float
    findings: tuple[Finding, ...] | None = None


async def back_up(
    settings: Settings, target: Path, *, progress: Progress | None = None, on_step: StepHook = no_step
) -> BackupReport:
    """Copies all stores of a home into a new folder. Raises BackupError, StackError, StoreUnavailable."""
    progress, target = progress or Silent(), whole(target)
    objects = object_folders(settings)
    _check(settings, target)
    unfinished = target.with_name(f"{target.name}.unfinished")
    await asyncio.to_thread(_begin, unfinished)
    manifest = Manifest(FORMAT, version("neurigraph"), datetime.now(UTC).isoformat())
    running = status(settings.home)
    if running.running:
        async with open_engine(settings, progress=progress, warming=False) as engine:
            await engine.installation.advance(always=True)
    progress.start("objects", None)
    for part in objects:
        await asyncio.to_thread(copy, part, unfinished / part.name, manifest, all_of_it=False)
    progress.finish("objects")
    on_step("objects_copied")
    progress.start("databases", None)
    stopped_at = monotonic()
    try:
        async with servers_stopped(settings.home):
            on_step("servers_stopped")
            stopped = await asyncio.to_thread(_copy_stopped, settings, unfinished, manifest)
        stopped_s = monotonic() - stopped_at
        progress.finish("databases")
        on_step("databases_copied")
    finally:  # also where a disk was full
        if running.kept:
            await keep_running(settings.home, settings.cache, progress=progress, base_url=settings.jars_url)
        elif running.holders:  # they find the servers again, but do not start them
            async with attached(settings.home, settings.cache, progress=progress, base_url=settings.jars_url):
                pass
    await asyncio.to_thread(write_manifest, unfinished, stopped)
    on_step("manifest_written")
    await asyncio.to_thread(_publish, unfinished, target)
    size = sum(entry[0] for entry in stopped.files.values())
    return BackupReport(target, len(stopped.files), size, stopped_s)


async def verified(settings: Settings, backup: Path, *, progress: Progress | None = None) -> list[Finding]:
    """Restores a backup into a temporary home and returns the doctor's findings there. Raises BackupError."""
    with tempfile.TemporaryDirectory(prefix="neurigraph-verify-", dir=whole(backup).parent) as folder:
        home = Path(folder) / "home"
        keys = settings.user_keys or settings.home / "user-keys"
        changes: dict[str, object] = {"home": home, "objects_url": None, "user_keys": keys}
        if settings.objects_cold_url:
            changes["objects_cold_url"] = SecretStr((home / "objects-cold").as_uri())
        scratch = settings.model_copy(update=changes)
        await restore(scratch, backup, progress=progress)
        try:
            async with open_engine(scratch, progress=progress, warming=False) as engine:
                return await engine.doctor.examine()
        finally:
            await stop(home)


def _check(settings: Settings, target: Path) -> None:
    if settings.neo4j_url or settings.postgres_url:
        raise BackupError("The settings name managed servers: back them up with their own means; see docs/backup.md.")
    if not (settings.home / "postgres" / "data").is_dir():
        raise BackupError(f"There is nothing to back up in {settings.home}.")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise BackupError(f"{target} exists already; name a folder that does not.")
    places = [part.place.resolve() for part in (*databases(settings), *object_folders(settings))]
    if any(place == parent for place in places for parent in (target.resolve(), *target.resolve().parents)):
        raise BackupError(f"{target} lies in what is to be backed up; name another folder.")


def _begin(unfinished: Path) -> None:
    """The folder, empty: what an earlier attempt left is removed."""
    if unfinished.exists():
        shutil.rmtree(unfinished)
    unfinished.mkdir(mode=0o700, parents=True)


def _copy_stopped(settings: Settings, unfinished: Path, manifest: Manifest) -> Manifest:
    """Copies the databases, and what is new or gone among the objects; the servers are stopped. Blocks."""
    objects = object_folders(settings)
    stopped = Manifest(FORMAT, manifest.version, manifest.taken_at)
    stopped.files = {
        name: entry for name, entry in manifest.files.items() if not name.startswith(("neo4j", "postgres"))
    }
    for part in objects:
        stopped.files = _still_there(part.name, part.place, stopped.files)
    for part in (*objects, *databases(settings)):
        copy(part, unfinished / part.name, stopped)
    for part in objects:
        remove_others(part, unfinished / part.name, stopped)
    return stopped


def _still_there(name: str, place: Path, files: dict[str, tuple[int, str]]) -> dict[str, tuple[int, str]]:
    return {
        file: entry
        for file, entry in files.items()
        if not file.startswith(f"{name}/") or (place / file.removeprefix(f"{name}/")).exists()
    }


def _publish(unfinished: Path, target: Path) -> None:
    if target.exists():
        target.rmdir()
    unfinished.rename(target)
    descriptor = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(descriptor)
    os.close(descriptor)
