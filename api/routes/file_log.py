"""The log of file states: which file woke or fell asleep and why, which transitions failed and were reviewed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query

from api.bodies import JsonRoute
from api.context import UserMemory
from api.cursors import PAGE_HEADERS, APage, number
from api.models import Review, ReviewedEntry
from api.problems import documented
from engine.domain.file_state import StateEntry

router = APIRouter(prefix="/v1/users/{user_id}/file-log", tags=["files"], route_class=JsonRoute)
MOST = 2**62


@router.get("", operation_id="getFileLog", responses=PAGE_HEADERS)
async def file_log(
    memory: UserMemory,
    page: APage,
    node_id: Annotated[UUID | None, Query(description="Only files of this node.")] = None,
    file_id: Annotated[UUID | None, Query(description="Only this file.")] = None,
    to_review: Annotated[bool, Query(description="Only failures that are not reviewed.")] = False,
    before: Annotated[int | None, Query(ge=1, le=MOST, description="The last entry of the previous page.")] = None,
) -> Sequence[StateEntry]:
    """Transitions of the files of a graph, newest first, one page. The log is append-only."""
    start = page.start(number, before)
    entries = await memory.files.log(
        node_id=node_id, file_id=file_id, to_review=to_review, before=start, limit=page.limit
    )
    return page.of(entries, lambda entry: entry.entry_id)


@router.post("/{entry_id}/review", operation_id="reviewFileLog", responses=documented(400, 413, 415, 507))
async def review(entry_id: Annotated[int, Path(ge=1, le=MOST)], body: Review, memory: UserMemory) -> ReviewedEntry:
    """Marks a failed entry as reviewed by the owner, in an entry of its own. Repeating it changes nothing."""
    return ReviewedEntry(entry_id=await memory.files.review(entry_id, body.note))
