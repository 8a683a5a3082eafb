"""Objects that nobody knows: what a write left that did not get to its commit, restored copies that a crash left of files
that sleep. Swept after a grace time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from engine.domain.clock import Clock
from engine.lifecycle.restoration import copy_of
from engine.stores.objects import ObjectStore, StoredObject
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

PAGE = 1000
LONGEST_PUT = timedelta(days=1)
"""A put that began before was killed; what it left is removed."""


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep saw: objects looked at, orphans found, orphans deleted (those past the grace time)."""

    objects: int
    orphans: int
    deleted: int


class Sweep:
    """Finds and deletes orphans. Safe to run twice at once and while writes go on: their objects are young."""

    def __init__(self, postgres: Postgres, objects: ObjectStore, clock: Clock, grace: timedelta) -> None:
        self._postgres, self._objects, self._clock, self._grace = postgres, objects, clock, grace

    async def run(self, *, grace: timedelta | None = None, delete: bool = True) -> SweepReport:
        """One pass over the object store in pages; raises StoreUnavailable."""
        before = self._clock.now() - (self._grace if grace is None else grace)
        objects = orphans = deleted = 0
        pages: dict[str, list[StoredObject]] = {}
        async for entry in self._objects.listing(""):
            objects += 1
            root = entry.key.partition("/")[0]
            page = pages.setdefault(root, [])
            page.append(entry)
            if len(page) >= PAGE:
                found, gone = await self._sweep(root, pages.pop(root), before.timestamp(), delete)
                orphans, deleted = orphans + found, deleted + gone
        for root, page in pages.items():
            found, gone = await self._sweep(root, page, before.timestamp(), delete)
            orphans, deleted = orphans + found, deleted + gone
        if delete:
            await self._objects.discard_unfinished(before - LONGEST_PUT)
        return SweepReport(objects, orphans, deleted)

    async def _sweep(self, root: str, page: list[StoredObject], before: float, delete: bool) -> tuple[int, int]:
        by_file = {file: entry for entry in page if (file := file_of(entry.key)) is not None}
        copies = {copy: entry for entry in page if (copy := copy_of(entry.key)) is not None}
        by_claim = {claim: entry for (_, claim), entry in copies.items()}
        async with self._postgres.as_service() as connection:
            cursor = await connection.execute(sql_text("files_unknown"), {"root": root, "files": list(by_file)})
            row = await cursor.fetchone()
            claims = {"files": [file for file, _ in copies], "claims": [claim for _, claim in copies]}
            cursor = await connection.execute(sql_text("file_copies_unknown"), claims)
            unclaimed = [row["claim_id"] for row in await cursor.fetchall()]
        unknown = [by_file[file] for file in (row["unknown"] if row else [])]
        unknown += [by_claim[claim] for claim in unclaimed]
        unknown += [entry for entry in page if file_of(entry.key) is None and copy_of(entry.key) is None]
        old = [entry for entry in unknown if entry.modified.timestamp() <= before]
        if delete:
            for entry in old:
                await self._objects.delete(entry.key)
        return len(unknown), len(old) if delete else 0


def file_of(key: str) -> UUID | None:
    """The file id in an object's key; None for the key of a restored copy and for one that is none of ours."""
    parts = key.split("/")
    try:
        return UUID(parts[-2]) if len(parts) >= 3 else None
    except ValueError:
        return None
