"""Who calls an operation of the workspace: the operator, an administrator, or another identity."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from engine.domain.ingest import PLAIN, Terms
from engine.domain.principal import Identity
from engine.privacy.redact import Redactor
from engine.stores.limits import ending_within

if TYPE_CHECKING:
    from engine.access.principals import WorkspaceIntegrations, WorkspaceTokens, WorkspaceUsers
    from engine.commit.set_aside import SetAside
    from engine.forgetting.erasure import Erasure
    from engine.forgetting.holds import LegalHolds
    from engine.forgetting.retention import RetentionRules
    from engine.ingest.sessions import FailureLog
    from engine.jobs.jobs import JobCatalogue
    from engine.lifecycle.embedding_versions import EmbeddingVersions

WITHIN_S = 20.0
"""Seconds that a call takes a forgetting further; the job goes on with it."""


@dataclass(frozen=True, slots=True)
class Services:
    """The parts that operations of the workspace use; put together in `engine.wiring`. No door and no caller has them."""

    users: WorkspaceUsers
    tokens: WorkspaceTokens
    integrations: WorkspaceIntegrations
    jobs: JobCatalogue
    failures: FailureLog
    commits: SetAside
    embeddings: EmbeddingVersions
    erasure: Erasure
    holds: LegalHolds
    rules: RetentionRules
    redactor: Redactor
    limit: float
    """Seconds that a read may take in all."""


@dataclass(frozen=True, slots=True)
class Keeper:
    """An identity of the workspace. It has no memory of its own, so nothing is noted in one, and no request is kept."""

    identity: Identity
    services: Services

    key: None = None
    terms: Terms = PLAIN
    counts: Counter[str] | None = None

    @property
    def redactor(self) -> Redactor:
        return self.services.redactor

    @asynccontextmanager
    async def around(self, refusal: str, node_id: UUID | None, *, limited: bool) -> AsyncIterator[None]:
        """A limit of time for all calls to the stores inside, if `limited`. Refusals are not noted: they have no graph."""
        with ending_within(self.services.limit) if limited else nullcontext():
            yield

    async def require_known(self) -> None:
        """An empty answer is an answer."""


async def administrators(keeper: Keeper) -> bool:
    """The operator and the administrators of the workspace."""
    return keeper.identity.administers


async def identities(_: Keeper) -> bool:
    """Every identity of the workspace."""
    return True
