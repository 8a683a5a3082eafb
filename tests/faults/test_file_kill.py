"""A process killed in any transition of a file leaves a file that can be read, and stores that agree."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.stores.objects import copy_of
from engine.wiring.open_engine import open_engine
from tests.clock import Ahead
from tests.faults import file_victim
from tests.faults.killing import lived

TEXT = "The walleye of Loon Lake rise at dusk. " * 40
WAKING = ["file_claimed", "file_restored", "copy_written", "file_active", "state_applied"]
FALLING_ASLEEP = ["files_asleep", "copies_deleted", "states_applied"]


async def told_file(engine: Engine) -> tuple[str, Memory, UUID, UUID]:
    """A user with one text at the root: the handle, its memory, node and file."""
    handle = f"k{uuid4().hex[:12]}"
    user = await engine.workspace.users.create(handle)
    memory = engine.memory(user.user_id)
    report = await memory.records.remember_text("Dusk", TEXT)
    return handle, memory, user.user_id, report.records[0].file_id


async def settled(settings: Settings, user: UUID, node: UUID, file: UUID) -> None:
    """Another process, past the dead one's lease: it reads the file, and after the sweeps nothing is left of the crash."""
    clock = Ahead()
    quiet = settings
    async with open_engine(quiet, clock=clock, warming=False) as engine:
        memory = engine.memory(user)
        clock.by = timedelta(minutes=2)
        assert await memory.files.read(node, file) == TEXT.encode()
        assert (await memory.nodes.shell(node)).state == "active"
        clock.by = timedelta(hours=3)
        await engine.dormancy.run()
        await engine.sweep.run(grace=timedelta(0))
        assert await engine.doctor.examine() == []
        assert (await memory.files.state(node, file)).state == (await memory.nodes.shell(node)).state == "dormant"
        folder = settings.home / "objects"
        left = [path for path in folder.rglob("*") if path.is_file() and str(file) in str(path)]
        assert len(left) == 1 and not copy_of(left[0].relative_to(folder).as_posix())
        await memory.files.read(node, file)


@pytest.mark.ledger("N20", "N21")
@pytest.mark.parametrize("operation", ["read", pytest.param("wake", marks=pytest.mark.long)])
@pytest.mark.parametrize("step", WAKING)
async def test_killed_while_a_file_wakes(engine: Engine, operation: str, step: str) -> None:
    handle, memory, node, file = await told_file(engine)
    assert not await lived(engine, file_victim, handle, operation, step)
    state = (await memory.files.state(node, file)).state
    assert state == ("active" if step in ("file_active", "state_applied") else "rehydrating")
    if operation == "wake":  # who is woken by hand sleeps when told to, or is due after a month
        await settled_by_hand(engine.settings, node, node, file)
    else:
        await settled(engine.settings, node, node, file)


async def settled_by_hand(settings: Settings, user: UUID, node: UUID, file: UUID) -> None:
    clock = Ahead()
    quiet = settings
    async with open_engine(quiet, clock=clock, warming=False) as engine:
        clock.by = timedelta(minutes=2)
        assert await engine.memory(user).files.read(node, file) == TEXT.encode()
        assert (await engine.memory(user).files.sleep(node, file)).state == "dormant"
    await settled(settings, user, node, file)


@pytest.mark.ledger("N20")
@pytest.mark.parametrize("operation", ["sweep", pytest.param("sleep", marks=pytest.mark.long)])
@pytest.mark.parametrize("step", FALLING_ASLEEP)
async def test_killed_while_a_file_falls_asleep(engine: Engine, operation: str, step: str) -> None:
    handle, memory, node, file = await told_file(engine)
    await memory.files.read(node, file)
    assert not await lived(engine, file_victim, handle, operation, step)
    assert (await memory.files.state(node, file)).state == "dormant"
    await engine.nodes.apply()  # as at every start and with every sweep
    assert (await memory.nodes.shell(node)).state == "dormant"
    assert await memory.files.read(node, file) == TEXT.encode()  # at once: nobody holds it
    await settled(engine.settings, node, node, file)


@pytest.mark.ledger("N20", "N21")
async def test_killed_before_the_graph_knew_it_is_told_at_the_next_start(engine: Engine) -> None:
    handle, memory, node, file = await told_file(engine)
    assert not await lived(engine, file_victim, handle, "read", "file_active")
    assert (await memory.files.state(node, file)).state == "active"
    async with open_engine(engine.settings, warming=False) as next_start:
        assert (await next_start.memory(node).nodes.shell(node)).state == "active"
