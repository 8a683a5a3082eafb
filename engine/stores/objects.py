"""Objects: file bytes under keys that mirror the hierarchy, in a folder or in any S3 service, with the same behaviour.

An optional second, cold tier holds what is seldom read. A key is in one of them; a reader need not know in which.
Where a crash left a key in both, the hot one counts. Every call has a timeout.
Of the keys that the engine makes, `root/…/<file id>/name` is a file, `root/…/<file id>/warm/<claim id>` a copy of it. Other keys
do not belong to this engine and are never touched.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from importlib import import_module
from os import SEEK_END
from pathlib import Path
from typing import IO
from urllib.parse import SplitResult, unquote, urlsplit
from uuid import UUID

from engine.errors import NotFound, SettingsError, StoreTimeout
from engine.stores.encryption import Encryption
from engine.stores.folder import Folder
from engine.stores.limits import MARGIN, remaining
from engine.stores.tier import OWN, STORE, HeldObject, StoredObject, StorePatience, Tier, every

__all__ = ["COPIES", "ObjectStore", "StoredObject", "copy_of", "file_of", "is_ours", "object_store", "user_of"]

IN_MEMORY = 8 << 20
"""Objects up to this size are moved in memory, larger ones through a temporary file."""
SLOWEST = 256 << 10
"""Bytes a second below which a put counts as stuck."""
TRIES = 3
"""Attempts within the timeout of a call when the service does not answer."""
COPIES = "warm"
_ROOT = re.compile(r"[a-z0-9_]{1,63}")


class ObjectStore:
    """The object store, of one tier or two: `Tier` says what a method without a text of its own promises."""

    def __init__(
        self, hot: Tier, cold: Tier | None = None, *, limit: float = 30.0 + MARGIN, encryption: Encryption | None = None
    ) -> None:
        self.hot, self.cold, self._limit, self._encryption = hot, cold, limit, encryption

    @asynccontextmanager
    async def _ending(self, size: int = 0) -> AsyncIterator[None]:
        """Raises StoreTimeout when the block takes too long; the limit grows with `size` in bytes."""
        try:
            async with asyncio.timeout(remaining(self._limit + size / SLOWEST)):
                yield
        except TimeoutError as error:
            raise StoreTimeout(STORE) from error

    async def put(self, key: str, content: IO[bytes], *, cold: bool = False) -> int:
        """Stores `content` from its current position on, encrypted where that is set; the bytes of the object. Readers see all of
        it or nothing. Raises StoreFull, DamagedFile where the key of its user cannot be unwrapped.

        `cold` selects the tier; it is ignored where there is only one.
        """
        user = user_of(key) if self._encryption else None
        ready = await self._encryption.sealed(user, content) if self._encryption and user else content
        try:
            size = _left_of(ready)
            async with self._ending(size):
                if self.cold is None:
                    await self.hot.put(key, ready)
                elif cold:
                    await self.cold.put(key, ready)
                    await self.hot.delete(key)
                else:
                    await self.hot.put(key, ready)
                    await self.cold.delete(key)
            return size
        finally:
            if ready is not content:
                ready.close()

    def read(self, key: str) -> AsyncIterator[bytes]:
        """Its bytes, decrypted. Raises NotFound before the first block, DamagedFile where they cannot be decrypted."""
        user = user_of(key) if self._encryption else None
        return self._encryption.opened(user, self._read(key)) if self._encryption and user else self._read(key)

    async def _read(self, key: str) -> AsyncIterator[bytes]:
        for tier in self._places:
            blocks = tier.read(key)
            with suppress(NotFound):
                while block := await self._next(blocks):
                    yield block
                return
        raise NotFound

    async def _next(self, blocks: AsyncIterator[bytes]) -> bytes:
        async with self._ending():
            return await anext(blocks, b"")

    async def find(self, key: str) -> StoredObject:
        async with self._ending():
            found, tier = await self._found(key)
        return replace(found, cold=tier is self.cold)

    async def delete(self, key: str) -> None:
        async with self._ending():
            if self.cold:
                await self.cold.delete(key)
            await self.hot.delete(key)

    async def listing(self, prefix: str) -> AsyncIterator[StoredObject]:
        """Every object whose key starts with the prefix, sorted by key.

        Objects that are moved or put during the listing may be missing. The engine's own objects
        (`.neurigraph/`) are listed only where the prefix starts with that name.
        """
        async for entry in self._listing(prefix):
            if prefix.startswith(OWN) or not entry.key.startswith(OWN):
                yield entry

    async def _listing(self, prefix: str) -> AsyncIterator[StoredObject]:
        hot = self.hot.listing(prefix)
        cold = self.cold.listing(prefix) if self.cold else _nothing()

        async def following(tier: AsyncIterator[StoredObject]) -> StoredObject | None:
            async with self._ending():
                return await anext(tier, None)

        ours, theirs = await following(hot), await following(cold)
        while ours or theirs:
            if ours and (theirs is None or ours.key <= theirs.key):
                if theirs and theirs.key == ours.key:
                    theirs = await following(cold)
                yield ours
                ours = await following(hot)
            elif theirs:
                yield replace(theirs, cold=True)
                theirs = await following(cold)

    async def held(self, prefix: str) -> AsyncIterator[HeldObject]:
        """Everything that both tiers have of keys that start with the prefix, the hot one first; see `Tier.held`."""
        for tier in self.tiers:
            found = tier.held(prefix)
            while True:
                async with self._ending():
                    one = await anext(found, None)
                if one is None:
                    break
                yield replace(one, cold=tier is self.cold)

    async def erase(self, held: HeldObject) -> None:
        """Removes something that `held` gave, for good; see `Tier.erase`."""
        async with self._ending():
            await (self.cold if held.cold and self.cold else self.hot).erase(held)

    async def move(self, key: str, *, cold: bool) -> None:
        """Moves the object to the cold tier, or back; does nothing where there is one tier. Raises NotFound.

        It stays readable, and an interrupted move can be repeated. Not for a key that is being put.
        """
        size = (await self.find(key)).size
        if self.cold is None:
            return
        async with self._ending(2 * size):
            if not cold and await _has(self.hot, key):
                await self.cold.delete(key)
                return
            source, target = (self.hot, self.cold) if cold else (self.cold, self.hot)
            try:
                await _copy(key, source, target)
            except NotFound:
                await target.find(key)  # there already
            else:
                await source.delete(key)

    async def rename(self, key: str, new: str) -> None:
        """Renames the object within its tier. Raises NotFound, InvalidInput for an invalid key.

        The bytes are always under one of the keys, and an interrupted rename can be repeated.
        """
        size = (await self.find(key)).size
        async with self._ending(2 * size):
            _, tier = await self._found(key)
            await _copy(key, tier, tier, new)
            await tier.delete(key)

    async def presigned(self, key: str, expires: timedelta) -> str | None:
        """A presigned download URL, valid for 1 second to 7 days; None where the tier is a folder.

        Raises NotFound, InvalidInput.
        """
        async with self._ending():
            _, tier = await self._found(key)
            return await tier.presigned(key, expires)

    async def discard_unfinished(self, before: datetime, ours: Callable[[str], bool] = every) -> int:
        """Removes unfinished puts of our keys that started before; how many. Readers never saw them."""
        async with self._ending():
            return sum([await tier.discard_unfinished(before, ours) for tier in self.tiers])

    async def check(self) -> None:
        """Checks that the store can be reached and written to."""
        async with self._ending():
            for tier in self.tiers:
                await tier.check()

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """The hot tier, and the cold one where there is one."""
        return (self.hot, self.cold) if self.cold else (self.hot,)

    @property
    def _places(self) -> tuple[Tier, ...]:
        """The tiers to search for a key; the hot one again at the end, since the key may just have been moved there."""
        return (self.hot, self.cold, self.hot) if self.cold else (self.hot,)

    async def _found(self, key: str) -> tuple[StoredObject, Tier]:
        for tier in self._places:
            with suppress(NotFound):
                return await tier.find(key), tier
        raise NotFound


def _left_of(content: IO[bytes]) -> int:
    """Bytes from the content's current position to its end."""
    start = content.tell()
    end = content.seek(0, SEEK_END)
    content.seek(start)
    return end - start


