"""The bytes of a file from its object, unpacked in constant memory and compared with their hash before they are returned.

A restored copy lies beside the object, in a folder of its own, under the claim of the restoration that made it:
`…/<file>/<name>.gz` is the file, `…/<file>/warm/<claim>` the copy. A copy may vanish at any time; the object stays.
"""

from __future__ import annotations

import asyncio
import hashlib
import zlib
from dataclasses import dataclass
from typing import IO
from uuid import UUID

from engine.domain.object_keys import COPIES
from engine.errors import DamagedFile, NotFound, StoreFull
from engine.stores.objects import ObjectStore

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
