"""Orphans: objects that no manifest lists, left by a write without a commit. They go to quarantine after a grace time, and are
deleted when backups are no longer kept that long. Restored copies without a claim are deleted: they can be made again.

Only keys that the engine makes, below the root of a user whom Postgres knows, are touched. Where too many files are unknown,
or the graph or the raw inputs list one of them, Postgres has lost data: then nothing is touched, and the report gives the reason.

In quarantine a file lies under `.neurigraph/quarantine/<day>/<key>`. Both ways rename an object: its bytes lie under one of the
two keys at any time, and both can be repeated.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from engine.domain.clock import Clock
from engine.errors import InvalidInput, NotFound
from engine.lifecycle.installation import Installation
from engine.stores.limited import TABLES_LOST
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore, StoredObject, copy_of, file_of, is_ours
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text
from engine.stores.tier import OWN

PREFIX = f"{OWN}quarantine/"

PAGE = 1000
MOST_ORPHANS = 10_000
"""Orphans that one run handles; the next run takes the others."""
IMPLAUSIBLE_SHARE, IMPLAUSIBLE_COUNT = 0.1, 20
"""More orphans than both cannot all be from interrupted writes."""
LONGEST_PUT = timedelta(days=1)
"""An older unfinished put was killed; its remains are removed."""

log = logging.getLogger(__name__)


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


@dataclass(frozen=True, slots=True)
class SweepReport:
    """The result of a sweep: objects seen, foreign ones, unknown files and copies, files moved to quarantine, copies deleted,
    files deleted from quarantine. `stopped`: why it touched nothing; empty where it ran."""

    objects: int
    foreign: int
    orphans: int
    quarantined: int
    deleted: int
    expired: int
    stopped: str = ""


@dataclass(slots=True)
class Orphans:
    """The result of one pass over the object store. `old`: unknown files past the grace time; `files`: those that this run
    handles."""

    objects: int = 0
    foreign: int = 0
    unknown: int = 0
    old: int = 0
    files: list[StoredObject] = field(default_factory=list)
    copies: list[StoredObject] = field(default_factory=list)

    @property
    def implausible(self) -> bool:
        """Whether too many files are unknown to be orphans of writes."""
        return self.old > max(IMPLAUSIBLE_COUNT, IMPLAUSIBLE_SHARE * (self.objects - self.foreign))


class Sweep:
    """Finds orphans and moves them to quarantine. Safe to run twice at once and while writes go on: their objects are young."""

    def __init__(
        self,
        stores: tuple[Postgres, Neo4j, ObjectStore],
        installation: Installation,
        quarantine: Quarantine,
        clock: Clock,
        grace: timedelta,
    ) -> None:
        self._postgres, self._neo4j, self._objects = stores
        self._installation, self._quarantine, self._clock, self._grace = installation, quarantine, clock, grace

    async def run(self, *, grace: timedelta | None = None, delete: bool = True, force: bool = False) -> SweepReport:
        """One pass over the object store in pages; `force`: also with too many orphans. Raises StoreUnavailable."""
        before = self._clock.now() - (self._grace if grace is None else grace)
        found = await self._look(before.timestamp())
        stopped = await self.objection(found, force=force)
        if stopped:
            log.error("the sweep touched nothing: %s", stopped)
        quarantined = deleted = expired = 0
        if delete and not stopped:
            quarantined = sum([await self._quarantine.put(entry.key) for entry in found.files])
            for entry in found.copies:
                await self._objects.delete(entry.key)
                deleted += 1
            expired = await self._quarantine.expire()
            await self._objects.discard_unfinished(before - LONGEST_PUT, _put_by_us)
        return SweepReport(found.objects, found.foreign, found.unknown, quarantined, deleted, expired, stopped)

    async def objection(self, found: Orphans, *, force: bool = False) -> str:
        """Why these orphans must not be touched; empty where they may. Raises StoreUnavailable."""
        if reason := await self._installation.stopped():
            return reason
        if found.implausible and not force:
            share = f"{found.old:,} of {found.objects - found.foreign:,} files are in no manifest"
            return (
                f"{share}: too many for writes that were cut off. Postgres may have been restored from an older backup; "
                "`neurigraph sweep --force` moves them to quarantine all the same."
            )
        known = await self._known_elsewhere([file for entry in found.files if (file := file_of(entry.key))])
        if known:
            return (
                f"{len(known):,} files that are in no manifest of Postgres are known to the graph or to the raw inputs, first "
                f"{known[0]}: Postgres has lost something. `neurigraph doctor` says what, and what brings it back."
            )
        return ""

    async def look_old(self) -> Orphans:
        """Counts objects and finds orphans past the grace time. Raises StoreUnavailable."""
        return await self._look((self._clock.now() - self._grace).timestamp())

    async def _look(self, before: float) -> Orphans:
        found = Orphans()
        async for root, page in self._pages(found):
            await self._look_at(root, page, before, found)
        return found

    async def _pages(self, found: Orphans) -> AsyncIterator[tuple[str, list[StoredObject]]]:
        pages: dict[str, list[StoredObject]] = {}
        async for entry in self._objects.listing(""):
            found.objects += 1
            if not is_ours(entry.key):
                found.foreign += 1
                continue
            root = entry.key.partition("/")[0]
            page = pages.setdefault(root, [])
            page.append(entry)
            if len(page) >= PAGE:
                yield root, pages.pop(root)
        for root, page in pages.items():
            yield root, page

    async def _look_at(self, root: str, page: list[StoredObject], before: float, found: Orphans) -> None:
        by_file = {file: entry for entry in page if (file := file_of(entry.key)) is not None}
        copies = {copy: entry for entry in page if (copy := copy_of(entry.key)) is not None}
        by_claim = {claim: entry for (_, claim), entry in copies.items()}
        claims = {"files": [file for file, _ in copies], "claims": [claim for _, claim in copies]}
        try:
            async with self._postgres.as_service() as connection:
                if not await connection.fetch(sql_text("user/roots_known"), {"roots": [root]}, row=str):
                    found.foreign += len(page)
                    return
                files = {"root": root, "files": list(by_file)}
                [unlisted] = await connection.fetch(sql_text("file/unknown"), files, row=list[UUID])
                stale = await connection.fetch(sql_text("file/copies_unknown"), claims, row=UUID)
        except TABLES_LOST:  # files of an unknown user stay
            return
        unknown, unclaimed = [by_file[file] for file in unlisted], [by_claim[claim] for claim in stale]
        found.unknown += len(unknown) + len(unclaimed)
        room = MOST_ORPHANS - len(found.files)
        old = [entry for entry in unknown if entry.modified.timestamp() <= before]
        found.old += len(old)
        found.files += old[:room]
        found.copies += [entry for entry in unclaimed if entry.modified.timestamp() <= before]

    async def _known_elsewhere(self, files: list[UUID]) -> list[UUID]:
        """Which of these files the graph's manifests or the raw inputs know."""
        for start in range(0, len(files), PAGE):
            page = files[start : start + PAGE]
            known = await self._neo4j.read(cypher("doctor/files_known"), row=UUID, files=[str(file) for file in page])
            if not known:
                known = await self._postgres.fetch_as_service(sql_text("resource/known"), {"files": page}, row=UUID)
            if known:
                return known
        return []


def _put_by_us(key: str) -> bool:
    return is_ours(key) or key.startswith(".neurigraph/")
