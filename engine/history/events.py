"""The log of events of a user: append-only."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from engine.domain.clock import Clock
from engine.domain.occasion import Event, NewEvent, Wanted
from engine.domain.principal import Principal
from engine.domain.read_limits import check_page
from engine.errors import NotFound
from engine.stores.postgres import Postgres
from engine.stores.rows import only
from engine.stores.statements import sql_text


class EventLog:
    """Writes and reads events; for the user of the graph alone."""

    def __init__(self, postgres: Postgres, clock: Clock) -> None:
        self._postgres, self._clock = postgres, clock

    async def write(self, principal: Principal, new: NewEvent, event_id: UUID | None = None) -> Event:
        """Writes an event, or returns the one that has this id. Raises NotFound for a node that is not the user's, and for anyone
        but the user."""
        if not principal.owns:
            raise NotFound
        now = self._clock.now()
        event = Event(
            event_id or uuid4(), new.node_id, new.kind, new.content, new.emotion, new.intensity, new.energy,
            new.occurred_at or now, now, principal.name,
        )  # fmt: skip
        row = {name: getattr(event, name) for name in Event.__slots__} | {"user_id": principal.user_id}
        return only(await self._postgres.fetch_once(principal, sql_text("event/insert"), row, row=Event))

    async def page(
        self, principal: Principal, wanted: Wanted, *, before: tuple[datetime, UUID] | None = None, limit: int = 100
    ) -> tuple[Event, ...]:  # fmt: skip
        """Events by when they happened, newest first, one page; `before`: time and id of the last one of the page before."""
        check_page(limit)
        before_time, before_id = before or (None, None)
        parameters = {
            "user_id": principal.user_id,
            "kind": wanted.kind,
            "node_id": wanted.node_id,
            "start": wanted.start,
            "end_at": wanted.end,
            "known_at": wanted.known_at,
            "before_time": before_time,
            "before_id": before_id,
            "limit": limit,
        }
        return tuple(await self._postgres.fetch(principal, sql_text("event/page"), parameters, row=Event))
