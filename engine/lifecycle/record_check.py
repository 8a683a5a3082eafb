"""Rows of records beside the graph, and rows of Postgres that are gone.

shown   what the graph shows of records and who may see them, beside Postgres, which is right: privacy, type, label and caption
gone    told by what still speaks of a row: rows that refer to it or count it, the records of nodes, and the rights in the graph.
        What nothing speaks of stands in `ALONE`; the docs name these tables, too
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from engine.lifecycle.finding import FIX, Finding
from engine.lifecycle.mending.tally import Tally
from engine.progress import counted
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

PAGE = 1000
Wrong = Literal["shown", "hidden", "labelled"]
PROBLEMS: dict[Wrong, str] = {
    "shown": "private, and shown by the graph to all who have a right there",
    "hidden": "with another privacy in the graph, which hides them from who has a right there",
    "labelled": "with another type, label or caption, or no node, in the graph than their type, title and place make",
}
MOST_ROWS = 1000
"""Lost rows that are counted of one kind."""
MOST_TURNS = 100_000
"""Turns that one statement counts; more only where one conversation has them."""
COUNTED = {
    "conversation_turns": "doctor/lost_turns",
    "document_versions": "doctor/lost_versions",
    "raw_resources": "doctor/lost_inputs",
    "retraction_steps": "doctor/lost_steps",
}
"""Tables whose rows others count or name without a key, with the statement that reads a page of those others."""
BACKUP = "restore Postgres from a backup: there is no other copy of them"
GRANTS = (
    "restore Postgres from a backup, or give the rights again; the graph's copies are never made rights again, as who"
    " writes to the graph would then give rights"
)

ALONE: Mapping[str, str] = {
    "accepted_damage": "losses that the operator accepted",
    "access_log": "who read what",
    "commit_log": "commits that were retried or discarded",
    "compression_state_log": "when files fell asleep and woke",
    "erasures": "permits to erase from append-only tables",
    "event_log": "recorded events",
    "expiries": "when records expire",
    "fact_doubts": "pairs of facts that may contradict each other, with what was decided",
    "failure_log": "what failed",
    "forgetting_key": "the key of tombstones",
    "forgetting_objects": "objects that are being forgotten",
    "forgetting_things": "ids that are being forgotten",
    "forgettings": "what was asked to be forgotten, with receipts",
    "forgotten": "tombstones of what was forgotten",
    "hierarchy_log": "proposals of nodes, merges of names",
    "holds": "legal holds",
    "idempotency": "answers kept for repeated requests",
    "ingest_sources": "what imports brought, source by source",
    "integrations": "programs that were let in",
    "node_slices": "earlier states of nodes",
    "replayed_records": "records that were read again",
    "replays": "readings that were repeated",
    "retention_rules": "rules of retention",
    "retracted_facts": "what withdrawals changed of facts",
    "sql_roles": "roles of analysts",
    "tokens": "tokens of programs and users",
}
"""Tables of which no second copy exists: the doctor does not see that rows of them are gone."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """`node_id`: None of a record that no node of the graph holds."""

    record_id: UUID
    node_id: UUID | None
    privacy: str | None
    content_type: str | None
    label: bool
    caption: bool


@dataclass(frozen=True, slots=True)
class _Copy:
    record_id: UUID
    node_id: UUID
    schema_name: str
    privacy: str
    content_type: str


class RecordCheck:
    """Compares and mends the records of all graphs; for the operator."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def findings(self) -> AsyncIterator[Finding]:
        """One for each node and problem, what shows private records first. Raises StoreUnavailable."""
        found: dict[Wrong, Counter[tuple[UUID, str]]] = defaultdict(Counter)
        async for page in self._wrong():
            for copy, problems in page:
                for problem in problems:
                    found[problem][copy.node_id, copy.schema_name] += 1
        for problem, words in PROBLEMS.items():
            for (node_id, schema), number in sorted(found[problem].items()):
                said = f"{counted(number, 'record')} {words}"
                remedy = f"{FIX} follows Postgres"
                yield Finding("error", "neo4j", f"node {schema}", said, remedy, "record-wrong", node_id)

    async def mend(self, tally: Tally) -> None:
        """All graphs. Raises StoreUnavailable."""
        async for page in self._wrong():
            tally.add("values of records", len(page))
            if not tally.dry:
                await self._set([copy for copy, _ in page])

    async def of_node(self, node_id: UUID) -> None:
        """One node. Raises StoreUnavailable."""
        async for page in self._wrong():
            await self._set([copy for copy, _ in page if copy.node_id == node_id])

    async def _set(self, copies: list[_Copy]) -> None:
        rows = [
            {
                "record_id": str(one.record_id),
                "node_id": str(one.node_id),
                "privacy": one.privacy,
                "content_type": one.content_type,
            }
            for one in copies
        ]
        await self._neo4j.write(cypher("lifecycle/records_shown"), records=rows)
        nodes = sorted({str(one.node_id) for one in copies})
        await self._neo4j.write(cypher("lifecycle/recounted"), nodes=nodes)  # how many of them are private

    async def _wrong(self) -> AsyncIterator[list[tuple[_Copy, tuple[Wrong, ...]]]]:
        """What is wrong, beside what is right, page by page; not of a record that lies elsewhere in Postgres, which is being
        moved, or listed wrong."""
        after, statement = "", cypher("doctor/records_shown")
        while page := await self._neo4j.read(statement, row=_Shown, after=after, limit=PAGE):
            after = str(page[-1].record_id)
            shown = {(one.record_id, one.node_id): one for one in page}
            nodes = {one.node_id for one in page if one.node_id}
            asked = {"nodes": list(nodes), "records": [one.record_id for one in page]}
            copies = await self._postgres.fetch_as_service(sql_text("doctor/record_copies"), asked, row=_Copy)
            pairs = [(copy, shown.get((copy.record_id, copy.node_id))) for copy in copies]
            wrong = [(copy, problems) for copy, there in pairs if there and (problems := _problems(there, copy))]
            if wrong:
                yield wrong


