"""The comparison of the three stores: what does not fit, and how to mend it. Reads only, page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from engine.domain.object_keys import file_of
from engine.errors import NotFound
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

PAGE = 100
MOST_FINDINGS = 500
OVERDUE = 30.0
"""Seconds after which an unfinished commit is a finding."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that does not fit. `subject` names it, `remedy` says what mends it."""

    severity: Literal["error", "warning"]
    store: Literal["postgres", "neo4j", "objects"]
    subject: str
    problem: str
    remedy: str


class Doctor:
    """Examines all users' graphs; for the operator."""

    def __init__(
        self, postgres: Postgres, neo4j: Neo4j, objects: ObjectStore, belonging: Callable[[], Awaitable[list[Finding]]]
    ) -> None:
        self._postgres, self._neo4j, self._objects, self._belonging = postgres, neo4j, objects, belonging

    async def examine(self) -> list[Finding]:
        """What is wrong, at most 500 findings; empty when the stores agree. Raises StoreUnavailable."""
        return [*await self._belonging(), *await self.compared()][:MOST_FINDINGS]

    async def compared(self) -> list[Finding]:
        """What does not fit from store to store, whatever their ages. Raises StoreUnavailable."""
        findings: list[Finding] = []
        stored = {file async for entry in self._objects.listing("") if (file := file_of(entry.key)) is not None}
        for examination in (
            self._pending(),
            self._without_vectors(),
            self._strays(),
            self._nodes(stored),
            self._shells(),
            self._orphans(stored),
        ):
            async for finding in examination:
                findings.append(finding)
                if len(findings) >= MOST_FINDINGS:
                    return findings
        return findings

    async def _rows(self, name: str, **parameters: Any) -> list[Row]:
        async with self._postgres.as_service() as connection:
            cursor = await connection.execute(sql_text(name), parameters)
            return await cursor.fetchall()

    async def _pending(self) -> AsyncIterator[Finding]:
        row = (await self._rows("doctor_pending", older_than=OVERDUE))[0]
        if row["pending"]:
            cause = f" ({row['failure']})" if row["failure"] else ""
            yield Finding(
                "error",
                "postgres",
                f"{row['pending']} commits",
                f"accepted since {row['oldest']:%Y-%m-%d %H:%M} but not finished{cause}",
                "start the engine with all stores up; it finishes them by itself",
            )

    async def _without_vectors(self) -> AsyncIterator[Finding]:
        row = (await self._rows("pending_vectors_waiting"))[0]
        if row["nodes"]:
            yield Finding(
                "warning",
                "postgres",
                f"{row['nodes']} nodes",
                f"what was written there since {row['oldest']:%Y-%m-%d %H:%M} is found by words alone: it has no vectors yet",
                "nothing to do: the job pending-embeddings makes them when the embedding service answers",
            )

    async def _strays(self) -> AsyncIterator[Finding]:
        for row in await self._rows("doctor_strays", limit=PAGE):
            yield Finding(
                "warning",
                "postgres",
                row["schema_name"],
                "a node's schema that the registry does not know",
                "restore the registry from a backup, or drop the schema after looking into it",
            )

    async def _nodes(self, stored: set[UUID]) -> AsyncIterator[Finding]:
        """Every registered node against its schema, its shell and its files."""
        after = UUID(int=0)
        while rows := await self._rows("doctor_nodes", after=after, limit=PAGE):
            after = rows[-1]["node_id"]
            shells = await self._neo4j.read(cypher("doctor/shells"), nodes=[str(row["node_id"]) for row in rows])
            by_id = {UUID(shell["node_id"]): shell for shell in shells}
            for row in rows:
                for finding in _compared(row, by_id.get(row["node_id"]), stored):
                    yield finding
            names = {row["node_id"]: row["schema_name"] for row in rows}
            for wrong in await self._rows("doctor_file_states", nodes=list(names)):
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
            for row in await self._rows("doctor_known_nodes", nodes=[UUID(row["node_id"]) for row in rows]):
                yield Finding(
                    "error",
                    "neo4j",
                    f"node {row['node_id']}",
                    "a shell that the registry does not know",
                    "delete the shell, or restore Postgres from a backup that has the node",
                )

    async def _orphans(self, stored: set[UUID]) -> AsyncIterator[Finding]:
        by_root: dict[str, list[UUID]] = {}
        async for entry in self._objects.listing(""):
            file = file_of(entry.key)
            if file in stored and file is not None:
                by_root.setdefault(entry.key.partition("/")[0], []).append(file)
        for root, files in by_root.items():
            try:
                row = (await self._rows("files_unknown", root=root, files=files))[0]
            except (
                NotFound
            ):  # a node there has lost its tables, which is a finding of its own: nobody knows its files then
                continue
            if row["unknown"]:
                yield Finding(
                    "warning",
                    "objects",
                    f"{len(row['unknown'])} files under {root}/",
                    "no manifest knows them (a write that was cut off)",
                    "nothing to do: the sweep moves them to quarantine after the grace time",
                )


def _compared(row: Row, shell: Row | None, stored: set[UUID]) -> list[Finding]:
    """What does not fit about one node."""
    subject = f"node {row['schema_name']}"
    if row["state"] == "pending":
        return []  # reported with the commits
    findings = []
    if not row["schema_there"]:
        findings.append(Finding("error", "postgres", subject, "its schema is missing", "restore it from a backup"))
    elif not row["shape_ok"]:
        findings.append(
            Finding("error", "postgres", subject, "its tables are not those of the template", "run the node migrations")
        )
    if shell is None:
        findings.append(Finding("error", "neo4j", subject, "its shell is missing", "restore Neo4j from a backup"))
    elif row["records"] is not None and shell["records"] != row["records"]:
        findings.append(
            Finding(
                "error",
                "neo4j",
                subject,
                f"the manifest lists {shell['records']} records, the node has {row['records']}",
                "restore both databases from one backup",
            )
        )
    elif (shell["counted_records"], shell["counted_items"]) != (row["records"], row["items"]):
        findings.append(
            Finding(
                "warning",
                "neo4j",
                subject,
                "the shell's counts are off",
                "harmless; restore Neo4j from a backup to mend them",
            )
        )
    if shell is not None and (wrong := _wrong_state(row, shell)):
        findings.append(wrong)
    missing = [pointer for pointer in row["pointers"] or [] if file_of(pointer) not in stored]
    if missing:
        findings.append(
            Finding(
                "error",
                "objects",
                subject,
                f"{len(missing)} files are missing, first {missing[0]}",
                "restore the objects from a backup",
            )
        )
    return findings


def _wrong_state(row: Row, shell: Row) -> Finding | None:
    """What the shell shows of the state of its files, where that is not so and was not so a moment ago."""
    right, shown_seq = row["file_state"], shell["state_seq"]
    if right is None:  # no file ever moved: they sleep, as they were written
        right = "dormant" if row["pointers"] and shown_seq is None else shell["state"]
    elif shown_seq is not None and shown_seq > row["file_seq"]:
        return None  # one moved since the registry was read
    if shell["state"] == right:
        return None
    problem = f"the shell shows its files as {shell['state']}, they are {right}"
    remedy = "the next file that wakes or sleeps there mends it" if row["told"] else "nothing to do: the sweep tells it"
    return Finding("warning", "neo4j", f"node {row['schema_name']}", problem, remedy)
