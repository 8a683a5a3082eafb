"""The comparison of the three stores: findings with their remedies. Page by page; it changes nothing but the list of damaged
nodes that readiness reports. Whole stores are compared, too: of different ages, writing stopped, files that no sweep may touch.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from engine.commit.set_aside import SetAsideCount
from engine.errors import InvalidInput, StoreDamaged, StoreFailed
from engine.lifecycle import compared
from engine.lifecycle.compared import FileCheck, NodeContents, NodeFacts, ShownShell
from engine.lifecycle.definition_check import WRONG, DefinitionCheck, ValueCheck
from engine.lifecycle.finding import FIX, Finding
from engine.lifecycle.graph_check import EntityCheck
from engine.lifecycle.installation import GRAPH, POSTGRES, REMEDY, Installation
from engine.lifecycle.mending.shells import ShellMending
from engine.lifecycle.mending.tally import Tally
from engine.lifecycle.record_check import RecordCheck, RowCheck
from engine.lifecycle.sweep import Sweep
from engine.progress import Progress, Silent, counted
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore, file_of
from engine.stores.postgres import Postgres
from engine.stores.rows import R
from engine.stores.statements import cypher, sql_text

PAGE = 100
AT_ONCE = 10
"""Nodes whose contents are read in one statement."""
MOST_FINDINGS = 500
OVERDUE = 30.0
"""Seconds after which an unfinished commit is a finding."""
UNSEARCHABLE = frozenset({"tables-lost", "tables-damaged", "rows-unreadable"})

UNREADABLE = (StoreFailed, InvalidInput, AttributeError, TypeError, ValueError)
"""What a value of another type leads to, in a statement and after it."""
STOPPED = Finding(
    "error",
    "neo4j",
    "comparison",
    "a part of it ended at a value that cannot be read",
    "mend the values that are found of another type, and call the doctor again",
)

Store = Literal["postgres", "neo4j", "objects"]


__all__ = ["Doctor", "Finding"]


@dataclass(frozen=True, slots=True)
class LateCommits:
    """How many commits should have been finished by now, since when, and one cause."""

    pending: int
    oldest: datetime | None
    failure: str | None


@dataclass(frozen=True, slots=True)
class _WrongStates:
    node_id: UUID
    files: int


class Doctor:
    """Examines all users' graphs; for the operator."""

    def __init__(
        self,
        stores: tuple[Postgres, Neo4j, ObjectStore],
        checks: tuple[DefinitionCheck, ValueCheck, EntityCheck],
        belonging: Callable[[], Awaitable[list[Finding]]],
        due: Callable[[], AsyncIterator[Finding]],
    ) -> None:
        self._postgres, self._neo4j, self._objects = stores
        self._definitions, self._values, self._entities = checks
        self._belonging, self._due = belonging, due
        self._records = RecordCheck(stores[0], stores[1])
        self._shared = RowCheck(stores[0], stores[1])

    async def examine(self, *, read_files: int = 0, progress: Progress | None = None) -> list[Finding]:
        """At most 500 findings; empty when the stores agree. `read_files`: the number of files to read and to compare with their
        hashes, too. Raises StoreUnavailable."""
        there = await self.compared(read_files=read_files, progress=progress)
        return [*await self._belonging(), *there][:MOST_FINDINGS]

    async def compared(self, *, read_files: int = 0, progress: Progress | None = None) -> list[Finding]:
        """Differences between the stores, without a comparison of their ages. Raises StoreUnavailable."""
        findings = await self._definitions.findings()
        if any((one.store, one.severity) == ("postgres", "error") for one in findings):
            return findings  # rows that a policy hides would look lost: first mend what they are read by
        stored = {
            file: entry.size async for entry in self._objects.listing("") if (file := file_of(entry.key)) is not None
        }
        check = FileCheck(self._postgres, self._objects, progress or Silent(), read_files)
        examinations = (
            self._values.findings(),
            self._pending(),
            self._set_aside(),
            self._due(),
            self._unapplied(),
            self._strays(),
            self._shared.findings(),
            self._nodes(stored, check),
            self._shells(),
            self._records.findings(),
            self._orphans(stored),
            self._entities.findings(),
        )
        for examination in examinations:
            try:
                async for finding in examination:
                    findings.append(finding)
                    if len(findings) >= MOST_FINDINGS:
                        return findings
            except UNREADABLE:  # by a value that was found; what else fails is a mistake
                if not any(one.kind == WRONG for one in findings):
                    raise
                findings.append(STOPPED)
        await self._noted(findings)
        if check.passed_over:
            detail = f"{counted(check.passed_over, 'file')} not read: the limit was reached"
            remedy = "`neurigraph doctor --deep` with a higher --files"
            findings.append(Finding("warning", "objects", "files", detail, remedy))
        return findings

    async def _noted(self, findings: list[Finding]) -> None:
        """Keeps the list of nodes that cannot be searched, for readiness."""
        bad = {one.node_id: one.problem[:500] for one in findings if one.node_id and one.kind in UNSEARCHABLE}
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_text("damage/mended"), {"still": list(bad)})
            if bad:
                parameters = {"nodes": list(bad), "reasons": list(bad.values())}
                await connection.execute(sql_text("damage/note"), parameters)

    async def _rows(self, name: str, *, row: type[R], **parameters: Any) -> list[R]:
        return await self._postgres.fetch_as_service(sql_text(name), parameters, row=row)

    async def _pending(self) -> AsyncIterator[Finding]:
        [late] = await self._rows("doctor/pending", row=LateCommits, older_than=OVERDUE)
        if late.pending:
            cause = f" ({late.failure})" if late.failure else ""
            problem = f"accepted since {late.oldest:%Y-%m-%d %H:%M} but not finished{cause}"
            remedy = "start the engine with all stores up; it finishes them by itself"
            yield Finding("error", "postgres", counted(late.pending, "commit"), problem, remedy)

    async def _set_aside(self) -> AsyncIterator[Finding]:
        [aside] = await self._rows("commit/counts", row=SetAsideCount)
        if aside.commits:
            oldest = f"the oldest of {aside.oldest:%Y-%m-%d %H:%M} ({aside.failure})"
            problem = f"set aside after too many attempts, {oldest}"
            remedy = "`neurigraph commits list` shows them; `commits retry` tries again, `commits discard` undoes them"
            yield Finding("error", "neo4j", counted(aside.commits, "commit"), problem, remedy)

    async def _unapplied(self) -> AsyncIterator[Finding]:
        """Changes of nodes, edges and grants that Postgres keeps and the graph lacks, as where an edge was deleted there."""
        tally = Tally(dry=True)
        await ShellMending(self._postgres, self._neo4j).commits(tally)
        for kind, number in tally.counts.items():
            problem = "finished, but missing in the graph"
            yield Finding("error", "neo4j", f"{number:,} {kind}", problem, "`neurigraph mend` applies them again")

    async def _strays(self) -> AsyncIterator[Finding]:
        for schema in await self._rows("doctor/strays", row=str, limit=PAGE):
            problem = "a node's schema that the registry does not know"
            remedy = "restore the registry from a backup, or drop the schema after looking into it"
            yield Finding("warning", "postgres", schema, problem, remedy)

    async def _nodes(self, stored: dict[UUID, int], check: FileCheck) -> AsyncIterator[Finding]:
        """Every registered node against its tables, its shell, its contents and its files."""
        after, shells = UUID(int=0), self._shells_of
        while facts := await self._rows("doctor/nodes", row=NodeFacts, after=after, limit=PAGE):
            live = [node for node in facts if node.state != "pending"]  # those are reported with the commits
            if found := _differences(live, await shells(facts)):
                again = await self._rows("doctor/nodes", row=NodeFacts, after=after, limit=PAGE)
                still = _differences(again, await shells(again))  # what was written between two reads differs once
                for finding in found:
                    if finding in still:
                        yield finding
            after = facts[-1].node_id
            names = {node.node_id: node.schema_name for node in live if not node.damage}
            async for finding in self._inside(names, stored, check):
                yield finding

    async def _inside(
        self, names: dict[UUID, str], stored: dict[UUID, int], check: FileCheck
    ) -> AsyncIterator[Finding]:
        """What is in these nodes, whose tables are whole."""
        for first in range(0, len(names), AT_ONCE):
            some = list(names)[first : first + AT_ONCE]
            async for finding in self._shared.of_nodes(some):
                yield finding
            for contents in await self._rows("doctor/contents", row=NodeContents, nodes=some):
                for finding in compared.contents(contents):
                    yield finding
        async for finding in check.of(list(names), stored):
            yield finding
        for wrong in await self._rows("doctor/file_states", row=_WrongStates, nodes=list(names)):
            problem = f"{counted(wrong.files, 'file')} in another state than the manifest shows"
            remedy = "harmless; the next time that such a file wakes and sleeps mends it"
            yield Finding("warning", "postgres", f"node {names[wrong.node_id]}", problem, remedy)

    async def _shells_of(self, facts: list[NodeFacts]) -> dict[UUID, ShownShell]:
        nodes = [str(node.node_id) for node in facts]
        return {
            one.node_id: one for one in await self._neo4j.read(cypher("doctor/shells"), row=ShownShell, nodes=nodes)
        }

    async def _shells(self) -> AsyncIterator[Finding]:
        """Shells that the registry does not know."""
        after = ""
        while shells := await self._neo4j.read(cypher("doctor/page"), row=UUID, after=after, limit=PAGE * 10):
            after = str(shells[-1])
            for node_id in await self._rows("doctor/known_nodes", row=UUID, nodes=shells):
                problem = "a shell that the registry does not know"
                remedy = "delete the shell, or restore Postgres from a backup that has the node"
                yield Finding("error", "neo4j", f"node {node_id}", problem, remedy)

    async def _orphans(self, stored: dict[UUID, int]) -> AsyncIterator[Finding]:
        by_root: dict[str, list[UUID]] = {}
        async for entry in self._objects.listing(""):
            file = file_of(entry.key)
            if file in stored and file is not None:
                by_root.setdefault(entry.key.partition("/")[0], []).append(file)
        for root, files in by_root.items():
            try:
                [unknown] = await self._rows("file/unknown", row=list[UUID], root=root, files=files)
            except StoreDamaged:  # a node there has lost its tables, a finding of its own
                continue
            known = set(await self._rows("resource/known", row=UUID, files=unknown))
            if known:
                problem = "raw inputs name them, but no manifest does: their lines are lost"
                remedy = f"{FIX} enters those of present versions again; lines of older versions are only in a backup"
                yield Finding("error", "postgres", f"{counted(len(known), 'file')} under {root}/", problem, remedy)
            if orphans := set(unknown) - known:
                problem = "no manifest knows them (a write that was cut off)"
                remedy = "nothing to do: the sweep moves them to quarantine after the grace time"
                yield Finding("warning", "objects", f"{counted(len(orphans), 'file')} under {root}/", problem, remedy)


