"""A tier of the object store: one place for objects, a folder or a bucket, and what both have in common.

Keys are ASCII, separated by slashes, and written once: a put under an existing key replaces it whole or not at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import IO, ParamSpec, Protocol, TypeVar

from engine.errors import InvalidInput

Given = ParamSpec("Given")
Result = TypeVar("Result")

STORE = "object store"
THREADS = ThreadPoolExecutor(16, "objects")
"""A thread pool of its own: calls that hang on a store must not use up the threads that embed questions."""
BLOCK = 1 << 20
"""Bytes that are read at a time."""
UNFINISHED = ".unfinished"
"""No key begins with this folder: a folder tier keeps its puts under way there."""
OWN = ".neurigraph/"
"""Keys that begin so are the engine's bookkeeping: the mark of the installation, the quarantine."""
LONGEST_KEY, LONGEST_PART = 1024, 255
PAGE = 500
"""Objects that a listing fetches at a time."""


@dataclass(frozen=True, slots=True)
class StorePatience:
    """Timeouts in seconds: for connecting, and for an answer before a call is retried."""

    connect: float
    silence: float


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object as the store lists it."""

    key: str
    size: int
    modified: datetime
    cold: bool = False


@dataclass(frozen=True, slots=True)
class HeldObject:
    """Something that a place still has of a key: its object, or an earlier `version` or a delete marker of it; an unfinished
    `upload`; a `folder` that is empty, then the key ends with a slash. Readers see the newest version alone."""

    key: str
    version: str | None = None
    upload: str | None = None
    folder: bool = False
    cold: bool = False


class Tier(Protocol):
    """One place for objects. Every method raises StoreUnavailable when the place does not answer."""

    async def put(self, key: str, content: IO[bytes]) -> None:
        """Stores `content` from its current position on; readers see all of it or nothing. Raises StoreFull."""

    def read(self, key: str) -> AsyncIterator[bytes]:
        """The bytes in blocks of at most 1 MiB; raises NotFound, before the first block."""

    async def find(self, key: str) -> StoredObject:
        """The object without its bytes; raises NotFound."""

    async def delete(self, key: str) -> None:
        """Removes the object; a missing one is fine."""

    def listing(self, prefix: str) -> AsyncIterator[StoredObject]:
        """Every object whose key starts with the prefix, sorted by key."""

    def held(self, prefix: str) -> AsyncIterator[HeldObject]:
        """Everything that the place has of keys that start with the prefix, also what no reader sees: earlier versions, delete
        markers, unfinished uploads, empty folders. Raises StoreFailed where the place does not let us list them."""

    async def erase(self, held: HeldObject) -> None:
        """Removes it for good, and the folders that are empty then; what is missing is fine. Raises StoreFailed where the place
        answers, and refuses: a lock on the object, rights that are missing."""

    async def presigned(self, key: str, expires: timedelta) -> str | None:
        """A presigned download URL; None where the place has none."""

    async def discard_unfinished(self, before: datetime, ours: Callable[[str], bool]) -> int:
        """Removes unfinished puts of our keys that started before; how many. Readers never saw them."""

    async def check(self) -> None:
        """Checks that the place can be reached and written to."""


async def in_thread(call: Callable[Given, Result], *args: Given.args, **options: Given.kwargs) -> Result:
    """The result of a blocking call of a tier, run in a worker thread."""
    return await asyncio.get_running_loop().run_in_executor(THREADS, partial(call, *args, **options))


def every(_: str) -> bool:
    """Accepts every key as the engine's own."""
    return True


def checked(key: str) -> str:
    """The key; raises InvalidInput for an invalid one, or one that would lead out of the store."""
    parts = key.split("/")
    odd = any(part in ("", ".", "..") or len(part) > LONGEST_PART for part in parts) or parts[0] == UNFINISHED
    if odd or not key.isascii() or "\x00" in key or "\\" in key or len(key) > LONGEST_KEY:
        raise InvalidInput("Not a key of the object store.")
    return key


async def in_pages(objects: Iterator[Result]) -> AsyncIterator[Result]:
    """The values of a blocking iterator, fetched in worker threads a page at a time."""
    while page := await in_thread(lambda: list(islice(objects, PAGE))):
        for entry in page:
            yield entry
