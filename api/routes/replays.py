"""Replays: all records of a user rebuilt beside the present ones, compared, swapped or discarded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from api.bodies import JsonRoute
from api.context import UserMemory
from api.cursors import PAGE_HEADERS, APage, identity
from api.models import RunRequest
from api.problems import WRITES
from engine.domain.replay import Replay, ReplayComparison

router = APIRouter(prefix="/v1/users/{user_id}/replays", tags=["replays"], route_class=JsonRoute)


@router.post("", operation_id="beginReplay", status_code=202, responses=WRITES)
async def begin(body: RunRequest, memory: UserMemory) -> Replay:
    """Starts a replay, or resumes the open one; a background job builds it. No model is called."""
    return await memory.replays.begin(job=True)


@router.get("", operation_id="listReplays", responses=PAGE_HEADERS)
async def list_replays(
    memory: UserMemory,
    page: APage,
    before: Annotated[UUID | None, Query(description="The last replay of the previous page.")] = None,
) -> Sequence[Replay]:
    """Replays, newest first, one page."""
    found = await memory.replays.list(before=page.start(identity, before), limit=page.limit)
    return page.of(found, lambda replay: replay.replay_id)


@router.get("/{replay_id}", operation_id="getReplay")
async def one(replay_id: UUID, memory: UserMemory) -> Replay:
    """One replay: how many records are rebuilt, and how they differ."""
    return await memory.replays.get(replay_id)


@router.get("/{replay_id}/comparison", operation_id="compareReplay")
async def compare(replay_id: UUID, memory: UserMemory) -> ReplayComparison:
    """The changes that a swap would make."""
    return await memory.replays.compare(replay_id)


@router.post("/{replay_id}/swap", operation_id="swapReplay", responses=WRITES)
async def swap(replay_id: UUID, body: RunRequest, memory: UserMemory) -> Replay:
    """Replaces all records that differ, in one step. Repeating it changes nothing; 409 while it is being built."""
    return await memory.replays.swap(replay_id)


@router.post("/{replay_id}/discard", operation_id="discardReplay", responses=WRITES)
async def discard(replay_id: UUID, body: RunRequest, memory: UserMemory) -> Replay:
    """Discards the rebuilt records. Repeating it changes nothing; 409 if it was swapped."""
    return await memory.replays.discard(replay_id)