def _differences(nodes: list[NodeFacts], shells: dict[UUID, ShownShell]) -> list[Finding]:
    """Findings about the tables and the shells of nodes."""
    found: list[Finding] = []
    for row in nodes:
        shown = shells.get(row.node_id)
        found += [*compared.tables(row), *compared.shell(row, shown)]
        found += [] if shown is None else compared.manifest(row, shown)
    return found


def belonging(installation: Installation, sweep: Sweep) -> Callable[[], Awaitable[list[Finding]]]:
    """The doctor's questions about the stores as a whole; asking raises StoreUnavailable."""

    async def asked() -> list[Finding]:
        findings = [
            Finding("error", _store(one.store), one.store, one.problem, REMEDY) for one in await installation.older()
        ]
        stopped = await installation.stopped()
        if stopped and not findings:
            findings.append(Finding("error", "postgres", "writing", stopped, "run `neurigraph mend`"))
        if stopped:
            return findings
        found = await sweep.look_old()
        if found.foreign:
            problem = "keys that the engine does not make, or of users that Postgres does not know"
            findings.append(
                Finding("warning", "objects", counted(found.foreign, "object"), problem, "nothing touches them")
            )
        if objection := await sweep.objection(found):
            findings.append(Finding("error", "objects", counted(found.old, "file"), objection, "run `neurigraph mend`"))
        return findings

    return asked


def _store(name: str) -> Store:
    return "postgres" if name == POSTGRES else "neo4j" if name == GRAPH else "objects"
