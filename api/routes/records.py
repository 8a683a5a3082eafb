"""Writing: conversations and texts become records at the nodes where they belong."""

from __future__ import annotations

from fastapi import APIRouter, Response

from api.bodies import JsonRoute
from api.context import OnceMemory, limited
from api.models import NewRecord
from api.problems import WRITES, answered, replayable
from engine.domain.report import IngestReport
from engine.domain.scope import MemoryScope
from engine.errors import InvalidInput
from engine.turns import computed

router = APIRouter(prefix="/v1/users/{user_id}/records", tags=["records"], route_class=JsonRoute)


@router.post(
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
    place = limited(memory, body.limits).within(MemoryScope(body.scope, body.scope_id), source=body.source)
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
