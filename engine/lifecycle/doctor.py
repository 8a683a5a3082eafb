"""The comparison of the three stores: findings with their remedies. Page by page; it changes nothing but the list of damaged
nodes that readiness reports."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from uuid import UUID

from engine.domain.object_keys import file_of
from engine.errors import StoreDamaged
from engine.lifecycle import compared
from engine.lifecycle.file_check import FileCheck
from engine.lifecycle.finding import FIX, Finding
from engine.progress import Progress, Silent
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

__all__ = ["Doctor", "Finding"]

PAGE = 100
AT_ONCE = 10
"""Nodes whose contents are read in one statement."""
MOST_FINDINGS = 500
OVERDUE = 30.0
"""Seconds after which an unfinished commit is a finding."""
UNSEARCHABLE = frozenset({"tables-lost", "tables-damaged", "rows-unreadable"})

Row = dict[str, Any]


class Doctor:
    """Examines all users' graphs; for the operator."""

    def __init__(
        self, postgres: Postgres, neo4j: Neo4j, objects: ObjectStore, belonging: Callable[[], Awaitable[list[Finding]]]
    ) -> None:
        self._postgres, self._neo4j, self._objects, self._belonging = postgres, neo4j, objects, belonging

    async def examine(self, *, read_files: int = 0, progress: Progress | None = None) -> list[Finding]:
        """At most 500 findings; empty when the stores agree. `read_files`: the number of files to read and to compare with their
        hashes, too. Raises StoreUnavailable."""
        there = await self.compared(read_files=read_files, progress=progress)
        return [*await self._belonging(), *there][:MOST_FINDINGS]

    async def compared(self, *, read_files: int = 0, progress: Progress | None = None) -> list[Finding]:
        """Differences between the stores, without a comparison of their ages. Raises StoreUnavailable."""
        findings: list[Finding] = []
        stored = {
            file: entry.size async for entry in self._objects.listing("") if (file := file_of(entry.key)) is not None
        }
        check = FileCheck(self._postgres, self._objects, progress or Silent(), read_files)
        for examination in (
            self._pending(),
            self._set_aside(),
            self._without_vectors(),
            self._strays(),
            self._nodes(stored, check),
            self._shells(),
            self._orphans(stored),
        ):
            async for finding in examination:
                findings.append(finding)
                if len(findings) >= MOST_FINDINGS:
                    return findings
        await self._noted(findings)
        if check.passed_over:
            detail = f"{check.passed_over} files were not read: the limit was reached"
            findings.append(
                Finding("warning", "objects", "files", detail, "`neurigraph doctor --deep` with a higher --files")
            )
        return findings

    async def _noted(self, findings: list[Finding]) -> None:
        """Keeps the list of nodes that cannot be searched, for readiness."""
        bad = {one.node_id: one.problem[:500] for one in findings if one.node_id and one.kind in UNSEARCHABLE}
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_text("damage/mended"), {"still": list(bad)})
            if bad:
                parameters = {"nodes": list(bad), "reasons": list(bad.values())}
                await connection.execute(sql_text("damage/note"), parameters)

    async def _rows(self, name: str, **parameters: Any) -> list[Row]:
        async with self._postgres.as_service() as connection:
            cursor = await connection.execute(sql_text(name), parameters)
            return await cursor.fetchall()

    async def _pending(self) -> AsyncIterator[Finding]:
        row = (await self._rows("doctor/pending", older_than=OVERDUE))[0]
        if row["pending"]:
            cause = f" ({row['failure']})" if row["failure"] else ""
            yield Finding(
                "error",
                "postgres",
                f"{row['pending']} commits",
                f"accepted since {row['oldest']:%Y-%m-%d %H:%M} but not finished{cause}",
                "start the engine with all stores up; it finishes them by itself",
            )

    async def _set_aside(self) -> AsyncIterator[Finding]:
        row = (await self._rows("commit/counts"))[0]
        if row["commits"]:
            yield Finding(
                "error",
                "neo4j",
                f"{row['commits']} commits",
                f"set aside after too many attempts, the oldest of {row['oldest']:%Y-%m-%d %H:%M} ({row['failure']})",
                "`neurigraph commits list` shows them; `commits retry` tries again, `commits discard` undoes them",
            )

    async def _without_vectors(self) -> AsyncIterator[Finding]:
        row = (await self._rows("embedding/pending_waiting"))[0]
        if row["nodes"]:
            yield Finding(
                "warning",
                "postgres",
                f"{row['nodes']} nodes",
                f"what was written there since {row['oldest']:%Y-%m-%d %H:%M} is found by words alone: it has no vectors yet",
                "nothing to do: the job pending-embeddings makes them when the embedding service answers",
            )

    async def _strays(self) -> AsyncIterator[Finding]:
        for row in await self._rows("doctor/strays", limit=PAGE):
            yield Finding(
                "warning",
                "postgres",
                row["schema_name"],
                "a node's schema that the registry does not know",
                "restore the registry from a backup, or drop the schema after looking into it",
            )

    async def _nodes(self, stored: dict[UUID, int], check: FileCheck) -> AsyncIterator[Finding]:
        """Every registered node against its tables, its shell, its contents and its files."""
        after = UUID(int=0)
        while rows := await self._rows("doctor/nodes", after=after, limit=PAGE):
            after = rows[-1]["node_id"]
            shells = await self._neo4j.read(cypher("doctor/shells"), nodes=[str(row["node_id"]) for row in rows])
            by_id = {UUID(shell["node_id"]): shell for shell in shells}
            live = [row for row in rows if row["state"] != "pending"]  # those are reported with the commits
            for row in live:
                for finding in _compared(row, by_id.get(row["node_id"])):
                    yield finding
            names = {row["node_id"]: row["schema_name"] for row in live}
            for first in range(0, len(live), AT_ONCE):
                some = list(names)[first : first + AT_ONCE]
                for row in await self._rows("doctor/contents", nodes=some):
                    for finding in compared.contents(row):
                        yield finding
            async for finding in check.of(list(names), stored):
                yield finding
            for wrong in await self._rows("doctor/file_states", nodes=list(names)):
                yield Finding(
                    "warning",
                    "postgres",
                    f"node {names[wrong['node_id']]}",
                    f"{wrong['files']} files have another state than their manifest shows",
                    "harmless; the next time that such a file wakes and sleeps mends it",
                )

    async def _shells(self) -> AsyncIterator[Finding]:
        """Shells that the registry does not know."""
        after = ""
        while rows := await self._neo4j.read(cypher("doctor/page"), after=after, limit=PAGE * 10):
            after = rows[-1]["node_id"]
            for row in await self._rows("doctor/known_nodes", nodes=[UUID(row["node_id"]) for row in rows]):
                yield Finding(
                    "error",
                    "neo4j",
                    f"node {row['node_id']}",
                    "a shell that the registry does not know",
                    "delete the shell, or restore Postgres from a backup that has the node",
                )

    async def _orphans(self, stored: dict[UUID, int]) -> AsyncIterator[Finding]:
        by_root: dict[str, list[UUID]] = {}
        async for entry in self._objects.listing(""):
            file = file_of(entry.key)
            if file in stored and file is not None:
                by_root.setdefault(entry.key.partition("/")[0], []).append(file)
        for root, files in by_root.items():
            try:
                row = (await self._rows("file/unknown", root=root, files=files))[0]
            except StoreDamaged:  # a node there has lost its tables, a finding of its own
                continue
            known = {one["resource_id"] for one in await self._rows("resource/known", files=row["unknown"])}
            if known:
                yield Finding(
                    "error",
                    "postgres",
                    f"{len(known)} files under {root}/",
                    "raw inputs name them, but no manifest does: their lines are lost",
                    f"{FIX} enters those of present versions again; lines of older versions are only in a backup",
                )
            if unknown := set(row["unknown"]) - known:
                yield Finding(
                    "warning",
                    "objects",
                    f"{len(unknown)} files under {root}/",
                    "no manifest knows them (a write that was cut off)",
                    "nothing to do: the sweep moves them to quarantine after the grace time",
                )


def _compared(row: Row, shown: Row | None) -> list[Finding]:
    """Findings about one node."""
    findings = [*compared.tables(row), *compared.shell(row, shown)]
    return findings if shown is None else [*findings, *compared.manifest(row, shown)]
