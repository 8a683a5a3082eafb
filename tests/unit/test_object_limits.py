"""Calls to an object store that says nothing end; orphans are all counted, however few of them one run handles."""

from __future__ import annotations

import asyncio
import io
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from engine.domain.clock import SystemClock
from engine.errors import StoreTimeout
from engine.lifecycle import sweep as sweeping
from engine.lifecycle.sweep import Sweep
from engine.stores.folder import Folder
from engine.stores.objects import ObjectStore

LIMIT = 0.2


class Silent(Folder):
    """A folder that says nothing any more from one call on."""

    at = ""

    async def find(self, key: str) -> Any:
        await self._silence("find")
        return await super().find(key)

    async def put(self, key: str, content: Any) -> None:
        await self._silence("put")
        await super().put(key, content)

    async def delete(self, key: str) -> None:
        await self._silence("delete")
        await super().delete(key)

    async def _silence(self, call: str) -> None:
        if self.at == call:
            await asyncio.sleep(3600)


@pytest.mark.ledger("N15")
@pytest.mark.parametrize("at", ["find", "put", "delete"])
async def test_a_rename_ends_however_silent_its_tier_is(tmp_path: Path, at: str) -> None:
    tier = Silent(tmp_path)
    objects = ObjectStore(tier, limit=LIMIT)
    await objects.put("bob/a.txt", io.BytesIO(b"dusk"))
    tier.at = at
    async with asyncio.timeout(20):
        with pytest.raises(StoreTimeout):
            await objects.rename("bob/a.txt", "aside/a.txt")
    tier.at = ""
    if at != "delete":
        await objects.rename("bob/a.txt", "aside/a.txt")
    assert b"".join([block async for block in objects.read("aside/a.txt")]) == b"dusk"


@pytest.mark.ledger("X12")
async def test_all_orphans_are_counted_though_one_run_handles_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 400 files 300 are unknown: implausible, also where one run would handle 30 of them."""
    monkeypatch.setattr(sweeping, "MOST_ORPHANS", 30)
    objects, files = ObjectStore(Folder(tmp_path)), [uuid4() for _ in range(400)]
    for file in files:
        await objects.put(f"bob/{file}/x.txt.gz", io.BytesIO(b"x"))

    class Asked:
        """Answers of Postgres: the user is known, and of the files the last hundred are."""

        async def fetch(self, _: object, parameters: dict[str, Any], *, row: object) -> list[Any]:
            if "roots" in parameters:
                return ["bob"]
            return (
                [] if "claims" in parameters else [[file for file in parameters["files"] if file in set(files[:300])]]
            )

    class Postgres:
        @asynccontextmanager
        async def as_service(self) -> Any:
            yield Asked()

    sweep = Sweep((Postgres(), None, objects), None, None, SystemClock(), timedelta(0))  # type: ignore[arg-type]
    found = await sweep.look_old()
    assert (found.objects, found.old, len(found.files)) == (400, 300, 30)
    assert found.implausible
