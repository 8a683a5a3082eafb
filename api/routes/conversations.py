"""Streamed conversations: turns are appended as they are said, and stored in pieces. Occasions are stored at their end.

An id may contain slashes. The part after the last slash is the action, so ids are never ambiguous.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from api.bodies import JsonRoute
from api.context import OnceMemory, UserMemory
from api.cursors import PAGE_HEADERS, APage, text
from api.models import AppendBody, EndBody, OccasionBody
from api.problems import WRITES, answered, replayable
from engine.domain.occasion import Occasion
from engine.domain.report import IngestReport
from engine.domain.scope import MemoryScope
from engine.domain.stream import LONGEST_ID, Appended, EndedStream, StreamState

router = APIRouter(prefix="/v1/users/{user_id}", tags=["conversations"], route_class=JsonRoute)

ConversationId = Annotated[str, Path(min_length=1, max_length=LONGEST_ID, examples=["2025-03-01-evening"])]


@router.post(
    "/conversations/{conversation_id:path}/turns",
    operation_id="appendTurns",
    status_code=201,
    responses=replayable(answered(200, Appended, "All of these turns were stored before.")) | WRITES,
)
async def append_turns(
    conversation_id: ConversationId, body: AppendBody, memory: OnceMemory, response: Response
) -> Appended:
    """Appends turns to a conversation, which its first turns open; they are durable when the request returns.

    Turns sent again with the same number (`first`) or ids change nothing; a gap, or a different turn at the same place,
    is 409. They are not found by a search until a piece of the conversation is stored.
    """
    place = (
        memory.anew(body.again)
        .until(body.expires_at)
        .within(MemoryScope(body.scope, body.scope_id), source=body.source)
    )
    appended = await place.conversations.append(
        conversation_id,
        *(turn.turn() for turn in body.turns),
        first=body.first,
        title=body.title,
        started_at=body.started_at,
        node_id=body.node_id,
        privacy=body.privacy,
    )
    response.status_code = 201 if appended.added else 200
    return appended


@router.post(
    "/conversations/{conversation_id:path}/end",
    operation_id="endConversation",
    status_code=201,
    responses=replayable(answered(200, EndedStream, "Everything was stored already.")) | WRITES,
)
async def end_conversation(
    conversation_id: ConversationId, body: EndBody, memory: OnceMemory, response: Response
) -> EndedStream:
    """Stores the rest of a conversation, however short. If the request is interrupted, a job finishes it."""
    ended = await memory.conversations.end(conversation_id)
    response.status_code = 201 if ended.turns else 200
    return ended


@router.get("/conversations/{conversation_id:path}", operation_id="getConversation")
async def conversation(conversation_id: ConversationId, memory: UserMemory) -> StreamState:
    """The status of a streamed conversation: its turns and tokens, how many are stored and how many wait."""
    return await memory.conversations.get(conversation_id)


@router.get("/conversations", operation_id="listConversations", responses=PAGE_HEADERS)
async def conversations(
    memory: UserMemory,
    page: APage,
    after: Annotated[str, Query(max_length=LONGEST_ID, description="The last id of the previous page.")] = "",
) -> Sequence[StreamState]:
    """Streamed conversations that have not ended, by id, one page."""
    streams = await memory.conversations.list(after=page.start(text, after), limit=page.limit)
    return page.of(streams, lambda stream: stream.conversation_id)


@router.post(
    "/occasions",
    operation_id="storeOccasion",
    status_code=201,
    responses=replayable(answered(200, IngestReport, "It was stored already.")) | WRITES,
)
async def store_occasion(body: OccasionBody, memory: OnceMemory, response: Response) -> IngestReport:
    """Stores a meeting, a call, a session of work or a milestone as one record."""
    place = (
        memory.anew(body.again)
        .until(body.expires_at)
        .within(MemoryScope(body.scope, body.scope_id), source=body.source)
    )
    people = tuple(body.participants)
    occasion = Occasion(body.kind, body.title, body.text, body.started_at, body.ended_at, people, body.source_id)
    report = await place.records.remember_occasion(occasion, node_id=body.node_id, privacy=body.privacy)
    response.status_code = 201 if report.records else 200
    return report
