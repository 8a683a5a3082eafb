"""Nodes come into existence whole, once, under any name, never too deep."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.domain.node import CreatedEdge, NewNode, User
from engine.errors import DepthExceeded, InvalidInput, InvalidName, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.migrations import migrate_neo4j, migrate_postgres, migrations

NAMES = [
    "Dave", "Rôtisserie “Zur Post”", "O'Brien; DROP SCHEMA engine", "a/b\\c", "משפחה", "عائلة", "家族", "👨‍👩‍👧 family", "x" * 200,
    "engine", "public", "pg_catalog", "1st", "ß", "İstanbul", "e\u0301", "{name}", "%(name)s", "-- no", "Ω" * 63,
]  # fmt: skip


@pytest.mark.ledger("A01", "U07")
async def test_initialising_again_changes_nothing(engine: Engine) -> None:
    assert await migrate_postgres(engine.postgres, migrations("postgres")) == []
    assert await migrate_neo4j(engine.neo4j, migrations("neo4j")) == []


@pytest.mark.ledger("N01", "N02", "N03", "N05", "N08", "N32")
async def test_a_node_has_a_schema_a_shell_and_an_empty_manifest(engine: Engine, memory: Memory, user: User) -> None:
    family = await memory.nodes.provision(NewNode(user.user_id, "Family", summary="The Harlans", keywords=("sister",)))
    dave = await memory.nodes.provision(NewNode(family.node_id, "Dave", "persona", aliases=("David",)))
    shell = await memory.nodes.shell(dave.node_id)
    assert (shell.path, shell.layer, shell.node_type) == (("Bob Harlan", "Family", "Dave"), 2, "persona")
    assert (shell.state, shell.records, shell.manifest) == ("active", 0, ())
    assert dave.schema_name == f"{user.handle}_family_dave"
    children = (await memory.nodes.shell(family.node_id)).children
    assert [(child.name, child.state) for child in children] == [("Dave", "active")]
    assert (await memory.nodes.metadata(dave.node_id)).records == ()
    assert [anchor.path for anchor in await memory.nodes.anchors("DAVID")] == [shell.path]


@pytest.mark.ledger("N01", "N05")
async def test_sixteen_callers_make_one_node_each_name(engine: Engine, memory: Memory, user: User) -> None:
    answers = await asyncio.gather(
        *(memory.nodes.provision(NewNode(user.user_id, f"Node {number % 4}")) for number in range(16))
    )
    assert len({answer.node_id for answer in answers}) == 4
    assert sum(answer.created for answer in answers) == 4
    assert len((await memory.nodes.shell(user.user_id)).children) == 4
    for answer in answers:  # every answer is already usable, whoever created the node
        assert (await memory.nodes.metadata(answer.node_id)).records == ()


@pytest.mark.ledger("N08")
async def test_names_of_any_script_and_names_that_differ_in_case_only(memory: Memory, user: User) -> None:
    nodes = [await memory.nodes.provision(NewNode(user.user_id, name)) for name in NAMES]
    assert len({node.schema_name for node in nodes}) == len(NAMES)
    for name, node in zip(NAMES, nodes, strict=True):
        assert len(node.schema_name.encode()) <= 63
        assert not (await memory.nodes.provision(NewNode(user.user_id, name))).created
        assert (await memory.nodes.shell(node.node_id)).schema_name == node.schema_name
    assert (await memory.nodes.provision(NewNode(user.user_id, "dAVE"))).node_id == nodes[0].node_id


@pytest.mark.ledger("N01", "N06")
async def test_below_layer_five_nothing_is_created_and_the_event_is_logged(engine: Engine, memory: Memory) -> None:
    deepest = await memory.nodes.provision_path(["1", "2", "3", "4", "5", "6", "7"])
    assert deepest is not None and deepest.layer == 5
    with pytest.raises(DepthExceeded):
        await memory.nodes.provision(NewNode(deepest.node_id, "too deep"))
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT detail ->> 'name' AS name FROM engine.hierarchy_log WHERE node_id = %s ORDER BY occurred_at",
            [deepest.node_id],
        )
        assert [row["name"] for row in await cursor.fetchall()] == ["6", "too deep"]


@pytest.mark.ledger("N01")
async def test_the_database_itself_holds_depth_and_names(engine: Engine, memory: Memory, user: User) -> None:
    node = await memory.nodes.provision(NewNode(user.user_id, "One"))
    row = "INSERT INTO engine.nodes (node_id, user_id, parent_id, name, name_key, node_type, layer, schema_name, template_version) VALUES (%s, %s, %s, 'n', 'n', 'concept', %s, %s, 1)"
    for layer, schema in ((6, "fresh_6"), (4, "fresh_4"), (2, node.schema_name)):
        with pytest.raises(psycopg.errors.IntegrityError):
            async with engine.postgres.service.connection() as connection:
                await connection.execute(row, [uuid4(), user.user_id, node.node_id, layer, schema])
    async with engine.postgres.service.connection() as connection, connection.transaction():
        await connection.execute(row, [uuid4(), user.user_id, node.node_id, 2, "fresh_2"])  # nothing else was wrong
        raise psycopg.Rollback


@pytest.mark.ledger("N02")
async def test_a_persona_may_sit_on_any_layer_and_has_edges(memory: Memory, user: User) -> None:
    parent, personas = user.user_id, []
    for layer in range(1, 6):
        node = await memory.nodes.provision(NewNode(parent, f"Person {layer}", "persona"))
        shell = await memory.nodes.shell(node.node_id)
        assert (shell.layer, shell.node_type) == (layer, "persona")
        personas.append(node.node_id)
        parent = node.node_id
    concept = await memory.nodes.provision(NewNode(user.user_id, "Work"))
    await memory.edges.make(personas[4], concept.node_id, "works at")
    await memory.edges.make(personas[0], personas[4], "knows")
    edges = {(edge.edge_type, edge.outgoing) for edge in (await memory.nodes.shell(personas[4])).edges}
    assert edges == {("works at", True), ("knows", False)}


@pytest.mark.parametrize(
    "name",
    ["", "   ", "\u200b", "a\x00b", "tab\x07", "x" * 201, "\ud800", "y" * 10_000_000],
    ids=lambda name: repr(name[:8]),
)
async def test_what_is_no_name(memory: Memory, user: User, name: str) -> None:
    with pytest.raises(InvalidName):
        await memory.nodes.provision(NewNode(user.user_id, name))
    assert (await memory.nodes.shell(user.user_id)).children == ()


async def test_unknown_parents_and_foreign_parents_look_the_same(engine: Engine, memory: Memory) -> None:
    other = await engine.workspace.users.create(f"o{uuid4().hex[:12]}", "Other")
    details = []
    for parent in (uuid4(), other.user_id):
        with pytest.raises(NotFound) as error:
            await memory.nodes.provision(NewNode(parent, "mine"))
        details.append(str(error.value))
    assert details[0] == details[1]


async def test_wrong_types_are_refused(memory: Memory, user: User) -> None:
    with pytest.raises(InvalidInput):
        await memory.nodes.provision(NewNode(user.user_id, "n", "planet"))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        await memory.nodes.provision(NewNode(user.user_id, "n", summary="s" * 3000))


@pytest.mark.ledger("N04")
async def test_one_query_lists_the_three_places_of_dave(memory: Memory) -> None:
    paths = [["Family", "Siblings", "Ellen", "Dave"], ["Business", "Employees", "Dave"], ["Hobbies", "Fishing", "Dave"]]
    nodes = [await memory.nodes.provision_path(path) for path in paths]
    ids = [node.node_id for node in nodes if node]
    made = await memory.edges.make(ids[0], ids[1], "same_person", {"since": "2011"})
    assert made == CreatedEdge(made.edge_id, created=True)
    assert await memory.edges.make(ids[0], ids[1], "same_person") == CreatedEdge(made.edge_id, created=False)
    anchors = await memory.nodes.anchors("dave")
    assert sorted(list(anchor.path[1:]) for anchor in anchors) == sorted(paths)
    employee = next(anchor for anchor in anchors if "Employees" in anchor.path)
    assert [(e.edge_type, e.other_path[1:], e.outgoing) for e in employee.edges] == [
        ("same_person", tuple(paths[0]), False)
    ]
    assert [(e.source_name, e.target_name) for e in await memory.edges.list()] == [("Dave", "Dave")]


async def test_an_edge_needs_two_readable_nodes(engine: Engine, memory: Memory, user: User) -> None:
    node = await memory.nodes.provision(NewNode(user.user_id, "One"))
    other = await engine.workspace.users.create(f"o{uuid4().hex[:12]}", "Other")
    for target in (other.user_id, uuid4()):
        with pytest.raises(NotFound):
            await memory.edges.make(node.node_id, target, "knows")
    with pytest.raises(InvalidInput):
        await memory.edges.make(node.node_id, node.node_id, "knows")
    with pytest.raises(InvalidInput):
        await memory.edges.make(node.node_id, user.user_id, "knows", {"known_from": "1970"})
    with pytest.raises(InvalidInput):
        await memory.edges.make(node.node_id, user.user_id, "knows", {"": "nothing"})


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(min_size=1, max_size=230))
async def test_any_text_is_a_node_or_an_invalid_name(memory: Memory, user: User, name: str) -> None:
    try:
        node = await memory.nodes.provision(NewNode(user.user_id, name))
    except InvalidName:
        return
    assert (await memory.nodes.shell(node.node_id)).node_id == node.node_id


@pytest.mark.ledger("N01")
async def test_users_are_found_again_by_handle(engine: Engine) -> None:
    handle = f"Zoë {uuid4().hex[:8]}"
    first, second = (
        await engine.workspace.users.create(handle, "Zoë"),
        await engine.workspace.users.create(handle, "Another name"),
    )
    assert (first.user_id, first.created, second.created) == (second.user_id, True, False)
    assert (await engine.workspace.users.find(handle)).display_name == "Zoë"
    answers = await asyncio.gather(*(engine.workspace.users.create(f"{handle} 2") for _ in range(16)))
    assert len({answer.user_id for answer in answers}) == 1 and sum(answer.created for answer in answers) == 1
    with pytest.raises(NotFound):
        await engine.workspace.users.find("nobody at all")
