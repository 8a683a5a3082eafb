"""Files in quarantine, instead of being deleted: kept under `.neurigraph/quarantine/<day>/<key>` for as long as backups are.

Both ways rename an object: its bytes lie under one of the two keys at any time, and both can be repeated.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from engine.domain.clock import Clock
from engine.errors import InvalidInput, NotFound
from engine.stores.objects import ObjectStore, file_of
from engine.stores.tier import OWN

PREFIX = f"{OWN}quarantine/"


@dataclass(frozen=True, slots=True)
class QuarantinedFile:
    """A file in quarantine: the key that it had, since which day it is here."""

    key: str
    file_id: UUID | None
    since: date
    size: int

    @property
    def kept_as(self) -> str:
        """Its key in quarantine."""
        return f"{PREFIX}{self.since:%Y%m%d}/{self.key}"


class Quarantine:
    """The quarantine of the object store; for the operator and the sweep. All raise StoreUnavailable."""

    def __init__(self, objects: ObjectStore, clock: Clock, kept: timedelta) -> None:
        self._objects, self._clock, self._kept = objects, clock, kept

    async def put(self, key: str) -> bool:
        """Takes a file out of use; False where it is gone, or its key is too long to be kept."""
        with suppress(NotFound, InvalidInput):
            await self._objects.rename(key, QuarantinedFile(key, file_of(key), self._clock.now().date(), 0).kept_as)
            return True
        return False

    async def listing(self) -> AsyncIterator[QuarantinedFile]:
        """All files in quarantine, those of the oldest day first."""
        async for entry in self._objects.listing(PREFIX):
            day, _, key = entry.key.removeprefix(PREFIX).partition("/")
            with suppress(ValueError):  # not put there by the engine
                since = datetime.strptime(day, "%Y%m%d").replace(tzinfo=UTC).date()
                yield QuarantinedFile(key, file_of(key), since, entry.size)

    async def give_back(self, file: QuarantinedFile) -> None:
        """Brings a file back to its place. Raises NotFound; one that lies there already is left as it is."""
        try:
            await self._objects.find(file.key)
        except NotFound:
            await self._objects.rename(file.kept_as, file.key)
        else:
            await self._objects.delete(file.kept_as)

    async def give_back_files(self, files: set[UUID]) -> int:
        """Brings these files back where they are in quarantine; how many."""
        returned = 0
        async for file in self.listing():
            if file.file_id in files:
                await self.give_back(file)
                returned += 1
        return returned

    async def expire(self) -> int:
        """Deletes what has been in quarantine for longer than backups are kept; how many files."""
        before, deleted = (self._clock.now() - self._kept).date(), 0
        async for file in self.listing():
            if file.since >= before:
                break  # they come in the order of their days
            await self._objects.delete(file.kept_as)
            deleted += 1
        return deleted
