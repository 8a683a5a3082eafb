"""The leak fuzzer over the whole public surface and the request role, and the proof that it would notice.

The mutations take one policy, one condition of a rule, or one predicate of a Cypher statement away; a short run of
operations aimed at it must then find a leak. Where none is found because another filter holds the same, the piece
stands in `REDUNDANT` with what holds it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from random import Random

import pytest
from psycopg import sql

from engine.domain.grant import NewGrant
from engine.evaluation.leaks.forest import Size, grow
from engine.evaluation.leaks.fuzzer import DRAWS, Run, fuzz
from engine.evaluation.leaks.model import World
from engine.evaluation.leaks.rights import give
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.retrieval import anchors
from engine.stores import statements

SMALL = Size(users=2, nodes=9, edges=8, grants=10)
OPERATIONS, OPERATIONS_OF_LONG_FORM = 400, 10_000
AIMED, AIMED_AT_REDUNDANT = 1_200, 250
"""Operations after which a mutation must have been noticed; most are within the first few dozen."""


@pytest.mark.ledger("N28", "N29", "N30", "N31", "X01", "F01")
async def test_random_operations_leak_nothing(engine: Engine, long: bool) -> None:
    count = OPERATIONS_OF_LONG_FORM if long else OPERATIONS
    report = await fuzz(engine, count=count, seed=20)
    told = "\n".join(f"{leak.operation} by {leak.asker}: {leak.wrong}" for leak in report.leaks)
    assert not report.leaks, told
    assert report.operations >= count
    assert set(DRAWS) <= set(report.by_kind)


# mutations -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
async def world(engine: Engine) -> World:
    """A small forest that the mutations share; nothing in it changes."""
    return await grow(engine, Random(7), SMALL)


@pytest.fixture(scope="module")
async def spoiled(engine: Engine) -> World:
    """A forest for the mutations that let a write through."""
    return await grow(engine, Random(8), SMALL)


@pytest.fixture(scope="module")
async def named_only(engine: Engine) -> World:
    """A forest in which an integration may know two layers by name, and nothing of what they hold."""
    forest = await grow(engine, Random(10), Size(users=2, nodes=9, edges=2, grants=2))
    for user in forest.users:
        await give(engine, forest, NewGrant(user, "third_party", forest.integrations[-1], depth=2, fields=()))
    return forest


@pytest.fixture(scope="module")
async def growing(engine: Engine) -> World:
    """A forest for the mutations that show when personas store."""
    return await grow(engine, Random(9), SMALL)


async def noticed(
    engine: Engine, world: World, kinds: str, *, redundant: bool = False, changing: bool = False, planned: bool = True
) -> bool:
    """Whether a run aimed at these kinds (separated by commas) finds a leak; the drawing has several attempts to hit it.

    A Cypher statement that was mutated is not `planned` yet: one operation does that, else each of the first ones would.
    """
    if not planned:
        await Run(engine, world, seed=1, kinds=kinds.split(", "), patience=1, at_once=1).go(2, changing=False)
    for seed in (11,) if redundant else (11, 12, 13):
        run = Run(engine, world, seed=seed, kinds=kinds.split(", "), patience=1, at_once=4)
        await run.go(AIMED_AT_REDUNDANT if redundant else AIMED, changing=changing)
        if run.leaks:
            return True
    return False


LARGE = ("node/shell", "search/anchors")
SAMPLED = 8
LONG = pytest.mark.long


def known(cases: dict[str, str], redundant: dict[str, str], large: tuple[str, ...] = LARGE) -> list[object]:
    """The cases as parameters; a redundant one says so in its id.

    Neo4j plans each mutation of its large statements for seconds: a sample of those runs in `make test`, all in `make soak`.
    """
    slow = [name for name in cases if name.startswith(large)]
    rare = {name for at, name in enumerate(slow) if at % SAMPLED or name in redundant}
    return [
        pytest.param(name, id=f"{name} (redundant)" if name in redundant else name, marks=LONG if name in rare else ())
        for name in cases
    ]


# policies of the tables of a node ------------------------------------------------------------------------

PART = {
    "metadata_records": "records",
    "memory_items": "items",
    "file_manifest": "files",
    "term_counts": "items",
    "delta_log": None,
}
SCOPED = ("metadata_records", "memory_items")
"""The tables that know scopes; a file follows its record."""
PAST_CHANGED = [(table, "changeable") for table in SCOPED]
"""A state that may not be read may not be changed either."""
NODE_POLICIES = [
    (table, policy, half)
    for table in PART
    for policy in ("readable", "writable", "changeable")
    for half in ("whole", "private", "scoped", "past", "part")
    if not (table == "delta_log" and (policy == "changeable" or (policy, half) == ("writable", "private")))
    and (half != "scoped" or (table in SCOPED and policy != "changeable"))
    and (
        half != "past"
        or (table in (*SCOPED, "file_manifest") and policy == "readable")
        or (table, policy) in PAST_CHANGED
    )
    and (half != "part" or (table, policy) == ("file_manifest", "readable"))
]
AIM = {"readable": "rows of a node", "writable": "insert into a node", "changeable": "update of a node"}


STATE = "EXISTS (SELECT FROM {schema}.metadata_records AS r WHERE r.record_id = file_manifest.record_id"
WITHOUT = {
    ("past", False): "(privacy <> 'private' OR (SELECT engine.owns({node})))",
    ("past", True): f"((SELECT engine.owns({{node}})) OR NOT part AND {STATE}))",
    ("part", True): f"((SELECT engine.owns({{node}})) OR {STATE} AND r.file_pointer = file_manifest.storage_path))",
}
"""What is left of a policy without the past, or without what guards files at several nodes; by whether it is about files."""


@asynccontextmanager
async def open_policy(engine: Engine, world: World, table: str, policy: str, half: str) -> AsyncIterator[None]:
    """Takes a policy away on every node, or the part of it that guards what is private, only what is scoped, the past, or files
    that lie at several nodes."""
    clause = "WITH CHECK" if policy == "writable" else "USING"
    mode = "read" if policy == "readable" else "write"
    rule = "true" if half == "whole" else "(SELECT engine.can({mode}, {node}, {part}))"
    if half == "scoped":
        rule += " AND (scope <> 'user' OR privacy <> 'private' OR (SELECT engine.owns({node})))"
    if half in ("past", "part"):
        rule += f" AND {WITHOUT[half, table == 'file_manifest']}"
    statement = f"ALTER POLICY {policy} ON {{schema}}.{table} {clause} ({rule})"
    try:
        async with engine.postgres.as_service() as connection:
            for place in world.places.values():
                literals = {"mode": mode, "node": str(place.node_id), "part": PART[table]}
                named = {name: sql.Literal(value) for name, value in literals.items()}
                await connection.execute(sql.SQL(statement).format(schema=sql.Identifier(place.schema_name), **named))
        yield
    finally:
        async with engine.postgres.as_service() as connection:
            for place in world.places.values():
                await connection.execute(
                    "SELECT engine.apply_node_policies(%s, %s)", [place.node_id, place.schema_name]
                )


@pytest.mark.ledger("X01")
@pytest.mark.parametrize(("table", "policy", "half"), NODE_POLICIES)
async def test_a_policy_of_a_node_taken_away_is_noticed(
    engine: Engine, world: World, table: str, policy: str, half: str
) -> None:
    aim = "insert of what is scoped" if (policy, half) == ("writable", "scoped") else AIM[policy]
    async with open_policy(engine, world, table, policy, half):
        assert await noticed(engine, world, aim)


@pytest.mark.ledger("X01", "L05")
@pytest.mark.parametrize("table", SCOPED)
async def test_that_what_is_scoped_need_not_be_private_is_noticed(engine: Engine, world: World, table: str) -> None:
    await in_every_node(engine, world, f"ALTER TABLE {{schema}}.{table} DROP CONSTRAINT scoped_is_private")
    try:
        assert await noticed(engine, world, "insert of what is scoped")
    finally:
        check = "ADD CONSTRAINT scoped_is_private CHECK (scope = 'user' OR privacy = 'private')"
        await in_every_node(engine, world, f"ALTER TABLE {{schema}}.{table} {check}")


@pytest.mark.ledger("X01", "L05")
async def test_a_scope_that_the_graph_takes_for_public_is_noticed(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = statement_text("record/apply").replace("row.privacy", "'org'")
    rewrite(monkeypatch, "record/apply", text)
    world = await grow(engine, Random(10), SMALL)
    assert await noticed(engine, world, "shell")


async def in_every_node(engine: Engine, world: World, statement: str) -> None:
    async with engine.postgres.as_service() as connection:
        for place in world.places.values():
            await connection.execute(sql.SQL(statement).format(schema=sql.Identifier(place.schema_name)))


# policies of the shared tables ---------------------------------------------------------------------------

SHARED_POLICIES = {
    "nodes readable USING": "shared rows",
    "users own USING": "shared rows",
    "outbox own USING": "shared rows",
    "outbox commits WITH CHECK": "commit",
    "sources own USING": "shared rows, update of shared rows",
    "sources own WITH CHECK": "insert of a shared row",
    "idempotency own USING": "shared rows, update of shared rows",
    "idempotency own WITH CHECK": "insert of a shared row",
    "hierarchy_log own USING": "shared rows",
    "hierarchy_log own WITH CHECK": "insert of a shared row",
    "grants own USING": "shared rows, listing",
    "access_log own USING": "shared rows, log",
    "compression_state_log own USING": "shared rows",
    "node_slices own USING": "shared rows",
    "model_answers own USING": "shared rows",
    "model_answers own WITH CHECK": "insert of a shared row",
    "conversations own USING": "shared rows, update of shared rows",
    "conversations own WITH CHECK": "insert of a shared row",
    "conversations opened WITH CHECK": "insert of a shared row",
    "conversation_turns own USING": "shared rows, update of shared rows",
    "conversation_turns own WITH CHECK": "insert of a shared row",
    "ingest_sessions own USING": "shared rows",
    "ingest_sources own USING": "shared rows",
    "failure_log own USING": "shared rows",
    "documents own USING": "shared rows",
    "documents stored WITH CHECK": "insert of a shared row",
    "document_versions own USING": "shared rows",
    "document_versions stored WITH CHECK": "insert of a shared row",
    "raw_resources own USING": "shared rows",
    "raw_resources stored WITH CHECK": "insert of a shared row",
    "event_log own USING": "shared rows",
    "event_log written WITH CHECK": "insert of a shared row",
    "assignments own USING": "shared rows",
    "assignments decided WITH CHECK": "insert of a shared row",
    "replays own USING": "shared rows",
    "replays own WITH CHECK": "insert of a shared row",
    "replayed_records own USING": "shared rows",
    "replayed_records own WITH CHECK": "insert of a shared row",
}


@pytest.mark.ledger("X01")
@pytest.mark.parametrize("name", SHARED_POLICIES)
async def test_a_policy_of_a_shared_table_taken_away_is_noticed(engine: Engine, world: World, name: str) -> None:
    table, policy, clause = name.split(" ", 2)
    column = "qual" if clause == "USING" else "with_check"
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT qual, with_check FROM pg_policies WHERE schemaname = 'engine' AND tablename = %s AND policyname = %s",
            [table, policy],
        )
        rule = (await cursor.fetchone())[column]
    try:
        await as_service(engine, f"ALTER POLICY {policy} ON engine.{table} {clause} (true)")
        assert await noticed(engine, world, SHARED_POLICIES[name])
    finally:
        await as_service(engine, f"ALTER POLICY {policy} ON engine.{table} {clause} ({rule})")


async def test_no_policy_of_the_request_role_is_missing_here(engine: Engine, world: World) -> None:
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT tablename, policyname FROM pg_policies WHERE schemaname = %s AND policyname <> 'service'",
            [next(iter(world.places.values())).schema_name],
        )
        of_node = {(row["tablename"], row["policyname"]) for row in await cursor.fetchall()}
        cursor = await connection.execute(
            "SELECT tablename, policyname FROM pg_policies WHERE schemaname = 'engine' AND policyname <> 'service'"
        )
        shared = {(row["tablename"], row["policyname"]) for row in await cursor.fetchall()}
    expected = {(table, policy) for table, policy, _ in NODE_POLICIES}
    assert of_node == expected
    assert shared == {tuple(name.split()[:2]) for name in SHARED_POLICIES}


# conditions of the functions -----------------------------------------------------------------------------

EVERY_ROW = "rows of a node, search nodes"
SCAN = (
    "engine.search_scan(uuid[],text[],integer[],public.vector,text,public.sparsevec,public.sparsevec,text[],text[],text[],"
    "timestamp with time zone,timestamp with time zone)"
)
GRANTED = "engine.granted_from(text,uuid[],text)"
GIVE = "engine.grant_node(uuid,uuid,text,uuid,text,integer,text[],text,timestamp with time zone,boolean)"
RULES: dict[str, tuple[str, str, str, str]] = {
    # name: function, condition as it stands in the database, what stands there instead, where it shows
    "expiry": (
        GRANTED,
        "(g.expires_at IS NULL OR g.expires_at > statement_timestamp())", "true", EVERY_ROW,
    ),
    "revocation": (GRANTED, "g.revoked_at IS NULL", "true", EVERY_ROW),
    "subject": (GRANTED, "g.subject_id = id", "true", EVERY_ROW),
    "subject kind": (
        GRANTED, "g.subject_kind = kind", "true", "search nodes",
    ),
    "depth": (
        GRANTED,
        "cardinality(p_lineage) - array_position(p_lineage, g.node_id) <= g.depth", "true", EVERY_ROW,
    ),
    "granted node": (
        GRANTED, "g.node_id = ANY (p_lineage)", "true", EVERY_ROW,
    ),
    "mode": (
        GRANTED,
        "(p_mode = 'read' OR g.mode = 'read_write')", "true", "insert into a node",
    ),
    "fields": (
        GRANTED,
        "(p_field IS NULL OR p_field = ANY (g.fields))", "true", "rows of a node",
    ),
    "user's own graph": (
        "engine.can(text,uuid,text)", "n.user_id = id", "true", "rows of a node",
    ),
    "persona's graph": (
        "engine.can(text,uuid,text)", "n.user_id = engine.principal_graph()", "true", EVERY_ROW,
    ),
    "persona's subtree": (
        "engine.can(text,uuid,text)", "id = ANY (n.lineage)", "true", EVERY_ROW,
    ),
    "persona's subtree is to read": (
        "engine.can(text,uuid,text)",
        "p_mode = 'read' AND id = ANY (n.lineage)", "id = ANY (n.lineage)", "insert into a node",
    ),
    "integrations read": (
        "engine.can(text,uuid,text)",
        "p_mode = 'read' AND engine.granted(p_mode, n.lineage, p_field)",
        "engine.granted(p_mode, n.lineage, p_field)", "insert into a node",
    ),
    "node asked for": ("engine.can(text,uuid,text)", "n.node_id = p_node", "true", EVERY_ROW),
    "unknown kinds": ("engine.can(text,uuid,text)", "ELSE false", "ELSE true", "rows of a node"),
    "private is the user's": (
        "engine.owns(uuid)", "kind = 'user'", "true OR kind = 'user'", "rows of a node",
    ),
    "owner's kind": ("engine.owns(uuid)", "kind = 'user'", "true", EVERY_ROW),
    "owner's node": ("engine.owns(uuid)", "n.user_id = id", "true", "give refused"),
    "a persona is a persona": (
        "engine.principal_graph()", "n.node_type = 'persona'", "true", EVERY_ROW,
    ),
    "user commits at home": ("engine.may_commit(uuid,text,jsonb)", "(p_user = engine.principal_id())", "true", "commit"),
    "persona commits at home": (
        "engine.may_commit(uuid,text,jsonb)", "(p_user = engine.principal_graph())", "true", "commit",
    ),
    "persona commits contents": (
        "engine.may_commit(uuid,text,jsonb)", "ELSE false END) ELSE false END", "ELSE true END) ELSE false END", "commit",
    ),
    "persona revises in its owner's name": (
        "engine.may_commit(uuid,text,jsonb)",
        "(((p_payload -> 'revision'::text) ->> 'user_id'::text) = (p_user)::text)", "true", "commit",
    ),
    "persona revises where it may write": (
        "engine.may_commit(uuid,text,jsonb)",
        "engine.can('write'::text, (((p_payload -> 'revision'::text) ->> 'node_id'::text))::uuid)", "true", "commit",
    ),
    "persona commits in its owner's name": (
        "engine.may_commit(uuid,text,jsonb)",
        "((r.value ->> 'user_id'::text) <> (may_commit.p_user)::text)", "false", "commit",
    ),
    "persona commits where it may write": (
        "engine.may_commit(uuid,text,jsonb)",
        "(NOT engine.can('write'::text, ((r.value ->> 'node_id'::text))::uuid))", "false", "commit",
    ),
    "persona's own keys": ("engine.own_keys()", "('persona:'::text || engine.principal_id())", "''::text", "shared rows"),
    "file is granted": (
        "engine.schema_of_file(text,uuid,uuid)", "engine.can(p_mode, p_node, 'files')", "true", "file state",
    ),
    "private file is the user's": (
        "engine.schema_of_file(text,uuid,uuid)", "r.privacy <> ''private'' AND NOT f.part", "NOT f.part", "file state",
    ),
    "who puts a file to sleep may write": ("engine.sleep_file(uuid,uuid,timestamp with time zone)", "'write'", "'read'", "file state"),
    "grantor owns": (
        GIVE,
        "NOT engine.owns(p_node)", "false", "give refused",
    ),
    "grantee is of the graph": (
        GIVE,
        "n.node_id = p_subject AND n.user_id = owner", "n.node_id = p_subject", "give refused",
    ),
    "grantee is a persona": (
        GIVE,
        "AND n.node_type = 'persona' AND n.state = 'live'", "", "give refused",
    ),
    "integration is of the workspace": (
        GIVE,
        "u USING (workspace_id)", "u ON true", "give refused",
    ),
    "revoked by its grantor": (
        "engine.revoke_grant(uuid,uuid)", "AND g.user_id = owner FOR UPDATE", "FOR UPDATE", "revoke refused",
    ),
    "audience for the owner": (
        "engine.audience(uuid,timestamp with time zone)", "AND n.user_id = engine.principal_user()", "", "audience",
    ),
    "parent is the owner's": (
        "engine.provision_node(uuid,uuid,text,text,text,text[],jsonb)",
        "NOT engine.owns(p_parent)", "false", "provision refused",
    ),
    "deltas for writers": (
        "engine.subject_deltas(uuid,uuid,integer,integer)", "NOT engine.can('write', p_node)", "false", "subject deltas",
    ),
    "private deltas for the owner": (
        "engine.subject_deltas(uuid,uuid,integer,integer)", "others OR engine.owns(p_node)", "true", "subject deltas",
    ),
    "names of own subjects": (
        "engine.subject_name(uuid)", "(g.user_id = engine.principal_user())", "true", "subject name",
    ),
    "a grant shows from its beginning": (
        GRANTED, "CASE WHEN g.past THEN '-infinity' ELSE g.granted_at END", "'-infinity'::timestamptz", "rows of a node, metadata",
    ),
    "with the past only where it says so": (GRANTED, "CASE WHEN g.past THEN", "CASE WHEN NOT g.past THEN", "rows of a node, metadata"),
    "what was moved below a granted node": (
        GRANTED, "engine.placed_below(p_lineage, g.node_id)", "'-infinity'::timestamptz", "metadata, search",
    ),
    "what was moved below a persona": (
        "engine.reads_from(uuid,text)", "THEN engine.placed_below(node.lineage, id) END", "THEN '-infinity'::timestamptz END",
        "metadata, search",
    ),
    "all of the past for its user": ("engine.reads_whole_past(uuid)", "RETURN engine.owns(p_node) OR", "RETURN true OR", "rows of a node"),
    "parts for those who read the record": (
        "engine.part_files(uuid)", "NOT engine.can('read', p_node, 'files')", "false", "metadata, file",
    ),
    "parts of what was shown": (
        "engine.file_is_shown(text,uuid,uuid,text)",
        "least(s.known_to, s.valid_to) > greatest(s.moved_at, $3)", "true", "older file",
    ),
    "deltas from then on": ("engine.subject_deltas(uuid,uuid,integer,integer)", "AND ($4 OR created_at >= $5)", "", "subject deltas"),
    "values from then on": (
        "engine.told_payload(jsonb,timestamp with time zone,text,timestamp with time zone)",
        "ELSIF p_effect < p_since THEN", "ELSIF false THEN", "history",
    ),
    "nodes in deltas": (
        "engine.told_payload(jsonb,timestamp with time zone,text,timestamp with time zone)",
        "CONTINUE WHEN engine.can(", "CONTINUE WHEN true OR engine.can(", "history",
    ),
    "reasons of others": (
        "engine.told_payload(jsonb,timestamp with time zone,text,timestamp with time zone)",
        "CASE WHEN own THEN told ELSE", "CASE WHEN true THEN told ELSE", "history",
    ),
    "authors of deltas": (
        "engine.subject_deltas(uuid,uuid,integer,integer)", "CASE WHEN $4 OR authored_by NOT LIKE", "CASE WHEN true OR authored_by NOT LIKE",
        "history",
    ),
    "versions where they may be read": (
        "engine.version_is_shown(uuid,integer)", "engine.can('read', node, 'records') AND", "", "shared rows",
    ),
    "what was moved in a search": (
        SCAN, "AND (moved_at IS NULL OR moved_at <= least($8, $9))", "", "search",
    ),
    "a search's graph": (
        "engine.search_nodes(uuid,uuid[],timestamp with time zone,timestamp with time zone,integer)",
        "(n.user_id = search_nodes.p_user)", "true", "search nodes",
    ),
    "a search's scopes": (SCAN, "(scope = ''user'' OR scope || '':'' || scope_id = ANY ($11))", "true", "search"),
    "a search's sources": (SCAN, "i.source = ANY ($10)", "true", "search"),
}  # fmt: skip
REDUNDANT_RULES = {
    "granted node": "the depth is NULL for a node that is not on the way, and so not small enough",
    "integrations read": "granted('write') wants read_write, which no grant to an integration has (CHECK)",
    "owner's kind": "the policies ask can() too, which knows a user's id under no other kind",
    "persona commits at home": "can('write') holds for nodes of the persona's own graph only",
    "parent is the owner's": "provision_own_node asks can('write'), the engine refuses all but users, and a user's "
    "parent is looked up under the policies",
}
LETS_WRITE = {
    "owner's node",
    "grantor owns",
    "grantee is of the graph",
    "grantee is a persona",
    "integration is of the workspace",
    "revoked by its grantor",
}


@pytest.mark.ledger("X01")
@pytest.mark.parametrize("name", known(RULES, REDUNDANT_RULES, large=()))
async def test_a_condition_taken_away_is_noticed(engine: Engine, world: World, spoiled: World, name: str) -> None:
    function, condition, instead, kinds = RULES[name]
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute("SELECT pg_get_functiondef(%s::regprocedure) AS text", [function])
        text = (await cursor.fetchone())["text"]
    assert text.count(condition) >= 1, text
    at = text.rindex(condition) if name in ("integrations read",) else text.index(condition)
    try:
        await as_service(engine, text[:at] + instead + text[at + len(condition) :])
        forest = spoiled if name in LETS_WRITE else world
        found = await noticed(engine, forest, kinds, redundant=name in REDUNDANT_RULES)
    finally:
        await as_service(engine, text)
    assert found == (name not in REDUNDANT_RULES), REDUNDANT_RULES.get(name, "no leak was found")


async def as_service(engine: Engine, statement: str) -> None:
    async with engine.postgres.as_service() as connection:
        await connection.execute(sql.SQL(statement.replace("{", "{{").replace("}", "}}")).format())


# predicates of the graph's statements --------------------------------------------------------------------

CYPHER_AIM = {
    "node/shell": "shell",
    "edge/state": "edge",
    "node/anchors_by_name": "anchors",
    "node/of_user": "store refused",
    "node/tree": "tree",
    "edge/ends": "relate refused",
    "edge/by_id": "change refused",
    "node/state": "change refused",
    "edge/of_user": "edges",
    "search/anchors": "search",
}
ASKS = "$principal = $user_id"


def spans(text: str) -> list[tuple[int, int]]:
    """Where the filters of a statement stand: the whole predicate, or the bare question whether the user asks."""
    found = []
    for match in re.finditer(re.escape(ASKS), text):
        start, end = match.span()
        if text[end:].startswith(" THEN [] ELSE COLLECT"):
            continue  # without it nothing is collected, and others read nothing
        if text[start - 1] == "(" and text[end:].startswith(" OR EXISTS {"):
            depth, end = 1, start
            while depth:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            start -= 1
        found.append((start, end))
    return found


def statement_text(name: str) -> str:
    return statements.cypher(name)


PREDICATES = {f"{name}#{number}": name for name in CYPHER_AIM for number in range(len(spans(statement_text(name))))}
REDUNDANT_PREDICATES = {
    "edge/ends#0": "the delta and the commit of a relation are written under Postgres' policies, which take a user's own only",
    "search/anchors#7": "the nodes above an anchor only say where to search, which Postgres' policies narrow again",
    "search/anchors#10": "so do the nodes below it",
}
ELSEWHERE = {"node/shell#5"}
"""Noticed where somebody may read a child without its records."""


def rewrite(monkeypatch: pytest.MonkeyPatch, name: str, text: str) -> None:
    """The engine sends this text for the statement of that name until the test is over."""
    real: Callable[[str], str] = statements.cypher

    def rewritten(asked: str) -> str:
        return text if asked == name else real(asked)

    for module in list(sys.modules.values()):
        if getattr(module, "cypher", None) is real:
            monkeypatch.setattr(module, "cypher", rewritten)


GRAPHS = dict.fromkeys(("node/shell of n.user_id", "edge/by_id of n.user_id", "node/state of n.user_id"), "")
REDUNDANT_GRAPHS = {
    "node/shell of n.user_id": "the way down must begin at the root of the graph that was asked for",
    "edge/by_id of n.user_id": "the other end must be of the graph, too, and edges do not leave a graph",
}


@pytest.mark.ledger("X01", "N28")
@pytest.mark.parametrize("filtered", known(GRAPHS, REDUNDANT_GRAPHS))
async def test_the_graph_taken_away_is_noticed(
    engine: Engine, world: World, monkeypatch: pytest.MonkeyPatch, filtered: str
) -> None:
    name, column = filtered.split(" of ")
    text = statement_text(name)
    assert f"{column} = $user_id" in text
    rewrite(monkeypatch, name, text.replace(f"{column} = $user_id", "true", 1))
    forest, redundant = world, filtered in REDUNDANT_GRAPHS
    found = await noticed(engine, forest, CYPHER_AIM[name], redundant=redundant, planned=False)
    assert found == (filtered not in REDUNDANT_GRAPHS), REDUNDANT_GRAPHS.get(filtered, "no leak was found")


MOMENTS = {
    f"{name}: {rule}": (name, text)
    for name in ("node/shell", "node/anchors_by_name", "edge/of_user", "edge/state", "search/anchors")
    for rule, text in (
        ("since the grant", "(g.granted_at <= $earliest OR g.past)"),
        ("since the move of a node", "all(step IN way WHERE coalesce(endNode(step).placed_at <= $earliest, true))"),
    )
} | {
    "node/shell: since the move of a record": (
        "node/shell", "coalesce(r.moved_at <= $earliest, r.moved_revision IS NULL OR $earliest > datetime())",
    )
}  # fmt: skip


@pytest.mark.ledger("X01")
@pytest.mark.parametrize("rule", known(MOMENTS, {}))
async def test_a_right_that_is_not_asked_of_the_past_is_noticed(
    engine: Engine, world: World, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    name, condition = MOMENTS[rule]
    text = statement_text(name)
    assert condition in text
    rewrite(monkeypatch, name, text.replace(condition, "true"))
    assert await noticed(engine, world, CYPHER_AIM[name], planned=False)


RIGHTS = {
    "whose right": "subject_id: $principal, ",
    "not revoked": "g.revoked_at IS NULL AND ",
    "not over": "coalesce(g.expires_at > datetime(), true) AND ",
    "how deep": " AND right.depth >= size(way)",
    "where": "right.node_id = top.node_id AND ",
    "which fields": " AND 'records' IN right.fields",
    "the persona that asks": " {node_id: $principal}",
    "personas only": "trim($kind) = 'persona' AND ",
    "the graph of the grant": ", user_id: $user_id",
    "the graph of the persona": " AND top.user_id = $user_id",
}
"""Conditions of the parts about rights, as they stand in a statement."""
REDUNDANT_RIGHTS = {
    "personas only": "no other principal has the id of a persona",
    "the graph of the grant": "the node that is asked for is of the graph, and so is all above it",
    "the graph of the persona": "so it is with a persona",
}


@pytest.mark.ledger("X01", "N28")
@pytest.mark.parametrize("condition", known(RIGHTS, REDUNDANT_RIGHTS, large=("",)))
async def test_a_condition_of_a_right_is_noticed(
    engine: Engine, world: World, named_only: World, monkeypatch: pytest.MonkeyPatch, condition: str
) -> None:
    text = statement_text("node/shell")
    assert RIGHTS[condition] in text
    rewrite(monkeypatch, "node/shell", text.replace(RIGHTS[condition], ""))
    redundant = condition in REDUNDANT_RIGHTS
    forest = named_only if condition == "which fields" else world
    found = await noticed(engine, forest, "shell", redundant=redundant, planned=False)
    assert found != redundant, REDUNDANT_RIGHTS.get(condition)


@pytest.mark.ledger("X01")
@pytest.mark.parametrize(("trigger", "kinds"), [("assignments moved", "metadata, state"), ("nodes placed", "metadata")])
async def test_a_move_whose_time_is_not_kept_is_noticed(engine: Engine, trigger: str, kinds: str) -> None:
    table, name = trigger.split()
    try:
        await as_service(engine, f"ALTER TABLE engine.{table} DISABLE TRIGGER {name}")
        forest = await grow(engine, Random(14), SMALL)
    finally:
        await as_service(engine, f"ALTER TABLE engine.{table} ENABLE TRIGGER {name}")
    assert await noticed(engine, forest, kinds)


MOMENTS_ASKED = {"shell", "children", "tree", "metadata", "state", "anchors", "edges"}


@pytest.mark.ledger("X01")
def test_every_read_that_takes_a_moment_is_asked_of_the_past() -> None:
    """Reads of a memory that take a moment; a search takes it in its request, events by `known_at`."""
    taking = {name for name, one in vars(Memory).items() if "moment" in getattr(one, "__annotations__", {})}
    for parent in Memory.__mro__[1:]:
        taking |= {name for name, one in vars(parent).items() if "moment" in getattr(one, "__annotations__", {})}
    assert taking == MOMENTS_ASKED


@pytest.mark.ledger("X01")
@pytest.mark.parametrize("predicate", known(PREDICATES, REDUNDANT_PREDICATES))
async def test_a_predicate_taken_away_is_noticed(
    engine: Engine, world: World, named_only: World, growing: World, monkeypatch: pytest.MonkeyPatch, predicate: str
) -> None:
    name, number = predicate.split("#")
    text = statement_text(name)
    start, end = spans(text)[int(number)]
    rewrite(monkeypatch, name, text[:start] + "true" + text[end:])
    if text[:start].endswith("  WITH n, cosine\n  WHERE ("):
        monkeypatch.setattr(anchors, "EXACT_SHELLS", 3)  # so that the vector index is asked in a small graph
    changing = predicate == "node/of_user#1"
    forest = named_only if predicate in ELSEWHERE else growing if changing else world
    reason = REDUNDANT_PREDICATES.get(predicate)
    found = await noticed(
        engine, forest, CYPHER_AIM[name], redundant=reason is not None, changing=changing, planned=False
    )
    assert found == (reason is None), reason or "no leak was found"


async def test_what_was_mutated_is_whole_again(engine: Engine) -> None:
    forest = await grow(engine, Random(11), SMALL)  # the others may hold what a mutation let in
    run = Run(engine, forest, seed=12)
    await run.go(OPERATIONS, changing=False)
    assert run.leaks == []
