"""The states of files, and the bytes of a file from its object, unpacked in constant memory and compared with their hash before
they are returned.

Every transition of a state is one statement, which also writes the log. The statements check the principal's rights; only the
service notes the end of a restoration.
A restored copy lies beside the object, in a folder of its own, under the claim of the restoration that made it:
`…/<file>/<name>.gz` is the file, `…/<file>/warm/<claim>` the copy. A copy may vanish at any time; the object stays.
"""

from __future__ import annotations

import asyncio
import hashlib
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import IO, Any, Literal
from uuid import UUID, uuid4

from engine.domain.clock import Clock
from engine.domain.file_state import FileStatus
from engine.domain.principal import Principal
from engine.errors import DamagedFile, NotFound, StoreFull
from engine.stores.objects import COPIES, ObjectStore
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

STEP = 1 << 20
"""Bytes that are unpacked at once, so that a block that unpacks to much does not fill the memory."""


@dataclass(frozen=True, slots=True)
class ManifestFile:
    """A file as its manifest describes it; `packed`: its object is compressed."""

    node_id: UUID
    file_id: UUID
    record_id: UUID
    name: str
    content_type: str
    size_bytes: int
    storage_path: str
    packed: bool
    sha256: bytes


def copy_key(storage_path: str, claim_id: UUID) -> str:
    """Where the restored copy of a claim lies."""
    return f"{storage_path.rpartition('/')[0]}/{COPIES}/{claim_id}"


async def restore(objects: ObjectStore, key: str, target: IO[bytes], *, packed: bool, sha256: bytes) -> None:
    """Writes the original bytes to `target`. Raises DamagedFile, where they are not those of the hash or missing, with
    `target` in any state; StoreFull, StoreUnavailable."""
    digest = hashlib.sha256()
    unpacker = zlib.decompressobj(wbits=31) if packed else None
    try:
        async for block in objects.read(key):
            await asyncio.to_thread(_write_block, block, unpacker, digest, target)
    except zlib.error as error:
        raise DamagedFile from error
    except NotFound as error:
        raise DamagedFile("The stored file is missing; nothing was served.") from error
    except OSError as error:  # of the target: what the object store raises is translated there
        raise StoreFull("temporary folder", "There is no room to restore the file.") from error
    if (unpacker is not None and not unpacker.eof) or digest.digest() != sha256:
        raise DamagedFile


def _write_block(block: bytes, unpacker: zlib._Decompress | None, digest: hashlib._Hash, target: IO[bytes]) -> None:
    while block:
        plain = unpacker.decompress(block, STEP) if unpacker else block
        block = unpacker.unconsumed_tail if unpacker else b""
        digest.update(plain)
        target.write(plain)


@dataclass(frozen=True, slots=True)
class FileTimes:
    """How long a file is awake after a retrieval, and unused after it was woken by hand; how long a restoration may be
    silent before another takes over; how long a reader waits by default."""

    after_retrieval: timedelta
    unused: timedelta
    lease: timedelta
    wait_s: float


@dataclass(frozen=True, slots=True)
class FileClaim:
    """The state of a file for a reader. `mine`: the caller restores it. `failed`: the restoration that the caller waited for
    found it damaged."""

    state: Literal["active", "rehydrating", "failed"]
    since: datetime
    due_at: datetime | None
    by_hand: bool
    claim_id: UUID
    mine: bool


@dataclass(frozen=True, slots=True)
class Asleep:
    """A file that has just fallen asleep: what to delete, and why it fell asleep."""

    node_id: UUID
    claim_id: UUID
    storage_path: str | None
    cause: Literal["ttl", "dormancy", "recovery", "manual"]


class FileStates:
    """States of files in Postgres."""

    def __init__(self, postgres: Postgres, clock: Clock, times: FileTimes) -> None:
        self._postgres, self._clock, self.times = postgres, clock, times

    # for a principal -------------------------------------------------------------------------------------

    async def claim(
        self, principal: Principal, file: ManifestFile, *, by_hand: bool, lost: UUID | None, waited: UUID | None
    ) -> FileClaim:
        """Claims the file as awake; see engine.claim_file. Raises NotFound, StoreUnavailable."""
        now = self._clock.now()
        parameters = {
            "node_id": file.node_id,
            "file_id": file.file_id,
            "claim_id": uuid4(),
            "by_hand": by_hand,
            "now": now,
            "lease": now + self.times.lease,
            "until": now + self.times.after_retrieval,
            "lost": lost,
            "waited": waited,
        }
        [claim] = await self._postgres.fetch(principal, sql_text("file/claim"), parameters, row=FileClaim)
        return claim

    async def status(self, principal: Principal, node_id: UUID, file_id: UUID) -> FileStatus:
        """The state of a file; raises NotFound unless the principal may read it."""
        parameters = {"node_id": node_id, "file_id": file_id}
        [status] = await self._postgres.fetch(principal, sql_text("file/status"), parameters, row=FileStatus)
        return status

    async def sleep(self, principal: Principal, node_id: UUID, file_id: UUID) -> Asleep | None:
        """Puts a file to sleep; None where it slept. Raises NotFound unless the principal may write at the node, Conflict
        while it is being restored."""
        parameters = {"node_id": node_id, "file_id": file_id, "now": self._clock.now()}
        asleep = await self._postgres.fetch(principal, sql_text("file/sleep"), parameters, row=Asleep)
        return asleep[0] if asleep else None

    # for the service -------------------------------------------------------------------------------------

    async def restored(self, file: ManifestFile, claim_id: UUID) -> bool:
        """Marks the file as active: the copy of this claim is there. False when another process took the file over."""
        now = self._clock.now()
        return await self._noted("file/restored", file, claim_id, now=now, until=now + self.times.after_retrieval)

    async def failed(self, file: ManifestFile, claim_id: UUID, detail: str, *, review: bool) -> bool:
        """Marks the file as dormant: the restoration of this claim failed. False when another process took the file over."""
        now = self._clock.now()
        return await self._noted("file/failed", file, claim_id, now=now, detail=detail, review=review)

    async def prolong(self, file: ManifestFile, claim_id: UUID) -> None:
        """Renews the claim of a restoration that is still running."""
        lease = self._clock.now() + self.times.lease
        parameters = {"node_id": file.node_id, "file_id": file.file_id, "claim_id": claim_id, "lease": lease}
        await self._postgres.change_as_service(sql_text("file/claim_prolong"), parameters)

    async def sweep(self, now: datetime, limit: int) -> list[Asleep]:
        """Puts the next files to sleep whose time was over at `now`; empty when there are no more."""
        parameters = {"now": now, "unused": now - self.times.unused, "limit": limit}
        return await self._postgres.fetch_as_service(sql_text("file/sweep"), parameters, row=Asleep)

    async def _noted(self, name: str, file: ManifestFile, claim_id: UUID, **more: Any) -> bool:
        parameters = {"node_id": file.node_id, "file_id": file.file_id, "claim_id": claim_id, **more}
        [done] = await self._postgres.fetch_as_service(sql_text(name), parameters, row=bool)
        return done
