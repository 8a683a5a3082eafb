"""The file of an archive while it is written: PATH.part, which goes on after an interruption where its last whole member ended,
and PATH when it is whole. A zip, because any part of it can be read by itself, by pandas, `unzip -p` and file managers.

What a zip has at its end, the directory of its members, is written after each checkpoint, and kept beside it: PATH.part.json
says where the last checkpoint is. For the owner of the files alone. All of it blocks.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from engine.domain.archive import MANIFEST, ArchiveMember
from engine.errors import InvalidInput, StoreFull

CHECKPOINT = 64 << 20
"""Bytes after which a checkpoint is due."""
LEVEL = 6


class MemberWriter:
    """Writes one member, and counts what it writes."""

    def __init__(self, target: IO[bytes]) -> None:
        self._target, self._digest = target, hashlib.sha256()
        self.size = self.lines = 0

    def write(self, content: bytes, lines: int = 0) -> None:
        """Adds bytes, which hold so many lines."""
        self._target.write(content)
        self._digest.update(content)
        self.size += len(content)
        self.lines += lines

    @property
    def member(self) -> ArchiveMember:
        return ArchiveMember(self.size, self._digest.hexdigest(), self.lines)


class ArchiveWriter:
    """Writes an archive to `path`, member by member."""

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()
        self._part = self._path.with_name(f"{self._path.name}.part")
        self._notes = self._path.with_name(f"{self._path.name}.part.json")
        self._zip: zipfile.ZipFile | None = None
        self._since = 0
        self.members: dict[str, ArchiveMember] = {}
        self.missing: list[str] = []

    def begin(self, mark: str) -> int:
        """Begins, or goes on where an earlier attempt for the same mark ended; how many members that had written. Raises
        InvalidInput where the place cannot be written."""
        try:
            notes = self._read_notes()
            if notes is not None and notes["mark"] == mark and self._resumed(notes):
                return len(self.members)
            self.restart()
        except OSError as error:
            raise InvalidInput(f"{self._path} cannot be written: {error.strerror}.") from error
        return 0

    def restart(self) -> None:
        """Throws away what is written."""
        self.close()
        self.members, self.missing, self._since = {}, [], 0
        self._notes.unlink(missing_ok=True)
        self._part.unlink(missing_ok=True)
        os.close(os.open(self._part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        self._zip = zipfile.ZipFile(self._part, "w", allowZip64=True)

    def _read_notes(self) -> dict[str, Any] | None:
        try:
            notes = json.loads(self._notes.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        wanted = {"mark", "offset", "directory", "members", "missing"}
        return notes if isinstance(notes, dict) and wanted <= notes.keys() else None

    def _resumed(self, notes: dict[str, Any]) -> bool:
        """Takes the file back to its last checkpoint; False where it is not as the notes say."""
        with suppress(OSError, ValueError, TypeError, zipfile.BadZipFile):
            directory = base64.b64decode(notes["directory"], validate=True)
            with self._part.open("r+b") as part:
                if os.fstat(part.fileno()).st_size < notes["offset"]:
                    return False
                part.truncate(notes["offset"])
                part.seek(notes["offset"])
                part.write(directory)
            self._zip = zipfile.ZipFile(self._part, "a", allowZip64=True)
            self.members = {name: ArchiveMember(**one) for name, one in notes["members"].items()}
            self.missing = list(notes["missing"])
            if set(self._zip.namelist()) == self.members.keys():
                return True
            self.close()
        return False

    @contextmanager
    def member(self, name: str, *, deflated: bool = True) -> Iterator[MemberWriter]:
        """A member, which counts when the block ends. Raises StoreFull."""
        assert self._zip is not None
        info = zipfile.ZipInfo(name, datetime.now(UTC).timetuple()[:6])
        info.compress_type = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
        info.external_attr = 0o600 << 16
        try:
            with self._zip.open(info, "w", force_zip64=True) as target:
                writer = MemberWriter(target)
                yield writer
        except OSError as error:
            raise StoreFull("disk of the archive", f"{self._path} cannot be written: {error.strerror}.") from error
        self.members[name] = writer.member
        self._since += writer.size

    def checkpoint(self, mark: str, *, always: bool = True) -> None:
        """From here on an interrupted export goes on; not `always`: only after 64 MiB."""
        if not always and self._since < CHECKPOINT:
            return
        assert self._zip is not None
        self._zip.close()
        offset = self._zip.start_dir
        with self._part.open("rb") as part:
            part.seek(offset)
            directory = base64.b64encode(part.read()).decode()
            os.fsync(part.fileno())
        members = {name: asdict(one) for name, one in self.members.items()}
        notes = {"mark": mark, "offset": offset, "directory": directory, "members": members, "missing": self.missing}
        self._write_notes(json.dumps(notes).encode())
        self._zip = zipfile.ZipFile(self._part, "a", allowZip64=True)
        self._since = 0

    def _write_notes(self, content: bytes) -> None:
        made = self._notes.with_name(f".{self._notes.name}.new")
        with open(made, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as writer:
            writer.write(content)
            writer.flush()
            os.fsync(writer.fileno())
        made.replace(self._notes)

    def finish(self, manifest: bytes) -> int:
        """Writes the manifest; the archive takes its place. Its size in bytes."""
        with self.member(MANIFEST) as writer:
            writer.write(manifest)
        self.close()
        with self._part.open("rb") as part:
            os.fsync(part.fileno())
            size = os.fstat(part.fileno()).st_size
        self._part.replace(self._path)
        self._notes.unlink(missing_ok=True)
        return size

    def close(self) -> None:
        """Lets go of the file."""
        if self._zip is not None:
            with suppress(ValueError, OSError):  # of a member that was broken off
                self._zip.close()
            self._zip = None
