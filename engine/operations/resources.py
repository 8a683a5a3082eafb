"""The raw inputs of a memory: immutable, as they were received."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from engine.domain.resource import RawResource, ResourceContent, ResourceType
from engine.lifecycle.resources import RawResources
from engine.operations.caller import owner
from engine.operations.declaring import OfGraph, reads
from engine.operations.parts import Part


class Resources(OfGraph, name="resources"):
    """Everything that was stored, as it was received; for the user of the graph alone."""

    _resources = Part(RawResources)

    @reads(owner)
    async def list(
        self,
        *,
        content_type: ResourceType | None = None,
        source_id: str | None = None,
        before: tuple[datetime, UUID] | None = None,
        limit: int = 100,
    ) -> tuple[RawResource, ...]:
        """What came in, newest first, one page; `before`: time and id of the last one of the page before."""
        return await self._resources.page(
            self._principal, content_type=content_type, source_id=source_id, before=before, limit=limit
        )

    @reads(owner, at="resource_id", refusal="resource", limited=False)
    async def content(self, resource_id: UUID) -> ResourceContent:
        """The bytes of a resource, verified, with the name and media type of its file. Raises NotFound, DamagedFile."""
        return await self._resources.content(self._principal, resource_id)
