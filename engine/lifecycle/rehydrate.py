"""Opening one file: the identified one and no other. The bytes are checked against their hash before the end is given out."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import IO
from uuid import UUID

from engine.domain.clock import Clock
from engine.domain.principal import Principal
from engine.errors import DamagedFile, NotFound
from engine.hierarchy.shells import Shells
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_in, sql_text

IN_MEMORY = 8 << 20
"""Files up to this size are restored in memory, larger ones in a temporary file."""


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A restored file; `content` is positioned at the start and lives as long as the context that gave it."""

    file_id: UUID
    record_id: UUID
    name: str
    content_type: str
    size_bytes: int
    content: IO[bytes]


class Rehydration:
    """Restores files from the object store."""

    def __init__(
        self, postgres: Postgres, neo4j: Neo4j, objects: ObjectStore, shells: Shells, clock: Clock, ttl: timedelta
    ) -> None:
        self._postgres, self._neo4j, self._objects, self._shells = postgres, neo4j, objects, shells
        self._clock, self._ttl = clock, ttl

    @asynccontextmanager
    async def opened(self, principal: Principal, node_id: UUID, file_id: UUID) -> AsyncIterator[OpenedFile]:
        """The file, restored and verified; it counts as active until its TTL is over.

        Raises NotFound, DamagedFile (nothing is given out), StoreUnavailable.
        """
        schema = await self._shells.schema_of(principal, node_id)
        rows = await self._postgres.fetch(principal, sql_in("file_locate", schema), {"file_id": file_id})
        if not rows:
            raise NotFound
        row = rows[0]
        with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as target:
            await self._restore(row["storage_path"], row["compression_format"] == "gzip", row["sha256"], target)
            now = self._clock.now()
            parameters = {"node_id": node_id, "file_id": file_id, "now": now, "until": now + self._ttl}
            await self._postgres.change(principal, sql_text("file_opened"), parameters)
            await self._neo4j.write(
                cypher("node/opened"), **principal.parameters, node_id=str(node_id), now=now.isoformat()
            )
            target.seek(0)
            yield OpenedFile(
                file_id, row["record_id"], row["file_name"], row["content_type"], row["size_bytes"], target
            )

    async def _restore(self, key: str, packed: bool, expected: bytes, target: IO[bytes]) -> None:
        digest = hashlib.sha256()
        unpacker = zlib.decompressobj(wbits=31) if packed else None
        try:
            async for block in self._objects.read(key):
                await asyncio.to_thread(_write_block, block, unpacker, digest, target)
        except zlib.error as error:
            raise DamagedFile from error
        except NotFound as error:
            raise DamagedFile("The stored file is missing; nothing was served.") from error
        if (unpacker is not None and not unpacker.eof) or digest.digest() != expected:
            raise DamagedFile


def _write_block(block: bytes, unpacker: zlib._Decompress | None, digest: hashlib._Hash, target: IO[bytes]) -> None:
    """Unpacks in steps of at most 1 MiB, so that a block that unpacks to much does not fill the memory."""
    while block:
        plain = unpacker.decompress(block, 1 << 20) if unpacker else block
        block = unpacker.unconsumed_tail if unpacker else b""
        digest.update(plain)
        target.write(plain)
