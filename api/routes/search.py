"""Search, context for a model, answers from it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from api.bodies import JsonRoute
from api.context import UserMemory, asking
from api.cursors import PAGE_HEADERS, ANextPage
from api.problems import documented
from api.questions import Asked, ContextQuestion, DecayQuestion, FiltersBody, NarrowedQuestion, Question
from engine.domain.clock import Moment
from engine.domain.context import Context, ContextAnswer, ContextRequest
from engine.domain.read_limits import ReadLimits
from engine.domain.scope import MemoryScope
from engine.domain.search import ALL, DecayRequest, Filters, SearchAnswer, SearchRequest

router = APIRouter(prefix="/v1/users/{user_id}", tags=["search"], route_class=JsonRoute)


@router.post("/search", operation_id="search", responses=documented(400, 413, 415) | PAGE_HEADERS)
async def search(body: Question, memory: UserMemory, page: ANextPage) -> SearchAnswer:
    """Finds the anchors of the query and searches there, in a small memory everywhere; opens no file.

    The `score` of a hit orders the hits of this answer; it can be negative and says nothing beside other answers.
    """
    limits = ReadLimits(body.max_ms, body.max_tokens, body.partial)
    said = {name: getattr(body, name) for name in ("relations", "explain", "recall")}
    asked = SearchRequest(body.query, body.limit, **_where(body), cursor=page.cursor, **said)
    memory = asking(memory, body.model_calls)
    answer = await memory.search(asked, limits)
    if answer.next_cursor is not None:
        page.next(answer.next_cursor)
    return answer


@router.post("/search/decayed", operation_id="searchDecayed", responses=documented(400, 409, 413, 415))
async def search_decayed(body: DecayQuestion, memory: UserMemory) -> SearchAnswer:
    """The best items by meaning × confidence × decay by age, of all that may be read; no anchors."""
    request = DecayRequest(body.query, body.limit, body.days, body.least_confidence, **_narrowed(body))
    return await memory.search_decayed(request)


@router.post("/context", operation_id="context", responses=documented(400, 413, 415))
async def context(body: ContextQuestion, memory: UserMemory) -> Context:
    """What the memory holds that matters to a question, as text for a prompt within so many tokens, with sources."""
    memory = asking(memory, body.model_calls)
    return await memory.context(_request(body))


@router.post("/answer", operation_id="answer", responses=documented(400, 409, 413, 415))
async def answer(body: ContextQuestion, memory: UserMemory) -> ContextAnswer:
    """The configured language model's answer from that context alone, with citations, or a refusal."""
    memory = asking(memory, body.model_calls)
    return await memory.answer(_request(body))


def _request(body: ContextQuestion) -> ContextRequest:
    return ContextRequest(
        body.question, body.tokens, body.limit, **_where(body), max_ms=body.max_ms, partial=body.partial
    )


def _where(body: Asked) -> dict[str, Any]:
    return _narrowed(body) | {"widen": body.widen}


def _narrowed(body: NarrowedQuestion) -> dict[str, Any]:
    return {
        "nodes": tuple(body.nodes) if body.nodes else None,
        "moment": Moment(body.as_of, body.known_at),
        "scopes": tuple(MemoryScope(scope.scope, scope.id) for scope in body.scopes),
        "sources": tuple(body.sources) if body.sources else None,
        "kinds": tuple(body.kinds) if body.kinds else None,
        "filters": _filters(body.filters),
    }


def _filters(body: FiltersBody | None) -> Filters:
    if body is None:
        return ALL
    of = {name: tuple(getattr(body, name)) for name in ("below", "categories", "tags", "entities")}
    return Filters(**of, since=body.since, until=body.until)
