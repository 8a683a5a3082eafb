"""Ingests: many sources in one request; the ingest sessions, running and ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from api.bodies import JsonRoute
from api.context import OnceMemory, UserMemory, limited
from api.cursors import PAGE_HEADERS, APage, identity, number
from api.event_stream import documented_events, followed
from api.models import ManySources
from api.problems import WRITES, answered, replayable
from engine.domain.history import Text
from engine.domain.ingest import IngestedSource, IngestSession
from engine.domain.report import IngestReport
from engine.turns import computed

router = APIRouter(prefix="/v1/users/{user_id}/ingests", tags=["ingests"], route_class=JsonRoute)
LONGEST_WAIT = 600
"""Seconds between two polls of a session whose events are streamed: at first, and at most."""
EVENTS = documented_events("an IngestSession")


@router.post(
    "",
    operation_id="ingest",
    status_code=201,
    responses=replayable(answered(200, IngestReport, "Nothing was stored: every source was stored before or failed."))
    | WRITES,
)
async def ingest(body: ManySources, memory: OnceMemory, response: Response) -> IngestReport:
    """Stores many conversations and texts in one session. A source that fails is reported and does not stop the others.

    With an idempotency key the running session can be found and followed, and a repeated request resumes it.
    """
    conversations = await computed(lambda: [one.conversation for one in body.conversations])
    texts = [Text(one.source_id, one.title, one.text) for one in body.texts]
    report = await limited(memory, body.limits).ingests.many(conversations, texts)
    response.status_code = 201 if report.records else 200
    return report


@router.get("", operation_id="listIngests", responses=PAGE_HEADERS)
async def list_ingests(
    memory: UserMemory,
    page: APage,
    key: Annotated[
        str | None, Query(max_length=200, pattern=r"^[\x21-\x7e]+$", description="Only that of this idempotency key.")
    ] = None,
    before: Annotated[UUID | None, Query(description="The last session of the previous page.")] = None,
) -> Sequence[IngestSession]:
    """The sessions of all writes, newest first, one page."""
    start = page.start(identity, before)
    sessions = await memory.ingests.list(key=key, before=start, limit=page.limit)
    return page.of(sessions, lambda session: session.session_id)


@router.get("/{session_id}", operation_id="getIngest")
async def get_ingest(session_id: UUID, memory: UserMemory) -> IngestSession:
    """One session: counts of received, stored, skipped and failed sources, and of items that wait for their vectors."""
    return await memory.ingests.get(session_id)


@router.get("/{session_id}/sources", operation_id="listIngestedSources", responses=PAGE_HEADERS)
async def sources(
    session_id: UUID,
    memory: UserMemory,
    page: APage,
    after: Annotated[int, Query(ge=0, le=2**62, description="The last entry of the previous page.")] = 0,
) -> Sequence[IngestedSource]:
    """The result of each source: its hash and record ids, or why it failed. Sources stored before are only counted."""
    found = await memory.ingests.sources(session_id, after=page.start(number, after), limit=page.limit)
    return page.of(found, lambda source: source.entry_id)


@router.get("/{session_id}/events", operation_id="followIngest", response_class=StreamingResponse, responses=EVENTS)
async def events(
    session_id: UUID,
    memory: UserMemory,
    request: Request,
    wait: Annotated[
        float, Query(ge=0, le=LONGEST_WAIT, allow_inf_nan=False, description="Maximum number of seconds to follow it.")
    ] = 60,
) -> StreamingResponse:
    """The session as a server-sent event, and again after each of its commits; the stream ends with the session."""
    first = await memory.ingests.get(session_id)
    return followed(request, first, lambda: memory.ingests.get(session_id), lambda seen: seen.state == "running", wait)
