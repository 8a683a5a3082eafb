"""Node proposals for a memory without a hierarchy: propose, create, undo."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter

from api.bodies import JsonRoute
from api.context import LimitedMemory, OnceMemory, UserMemory
from api.models import ProposalBody
from api.problems import WRITES, documented, replayable
from engine.domain.proposal import Applied, MovedTo, Proposal, ProposedNode

router = APIRouter(prefix="/v1/users/{user_id}/node-proposal", tags=["nodes"], route_class=JsonRoute)


@router.get("", operation_id="proposeNodes")
async def propose(memory: LimitedMemory) -> Proposal:
    """Proposes nodes for the people and matters in the turns at the root. Creates nothing. `left_out`: what a limit left out."""
    return await memory.proposals.propose()


@router.post("", operation_id="makeProposedNodes", status_code=201, responses=replayable() | WRITES)
async def make(body: ProposalBody, memory: OnceMemory) -> Applied:
    """Creates the nodes of a proposal, edited or not, and moves records from the root that belong to one of them."""
    nodes = tuple(
        ProposedNode(tuple(one.path), one.node_type, one.summary, tuple(one.keywords), tuple(one.aliases), 0, 0, "")
        for one in body.nodes
    )
    return await memory.proposals.make(Proposal(nodes, 0, 0))


@router.post("/{proposal_id}/undo", operation_id="undoProposedNodes", responses=documented(400, 409, 413, 415))
async def undo(proposal_id: UUID, memory: UserMemory) -> tuple[MovedTo, ...]:
    """Moves the proposal's records back to the root, except those moved again since; its nodes stay."""
    return await memory.proposals.undo(proposal_id)
