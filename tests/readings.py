"""Records read for entities once more, as after newer rules came."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from engine.commit.rows import due
from engine.neurigraph import Engine


async def read_again(engine: Engine, user_id: UUID) -> Mapping[str, int]:
    """Notes the nodes of a user whose records lost their marks, and has them read."""
    async with engine.postgres.as_service() as connection:
        await due.note_user(connection, "entities", user_id)
    return await engine.derivations.run("entities")
