"""Commits that were set aside: list, retry, discard; those of one graph or all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from api.context import ADMINISTRATORS, CurrentWorkspace, UserMemory
from api.cursors import PAGE_HEADERS, APage, timed
from api.problems import documented
from engine.domain.commit import CommitOutcome, CommitSummary

router = APIRouter(tags=["commits"])
OWN = "/v1/users/{user_id}/commits"
of_all = APIRouter(prefix="/v1/commits", dependencies=ADMINISTRATORS)

After = Annotated[UUID | None, Query(description="The last commit of the previous page.")]
Reason = Annotated[str, Query(max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$", description="Why, in one line.")]


def _place(commit: CommitSummary) -> tuple[datetime, UUID]:
    """The key after which the next page starts; it stays valid if the commit is settled meanwhile."""
    return commit.created_at, commit.commit_id


@router.get(OWN, operation_id="listCommits", responses=PAGE_HEADERS)
async def list_own(memory: UserMemory, page: APage, after: After = None) -> Sequence[CommitSummary]:
    """Commits of this graph that were accepted, but failed and were set aside, oldest first, one page."""
    found = await memory.commits.list(after=after, behind=page.start(timed, None), limit=page.limit)
    return page.of(found, _place)


@router.post(f"{OWN}/{{commit_id}}/retry", operation_id="retryCommit")
async def retry_own(commit_id: UUID, memory: UserMemory) -> CommitOutcome:
    """Retries the commit now; if it fails again, its state is `pending` and recovery goes on retrying."""
    return await memory.commits.retry(commit_id)


@router.post(f"{OWN}/{{commit_id}}/discard", operation_id="discardCommit", responses=documented(409))
async def discard_own(commit_id: UUID, memory: UserMemory, reason: Reason = "") -> CommitOutcome:
    """Undoes it: a node's name is free again, records can be sent again, a grant is revoked. 409 for a revocation."""
    return await memory.commits.discard(commit_id, reason)


@of_all.get("", operation_id="listAllCommits", responses=PAGE_HEADERS)
async def list_all(workspace: CurrentWorkspace, page: APage, after: After = None) -> Sequence[CommitSummary]:
    """Commits of all users of the workspace that were set aside. Only the operator sees what they write."""
    found = await workspace.commits.list(after=after, behind=page.start(timed, None), limit=page.limit)
    return page.of(found, _place)


@of_all.post("/{commit_id}/retry", operation_id="retryAnyCommit")
async def retry_any(commit_id: UUID, workspace: CurrentWorkspace) -> CommitOutcome:
    """Retries a commit of any user now."""
    return await workspace.commits.retry(commit_id)


@of_all.post("/{commit_id}/discard", operation_id="discardAnyCommit", responses=documented(409))
async def discard_any(commit_id: UUID, workspace: CurrentWorkspace, reason: Reason = "") -> CommitOutcome:
    """Undoes a commit of any user. 409 for a revocation."""
    return await workspace.commits.discard(commit_id, reason)


router.include_router(of_all)
