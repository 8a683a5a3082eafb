"""Commits that were set aside: list, retry, discard; those of one graph or all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query

from api.context import CurrentEngine, UserMemory, WhoAsks, administrators_only, require_owner
from api.cursors import PAGE_HEADERS, APage, timed
from api.problems import documented
from engine.commit.set_aside import CommitOutcome, CommitSummary

router = APIRouter(tags=["commits"])
OWN = "/v1/users/{user_id}/commits"
ALL = "/v1/commits"

After = Annotated[UUID | None, Query(description="The last commit of the previous page.")]
Reason = Annotated[str, Query(max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$", description="Why, in one line.")]


def _place(commit: CommitSummary) -> tuple[datetime, UUID]:
    """The key after which the next page starts; it stays valid if the commit is settled meanwhile."""
    return commit.created_at, commit.commit_id


@router.get(OWN, operation_id="listCommits", responses=PAGE_HEADERS | documented(404, 422, 503))
async def list_own(
    memory: UserMemory, engine: CurrentEngine, page: APage, after: After = None
) -> Sequence[CommitSummary]:
    """Commits of this graph that were accepted, but failed and were set aside, oldest first, one page."""
    await require_owner(memory)
    user_id, behind = memory.principal.user_id, page.start(timed, None)
    found = await engine.commits.list(user_id, after=after, behind=behind, limit=page.limit)
    return page.of(found, _place)


@router.post(f"{OWN}/{{commit_id}}/retry", operation_id="retryCommit", responses=documented(404, 422, 503))
async def retry_own(commit_id: UUID, memory: UserMemory, engine: CurrentEngine) -> CommitOutcome:
    """Retries the commit now; if it fails again, its state is `pending` and recovery goes on retrying."""
    await require_owner(memory)
    return await engine.commits.retry(commit_id, memory.principal.name, memory.principal.user_id)


@router.post(f"{OWN}/{{commit_id}}/discard", operation_id="discardCommit", responses=documented(404, 409, 422, 503))
async def discard_own(commit_id: UUID, memory: UserMemory, engine: CurrentEngine, reason: Reason = "") -> CommitOutcome:
    """Undoes it: a node's name is free again, records can be sent again, a grant is revoked. 409 for a revocation."""
    await require_owner(memory)
    reason = memory.redactor.text(reason)
    return await engine.commits.discard(commit_id, memory.principal.name, reason, memory.principal.user_id)


@router.get(
    ALL,
    operation_id="listAllCommits",
    dependencies=[Depends(administrators_only)],
    responses=PAGE_HEADERS | documented(404, 422, 503),
)
async def list_all(engine: CurrentEngine, asking: WhoAsks, page: APage, after: After = None) -> Sequence[CommitSummary]:
    """Commits of all users of the workspace that were set aside. Only the operator sees what they write."""
    found = await engine.commits.list(after=after, behind=page.start(timed, None), limit=page.limit)
    shown = found if asking.kind == "operator" else tuple(replace(one, subject=None) for one in found)
    return page.of(shown, _place)


@router.post(
    f"{ALL}/{{commit_id}}/retry",
    operation_id="retryAnyCommit",
    dependencies=[Depends(administrators_only)],
    responses=documented(404, 422, 503),
)
async def retry_any(commit_id: UUID, engine: CurrentEngine, asking: WhoAsks) -> CommitOutcome:
    """Retries a commit of any user now."""
    return await engine.commits.retry(commit_id, asking.kind)


@router.post(
    f"{ALL}/{{commit_id}}/discard",
    operation_id="discardAnyCommit",
    dependencies=[Depends(administrators_only)],
    responses=documented(404, 409, 422, 503),
)
async def discard_any(commit_id: UUID, engine: CurrentEngine, asking: WhoAsks, reason: Reason = "") -> CommitOutcome:
    """Undoes a commit of any user. 409 for a revocation."""
    return await engine.commits.discard(commit_id, asking.kind, engine.parts.redactor.text(reason))
