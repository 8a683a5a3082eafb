"""The meaning of a shell: its vector in the slot of the active version, or the note that it is still to be made."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from engine.commit.rows import due
from engine.errors import ProviderUnavailable
from engine.providers.active import ActiveModel
from engine.stores.postgres import Postgres


async def shell_meaning(postgres: Postgres, active: ActiveModel, node_id: UUID, text: str) -> dict[str, Any]:
    """The properties of a shell that hold its vector, empty while the embedding service does not answer: until a job makes the
    vector, the node is found by words alone. Raises StoreUnavailable."""
    try:
        return await active.patience.asked(lambda: active.current.shell(text))
    except ProviderUnavailable:
        # Noted before the shell is written: after a crash in between the job still makes its vector.
        async with postgres.as_service() as connection:
            await due.note(connection, "vectors", [node_id])
        return {}
