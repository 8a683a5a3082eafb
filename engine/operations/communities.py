"""Communities of entities, clusters of facts, and insights over both."""

from __future__ import annotations

from uuid import UUID

from engine.communities.reads import CommunityReads
from engine.domain.community import Community, CommunityOf, CommunityView, Insight, InsightKind
from engine.operations.caller import owner
from engine.operations.declaring import OfGraph, reads
from engine.operations.parts import Part


class Communities(OfGraph, name="communities"):
    """What belongs together, as a job found it; for the user of the graph alone."""

    _communities = Part(CommunityReads)

    @reads(owner)
    async def list(self, of: CommunityOf = "entities", *, limit: int = 100) -> tuple[Community, ...]:
        """The largest communities of entities, or clusters of facts, as they hold now."""
        return await self._communities.page(self._principal, of, limit=limit)

    @reads(owner)
    async def get(self, community_id: UUID) -> CommunityView:
        """A community or a cluster with its members. Raises NotFound."""
        return await self._communities.view(self._principal, community_id)


class Insights(OfGraph, name="insights"):
    """What is seen over many facts, relations and records; for the user of the graph alone."""

    _communities = Part(CommunityReads)

    @reads(owner)
    async def list(
        self, kind: InsightKind | None = None, *, ended: bool = False, limit: int = 100
    ) -> tuple[Insight, ...]:
        """Insights, those found last first; `ended`: also those that a build found no more. One whose support has gone is left
        out."""
        return await self._communities.insights(self._principal, kind, ended=ended, limit=limit)
