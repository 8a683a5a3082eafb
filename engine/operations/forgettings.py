"""What is forgotten for good."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from engine.domain.forgetting import Forgetting, ForgettingPreview, ForgettingSubject, ReceiptCheck
from engine.errors import InvalidInput
from engine.forgetting.erasure import Erasure
from engine.operations import redactions
from engine.operations.caller import Part, owner
from engine.operations.declaring import OfGraph, reads, writes
from engine.operations.keeper import WITHIN_S

USERS = "A user is forgotten by the operator or an administrator: `users.forget`."

BY_RULE = "What a rule of retention takes goes by itself: `retention preview` shows it."


class Forgettings(OfGraph, name="forgettings"):
    """Erases what was stored, in all stores, and says so in a signed receipt. For the user of the graph alone. What is only
    withdrawn can be brought back; what is forgotten cannot."""

    _erasure = Part(Erasure)

    @reads(owner)
    async def preview(self, subject: ForgettingSubject, *, limit: int = 100) -> ForgettingPreview:
        """What a forgetting would erase, and what would end or hold again: nothing is written. Lists hold `limit` entries at
        most; they are empty for a node. Raises NotFound, InvalidInput, Conflict."""
        named = _named(redactions.subject(subject, self.caller.redactor, None))
        return await self._erasure.preview(self._principal.user_id, named, limit=limit)

    @writes(owner, redacts={"subject": redactions.subject, "reason": redactions.note}, spends=True)
    async def forget(self, subject: ForgettingSubject, reason: str = "") -> Forgetting:
        """Forgets a record, a document or a source with all its versions, a fact, or a node with all below it; within 20 seconds,
        then a job goes on. The same call goes on with one that was interrupted. Its receipt is there once it is done, some
        minutes later: writers that began before are waited for. Raises NotFound, InvalidInput for the root of a user, Conflict
        for a persona that stored records elsewhere, OnHold for what a legal hold keeps."""
        user_id, author = self._principal.user_id, self._principal.name
        return await self._erasure.forget(user_id, _named(subject), reason, author, within_s=WITHIN_S)

    @reads(owner)
    async def get(self, forgetting_id: UUID) -> Forgetting:
        """One forgetting. Raises NotFound."""
        return await self._erasure.forgettings.get(forgetting_id, self._principal.user_id)

    @reads(owner)
    async def list(self, *, before: int | None = None, limit: int = 100) -> tuple[Forgetting, ...]:
        """Forgettings, newest first, one page; `before` is the `number` of the last one of the page before. Raises
        InvalidInput."""
        return await self._erasure.forgettings.page(self._principal.user_id, before=before, limit=limit)

    @reads(owner)
    async def receipt(self, forgetting_id: UUID) -> Mapping[str, Any]:
        """The signed receipt of a forgetting that is over. Raises NotFound, also before there is one."""
        return await self._erasure.forgettings.receipt(forgetting_id, self._principal.user_id)

    @reads(owner, limited=False)
    async def verify(self, receipt: Mapping[str, Any]) -> ReceiptCheck:
        """Whether a receipt of this user is signed as it is, and what is found by it in all stores now: it looks through all of
        them. Raises NotFound for a receipt of another user, ReceiptChanged, ReceiptUnreadable, ReceiptKeyUnusable."""
        return await self._erasure.end.verify(receipt, self._principal.user_id)


def _named(subject: ForgettingSubject) -> ForgettingSubject:
    if subject.kind == "user":
        raise InvalidInput(USERS)
    if subject.kind == "retention":
        raise InvalidInput(BY_RULE)
    return subject
