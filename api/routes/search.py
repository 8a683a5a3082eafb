"""Search, context for a model, answers from it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from api.bodies import JsonRoute
from api.context import UserMemory
from api.models import Asked, ContextQuestion, Question
from api.problems import documented
from engine.domain.clock import Moment
from engine.domain.context import Context, ContextAnswer, ContextRequest
from engine.domain.read_limits import ReadLimits
from engine.domain.scope import MemoryScope
from engine.domain.search import SearchAnswer, SearchRequest

router = APIRouter(prefix="/v1/users/{user_id}", tags=["search"], route_class=JsonRoute)


@router.post("/search", operation_id="search", responses=documented(400, 413, 415))
async def search(body: Question, memory: UserMemory) -> SearchAnswer:
    """Finds the anchors of the query and searches only there; opens no file."""
    limits = ReadLimits(body.max_ms, body.max_tokens, body.partial)
    kinds = tuple(body.kinds) if body.kinds else None
    return await memory.search(SearchRequest(body.query, body.limit, kinds, **_where(body)), limits)


@router.post("/context", operation_id="context", responses=documented(400, 413, 415))
async def context(body: ContextQuestion, memory: UserMemory) -> Context:
    """What the memory holds that matters to a question, as text for a prompt within so many tokens, with sources."""
    return await memory.context(_request(body))


@router.post("/answer", operation_id="answer", responses=documented(400, 409, 413, 415))
async def answer(body: ContextQuestion, memory: UserMemory) -> ContextAnswer:
    """The configured language model's answer from that context alone, with citations, or a refusal."""
    return await memory.answer(_request(body))


def _request(body: ContextQuestion) -> ContextRequest:
    return ContextRequest(
        body.question, body.tokens, body.limit, **_where(body), max_ms=body.max_ms, partial=body.partial
    )


def _where(body: Asked) -> dict[str, Any]:
    return {
        "nodes": tuple(body.nodes) if body.nodes else None,
        "widen": body.widen,
        "moment": Moment(body.as_of, body.known_at),
        "scopes": tuple(MemoryScope(scope.scope, scope.id) for scope in body.scopes),
        "sources": tuple(body.sources) if body.sources else None,
    }
