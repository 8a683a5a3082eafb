"""The restore of a backup into a home: `neurigraph restore DIR`.

Everything is copied beside its place and compared with its hash first; then all parts are renamed into place. A marker in the
home, written before the first byte, shows an unfinished restore: until the restore is repeated, nothing starts there. A restore
that is refused or broken off before the first renaming takes its copies and the marker away again.
"""

from __future__ import annotations

import asyncio
import shutil
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from engine.backup.parts import (
    BackupPart,
    Manifest,
    copy_back,
    databases,
    object_folders,
    read_manifest,
    servers_stopped,
    whole,
)
from engine.commit.outbox import StepHook, no_step
from engine.embedded import status
from engine.embedded.layout import Home, write_private
from engine.errors import BackupError
from engine.progress import Progress, Silent
from engine.settings import Settings


async def restore(
    settings: Settings,
    backup: Path,
    *,
    force: bool = False,
    progress: Progress | None = None,
    on_step: StepHook = no_step,
) -> list[Path]:
    """Restores all stores of a home; returns the paths of the earlier stores, which are kept. Raises BackupError.

    Without `force` only into an empty home, or after an interrupted restore.
    """
    progress = progress or Silent()
    manifest = await asyncio.to_thread(read_manifest, backup)
    if settings.neo4j_url or settings.postgres_url:
        raise BackupError("The settings name managed servers: restore them with their own means; see docs/backup.md.")
    parts = (*databases(settings), *object_folders(settings))
    home = Home(whole(settings.home))
    there = [part.place for part in parts if _holds_something(part.place)]
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
        replaced = []
        for part, copied in staged:
            replaced += await asyncio.to_thread(_put_in_place, part.place, copied)
            on_step("part_restored")
        home.restoring.unlink()
    progress.finish("restore")
    return replaced


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
