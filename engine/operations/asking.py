"""The base of operations: the principal, the parts that it uses, and how a refusal is answered and logged."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from uuid import UUID

from engine.access.grants import Grants
from engine.access.idempotency import Idempotency
from engine.domain.clock import Clock
from engine.domain.principal import Principal
from engine.errors import NotFound, StoreDamaged
from engine.hierarchy.provisioning import Provisioning
from engine.hierarchy.shells import Shells
from engine.history.changes import Changes
from engine.history.documents import Documents
from engine.history.events import EventLog
from engine.history.reading import Past
from engine.history.relations import RelationHistory
from engine.ingest.assignment.decisions import Assignments
from engine.ingest.pipeline import Ingest
from engine.ingest.proposal.proposals import Proposals
from engine.ingest.rereading.readings import Readings
from engine.ingest.rereading.replays import Replays
from engine.ingest.streams.streaming import Streams
from engine.lifecycle.dormancy import Dormancy
from engine.lifecycle.file_log import FileLog
from engine.lifecycle.moving import Moving
from engine.lifecycle.rehydrate import Rehydration
from engine.lifecycle.resources import RawResources
from engine.privacy.redact import Redactor
from engine.retrieval.pipeline import Search
from engine.retrieval.touches import Touches
from engine.stores.deadline import ending_within

REFUSAL_S = 0.05
"""A refusal is answered after this time, or a multiple of it; unpadded, denied and missing differ by some 0.1 ms."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that a memory uses; put together in `engine.wiring`."""

    provisioning: Provisioning
    shells: Shells
    ingest: Ingest
    streams: Streams
    search: Search
    touches: Touches
    changes: Changes
    past: Past
    relations: RelationHistory
    documents: Documents
    resources: RawResources
    readings: Readings
    replays: Replays
    events: EventLog
    assignments: Assignments
    moving: Moving
    proposals: Proposals
    rehydration: Rehydration
    dormancy: Dormancy
    file_log: FileLog
    idempotency: Idempotency
    grants: Grants
    max_text_bytes: int
    clock: Clock
    redactor: Redactor
    limit: float
    """Seconds that a read may take in all."""


class Asking:
    """A principal and its parts. Errors are those of `engine.errors`; missing and forbidden look the same."""

    def __init__(self, principal: Principal, parts: Parts) -> None:
        self.principal = principal
        self._parts = parts

    # who asks --------------------------------------------------------------------------------------------

    async def require(self) -> None:
        """Raises NotFound unless the graph is the principal's: a user's own, or that of a persona's owner."""
        await self._parts.shells.schema_of(self.principal, self.principal.principal_id)

    @asynccontextmanager
    async def _noting(self, operation: str, node_id: UUID) -> AsyncIterator[None]:
        """Logs a refusal and answers it after a multiple of REFUSAL_S: its time must not reveal whether a policy was
        checked. An error of a damaged store names the node."""
        started = monotonic()
        try:
            async with self._naming(node_id):
                yield
        except NotFound:
            await self._parts.grants.refused(self.principal, node_id, operation)
            await asyncio.sleep(REFUSAL_S - (monotonic() - started) % REFUSAL_S)
            raise

    @asynccontextmanager
    async def _reading(self, operation: str, node_id: UUID) -> AsyncIterator[None]:
        """As `_noting`; all calls to the stores inside share the timeout of one."""
        with ending_within(self._parts.limit):
            async with self._noting(operation, node_id):
                yield

    @asynccontextmanager
    async def _naming(self, node_id: UUID | None) -> AsyncIterator[None]:
        """Within this, an error of a damaged store names the damaged node."""
        try:
            yield
        except StoreDamaged as error:
            raise StoreDamaged(error.store, await self._damaged(node_id)) from error

    async def _damaged(self, node_id: UUID | None) -> UUID | None:
        """The damaged node of an operation: that one, or the first of the graph; None where it is no node's damage."""
        damage = self._parts.search.damage
        found = await damage.found(self.principal, [node_id], rows=True) if node_id else ()
        found = found or await damage.found(self.principal, None)
        return found[0].node_id if found else None

    @property
    def grants(self) -> Grants:
        """The grants of this graph, and their log."""
        return self._parts.grants
