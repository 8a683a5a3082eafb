"""Raw resources: what came in, as it came."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from api.context import UserMemory, require_owner
from api.cursors import Before, last_line
from api.problems import documented
from api.routes.documents import BYTES, Limit
from engine.domain.resource import RawResource, ResourceType

router = APIRouter(prefix="/v1/users/{user_id}/resources", tags=["resources"])


@router.get("", operation_id="listResources", responses=documented(404, 422, 503))
async def resources(
    memory: UserMemory,
    content_type: Annotated[ResourceType | None, Query(description="Only of this kind.")] = None,
    source_id: Annotated[str | None, Query(min_length=1, max_length=500, description="Only of this source.")] = None,
    before: Before = None,
    limit: Limit = 100,
) -> tuple[RawResource, ...]:
    """What came in, newest first, one page. Nothing in it is ever changed."""
    await require_owner(memory)
    return await memory.resources(content_type=content_type, source_id=source_id, before=last_line(before), limit=limit)


@router.get(
    "/{resource_id}/content",
    operation_id="getResource",
    response_class=Response,
    responses=BYTES | documented(404, 422, 500, 503),
)
async def content(resource_id: UUID, memory: UserMemory) -> Response:
    """The bytes of a resource, verified before the first one is sent."""
    await require_owner(memory)
    return Response(await memory.read_resource(resource_id), media_type="application/octet-stream")
