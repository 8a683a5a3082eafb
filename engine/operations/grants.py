"""Grants of a graph, who could see a node, and the access log."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from engine.access.access_log import AccessLog
from engine.access.grants import GraphGrants
from engine.domain.grant import (
    LITTLE_CONFIDENCE,
    AccessEntry,
    GivenGrant,
    Grant,
    GrantPreview,
    NewGrant,
    RevokedGrant,
    Viewer,
)
from engine.operations import redactions
from engine.operations.caller import Part, owner
from engine.operations.declaring import OfGraph, reads, writes


class Grants(OfGraph, name="grants"):
    """Rights of personas and integrations on single nodes; for the user of the graph alone. See `engine.access.grants`."""

    _grants = Part(GraphGrants)
    _log = Part(AccessLog)

    @writes(owner, redacts={"new": redactions.grant}, once=True)
    async def give(self, new: NewGrant) -> GivenGrant:
        """Creates a grant, or returns an equal one. Raises NotFound (node, subject), InvalidInput, StoreUnavailable."""
        return await self._grants.give(self._principal, new, self.caller.own_id(new))

    @reads(owner)
    async def preview(self, node_id: UUID, *, depth: int = 0, below: float = LITTLE_CONFIDENCE) -> GrantPreview:
        """What a grant on the node would open. Raises NotFound, InvalidInput."""
        return await self._grants.preview(self._principal, node_id, depth=depth, below=below)

    @writes(owner)
    async def revoke(self, grant_id: UUID) -> RevokedGrant:
        """Revokes a grant, in force when this returns. Raises NotFound."""
        return RevokedGrant(grant_id, await self._grants.revoke(self._principal, grant_id))

    @reads(owner)
    async def list(
        self, *, node_id: UUID | None = None, ended: bool = False, after: UUID | None = None, limit: int = 100
    ) -> tuple[Grant, ...]:
        """Grants by id, of one node if asked, with those that ended if asked; one page."""
        return await self._grants.listing(self._principal, node_id=node_id, ended=ended, after=after, limit=limit)

    @reads(owner)
    async def audience(self, node_id: UUID, at: datetime | None = None) -> tuple[Viewer, ...]:
        """The principals that could see the node at that time (None: now). Raises NotFound."""
        return await self._grants.audience(self._principal, node_id, at)

    @reads(owner)
    async def log(self, *, before: int | None = None, limit: int = 100) -> tuple[AccessEntry, ...]:
        """The access log, newest first, one page; `before` is the last entry_id of the page before."""
        return await self._log.page(self._principal, before=before, limit=limit)
