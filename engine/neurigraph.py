"""The engine as its callers hold it: users, a memory for each, health, and the care of the stores."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from uuid import UUID

from engine.access.integrations import Integrations
from engine.access.tokens import Tokens
from engine.asking import Parts
from engine.domain.history import History
from engine.domain.ingest import PLAIN, Failure, Terms
from engine.domain.node import User
from engine.domain.page import check_page
from engine.domain.principal import Principal
from engine.domain.record import IngestReport
from engine.domain.scope import INGESTED, Origin
from engine.errors import Conflict, NeurigraphError, NotFound, StoreTimeout
from engine.hierarchy.outbox import Outbox
from engine.hierarchy.upgrades import Upgrades
from engine.ingest.failures import FailureLog
from engine.jobs.jobs import Jobs
from engine.lifecycle.doctor import Doctor
from engine.lifecycle.dormancy import Dormancy
from engine.lifecycle.embedding_versions import EmbeddingVersions
from engine.lifecycle.file_states import FileStates
from engine.lifecycle.installation.installation import Installation
from engine.lifecycle.mending.mend import Mending
from engine.lifecycle.node_states import NodeStates
from engine.lifecycle.pending_vectors import PendingVectors
from engine.lifecycle.quarantine import Quarantine
from engine.lifecycle.retention import Retention
from engine.lifecycle.sweep import Sweep
from engine.memory import Memory
from engine.progress import Progress
from engine.providers.active import ActiveModel
from engine.providers.embedder import Embedder
from engine.settings import Settings
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

CHECK_TIMEOUT = 5.0


@dataclass(frozen=True, slots=True)
class StoreHealth:
    """Whether a store answers; `detail` is empty when it does."""

    store: str
    healthy: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Engine:
    """Opened by `open_engine`; closes with it."""

    settings: Settings
    parts: Parts
    outbox: Outbox
    postgres: Postgres
    neo4j: Neo4j
    objects: ObjectStore
    active: ActiveModel
    installation: Installation
    quarantine: Quarantine
    mending: Mending
    doctor: Doctor
    sweep: Sweep
    dormancy: Dormancy
    states: FileStates
    nodes: NodeStates
    retention: Retention
    jobs: Jobs
    tokens: Tokens
    integrations: Integrations
    upgrades: Upgrades
    embeddings: EmbeddingVersions
    pending: PendingVectors

    @property
    def embedder(self) -> Embedder:
        """The embedder of the active version."""
        return self.active.current.embedder

    async def create_user(self, handle: str, display_name: str = "") -> User:
        """The user with this handle in the configured workspace, created with a root node when there is none."""
        return await self.parts.provisioning.user(self.settings.workspace, handle, display_name)

    async def find_user(self, handle: str) -> User:
        """The user with this handle; raises NotFound."""
        parameters = {"workspace": self.settings.workspace, "handle": handle}
        async with self.postgres.as_service() as connection:
            cursor = await connection.execute(sql_text("user_by_handle"), parameters)
            row = await cursor.fetchone()
        if row is None:
            raise NotFound
        return User(row["user_id"], row["handle"], row["display_name"], created=False)

    async def users(self, *, after: str = "", limit: int = 100) -> list[User]:
        """Users of the workspace by handle, one page."""
        check_page(limit)
        parameters = {"workspace": self.settings.workspace, "after": after, "limit": limit}
        async with self.postgres.as_service() as connection:
            cursor = await connection.execute(sql_text("users_list"), parameters)
            rows = await cursor.fetchall()
        return [User(row["user_id"], row["handle"], row["display_name"], created=False) for row in rows]

    def memory(self, user_id: UUID) -> Memory:
        """The memory of a user, acting as that user."""
        return self.memory_as(Principal.user(user_id))

    def memory_as(self, principal: Principal) -> Memory:
        """The memory of a user as a principal may see it: the user, a persona, an integration."""
        return Memory(principal, self.parts)

    async def ingest(
        self, history: History, progress: Progress | None = None, origin: Origin = INGESTED, terms: Terms = PLAIN
    ) -> IngestReport:
        """Stores a history for the user that it names, created when there is none; `origin` where the history names none."""
        user = await self.create_user(history.handle, history.display_name)
        memory = self.memory(user.user_id).on_terms(terms)
        return await memory.within(origin.scope, source=origin.source).ingest(history, progress)

    @property
    def failures(self) -> FailureLog:
        """What failed for good; without a principal, what of the jobs."""
        return self.parts.ingest.failures

    async def replay_job(self, failure_id: UUID) -> Failure:
        """Asks for a run of the job that failed; its entry is settled when one succeeds.

        Raises NotFound, Conflict where it was dismissed, StoreUnavailable.
        """
        failure = await self.failures.failure(None, failure_id)
        if failure.state == "dismissed":
            raise Conflict("It was dismissed.")
        if failure.state == "open":
            await self.jobs.ask(failure.subject)
        return failure

    def working(self, *, only: str | None = None) -> AbstractAsyncContextManager[None]:
        """While this lasts, background jobs are carried out in this process; `only` asked-for runs of one job, if given.

        Raises NotFound for a name that no job has.
        """
        return self.jobs.working(self, only=only)

    async def health(self) -> tuple[StoreHealth, ...]:
        """Asks every store for a sign of life, all at once, each for at most five seconds."""
        return tuple(
            await asyncio.gather(
                _checked("postgres", self._check_postgres()),
                _checked("neo4j", self.neo4j.read(cypher("schema/ping"))),
                _checked("objects", self.objects.check()),
            )
        )

    async def _check_postgres(self) -> None:
        async with self.postgres.as_service() as connection:
            await connection.execute(sql_text("ping"))


async def _checked(store: str, check: Awaitable[object]) -> StoreHealth:
    try:
        async with asyncio.timeout(CHECK_TIMEOUT):
            await check
    except NeurigraphError as error:
        return StoreHealth(store, False, error.detail)
    except TimeoutError:
        return StoreHealth(store, False, StoreTimeout(store).detail)
    return StoreHealth(store, True)
