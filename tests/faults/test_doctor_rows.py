"""Rows of the shared tables that are gone, of every table by the catalog: the doctor names them, or the docs say that nothing else has them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from psycopg import sql

from engine.domain.fact import WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.occasion import NewEvent
from engine.domain.principal import Principal
from engine.domain.retraction import RetractionSubject
from engine.domain.stream import StreamedTurn
from engine.errors import NeurigraphError
from engine.lifecycle import record_check
from engine.lifecycle.record_check import ALONE
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.session_stores import administrator

pytestmark = pytest.mark.usefixtures("alone")

DOCS = Path(__file__).parents[2] / "docs" / "damage.md"
MADE_AGAIN = (
    "awake_files damage derived_builds due entity_meanings fact_attributes fact_clusters insights job_runs job_totals known_entities known_relations"
    " model_answers node_centroids node_states queue_scripts term_counts"
).split()
"""What jobs make from what is there, or what is of use for a while."""
COPIED = ["outbox"]
"""What the graph has of it is looked for there, not here."""
LOST = {
    # a table, which of its rows are lost, what the doctor says
    "newest version": ("document_versions", "version = 2", "engine.document_versions: 1 row lost of user"),
    "earlier version": ("document_versions", "version = 1 AND document_id IN (SELECT document_id FROM engine.document_versions WHERE version = 2)",
                        "engine.document_versions: 1 row lost of user"),
    "all versions": ("document_versions", "true", "engine.document_versions: 4 rows lost of user"),
    "document": ("documents", "true", "engine.documents: rows lost: 5 rows of engine.document_versions lead to them"),
    "input of a version": ("raw_resources", "content_type = 'document'", "engine.raw_resources: 5 rows lost of user"),
    "input of a talk": ("raw_resources", "content_type = 'conversation'", "engine.raw_resources: 1 row lost of records of the node "),
    "turn": ("conversation_turns", "number = 1", "engine.conversation_turns: 1 row lost of user"),
    "turns": ("conversation_turns", "true", "engine.conversation_turns: 3 rows lost of user"),
    "conversation": ("conversations", "true", "engine.conversations: rows lost: 3 rows of engine.conversation_turns lead to them"),
    "withdrawal": ("retractions", "true", "engine.retractions: rows lost: 2 rows of engine.retraction_steps lead to them"),
    "steps": ("retraction_steps", "true", "engine.retraction_steps: 2 rows lost of user"),
    "move": ("assignments", "moved_from IS NOT NULL", "engine.assignments: 1 row lost of records of the node "),
    "right": ("grants", "true", "engine.grants: 1 row lost that the graph still has"),
}  # fmt: skip


@asynccontextmanager
async def without(engine: Engine, table: str, which: str) -> AsyncIterator[int]:
    """Rows of a table are gone inside, past its triggers and keys; how many."""
    place = {"table": sql.Identifier("engine", table), "which": sql.SQL(which)}  # type: ignore[arg-type]
    async with administrator(engine) as connection:
        await connection.execute("SET session_replication_role = replica")
        await connection.execute(
            sql.SQL("CREATE TEMP TABLE kept AS SELECT * FROM {table} WHERE {which}").format(**place)
        )
        done = await connection.execute(sql.SQL("DELETE FROM {table} WHERE {which}").format(**place))
        try:
            yield done.rowcount
        finally:
            names = await connection.execute(
                "SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
                " AND NOT attisdropped AND attgenerated = ''", [f"engine.{table}"])  # fmt: skip
            [[columns]] = await names.fetchall()
            place["columns"] = sql.SQL(columns)  # type: ignore[arg-type]
            await connection.execute(
                sql.SQL("INSERT INTO {table} ({columns}) OVERRIDING SYSTEM VALUE SELECT {columns} FROM kept").format(
                    **place
                )
            )


@pytest.fixture
async def lived(engine: Engine, memory: Memory) -> Memory:
    """A memory of most kinds of things."""
    lake = await memory.nodes.provision(NewNode(memory.principal.user_id, "Lake", summary="A cold lake."))
    coach = await memory.nodes.provision(NewNode(memory.principal.user_id, "Coach", node_type="persona"))
    await memory.grants.give(NewGrant(lake.node_id, "persona", coach.node_id, "read_write"))
    talk = (Turn("Bob", "Dave Kowalski works at Harlan Joinery LLC."), Turn("Bob", "The walleye bites at dusk."))
    report = await memory.records.remember(Conversation("talk", talk), node_id=memory.principal.user_id)
    await memory.records.move(report.records[0].record_id, memory.principal.user_id, lake.node_id)
    await memory.records.remember_text(
        "Manual", "The gasket of the boat leaks.", source_id="manual", node_id=lake.node_id
    )
    await memory.records.remember_text("Manual", "The gasket of the boat is new.", source_id="manual")
    for title in ("Catch", "Bait"):
        other = await memory.records.remember_text(title, f"The {title} was a pike.", node_id=lake.node_id)
        await memory.retractions.retract(RetractionSubject("record", str(other.records[0].record_id)), "not true")
    persona = engine.memory_as(Principal("persona", coach.node_id, memory.principal.user_id))
    await persona.records.remember_text("Log", "The boat is red.", source_id="long " * 95, node_id=lake.node_id)
    await memory.facts.write(WrittenFact("Dave Kowalski lives in Rome.", ("Dave Kowalski",)))
    await memory.conversations.append("stream", StreamedTurn("Bob", "Good morning."), StreamedTurn("Bob", "It rains."))
    await memory.conversations.append("brief", StreamedTurn("Bob", "Good night."))
    await memory.events.write(NewEvent("walk", "A walk to the pier."))
    for job in ("entities", "vectors"):
        await engine.derivations.run(job)
    assert await engine.doctor.examine() == []
    return memory


@pytest.fixture(autouse=True)
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost rows lie on several pages."""
    monkeypatch.setattr(record_check, "PAGE", 1)
    monkeypatch.setattr(record_check, "MOST_TURNS", 1)


