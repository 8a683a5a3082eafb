"""The failure log: permanent failures of a graph, for its owner, and of jobs, for administrators; replay or dismiss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from api.context import ADMINISTRATORS, CurrentWorkspace, UserMemory
from api.cursors import PAGE_HEADERS, APage, identity
from api.problems import documented
from engine.domain.ingest import Failure, FailureState

router = APIRouter(tags=["failures"])
OWN = "/v1/users/{user_id}/failures"
of_jobs = APIRouter(prefix="/v1/failures", dependencies=ADMINISTRATORS)

State = Annotated[FailureState | None, Query(description="Only failures in this state; without it, all.")]
Before = Annotated[UUID | None, Query(description="The last failure of the previous page.")]
Note = Annotated[str, Query(max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$", description="Why, in one line.")]


@router.get(OWN, operation_id="listFailures", responses=PAGE_HEADERS)
async def list_failures(
    memory: UserMemory, page: APage, state: State = None, before: Before = None
) -> Sequence[Failure]:
    """Permanent failures of this graph, newest first, one page. They name sources, never their content."""
    found = await memory.failures.list(state=state, before=page.start(identity, before), limit=page.limit)
    return page.of(found, lambda failure: failure.failure_id)


@router.post(f"{OWN}/{{failure_id}}/replay", operation_id="replayFailure", responses=documented(409, 413, 415, 507))
async def replay(failure_id: UUID, memory: UserMemory) -> Failure:
    """Reads the source again from its file and stores it; 409 if it has no file and must be sent again."""
    return await memory.failures.replay(failure_id)


@router.post(f"{OWN}/{{failure_id}}/dismiss", operation_id="dismissFailure", responses=documented(409))
async def dismiss(failure_id: UUID, memory: UserMemory, note: Note = "") -> Failure:
    """Dismisses a failure. Repeating it changes nothing; 409 if it was replayed."""
    return await memory.failures.dismiss(failure_id, note)


@of_jobs.get("", operation_id="listJobFailures", responses=PAGE_HEADERS)
async def list_job_failures(
    workspace: CurrentWorkspace, page: APage, state: State = None, before: Before = None
) -> Sequence[Failure]:
    """Jobs that failed at every attempt, newest first, one page. A later success settles the entry."""
    start = page.start(identity, before)
    found = await workspace.failures.list(state=state, before=start, limit=page.limit)
    return page.of(found, lambda failure: failure.failure_id)


@of_jobs.post("/{failure_id}/replay", operation_id="replayJobFailure", responses=documented(409))
async def replay_job(failure_id: UUID, workspace: CurrentWorkspace) -> Failure:
    """Requests a run of the job; the entry is settled when a run succeeds."""
    return await workspace.failures.replay(failure_id)


@of_jobs.post("/{failure_id}/dismiss", operation_id="dismissJobFailure", responses=documented(409))
async def dismiss_job(failure_id: UUID, workspace: CurrentWorkspace, note: Note = "") -> Failure:
    """Dismisses an entry. Repeating it changes nothing; 409 if it was replayed."""
    return await workspace.failures.dismiss(failure_id, note)


router.include_router(of_jobs)
