"""A hierarchy for a memory that has none: proposed, made, undone."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Request, Response
from pydantic import Field, StringConstraints

from api.bodies import JsonRoute
from api.context import IdempotencyKey, UserMemory, once, require_owner
from api.models import Body
from api.problems import documented, replayable
from engine.domain.proposal import Applied, MovedTo, Proposal, ProposedNode

NodeName = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class ProposedNodeBody(Body):
    """One node of a proposal."""

    path: list[NodeName] = Field(min_length=1, max_length=5)
    node_type: Literal["concept", "persona"] = "concept"
    summary: Annotated[str, StringConstraints(max_length=2000)] = ""
    keywords: list[str] = Field(default=[], max_length=100)
    aliases: list[str] = Field(default=[], max_length=100)


class ProposalBody(Body):
    """The nodes to make, as they were proposed, or changed by hand."""

    nodes: list[ProposedNodeBody] = Field(min_length=1, max_length=40)


router = APIRouter(prefix="/v1/users/{user_id}/node-proposal", tags=["nodes"], route_class=JsonRoute)


@router.get("", operation_id="proposeNodes", responses=documented(404, 422, 503))
async def propose(memory: UserMemory) -> Proposal:
    """The nodes that the turns at the root speak of: people and matters. Nothing is made."""
    await require_owner(memory)
    return await memory.propose_nodes()


@router.post(
    "",
    operation_id="makeProposedNodes",
    status_code=201,
    response_model=Applied,
    responses=replayable() | documented(400, 404, 409, 413, 415, 422, 503, 507),
)
async def make(
    body: ProposalBody, memory: UserMemory, request: Request, response: Response, key: IdempotencyKey = None
) -> Any:
    """Makes the nodes of a proposal, edited or not, and moves records from the root that belong to one of them."""

    async def action() -> tuple[int, Applied]:
        await require_owner(memory)
        nodes = tuple(
            ProposedNode(
                tuple(node.path), node.node_type, node.summary, tuple(node.keywords), tuple(node.aliases), 0, 0, ""
            )
            for node in body.nodes
        )
        return 201, await memory.make_proposed(Proposal(nodes, 0, 0))

    return await once(request, response, memory, key, action)


@router.post(
    "/{proposal_id}/undo", operation_id="undoProposedNodes", responses=documented(400, 404, 409, 413, 415, 422, 503)
)
async def undo(proposal_id: UUID, memory: UserMemory) -> tuple[MovedTo, ...]:
    """Moves back to the root what the proposal moved and what was not moved again since; its nodes stay."""
    await require_owner(memory)
    return await memory.undo_proposed(proposal_id)
