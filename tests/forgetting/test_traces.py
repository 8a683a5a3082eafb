"""Traces of the forgotten are found wherever the catalogue of personal data says that something can lie."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4, uuid5

import pytest
from psycopg import sql

from engine.domain.forgetting import Trace
from engine.domain.node import NewNode, User
from engine.domain.terms import term_id
from engine.errors import StoreUnavailable
from engine.forgetting.keyed_hashes import KeyedHashes, keyed_hashes
from engine.forgetting.matching import Matching, TraceHashes, hashes_of_words, leaves, words_of
from engine.forgetting.personal_data import Holding, Store, personal_data
from engine.forgetting.traces import Findings, Traces
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.objects import object_store
from engine.stores.rows import json_text
from tests.session_stores import administrator

SPACE = UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
FILE = "0190a5c4-0000-7000-8000-00000000f11e"
CLAIM = "0190a5c4-0000-4000-8000-0000000000c1"
SINGLE = ("engine.installation", "engine.forgetting_key")
"""Tables that have one row."""
HOLDINGS = ("text", "name", "id", "nothing")

COLUMNS = """
SELECT a.attname::text, format_type(a.atttypid, NULL), coalesce(i.indisprimary, false)
FROM pg_attribute AS a LEFT JOIN pg_index AS i ON i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey)
WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attidentity = '' AND a.attgenerated = ''
"""
CHECKS = (
    "SELECT conname::text, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'c'"
)
REQUIRED = """
SELECT a.attname::text FROM pg_attribute AS a LEFT JOIN pg_index AS i ON i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey)
WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull AND i.indexrelid IS NULL AND a.attidentity = ''
"""
FILLED = {
    "integer": "987654321", "bigint": "987654321", "smallint": "9876", "boolean": "true", "bytea": "decode(repeat('00', 32), 'hex')",
    "timestamp with time zone": "now()", "real": "1", "double precision": "1",
}  # fmt: skip


def planted_id(place: str, column: str) -> UUID:
    return uuid5(SPACE, f"{place} {column}")


def planted_word(place: str, column: str) -> str:
    """A word of letters alone, another one for each place."""
    return "zq" + "".join(chr(97 + int(digit, 16)) for digit in planted_id(place, column).hex[:14])


def places(*stores: Store) -> list[Any]:
    """Each place of the catalogue with its columns."""
    return [
        pytest.param(store, one.name, id=one.name)
        for store in stores
        for one in personal_data().of(store)
        if one.columns and one.name not in SINGLE
    ]


@dataclass(frozen=True)
class Planted:
    """What was planted where: by store and place the columns with an id, and those with a word, too."""

    ids: dict[tuple[str, str], set[str]]
    words: dict[tuple[str, str], set[str]]


async def plant_row(connection: Any, table: str, place: str, left: list[Any]) -> tuple[set[str], set[str]]:
    """A row in a table whose rules are put aside for it; the columns with an id, and with a word. `left` says how to take it away
    again."""
    columns = await (await connection.execute(COLUMNS, [table])).fetchall()
    checks = await (await connection.execute(CHECKS, [table])).fetchall()
    required = [name for (name,) in await (await connection.execute(REQUIRED, [table])).fetchall()]
    left.append([table, "(0,0)", checks, required])
    for name, _ in checks:
        await connection.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
    for name in required:
        await connection.execute(f'ALTER TABLE {table} ALTER COLUMN "{name}" DROP NOT NULL')
    values: dict[str, str] = {}
    ids, words = set(), set()
    for name, kind, primary in columns:
        found, text = planted_id(place, name), f"{planted_id(place, name)} {planted_word(place, name)}"
        value = {
            "uuid": f"'{found}'", "uuid[]": f"ARRAY['{uuid4()}', '{found}']::uuid[]", "text": f"'{text}'", "name": f"'{text}'",
            "text[]": f"ARRAY['x', '{text}']", "character varying": f"'{text}'",
            "jsonb": f"""'{{"a": [{{"b": "line\\n{text}"}}]}}'""", "json": f"""'{{"a": ["{text}"]}}'""",
        }.get(kind)  # fmt: skip
        if value:
            ids.add(name)
            words |= set() if kind.startswith("uuid") else {name}
        elif primary:
            value = FILLED.get(kind)
        if value:
            values[name] = value
    if not ids:
        return ids, words
    names = ", ".join(f'"{name}"' for name in values)
    row = f"INSERT INTO {table} ({names}) VALUES ({', '.join(values.values())}) RETURNING ctid::text"
    [(left[-1][1],)] = await (await connection.execute(row)).fetchall()
    return ids, words


async def take_away(connection: Any, left: Any) -> None:
    table, row, checks, required = left
    await connection.execute(f"DELETE FROM {table} WHERE ctid = '{row}'")
    for name in required:
        await connection.execute(f'ALTER TABLE {table} ALTER COLUMN "{name}" SET NOT NULL')
    for name, definition in checks:
        await connection.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')


def properties(store: Store, name: str) -> list[str]:
    columns = personal_data().place(store, name).of(*HOLDINGS)
    return ["whatever users call it" if column == "*" else column for column in columns]


async def plant_graph(engine: Engine, planted: Planted) -> None:
    for store in ("labels", "relationships"):
        for one in personal_data().of(store):
            given = {
                name: [f"{planted_id(one.name, name)} {planted_word(one.name, name)}", "x"]
                if number % 2
                else f"{planted_id(one.name, name)} {planted_word(one.name, name)}"
                for number, name in enumerate(properties(store, one.name))
            }
            made = f"(n:{one.name}:Planted)" if store == "labels" else f"(:Planted)-[n:{one.name}]->(:Planted)"
            async with engine.neo4j.driver.session() as session:
                await (await session.run(f"CREATE {made} SET n += $given", given=given)).consume()
            planted.ids[store, one.name] = {*given}
            planted.words[store, one.name] = {*given}


@pytest.fixture(scope="module")
async def planted(engine: Engine) -> AsyncIterator[Planted]:
    """Something in every column and every property; it is taken away again."""
    user = await engine.workspace.users.create(f"u{uuid4().hex[:12]}", "Bob")
    node = await engine.memory(user.user_id).nodes.shell(user.user_id)
    done, left = Planted({}, {}), []
    async with administrator(engine) as connection:
        await connection.execute("SET session_replication_role = replica")
        try:
            for one in personal_data().of("tables"):
                if one.name not in SINGLE:
                    schema, _, name = one.name.partition(".")
                    table = f'"{node.schema_name if schema == "template" else schema}".{name}'
                    ids, words = await plant_row(connection, table, one.name, left)
                    done.ids["tables", one.name], done.words["tables", one.name] = ids, words
            await plant_graph(engine, done)
            yield done
        finally:
            for one in left:
                await take_away(connection, one)
            await engine.neo4j.write("MATCH (n:Planted) DETACH DELETE n")


async def look(engine: Engine, user_id: UUID | None, *, ids: set[str], words: set[str], **given: Any) -> Findings:
    keyed = await keyed_hashes(engine.postgres, user_id)
    hashes = TraceHashes(
        frozenset(keyed.of("record", one) for one in ids), frozenset(keyed.of("word", one) for one in words)
    )
    return await traces_of(engine).look(user_id, hashes, **given)


def traces_of(engine: Engine) -> Traces:
    return Traces(engine.postgres, engine.neo4j, engine.objects, engine.settings.home)


@pytest.fixture(scope="module")
async def findings(engine: Engine, planted: Planted) -> Findings:
    every = [(place, column) for (_, place), columns in planted.ids.items() for column in columns]
    return await look(
        engine,
        None,
        ids={str(planted_id(*one)) for one in every},
        words={planted_word(*one) for one in every},
        done=True,
    )


@pytest.mark.parametrize(("store", "place"), places("tables", "labels", "relationships"))
async def test_a_trace_is_found_wherever_something_can_lie(
    planted: Planted, findings: Findings, store: Store, place: str
) -> None:
    with_words: tuple[Holding, ...] = ("text", "name")
    looked = ((planted.ids, findings.ids, (*with_words, "id")), (planted.words, findings.words, with_words))
    for wanted, found, held in looked:
        columns = wanted[store, place]
        assert columns or not personal_data().place(store, place).of(*held)
        seen = {one.column for one in found if (one.store, one.place) == (store, place)}
        assert columns - seen == set()
    named = {*personal_data().place(store, place).of("text", "name")}
    if store == "tables":
        assert named - {"counts"} <= planted.words[store, place] | planted.ids[store, place]


async def test_nothing_is_found_where_nothing_was_planted(engine: Engine, planted: Planted) -> None:
    found = await look(engine, None, ids={str(uuid4())}, words={"zqneverplanted"})
    assert (found.ids, found.words, len(found.apart)) == ((), (), 1)


async def test_tables_of_forgettings_are_looked_at_once_they_are_done(engine: Engine, planted: Planted) -> None:
    place = ("engine.forgetting_things", "thing")
    for done in (False, True):
        found = await look(engine, None, ids={str(planted_id(*place))}, words={planted_word(*place)}, done=done)
        assert bool(found.ids) == bool(found.words) == done


async def test_hashes_are_those_of_postgres(engine: Engine) -> None:
    for user_id in (None, uuid4()):
        keyed = await keyed_hashes(engine.postgres, user_id)
        for kind, thing in (("record", str(uuid4())), ("word", "garcía"), ("source", "")):
            async with engine.postgres.as_service() as connection:
                row = await connection.execute(
                    sql.SQL("SELECT engine.tombstone(%(kind)s, %(user)s, %(thing)s) AS hash"),
                    {"kind": kind, "user": user_id, "thing": thing},
                )
                assert (await row.fetchall())[0]["hash"] == keyed.of(kind, thing)  # type: ignore[index]


async def test_names_of_schemas_and_what_the_planner_keeps_are_looked_at(engine: Engine) -> None:
    word = "zqschemaword"
    async with administrator(engine) as connection:
        service = await engine.postgres.fetch_as_service(sql.SQL("SELECT current_user::text"), row=str)
        try:
            await connection.execute(f'CREATE SCHEMA bob_{word} AUTHORIZATION "{service[0]}"')
            await connection.execute(
                f"CREATE TABLE bob_{word}.kept AS SELECT 'zqplannerword'::text AS said FROM generate_series(1, 50)"
            )
            await connection.execute(f'ALTER TABLE bob_{word}.kept OWNER TO "{service[0]}"')
            await connection.execute(f"ANALYZE bob_{word}.kept")
            await connection.execute(f"DELETE FROM bob_{word}.kept")
            found = await look(engine, None, ids=set(), words={word, "zqplannerword"})
        finally:
            await connection.execute(f"DROP SCHEMA bob_{word} CASCADE")
    assert [(one.place, one.column) for one in found.words] == [
        ("pg_namespace", "name"),
        ("pg_statistic", f"bob_{word}.kept.said"),
    ]
    assert not found.apart


async def test_keys_of_objects_are_looked_at_in_both_tiers_and_in_quarantine(engine: Engine, tmp_path: Path) -> None:
    store = object_store((tmp_path / "hot").as_uri(), timeout=5, cold_url=(tmp_path / "cold").as_uri())
    await store.check()
    await store.put(f"zqroot/zqnode/{FILE}/zqletter.txt.gz", BytesIO(b"x"), cold=True)
    await store.put(f"zqroot/zqnode/{FILE}/warm/{CLAIM}", BytesIO(b"x"))
    await store.put(f".neurigraph/quarantine/20260101/zqroot/zqlost/{CLAIM}/x.gz", BytesIO(b"x"))
    (tmp_path / "hot" / "zqroot" / "zqempty").mkdir()
    traces = Traces(engine.postgres, engine.neo4j, store, None)
    keyed = await keyed_hashes(engine.postgres, None)
    hashes = TraceHashes(
        frozenset({keyed.of("file", FILE)}),
        frozenset(keyed.of("word", word) for word in ("zqroot", "zqletter", "zqlost", "zqempty", "zqnowhere")),
    )
    found = await traces.look(None, hashes)
    file, copy, quarantined = "ROOT/NODES/FILE/NAME", "ROOT/NODES/FILE/warm/CLAIM", ".neurigraph/quarantine/DAY/KEY"
    assert {(one.store, one.place) for one in found.ids} == {("objects", file), ("objects", copy)}
    assert {one.place for one in found.words} == {file, copy, quarantined}
    assert found.apart == {keyed.of("word", "zqnowhere")}
    assert [one async for one in traces.search(None, hashes)] == [*found.ids, *found.words]
    assert await traces.apart(None, hashes.words) == found.apart
    (tmp_path / "cold").rename(tmp_path / "gone")
    with pytest.raises(StoreUnavailable):
        await traces.look(None, hashes)


async def test_files_of_the_home_are_looked_at(engine: Engine, tmp_path: Path) -> None:
    for name, text in (
        ("user-keys/zqkeyword.key", "x"),
        ("taken-out-20260101.json", json.dumps({"names": ["zqtakenout"]})),
        ("zqstranger", "x"),
        ("postgres/zqserver", "x"),
        ("logs/neo4j.log", "zqlogged"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    words = {"zqkeyword", "zqtakenout", "zqstranger", "zqserver", "zqlogged"}
    keyed = await keyed_hashes(engine.postgres, None)
    hashes = TraceHashes(frozenset(), frozenset(keyed.of("word", word) for word in words))
    found = await Traces(engine.postgres, engine.neo4j, engine.objects, tmp_path).look(None, hashes)
    assert found.words == (
        Trace("home", "taken-out-*.json", "content", 1),
        Trace("home", "user-keys", "name", 2),
        Trace("home", "zqstranger", "name", 1),
    )


async def test_terms_are_traces_only_where_no_text_has_them(engine: Engine, user: User, memory: Memory) -> None:
    node = await memory.nodes.provision(NewNode(user.user_id, "Fishing"))
    word = "zqoverboard"
    await memory.records.remember_text("Trip", f"We lost the {word} at dusk.", node_id=node.node_id)
    keyed = await keyed_hashes(engine.postgres, user.user_id)
    by_kind = hashes_of_words(keyed, [word])
    assert by_kind == {"word": {keyed.of("word", word)}, "term": {keyed.of("term", str(term_id(word)))}}
    hashes = TraceHashes(frozenset(), frozenset(by_kind["word"] | by_kind["term"]))
    said = await traces_of(engine).look(user.user_id, hashes)
    assert said.words and not said.ids and not said.apart
    async with administrator(engine) as connection:
        await connection.execute("SET session_replication_role = replica")
        await connection.execute(f"UPDATE \"{node.schema_name}\".memory_items SET content = 'x'")
        await connection.execute(f"UPDATE \"{node.schema_name}\".metadata_records SET title = 'x', summary = 'x'")
    left = await traces_of(engine).look(user.user_id, hashes)
    assert {(one.place, one.column) for one in left.ids} >= {
        ("template.memory_items", "terms"),
        ("template.metadata_records", "terms"),
        ("engine.term_counts", "term"),
    }


async def test_what_is_of_others_can_be_left_out(engine: Engine, user: User, memory: Memory) -> None:
    other = await engine.workspace.users.create(f"o{uuid4().hex[:12]}", "Ann")
    for one, word in ((user, "zqofbob"), (other, "zqofann")):
        node = await engine.memory(one.user_id).nodes.provision(NewNode(one.user_id, f"About {word}"))
        await engine.memory(one.user_id).records.remember_text("Note", f"It was {word}.", node_id=node.node_id)
    whole = await look(engine, user.user_id, ids=set(), words={"zqofbob", "zqofann"})
    assert not whole.apart
    ours = await look(engine, user.user_id, ids=set(), words={"zqofbob"}, of_user=True)
    file = "ROOT/NODES/FILE/NAME"
    assert {("tables", "template.memory_items"), ("labels", "Node"), ("tables", "engine.nodes"), ("objects", file)} <= {
        (one.store, one.place) for one in ours.words
    }
    theirs = await look(engine, user.user_id, ids=set(), words={"zqofann"}, of_user=True)
    assert {one.place for one in theirs.words} <= {"pg_statistic"}


# What is compared, without stores.

KEYED = KeyedHashes(bytes(range(32)), None)
A_RECORD = "0190a5c4-0000-7000-8000-0000000000ab"


def matched(text: Any, *, ids: tuple[tuple[str, str], ...] = (), words: tuple[str, ...] = ()) -> tuple[int, int]:
    wanted = TraceHashes(frozenset(KEYED.of(*one) for one in ids), frozenset(KEYED.of("word", word) for word in words))
    matching = Matching(KEYED, wanted)
    for _ in range(2):  # the second time from memory
        matching.row("tables", "place", {"column": text})
    return matching.ids.total() // 2, matching.words.total() // 2


@pytest.mark.parametrize(
    "text",
    [
        A_RECORD,
        UUID(A_RECORD),
        A_RECORD.upper(),
        A_RECORD.replace("-", ""),
        f"moved {A_RECORD}, then gone",
        {"a": [{"b": f"x:{A_RECORD}"}]},
        {A_RECORD: 1},
        [UUID(A_RECORD)],
        f"{uuid5(SPACE, 'x')} {A_RECORD}",
    ],
    ids=range(9),
)
def test_an_id_is_found_in_every_form(text: Any) -> None:
    for kind in ("record", "fact", "entity"):
        assert matched(text, ids=((kind, A_RECORD),)) == (1, 0)
    assert matched(text, ids=(("record", str(uuid5(SPACE, "y"))),)) == (0, 0)


@pytest.mark.parametrize(
    "text", [f"{A_RECORD}0", f"a{A_RECORD}", A_RECORD.replace("-", "") * 2, A_RECORD[:-1], b"x", None, 7]
)
def test_what_is_no_id_is_not_taken_for_one(text: Any) -> None:
    assert matched(text, ids=(("record", A_RECORD), ("source", "something else"))) == (0, 0)


def test_keys_of_callers_are_found_as_wholes() -> None:
    assert matched(["other", "Chat with Anna #1"], ids=(("source", "Chat with Anna #1"),)) == (1, 0)
    assert matched("Chat with Anna #12", ids=(("source", "Chat with Anna #1"),)) == (0, 0)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Anna GARCÍA was here", "garcía"),
        ("bob_family_garcia", "garcia"),
        ("Ｇａｒｃｉａ", "garcia"),
        ({"note": "line\ngarcia"}, "garcia"),
        ({"phone": 4930123456}, "4930123456"),
        ("x" * 100, "x" * 64),
        ("私は田中太郎です", "田中太"),
        ("Straße", "strasse"),
        ("garcia@example.org", "garcia"),
    ],
    ids=range(9),
)
def test_a_word_is_found_as_it_is_folded(text: Any, word: str) -> None:
    assert matched(text, words=(word,)) == (0, 1)
    assert matched(text, words=(f"{word}x",)) == (0, 0)


def test_words_that_could_tell_a_text() -> None:
    assert words_of(["I met Anna García, 0151 2345 at Töpfer's.", "an ant"]) == {
        "anna", "garcía", "garcia", "0151", "2345", "töpfer", "topfer",
    }  # fmt: skip
    assert words_of(["田中さん"]) == {"田中さ", "中さん"}
    assert words_of([""]) == set()


def test_names_in_json_and_numbers_are_leaves() -> None:
    value = json.loads(json_text({"a": [1, 12345, None, True, {"b": ("x", UUID(A_RECORD))}]}))
    assert sorted(leaves(value)) == sorted(["a", "12345", "b", "x", A_RECORD])


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.forgetting.matching.SEEN", 10)
    matching = Matching(KEYED, TraceHashes(frozenset({b"x"}), frozenset({KEYED.of("word", "garcia")})))
    for number in range(100):
        matching.text(("tables", "a", "b"), f"word{number} {uuid5(SPACE, str(number))} garcia")
    assert max(len(matching._no_ids), len(matching._no_words), len(matching._no_names)) <= 10
    assert matching.words.total() == 100
