"""Receipts as files, outside of the databases: from them a restore of an older backup learns what was forgotten after it.

    RECEIPTS/000012-<id>.json     the signed receipt of a forgetting, with the tombstones of what it took
    BACKUP/forgotten/…            the same, in each backup that was taken before and is still where it was made; one that cannot
                                  be reached gets it at the next backup

All of it are keyed hashes and counts: nothing of what was forgotten can be read there.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, StringConstraints, ValidationError

from engine.errors import BackupError, ReceiptUnreadable
from engine.forgetting.receipts import Hex, Receipt, SignedReceipt, canonical
from engine.stores.whole_files import write_whole

log = logging.getLogger(__name__)

IN_BACKUP = "forgotten"
"""The folder of receipts in a backup."""


class TombstoneHash(BaseModel):
    """A tombstone: what it is of, and its hash; see `engine.forgetting.tombstones`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Annotated[str, StringConstraints(min_length=1, max_length=40)]
    hash: Hex


class ReceiptFile(BaseModel):
    """The signed receipt of a forgetting, and the tombstones of what it took."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    signed: SignedReceipt
    tombstones: tuple[TombstoneHash, ...]

    @property
    def receipt(self) -> Receipt:
        """The receipt in it. Raises ReceiptUnreadable."""
        try:
            return Receipt.model_validate_json(canonical(self.signed.receipt))
        except ValidationError as error:
            raise ReceiptUnreadable from error


class KnownBackup(BaseModel):
    """A backup that was made of the home."""

    folder: Path
    taken_at: AwareDatetime


class ReceiptFiles:
    """The files of receipts of a home. `backups`: the file that says which backups were made. All block."""

    def __init__(self, folder: Path, backups: Path) -> None:
        self._folder, self._backups = folder, backups

    def keep(self, one: ReceiptFile) -> None:
        """Writes one, and copies it to the backups that were taken before. Raises InvalidInput where it cannot be written."""
        receipt = one.receipt
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = self._folder / f"{receipt.number:06}-{receipt.forgetting_id}.json"
        write_whole(file, one.model_dump_json().encode())
        self._copy_to_backups([file])

    def copy_all(self) -> None:
        """Copies to each backup that can be reached all that was forgotten after it was taken."""
        self._copy_to_backups(sorted(self._folder.glob("*.json")))

    def _copy_to_backups(self, files: Sequence[Path]) -> None:
        for backup in self.backups():
            try:
                if not (backup.folder / "manifest.json").is_file():
                    continue
                target = backup.folder / IN_BACKUP
                target.mkdir(mode=0o700, exist_ok=True)
                for file in files:  # written when its forgetting ended
                    later = datetime.fromtimestamp(file.stat().st_mtime, UTC) >= backup.taken_at
                    if later and not (target / file.name).exists():
                        _copy(file, target / file.name)
            except OSError as error:
                log.warning("%s does not learn of what was forgotten: %s", backup.folder, error)

    def note_backup(self, folder: Path, taken_at: datetime) -> None:
        """Notes that a backup was made there."""
        known = [one for one in self.backups() if one.folder != folder]
        made = [one.model_dump(mode="json") for one in (*known, KnownBackup(folder=folder, taken_at=taken_at))]
        write_whole(self._backups, json.dumps(made).encode())

    def backups(self) -> list[KnownBackup]:
        """The backups that were made. A file that cannot be read names none."""
        with suppress(OSError, ValueError, TypeError):
            return [KnownBackup.model_validate(one) for one in json.loads(self._backups.read_text("utf-8"))]
        return []


def read_after(folders: Iterable[Path], taken_at: datetime) -> list[ReceiptFile]:
    """What was forgotten since then, by the receipts in these folders, in its order; each once. Raises BackupError where a file
    is damaged: what it says was forgotten must not come back."""
    found: dict[UUID, ReceiptFile] = {}
    for folder in folders:
        for file in sorted(folder.glob("*.json")):
            try:
                one = ReceiptFile.model_validate_json(file.read_bytes())
                receipt = one.receipt
            except (OSError, ValidationError, ReceiptUnreadable) as error:
                raise BackupError(f"{file} cannot be read: it may say what must not come back.") from error
            if receipt.ended_at >= taken_at:
                found.setdefault(receipt.forgetting_id, one)
    return sorted(found.values(), key=lambda one: (one.receipt.ended_at, one.receipt.number))


def tombstones_of(file: ReceiptFile, kind: str) -> frozenset[bytes]:
    """The hashes of one kind that a forgetting took."""
    return frozenset(bytes.fromhex(one.hash) for one in file.tombstones if one.kind == kind)


def _copy(file: Path, target: Path) -> None:
    partial = target.with_name(f".{target.name}.part")
    shutil.copyfile(file, partial)
    with partial.open("rb") as reader:
        os.fsync(reader.fileno())
    partial.replace(target)
