"""The log of events of a memory: what happened, and what was felt."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from engine.domain.event import Event, NewEvent, Wanted
from engine.operations.asking import Asking


class Diary(Asking):
    """Events are written once and never changed; for the user of the graph alone."""

    async def write_event(self, new: NewEvent) -> Event:
        """Writes an event. Raises NotFound for a node that is not the user's."""
        redactor = self._parts.redactor
        emotion = redactor.text(new.emotion) if new.emotion else new.emotion
        worded = new.worded(redactor.text(new.kind), redactor.text(new.content), emotion)
        async with self._noting("event", new.node_id or self.principal.user_id):
            return await self._parts.events.write(self.principal, worded)

    async def events(
        self, wanted: Wanted | None = None, *, before: tuple[datetime, UUID] | None = None, limit: int = 100
    ) -> tuple[Event, ...]:
        """Events by when they happened, newest first, one page; `before`: time and id of the last one of the page before."""
        return await self._parts.events.page(self.principal, wanted or Wanted(), before=before, limit=limit)
