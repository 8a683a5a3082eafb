"""Commits that their writer left half way, refused ones among them, and recovery until they are done or set aside."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest

from engine.commit.set_aside import SetAside
from engine.domain.history import Conversation
from engine.domain.node import User
from engine.neurigraph import Engine


class Left(Exception):
    """A writer left at a step."""


class Leaving:
    """Leaves the writer at the step that is named, else nowhere."""

    step = ""

    def __call__(self, name: str) -> None:
        if name == self.step:
            raise Left


async def left_half_way(leaver: Engine, leaving: Leaving, user: User, conversation: Conversation) -> UUID:
    """The commit of a conversation that Postgres has and the graph has not."""
    return await left(leaver, leaving, user.user_id, leaver.memory(user.user_id).records.remember(conversation))


async def left(
    leaver: Engine, leaving: Leaving, user_id: UUID, write: Awaitable[object], step: str = "accepted"
) -> UUID:
    """The commit of a write that Postgres has and the graph has not, or that it has, too, where it is left at `graph_written`."""
    leaving.step = step
    try:
        with pytest.raises(Left):
            await write
    finally:
        leaving.step = ""
    return await newest(leaver, user_id)


async def newest(engine: Engine, user_id: UUID) -> UUID:
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT commit_id FROM engine.outbox WHERE user_id = %s ORDER BY created_at DESC LIMIT 1", [user_id]
        )
        row = await cursor.fetchone()
    assert row is not None
    return row["commit_id"]


async def spoil(engine: Engine, commit: UUID, place: str, value: str) -> None:
    """Makes a commit one that the graph refuses."""
    async with engine.postgres.as_service() as connection:
        await connection.execute(
            "UPDATE engine.outbox SET payload = jsonb_set(payload, %s, %s) WHERE commit_id = %s", [place, value, commit]
        )


async def recovered(engine: Engine, *, until: Callable[[], Awaitable[object]]) -> None:
    """Rounds of recovery until it is so. How many is left open: the engines' own recovery takes part and may hold a commit just now."""
    async with asyncio.timeout(60):
        while True:
            await engine.outbox.recover()
            if await until():
                return
            await asyncio.sleep(0.02)


async def set_aside(engine: Engine, commit: UUID) -> None:
    """Recovery until this commit is set aside."""

    async def listed() -> bool:
        return commit in {one.commit_id for one in await engine.parts[SetAside].list()}

    await recovered(engine, until=listed)


async def row_of(engine: Engine, commit: UUID) -> dict[str, Any]:
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute("SELECT attempts, state FROM engine.outbox WHERE commit_id = %s", [commit])
        row = await cursor.fetchone()
    assert row is not None
    return row


async def done(engine: Engine, commit: UUID) -> bool:
    return (await row_of(engine, commit))["state"] == "done"
