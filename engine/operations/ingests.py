"""Ingest sessions to read, and failures to replay or to dismiss."""

from __future__ import annotations

from uuid import UUID

from engine.domain.ingest import Failure, FailureState, IngestedSource, IngestSession
from engine.domain.record import STORED_ALREADY, AssignableNode
from engine.errors import Conflict, NeurigraphError, NotFound
from engine.ingest.documents import read_document, referred
from engine.ingest.sources import Pending
from engine.operations.asking import Asking
from engine.progress import Silent


class Ingesting(Asking):
    """Sessions and failures of the own graph: for its user alone; other principals find none."""

    async def ingest_sessions(
        self, *, key: str | None = None, before: UUID | None = None, limit: int = 50
    ) -> tuple[IngestSession, ...]:
        """Sessions, newest first, one page; with `key` the one that was started with it."""
        return await self._parts.ingest.sessions.page(self.principal, key=key, before=before, limit=limit)

    async def ingest_session(self, session_id: UUID) -> IngestSession:
        """One session as it stands. Raises NotFound."""
        return await self._parts.ingest.sessions.session(self.principal, session_id)

    async def ingested_sources(
        self, session_id: UUID, *, after: int = 0, limit: int = 100
    ) -> tuple[IngestedSource, ...]:
        """The outcome of each source of a session: hash, ids, reasons; one page. Raises NotFound."""
        return await self._parts.ingest.sessions.sources(self.principal, session_id, after=after, limit=limit)

    async def failures(
        self, *, state: FailureState | None = "open", before: UUID | None = None, limit: int = 100
    ) -> tuple[Failure, ...]:
        """Permanent failures, newest first, one page; `state` None: settled ones, too."""
        return await self._parts.ingest.failures.page(self.principal, state=state, before=before, limit=limit)

    async def dismiss(self, failure_id: UUID, note: str = "") -> Failure:
        """Settles a failure that does not matter. Raises NotFound, Conflict where it was replayed, InvalidInput."""
        return await self._parts.ingest.failures.settle(self.principal, failure_id, "dismissed", note)

    async def replay(self, failure_id: UUID) -> Failure:
        """Retries what failed; returns the failure as it is then.

        A source is read again from its file and stored; it is done where that is stored now, or was already. A record that no
        model could read is to be read once more. Raises NotFound, Archived where its node takes no writes, Conflict where it was
        dismissed, or where the source came without a file and has to be sent again. Raises what reading and storing raise,
        Conflict where the source is skipped: the failure stays open, with that as its cause.
        """
        failure = await self._parts.ingest.failures.failure(self.principal, failure_id)
        if failure.state == "replayed":
            return failure
        if failure.state == "dismissed":
            raise Conflict("It was dismissed.")
        if failure.stage == "reading":
            record, node = UUID(failure.reference["record_id"]), UUID(failure.reference["node_id"])
            await self._parts.readings.again(self.principal, record, node)
            return await self._parts.ingest.failures.settle(self.principal, failure_id, "replayed")
        if "path" not in failure.reference:
            raise Conflict(
                "Its content is not kept: send the same source again; once it is stored, this failure counts as replayed."
            )
        failures = self._parts.ingest.failures
        try:
            await self._stored_again(failure)
        except NeurigraphError as error:
            await failures.again(self.principal, failure, error)
            raise
        return await failures.settle(self.principal, failure_id, "replayed")

    async def _stored_again(self, failure: Failure) -> None:
        file, origin = referred(failure.subject.removeprefix("file:"), failure.reference)
        document = await read_document(file, max_text_bytes=self._parts.max_text_bytes)
        pending = Pending(document, await self._where(failure.reference["node_id"]), file.privacy, origin)
        done = await self._parts.ingest.store(self.principal, [pending], Silent())
        for one in done.skipped:
            if one.reason != STORED_ALREADY:
                raise Conflict(one.reason)

    async def _where(self, node_id: str) -> AssignableNode | None:
        """The node that a source was given by hand, if any. Raises NotFound, Archived."""
        if not node_id:
            return None
        for node in await self._parts.ingest.nodes(self.principal):
            if str(node.node_id) == node_id:
                return node
        await self._parts.provisioning.require_unarchived(self.principal, UUID(node_id))
        raise NotFound