def _problems(shown: _Shown, right: _Copy) -> tuple[Wrong, ...]:
    found: list[Wrong] = []
    if shown.privacy != right.privacy:
        found.append("shown" if right.privacy == "private" else "hidden")
    if shown.content_type != right.content_type or shown.label or shown.caption:
        found.append("labelled")
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Reference:
    place: str
    refers_to: str
    rows: int


@dataclass(frozen=True, slots=True)
class _Lacking:
    key: UUID
    second: str
    user_id: UUID
    rows: int


@dataclass(frozen=True, slots=True)
class _OfNode:
    schema_name: str
    decisions: int
    inputs: int


@dataclass(frozen=True, slots=True)
class _Documents:
    schema_name: str
    documents: int


@dataclass(frozen=True, slots=True)
class _Grant:
    grant_id: UUID


class RowCheck:
    """Examines the shared tables; for the operator."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def findings(self) -> AsyncIterator[Finding]:
        """One for each table that lacks rows, by what speaks of them. Raises StoreUnavailable."""
        asked = {"most": MOST_ROWS}
        for one in await self._postgres.fetch_as_service(sql_text("doctor/lost_references"), asked, row=_Reference):
            problem = f"rows lost: {_counted(one.rows)} of engine.{one.place} lead to them"
            yield Finding("error", "postgres", f"engine.{one.refers_to}", problem, BACKUP)
        for table, statement in COUNTED.items():
            for user_id, rows in sorted((await self._lacking(statement)).items()):
                yield _lost(f"engine.{table}", rows, f"of user {user_id}")
        if grants := await self._grants():
            yield _lost("engine.grants", grants, "that the graph still has", GRANTS)

    async def of_nodes(self, nodes: Collection[UUID]) -> AsyncIterator[Finding]:
        """What records of these nodes lack in the shared tables. Raises StoreUnavailable."""
        asked = {"nodes": list(nodes)}
        for one in await self._postgres.fetch_as_service(sql_text("doctor/lost_rows_of_nodes"), asked, row=_OfNode):
            for table, rows in {"assignments": one.decisions, "raw_resources": one.inputs}.items():
                if rows:
                    yield _lost(f"engine.{table}", rows, f"of records of the node {one.schema_name}")
        for lost in await self._postgres.fetch_as_service(sql_text("doctor/lost_documents"), asked, row=_Documents):
            yield _lost("engine.documents", lost.documents, f"of records of the node {lost.schema_name}")

    async def _lacking(self, statement: str) -> Counter[UUID]:
        """How many rows each user lacks, of what one statement counts page by page."""
        found, after, second = Counter[UUID](), UUID(int=0), "0"
        while page := await self._postgres.fetch_as_service(
            sql_text(statement),
            {"after": after, "after_second": second, "limit": PAGE, "most": MOST_TURNS},
            row=_Lacking,
        ):
            for one in page:
                found[one.user_id] += max(0, one.rows)
            after, second = page[-1].key, page[-1].second
        return +found

    async def _grants(self) -> int:
        """How many grants the graph has and Postgres has not."""
        found, after = 0, ""
        while page := await self._neo4j.read(cypher("doctor/grants_page"), row=_Grant, after=after, limit=PAGE):
            asked = {one.grant_id for one in page}
            there = await self._postgres.fetch_as_service(
                sql_text("mend/grants_known"), {"grants": list(asked)}, row=UUID
            )
            found, after = found + len(asked - {*there}), str(page[-1].grant_id)
        return found


def _lost(table: str, rows: int, whose: str, remedy: str = BACKUP) -> Finding:
    return Finding("error", "postgres", table, f"{_counted(rows)} lost {whose}", remedy)


def _counted(rows: int) -> str:
    return counted(rows, "row") if rows < MOST_ROWS else f"{MOST_ROWS:,} rows or more"
