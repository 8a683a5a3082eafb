"""Permanent failures of a memory: retried, or dismissed; and commits that were accepted, but failed and were set aside: those
of a graph, and those of the workspace.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from engine.commit.set_aside import SetAside
from engine.derive.reading import Readings
from engine.domain.commit import CommitOutcome, CommitSummary
from engine.domain.ingest import Failure, FailureState
from engine.domain.record import AssignableNode
from engine.domain.report import STORED_ALREADY
from engine.errors import Conflict, NeurigraphError, NotFound
from engine.hierarchy.provisioning import Provisioning
from engine.ingest.documents import read_document, referred
from engine.ingest.pipeline import Ingest
from engine.ingest.sessions import FailureLog
from engine.ingest.sources import Pending
from engine.operations import redactions
from engine.operations.caller import Part, owner
from engine.operations.declaring import OfGraph, OfWorkspace, reads, writes
from engine.operations.keeper import administrators
from engine.progress import Silent


class Failures(OfGraph, name="failures"):
    """The failures of the own graph; for its user alone."""

    _failures = Part(FailureLog)
    _ingest = Part(Ingest)
    _provisioning = Part(Provisioning)
    _readings = Part(Readings)

    @reads(owner)
    async def list(
        self, *, state: FailureState | None = "open", before: UUID | None = None, limit: int = 100
    ) -> tuple[Failure, ...]:
        """Permanent failures, newest first, one page; `state` None: settled ones, too."""
        return await self._failures.page(self._principal, state=state, before=before, limit=limit)

    @writes(owner, redacts={"text": redactions.note})
    async def dismiss(self, failure_id: UUID, text: str = "") -> Failure:
        """Settles a failure that does not matter. Raises NotFound, Conflict where it was replayed, InvalidInput."""
        return await self._failures.settle(self._principal, failure_id, "dismissed", text)

    @writes(owner, spends=True)
    async def replay(self, failure_id: UUID) -> Failure:
        """Retries what failed; returns the failure as it is then.

        A source is read again from its file and stored; it is done where that is stored now, or was already. A record that no
        model could read is to be read once more. Raises NotFound, Archived where its node takes no writes, Conflict where it was
        dismissed, or where the source came without a file and has to be sent again. Raises what reading and storing raise,
        Conflict where the source is skipped: the failure stays open, with that as its cause.
        """
        failures, principal = self._failures, self._principal
        failure = await failures.failure(principal, failure_id)
        if failure.state == "replayed":
            return failure
        if failure.state == "dismissed":
            raise Conflict("It was dismissed.")
        if failure.stage == "reading":
            record, node = UUID(failure.reference["record_id"]), UUID(failure.reference["node_id"])
            await self._readings.again(principal, record, node)
            return await failures.settle(principal, failure_id, "replayed")
        if "path" not in failure.reference:
            raise Conflict(
                "Its content is not kept: send the same source again; once it is stored, this failure counts as replayed."
            )
        try:
            await self._stored_again(failure)
        except NeurigraphError as error:
            await failures.again(principal, failure, error)
            raise
        return await failures.settle(principal, failure_id, "replayed")

    async def _stored_again(self, failure: Failure) -> None:
        file, origin = referred(failure.subject.removeprefix("file:"), failure.reference)
        document = await read_document(file, max_text_bytes=self.caller.parts.max_text_bytes)
        pending = Pending(document, await self._where(failure.reference["node_id"]), file.privacy, origin)
        done = await self._ingest.store(self._principal, [pending], Silent())
        for one in done.skipped:
            if one.reason != STORED_ALREADY:
                raise Conflict(one.reason)

    async def _where(self, node_id: str) -> AssignableNode | None:
        """The node that a source was given by hand, if any. Raises NotFound, Archived."""
        if not node_id:
            return None
        principal = self._principal
        if node := await self._ingest.node(principal, UUID(node_id)):
            return node
        await self._provisioning.require_unarchived(principal, UUID(node_id))
        raise NotFound


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
