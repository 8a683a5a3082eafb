"""Calls to an object store that says nothing end."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path
from typing import Any

import pytest

from engine.errors import StoreTimeout
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
