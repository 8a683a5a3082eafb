"""What a derived thing is: one declaration, from which its job, its part of the doctor's question and its version follow.
And what makes derived things: the loop over the nodes that wait, the derivations of a job one after the other, and versions
that rose.

    due nodes, page by page → one page of a node made, with how far it is → next page, or struck off → next node

A node at which it fails keeps the reason and is tried again by the next run; the others are made. Where a store or a service
does not answer, the run of this derivation ends, and the others of the job go on.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Protocol
from uuid import UUID

from engine.commit.rows import due
from engine.commit.rows.due import DueNode
from engine.communities.builds import CommunityBuilds
from engine.derive.reading import Readings
from engine.domain.clock import Clock
from engine.errors import CommitWaits, EmbeddingsChanged, NeurigraphError, ProviderUnavailable, StoreUnavailable
from engine.ingest.pipeline import Ingest
from engine.knowledge.unread_records import UnreadRecords
from engine.lifecycle.embedding_versions import EmbeddingVersions
from engine.providers.active import ActiveModel
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres

Counts = Mapping[str, int]
"""What a run made, by name; part of the report of a job."""

log = logging.getLogger(__name__)

SILENT = (StoreUnavailable, ProviderUnavailable, EmbeddingsChanged)


@dataclass(frozen=True, slots=True)
class Means:
    """Stores, models, and the parts of other packages that derived things are made with."""

    postgres: Postgres
    neo4j: Neo4j
    active: ActiveModel
    clock: Clock
    ingest: Ingest
    unread: UnreadRecords
    readings: Readings
    communities: CommunityBuilds
    embeddings: EmbeddingVersions
    fact_stale_days: int


@dataclass(frozen=True, slots=True)
class Made:
    """One page: what was made, and how far the node is. Without `after` nothing is left of the node, and it is struck off, unless
    it `waits`: some of it could not be made yet."""

    counts: Counts
    after: UUID | None = None
    waits: bool = False


class Maker(Protocol):
    """Makes one derived thing."""

    async def page(self, node: DueNode) -> Made | None:
        """The next page of a node, committed together with how far the node is; it may be made twice, at once or half.
        None: nothing of this kind can be made now."""
        ...


@dataclass(frozen=True, slots=True)
class ByNode:
    """Made at the nodes that `engine.due` names, page by page, archived ones too. A run ends after `seconds`, and the next
    one goes on there; it works in `duty` of the time."""

    maker: Callable[[Means], Maker]
    seconds: float = 900.0
    duty: float = 1.0


@dataclass(frozen=True, slots=True)
class ByItself:
    """Made by something that knows itself what is left, as of each record or of each user."""

    run: Callable[[Means], Awaitable[Counts]]


@dataclass(frozen=True, slots=True)
class Derivation:
    """One derived thing. `about`: what it is, as in "makes …". `job`: the job that makes it, alone or with others; schedules and
    requests name that. `version`: of the code that makes it; a higher one makes it again at every node. `needs`: what it is made
    from, which notes its nodes: "content" (records and items), "embeddings" (which version is active), other derivations; other
    needs take a higher version. `late`: it is a finding when it is due for so many seconds."""

    name: str
    about: str
    made: ByNode | ByItself
    job: str
    schedule: str
    version: int = 1
    late: float = 3600.0
    needs: tuple[str, ...] = ()


class Derivations:
    """Makes what is due, for the service."""

    def __init__(self, catalogue: Sequence[Derivation], means: Means) -> None:
        self.catalogue, self.means = catalogue, means

    async def run(self, name: str) -> Counts:
        """One run of one derivation, with what waits after it. Raises what its services raise; what was made stays."""
        [derivation] = [one for one in self.catalogue if one.name == name]
        if isinstance(derivation.made, ByItself):
            counts = await derivation.made.run(self.means)
        else:
            counts = await _Nodes(self.means, derivation.name, derivation.made).run()
        return Counter({**counts, "waiting": await self.waiting(name)})

    async def of_job(self, job: str) -> Counts:
        """One run of each derivation of a job; where there are several, each with its counts under its name: `chains_entered`.
        One that fails does not stop the others; its failure is raised after them."""
        counts, failures = dict[str, int](), list[NeurigraphError]()
        names = [one.name for one in self.catalogue if one.job == job]
        for name in names:
            own = f"{name}_" if len(names) > 1 else ""
            try:
                counts |= {f"{own}{what}": count for what, count in (await self.run(name)).items()}
            except NeurigraphError as error:
                log.warning("What is derived as %s is made later: %s", name, error.detail)
                failures.append(error)
        if failures:
            raise failures[0]
        return counts

    async def waiting(self, name: str) -> int:
        """For how many nodes or records something is due. Raises StoreUnavailable."""
        return sum(one.waiting for one in await due.waiting(self.means.postgres) if one.derivation == name)


class _Nodes:
    """One run over the nodes for which a derivation is due."""

    def __init__(self, means: Means, name: str, made: ByNode) -> None:
        self._postgres, self._name, self._made = means.postgres, name, made
        self._maker: Maker = made.maker(means)
        self._ends = monotonic() + made.seconds
        self._counts = Counter[str]()

    async def run(self) -> Counts:
        async for node in due.due_nodes(self._postgres, self._name):
            try:
                if not await self._node(node):
                    break
            except NeurigraphError as error:
                await due.failed(self._postgres, node, error.detail)
                if isinstance(error, SILENT) and not isinstance(error, CommitWaits):
                    raise
                self._counts["failed"] += 1
        return self._counts

    async def _node(self, node: DueNode) -> bool:
        """All pages of a node, as far as the time lasts; whether there is time for another node."""
        while True:
            started = monotonic()
            made = await self._maker.page(node)
            if made is None:
                return False
            self._counts.update(made.counts)
            if made.after is None:
                break
            node = replace(node, after=made.after)
            await asyncio.sleep((monotonic() - started) * (1 / self._made.duty - 1))
            if monotonic() > self._ends:
                return False
        if not made.waits:
            async with self._postgres.as_service() as connection:
                self._counts["settled"] += await due.settle(connection, node)
                await due.note_needing(connection, node)
        return monotonic() < self._ends


async def raised(postgres: Postgres, catalogue: Sequence[Derivation]) -> None:
    """Notes all nodes for what has a higher version than the stores know, and keeps that version; in one step."""
    versions = {one.name: one.version for one in catalogue}
    needs = [" ".join(one.needs) for one in catalogue]
    await due.raised(postgres, versions, needs, [one.name for one in catalogue if isinstance(one.made, ByNode)])
