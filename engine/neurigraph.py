"""The engine: users, a memory for each, health, and the upkeep of the stores."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from engine.access.integrations import Integrations
from engine.access.tokens import Tokens
from engine.commit.outbox import Outbox
from engine.commit.set_aside import SetAside
from engine.domain.history import History
from engine.domain.ingest import PLAIN, Failure, Terms
from engine.domain.node import User
from engine.domain.page import check_page
from engine.domain.principal import Principal
from engine.domain.record import IngestReport
from engine.domain.scope import INGESTED, Origin
from engine.errors import Conflict, NeurigraphError, NotFound, StoreTimeout, StoreUnavailable
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
from engine.lifecycle.remedies import Remedies
from engine.lifecycle.retention import Retention
from engine.lifecycle.sweep import Sweep
from engine.memory import Memory
from engine.operations.asking import Parts
from engine.progress import Progress
from engine.providers.active import ActiveModel
from engine.providers.embedder import Embedder
from engine.settings import Settings
from engine.stores.deadline import ending_within
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

CHECK_TIMEOUT = 2.0
"""Timeout of a store's health check, in seconds."""


@dataclass(frozen=True, slots=True)
class StoreHealth:
    """Whether a store answers; `detail` is empty when it does."""

    store: str
    healthy: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Degraded:
    """How many nodes are known to be damaged, how many commits are set aside. Empty is false."""

    damaged_nodes: int
    commits_set_aside: int

    def __bool__(self) -> bool:
        return bool(self.damaged_nodes or self.commits_set_aside)


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
        user = await self.parts.provisioning.user(self.settings.workspace, handle, display_name)
        return user if user.created else await self.find_user(user.handle)

    async def find_user(self, handle: str) -> User:
        """The user with this handle; raises NotFound."""
        return await self._found("user/by_handle", {"handle": handle})

    async def user(self, user_id: UUID) -> User:
        """The user of this id; raises NotFound."""
        return await self._found("user/by_id", {"user_id": user_id})

    async def _found(self, statement: str, parameters: dict[str, Any]) -> User:
        everything = {"workspace": self.settings.workspace, **parameters}
        found = await self.postgres.fetch_as_service(sql_text(statement), everything, row=User)
        if not found:
            raise NotFound
        return found[0]

    async def users(self, *, after: str = "", limit: int = 100) -> list[User]:
        """Users of the workspace by handle, one page."""
        check_page(limit)
        parameters = {"workspace": self.settings.workspace, "after": after, "limit": limit}
        return await self.postgres.fetch_as_service(sql_text("user/list"), parameters, row=User)

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
        """Permanent failures; without a principal, those of jobs."""
        return self.parts.ingest.failures

    @property
    def commits(self) -> SetAside:
        """The commits of the workspace that could not be finished and wait for a decision."""
        return SetAside(self.postgres, self.neo4j, self.outbox, self.settings.workspace)

    @property
    def remedies(self) -> Remedies:
        """What mends damage that the doctor found."""
        return Remedies(self.postgres, self.neo4j, self.objects, self.pending)

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
        """Carries out background jobs in this process inside the block; `only`: requested runs of this job alone.

        Raises NotFound for an unknown job.
        """
        return self.jobs.working(self, only=only)

    async def health(self) -> tuple[StoreHealth, ...]:
        """Checks the health of all stores at once, with a timeout of two seconds."""
        with ending_within(CHECK_TIMEOUT):
            checks = {
                "postgres": asyncio.create_task(_answering(self._check_postgres())),
                "neo4j": asyncio.create_task(_answering(self.neo4j.read(cypher("schema/ping")))),
                "objects": asyncio.create_task(_answering(self.objects.check())),
            }
        # a check that outlasts its deadline ends by itself later; it is not awaited
        await asyncio.wait(checks.values(), timeout=CHECK_TIMEOUT + 0.5)
        return tuple(_health(store, check) for store, check in checks.items())

    async def degraded(self) -> Degraded | None:
        """What is damaged or set aside although all stores answer; None where it is unknown after a second."""
        try:
            with ending_within(CHECK_TIMEOUT / 2):
                return Degraded(await self.parts.search.damage.known(), (await self.commits.waiting()).commits)
        except StoreUnavailable:
            return None

    async def _check_postgres(self) -> None:
        await self.postgres.change_as_service(sql_text("schema/ping"))


async def _answering(check: Awaitable[object]) -> str:
    """Empty where the store answers, else why not."""
    try:
        await check
    except NeurigraphError as error:
        return error.detail
    return ""


def _health(store: str, check: asyncio.Task[str]) -> StoreHealth:
    detail = check.result() if check.done() else StoreTimeout(store).detail
    return StoreHealth(store, not detail, detail)
