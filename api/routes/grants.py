"""Grants on nodes, created and revoked by the owner; who could see a node at a time; the audit log of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from api.bodies import JsonRoute
from api.context import OnceMemory, UserMemory
from api.cursors import PAGE_HEADERS, APage, identity, number
from api.models import NewGrantBody
from api.problems import WRITES, answered, documented, replayable
from engine.domain.grant import AccessEntry, GivenGrant, Grant, GrantPreview, NewGrant, RevokedGrant, Viewer
from engine.domain.written import Instant

router = APIRouter(prefix="/v1/users/{user_id}", tags=["access"], route_class=JsonRoute)


@router.post(
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


@router.get("/grants", operation_id="listGrants", responses=PAGE_HEADERS)
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


@router.delete("/grants/{grant_id}", operation_id="revokeGrant", responses=documented(409))
async def revoke(grant_id: UUID, memory: UserMemory) -> RevokedGrant:
    """Revokes a grant: it gives no access once this request returns. Repeating it changes nothing."""
    return await memory.grants.revoke(grant_id)


@router.get("/nodes/{node_id}/grant-preview", operation_id="previewGrant")
async def preview(
    node_id: UUID,
    memory: UserMemory,
    depth: Annotated[int, Query(ge=0, le=5, description="How many layers below the node it would include.")] = 0,
    below: Annotated[float, Query(ge=0, le=1, description="Lists records placed with a confidence below this.")] = 0.8,
) -> GrantPreview:
    """The content a grant on a node would open, and records placed there with little confidence; changes nothing."""
    return await memory.grants.preview(node_id, depth=depth, below=below)


@router.get("/nodes/{node_id}/audience", operation_id="getAudience", responses=PAGE_HEADERS)
async def audience(
    node_id: UUID,
    memory: UserMemory,
    page: APage,
    at: Annotated[Instant | None, Query(description="The time; without it, now.")] = None,
) -> Sequence[Viewer]:
    """Who could see a node at a time, and why."""
    return page.window(await memory.grants.audience(node_id, at))


@router.get("/access-log", operation_id="getAccessLog", responses=PAGE_HEADERS)
async def access_log(
    memory: UserMemory,
    page: APage,
    before: Annotated[int | None, Query(ge=1, le=2**62, description="The last entry of the previous page.")] = None,
) -> Sequence[AccessEntry]:
    """Grants, revocations and refused requests of the graph, newest first, one page."""
    entries = await memory.grants.log(before=page.start(number, before), limit=page.limit)
    return page.of(entries, lambda entry: entry.entry_id)
