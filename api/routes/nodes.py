"""Nodes of a user's graph: creation, shells, children, metadata, anchors, edges; node proposals for a memory without a hierarchy:
propose, create, undo; and grants on nodes, created and revoked by the owner, who could see a node at a time, the audit log of a
graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import Field

from api.bodies import JsonRoute
from api.context import TAGGED, AtMoment, IfNoneMatch, LimitedMemory, OnceMemory, UserMemory, matches, shell_tag
from api.cursors import PAGE_HEADERS, APage, identity, named, number, text
from api.models import NewEdge, NewGrantBody, NewNodeBody, ProposalBody
from api.problems import WRITES, answered, documented, replayable
from engine.domain.grant import AccessEntry, GivenGrant, Grant, GrantPreview, NewGrant, RevokedGrant, Viewer
from engine.domain.node import (
    MAX_LAYER,
    Anchor,
    ChildNode,
    CreatedEdge,
    EdgePlace,
    MetadataPage,
    NewNode,
    ProvisionedNode,
    RecordDay,
    RegisteredEdge,
    Shell,
    TreeNode,
)
from engine.domain.proposal import Applied, MovedTo, Proposal, ProposedNode
from engine.domain.written import Body, Instant

of_nodes = APIRouter(prefix="/v1/users/{user_id}", tags=["nodes"], route_class=JsonRoute)
of_proposals = APIRouter(prefix="/v1/users/{user_id}/node-proposal", tags=["nodes"], route_class=JsonRoute)

of_grants = APIRouter(prefix="/v1/users/{user_id}", tags=["access"], route_class=JsonRoute)


class TouchBody(Body):
    """What a caller used at a node."""

    ids: list[UUID] = Field(
        default=[], max_length=1000, description="Items and records of the node; other ids are ignored."
    )


@of_nodes.post(
    "/nodes",
    operation_id="provisionNode",
    status_code=201,
    responses=replayable(answered(200, ProvisionedNode, "A child with this name existed already.")) | WRITES,
)
async def provision(body: NewNodeBody, memory: OnceMemory, response: Response) -> ProvisionedNode:
    """Creates a child node in all stores, atomically. Layer 5 is the deepest."""
    parent = body.parent_id or memory.principal.user_id
    new = NewNode(parent, body.name, body.node_type, body.summary, tuple(body.keywords), tuple(body.aliases))
    node = await memory.nodes.provision(new)
    response.status_code = 201 if node.created else 200
    return node


@of_nodes.get("/nodes/{node_id}", operation_id="getShell", response_model=Shell, responses=TAGGED)
async def shell(
    node_id: UUID, memory: UserMemory, moment: AtMoment, response: Response, known: IfNoneMatch = None
) -> Shell | Response:
    """The current shell: identity, path, children with their states, edges, the newest manifest entries."""
    found = await memory.nodes.shell(node_id, moment)
    tag = shell_tag(found)
    if known and matches(known, tag):
        return Response(status_code=304, headers={"ETag": tag})
    response.headers["ETag"] = tag
    return found


@of_nodes.get("/nodes/{node_id}/children", operation_id="listChildren", responses=PAGE_HEADERS)
async def children(node_id: UUID, memory: UserMemory, moment: AtMoment, page: APage) -> Sequence[ChildNode]:
    """The children of a node, by name, one page."""
    found = await memory.nodes.children(node_id, moment, after=page.start(named, None), limit=page.limit)
    return page.of(found, lambda child: (child.name, child.node_id))


@of_nodes.get("/nodes/{node_id}/metadata", operation_id="getMetadata", responses=PAGE_HEADERS)
async def metadata(node_id: UUID, memory: UserMemory, moment: AtMoment, page: APage) -> MetadataPage:
    """Records of a node, newest first, one page; no file is opened."""
    found = await memory.nodes.metadata(node_id, limit=page.limit, cursor=page.cursor, moment=moment)
    if found.cursor is not None:
        page.next(found.cursor)
    return found


@of_nodes.post("/nodes/{node_id}/touch", operation_id="touch", status_code=202, responses=documented(400, 413, 415))
async def touch(node_id: UUID, body: TouchBody, memory: UserMemory) -> None:
    """Marks the node, and these of its items and records, as used: access times and counts follow in some seconds."""
    await memory.nodes.touch(node_id, body.ids)


@of_nodes.get("/tree", operation_id="getTree", responses=PAGE_HEADERS)
async def tree(
    memory: UserMemory,
    moment: AtMoment,
    page: APage,
    depth: Annotated[int, Query(ge=0, le=MAX_LAYER, description="How many layers below the root.")] = MAX_LAYER,
) -> Sequence[TreeNode]:
    """The first 10,000 nodes of the graph, parents first, one page; for its user."""
    return page.window(await memory.nodes.tree(moment, depth=depth))


@of_nodes.get("/timeline", operation_id="getTimeline", responses=PAGE_HEADERS)
async def timeline(memory: UserMemory, page: APage) -> Sequence[RecordDay]:
    """On which days the records of the graph happened, node by node, undated ones first, one page; for its user."""
    return page.following(await memory.nodes.timeline(skip=page.offset, limit=page.limit))


@of_nodes.get("/anchors", operation_id="findAnchors", responses=PAGE_HEADERS)
async def anchors(
    memory: UserMemory,
    moment: AtMoment,
    page: APage,
    name: Annotated[str, Query(min_length=1, max_length=4000, examples=["Dave"])],
) -> Sequence[Anchor]:
    """All nodes with this name or alias and their paths, one page; archived ones are marked, they are not searched."""
    found = await memory.nodes.anchors(name, moment, skip=page.offset, limit=page.limit)
    return page.following(found)


@of_nodes.get("/edges", operation_id="listEdges", responses=PAGE_HEADERS)
async def edges(memory: UserMemory, moment: AtMoment, page: APage) -> Sequence[RegisteredEdge]:
    """All cross-node edges, by the names of their ends, one page."""
    found = await memory.edges.list(moment, after=page.start(_edge, None), limit=page.limit)
    return page.of(found, lambda edge: edge.place)


def _edge(parts: Any) -> EdgePlace:
    source, target, edge_type, edge_id = parts
    return text(source), text(target), text(edge_type), identity(edge_id)


@of_nodes.post(
    "/edges",
    operation_id="relateNodes",
    status_code=201,
    responses=replayable(answered(200, CreatedEdge, "It existed already.")) | WRITES,
)
async def relate(body: NewEdge, memory: OnceMemory, response: Response) -> CreatedEdge:
    """Creates a cross-node edge; the same type between the same nodes is one edge."""
    edge = await memory.edges.make(body.source_id, body.target_id, body.edge_type, body.properties)
    response.status_code = 201 if edge.created else 200
    return edge


@of_proposals.get("", operation_id="proposeNodes")
async def propose(memory: LimitedMemory) -> Proposal:
    """Proposes nodes for the people and matters in the turns at the root. Creates nothing. `left_out`: what a limit left out."""
    return await memory.proposals.propose()


@of_proposals.post("", operation_id="makeProposedNodes", status_code=201, responses=replayable() | WRITES)
async def make(body: ProposalBody, memory: OnceMemory) -> Applied:
    """Creates the nodes of a proposal, edited or not, and moves records from the root that belong to one of them."""
    nodes = tuple(
        ProposedNode(tuple(one.path), one.node_type, one.summary, tuple(one.keywords), tuple(one.aliases), 0, 0, "")
        for one in body.nodes
    )
    return await memory.proposals.make(Proposal(nodes, 0, 0))


@of_proposals.post("/{proposal_id}/undo", operation_id="undoProposedNodes", responses=documented(400, 409, 413, 415))
async def undo(proposal_id: UUID, memory: UserMemory) -> tuple[MovedTo, ...]:
    """Moves the proposal's records back to the root, except those moved again since; its nodes stay."""
    return await memory.proposals.undo(proposal_id)


