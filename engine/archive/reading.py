"""The file of an archive while it is read. Before anything is imported it is checked whole: the names of members, the sizes, the
SHA-256 of each. Nothing is unpacked to a disk; a member is read block by block. All of it blocks.
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import orjson
from pydantic import TypeAdapter, ValidationError

from engine.archive.catalogue import catalogue
from engine.domain.archive import COLUMNS, FORMAT, MANIFEST, READ_ME, VERSION, ArchiveManifest
from engine.errors import ArchiveDamaged, ArchiveOfOtherRelease, InvalidInput

FILES = "files/"
BLOCK = 1 << 20
LONGEST_LINE = 64 << 20
LARGEST_MANIFEST = 256 << 20
MOST_PACKED, ALWAYS_UNPACKED = 200, 1 << 30
"""A whole archive that unpacks to more than so many times its size, and to more than a GiB, is none of ours."""
BATCH_LINES, BATCH_BYTES = 500, 4 << 20
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)
_MANIFEST = TypeAdapter(ArchiveManifest)
Line = dict[str, Any]


def member_of(object_key: str, *, packed: bool) -> str:
    """The member with the bytes of a file: its key, without the ending that says that the object is compressed."""
    return FILES + (object_key.removesuffix(".gz") if packed else object_key)


class ArchiveReader:
    """An archive; close it. Raises InvalidInput where the file cannot be read, ArchiveDamaged, ArchiveOfOtherRelease."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self.size = path.stat().st_size
            self._zip = zipfile.ZipFile(path)
        except OSError as error:
            raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error
        except _UNREADABLE as error:
            raise ArchiveDamaged(f"{path} is no archive, or it is cut: it does not end as a zip does.") from error
        try:
            self.manifest = self._read_manifest()
        except BaseException:
            self._zip.close()
            raise

    def close(self) -> None:
        self._zip.close()

    def _read_manifest(self) -> ArchiveManifest:
        try:
            info = self._zip.getinfo(MANIFEST)
        except KeyError as error:
            raise ArchiveDamaged(f"{self._path} is no archive of a user: it has no {MANIFEST}.") from error
        if info.file_size > LARGEST_MANIFEST:
            raise ArchiveDamaged(f"{MANIFEST} is too large.")
        with self._reading(MANIFEST) as member:
            content = member.read(LARGEST_MANIFEST)
        try:
            said = orjson.loads(content)
            found = (said["format"], said["version"])
        except (ValueError, KeyError, TypeError) as error:
            raise ArchiveDamaged(f"{MANIFEST} is no manifest of an archive.") from error
        if found[0] != FORMAT:
            raise ArchiveDamaged(f"{self._path} is no archive of a user: its format is {str(found[0])[:80]!r}.")
        if found[1] != VERSION:
            raise ArchiveOfOtherRelease(
                f"The archive has version {str(found[1])[:20]} of its format; this release reads {VERSION}."
            )
        try:
            return _MANIFEST.validate_python(said)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise ArchiveDamaged(f"{MANIFEST} is not right: {place}: {first['msg']}.") from error

    def check(self, advanced: Callable[[int], None]) -> None:
        """Reads all of it once, and says how far it is. Raises ArchiveDamaged."""
        infos = self._zip.infolist()
        names = [info.filename for info in infos]
        members = self.manifest.members
        if len(set(names)) < len(names):
            raise ArchiveDamaged("Two members have the same name.")
        for name in names:
            if not _is_ours(name):
                raise ArchiveDamaged(f"An archive has no member of the name {name[:200]!r}.")
        if lost := sorted(members.keys() - set(names)):
            raise ArchiveDamaged(f"{lost[0]} is missing.")
        if strange := sorted(set(names) - members.keys() - {MANIFEST}):
            raise ArchiveDamaged(f"{strange[0]} does not stand in the manifest.")
        if sum(info.file_size for info in infos) > max(ALWAYS_UNPACKED, MOST_PACKED * self.size):
            raise ArchiveDamaged("It would unpack to far more than an archive of this size can hold.")
        for info in infos:
            if info.filename != MANIFEST:
                if info.file_size != members[info.filename].size:
                    raise ArchiveDamaged(f"{info.filename} has another size than the manifest says.")
                self._check(info.filename, members[info.filename].sha256, advanced)

    def _check(self, name: str, sha256: str, advanced: Callable[[int], None]) -> None:
        digest = hashlib.sha256()
        with self._reading(name) as member:
            while block := member.read(BLOCK):
                digest.update(block)
                advanced(len(block))
        if digest.hexdigest() != sha256:
            raise ArchiveDamaged(f"{name} is not as it was written: its hash is another one.")

    @property
    def unpacked(self) -> int:
        """Bytes of all members."""
        return sum(one.size for one in self.manifest.members.values())

    def has(self, name: str) -> bool:
        return name in self.manifest.members

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """The bytes of a member. Raises ArchiveDamaged."""
        with self._reading(name) as member:
            yield member

    @contextmanager
    def _reading(self, name: str) -> Iterator[IO[bytes]]:
        try:
            with self._zip.open(name) as member:
                yield member
        except _UNREADABLE as error:
            raise ArchiveDamaged(f"{name} cannot be unpacked.") from error

    def batches(self, name: str, *, lines: int = BATCH_LINES) -> Iterator[list[Line]]:
        """The lines of a member, some at a time. Raises ArchiveDamaged."""
        if not self.has(name):
            raise ArchiveDamaged(f"{name} is missing.")
        batch: list[Line] = []
        size = 0
        with self._reading(name) as member:
            while text := member.readline(LONGEST_LINE + 1):
                batch.append(_line(name, text))
                size += len(text)
                if len(batch) >= lines or size >= BATCH_BYTES:
                    yield batch
                    batch, size = [], 0
        if batch:
            yield batch

    def joined(
        self, name: str, computed: str, key: tuple[str, ...], *, lines: int = BATCH_LINES
    ) -> Iterator[list[Line]]:
        """The lines of a member, each with the columns that another member has for it. Raises ArchiveDamaged."""
        beside = (line for batch in self.batches(computed, lines=lines) for line in batch)
        for batch in self.batches(name, lines=lines):
            for line in batch:
                other = next(beside, None)
                if other is None or any(other.get(column) != line.get(column) for column in ("node_id", *key)):
                    raise ArchiveDamaged(f"{name} and {computed} have other lines.")
                line.update(other)
            yield batch
        if next(beside, None) is not None:
            raise ArchiveDamaged(f"{name} and {computed} have other lines.")


def _line(name: str, text: bytes) -> Line:
    if len(text) > LONGEST_LINE:
        raise ArchiveDamaged(f"A line of {name} is too long.")
    try:
        line = orjson.loads(text)
    except ValueError as error:
        raise ArchiveDamaged(f"A line of {name} is no JSON.") from error
    if not isinstance(line, dict):
        raise ArchiveDamaged(f"A line of {name} is no object.")
    return line


def _is_ours(name: str) -> bool:
    if name in (MANIFEST, COLUMNS, READ_ME) or name in catalogue().files:
        return True
    parts = name.removeprefix(FILES).split("/")
    return name.startswith(FILES) and "\\" not in name and all(part not in ("", ".", "..") for part in parts)
