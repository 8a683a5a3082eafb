"""How long what is stored is kept: rules of retention, for a user and for all users of a workspace; legal holds."""

from __future__ import annotations

from uuid import UUID

from engine.domain.principal import Identity
from engine.domain.retention import Hold, HoldSubject, NewRetentionRule, RetentionPreview, RetentionRule
from engine.forgetting.retention import RetentionRules
from engine.operations import redactions
from engine.operations.caller import Part, owner
from engine.operations.declaring import OfGraph, OfWorkspace, reads, writes
from engine.operations.keeper import administrators


class RecordRetention(OfGraph, name="retention"):
    """What is forgotten by itself once it is old enough. For the user of the graph alone. Rules for all users are shown, too; the
    operator and administrators set them: `workspace.retention`."""

    _rules = Part(RetentionRules)

    @writes(owner, redacts={"new": redactions.retention_rule})
    async def set(self, new: NewRetentionRule) -> RetentionRule:
        """Sets a rule; a job forgets what it takes, each hour. Raises NotFound for a node that is not the user's, InvalidInput
        where it takes all records that there are, or names nothing but an age, and does not say `everything`."""
        return await self._rules.set(self._principal.user_id, new, self._principal.name)

    @reads(owner)
    async def list(self, *, after: int = 0, limit: int = 100) -> tuple[RetentionRule, ...]:
        """Rules, the oldest first, one page; `after` is the `number` of the last one of the page before. Raises InvalidInput."""
        return await self._rules.page(self._principal.user_id, after=after, limit=limit)

    @writes(owner)
    async def remove(self, rule_id: UUID) -> RetentionRule:
        """Removes a rule; returns what it was. What it has forgotten does not come back. Raises NotFound, also for a rule for all
        users."""
        return await self._rules.remove(self._principal.user_id, rule_id)

    @reads(owner)
    async def preview(self, new: NewRetentionRule | None = None, *, limit: int = 20) -> tuple[RetentionPreview, ...]:
        """What a rule would take now; without one, what each rule that is set takes and what has expired: counts, and the first
        records of each, `limit` at most. Nothing is written. Raises InvalidInput."""
        new = redactions.retention_rule(new, self.caller.redactor, None) if new else None
        return tuple(await self._rules.preview(self._principal.user_id, new, limit=limit))


class WorkspaceRetention(OfWorkspace, name="workspace.retention"):
    """Rules for all users of the workspace. What they take of a user the user sees: `retention.preview`."""

    @writes(administrators, redacts={"new": redactions.retention_rule})
    async def set(self, new: NewRetentionRule) -> RetentionRule:
        """Sets a rule for every user of the workspace, also for those who come later. Raises InvalidInput."""
        return await self._services.rules.set(None, new, _author(self._identity))

    @reads(administrators)
    async def list(self, *, after: int = 0, limit: int = 100) -> tuple[RetentionRule, ...]:
        """Rules for all users, the oldest first, one page; `after` is the `number` of the last one of the page before. Raises
        InvalidInput."""
        return await self._services.rules.page(None, after=after, limit=limit)

    @writes(administrators)
    async def remove(self, rule_id: UUID) -> RetentionRule:
        """Removes a rule for all users; returns what it was. Raises NotFound."""
        return await self._services.rules.remove(None, rule_id)


class Holds(OfWorkspace, name="workspace.holds"):
    """Legal holds: what one names cannot be erased, by a rule or by a forgetting, until it is released."""

    @writes(administrators, redacts={"subject": redactions.subject, "reason": redactions.note})
    async def set(self, user_id: UUID, subject: HoldSubject, reason: str) -> Hold:
        """Holds a user with everything, a node with what lies below, a source or a record; the hold that is in force where there
        is one on the same. Raises NotFound, InvalidInput without a reason, Conflict for what is being forgotten."""
        user = await self._services.users.get(user_id)
        return await self._services.holds.set(user.user_id, subject, reason, _author(self._identity))

    @reads(administrators)
    async def list(
        self, *, user_id: UUID | None = None, released: bool = False, before: int | None = None, limit: int = 100
    ) -> tuple[Hold, ...]:
        """Holds, of one user or of all, newest first, one page; `released`: also those that are over. `before` is the `number` of
        the last one of the page before. Raises InvalidInput."""
        return await self._services.holds.page(user_id, released=released, before=before, limit=limit)

    @writes(administrators, redacts={"reason": redactions.note})
    async def release(self, hold_id: UUID, reason: str) -> Hold:
        """Releases a hold; what it named is gone from it then. Repeating it changes nothing. Raises NotFound, InvalidInput
        without a reason."""
        return await self._services.holds.release(hold_id, reason, _author(self._identity))


def _author(who: Identity) -> str:
    return f"{who.kind}:{who.principal_id}" if who.principal_id else who.kind
