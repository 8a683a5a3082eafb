"""The engine: users, a memory for each, health, and the upkeep of the stores."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from engine.archive.archives import Archives
from engine.commit.outbox import Outbox
from engine.commit.set_aside import SetAside
from engine.derive.derivations import Derivations
from engine.domain.history import History
from engine.domain.ingest import PLAIN, Limits, Terms
from engine.domain.principal import Identity, Principal
from engine.domain.report import IngestReport
from engine.domain.scope import INGESTED, Origin
from engine.errors import NeurigraphError, StoreTimeout, StoreUnavailable
from engine.hierarchy.shells import Shells
from engine.hierarchy.tables import Damage, Upgrades
from engine.ingest.pipeline import Ingest
from engine.knowledge.dictionary import Analysts
from engine.lifecycle.doctor import Doctor
from engine.lifecycle.figures import Figure, figures
from engine.lifecycle.file_states import Dormancy, FileStates, NodeStates
from engine.lifecycle.installation import Installation
from engine.lifecycle.mending.mend import Mending
from engine.lifecycle.remedies import Remedies
from engine.lifecycle.retention import Retention
from engine.lifecycle.sweep import Quarantine, Sweep
from engine.memory import Memory
from engine.operations.authenticating import Authentication
from engine.operations.caller import Caller, Parts, principal_of
from engine.operations.keeper import Keeper, Services
from engine.operations.workspace import Workspace
from engine.progress import Progress
from engine.providers.active import ActiveModel
from engine.providers.calls import spending
from engine.providers.embedder import Embedder
from engine.settings import Settings
from engine.stores.limits import ending_within
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
    """Opened by `open_engine`; closes with it. Doors use a memory and the workspace, whose operations say who may
    call them. What else they may use, `tests/unit/test_operations.py` lists; `parts` and `services` check no rights."""

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
    services: Services
    derivations: Derivations

    @property
    def embedder(self) -> Embedder:
        """The embedder of the active version."""
        return self.active.current.embedder

    @property
    def workspace(self) -> Workspace:
        """The workspace, acting as its operator: users, tokens, integrations, jobs, commits, embedding versions."""
        return self.workspace_as(Identity("operator", None, self.settings.workspace))

    @property
    def analysts(self) -> Analysts:
        """What analysts have: statements, the data dictionary, roles in Postgres; for the operator."""
        return Analysts(self.postgres, self.neo4j, self.parts[Ingest].entities.domain)

    def workspace_as(self, identity: Identity) -> Workspace:
        """The workspace as an identity may see and change it."""
        return Workspace(Keeper(identity, self.services))

    async def identity(self, authentication: Authentication, credential: str) -> Identity | None:
        """The identity of a credential, if it is valid. Raises StoreUnavailable, ProviderUnavailable."""
        return await authentication.identity(self.services, self.settings.workspace, credential)

    def memory(self, user_id: UUID) -> Memory:
        """The memory of a user, acting as that user."""
        return self.memory_as(Principal.user(user_id))

    def memory_as(self, principal: Principal) -> Memory:
        """The memory of a user as a principal may see it: the user, a persona, an integration."""
        return Memory(Caller(principal, self.parts))

    async def memory_for(self, identity: Identity, user_id: UUID) -> Memory:
        """The memory of a user as an identity may see it; one without rights gets what a stranger gets: not found."""
        return self.memory_as(await principal_of(self.services.tokens, identity, user_id))

    async def ingest(
        self, history: History, progress: Progress | None = None, origin: Origin = INGESTED, terms: Terms = PLAIN
    ) -> IngestReport:
        """Stores a history for the user that it names, created when there is none; `origin` where the history names none."""
        with spending(terms.limits):
            user = await self.workspace.users.create(history.handle, history.display_name)
            memory = self.memory(user.user_id).on_terms(terms)
            return await memory.within(origin.scope, source=origin.source).ingests.history(history, progress)

    def spending(self, limits: Limits) -> AbstractContextManager[None]:
        """All operations inside share these limits, beside their own."""
        return spending(limits)

    @property
    def archives(self) -> Archives:
        """Archives of users, for the operator."""
        stores = (self.postgres, self.neo4j, self.objects)
        return Archives(stores, self.settings.workspace, self.parts[Shells], self.parts.clock)

    @property
    def upgrades(self) -> Upgrades:
        """What brings the tables of nodes to the newest version."""
        return Upgrades(self.postgres)

    @property
    def remedies(self) -> Remedies:
        """What mends damage that the doctor found."""
        return Remedies(
            (self.postgres, self.neo4j, self.objects), partial(self.derivations.run, "vectors"), self.mending.entities
        )

    def working(self, *, only: str | None = None) -> AbstractAsyncContextManager[None]:
        """Carries out background jobs in this process inside the block; `only`: requested runs of this job alone.

        Raises NotFound for an unknown job.
        """
        return self.services.jobs.working(self, only=only)

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
                return Degraded(await self.parts[Damage].known(), (await self.parts[SetAside].waiting()).commits)
        except StoreUnavailable:
            return None

    async def figures(self) -> list[Figure]:
        """How much there is and how much waits; empty where that is unknown after two seconds."""
        try:
            with ending_within(CHECK_TIMEOUT):
                return await figures(self.postgres)
        except StoreUnavailable:
            return []

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
