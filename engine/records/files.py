"""The files of records in the object store: put under new keys before the commit, taken back where Postgres refuses it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from engine.commit.unit_of_work import UnitOfWork, UnitsOfWork
from engine.domain.principal import Principal
from engine.domain.record import RecordDraft
from engine.errors import Conflict, EmbeddingsChanged, NeurigraphError, VersionRefused
from engine.records.packing import is_native, object_key, pack
from engine.stores.objects import ObjectStore

PARALLEL_FILES = 8
IN_MEMORY = 1 << 20
"""Packed files up to this size wait in memory for the object store, larger ones in a temporary file."""


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
