"""The files of records in the object store: compressed one by one, hashed, put before the commit under new keys that mirror the
hierarchy, taken back where Postgres refuses it.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from engine.commit.unit_of_work import UnitOfWork, UnitsOfWork
from engine.domain.names import slug
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode, FileDraft, RecordDraft
from engine.errors import Conflict, EmbeddingsChanged, InvalidInput, NeurigraphError, VersionRefused
from engine.stores.objects import ObjectStore

NATIVE_TYPES = ("image/", "video/", "audio/", "application/pdf", "application/zip", "application/gzip")
"""Content types whose bytes are compressed already; they are stored as they are."""
BLOCK = 1 << 20
SHORT = 8 << 10
"""Bytes up to which a file is packed sooner than a thread for it begins."""
PARALLEL_FILES = 8
IN_MEMORY = 1 << 20
"""Packed files up to this size wait in memory for the object store, larger ones in a temporary file."""


def is_native(content_type: str) -> bool:
    """Whether files of this type are stored without compressing them again."""
    return content_type.startswith(NATIVE_TYPES)


def object_key(node: AssignableNode, file: FileDraft) -> str:
    """Where the file of a record lies: the node's path in ASCII, the file's own id, its name."""
    folders = [node.root_schema, *(slug(name) for name in node.place[1:])]
    stem, dot, suffix = file.name.rpartition(".")
    name = slug(stem if dot else file.name)[:90] + (f".{slug(suffix)[:9]}" if dot else "")
    return "/".join([*folders, str(file.file_id), name if is_native(file.content_type) else f"{name}.gz"])


async def pack(file: FileDraft, target: IO[bytes]) -> tuple[int, bytes]:
    """Writes the file's bytes to `target`, compressed unless native; returns original size and SHA-256.

    Raises InvalidInput when the file vanishes while it is read.
    """
    short = isinstance(file.content, bytes) and len(file.content) <= SHORT
    return _pack(file, target) if short else await asyncio.to_thread(_pack, file, target)


def _pack(file: FileDraft, target: IO[bytes]) -> tuple[int, bytes]:
    digest = hashlib.sha256()
    size = 0
    try:
        # mtime 0: the same content gives the same bytes
        native = is_native(file.content_type)
        packer = nullcontext(target) if native else gzip.GzipFile(fileobj=target, mode="wb", compresslevel=6, mtime=0)
        with packer as writer:
            for block in _blocks(file.content):
                digest.update(block)
                size += len(block)
                writer.write(block)
    except FileNotFoundError as error:
        raise InvalidInput(f"{file.name} vanished while it was read; nothing of it was stored.") from error
    return size, digest.digest()


def _blocks(content: bytes | Path) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") as reader:
        while block := reader.read(BLOCK):
            yield block


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file in the object store, as the manifest describes it."""

    key: str
    compression_format: str
    size_bytes: int
    stored_bytes: int
    sha256: bytes


class RecordFiles:
    """Puts them, and begins the write that enters them."""

    def __init__(self, objects: ObjectStore, units: UnitsOfWork) -> None:
        self._objects, self.units = objects, units
        self._at_once = asyncio.Semaphore(PARALLEL_FILES)

    async def put(self, draft: RecordDraft) -> StoredFile:
        """Compresses and stores the file of a record; flat memory, whatever its size."""
        async with self._at_once:
            key = object_key(draft.node, draft.file)
            with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as ready:
                size, digest = await pack(draft.file, ready)
                ready.seek(0)
                stored = await self._objects.put(key, ready)
                form = "native" if is_native(draft.file.content_type) else "gzip"
                return StoredFile(key, form, size, stored, digest)

    @asynccontextmanager
    async def unit(self, principal: Principal, files: Iterable[StoredFile]) -> AsyncIterator[UnitOfWork]:
        """A write that enters these files. Where Postgres refuses it, as when another process has stored the same source, they
        are taken back: no record has them. Not where the writer tries again with them, as after a change of the vectors."""
        unit: UnitOfWork | None = None
        try:
            async with self.units.begin(principal) as unit:
                yield unit
        except (Conflict, VersionRefused) as error:
            if unit is not None and not unit.accepted and not isinstance(error, EmbeddingsChanged):
                with suppress(NeurigraphError):  # the sweep finds what stays
                    await asyncio.gather(*(self._objects.delete(file.key) for file in files))
            raise
