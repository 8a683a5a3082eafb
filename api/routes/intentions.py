"""Intentions: what people say that they want or plan to do; experimental."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from api.bodies import JsonRoute
from api.context import OnceMemory, UserMemory
from api.cursors import PAGE_HEADERS, APage
from api.problems import WRITES
from engine.domain.file_state import LONGEST_NOTE
from engine.domain.intention import Intention, IntentionState
from engine.domain.written import Body

router = APIRouter(prefix="/v1/users/{user_id}/intentions", tags=["intentions"], route_class=JsonRoute)


class StateBody(Body):
    """What became of an intention."""

    state: IntentionState
    reason: str = Field(default="", max_length=LONGEST_NOTE)


@router.get("", operation_id="listIntentions", responses=PAGE_HEADERS)
async def intentions(
    memory: UserMemory,
    page: APage,
    state: Annotated[IntentionState | None, Query(description="Only in this state.")] = None,
    entity_id: Annotated[UUID | None, Query(description="Only of this entity.")] = None,
) -> Sequence[Intention]:
    """Intentions that records state, those that are due first, then the newest, one page; for the user alone."""
    return page.window(await memory.intentions.list(state=state, entity_id=entity_id, limit=500))


@router.put("/{intention_id}/state", operation_id="decideIntention", responses=WRITES)
async def decide(intention_id: UUID, body: StateBody, memory: OnceMemory) -> Intention:
    """Says that an intention is done or dropped, or open again."""
    return await memory.intentions.decide(intention_id, body.state, body.reason)
