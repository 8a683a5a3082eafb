"""Puts and reads one object in a process of its own: `python large_object.py URL MEGABYTES`; prints what it cost.

The bytes are made while they are asked for, so that only the store's own memory is seen.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import resource
import sys
import time
from datetime import timedelta
from typing import IO, cast

from engine.stores.objects import ObjectStore, object_store

BLOCK = 1 << 20


class Numbers(io.RawIOBase):
    """A stream of numbered blocks."""

    def __init__(self, size: int) -> None:
        self._size, self._position = size, 0

    def read(self, size: int = -1) -> bytes:
        end = self._size if size < 0 else min(self._size, self._position + size)
        first, last = self._position // BLOCK, -(-end // BLOCK)
        blocks = b"".join(number.to_bytes(8) * (BLOCK // 8) for number in range(first, last))
        start = self._position - first * BLOCK
        read, self._position = blocks[start : start + end - self._position], end
        return read

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._position = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        return self._position

    def tell(self) -> int:
        return self._position


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def digest(size: int) -> str:
    total, stream = hashlib.sha256(), Numbers(size)
    while block := stream.read(BLOCK):
        total.update(block)
    return total.hexdigest()


async def there_and_back(store: ObjectStore, size: int) -> tuple[int, str]:
    await store.put("large/1/x", cast(IO[bytes], Numbers(size)))
    total, read = hashlib.sha256(), 0
    async for block in store.read("large/1/x"):
        total.update(block)
        read += len(block)
    await store.delete("large/1/x")
    return read, total.hexdigest()


async def main(url: str, megabytes: str) -> None:
    store, size = object_store(url, timeout=5), int(megabytes) << 20
    await store.check()
    await there_and_back(store, 20 << 20)  # in parts already
    small, begun = peak(), time.monotonic()
    read, found = await there_and_back(store, size)
    measured = {"size": read, "same": found == digest(size), "small_mib": small, "peak_mib": peak()}
    print(json.dumps(measured | {"took": str(timedelta(seconds=round(time.monotonic() - begun)))}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
