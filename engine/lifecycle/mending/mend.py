"""`neurigraph mend`: restores in one store what another one still has; then writing goes on, if it was stopped.

    definitions   policies, rights, keys, indexes of both databases, as this release makes them; with an accepted loss missing
               tables of nodes too                                     (empty: what was in them only a backup of Postgres has)
    graph      shells, places, edges, grants, manifests, counts, states from the registry, the outbox and the records; counts of
               entities and relations from their mentions and evidence
    vectors    of shells, rebuilt
    files      that a manifest knows, from quarantine

Every step can be repeated and interrupted. What no store has any more is reported; writing goes on without it when the
operator accepts the loss.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from engine.commit.outbox import StepHook
from engine.commit.rows import due
from engine.domain.clock import Clock
from engine.errors import ProviderUnavailable, StoreDamaged
from engine.lifecycle.canary import BareShell
from engine.lifecycle.definition_check import KIND, DefinitionCheck, ValueCheck
from engine.lifecycle.doctor import Doctor, Finding
from engine.lifecycle.installation import POSTGRES, Installation
from engine.lifecycle.mending.entities import EntityMending
from engine.lifecycle.mending.shells import ManifestMending, ShellMending
from engine.lifecycle.mending.surplus import Surplus, SurplusOfGraph
from engine.lifecycle.mending.tally import MendReport, Tally
from engine.lifecycle.record_check import RecordCheck
from engine.lifecycle.sweep import Quarantine, QuarantinedFile
from engine.progress import Progress, Silent
from engine.providers.active import ActiveModel
from engine.stores.limited import TABLES_LOST
from engine.stores.neo4j import STORE, Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

PAGE = 500
REMEDY = (
    "restore a newer backup of Postgres, or accept the loss: `neurigraph mend --accept-loss` takes it out of the graph"
)


@dataclass(frozen=True, slots=True)
class MendingParts:
    """Dependencies of the mending beside the databases. `vectors`: makes those that are due; `folder`: for the list of what was
    taken out of the graph."""

    installation: Installation
    quarantine: Quarantine
    doctor: Doctor
    definitions: DefinitionCheck
    values: ValueCheck
    entities: EntityMending
    active: ActiveModel
    vectors: Callable[[], Awaitable[object]]
    folder: Path


class Mending:
    """The mending of all stores; for the operator."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, parts: MendingParts, clock: Clock, reached: StepHook) -> None:
        self._postgres, self._neo4j, self._parts, self._clock, self._reached = postgres, neo4j, parts, clock, reached
        self._shells = ShellMending(postgres, neo4j)
        self._manifests = ManifestMending(postgres, neo4j)
        self._surplus = SurplusOfGraph(postgres, neo4j)
        self.entities = parts.entities

    async def run(
        self, *, dry_run: bool = False, accept_loss: bool = False, progress: Progress | None = None
    ) -> MendReport:
        """Restores what can be restored; a dry run only reports it. Raises StoreUnavailable, and StoreDamaged where values of the
        graph are of another type than the data dictionary says."""
        progress, tally = progress or Silent(), Tally(dry_run)
        await self._step("definitions", self._definitions(tally, accept_loss=accept_loss), progress)
        await self._check_values()
        surplus = await self._surplus.find()
        file = await self._take_out(surplus) if accept_loss and surplus.counts and not dry_run else None
        if accept_loss or dry_run or not await self._postgres_is_older():
            await self._graph(tally, progress, accept_loss=accept_loss)
        await self._step("files", self._files(tally), progress)
        left = [] if dry_run else await self._left(surplus if not accept_loss else Surplus())
        stopped = await self._parts.installation.stopped()
        lifted = bool(stopped) and not dry_run and (accept_loss or not left)
        if lifted:
            await self._parts.installation.lift()
            stopped = None
        counts = dict(tally.counts)
        return MendReport(dry_run, counts, tuple(left), surplus.counts, str(file) if file else None, stopped, lifted)

    async def _check_values(self) -> None:
        """Nothing is compared with values that cannot be read: a relation whose id is none looks like one that nothing states."""
        async for finding in self._parts.values.findings():
            raise StoreDamaged(STORE, finding.node_id)

    async def _postgres_is_older(self) -> bool:
        """Whether the graph has more than Postgres; it is not reset to Postgres before the operator accepts that."""
        return any(one.store == POSTGRES for one in await self._parts.installation.older())

    async def _definitions(self, tally: Tally, *, accept_loss: bool) -> None:
        """First what rows are read by: where a policy is missing, they look lost."""
        lacking = await self._parts.definitions.findings()
        tally.add("definitions", sum(one.kind == KIND for one in lacking))
        if lacking and not tally.dry:
            await self._parts.definitions.mend()  # what cannot be mended is left, and named at the end
        await self._shells.definitions(tally)
        if accept_loss:
            await self._shells.schemas(tally)

    async def _decisions(self, tally: Tally) -> None:
        tally.add("decisions on entities", await self._parts.entities.decisions.mend(dry=tally.dry))

    async def _graph(self, tally: Tally, progress: Progress, *, accept_loss: bool) -> None:
        await self._step("shells", self._shells.shells(tally), progress)
        await self._step("changes", self._shells.commits(tally), progress)
        await self._step("places", self._shells.places(tally), progress)
        await self._step("manifests", self._every_manifest(tally, accept_loss=accept_loss), progress)
        await self._step("records", RecordCheck(self._postgres, self._neo4j).mend(tally), progress)
        await self._step("decisions", self._decisions(tally), progress)
        await self._step("counts", self._manifests.counts(tally), progress)
        await self._step("entities", self.entities.run(tally), progress)
        await self._step("states", self._shells.states(tally), progress)
        await self._step("vectors", self._vectors(tally), progress)

    async def _step(self, name: str, work: Coroutine[None, None, None], progress: Progress) -> None:
        progress.start(name, None)
        await work
        progress.finish(name)
        self._reached(f"mended_{name.replace(' ', '_')}")

    async def _take_out(self, surplus: Surplus) -> Path:
        file = self._parts.folder / f"taken-out-{self._clock.now():%Y%m%d-%H%M%S}.json"
        await self._surplus.take_out(surplus, file)
        return file

    async def _every_manifest(self, tally: Tally, *, accept_loss: bool) -> None:
        async for nodes in self._shells.nodes():
            for node in nodes:
                await self._manifests.of_node(node, tally, accept_loss=accept_loss)

    async def _vectors(self, tally: Tally) -> None:
        """Notes shells without a vector; the job for vectors makes them, here or when the embedding service answers again."""
        after, noted = "", False
        current = self._parts.active.current
        parameters = {"version": current.name, "label": f"{current.version.column}_version", "limit": PAGE}
        while shells := await self._neo4j.read(cypher("embedding/missing"), row=BareShell, **parameters, after=after):
            after = shells[-1].node_id
            tally.add("vectors of shells", len(shells))
            if not tally.dry:
                async with self._postgres.as_service() as connection:
                    await due.note(connection, "vectors", (UUID(shell.node_id) for shell in shells))
                noted = True
        if noted:
            try:
                await self._parts.vectors()
            except ProviderUnavailable:
                return  # noted: the job makes them later

    async def _files(self, tally: Tally) -> None:
        """Brings files back from quarantine that a manifest knows."""
        by_root: dict[str, list[QuarantinedFile]] = defaultdict(list)
        async for file in self._parts.quarantine.listing():
            if file.file_id is not None:
                by_root[file.key.partition("/")[0]].append(file)
        for root, files in by_root.items():
            for file in await self._wanted(root, files):
                tally.add("files from quarantine")
                if not tally.dry:
                    await self._parts.quarantine.give_back(file)

    async def _wanted(self, root: str, files: list[QuarantinedFile]) -> list[QuarantinedFile]:
        parameters = {"root": root, "files": [file.file_id for file in files]}
        try:
            [unknown] = await self._postgres.fetch_as_service(sql_text("file/unknown"), parameters, row=set[UUID])
        except TABLES_LOST:
            return []
        return [file for file in files if file.file_id not in unknown]

    async def _left(self, surplus: Surplus) -> list[Finding]:
        left = [finding for finding in await self._parts.doctor.compared() if finding.severity == "error"]
        for kind, number in surplus.counts.items():
            problem = "the graph knows them, Postgres does not"
            left.append(Finding("error", "postgres", f"{number:,} {kind}", problem, REMEDY))
        return left
