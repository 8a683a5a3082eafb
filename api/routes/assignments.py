"""Where records lie and why: the decisions that placed them, and moving a record by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from api.bodies import JsonRoute
from api.context import OnceMemory, UserMemory
from api.cursors import PAGE_HEADERS, APage, number
from api.models import Move
from api.problems import WRITES, replayable
from engine.domain.assignment import Assignment, AssignmentFilter, Decider, Moved

router = APIRouter(prefix="/v1/users/{user_id}", tags=["records"], route_class=JsonRoute)
MOST = 2**62


@router.get("/assignments", operation_id="listAssignments", responses=PAGE_HEADERS)
async def assignments(  # noqa: PLR0913 (the parameters of a query are its parameters)
    memory: UserMemory,
    page: APage,
    record_id: Annotated[UUID | None, Query(description="Only this record, with its earlier decisions.")] = None,
    node_id: Annotated[UUID | None, Query(description="Only records at this node.")] = None,
    below: Annotated[float | None, Query(ge=0, le=1, description="Only with a confidence below this.")] = None,
    decided_by: Annotated[Decider | None, Query(description="By whom.")] = None,
    before: Annotated[int | None, Query(ge=1, le=MOST, description="The last entry of the previous page.")] = None,
) -> Sequence[Assignment]:
    """Why records lie where they lie, newest first, one page."""
    start = page.start(number, before)
    wanted = AssignmentFilter(record_id, node_id, below, decided_by, start, page.limit)
    return page.of(await memory.records.assignments(wanted), lambda one: one.entry_id)


@router.post(
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
