"""Objects of the forgotten are deleted for good: the file in both tiers with every version that a bucket keeps, its restored
copies, what lies of it in quarantine, unfinished uploads and files of puts, and the folders that bear its id and names of nodes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from datetime import timedelta
from typing import Any

from engine.domain.clock import Clock
from engine.errors import InvalidInput, NotErased, StoreFailed
from engine.lifecycle.sweep import PREFIX
from engine.stores.encryption import UserKeys
from engine.stores.objects import ObjectStore, copy_of, file_of, is_ours, user_of
from engine.stores.tier import STORE, HeldObject, every

AT_ONCE = 8
"""Keys whose objects are deleted at the same time."""
MOST_LOOKS = 10
"""How often it is looked whether all is gone."""
AGAIN = f"The {STORE} goes on listing what was deleted, or somebody goes on storing it."


class ErasedObjects:
    """Deletes objects for good; every method may be repeated, also after it was killed. All raise StoreUnavailable, and NotErased
    with the keys of objects that the store does not let be deleted, after all others were.

    `settled`: a file of a put that was not written to for so long has no writer any more. In a folder such files have no key, so
    those of all users go. `keys`: of users' encrypted files, where the engine keeps them.
    """

    def __init__(self, objects: ObjectStore, clock: Clock, settled: timedelta, keys: UserKeys | None = None) -> None:
        self._objects, self._clock, self._settled, self._keys = objects, clock, settled, keys

    async def erase(self, keys: Sequence[str]) -> int:
        """Deletes these objects with all that belongs to their files; how many objects, versions, markers and uploads there were.
        Looks through the quarantine once. Raises InvalidInput for an invalid key."""
        files = frozenset(map(_file_folder, keys))
        found = _Erasing(self._objects)
        for some in _in_parts(sorted(files)):
            await _all_of(*(found.below(file, _belonging_to(file)) for file in some))
        await found.below(PREFIX, lambda key: _file_folder(_before_quarantine(key)) in files)
        await self._discard_unfinished()
        return found.done()

    async def erase_user(self, root: str) -> int:
        """The same with every object of a user, whose keys begin with the name of the schema of the user's root; also the key
        that encrypts them, so that copies in backups stay unreadable. What others put below that name stays. Raises InvalidInput
        for what is no such name."""
        if not root or "/" in root or root.startswith("."):
            raise InvalidInput("Not the name of a user's folder in the object store.")
        found = _Erasing(self._objects)
        await found.below(f"{root}/", is_ours)
        await found.below(PREFIX, lambda key: user_of(_before_quarantine(key)) == root)
        await self._discard_unfinished()
        number = found.done()
        if self._keys is not None:
            await asyncio.to_thread(self._keys.destroy, root)
        return number

    async def _discard_unfinished(self) -> None:
        # in a folder: in a bucket they have keys, and were found by these
        await self._objects.discard_unfinished(self._clock.now() - self._settled, lambda _: False)


class _Erasing:
    """One course of deletions: how many there were, and what was refused."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self._number, self._left, self._why = 0, set[str](), ""

    async def below(self, prefix: str, chosen: Callable[[str], bool] = every) -> None:
        """Deletes what the store has of keys that start with the prefix and are chosen; empty folders always. Looks again until
        nothing is there: a service may list late what it has, or list it in part."""
        try:
            for _ in range(MOST_LOOKS):
                last: set[str] = set()
                async for some in self._pages(prefix, chosen):
                    last |= some.keys()
                    await _all_of(*map(self._of_one_key, some.values()))
                if last <= self._left:
                    return
            self._refused(last, AGAIN)
        except StoreFailed as error:  # they cannot be listed
            self._refused({prefix}, error.detail)

    async def _pages(self, prefix: str, chosen: Callable[[str], bool]) -> AsyncIterator[dict[str, list[HeldObject]]]:
        """What there is, a few at a time, by key."""
        page: dict[str, list[HeldObject]] = {}
        async for one in self._objects.held(prefix):
            if one.folder or chosen(one.key):
                page.setdefault(one.key, []).append(one)
            if len(page) == AT_ONCE:
                yield page
                page = {}
        yield page

    async def _of_one_key(self, versions: Sequence[HeldObject]) -> None:
        for one in versions:  # one after the other: a service may bring an earlier version back when a later one goes
            try:
                await self._objects.erase(one)
            except StoreFailed as error:
                self._refused({one.key}, error.detail)
            else:
                self._number += not one.folder

    def _refused(self, keys: Iterable[str], why: str) -> None:
        self._left.update(keys)
        self._why = why

    def done(self) -> int:
        """How many were deleted. Raises NotErased where some were refused."""
        if self._left:
            raise NotErased(STORE, sorted(self._left), self._why)
        return self._number


def _file_folder(key: str) -> str:
    """The folder of the file that a key belongs to, with its slash: it has the file's own id. Else the key itself."""
    if copy_of(key):
        return f"{key.rsplit('/', 2)[0]}/"
    return f"{key.rpartition('/')[0]}/" if file_of(key) else key


def _belonging_to(file: str) -> Callable[[str], bool]:
    return every if file.endswith("/") else lambda key: key == file


def _before_quarantine(key: str) -> str:
    """The key that a file in quarantine had."""
    return key.removeprefix(PREFIX).partition("/")[2]


def _in_parts(files: Sequence[str]) -> list[Sequence[str]]:
    return [files[at : at + AT_ONCE] for at in range(0, len(files), AT_ONCE)]


async def _all_of(*calls: Any) -> None:
    """Awaits all calls, also after one has failed: none goes on unseen. Raises the first of their errors."""
    for outcome in await asyncio.gather(*calls, return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome
