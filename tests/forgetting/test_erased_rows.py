"""Records are erased from Postgres: nothing that was theirs alone is left in any table, and what others said is as it was."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from uuid import uuid4

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from engine.domain.forgetting import RecordPlace
from engine.domain.retraction import RetractionSubject
from engine.errors import Conflict, NeurigraphError
from engine.forgetting import rows as erasing
from engine.forgetting.rows import ErasedRows, RowErasure, UnfinishedCommits
from engine.neurigraph import Engine
from engine.stores.postgres import Connection
from engine.stores.statements import sql_text
from tests.facts.test_facts import stated
from tests.forgetting.planted import Planted, Rows, all_rows, new_forgetting, plant, rows, traces, without
from tests.model_server import model_server
from tests.reader import reader

pytestmark = pytest.mark.ledger("N22")
DERIVED = {
    "derived_builds",
    "due",
    "entity_meanings",
    "known_entities",
    "known_relations",
    "node_centroids",
    "term_counts",
    "installation",
}
"""Tables that are derived anew, or have to be; and the mark of the stores, which every engine writes now and then."""
CHANGED = {
    "facts": {"chain_id", "supersedes", "ended_by", "confirms", "confirmations", "last_confirmed_at", "stale", "revision", "status", "invalidated_at"},
    "outbox": {"payload", "kind", "kinds"},
}  # fmt: skip
"""By table: columns of rows of others that may become others."""
STATEMENTS = sorted(
    {*erasing.OF_FACTS, *erasing.DERIVED, *erasing.OF_RECORDS, *erasing.LOGS, *erasing.OF_SOURCES, *erasing.OF_NODE}
    | {f"forgetting/{name}" for name in ("retraction_steps", "retracted_facts", "retractions", "ingest_sources", "ingest_sessions", "commits")}
    | {f"forgetting/{name}" for name in ("commit_log", "term_counts", "term_counts_zero", "objects", "objects_of_inputs", "things", "due_again")}
)  # fmt: skip
NOT_NEEDED = {
    "forgetting/fact_attributes": "they go with their facts: it counts them",
    "forgetting/fact_doubts": "they go with their facts: it counts them",
    "forgetting/conversation_turns": "they go with their conversation: it counts them",
    "forgetting/ingest_sessions_failed": "an ingest that failed and stays",
    "forgetting/superseded_items": "no writer names the item that superseded another",
    "forgetting/raw_resources_shared": "all records of the document go: see the test of one of two",
    "forgetting/objects_of_inputs": "the manifest has the same keys until it is lost",
}
"""Statements that this home needs not: why."""


@dataclass(frozen=True, slots=True)
class Home:
    """A memory that is filled, and all rows as they were."""

    engine: Engine
    planted: Planted
    before: Rows


@pytest.fixture(scope="module")
async def home(engine: Engine, few_nodes: None) -> AsyncIterator[Home]:
    """Filled once; each test but the last one erases in a transaction that is taken back."""
    with model_server(stated) as server:
        async with reader(engine.settings, server) as reads:
            user, other = [
                await engine.workspace.users.create(f"f{uuid4().hex[:12]}", name) for name in ("Bob Harlan", "Eve")
            ]
            planted = await plant(reads, user, other)
            while await ErasedRows(reads.postgres).take_read(user.user_id):
                pass  # these commits are not taken back
            async with reads.postgres.as_service() as connection:
                yield Home(reads, planted, await all_rows(connection))


class TakenBack(Exception):
    """Ends a transaction."""


@asynccontextmanager
async def erased(home: Home, records: Sequence[RecordPlace] | None = None) -> AsyncIterator[Connection]:
    """Everything erased, in a transaction that is taken back."""
    try:
        async with home.engine.postgres.as_service() as connection:
            forgetting_id = await new_forgetting(connection, home.planted, sources=records is None)
            await connection.execute(sql_text("forgetting/permit"), {"forgetting_id": forgetting_id})
            given = home.planted.records if records is None else records
            await connection.execute(
                "DELETE FROM engine.due AS d USING engine.nodes AS n WHERE n.node_id = d.node_id AND n.name = 'Butler'"
            )
            await RowErasure(connection, forgetting_id, home.planted.user.user_id, given, {}).carry_out()
            yield connection
            raise TakenBack
    except TakenBack:
        pass


# what may be wrong ------------------------------------------------------------------------------------------


async def problems(home: Home, connection: Connection) -> list[str]:
    """All that is wrong after everything was erased."""
    after = await all_rows(connection)
    found = [f"{table}: {sorted(words)}" for table, words in traces(after, home.planted).items()]
    found += [f"{table} lost {line[:300]}" for table, line in _lost(home, after)]
    for text, query in WRONG.items():
        asked = {
            "user": home.planted.user.user_id,
            "keys": sorted(home.planted.keys),
            "facts": sorted(home.planted.facts),
        }
        if await rows(connection, query, asked):
            found.append(text)
    for node in await rows(connection, "SELECT node_id AS node, schema_name AS schema FROM engine.nodes"):
        if await rows(connection, COUNTED, node):
            found.append(f"the words of {node['schema']} are not counted as they are")
    return found


WRONG = {
    "a fact names one that is gone": "SELECT FROM engine.facts AS f, LATERAL (VALUES (f.supersedes), (f.ended_by), (f.confirms), (f.chain_id)) AS n (id)"
    " WHERE n.id IS NOT NULL AND NOT EXISTS (SELECT FROM engine.facts AS o WHERE o.fact_id = n.id)",
    "a chain is torn": "SELECT FROM engine.facts AS f JOIN engine.facts AS o ON o.fact_id = f.supersedes WHERE o.chain_id <> f.chain_id",
    "confirmations are counted otherwise": "SELECT FROM engine.facts AS f WHERE f.status <> 'withdrawn' AND f.confirmations <> (SELECT count(*) FROM engine.facts AS o WHERE o.confirms = f.fact_id)",
    "an object is not noted": "SELECT unnest(%(keys)s::text[]) EXCEPT SELECT o.object_key FROM engine.forgetting_objects AS o",
    "the copy of an open file is not noted": "SELECT WHERE NOT EXISTS (SELECT FROM engine.forgetting_objects AS o WHERE o.object_key LIKE '%%/warm/%%')",
    "a file of others is noted": "SELECT FROM engine.forgetting_objects AS o WHERE o.object_key <> ALL (%(keys)s::text[]) AND o.object_key NOT LIKE '%%/warm/%%'",
    "a fact is not noted": "SELECT unnest(%(facts)s::text[]) EXCEPT SELECT t.thing FROM engine.forgetting_things AS t WHERE t.kind = 'fact'",
    "something is not derived anew": "SELECT FROM engine.derived_builds AS b WHERE b.user_id = %(user)s AND b.mark <> '' UNION ALL SELECT FROM engine.entity_meanings AS m WHERE m.user_id = %(user)s"
    " UNION ALL SELECT FROM engine.node_centroids AS c JOIN engine.nodes AS n USING (node_id) WHERE n.user_id = %(user)s AND n.name = 'Fishing'"
    " UNION ALL SELECT FROM engine.derivations AS m WHERE 'content' = ANY (m.needs) AND NOT EXISTS (SELECT FROM engine.due AS d JOIN engine.nodes AS n USING (node_id)"
    "   WHERE d.derivation = m.name AND n.name = 'Butler')",
    "a key is not known as forgotten": "SELECT WHERE NOT EXISTS (SELECT FROM engine.forgotten AS f WHERE f.hash = engine.tombstone('key', %(user)s, 'key of Fernhollock'))",
    "a word that nobody has is counted": "SELECT FROM engine.term_counts AS t JOIN engine.nodes AS n USING (node_id) WHERE t.documents = 0 AND n.user_id = %(user)s",
}  # fmt: skip
"""Queries that find nothing."""
COUNTED = (
    "(SELECT w.unit, w.term, w.documents FROM engine.words_of(%(schema)s, NULL) AS w"
    " EXCEPT SELECT t.unit, t.term, t.documents FROM engine.term_counts AS t WHERE t.node_id = %(node)s)"
    " UNION ALL (SELECT t.unit, t.term, t.documents FROM engine.term_counts AS t WHERE t.node_id = %(node)s AND t.documents > 0"
    " EXCEPT SELECT w.unit, w.term, w.documents FROM engine.words_of(%(schema)s, NULL) AS w)"
)


def _lost(home: Home, after: Rows) -> list[tuple[str, str]]:
    """Rows that named nothing that is forgotten, and are gone or others than before."""
    found = []
    for table, lines in home.before.items():
        name = table.rpartition(".")[2]
        if name not in DERIVED:
            columns = CHANGED.get(name, set())
            there = {without(line, columns) for line in after[table]}
            lost = [line for line in lines - after[table] if without(line, columns) not in there]
            found += [(name, line) for line in lost if not _goes(home.planted, name, line)]
    return found


def _goes(planted: Planted, table: str, line: str) -> bool:
    if table == "model_answers" and json.loads(line)["records"] == []:
        return str(planted.user.user_id) in line
    return any(one in line.lower() for one in planted.traces)


# what is erased ---------------------------------------------------------------------------------------------


async def test_the_home_has_something_of_it_in_every_table(home: Home) -> None:
    tables = {name.partition("/")[2] for name in STATEMENTS} & {table.rpartition(".")[2] for table in home.before}
    assert tables - traces(home.before, home.planted).keys() == {"fact_doubts", "node_centroids", "term_counts"}


async def test_nothing_of_erased_records_is_left_and_the_others_stay(home: Home) -> None:
    async with erased(home) as connection:
        assert await problems(home, connection) == []


@pytest.mark.parametrize("left_out", [name for name in STATEMENTS if name not in NOT_NEEDED])
async def test_each_statement_is_needed(home: Home, left_out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = sql.SQL("SELECT NULL::uuid WHERE false")
    texts, places = erasing.sql_text, erasing.sql_in
    monkeypatch.setattr(erasing, "sql_text", lambda name: nothing if name == left_out else texts(name))
    monkeypatch.setattr(erasing, "sql_in", lambda name, schema: nothing if name == left_out else places(name, schema))
    found = []
    try:
        async with erased(home) as connection:
            found = await problems(home, connection)
    except NeurigraphError:  # what is left refers to what is gone
        found = ["a key"]
    assert found


async def test_one_of_two_records_of_a_document_leaves_their_file_to_the_other(home: Home) -> None:
    async with home.engine.postgres.as_service() as connection:
        shared = await rows(connection, "SELECT * FROM engine.raw_resources WHERE source_id LIKE '%%week of Wexfarrow'")
        parts = await rows(
            connection, "SELECT document_id FROM engine.document_versions WHERE file_id = %(resource_id)s", shared[0]
        )
    gone, stays = [next(one for one in home.planted.records if one.record_id == part["document_id"]) for part in parts]
    for one, other in ((gone, stays), (stays, gone)):
        async with erased(home, [one]) as connection:
            assert await rows(connection, "SELECT * FROM engine.forgetting_objects") == []
            [left] = await rows(
                connection, "SELECT * FROM engine.raw_resources WHERE source_id LIKE '%%week of Wexfarrow'"
            )
            assert left == shared[0] | {"record_id": other.record_id, "node_id": other.node_id}
            assert not any(
                str(one.record_id) in line for lines in (await all_rows(connection)).values() for line in lines
            )


async def test_records_of_another_user_are_not_erased(home: Home) -> None:
    """Of the user who is named only what is made anew anyway goes."""
    async with home.engine.postgres.as_service() as connection:
        forgetting_id = await new_forgetting(connection, replace(home.planted, user=home.planted.other))
    await ErasedRows(home.engine.postgres).erase(forgetting_id, home.planted.other.user_id, home.planted.records)
    async with home.engine.postgres.as_service() as connection:
        after = await all_rows(connection)
    changed = {table: lines - after[table] for table, lines in home.before.items() if lines - after[table]}
    assert changed.keys() <= {"model_answers", "outbox", "installation"}
    assert not any(str(home.planted.user.user_id) in line for lines in changed.values() for line in lines)


async def test_nothing_is_erased_while_a_commit_is_not_finished(home: Home) -> None:
    erase, user = ErasedRows(home.engine.postgres), home.planted.user.user_id
    async with home.engine.postgres.as_service() as connection:
        forgetting_id = await new_forgetting(connection, home.planted)
    for state in ("pending", "set_aside"):
        async with home.engine.postgres.as_service() as connection:
            [one] = await rows(
                connection,
                "UPDATE engine.outbox SET state = %(state)s, done_at = NULL WHERE commit_id = (SELECT commit_id FROM engine.outbox WHERE user_id = %(user)s LIMIT 1) RETURNING commit_id",
                {"state": state, "user": user},
            )
        with pytest.raises(UnfinishedCommits) as error:
            await erase.erase(forgetting_id, user, home.planted.records)
        async with home.engine.postgres.as_service() as connection:
            await connection.execute(
                "UPDATE engine.outbox SET state = 'done', done_at = now() WHERE commit_id = %(commit_id)s", one
            )
            assert error.value.commits == (one["commit_id"],)
            assert (
                len(
                    await rows(
                        connection, "SELECT FROM engine.erasures WHERE forgetting_id = %(id)s", {"id": forgetting_id}
                    )
                )
                == 0
            )


async def test_decisions_about_what_the_graph_erased_go_with_its_ids(home: Home) -> None:
    """Which entities, relations and intentions are gone the graph knows: their ids are things of the forgetting then."""
    gone, stays, user = uuid4(), uuid4(), home.planted.user.user_id
    decided = [
        {
            "kind": "entity_corrected",
            "correction": {"entity_id": str(one), "name": f"Grelvoss {one}", "user_id": str(user)},
        }
        for one in (gone, stays)
    ]
    try:
        async with home.engine.postgres.as_service() as connection:
            forgetting_id = await new_forgetting(connection, home.planted, sources=False)
            asked = {
                "id": forgetting_id,
                "user": user,
                "thing": str(gone),
                "one": Jsonb({"changes": decided[:1]}),
                "both": Jsonb({"changes": decided}),
            }
            for statement in DECIDED:
                await connection.execute(statement, asked)
            await connection.execute(sql_text("forgetting/permit"), {"forgetting_id": forgetting_id})
            await RowErasure(connection, forgetting_id, user, [], {}).carry_out()
            named = {
                table
                for table, lines in (await all_rows(connection)).items()
                if any(str(gone) in line for line in lines)
            }
            [left] = await rows(connection, "SELECT payload FROM engine.outbox WHERE payload::text LIKE '%%Grelvoss%%'")
            assert named == set() and left["payload"]["changes"] == decided[1:]
            raise TakenBack
    except TakenBack:
        pass


DECIDED = (
    "INSERT INTO engine.forgetting_things (forgetting_id, kind, hash, thing) VALUES (%(id)s, 'entity', engine.tombstone('entity', %(user)s, %(thing)s), %(thing)s)",
    "INSERT INTO engine.outbox (commit_id, user_id, kind, payload, state, done_at) VALUES (gen_random_uuid(), %(user)s, 'entity_corrected', %(one)s, 'done', now()),"
    " (gen_random_uuid(), %(user)s, 'entity_corrected', %(both)s, 'done', now())",
    "INSERT INTO engine.idempotency (user_id, key, request_hash, answer) VALUES (%(user)s, 'k' || %(thing)s, sha256('a'), NULL)",
    "INSERT INTO engine.insights (insight_id, user_id, kind, key, text, facts, relations, entities, records, known_from, built_at)"
    " VALUES (gen_random_uuid(), %(user)s, 'insight', sha256('x'), '', '{}', '{}', ARRAY[%(thing)s::uuid], '{}', now(), now())",
)  # fmt: skip


CHAINS = {
    "the first": ({"a"}, {"b": (None, "c", "b"), "c": ("b", None, "b"), "k": (None, None, "b")}),
    "one between": ({"b"}, {"a": (None, "c", "a"), "c": ("a", None, "a"), "k": (None, None, "a")}),
    "the last": ({"c"}, {"a": (None, "b", "a"), "b": ("a", None, "a"), "k": (None, None, "a")}),
    "the first two": ({"a", "b"}, {"c": (None, None, "c"), "k": (None, None, "c")}),
    "the last two": ({"b", "c"}, {"a": (None, None, "a"), "k": (None, None, "a")}),
    "what confirms": ({"k"}, {"a": (None, "b", "a"), "b": ("a", "c", "a"), "c": ("b", None, "a")}),
    "all that have words": ({"a", "b", "c"}, {"k": (None, None, "k")}),
}
"""Of a chain in which b followed a, c followed b and k confirmed c: what is erased, and what the others supersede, are ended by, are called by."""


@pytest.mark.parametrize("case", CHAINS)
async def test_chains_close_up_also_where_nothing_was_withdrawn(home: Home, case: str) -> None:
    """What an erased fact had ended stays ended: by the next one, or by nothing, and then it is stale. What confirmed it is withdrawn."""
    gone, left = CHAINS[case]
    ids = {name: uuid4() for name in "abck"}
    links = {"a": (None, "b"), "b": ("a", "c"), "c": ("b", None), "k": (None, None)}
    try:
        async with home.engine.postgres.as_service() as connection:
            for name, (supersedes, ended_by) in links.items():
                status = {"c": "live", "k": "confirmation"}.get(name, "superseded")
                await connection.execute(NEW_FACT, {
                    "id": ids[name], "user": home.planted.user.user_id, "chain": ids["a"], "supersedes": ids.get(supersedes or ""),
                    "ended_by": ids.get(ended_by or ""), "status": status, "confirms": ids["c"] if name == "k" else None, "live": status == "live",
                })  # fmt: skip
            asked = {"user_id": home.planted.user.user_id, "facts": [ids[name] for name in gone]}
            await connection.execute(sql_text("forgetting/facts_order_free"))
            for statement in erasing.OF_FACTS:
                await connection.execute(sql_text(statement), asked)
            await connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
            names = {one: name for name, one in ids.items()}
            found = await rows(
                connection, "SELECT * FROM engine.facts WHERE fact_id = ANY (%(ids)s)", {"ids": list(ids.values())}
            )
            row = {names[one["fact_id"]]: one for one in found}
            links_now = {
                name: tuple(names.get(one[column]) for column in ("supersedes", "ended_by", "chain_id"))
                for name, one in row.items()
            }
            assert links_now == left
            assert all(
                one["stale"] == (one["status"] == "superseded" and one["ended_by"] is None) for one in row.values()
            )
            if "k" in row:
                assert (row["k"]["status"], row["k"]["confirms"]) == (
                    ("withdrawn", None) if "c" in gone else ("confirmation", ids["c"])
                )
            if "c" in row:
                assert row["c"]["confirmations"] == ("k" in row)
            raise TakenBack
    except TakenBack:
        pass


NEW_FACT = (
    "INSERT INTO engine.facts (fact_id, user_id, node_id, record_id, chain_id, subject, known_from, supersedes, ended_by, confirms, status, valid_to, invalidated_at, said_at, confirmations,"
    " valid_from, last_confirmed_at, privacy, scope, fact_type, category) VALUES (%(id)s, %(user)s, %(user)s, gen_random_uuid(), %(chain)s, 1, now(), %(supersedes)s, %(ended_by)s, %(confirms)s, %(status)s,"
    " CASE WHEN %(status)s = 'superseded' THEN now() END, CASE WHEN %(status)s = 'superseded' THEN now() END, now(), %(live)s::integer, '-infinity', now(), 'org', 'user', 'fact', '')"
)


async def test_after_a_withdrawal_nothing_is_left_and_erasing_again_finds_nothing(home: Home) -> None:
    """The normal course: what the records had ended holds again, and what others said, too, goes on there."""
    memory, user = home.engine.memory(home.planted.user.user_id), home.planted.user.user_id
    for one in home.planted.records:
        with suppress(Conflict):  # withdrawn already
            await memory.retractions.retract(RetractionSubject("record", str(one.record_id)), "Grelvoss")
    erase = ErasedRows(home.engine.postgres)
    while await erase.take_read(user):
        pass
    async with home.engine.postgres.as_service() as connection:
        before = await all_rows(connection)
        texts = {one.text for one in await memory.facts.list()}
        forgetting_id = await new_forgetting(connection, home.planted)
        await connection.execute(
            "DELETE FROM engine.due AS d USING engine.nodes AS n WHERE n.node_id = d.node_id AND n.name = 'Butler'"
        )
    counts = await erase.erase(forgetting_id, user, home.planted.records)
    assert counts["metadata_records"] >= len(home.planted.records) and counts["facts"] >= len(home.planted.facts)
    async with home.engine.postgres.as_service() as connection:
        assert await problems(replace(home, before=before), connection) == []
        after = await all_rows(connection)
    assert {one.text for one in await memory.facts.list()} == texts >= {"Otto plays chess."}
    assert await erase.erase(forgetting_id, user, home.planted.records) == {}
    async with home.engine.postgres.as_service() as connection:
        again = await all_rows(connection)
    assert {table for table, lines in after.items() if lines != again[table]} <= {"due", "erasures", "installation"}
