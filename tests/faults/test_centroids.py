"""Centroids of nodes: the mean of the vectors of what lives there, made anew where that changed; on the real stores."""

from __future__ import annotations

import asyncio
import json
from uuid import UUID, uuid4

import numpy as np
import pytest

from engine.commit.outbox import STEPS
from engine.commit.rows import due
from engine.derive.items import Centroids
from engine.domain.delta import Change
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.retraction import RetractionSubject
from engine.errors import NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.faults import move_victim, victim
from tests.faults.killing import lived

pytestmark = pytest.mark.usefixtures("alone")
FIRST, SECOND, _ = STEPS
KEPT = "SELECT c.centroid::text AS vector, c.items, c.version FROM engine.node_centroids AS c WHERE c.node_id = %s"
NODES = "SELECT n.node_id, n.schema_name FROM engine.nodes AS n WHERE n.user_id = %s"
VECTORS = """
SELECT i.item_id, i.{column}::text AS vector FROM {schema}.memory_items AS i JOIN {schema}.metadata_records AS r USING (record_id)
WHERE i.version_of IS NULL AND i.known_to IS NULL AND i.valid_to IS NULL
  AND r.state = 'live' AND r.known_to IS NULL AND r.valid_to IS NULL"""


async def made(engine: Engine, user_id: UUID) -> dict[UUID, int]:
    """What the jobs make; asserts that it is the mean at every node of a user. Of how many items each is."""
    for job in ("fact-chains", "pending-embeddings"):
        await engine.derivations.of_job(job)
    assert await engine.derivations.waiting("centroids") == 0
    version, counts = engine.active.current.version, dict[UUID, int]()
    async with engine.postgres.as_service() as connection:
        for node in await (await connection.execute(NODES, [user_id])).fetchall():
            live = VECTORS.format(schema=node["schema_name"], column=version.column)
            vectors = [json.loads(row["vector"]) for row in await (await connection.execute(live)).fetchall()]
            kept = await (await connection.execute(KEPT, [node["node_id"]])).fetchone()
            assert (kept is None) == (not vectors)
            if kept:
                units = np.array(vectors) / np.linalg.norm(vectors, axis=1, keepdims=True)
                assert np.abs(np.array(json.loads(kept["vector"])) - units.mean(axis=0)).max() < 1e-3
                assert (kept["items"], kept["version"]) == (len(vectors), version.name)
                counts[node["node_id"]] = len(vectors)
    return counts


async def an_item(engine: Engine, memory: Memory, node: UUID) -> UUID:
    schema = (await memory.nodes.shell(node)).schema_name
    live = VECTORS.format(schema=schema, column=engine.active.current.version.column)
    async with engine.postgres.as_service() as connection:
        row = await (await connection.execute(f"{live} ORDER BY i.item_id LIMIT 1")).fetchone()
    item: UUID = row["item_id"]
    return item


async def test_a_centroid_follows_what_is_stored_changed_moved_ended_and_withdrawn(
    engine: Engine, memory: Memory, user: User
) -> None:
    boats, sails = [(await memory.nodes.provision(NewNode(user.user_id, name))).node_id for name in ("Boats", "Sails")]
    assert await made(engine, user.user_id) == {}
    text = "Dave sold the walleye boat. Ellen keeps the oars."
    boat = (await memory.records.remember_text("Boat", text, node_id=boats)).records[0].record_id
    sail = (await memory.records.remember_text("Sail", "The sail is torn.", node_id=boats)).records[0].record_id
    both = (await made(engine, user.user_id))[boats]
    item = await an_item(engine, memory, boats)
    await memory.history.change(Change("item", item, {"content": "The mast is of ash."}, boats))
    assert (await made(engine, user.user_id))[boats] == both
    await memory.records.move(sail, boats, sails)
    counts = await made(engine, user.user_id)
    assert counts[boats] + counts[sails] == both > counts[sails] > 0
    await memory.history.change(Change("item", await an_item(engine, memory, sails), {"ended": True}, sails))
    assert sails not in await made(engine, user.user_id), "a record whose only text ends, ends with it"
    await memory.history.change(Change("node", boats, {"archived": True}))
    withdrawn = (await memory.retractions.retract(RetractionSubject("record", str(boat)))).retraction_id
    assert await made(engine, user.user_id) == {}
    await memory.retractions.undo(withdrawn)
    assert set(await made(engine, user.user_id)) == {boats}


@pytest.mark.ledger("N15")
@pytest.mark.parametrize(
    ("operation", "step"),
    [("record", FIRST), ("record", SECOND), ("state facts", FIRST), ("change item", FIRST), ("retract", SECOND), ("move", FIRST)],
)  # fmt: skip
async def test_a_centroid_is_right_after_a_kill_and_a_look_before_recovery(
    engine: Engine, operation: str, step: str
) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert not await lived(engine, move_victim if operation == "move" else victim, handle, operation, step)
    user = await engine.workspace.users.find(handle)
    await engine.derivations.run("centroids")  # sees what Postgres has accepted, and no reader yet
    await engine.outbox.recover()
    before = await made(engine, user.user_id)
    assert before or operation == "retract"


async def test_a_run_that_ends_before_it_strikes_off_is_made_again(engine: Engine, memory: Memory, user: User) -> None:
    await memory.records.remember_text("Sail", "The sail is torn.", node_id=user.user_id)
    [node] = [one async for one in due.due_nodes(engine.postgres, "centroids") if one.node_id == user.user_id]
    maker = Centroids(engine.postgres, engine.active)
    assert {made.after for made in await asyncio.gather(*(maker.page(node) for _ in range(4)))} == {None}
    assert await engine.derivations.waiting("centroids") == 1
    await made(engine, user.user_id)


async def test_writers_and_runs_at_the_same_nodes_stand_beside_each_other(
    engine: Engine, memory: Memory, user: User
) -> None:
    nodes = [(await memory.nodes.provision(NewNode(user.user_id, name))).node_id for name in ("Oar", "Rope")]

    async def write(number: int) -> None:
        here, there = nodes if number % 2 else reversed(nodes)
        text = f"Rope {number} is made of hemp. It was bought in the year {1900 + number}."
        record = (await memory.records.remember_text(f"Rope {number}", text, node_id=here)).records[0].record_id
        await memory.records.move(record, here, there)
        if number % 3 == 0:
            await memory.retractions.retract(RetractionSubject("record", str(record)))

    runs = (engine.derivations.of_job(job) for job in ("pending-embeddings", "fact-chains") * 3)
    await asyncio.gather(*(write(number) for number in range(12)), *runs)
    assert set(await made(engine, user.user_id)) == {*nodes}


@pytest.mark.ledger("X01")
async def test_no_request_reads_a_centroid_for_private_items_are_part_of_it(
    engine: Engine, memory: Memory, user: User
) -> None:
    await memory.records.remember_text("Sail", "The sail is torn.", node_id=user.user_id)
    assert await made(engine, user.user_id)
    persona = (await memory.nodes.provision(NewNode(user.user_id, "Coach", "persona"))).node_id
    for principal in (Principal.user(user.user_id), Principal("persona", persona, user.user_id)):
        with pytest.raises(NotFound):
            async with engine.postgres.as_principal(principal) as connection:
                await connection.execute(KEPT, [user.user_id])