async def _nothing() -> AsyncIterator[StoredObject]:
    return
    yield


async def _has(tier: Tier, key: str) -> bool:
    with suppress(NotFound):
        await tier.find(key)
        return True
    return False


async def _copy(key: str, source: Tier, target: Tier, new: str | None = None) -> None:
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as passing:
        async for block in source.read(key):
            await asyncio.to_thread(passing.write, block)
        passing.seek(0)
        await target.put(new or key, passing)


def object_store(
    url: str,
    *,
    timeout: float,
    silence: float = 30.0,
    authority: Path | None = None,
    cold_url: str | None = None,
    encryption: Encryption | None = None,
) -> ObjectStore:
    """The store that a URL names: `file:///folder` or `s3://key:secret@host:port/bucket?secure=true&region=…`.

    `timeout`: seconds for connecting; `silence`: seconds without an answer, for a whole call with its retries;
    `authority` is the PEM file for the certificates of S3 services; `encryption`: of users' files. Raises SettingsError.
    """
    patience, limit = StorePatience(timeout, silence / TRIES), silence + MARGIN
    if authority and not any(part and part.startswith("s3:") for part in (url, cold_url)):
        raise SettingsError("NEURIGRAPH_OBJECTS_CA is for an S3 service: set NEURIGRAPH_OBJECTS_URL to one.")
    hot = urlsplit(url)
    if cold_url is None:
        return ObjectStore(_tier(hot, patience, authority), limit=limit, encryption=encryption)
    cold = urlsplit(cold_url)
    if _overlap(hot, cold):
        raise SettingsError("The cold tier (NEURIGRAPH_OBJECTS_COLD_URL) has to be a bucket or a folder of its own.")
    tiers = _tier(hot, patience, authority), _tier(cold, patience, authority)
    return ObjectStore(*tiers, limit=limit, encryption=encryption)


