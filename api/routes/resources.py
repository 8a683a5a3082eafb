"""Raw inputs, as they were received."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from api.context import UserMemory
from api.cursors import PAGE_HEADERS, APage, Before, last_line, timed
from api.downloads import BYTES, download
from engine.domain.resource import RawResource, ResourceType

router = APIRouter(prefix="/v1/users/{user_id}/resources", tags=["resources"])


@router.get("", operation_id="listResources", responses=PAGE_HEADERS)
async def resources(
    memory: UserMemory,
    page: APage,
    content_type: Annotated[ResourceType | None, Query(description="Only those of this type.")] = None,
    source_id: Annotated[
        str | None, Query(min_length=1, max_length=500, description="Only those of this source.")
    ] = None,
    before: Before = None,
) -> Sequence[RawResource]:
    """Raw inputs, newest first, one page. They are append-only."""
    start = page.start(timed, last_line(before))
    found = await memory.resources.list(content_type=content_type, source_id=source_id, before=start, limit=page.limit)
    return page.of(found, lambda resource: (resource.received_at, resource.resource_id))


@router.get("/{resource_id}/content", operation_id="getResource", response_class=Response, responses=BYTES)
async def content(resource_id: UUID, memory: UserMemory) -> Response:
    """The bytes of a raw input under its own name. The hash is verified before the first byte is sent."""
    found = await memory.resources.content(resource_id)
    return download(found.content, found.file_name, found.media_type)
