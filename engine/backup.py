"""Backup and restore of the embedded stores, all three as one: `neurigraph backup DIR` and `neurigraph restore DIR`.

    objects      copied while the servers run: they never change
    databases    copied while both servers are stopped, with the objects that came meanwhile
    manifest     size and hash of every file, written last; then the folder gets its name

Until the end the folder of a backup is called `DIR.unfinished`, so an interrupted one never looks complete. Processes that use
the servers wait during the short stop; their requests fail meanwhile and can be retried.

A restore copies everything beside its place and compares it with its hash first; then all parts are renamed into place. A
marker in the home, written before the first byte, shows an unfinished restore: until the restore is repeated, nothing starts
there. A restore that is refused or broken off before the first renaming takes its copies and the marker away again.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from engine.commit.outbox import StepHook, no_step
from engine.embedded import attached, keep_running, status, stop
from engine.embedded.layout import FileLock, Home, write_private
from engine.errors import BackupError
from engine.forgetting.erasure import Erasure
from engine.forgetting.receipt_files import IN_BACKUP, ReceiptFile, read_after
from engine.forgetting.restored import RestoredForgettings, RestoredReport
from engine.lifecycle.backup_files import (
    FORMAT,
    BackupPart,
    Manifest,
    copy,
    copy_back,
    link,
    read_manifest,
    remove_others,
    write_manifest,
)
from engine.lifecycle.doctor import Finding
from engine.progress import Progress, Silent
from engine.settings import Settings
from engine.wiring.addresses import embedded_addresses, key_of_receipts
from engine.wiring.forgetting import receipt_files
from engine.wiring.open_engine import open_engine

ATTEMPTS = 20


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


async def restore(
    settings: Settings,
    backup: Path,
    *,
    force: bool = False,
    receipts: Sequence[Path] = (),
    progress: Progress | None = None,
    on_step: StepHook = no_step,
) -> RestoreReport:
    """Restores all stores of a home, and forgets there what was forgotten since the backup: as the receipts of the home say,
    those that were copied to the backup, and those in the folders `receipts`. Until that is done nothing starts there.

    Without `force` only into an empty home, or after an interrupted restore. Raises BackupError.
    """
    progress = progress or Silent()
    manifest = await asyncio.to_thread(read_manifest, backup)
    if settings.neo4j_url or settings.postgres_url:
        raise BackupError("The settings name managed servers: restore them with their own means; see docs/backup.md.")
    parts = (*databases(settings), *object_folders(settings))
    home = Home(whole(settings.home))
    there = [part.place for part in parts if _holds_something(part.place)]
    if home.forgetting_again.exists() and not force:  # all is in its place
        return RestoreReport((), await _forget_again(settings, home, progress, on_step))
    later = await asyncio.to_thread(_forgotten_since, settings, backup, receipts, manifest)
    if there and not force and not home.restoring.exists():
        raise BackupError(f"{there[0]} exists already; `--force` moves what is there aside and restores.")
    if status(home.folder).leases:
        raise BackupError(f"{home.folder} is in use; end the processes that use it first.")
    home.create()
    progress.start("restore", None)
    async with servers_stopped(home.folder):
        repeated = home.restoring.exists()
        write_private(home.restoring, {"from": str(whole(backup))})
        on_step("restore_begun")
        try:
            staged = await asyncio.to_thread(_stage, backup, parts, manifest)
        except BaseException:
            if not repeated:
                await asyncio.to_thread(_unstage, parts)
                home.restoring.unlink()
            raise
        on_step("copied_back")
        if later:
            for one in later:
                await asyncio.to_thread(receipt_files(settings).keep, one)
            write_private(home.forgetting_again, {"taken_at": manifest.taken_at})
        replaced = []
        for part, copied in staged:
            replaced += await asyncio.to_thread(_put_in_place, part.place, copied)
            on_step("part_restored")
        home.restoring.unlink()
    progress.finish("restore")
    return RestoreReport(tuple(replaced), await _forget_again(settings, home, progress, on_step))


def _forgotten_since(
    settings: Settings, backup: Path, receipts: Sequence[Path], manifest: Manifest
) -> list[ReceiptFile]:
    """What was forgotten since the backup, by all receipts that can be found. Raises BackupError, ReceiptChanged. Blocks."""
    for folder in receipts:
        if not folder.is_dir():
            raise BackupError(f"{folder} is no folder of receipts.")
    folders = (settings.receipts or Home(settings.home).receipts, backup / IN_BACKUP, *receipts)
    later = read_after(folders, datetime.fromisoformat(manifest.taken_at))
    if (key := key_of_receipts(settings)).exists:
        for one in later:
            key.verify(one.signed.model_dump())
    return later


async def _forget_again(settings: Settings, home: Home, progress: Progress, on_step: StepHook) -> RestoredReport | None:
    """Forgets in a restored home what was forgotten since the backup; no other process writes there, so none is waited for."""
    if not home.forgetting_again.exists():
        return None
    taken_at = datetime.fromisoformat(json.loads(home.forgetting_again.read_text())["taken_at"])
    later = await asyncio.to_thread(read_after, [settings.receipts or home.receipts], taken_at)
    alone = settings.model_copy(update={"forget_settle_s": 0})
    async with AsyncExitStack() as stack:
        servers = attached(home.folder, settings.cache, progress=progress, base_url=settings.jars_url, restoring=True)
        addresses = embedded_addresses(alone, await stack.enter_async_context(servers))
        opened = open_engine(alone, progress=progress, addresses=addresses, warming=False, on_step=on_step)
        engine = await stack.enter_async_context(opened)
        restored = RestoredForgettings(engine.postgres, engine.neo4j, engine.parts[Erasure])
        report = await restored.apply(later, progress)
    home.forgetting_again.unlink()
    return report


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """A backup that was restored. `moved_aside`: the earlier stores, which are kept; `forgotten`: what was forgotten since the
    backup, and so once more, None where nothing was."""

    moved_aside: tuple[Path, ...]
    forgotten: RestoredReport | None


def _holds_something(place: Path) -> bool:
    return place.is_file() or (place.is_dir() and any(place.iterdir()))


def _stage(backup: Path, parts: tuple[BackupPart, ...], manifest: Manifest) -> list[tuple[BackupPart, Path]]:
    """All parts, copied beside their places. Blocks."""
    _unstage(parts)
    staged = []
    for part in parts:
        copied = _copy_of(part)
        copied.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        copy_back(backup, part, copied, manifest)
        staged.append((part, copied))
    return staged


def _unstage(parts: tuple[BackupPart, ...]) -> None:
    """Takes away what a restore has copied. Blocks."""
    for copied in map(_copy_of, parts):
        shutil.rmtree(copied, ignore_errors=True)
        with suppress(FileNotFoundError, IsADirectoryError, PermissionError):
            copied.unlink()


def _copy_of(part: BackupPart) -> Path:
    return part.place.with_name(f".restoring-{part.place.name}")


def _put_in_place(place: Path, copied: Path) -> list[Path]:
    """Renames a copied part into its place; the earlier one is renamed. Blocks."""
    replaced = []
    if _holds_something(place):
        aside = place.with_name(f"{place.name}.replaced-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}")
        place.rename(aside)
        replaced.append(aside)
    elif place.is_dir():
        place.rmdir()
    copied.rename(place)
    return replaced


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A backup that was made. `stopped_s`: how long the servers were stopped; `findings`: the doctor's, where it was verified."""

    folder: Path
    files: int
    size_bytes: int
    stopped_s: float
    findings: tuple[Finding, ...] | None = None