def _tier(url: SplitResult, patience: StorePatience, authority: Path | None) -> Tier:
    if url.scheme == "file":
        return Folder(_path(url))
    if url.scheme == "s3":
        tier: Tier = import_module("engine.stores.s3").bucket(url, patience, authority)  # its client loads slowly
        return tier
    raise SettingsError("The object store's URL is file:///folder or s3://key:secret@host:port/bucket.")


def _path(url: SplitResult) -> Path:
    return Path(unquote(url.path))


def _overlap(hot: SplitResult, cold: SplitResult) -> bool:
    """Whether one tier would list the other's objects as its own."""
    if hot.scheme != cold.scheme:
        return False
    if hot.scheme == "file":
        ours, theirs = _path(hot).resolve(), _path(cold).resolve()
        return ours.is_relative_to(theirs) or theirs.is_relative_to(ours)
    return (hot.hostname, hot.port, hot.path.strip("/")) == (cold.hostname, cold.port, cold.path.strip("/"))


def file_of(key: str) -> UUID | None:
    """The file id in an object's key; None for the key of a restored copy and for one that is not ours."""
    parts = key.split("/")
    return _id(parts[-2]) if len(parts) >= 3 and _ROOT.fullmatch(parts[0]) else None


def copy_of(key: str) -> tuple[UUID, UUID] | None:
    """File and claim of a restored copy's key; None for the key of anything else."""
    parts = key.split("/")
    if len(parts) < 4 or parts[-2] != COPIES or not _ROOT.fullmatch(parts[0]):
        return None
    file, claim = _id(parts[-3]), _id(parts[-1])
    return (file, claim) if file and claim else None


def user_of(key: str) -> str | None:
    """The part of a key that names whose object it is; None for a key that is not ours."""
    return key.partition("/")[0] if is_ours(key) else None


def is_ours(key: str) -> bool:
    """Whether the engine makes such keys."""
    return file_of(key) is not None or copy_of(key) is not None


def _id(part: str) -> UUID | None:
    try:
        found = UUID(part)
    except ValueError:
        return None
    return found if str(found) == part else None