@of_grants.post(
    "/grants",
    operation_id="giveGrant",
    status_code=201,
    responses=replayable(answered(200, GivenGrant, "The same grant existed already.")) | WRITES,
)
async def give(body: NewGrantBody, memory: OnceMemory, response: Response) -> GivenGrant:
    """Grants a persona or an integration access to one node, and to `depth` layers below it."""
    given = await memory.grants.give(NewGrant(**body.model_dump() | {"fields": tuple(body.fields)}))
    response.status_code = 201 if given.created else 200
    return given


@of_grants.get("/grants", operation_id="listGrants", responses=PAGE_HEADERS)
async def list_grants(
    memory: UserMemory,
    page: APage,
    node_id: Annotated[UUID | None, Query(description="Only grants on this node.")] = None,
    ended: Annotated[bool, Query(description="Include grants that have ended.")] = False,
    after: Annotated[UUID | None, Query(description="The last grant of the previous page.")] = None,
) -> Sequence[Grant]:
    """Grants of the graph by id, one page."""
    start = page.start(identity, after)
    grants = await memory.grants.list(node_id=node_id, ended=ended, after=start, limit=page.limit)
    return page.of(grants, lambda grant: grant.grant_id)


@of_grants.delete("/grants/{grant_id}", operation_id="revokeGrant", responses=documented(409))
async def revoke(grant_id: UUID, memory: UserMemory) -> RevokedGrant:
    """Revokes a grant: it gives no access once this request returns. Repeating it changes nothing."""
    return await memory.grants.revoke(grant_id)


@of_grants.get("/nodes/{node_id}/grant-preview", operation_id="previewGrant")
async def preview(
    node_id: UUID,
    memory: UserMemory,
    depth: Annotated[int, Query(ge=0, le=5, description="How many layers below the node it would include.")] = 0,
    below: Annotated[float, Query(ge=0, le=1, description="Lists records placed with a confidence below this.")] = 0.8,
) -> GrantPreview:
    """The content a grant on a node would open, and records placed there with little confidence; changes nothing."""
    return await memory.grants.preview(node_id, depth=depth, below=below)


@of_grants.get("/nodes/{node_id}/audience", operation_id="getAudience", responses=PAGE_HEADERS)
async def audience(
    node_id: UUID,
    memory: UserMemory,
    page: APage,
    at: Annotated[Instant | None, Query(description="The time; without it, now.")] = None,
) -> Sequence[Viewer]:
    """Who could see a node at a time, and why."""
    return page.window(await memory.grants.audience(node_id, at))


@of_grants.get("/access-log", operation_id="getAccessLog", responses=PAGE_HEADERS)
async def access_log(
    memory: UserMemory,
    page: APage,
    before: Annotated[int | None, Query(ge=1, le=2**62, description="The last entry of the previous page.")] = None,
) -> Sequence[AccessEntry]:
    """Grants, revocations and refused requests of the graph, newest first, one page."""
    entries = await memory.grants.log(before=page.start(number, before), limit=page.limit)
    return page.of(entries, lambda entry: entry.entry_id)
