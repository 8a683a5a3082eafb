"""The meaning of a shell: its vector in the slot of the active version, or the note that it is still to be made."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from engine.commit.rows import pending_vectors
from engine.errors import ProviderUnavailable
from engine.providers.active import ActiveModel
from engine.stores.postgres import Postgres


class Meanings:
    """Makes the vectors of shells. Without an embedding service, nodes are found by words alone until a job makes the vectors."""

    def __init__(self, postgres: Postgres, active: ActiveModel) -> None:
        self._postgres, self._active = postgres, active

    async def of_shell(self, node_id: UUID, text: str) -> dict[str, Any]:
        """The properties of a shell that hold its vector; none while the embedding service does not answer.

        Raises StoreUnavailable.
        """
        try:
            return await self._active.patience.asked(lambda: self._active.current.shell(text))
        except ProviderUnavailable:
            # Noted before the shell is written: after a crash in between the job still makes its vector.
            async with self._postgres.as_service() as connection:
                await pending_vectors.note(connection, [node_id])
            return {}