async def test_lost_rows_are_named_and_only_a_backup_has_them(engine: Engine, lived: Memory) -> None:
    for lost, (table, which, said) in LOST.items():
        async with without(engine, table, which) as rows:
            assert rows, lost
            found = await engine.doctor.examine()
            of_it = [one for one in found if f"{one.subject}: {one.problem}".startswith(said)]
            assert of_it and all("backup" in one.remedy and not one.kind for one in of_it), (lost, found)
            await engine.remedies.fix(found)  # nothing of it can be mended, and nothing whole is taken
        assert await engine.doctor.examine() == [], lost


async def test_documents_of_which_only_records_are_left_are_named_and_stated_facts_are_none(
    engine: Engine, lived: Memory
) -> None:
    async with without(engine, "documents", "true"), without(engine, "document_versions", "true"):
        found = await engine.doctor.examine()
        of_it = [one.problem for one in found if one.subject == "engine.documents"]
        assert sum(int(problem.split()[0]) for problem in of_it) == 4 and all("of records of" in one for one in of_it)
    assert await engine.doctor.examine() == []


async def test_no_table_loses_its_rows_unseen_but_those_that_the_docs_name(engine: Engine, lived: Memory) -> None:
    tables = "SELECT c.relname::text FROM pg_class AS c WHERE c.relnamespace = 'engine'::regnamespace AND c.relkind = 'r' ORDER BY 1"
    unseen, empty = set(), set()
    for table in await engine.postgres.fetch_as_service(sql.SQL(tables), {}, row=str):
        async with without(engine, table, "true") as rows:
            if not rows:
                empty.add(table)
                continue
            try:
                found: list[Any] = await engine.doctor.examine()
            except NeurigraphError as error:
                found = [error]
            if not found:
                unseen.add(table)
    assert unseen - {*ALONE, *MADE_AGAIN, *COPIED} == set()
    assert empty - {*ALONE, *MADE_AGAIN, *COPIED} == set()
    said = DOCS.read_text(encoding="utf-8")
    assert [one for one in ALONE if f"`engine.{one}`" not in said] == []
    assert await engine.doctor.examine() == []
