"""The log of events of a memory: what happened, and what was felt."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from engine.domain.occasion import Event, NewEvent, Wanted
from engine.history.events import EventLog
from engine.operations import redactions
from engine.operations.caller import Part, owner
from engine.operations.declaring import OfGraph, reads, writes


class Events(OfGraph, name="events"):
    """Events are written once and never changed; for the user of the graph alone."""

    _events = Part(EventLog)

    @writes(owner, redacts={"new": redactions.event}, at="new.node_id", refusal="event", once=True)
    async def write(self, new: NewEvent) -> Event:
        """Writes an event. Raises NotFound for a node that is not the user's."""
        return await self._events.write(self._principal, new, self.caller.own_id(new))

    @reads(owner)
    async def list(
        self, wanted: Wanted | None = None, *, before: tuple[datetime, UUID] | None = None, limit: int = 100
    ) -> tuple[Event, ...]:
        """Events by when they happened, newest first, one page; `before`: time and id of the last one of the page before."""
        return await self._events.page(self._principal, wanted or Wanted(), before=before, limit=limit)
