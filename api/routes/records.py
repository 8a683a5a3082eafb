"""Writing: conversations and texts become records at the nodes where they belong; where records lie and why: the decisions that
placed them, and moving a record by hand; documents: the list, the versions of each, the text and the passages of a version; and
the log of events, with emotions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from api.bodies import JsonRoute
from api.context import OnceMemory, UserMemory, limited
from api.cursors import PAGE_HEADERS, APage, Before, identity, last_line, number, timed
from api.headers import BYTES, download
from api.models import Move, NewRecord
from api.problems import WRITES, answered, replayable
from engine.domain.assignment import Assignment, AssignmentFilter, Decider, Moved
from engine.domain.document import DocumentChunk, DocumentVersion, StoredDocument
from engine.domain.occasion import LONGEST_CONTENT, LONGEST_EMOTION, LONGEST_KIND, Event, NewEvent, Wanted
from engine.domain.report import IngestReport
from engine.domain.scope import MemoryScope
from engine.domain.written import Body, Instant
from engine.errors import InvalidInput
from engine.turns import computed

of_records = APIRouter(prefix="/v1/users/{user_id}/records", tags=["records"], route_class=JsonRoute)
of_assignments = APIRouter(prefix="/v1/users/{user_id}", tags=["records"], route_class=JsonRoute)
MOST_ENTRIES = 2**62
of_documents = APIRouter(prefix="/v1/users/{user_id}/documents", tags=["documents"])
MOST_VERSIONS = 2**31 - 1
Version = Annotated[int, Path(ge=1, le=MOST_VERSIONS)]

of_events = APIRouter(prefix="/v1/users/{user_id}/events", tags=["events"], route_class=JsonRoute)


@of_records.post(
    "",
    operation_id="writeRecord",
    status_code=201,
    responses=replayable(answered(200, IngestReport, "Everything was stored already.")) | WRITES,
)
async def write_record(body: NewRecord, memory: OnceMemory, response: Response) -> IngestReport:
    """Stores what is not stored yet, atomically in all stores, and returns the records with their nodes.

    After a 503 no partial write is visible; a write that was accepted before the store stopped completes by itself, so
    retry with the same ids or the same idempotency key.
    """
    if (body.conversation is None) == (body.text is None):
        raise InvalidInput("A record is a conversation or a text: send exactly one of the two.")
    place = (
        limited(memory, body.limits)
        .anew(body.again)
        .until(body.expires_at)
        .within(MemoryScope(body.scope, body.scope_id), source=body.source)
    )
    if (written := body.conversation) is not None:
        conversation = await computed(lambda: written.conversation)
        report = await place.records.remember(conversation, node_id=body.node_id, privacy=body.privacy)
    else:
        report = await place.records.remember_text(
            body.title,
            body.text or "",
            source_id=body.source_id,
            node_id=body.node_id,
            content_type=body.content_type,
            privacy=body.privacy,
        )
    response.status_code = 201 if report.records else 200
    return report


@of_assignments.get("/assignments", operation_id="listAssignments", responses=PAGE_HEADERS)
async def assignments(  # noqa: PLR0913 (the parameters of a query are its parameters)
    memory: UserMemory,
    page: APage,
    record_id: Annotated[UUID | None, Query(description="Only this record, with its earlier decisions.")] = None,
    node_id: Annotated[UUID | None, Query(description="Only records at this node.")] = None,
    below: Annotated[float | None, Query(ge=0, le=1, description="Only with a confidence below this.")] = None,
    decided_by: Annotated[Decider | None, Query(description="By whom.")] = None,
    before: Annotated[
        int | None, Query(ge=1, le=MOST_ENTRIES, description="The last entry of the previous page.")
    ] = None,
) -> Sequence[Assignment]:
    """Why records lie where they lie, newest first, one page."""
    start = page.start(number, before)
    wanted = AssignmentFilter(record_id, node_id, below, decided_by, start, page.limit)
    return page.of(await memory.records.assignments(wanted), lambda one: one.entry_id)


@of_assignments.post(
    "/nodes/{node_id}/records/{record_id}/move",
    operation_id="moveRecord",
    status_code=201,
    responses=replayable() | WRITES,
)
async def move(node_id: UUID, record_id: UUID, body: Move, memory: OnceMemory) -> Moved:
    """Moves a record with its items, file and history to another node of the graph, atomically.

    The move is a decision by hand: the newest of the record's assignments.
    """
    return await memory.records.move(record_id, node_id, body.to_node_id, reason=body.reason)


@of_documents.get("", operation_id="listDocuments", responses=PAGE_HEADERS)
async def documents(
    memory: UserMemory,
    page: APage,
    after: Annotated[UUID | None, Query(description="The last document of the previous page.")] = None,
) -> Sequence[StoredDocument]:
    """Current documents by id, one page. A persona sees those that it stored."""
    found = await memory.documents.list(after=page.start(identity, after), limit=page.limit)
    return page.of(found, lambda document: document.document_id)


@of_documents.get("/{document_id}/versions", operation_id="listDocumentVersions", responses=PAGE_HEADERS)
async def versions(
    document_id: UUID,
    memory: UserMemory,
    page: APage,
    after: Annotated[int, Query(ge=0, le=MOST_VERSIONS, description="The last version of the previous page.")] = 0,
) -> Sequence[DocumentVersion]:
    """Versions of a document, the oldest first, one page."""
    found = await memory.documents.versions(document_id, after=page.start(number, after), limit=page.limit)
    return page.of(found, lambda version: version.version)


@of_documents.get(
    "/{document_id}/versions/{version}/content",
    operation_id="getDocumentVersion",
    response_class=Response,
    responses=BYTES,
)
async def content(document_id: UUID, version: Version, memory: UserMemory) -> Response:
    """The file of a version as it was stored, under its own name. Its hash is verified before it is sent."""
    data = await memory.documents.read(document_id, version)
    [stored] = await memory.documents.versions(document_id, after=version - 1, limit=1)
    return download(data, stored.file_name)


@of_documents.get("/{document_id}/versions/{version}/chunks", operation_id="listDocumentChunks", responses=PAGE_HEADERS)
async def chunks(
    document_id: UUID,
    version: Version,
    memory: UserMemory,
    page: APage,
    after: Annotated[int, Query(ge=-1, le=MOST_VERSIONS, description="The last index of the previous page.")] = -1,
) -> Sequence[DocumentChunk]:
    """Passages of a version in their order, one page."""
    found = await memory.documents.chunks(document_id, version, after=page.start(number, after), limit=page.limit)
    return page.of(found, lambda chunk: chunk.index)


class NewEventBody(Body):
    """An event."""

    kind: str = Field(min_length=1, max_length=LONGEST_KIND, examples=["meeting"])
    content: str = Field(default="", max_length=LONGEST_CONTENT, examples=["Ellen signed the lease."])
    emotion: str | None = Field(default=None, min_length=1, max_length=LONGEST_EMOTION, examples=["joy"])
    intensity: float | None = Field(default=None, ge=0, le=1, description="Intensity of the emotion.", examples=[0.7])
    energy: float | None = Field(default=None, ge=0, le=1, examples=[0.4])
    occurred_at: Instant | None = Field(default=None, description="When it happened; without it, now.")
    node_id: UUID | None = Field(default=None, description="Node that the event is about.")


@of_events.post("", operation_id="writeEvent", status_code=201, responses=replayable() | WRITES)
async def write(body: NewEventBody, memory: OnceMemory) -> Event:
    """Writes an event. It is never changed."""
    return await memory.events.write(NewEvent(**body.model_dump()))


@of_events.get("", operation_id="listEvents", responses=PAGE_HEADERS)
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
