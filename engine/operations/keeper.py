"""Who calls an operation of the workspace: the operator, an administrator, or another identity."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from engine.access.integrations import Integrations
from engine.access.tokens import Tokens
from engine.access.users import Users
from engine.commit.set_aside import SetAside
from engine.domain.identity import Identity
from engine.ingest.failures import FailureLog
from engine.jobs.jobs import Jobs
from engine.lifecycle.embedding_versions import EmbeddingVersions
from engine.privacy.redact import Redactor


@dataclass(frozen=True, slots=True)
class Services:
    """The parts that operations of the workspace use."""

    users: Users
    tokens: Tokens
    integrations: Integrations
    jobs: Jobs
    failures: FailureLog
    commits: SetAside
    embeddings: EmbeddingVersions
    redactor: Redactor


@dataclass(frozen=True, slots=True)
class Keeper:
    """An identity of the workspace. It has no memory of its own, so nothing is noted in one, and no request is kept."""

    identity: Identity
    services: Services

    key: None = None
    counts: Counter[str] | None = None

    @property
    def redactor(self) -> Redactor:
        """Redaction of everything that is stored."""
        return self.services.redactor

    @asynccontextmanager
    async def around(self, refusal: str, node_id: UUID | None, *, limited: bool) -> AsyncIterator[None]:
        """Nothing goes on around."""
        yield

    async def require_known(self) -> None:
        """An empty answer is an answer."""


async def administrators(keeper: Keeper) -> bool:
    """The operator and the administrators of the workspace."""
    return keeper.identity.administers


async def identities(_: Keeper) -> bool:
    """Every identity of the workspace."""
    return True
