"""Retractions: sources that are withdrawn, and brought back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from api.bodies import JsonRoute
from api.context import OnceMemory, UserMemory
from api.cursors import PAGE_HEADERS, APage, number
from api.problems import WRITES, documented, replayable
from engine.domain.file_state import LONGEST_NOTE
from engine.domain.retraction import Retraction, RetractionKind, RetractionPreview, RetractionSubject
from engine.domain.written import Body

router = APIRouter(prefix="/v1/users/{user_id}/retractions", tags=["retractions"], route_class=JsonRoute)

LONGEST_SUBJECT = 500


class RetractionBody(Body):
    """What is withdrawn, and why."""

    kind: RetractionKind = Field(
        description="A source is named by the id that was given for it, anything else by its id."
    )
    subject: str = Field(min_length=1, max_length=LONGEST_SUBJECT, description="The id.")
    reason: str = Field(default="", max_length=LONGEST_NOTE)


@router.get("", operation_id="listRetractions", responses=PAGE_HEADERS)
async def retractions(memory: UserMemory, page: APage) -> Sequence[Retraction]:
    """Retractions, newest first, one page."""
    found = await memory.retractions.list(before=page.start(number, None), limit=page.limit)
    return page.of(found, lambda retraction: retraction.number)


@router.get("/preview", operation_id="previewRetraction")
async def preview(
    memory: UserMemory,
    kind: Annotated[RetractionKind, Query(description="What is to be withdrawn.")],
    subject: Annotated[str, Query(min_length=1, max_length=LONGEST_SUBJECT, description="Its id.")],
    limit: Annotated[int, Query(ge=1, le=500, description="Entries of each list at most.")] = 100,
) -> RetractionPreview:
    """What a retraction would do: what ends, what holds again, what gets weaker. Nothing is written."""
    return await memory.retractions.preview(RetractionSubject(kind, subject), limit=limit)


@router.post("", operation_id="retract", status_code=201, responses=replayable() | WRITES)
async def retract(body: RetractionBody, memory: OnceMemory) -> Retraction:
    """Withdraws a source with all that it alone supports. The same request goes on with one that was interrupted."""
    return await memory.retractions.retract(RetractionSubject(body.kind, body.subject), body.reason)


@router.post("/{retraction_id}/undo", operation_id="undoRetraction", responses=documented(400, 409, 413, 415))
async def undo(retraction_id: UUID, memory: OnceMemory) -> Retraction:
    """Brings back what was withdrawn; what came since stays. Repeating it changes nothing."""
    return await memory.retractions.undo(retraction_id)
