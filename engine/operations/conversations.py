"""Live conversations of a memory: turns are appended as they are said."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from engine.domain.scope import INGESTED, Origin, Privacy
from engine.domain.stream import Append, Appended, EndedStream, StreamedTurn, StreamState
from engine.operations.asking import Asking


class Streamed(Asking):
    """Streamed conversations of a principal. Errors are those of `engine.errors`."""

    origin: Origin = INGESTED

    async def append(
        self,
        conversation_id: str,
        *turns: StreamedTurn,
        first: int | None = None,
        title: str = "",
        started_at: datetime | None = None,
        node_id: UUID | None = None,
        privacy: Privacy | None = None,
    ) -> Appended:
        """Appends turns to a conversation, opened by its first ones; durable when this returns.

        `first` is the number of the first turn, counted from 0. A turn whose number or `ref` is known changes nothing; a gap,
        or another turn under the same number or `ref`, is Conflict. With neither, turns come at the end, however often
        they are sent. Waiting turns are stored by a job once enough of them wait, and by `end`; until then no search finds them.
        """
        append = Append(conversation_id, turns, first, title, started_at, node_id, privacy, self.origin)
        if node_id is None:
            return await self._parts.streams.append(self.principal, append)
        async with self._noting("store", node_id):
            await self._parts.shells.require_unarchived(self.principal, node_id)
            return await self._parts.streams.append(self.principal, append)

    async def end(self, conversation_id: str) -> EndedStream:
        """Stores what is not stored yet of a streamed conversation, however short. Raises NotFound, Conflict."""
        return await self._parts.streams.end(self.principal, conversation_id)

    async def stream(self, conversation_id: str) -> StreamState:
        """How a streamed conversation stands. Raises NotFound."""
        return await self._parts.streams.state(self.principal, conversation_id)

    async def streams(self, *, after: str = "", limit: int = 100) -> tuple[StreamState, ...]:
        """Streamed conversations that have not ended, by id, one page."""
        return await self._parts.streams.page(self.principal, after=after, limit=limit)
