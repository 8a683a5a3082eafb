"""The log of events, with emotions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from api.bodies import JsonRoute
from api.context import OnceMemory, UserMemory
from api.cursors import PAGE_HEADERS, APage, Before, last_line, timed
from api.problems import WRITES, replayable
from engine.domain.occasion import LONGEST_CONTENT, LONGEST_EMOTION, LONGEST_KIND, Event, NewEvent, Wanted
from engine.domain.written import Body, Instant

router = APIRouter(prefix="/v1/users/{user_id}/events", tags=["events"], route_class=JsonRoute)


class NewEventBody(Body):
    """An event."""

    kind: str = Field(min_length=1, max_length=LONGEST_KIND, examples=["meeting"])
    content: str = Field(default="", max_length=LONGEST_CONTENT, examples=["Ellen signed the lease."])
    emotion: str | None = Field(default=None, min_length=1, max_length=LONGEST_EMOTION, examples=["joy"])
    intensity: float | None = Field(default=None, ge=0, le=1, description="Intensity of the emotion.", examples=[0.7])
    energy: float | None = Field(default=None, ge=0, le=1, examples=[0.4])
    occurred_at: Instant | None = Field(default=None, description="When it happened; without it, now.")
    node_id: UUID | None = Field(default=None, description="Node that the event is about.")


@router.post("", operation_id="writeEvent", status_code=201, responses=replayable() | WRITES)
async def write(body: NewEventBody, memory: OnceMemory) -> Event:
    """Writes an event. It is never changed."""
    return await memory.events.write(NewEvent(**body.model_dump()))


@router.get("", operation_id="listEvents", responses=PAGE_HEADERS)
async def events(  # noqa: PLR0913 (the parameters of a query are its arguments)
    memory: UserMemory,
    page: APage,
    kind: Annotated[str | None, Query(min_length=1, max_length=LONGEST_KIND)] = None,
    node_id: Annotated[UUID | None, Query(description="Only events about this node.")] = None,
    start: Annotated[Instant | None, Query(alias="from", description="From this time on.")] = None,
    end: Annotated[Instant | None, Query(alias="to", description="Before this time.")] = None,
    known_at: Annotated[Instant | None, Query(description="Only events written by this time; without it, all.")] = None,
    before: Before = None,
) -> Sequence[Event]:
    """Events by the time at which they happened, newest first, one page."""
    wanted = Wanted(kind, node_id, start, end, known_at)
    found = await memory.events.list(wanted, before=page.start(timed, last_line(before)), limit=page.limit)
    return page.of(found, lambda event: (event.occurred_at, event.event_id))
