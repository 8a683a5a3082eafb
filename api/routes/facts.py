"""Facts and their chains; retractions: sources that are withdrawn, and brought back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from api.bodies import JsonRoute
from api.context import OnceMemory, UserMemory
from api.cursors import PAGE_HEADERS, APage, doubt_place, number, text
from api.problems import WRITES, documented, replayable
from engine.domain.fact import Attribute, Fact, FactChain, FactDecision, FactDoubt, FactFilter, ShownStatus
from engine.domain.file_state import LONGEST_NOTE
from engine.domain.retraction import Retraction, RetractionKind, RetractionPreview, RetractionSubject
from engine.domain.written import Body, NewFactBody

of_facts = APIRouter(prefix="/v1/users/{user_id}/facts", tags=["facts"], route_class=JsonRoute)
of_retractions = APIRouter(prefix="/v1/users/{user_id}/retractions", tags=["retractions"], route_class=JsonRoute)

LONGEST_SUBJECT = 500


class FactDecisionBody(Body):
    """What the user decides about a fact in doubt."""

    decision: FactDecision | None = Field(
        description="replaced: it ended where the newer one begins; both: it holds beside the other; null: undecided again."
    )


@of_facts.post("", operation_id="writeFact", status_code=201, responses=replayable() | WRITES)
async def write(body: NewFactBody, memory: OnceMemory) -> FactChain:
    """Stores a fact that the user states. Returns its chain, the newest first: what it replaced is there, too. If it only says
    again what is known, that is confirmed."""
    return FactChain(
        await memory.anew(body.again)
        .until(body.expires_at)
        .facts.write(body.fact, node_id=body.node_id, privacy=body.privacy)
    )


def wanted(
    about: Annotated[str | None, Query(min_length=1, max_length=200, description="Only those about this name.")] = None,
    node_id: Annotated[UUID | None, Query(description="Only those at this node.")] = None,
    status: Annotated[ShownStatus | Literal["any"], Query(description="Only those of this status.")] = "live",
    contradicting: Annotated[bool, Query(description="Only live ones that do not agree with another one.")] = False,
    doubtful: Annotated[bool, Query(description="Also those that may be replaced, or may replace one.")] = False,
) -> FactFilter:
    """Which facts a request asks for."""
    return FactFilter(about, node_id, None if status == "any" else status, contradicting, doubtful)


@of_facts.get("", operation_id="listFacts", responses=PAGE_HEADERS)
async def facts(memory: UserMemory, page: APage, asked: Annotated[FactFilter, Depends(wanted)]) -> Sequence[Fact]:
    """Facts that the user stated or a model found, by id, one page; for the user alone."""
    found = await memory.facts.list(replace(asked, after=page.start(UUID, None), limit=page.limit))
    return page.of(found, lambda fact: fact.fact_id)


@of_facts.get("/attributes", operation_id="listAttributes", responses=PAGE_HEADERS)
async def attributes(memory: UserMemory, page: APage) -> Sequence[Attribute]:
    """The attributes of which live facts speak, as where someone lives, one page; for the user alone."""
    found = await memory.facts.attributes(after=page.start(text, ""), limit=page.limit)
    return page.of(found, lambda one: one.key)


@of_facts.get("/doubts", operation_id="listFactDoubts", responses=PAGE_HEADERS)
async def doubts(memory: UserMemory, page: APage) -> Sequence[FactDoubt]:
    """Pairs of live facts of which the newer may replace the older, or says the opposite, and nobody decided; the newest pairs
    first, one page; for the user alone."""
    found = await memory.facts.doubts(after=page.start(doubt_place, None), limit=page.limit)
    return page.of(found, lambda one: one.place)


@of_facts.post("/{fact_id}/decide", operation_id="decideFact", responses=documented(400, 404, 409, 413, 415))
async def decide(fact_id: UUID, body: FactDecisionBody, memory: OnceMemory) -> FactChain:
    """Decides about a fact in doubt: it was replaced by the newest fact that may replace it, or both hold; null takes back what
    was decided. Returns its chain."""
    return FactChain(await memory.facts.decide(fact_id, body.decision))


@of_facts.get("/{fact_id}", operation_id="getFact")
async def chain(fact_id: UUID, memory: UserMemory) -> FactChain:
    """A fact with its chain, the newest first."""
    return FactChain(await memory.facts.chain(fact_id))


class RetractionBody(Body):
    """What is withdrawn, and why."""

    kind: RetractionKind = Field(
        description="A source is named by the id that was given for it, anything else by its id."
    )
    subject: str = Field(min_length=1, max_length=LONGEST_SUBJECT, description="The id.")
    reason: str = Field(default="", max_length=LONGEST_NOTE)


@of_retractions.get("", operation_id="listRetractions", responses=PAGE_HEADERS)
async def retractions(memory: UserMemory, page: APage) -> Sequence[Retraction]:
    """Retractions, newest first, one page."""
    found = await memory.retractions.list(before=page.start(number, None), limit=page.limit)
    return page.of(found, lambda retraction: retraction.number)


@of_retractions.get("/preview", operation_id="previewRetraction")
async def preview(
    memory: UserMemory,
    kind: Annotated[RetractionKind, Query(description="What is to be withdrawn.")],
    subject: Annotated[str, Query(min_length=1, max_length=LONGEST_SUBJECT, description="Its id.")],
    limit: Annotated[int, Query(ge=1, le=500, description="Entries of each list at most.")] = 100,
) -> RetractionPreview:
    """What a retraction would do: what ends, what holds again, what gets weaker. Nothing is written."""
    return await memory.retractions.preview(RetractionSubject(kind, subject), limit=limit)


@of_retractions.post("", operation_id="retract", status_code=201, responses=replayable() | WRITES)
async def retract(body: RetractionBody, memory: OnceMemory) -> Retraction:
    """Withdraws a source with all that it alone supports. The same request goes on with one that was interrupted."""
    return await memory.retractions.retract(RetractionSubject(body.kind, body.subject), body.reason)


@of_retractions.post("/{retraction_id}/undo", operation_id="undoRetraction", responses=documented(400, 409, 413, 415))
async def undo(retraction_id: UUID, memory: OnceMemory) -> Retraction:
    """Brings back what was withdrawn; what came since stays. Repeating it changes nothing."""
    return await memory.retractions.undo(retraction_id)
