"""The embedded servers of the session's engine: their processes, and when they are well again."""

from __future__ import annotations

import asyncio
import time

from engine.embedded import status
from engine.neurigraph import Engine


def server_pid(engine: Engine, name: str) -> int:
    """The process of an embedded server."""
    return next(server.pid for server in status(engine.settings.home).servers if server.name == name)


async def until_healthy(engine: Engine) -> None:
    """Until all stores answer again."""
    deadline = time.monotonic() + 90
    while not all(store.healthy for store in await engine.health()):
        assert time.monotonic() < deadline, "the stores did not come back by themselves"
        await asyncio.sleep(0.5)


async def until_settled(engine: Engine) -> None:
    """Recovery until nothing is pending: the engine's own, in the background, may hold a commit at this moment."""
    deadline = time.monotonic() + 60
    while True:
        await engine.outbox.recover()
        async with engine.postgres.as_service() as connection:
            cursor = await connection.execute("SELECT count(*) AS pending FROM engine.outbox WHERE state = 'pending'")
            row = await cursor.fetchone()
        if row is not None and row["pending"] == 0:
            return
        assert time.monotonic() < deadline, "commits stay half way"
        await asyncio.sleep(0.2)
