"""Facts and their chains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query

from api.bodies import JsonRoute
from api.context import OnceMemory, UserMemory
from api.cursors import PAGE_HEADERS, APage, text
from api.problems import WRITES, replayable
from engine.domain.attribute import Attribute
from engine.domain.fact import (
    Fact,
    FactChain,
    FactFilter,
    ShownStatus,
)
from engine.domain.written import NewFactBody

router = APIRouter(prefix="/v1/users/{user_id}/facts", tags=["facts"], route_class=JsonRoute)


@router.post("", operation_id="writeFact", status_code=201, responses=replayable() | WRITES)
async def write(body: NewFactBody, memory: OnceMemory) -> FactChain:
    """Stores a fact that the user states. Returns its chain, the newest first: what it replaced is there, too. If it only says
    again what is known, that is confirmed."""
    return FactChain(await memory.facts.write(body.fact, node_id=body.node_id, privacy=body.privacy))


@router.get("", operation_id="listFacts", responses=PAGE_HEADERS)
async def facts(
    memory: UserMemory,
    page: APage,
    about: Annotated[str | None, Query(min_length=1, max_length=200, description="Only those about this name.")] = None,
    node_id: Annotated[UUID | None, Query(description="Only those at this node.")] = None,
    status: Annotated[ShownStatus | Literal["any"], Query(description="Only those of this status.")] = "live",
    contradicting: Annotated[bool, Query(description="Only live ones that do not agree with another one.")] = False,
) -> Sequence[Fact]:
    """Facts that the user stated or a model found, by id, one page; for the user alone."""
    known: ShownStatus | None = None if status == "any" else status
    wanted = FactFilter(about, node_id, known, contradicting, page.start(UUID, None), page.limit)
    return page.of(await memory.facts.list(wanted), lambda fact: fact.fact_id)


@router.get("/attributes", operation_id="listAttributes", responses=PAGE_HEADERS)
async def attributes(memory: UserMemory, page: APage) -> Sequence[Attribute]:
    """The attributes of which live facts speak, as where someone lives, one page; for the user alone."""
    found = await memory.facts.attributes(after=page.start(text, ""), limit=page.limit)
    return page.of(found, lambda one: one.key)


@router.get("/{fact_id}", operation_id="getFact")
async def chain(fact_id: UUID, memory: UserMemory) -> FactChain:
    """A fact with its chain, the newest first."""
    return FactChain(await memory.facts.chain(fact_id))
