"""Nodes of a user's graph: provisioning, shells, children, metadata, anchors, edges."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response

from api.bodies import JsonRoute
from api.context import AtMoment, IdempotencyKey, UserMemory, once, require_user
from api.models import CreatedEdge, NewEdge, NewNodeBody, TouchBody
from api.problems import answered, documented, replayable
from engine.domain.node import ChildNode, NewNode, ProvisionedNode, Shell
from engine.domain.search import Anchor
from engine.hierarchy.shells import MetadataPage, RegisteredEdge

router = APIRouter(prefix="/v1/users/{user_id}", tags=["nodes"], route_class=JsonRoute)
WRITE_PROBLEMS = documented(400, 404, 409, 413, 415, 422, 503, 507)
READ_PROBLEMS = documented(404, 422, 503)


@router.post(
    "/nodes",
    operation_id="provisionNode",
    status_code=201,
    response_model=ProvisionedNode,
    responses=replayable(answered(200, ProvisionedNode, "The sibling of that name existed already.")) | WRITE_PROBLEMS,
)
async def provision(
    body: NewNodeBody, memory: UserMemory, request: Request, response: Response, key: IdempotencyKey = None
) -> Any:
    """A child node in all stores, whole or not at all. Below layer 5 nothing is created."""

    async def action() -> tuple[int, ProvisionedNode]:
        parent = body.parent_id or memory.principal.user_id
        new = NewNode(parent, body.name, body.node_type, body.summary, tuple(body.keywords), tuple(body.aliases))
        node = await memory.provision(new)
        return (201 if node.created else 200), node

    return await once(request, response, memory, key, action)


@router.get("/nodes/{node_id}", operation_id="getShell", responses=READ_PROBLEMS)
async def shell(node_id: UUID, memory: UserMemory, moment: AtMoment) -> Shell:
    """The live shell: identity, path, children with their states, edges, the newest manifest lines."""
    return await memory.shell(node_id, moment)


@router.get("/nodes/{node_id}/children", operation_id="listChildren", responses=READ_PROBLEMS)
async def children(node_id: UUID, memory: UserMemory, moment: AtMoment) -> tuple[ChildNode, ...]:
    """The children of a node, by name, at most 500."""
    return (await memory.shell(node_id, moment)).children


@router.get("/nodes/{node_id}/metadata", operation_id="getMetadata", responses=READ_PROBLEMS)
async def metadata(
    node_id: UUID,
    memory: UserMemory,
    moment: AtMoment,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Query(max_length=500)] = None,
) -> MetadataPage:
    """Records of a node, newest first; their files stay closed."""
    return await memory.metadata(node_id, limit=limit, cursor=cursor, moment=moment)


@router.post(
    "/nodes/{node_id}/touch", operation_id="touch", status_code=202, responses=READ_PROBLEMS | documented(400, 413, 415)
)
async def touch(node_id: UUID, body: TouchBody, memory: UserMemory) -> None:
    """Says that the node, and these items and records of it, were used: access times and counts follow in some seconds."""
    await memory.touch(node_id, body.ids)


@router.get("/anchors", operation_id="findAnchors", responses=READ_PROBLEMS)
async def anchors(
    memory: UserMemory, moment: AtMoment, name: Annotated[str, Query(min_length=1, max_length=4000, examples=["Dave"])]
) -> tuple[Anchor, ...]:
    """Every node of that name or alias, with the path to each."""
    found = await memory.anchors(name, moment)
    if not found:
        await require_user(memory)
    return found


@router.get("/edges", operation_id="listEdges", responses=READ_PROBLEMS)
async def edges(memory: UserMemory, moment: AtMoment) -> tuple[RegisteredEdge, ...]:
    """The global edge registry, at most 1,000 edges."""
    found = await memory.edges(moment)
    if not found:
        await require_user(memory)
    return found


@router.post(
    "/edges",
    operation_id="relateNodes",
    status_code=201,
    response_model=CreatedEdge,
    responses=replayable(answered(200, CreatedEdge, "There was one already.")) | WRITE_PROBLEMS,
)
async def relate(
    body: NewEdge, memory: UserMemory, request: Request, response: Response, key: IdempotencyKey = None
) -> Any:
    """A cross-node edge; the same type between the same nodes is one edge."""

    async def action() -> tuple[int, CreatedEdge]:
        edge, created = await memory.relate(body.source_id, body.target_id, body.edge_type, body.properties)
        return (201 if created else 200), CreatedEdge(edge_id=edge, created=created)

    return await once(request, response, memory, key, action)
