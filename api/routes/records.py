"""Writing: conversations and texts become records at the nodes where they belong."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from api.bodies import JsonRoute
from api.context import IdempotencyKey, UserMemory, on_terms, once
from api.models import ConversationBody, NewRecord
from api.problems import answered, documented, replayable
from engine.domain.history import Conversation, Turn
from engine.domain.record import IngestReport
from engine.domain.scope import MemoryScope
from engine.errors import InvalidInput
from engine.turns import computed

router = APIRouter(prefix="/v1/users/{user_id}/records", tags=["records"], route_class=JsonRoute)


@router.post(
    "",
    operation_id="writeRecord",
    status_code=201,
    response_model=IngestReport,
    responses=replayable(answered(200, IngestReport, "Everything was stored already."))
    | documented(400, 404, 409, 413, 415, 422, 503, 507),
)
async def write_record(
    body: NewRecord, memory: UserMemory, request: Request, response: Response, key: IdempotencyKey = None
) -> Any:
    """Stores what is not stored yet, atomically in all stores, and returns the records with their nodes.

    After a 503 no partial write is visible; a write that was accepted before the store stopped completes by itself, so
    retry with the same ids or the same idempotency key.
    """
    if (body.conversation is None) == (body.text is None):
        raise InvalidInput("A record is a conversation or a text: send exactly one of the two.")
    place = on_terms(memory, key, body.limits).within(MemoryScope(body.scope, body.scope_id), source=body.source)

    async def action() -> tuple[int, IngestReport]:
        if body.conversation is not None:
            report = await place.remember(
                await computed(conversation_of, body.conversation), node_id=body.node_id, privacy=body.privacy
            )
        else:
            # Without an id a text gets the key as its id: an interrupted request is not stored twice.
            source_id = body.source_id or (f"key:{key}" if key else None)
            report = await place.remember_text(
                body.title,
                body.text or "",
                source_id=source_id,
                node_id=body.node_id,
                content_type=body.content_type,
                privacy=body.privacy,
            )
        return (201 if report.records else 200), report

    return await once(request, response, memory, key, action)


def conversation_of(body: ConversationBody) -> Conversation:
    """The conversation that a request holds."""
    turns = tuple(Turn(turn.speaker, turn.text, turn.at, turn.id, turn.privacy) for turn in body.turns)
    return Conversation(body.id, turns, body.title, body.started_at, privacy=body.privacy)
