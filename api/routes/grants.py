"""Grants on nodes, created and revoked by the owner; who could see a node at a time; the audit log of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response

from api.bodies import JsonRoute
from api.context import IdempotencyKey, UserMemory, once, require_owner
from api.cursors import PAGE_HEADERS, APage, identity, number
from api.models import Instant, NewGrantBody, RevokedGrant
from api.problems import answered, documented, replayable
from engine.domain.grant import AccessEntry, GivenGrant, Grant, GrantPreview, NewGrant, Viewer

router = APIRouter(prefix="/v1/users/{user_id}", tags=["access"], route_class=JsonRoute)
READ_PROBLEMS = documented(404, 422, 503)


@router.post(
    "/grants",
    operation_id="giveGrant",
    status_code=201,
    response_model=GivenGrant,
    responses=replayable(answered(200, GivenGrant, "The same grant existed already."))
    | documented(400, 404, 409, 413, 415, 422, 503, 507),
)
async def give(
    body: NewGrantBody, memory: UserMemory, request: Request, response: Response, key: IdempotencyKey = None
) -> Any:
    """Grants a persona or an integration access to one node, and to `depth` layers below it."""

    async def action() -> tuple[int, GivenGrant]:
        new = NewGrant(
            body.node_id,
            body.subject_kind,
            body.subject_id,
            body.mode,
            body.depth,
            tuple(body.fields),
            body.purpose,
            body.expires_at,
            body.past,
        )
        given = await memory.grants.give(memory.principal, new)
        return (201 if given.created else 200), given

    return await once(request, response, memory, key, action)


@router.get("/grants", operation_id="listGrants", responses=PAGE_HEADERS | READ_PROBLEMS)
async def list_grants(
    memory: UserMemory,
    page: APage,
    node_id: Annotated[UUID | None, Query(description="Only grants on this node.")] = None,
    ended: Annotated[bool, Query(description="Include grants that have ended.")] = False,
    after: Annotated[UUID | None, Query(description="The last grant of the previous page.")] = None,
) -> Sequence[Grant]:
    """Grants of the graph by id, one page."""
    await require_owner(memory)
    start = page.start(identity, after)
    grants = await memory.grants.listing(memory.principal, node_id=node_id, ended=ended, after=start, limit=page.limit)
    return page.of(grants, lambda grant: grant.grant_id)


@router.delete("/grants/{grant_id}", operation_id="revokeGrant", responses=READ_PROBLEMS)
async def revoke(grant_id: UUID, memory: UserMemory) -> RevokedGrant:
    """Revokes a grant: it gives no access once this request returns. Repeating it changes nothing."""
    await require_owner(memory)
    return RevokedGrant(grant_id=grant_id, revoked_at=await memory.grants.revoke(memory.principal, grant_id))


@router.get("/nodes/{node_id}/grant-preview", operation_id="previewGrant", responses=READ_PROBLEMS)
async def preview(
    node_id: UUID,
    memory: UserMemory,
    depth: Annotated[int, Query(ge=0, le=5, description="How many layers below the node it would include.")] = 0,
    below: Annotated[float, Query(ge=0, le=1, description="Lists records placed with a confidence below this.")] = 0.8,
) -> GrantPreview:
    """The content a grant on a node would open, and records placed there with little confidence; changes nothing."""
    await require_owner(memory)
    return await memory.grants.preview(memory.principal, node_id, depth=depth, below=below)


@router.get("/nodes/{node_id}/audience", operation_id="getAudience", responses=PAGE_HEADERS | READ_PROBLEMS)
async def audience(
    node_id: UUID,
    memory: UserMemory,
    page: APage,
    at: Annotated[Instant | None, Query(description="The time; without it, now.")] = None,
) -> Sequence[Viewer]:
    """Who could see a node at a time, and why."""
    await require_owner(memory)
    return page.window(await memory.grants.audience(memory.principal, node_id, at))


@router.get("/access-log", operation_id="getAccessLog", responses=PAGE_HEADERS | READ_PROBLEMS)
async def access_log(
    memory: UserMemory,
    page: APage,
    before: Annotated[int | None, Query(ge=1, le=2**62, description="The last entry of the previous page.")] = None,
) -> Sequence[AccessEntry]:
    """Grants, revocations and refused requests of the graph, newest first, one page."""
    await require_owner(memory)
    entries = await memory.grants.log(memory.principal, before=page.start(number, before), limit=page.limit)
    return page.of(entries, lambda entry: entry.entry_id)
