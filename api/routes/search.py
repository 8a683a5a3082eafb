"""Search."""

from __future__ import annotations

from fastapi import APIRouter

from api.bodies import JsonRoute
from api.context import UserMemory
from api.models import Question
from api.problems import documented
from engine.domain.clock import Moment
from engine.domain.scope import MemoryScope
from engine.domain.search import SearchAnswer, SearchRequest

router = APIRouter(prefix="/v1/users/{user_id}/search", tags=["search"], route_class=JsonRoute)


@router.post("", operation_id="search", responses=documented(400, 413, 415))
async def search(body: Question, memory: UserMemory) -> SearchAnswer:
    """Finds the anchors of the query and searches only there; opens no file."""
    return await memory.search(
        SearchRequest(
            body.query,
            body.limit,
            tuple(body.kinds) if body.kinds else None,
            tuple(body.nodes) if body.nodes else None,
            body.widen,
            Moment(body.as_of, body.known_at),
            tuple(MemoryScope(scope.scope, scope.id) for scope in body.scopes),
            tuple(body.sources) if body.sources else None,
        )
    )