async def back_up(
    settings: Settings,
    target: Path,
    *,
    base: Path | None = None,
    progress: Progress | None = None,
    on_step: StepHook = no_step,
) -> BackupReport:
    """Copies all stores of a home into a new folder; objects that an earlier backup, the `base`, has on the same disk are linked.
    Raises BackupError, StackError, StoreUnavailable."""
    progress, target = progress or Silent(), whole(target)
    objects = object_folders(settings)
    _check(settings, target)
    before = await asyncio.to_thread(read_manifest, base) if base else None
    unfinished = target.with_name(f"{target.name}.unfinished")
    await asyncio.to_thread(_begin, unfinished)
    manifest = Manifest(FORMAT, version("neurigraph"), datetime.now(UTC).isoformat())
    running = status(settings.home)
    if running.running:
        async with open_engine(settings, progress=progress, warming=False) as engine:
            await engine.installation.advance(always=True)
    progress.start("objects", None)
    for part in objects:
        if base and before:
            await asyncio.to_thread(link, part, base, unfinished, before, manifest)
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
    receipts = receipt_files(settings)
    await asyncio.to_thread(receipts.note_backup, target, datetime.fromisoformat(stopped.taken_at))
    await asyncio.to_thread(receipts.copy_all)
    size = sum(entry[0] for entry in stopped.files.values())
    return BackupReport(target, len(stopped.files), size, stopped_s)


async def verified(settings: Settings, backup: Path, *, progress: Progress | None = None) -> list[Finding]:
    """Restores a backup into a temporary home and returns the doctor's findings there. Raises BackupError."""
    with tempfile.TemporaryDirectory(prefix="neurigraph-verify-", dir=whole(backup).parent) as folder:
        home = Path(folder) / "home"
        keys = settings.user_keys or settings.home / "user-keys"
        changes: dict[str, object] = {"home": home, "objects_url": None, "user_keys": keys, "receipts": None}
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
