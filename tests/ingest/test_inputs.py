"""Raw resources and the log of events: kept as they came, changed by nobody, for their user alone."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import sql

from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.occasion import NewEvent, Wanted
from engine.domain.principal import Principal
from engine.errors import InvalidInput, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
async def node(memory: Memory) -> UUID:
    return (await memory.nodes.provision(NewNode(memory.principal.user_id, f"Inputs {uuid4().hex[:6]}"))).node_id


async def forbidden(engine: Engine, *statements: str) -> None:
    """No role of the service may: not the request role, not the owner of the tables."""
    for statement in statements:
        with pytest.raises((psycopg.Error, NotFound)):
            async with engine.postgres.as_service() as connection:
                await connection.execute(statement)


@pytest.mark.ledger("M01")
async def test_everything_that_came_in_is_kept_as_it_came(memory: Memory, node: UUID) -> None:
    await memory.records.remember(Conversation("talk", (Turn("Bob", "The walleye bite."),)), node_id=node)
    await memory.records.remember_text("Doc", "Version one.", source_id="doc", node_id=node)
    await memory.records.remember_text("Doc", "Version two.", source_id="doc")
    await memory.records.remember_text("Doc", "Version two.", source_id="doc")  # nothing came in that was not there
    await memory.records.remember_text("Standup", "We met.", source_id="e", node_id=node, content_type="event")
    await memory.records.remember_text("Push", '{"ref": "main"}', source_id="w", node_id=node, content_type="webhook")
    found = await memory.resources.list()
    assert [(one.content_type, one.source_id) for one in reversed(found)] == [
        ("conversation", "conversation:talk"), ("document", "text:doc"), ("document", "text:doc"), ("event", "text:e"),
        ("webhook", "text:w"),
    ]  # fmt: skip
    assert len({one.workspace_id for one in found}) == 1
    contents = [(await memory.resources.content(one.resource_id)).content for one in found]
    assert contents[0] == b'{"ref": "main"}' and contents[2:4] == [b"Version two.", b"Version one."]
    for one, content in zip(found, contents, strict=True):
        assert (one.content_hash, one.size_bytes) == (hashlib.sha256(content).hexdigest(), len(content))
    paged = [one for page in [await pages(memory)] for one in page]
    assert paged == list(found)
    assert [one.content_type for one in await memory.resources.list(content_type="webhook")] == ["webhook"]
    assert len(await memory.resources.list(source_id="text:doc")) == 2


@pytest.mark.ledger("M01", "M02")
async def test_an_item_leads_to_the_input_that_brought_it(engine: Engine, memory: Memory, node: UUID) -> None:
    """A passage leads to the last version of its document that had it; others than the user see none."""
    turns = (Turn("Bob", "The walleye bite."), Turn("Iris", "Then we go out."))
    await memory.records.remember(Conversation("talk", turns), node_id=node)
    await memory.records.remember_text(
        "Doc", "# One\n\nThe pike sleeps.\n\n# Two\n\nThe perch wakes.", source_id="doc", node_id=node
    )
    await memory.records.remember_text("Doc", "# One\n\nThe pike sleeps.\n\n# Two\n\nThe trout wakes.", source_id="doc")
    second, first, talk = (one.resource_id for one in await memory.resources.list())
    async with engine.postgres.as_service() as connection:
        schema = sql.Identifier((await memory.nodes.shell(node)).schema_name)
        statement = sql.SQL(
            "SELECT item_id, record_id, content FROM {}.memory_items WHERE kind <> 'fact' AND version_of IS NULL"
        )
        rows = await (await connection.execute(statement.format(schema))).fetchall()
    persona = await memory.nodes.provision(NewNode(node, "Persona", "persona"))
    await memory.grants.give(NewGrant(node, "persona", persona.node_id))
    inside = engine.memory_as(Principal("persona", persona.node_id, memory.principal.user_id))
    led = {}
    for item_id, record_id, content in (row.values() for row in rows):
        state = await memory.history.state("item", item_id, node_id=node)
        assert state.record_id == record_id
        led[content.rstrip(".").split()[-2]] = state.resource_id
        if state.fields is not None:
            theirs = await inside.history.state("item", item_id, node_id=node)
            assert (theirs.record_id, theirs.resource_id) == (None, None)
    assert led == {"walleye": talk, "go": talk, "pike": second, "perch": first, "trout": second}
    records = {record_id for _, record_id, _ in (row.values() for row in rows)}
    states = [await memory.history.state("record", record_id, node_id=node) for record_id in records]
    assert {one.resource_id for one in states} == {talk, second} and len(states) == 2


async def pages(memory: Memory) -> list[object]:
    """All resources, two by two."""
    seen: list = []
    while page := await memory.resources.list(
        limit=2, before=(seen[-1].received_at, seen[-1].resource_id) if seen else None
    ):
        seen += page
    return seen


@pytest.mark.ledger("M01", "N28")
async def test_what_came_in_is_its_users_alone_and_nobody_changes_it(
    engine: Engine, memory: Memory, node: UUID
) -> None:
    await memory.records.remember_text("Doc", "Mine.", source_id="doc", node_id=node)
    resource = (await memory.resources.list())[0]
    stranger = engine.memory((await engine.workspace.users.create(f"u{uuid4().hex[:12]}")).user_id)
    persona = await memory.nodes.provision(NewNode(node, "Persona", "persona"))
    inside = engine.memory_as(Principal("persona", persona.node_id, memory.principal.user_id))
    assert await stranger.resources.list() == ()
    with pytest.raises(NotFound):
        await inside.resources.list()
    for other in (stranger, inside):
        with pytest.raises(NotFound):
            await other.resources.content(resource.resource_id)
    await forbidden(
        engine,
        "UPDATE engine.raw_resources SET content_type = 'event'",
        "DELETE FROM engine.raw_resources",
        "TRUNCATE engine.raw_resources",
    )
    assert await memory.resources.list() == (resource,)


@pytest.mark.ledger("A02")
async def test_events_are_read_by_time_on_both_clocks(engine: Engine, memory: Memory, node: UUID) -> None:
    late = await memory.events.write(NewEvent("call", "Dave called.", "joy", 0.7, 0.4, NOON, node))
    early = await memory.events.write(NewEvent("meeting", occurred_at=NOON - timedelta(days=1), energy=1))
    now = await memory.events.write(NewEvent("milestone", "The boat floats.", "pride"))
    assert await memory.events.list() == (now, late, early)
    assert (late.intensity, late.energy, late.emotion, early.intensity) == (0.7, 0.4, "joy", None)
    assert now.occurred_at == now.recorded_at
    assert await memory.events.list(Wanted(known_at=late.recorded_at)) == (late,)  # early was written later
    assert await memory.events.list(Wanted(start=NOON - timedelta(days=2), end=NOON)) == (early,)
    assert await memory.events.list(Wanted(kind="call")) == await memory.events.list(Wanted(node_id=node)) == (late,)
    assert await memory.events.list(before=(now.occurred_at, now.event_id), limit=1) == (late,)
    stranger = engine.memory((await engine.workspace.users.create(f"u{uuid4().hex[:12]}")).user_id)
    assert await stranger.events.list() == ()
    with pytest.raises(NotFound):
        await stranger.events.write(NewEvent("call", node_id=node))
    persona = await memory.nodes.provision(NewNode(node, "Persona", "persona"))
    inside = engine.memory_as(Principal("persona", persona.node_id, memory.principal.user_id))
    with pytest.raises(NotFound):
        await inside.events.list()
    with pytest.raises(NotFound):
        await inside.events.write(NewEvent("call"))
    await forbidden(
        engine,
        "UPDATE engine.event_log SET content = ''",
        "DELETE FROM engine.event_log",
        "TRUNCATE engine.event_log",
        "INSERT INTO engine.event_log SELECT gen_random_uuid(), user_id, NULL, 'x', '', 'joy', 1.5, NULL, now(), now(), 'x'"
        " FROM engine.users",
        "INSERT INTO engine.event_log SELECT gen_random_uuid(), user_id, NULL, 'x', '', NULL, NULL, -0.1, now(), now(), 'x'"
        " FROM engine.users",
    )
    assert await memory.events.list() == (now, late, early)


@pytest.mark.ledger("A02")
@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": " "}, {"kind": "x" * 101}, {"content": "a\x00"}, {"emotion": ""}, {"emotion": "joy", "intensity": 1.01},
        {"energy": -0.01}, {"energy": float("nan")}, {"intensity": 0.5}, {"occurred_at": datetime(2025, 1, 1)},
        {"content": "\ud800"},
    ],
)  # fmt: skip
def test_an_event_that_does_not_fit_is_refused(wrong: dict) -> None:
    with pytest.raises(InvalidInput):
        NewEvent(**{"kind": "call"} | wrong)
