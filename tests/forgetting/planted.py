"""A memory with two sorts of sources: those that are forgotten have words that nobody else has, and the others stay as they are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from psycopg import sql

from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.forgetting import RecordPlace
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.retention import NewRetentionRule
from engine.domain.retraction import RetractionSubject
from engine.domain.stream import StreamedTurn
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.postgres import Connection
from tests.reader import WHEN

WORDS = (
    "Quorvane", "Zembrith", "Plimbex", "Tumblewick", "Vandrelle", "Ostrimund", "Kelvaston", "Brindlequay", "Humbergast", "Wexfarrow",
    "Yolvander", "Fernhollock", "Drossmere", "Pellumbra", "Skarnhythe", "Grelvoss", "Mottleby", "Cressingate",
)  # fmt: skip
"""Words that only what is forgotten has."""
UNSEARCHED = {"forgetting_things", "forgetting_objects"}
Rows = dict[str, set[str]]


@dataclass
class Planted:
    """What is to be forgotten: records, sources by their ids as records have them, ids. `other`: another user."""

    user: User
    other: User
    records: list[RecordPlace] = field(default_factory=list)
    sources: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    facts: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)

    @property
    def traces(self) -> set[str]:
        """What must be found nowhere, in lower case."""
        return {word.lower() for word in WORDS} | self.ids | {source.lower() for source in self.sources}


async def say(memory: Memory, source: str, day: int, *texts: str, **where: Any) -> UUID:
    turns = tuple(Turn("Bob", text) for text in texts)
    report = await memory.records.remember(Conversation(source, turns, started_at=WHEN + timedelta(days=day)), **where)
    return report.records[0].record_id


async def plant(engine: Engine, user: User, other: User) -> Planted:
    """Fills both memories through the operations, and by hand what no operation fills at once."""
    memory, planted = engine.memory(user.user_id), Planted(user, other)
    fishing, sailing = [
        (await memory.nodes.provision(NewNode(user.user_id, name, keywords=words))).node_id
        for name, words in (("Fishing", ("boat", "walleye", "lake")), ("Finances", ("payroll", "invoice")))
    ]
    persona = (await memory.nodes.provision(NewNode(user.user_id, "Butler", "persona"))).node_id
    await memory.grants.give(NewGrant(persona, "persona", persona, "read_write"))
    butler = engine.memory_as(Principal("persona", persona, user.user_id))
    await _staying(memory, engine.memory(other.user_id), butler, fishing, persona)
    gone = await _going(memory, butler, fishing, sailing, persona)
    await _found(engine, planted, gone)
    await _by_hand(engine, planted, fishing)
    return planted


async def _staying(memory: Memory, others: Memory, butler: Memory, fishing: UUID, persona: UUID) -> None:
    await say(
        memory,
        "kept talk",
        0,
        "Dave lives in Berlin.",
        "Dave likes tea.",
        "Elena lives in Oslo.",
        "Anna sells boats in Hull.",
        node_id=fishing,
    )
    await say(memory, "kept again", 30, "Dave lives in Rome.", "Otto plays chess.", node_id=fishing)
    await memory.records.remember_text(
        "Handbook", "# Pump\n\nCall the office when it is loud.", source_id="kept handbook", node_id=fishing
    )
    await memory.records.remember_text(
        "Handbook", "# Pump\n\nCall the captain when it is loud.", source_id="kept handbook", node_id=fishing
    )
    await say(butler, "kept by butler", 3, "The silver is in the cellar.", node_id=persona)
    wrong = await say(memory, "kept withdrawn", 4, "Otto lives in Bergen.", node_id=fishing)
    await memory.retractions.retract(RetractionSubject("record", str(wrong)), "wrong town")
    await memory.once("kept key").records.remember_text("Note", "The lamp is blue.", node_id=fishing)
    await say(others, "kept of another", 0, "Dave lives in Berlin.", "Marta paints the fence.")


async def _going(memory: Memory, butler: Memory, fishing: UUID, finances: UUID, persona: UUID) -> list[UUID]:
    """Stores what is to be forgotten; its records."""
    first = await say(
        memory,
        "talk of Ostrimund",
        10,
        "Dave lives in Quorvane.",
        "Otto plays chess.",
        "Nadia paints boats.",
        "Elena lives in Quorvane.",
        "Zembrith Plimbex is married to Anna Harlan.",
        node_id=fishing,
    )
    await say(
        memory,
        "kept after",
        40,
        "Dave lives in Quorvale.",
        "Otto plays chess.",
        "Nadia paints boats.",
        "Elena lives in Turin.",
        node_id=fishing,
    )
    lease = "lease of Vandrelle"
    for text in ("Tumblewick pays 900.", "Kelvaston pays 950."):
        report = await memory.records.remember_text(
            "Lease", f"# Rent of Drossmere\n\n{text}", source_id=lease, node_id=fishing
        )
    document = report.documents[0].document_id
    lake, money = (
        "We took the boat of Brindlequay to the lake for walleye. " * 18,
        "The payroll of Humbergast waits for the invoice. " * 18,
    )
    shared = await memory.records.remember_text(
        "A week", f"# Lake\n\n{lake}\n\n{lake}\n\n# Money\n\n{money}\n\n{money}", source_id="week of Wexfarrow"
    )
    assert len(shared.records) == 2
    moved = await say(memory, "talk of Yolvander", 12, "The shed of Yolvander opens with 1111.", node_id=fishing)
    await memory.records.move(moved, fishing, finances, reason="Yolvander is no fish")
    await _changed(memory, first, fishing)
    await memory.retention.set(NewRetentionRule(900, source="lease of Vandrelle"))
    await memory.retention.set(NewRetentionRule(900, source="kept handbook"))
    later = memory.until(datetime.now(UTC) + timedelta(days=900))
    note = await later.once("key of Fernhollock").records.remember_text(
        "Fernhollock", "The gate of Fernhollock is green.", node_id=fishing
    )
    await memory.conversations.append(
        "stream of Pellumbra", StreamedTurn("Bob", "I met Pellumbra in Hull."), title="Pellumbra", node_id=fishing
    )
    ended = await memory.conversations.end("stream of Pellumbra")
    own = await say(butler, "butler on Skarnhythe", 5, "Skarnhythe drinks sherry.", node_id=persona)
    undone = await memory.retractions.retract(RetractionSubject("record", str(moved)), "Grelvoss said so")
    await memory.retractions.undo(undone.retraction_id)
    await memory.retractions.retract(RetractionSubject("source", "stream of Pellumbra"), "Grelvoss said so")
    async with memory.files.open(fishing, report.records[0].file_id or note.records[0].file_id):
        pass
    [fact] = await memory.facts.write(WrittenFact("Bob's locker belongs to Mottleby."), node_id=fishing)
    records = [first, document, *(one.record_id for one in shared.records), moved, note.records[0].record_id]
    return [*records, *(one.record_id for one in ended.records), own, fact.record_id]


async def _changed(memory: Memory, record: UUID, node: UUID) -> None:
    """Corrections and changes, whose former values the log keeps."""
    fields = {"title": "Talk with Cressingate", "summary": "Cressingate was there."}
    await memory.history.change(Change("record", record, fields, node, correction=True, reason="Cressingate asked"))
    await memory.history.change(Change("record", record, {"title": "Talk"}, node))
    for fact in await memory.facts.list():
        if "Plimbex" in fact.text:
            text = "Zembrith Plimbex is the wife of Anna."
            await memory.history.change(Change("item", fact.fact_id, {"content": text}, fact.node_id, correction=True))


async def _found(engine: Engine, planted: Planted, records: Sequence[UUID]) -> None:
    """Reads all ids of the records."""
    asked = {"user": planted.user.user_id, "records": list(records)}
    async with engine.postgres.as_service() as connection:
        nodes = await rows(connection, "SELECT node_id, schema_name FROM engine.nodes WHERE user_id = %(user)s", asked)
        for node in nodes:
            for table, named, given in (
                ("metadata_records", "record_id", "record_id = ANY (%(records)s) OR version_of = ANY (%(records)s)"),
                ("memory_items", "item_id", "record_id = ANY (%(records)s)"),
                ("file_manifest", "file_id", "record_id = ANY (%(records)s)"),
            ):
                place = sql.Identifier(node["schema_name"], table)
                statement = sql.SQL(f"SELECT * FROM {{place}} WHERE {given}").format(place=place)  # type: ignore[arg-type]
                for row in await rows(connection, statement, asked):
                    planted.ids.add(str(row[named]))
                    planted.keys |= {row[name] for name in ("storage_path", "file_pointer") if row.get(name)}
                    if table == "metadata_records":
                        planted.sources.add(row["source_id"])
                        if row["version_of"] is None:
                            planted.records.append(RecordPlace(node["node_id"], node["schema_name"], row["record_id"]))
        assert {one.record_id for one in planted.records} == set(records)
        for statement in (
            "SELECT fact_id AS id FROM engine.facts WHERE record_id = ANY (%(records)s)",
            "SELECT resource_id AS id, object_key AS key FROM engine.raw_resources WHERE record_id = ANY (%(records)s)",
            "SELECT file_id AS id FROM engine.document_versions WHERE document_id = ANY (%(records)s)",
            "SELECT session_id AS id FROM engine.ingest_sources WHERE records && %(records)s",
        ):
            found = await rows(connection, statement, asked)
            planted.ids |= {str(row["id"]) for row in found}
            planted.keys |= {row["key"] for row in found if "key" in row}
            planted.facts |= {str(row["id"]) for row in found if "fact_id" in statement}


async def _by_hand(engine: Engine, planted: Planted, node: UUID) -> None:
    """Rows of tables that jobs and failures fill, about what is forgotten and about what stays."""
    record, fact = planted.records[0].record_id, UUID(min(planted.facts))
    asked = {
        "user": planted.user.user_id,
        "node": node,
        "record": record,
        "fact": fact,
        "source": min(planted.sources),
        "replay": uuid4(),
        "other": uuid4(),
    }
    async with engine.postgres.as_service() as connection:
        for statement in HAND:
            await connection.execute(statement, asked)  # type: ignore[arg-type]


HAND = (
    "INSERT INTO engine.accepted_damage (node_id, kind, subject, detail) VALUES (%(node)s, 'file-lost', %(record)s::text, ''), (%(node)s, 'file-lost', %(other)s::text, '')",
    "INSERT INTO engine.commit_log (event, commit_id, user_id, kind, actor, detail) SELECT 'retried', r.commit_id, %(user)s, 'records', 'operator', 'Grelvoss failed'"
    " FROM engine.raw_resources AS r WHERE r.record_id = %(record)s",
    "INSERT INTO engine.due (derivation, node_id, record_id, reason) VALUES ('reading', %(node)s, %(record)s, 'Grelvoss')",
    "UPDATE engine.due SET reason = 'Grelvoss', after = %(record)s WHERE node_id = %(node)s AND record_id = '00000000-0000-0000-0000-000000000000'",
    "INSERT INTO engine.entity_meanings (entity_id, user_id, embedding_version, descriptors, centroid, drift, items, rebuilt_at)"
    " SELECT %(other)s, %(user)s, v.name, '{Grelvoss}', array_fill(0.1, ARRAY[v.dimension])::vector, 0, 1, now() FROM engine.embedding_versions AS v WHERE v.status = 'active'",
    "INSERT INTO engine.fact_clusters (cluster_id, user_id, name, size, summary, facts, changed_at) VALUES (gen_random_uuid(), %(user)s, 'Grelvoss', 1, '', ARRAY[%(fact)s], now()),"
    " (gen_random_uuid(), %(user)s, 'kept cluster', 1, '', ARRAY[%(other)s], now())",
    "INSERT INTO engine.failure_log (user_id, stage, cause, detail, subject, reference, first_at, last_at) VALUES"
    " (%(user)s, 'reading', 'Broken', '', 'record:' || %(record)s, '{}', now(), now()), (%(user)s, 'read', 'Broken', 'Grelvoss', %(source)s, '{}', now(), now()),"
    " (%(user)s, 'read', 'Broken', '', 'kept file', '{}', now(), now())",
    "INSERT INTO engine.insights (insight_id, user_id, kind, key, text, facts, relations, entities, records, known_from, built_at) VALUES"
    " (gen_random_uuid(), %(user)s, 'insight', sha256('a'), 'Grelvoss', '{}', '{}', '{}', ARRAY[%(record)s], now(), now()),"
    " (gen_random_uuid(), %(user)s, 'insight', sha256('b'), 'kept insight', '{}', '{}', '{}', ARRAY[%(other)s], now(), now())",
    "INSERT INTO engine.job_runs (run_id, job, cause, attempt, started_at, finished_at, outcome, report) VALUES"
    " (coalesce((SELECT max(run_id) FROM engine.job_runs), 0) + 100000, 'sweep', 'schedule', 1, now(), now(), 'succeeded', json_build_object('record', %(record)s))",
    "INSERT INTO engine.known_entities (entity_id, user_id, name, kind, mentions, nodes, read_at, last_mentioned_at) VALUES (gen_random_uuid(), %(user)s, 'Grelvoss', 'person', 1, 1, now(), now())",
    "INSERT INTO engine.known_relations (relation_id, user_id, source_id, target_id, relation_type, strength, confidence, since, read_at)"
    " VALUES (gen_random_uuid(), %(user)s, %(other)s, %(other)s, 'Grelvoss', 1, 1, NULL, now())",
    "INSERT INTO engine.model_answers (user_id, key, model, prompt, answer, input_tokens, output_tokens, created_at, records) VALUES"
    " (%(user)s, sha256('a'), 'm', 'p', '{\"a\": \"Grelvoss\"}', 1, 1, now(), ARRAY[%(record)s]),"
    " (%(user)s, sha256('b'), 'm', 'p', '{\"a\": \"kept answer\"}', 1, 1, now(), ARRAY[%(other)s])",
    "INSERT INTO engine.model_answers (user_id, key, model, prompt, answer, input_tokens, output_tokens, created_at) VALUES"
    " (%(user)s, sha256('c'), 'm', 'p', '{\"a\": \"Grelvoss\"}', 1, 1, now())",
    "INSERT INTO engine.derived_builds (user_id, mark, communities, built_at) VALUES (%(user)s, 'Grelvoss', 1, now())"
    " ON CONFLICT (user_id) DO UPDATE SET mark = excluded.mark",
    "INSERT INTO engine.node_centroids (node_id, version, centroid, items) SELECT %(node)s, v.name, array_fill(0.1, ARRAY[v.dimension])::vector, 1"
    " FROM engine.embedding_versions AS v WHERE v.status = 'active' ON CONFLICT DO NOTHING",
    "INSERT INTO engine.replays (replay_id, user_id, state, began_at, after_node, after_record, total) VALUES (%(replay)s, %(user)s, 'built', now(), %(node)s, %(record)s, 1)",
    "INSERT INTO engine.replayed_records (replay_id, record_id, user_id, node_id, revision, kept, added, ended, summary, keywords, missing, plan)"
    " VALUES (%(replay)s, %(record)s, %(user)s, %(node)s, 1, 0, 0, 0, true, true, false, '{\"a\": \"Grelvoss\"}')",
)  # fmt: skip
"""One row about what is forgotten, and where that is possible one about what stays."""


# what is looked at ------------------------------------------------------------------------------------------


async def rows(connection: Connection, statement: Any, asked: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    cursor = await connection.execute(sql.SQL(statement) if isinstance(statement, str) else statement, asked)
    return await cursor.fetchall()  # type: ignore[return-value]


async def all_rows(connection: Connection) -> Rows:
    """Every row of every table as JSON, by the table: the schema of a node and the table, or the table alone."""
    tables = await rows(
        connection,
        "SELECT n.nspname AS place, c.relname AS name FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
        " WHERE c.relkind = 'r' AND n.nspname !~ '^pg_|^information_schema$|^template$' AND c.relname <> ALL (%(unsearched)s) AND has_table_privilege(c.oid, 'SELECT')",
        {"unsearched": sorted(UNSEARCHED)},
    )
    found: Rows = {}
    for one in tables:
        statement = sql.SQL("SELECT to_jsonb(t)::text AS row FROM {} AS t").format(
            sql.Identifier(one["place"], one["name"])
        )
        name = one["name"] if one["place"] in ("engine", "_queue", "public") else f"{one['place']}.{one['name']}"
        found[name] = {row["row"] for row in await rows(connection, statement)}
    return found


def traces(found: Rows, planted: Planted) -> dict[str, set[str]]:
    """The planted words and ids that are found, by table."""
    there: dict[str, set[str]] = {}
    for table, lines in found.items():
        text = "\n".join(lines).lower()
        if named := {one for one in planted.traces if one in text}:
            there[table.rpartition(".")[2]] = there.get(table.rpartition(".")[2], set()) | named
    return there


def without(line: str, columns: Iterable[str]) -> str:
    """A row without these columns."""
    row = json.loads(line)
    return json.dumps({name: value for name, value in row.items() if name not in columns}, sort_keys=True)


async def new_forgetting(connection: Connection, planted: Planted, *, sources: bool = True) -> UUID:
    """Enters a forgetting that goes on, with or without the sources as its things."""
    forgetting_id = uuid4()
    asked = {"id": forgetting_id, "user": planted.user.user_id, "sources": sorted(planted.sources) if sources else []}
    await connection.execute(
        "INSERT INTO engine.forgettings (forgetting_id, user_id, user_hash, kind, subject, subject_hash, authored_by, state, step, began_at)"
        " VALUES (%(id)s, %(user)s, engine.tombstone('user', NULL, %(user)s::text), 'source', 'x', engine.tombstone('source', %(user)s, %(id)s::text), 'user', 'running', 'rows', now())",
        asked,
    )
    await connection.execute(
        "INSERT INTO engine.forgetting_things (forgetting_id, kind, hash, thing)"
        " SELECT %(id)s, 'source', engine.tombstone('source', %(user)s, s.id), s.id FROM unnest(%(sources)s::text[]) AS s (id)",
        asked,
    )
    return forgetting_id
