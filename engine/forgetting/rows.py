"""Erases records from Postgres: their rows, what is derived from them, and what logs and caches say of them.

One transaction that has a permit, and beside which no write of the user goes on: first it finds all ids that go, then it notes
the objects and ids that later steps need, then it deletes or empties. What stays of others is put right: chains close up, words
leave the counts, inputs that other records have, too, go to these. Repeating it changes nothing.

Records are withdrawn before they are erased: that lets facts hold again that they had ended, and gives what they said to others
that said the same. Of records that are not withdrawn the counts and chains are put right all the same, but what they had ended
stays ended, and is stale, and a confirmation of one of their facts is withdrawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from engine.domain.forgetting import RecordPlace
from engine.stores.postgres import Connection, Jsonb, Postgres
from engine.stores.statements import sql_in, sql_text

COMMITS_AT_ONCE = 200
"""Commits of one transaction from which what was read in texts is taken."""
OF_FACTS = (
    "forgetting/facts_ended", "forgetting/facts_followed", "forgetting/facts_confirmed", "forgetting/facts_confirming",
    "forgetting/facts_chained", "forgetting/fact_attributes", "forgetting/fact_doubts", "forgetting/facts",
)  # fmt: skip
"""In this order: what ended is looked up along chains as they were, and chains get their names when they have closed up."""
DERIVED = (
    "forgetting/fact_clusters", "forgetting/insights", "forgetting/known_entities", "forgetting/known_relations",
    "forgetting/entity_meanings", "forgetting/derived_builds", "forgetting/node_centroids",
)  # fmt: skip
OF_RECORDS = (
    "forgetting/raw_resources_shared", "forgetting/raw_resources", "forgetting/document_versions", "forgetting/documents",
    "forgetting/assignments", "forgetting/due", "forgetting/due_reasons", "forgetting/replayed_records",
    "forgetting/replays", "forgetting/awake_files", "forgetting/expiries", "forgetting/retention_rules",
)  # fmt: skip
LOGS = (
    "forgetting/compression_state_log", "forgetting/accepted_damage", "forgetting/model_answers",
    "forgetting/idempotency", "forgetting/failure_log", "forgetting/job_runs",
)  # fmt: skip
OF_SOURCES = ("forgetting/conversation_turns", "forgetting/conversations", "forgetting/sources")
OF_NODE = (
    "forgetting/delta_log", "forgetting/superseded_items", "forgetting/memory_items", "forgetting/file_manifest",
    "forgetting/metadata_records",
)  # fmt: skip
BESIDES = {"superseded_items": "memory_items"}
SEVERAL = ("facts", "due", "term_counts", "raw_resources")
"""Tables that several statements change, whose names begin with that of the table."""


class UnfinishedCommits(Exception):
    """Commits of the user are pending or set aside: their changes of the graph would come after what is erased. Nothing was
    written."""

    def __init__(self, commits: Sequence[UUID]) -> None:
        self.commits = tuple(commits)
        super().__init__(f"Commits of the user are not finished: {', '.join(map(str, commits))}.")


@dataclass(frozen=True, slots=True)
class _RecordsAt:
    node_id: UUID
    schema_name: str


@dataclass(frozen=True, slots=True)
class _AtNode:
    slices: list[UUID]
    items: list[UUID]
    files: list[UUID]
    commits: list[UUID]


@dataclass(frozen=True, slots=True)
class _Shared:
    facts: list[UUID]
    files: list[UUID]
    commits: list[UUID]
    named: list[UUID]
    sources: list[str]


class ErasedRows:
    """Erases records of a user from Postgres."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def erase(self, forgetting_id: UUID, user_id: UUID, records: Sequence[RecordPlace]) -> dict[str, int]:
        """Erases records, at most some hundred at once; how many rows were deleted or emptied, by table.

        Of the things of the forgetting it reads the sources, by their ids as records have them, which go whole, and the
        entities, relations, intentions and ingests that commits and answers may name. It notes the keys of objects, and
        the facts, items and files that went. Raises UnfinishedCommits, StoreUnavailable, StoreFailed.
        """
        counts: dict[str, int] = {}
        while taken := await self.take_read(user_id):
            counts["outbox"] = counts.get("outbox", 0) + taken
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_text("forgetting/hold"), {"user_id": user_id})
            asked = {"forgetting_id": forgetting_id, "user_id": user_id}
            if commits := await connection.fetch(sql_text("forgetting/commits_unfinished"), asked, row=UUID):
                raise UnfinishedCommits(commits)
            await connection.execute(sql_text("forgetting/permit"), asked)
            await RowErasure(connection, forgetting_id, user_id, records, counts).carry_out()
        return {table: rows for table, rows in counts.items() if rows}

    async def take_read(self, user_id: UUID) -> int:
        """Takes what was read in texts from a page of finished commits; how many commits."""
        asked = {"user_id": user_id, "most": COMMITS_AT_ONCE}
        return len(await self._postgres.fetch_as_service(sql_text("forgetting/commits_read"), asked, row=UUID))


