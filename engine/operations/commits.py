"""Commits that were accepted, but failed and were set aside: those of a graph, and those of the workspace."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from engine.commit.set_aside import SetAside
from engine.domain.commit import CommitOutcome, CommitSummary
from engine.operations import redactions
from engine.operations.caller import owner
from engine.operations.declaring import OfGraph, OfWorkspace, reads, writes
from engine.operations.keeper import administrators
from engine.operations.parts import Part


class Commits(OfGraph, name="commits"):
    """Commits of the own graph; for its user alone. See `engine.commit.set_aside`."""

    _set_aside = Part(SetAside)

    @reads(owner)
    async def list(
        self, *, after: UUID | None = None, behind: tuple[datetime, UUID] | None = None, limit: int = 100
    ) -> tuple[CommitSummary, ...]:
        """Oldest first, one page: after a commit that is still set aside, or after a time and an id."""
        return await self._set_aside.list(self._principal.user_id, after=after, behind=behind, limit=limit)

    @writes(owner)
    async def retry(self, commit_id: UUID) -> CommitOutcome:
        """Retries a commit now; if it fails again, recovery goes on retrying. Raises NotFound."""
        return await self._set_aside.retry(commit_id, self._principal.name, self._principal.user_id)

    @writes(owner, redacts={"reason": redactions.note})
    async def discard(self, commit_id: UUID, reason: str = "") -> CommitOutcome:
        """Undoes a commit. Raises NotFound, Conflict for a revocation."""
        return await self._set_aside.discard(commit_id, self._principal.name, reason, self._principal.user_id)


class AllCommits(OfWorkspace, name="workspace.commits"):
    """Commits of all users of the workspace."""

    @reads(administrators)
    async def list(
        self, *, after: UUID | None = None, behind: tuple[datetime, UUID] | None = None, limit: int = 100
    ) -> tuple[CommitSummary, ...]:
        """As those of a graph. Only the operator sees what they write."""
        found = await self._services.commits.list(after=after, behind=behind, limit=limit)
        operator = self._identity.kind == "operator"
        return found if operator else tuple(replace(one, subject=None) for one in found)

    @writes(administrators)
    async def retry(self, commit_id: UUID) -> CommitOutcome:
        """Retries a commit of any user now. Raises NotFound."""
        return await self._services.commits.retry(commit_id, self._identity.kind)

    @writes(administrators, redacts={"reason": redactions.note})
    async def discard(self, commit_id: UUID, reason: str = "") -> CommitOutcome:
        """Undoes a commit of any user. Raises NotFound, Conflict for a revocation."""
        return await self._services.commits.discard(commit_id, self._identity.kind, reason)
