"""The raw inputs of a memory: immutable, as they were received."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from engine.domain.resource import RawResource, ResourceContent, ResourceType
from engine.operations.asking import Asking


class Inputs(Asking):
    """Everything that was stored, as it was received; for the user of the graph alone."""

    async def resources(
        self,
        *,
        content_type: ResourceType | None = None,
        source_id: str | None = None,
        before: tuple[datetime, UUID] | None = None,
        limit: int = 100,
    ) -> tuple[RawResource, ...]:
        """What came in, newest first, one page; `before`: time and id of the last one of the page before."""
        return await self._parts.resources.page(
            self.principal, content_type=content_type, source_id=source_id, before=before, limit=limit
        )

    async def read_resource(self, resource_id: UUID) -> bytes:
        """The bytes of a resource, verified. Raises NotFound, DamagedFile."""
        return (await self.resource_content(resource_id)).content

    async def resource_content(self, resource_id: UUID) -> ResourceContent:
        """The same with the name and media type of its file."""
        async with self._noting("resource", resource_id):
            return await self._parts.resources.content(self.principal, resource_id)
