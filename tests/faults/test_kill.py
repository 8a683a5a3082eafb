"""A process killed at any step boundary leaves all or nothing in all three stores, and no orphan after the sweep."""

from __future__ import annotations

import asyncio
import signal
import sys
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.search import SearchRequest
from engine.neurigraph import Engine

VICTIM = Path(__file__).with_name("victim.py")
TURNS = tuple(Turn("Bob", f"Sentence number {number} about walleye.") for number in range(40))


async def killed(engine: Engine, handle: str, operation: str, step: str) -> bool:
    """Runs the victim; whether it acknowledged. Asserts that it died by our hand where it had not."""
    arguments = (str(engine.settings.home), str(engine.settings.cache), handle, operation, step)
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(VICTIM), *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, errors = await asyncio.wait_for(process.communicate(), 120)
    acknowledged = b"acknowledged" in out
    assert acknowledged or process.returncode == -signal.SIGKILL, errors.decode()
    return acknowledged


async def all_agree(engine: Engine) -> None:
    """Recovery, as at the next start, then the sweep; after that the stores must agree in everything."""
    await engine.outbox.recover()
    await engine.sweep.run(grace=timedelta(0))
    assert await engine.doctor.examine() == []


@pytest.mark.ledger("N05", "N15")
@pytest.mark.parametrize("step", ["node_registered", "graph_written", "made_visible", "-"])
async def test_provisioning_is_whole_or_not_there(engine: Engine, step: str) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert await killed(engine, handle, "node", step) == (step == "-")
    await all_agree(engine)
    user = await engine.find_user(handle)
    memory = engine.memory(user.user_id)
    child = (await memory.shell(user.user_id)).children[0]
    assert (child.name, child.records) == ("Victim", 0)
    again = await memory.provision(NewNode(user.user_id, "Victim"))
    assert (again.node_id, again.created) == (child.node_id, False)
    await memory.remember(Conversation("c", TURNS), node_id=child.node_id)  # a whole node takes content
    await all_agree(engine)


@pytest.mark.ledger("N05")
@pytest.mark.parametrize("step", ["node_registered", "graph_written"])
async def test_a_user_is_whole_or_not_there(engine: Engine, step: str) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert not await killed(engine, handle, "user", step)
    await all_agree(engine)
    user = await engine.create_user(f"{handle}-new")
    assert (await engine.memory(user.user_id).shell(user.user_id)).layer == 0


@pytest.mark.ledger("N15")
@pytest.mark.parametrize(
    ("step", "there"),
    [("objects_written", False), ("content_committed", True), ("graph_written", True), ("made_visible", True)],
)
async def test_a_record_is_whole_or_not_there(engine: Engine, step: str, there: bool) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert not await killed(engine, handle, "record", step)
    user = await engine.find_user(handle)
    memory = engine.memory(user.user_id)
    if step == "objects_written":
        assert [finding.store for finding in await engine.doctor.examine()] == ["objects"]
    await all_agree(engine)
    shell = await memory.shell(user.user_id)
    assert (shell.records, shell.items) == ((1, 40) if there else (0, 0))
    page = await memory.metadata(user.user_id)
    assert len(page.records) == len(shell.manifest) == shell.records
    answer = await memory.search(SearchRequest("walleye", limit=50))
    assert len(answer.hits) == shell.items
    again = await memory.remember(Conversation("victim", TURNS))
    assert again.turns == (0 if there else 40)
    await all_agree(engine)
    kept = (await memory.metadata(user.user_id)).records[0]
    assert kept.file_id and b"Sentence number 39" in await memory.read_file(user.user_id, kept.file_id)


@pytest.mark.ledger("N15")
async def test_before_recovery_nothing_half_written_is_seen(engine: Engine) -> None:
    handle = f"k{uuid4().hex[:12]}"
    await killed(engine, handle, "record", "content_committed")
    user = await engine.find_user(handle)
    memory = engine.memory(user.user_id)
    assert (await memory.metadata(user.user_id)).records == ()
    assert (await memory.search(SearchRequest("walleye"))).hits == ()
    await all_agree(engine)
    assert len((await memory.search(SearchRequest("walleye"))).hits) == 10
