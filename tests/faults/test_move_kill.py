"""A process killed while it moves a record, or while a node is created for content, leaves all or nothing."""

from __future__ import annotations

from uuid import uuid4

import pytest

from engine.commit.outbox import STEPS
from engine.domain.assignment import AssignmentFilter
from engine.domain.search import SearchRequest
from engine.neurigraph import Engine
from tests.faults import move_victim
from tests.faults.killing import all_agree, lived


@pytest.mark.ledger("N15")
@pytest.mark.parametrize("step", [*STEPS, "-"])
async def test_a_move_is_whole_or_not_there(engine: Engine, step: str) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert await lived(engine, move_victim, handle, "move", step) == (step == "-")
    await all_agree(engine)
    memory = engine.memory((await engine.workspace.users.find(handle)).user_id)
    source, target = sorted((await memory.nodes.shell(memory.principal.user_id)).children, key=lambda child: child.name)
    assert (source.records, target.records) == (0, 1)  # Postgres had it, so it comes to its end
    [record] = (await memory.nodes.metadata(target.node_id)).records
    assert [entry.record_id for entry in (await memory.nodes.shell(target.node_id)).manifest] == [record.record_id]
    assert (await memory.search(SearchRequest("walleye", limit=1))).hits[0].path[-1] == "Target"
    assert await memory.files.read(target.node_id, record.file_id) == b"A walleye was caught."
    newest = (await memory.records.assignments(AssignmentFilter(record_id=record.record_id)))[0]
    assert (newest.node_id, newest.moved_from) == (target.node_id, source.node_id)
    await memory.files.sleep(target.node_id, record.file_id)
    await memory.records.move(record.record_id, target.node_id, source.node_id)
    await all_agree(engine)


@pytest.mark.ledger("N07")
@pytest.mark.parametrize(
    ("step", "times"),
    [(step, 1) for step in (*STEPS, "objects_written")] + [("accepted", 2), ("graph_written", 2)],
)  # the node's commit first, then that of its content
async def test_a_node_that_content_asked_for_is_there_once(engine: Engine, step: str, times: int) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert not await lived(engine, move_victim, handle, "create", step, str(times))
    await all_agree(engine)
    memory = engine.memory((await engine.workspace.users.find(handle)).user_id)
    await memory.records.remember_text("Quillfeather Meadow", move_victim.BEES, source_id="bees")
    await all_agree(engine)
    [child] = (await memory.nodes.shell(memory.principal.user_id)).children
    assert (child.name, child.records) == ("Quillfeather Meadow", 1)