class RowErasure:
    """The erasure of some records in one transaction, which has its permit."""

    def __init__(
        self,
        connection: Connection,
        forgetting_id: UUID,
        user_id: UUID,
        records: Sequence[RecordPlace],
        counts: dict[str, int],
    ) -> None:
        self._connection, self._counts = connection, counts
        self._asked: dict[str, Any] = {
            "forgetting_id": forgetting_id,
            "user_id": user_id,
        }
        self._records = records
        self._places: list[_RecordsAt] = []

    async def carry_out(self) -> None:
        """Erases them, in the order in which rows need each other; the notes of what is due are the last lock."""
        await self._find()
        await self._note()
        await self._take_withdrawals()
        await self._connection.execute(sql_text("forgetting/facts_order_free"))
        await self._take([*OF_FACTS, *DERIVED, *OF_RECORDS, *LOGS])
        await self._take_ingests()
        await self._take(OF_SOURCES)
        await self._take_commits()
        for place in self._places:
            await self._take_node(place)
        await self._take(["forgetting/term_counts_zero"])
        await self._connection.execute(sql_text("forgetting/due_again"), self._asked)

    # what goes -------------------------------------------------------------------------------------------

    async def _find(self) -> None:
        """All ids that go, as parameters of the statements; nothing of records at nodes of others."""
        asked = self._asked | {"nodes": [one.node_id for one in self._records]}
        asked |= {"records": list({one.record_id for one in self._records})}
        self._places = await self._connection.fetch(sql_text("forgetting/places"), asked, row=_RecordsAt)
        own = {place.node_id for place in self._places}
        self._asked["records"] = sorted({one.record_id for one in self._records if one.node_id in own})
        at = [
            one
            for place in self._places
            for one in await self._connection.fetch(
                sql_in("forgetting/found", place.schema_name), self._asked, row=_AtNode
            )
        ]
        [shared] = await self._connection.fetch(sql_text("forgetting/found_shared"), self._asked, row=_Shared)
        slices, items = _all(one.slices for one in at), _all(one.items for one in at)
        files = _all([shared.files, *(one.files for one in at)])
        rows = [*self._asked["records"], *slices]
        ids = _all([rows, items, shared.facts, files, shared.named])
        self._asked |= {
            "nodes": [place.node_id for place in self._places],
            "rows": rows,
            "slices": slices,
            "items": items,
            "facts": shared.facts,
            "files": files,
            "commits": _all([shared.commits, *(one.commits for one in at)]),
            "sources": shared.sources,
            "names": sorted({*shared.sources, *(one.removeprefix("conversation:") for one in shared.sources)}),
            "given": sorted({one.partition(":")[2] for one in shared.sources}),
            "ids": ids,
            "known": Jsonb(dict.fromkeys(map(str, ids))),
        }

    async def _note(self) -> None:
        """Notes objects and ids for the later steps; a file that other records have, too, is not one of them."""
        shared = await self._connection.fetch(sql_text("forgetting/shared_files"), self._asked, row=UUID)
        asked = self._asked | {"shared": shared}
        for place in self._places:
            statement = sql_in("forgetting/objects", place.schema_name)
            await self._connection.execute(statement, asked | {"node_id": place.node_id})
        await self._connection.execute(sql_text("forgetting/objects_of_inputs"), asked)
        things = [
            (kind, str(one))
            for kind, name in (("fact", "facts"), ("item", "items"), ("slice", "slices"), ("file", "files"))
            for one in self._asked[name]
            if kind != "file" or one not in shared
        ]
        if things:
            kinds, ids = zip(*things, strict=True)
            noted = self._asked | {"kinds": list(kinds), "things": list(ids)}
            await self._connection.execute(sql_text("forgetting/things"), noted)

    # what is deleted or emptied --------------------------------------------------------------------------

    async def _take(self, statements: Iterable[str]) -> None:
        for name in statements:
            cursor = await self._connection.execute(sql_text(name), self._asked)
            self._count(_table_of(name), cursor.rowcount)

    def _count(self, table: str, rows: int) -> None:
        self._counts[table] = self._counts.get(table, 0) + rows

    async def _take_withdrawals(self) -> None:
        steps = await self._connection.fetch(sql_text("forgetting/retraction_steps"), self._asked, row=UUID)
        self._count("retraction_steps", len(steps))
        await self._take(["forgetting/retracted_facts"])
        asked = self._asked | {"retractions": sorted(set(steps))}
        cursor = await self._connection.execute(sql_text("forgetting/retractions"), asked)
        self._count("retractions", cursor.rowcount)

    async def _take_ingests(self) -> None:
        """Lines of ingests, and ingests of which no line is left."""
        lines = await self._connection.fetch(sql_text("forgetting/ingest_sources"), self._asked, row=UUID)
        self._count("ingest_sources", len(lines))
        asked = self._asked | {"sessions": sorted(set(lines))}
        for name in ("forgetting/ingest_sessions", "forgetting/ingest_sessions_failed"):
            cursor = await self._connection.execute(sql_text(name), asked)
            self._count("ingest_sessions", cursor.rowcount)

    async def _take_commits(self) -> None:
        shortened = await self._connection.fetch(sql_text("forgetting/commits"), self._asked, row=UUID)
        self._count("outbox", len(shortened))
        asked = self._asked | {"commits": _all([self._asked["commits"], shortened])}
        cursor = await self._connection.execute(sql_text("forgetting/commit_log"), asked)
        self._count("commit_log", cursor.rowcount)

    async def _take_node(self, place: _RecordsAt) -> None:
        """The rows of one node; their words leave its counts first."""
        words = self._asked | {"node_schema": place.schema_name}
        await self._connection.execute(sql_text("forgetting/term_counts"), words)
        for name in OF_NODE:
            cursor = await self._connection.execute(sql_in(name, place.schema_name), self._asked)
            self._count(_table_of(name), cursor.rowcount)


def _table_of(statement: str) -> str:
    """The table that a statement changes: it is called by it, and by what is done there besides."""
    name = statement.partition("/")[2]
    return BESIDES.get(name) or next((table for table in SEVERAL if name.startswith(f"{table}_")), name)


def _all(lists: Iterable[Iterable[UUID]]) -> list[UUID]:
    """All ids of some lists, each once."""
    return sorted({one for ids in lists for one in ids})
