"""Ingests whose ground gives way: no room for objects, objects that cannot be written, stores that stop in the middle."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from engine.domain.history import Conversation, Turn
from engine.errors import StoreFull, StoreUnavailable
from engine.ingest.pipeline import Pending
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.faults.servers import server_pid, until_healthy, until_settled

TURNS = tuple(Turn("Bob", f"Sentence number {number} about walleye.") for number in range(40))


def noise(size: int) -> str:
    """A text that does not become smaller by compression to less than about half."""
    return " ".join(os.urandom(8).hex() for _ in range(size // 17))


def remounted(disk: Path, mode: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{mode}", str(disk)], check=True)


async def nothing_there(engine: Engine, memory: Memory) -> None:
    shell = await memory.nodes.shell(memory.principal.user_id)
    assert (shell.records, shell.items) == (0, 0)
    assert (await memory.nodes.metadata(memory.principal.user_id)).records == ()
    await engine.sweep.run(grace=timedelta(0))
    assert await engine.doctor.examine() == []


@pytest.mark.ledger("N15", "L04")
async def test_no_room_for_the_file_of_one_record_leaves_nothing_of_its_commit(engine: Engine, memory: Memory) -> None:
    contents = [
        Pending(Conversation("small", TURNS)),
        Pending(Conversation("large", (Turn("Bob", noise(40_000)),))),
    ]
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, unlimited[1]))  # no file of this process may be larger
        with pytest.raises(StoreFull):
            await memory.ingests.store(contents)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    await nothing_there(engine, memory)
    (session,) = await memory.ingests.list()
    assert (session.state, session.records) == ("failed", 0) and (session.failure or "").startswith("StoreFull")
    assert [(one.stage, one.cause) for one in await memory.failures.list()] == [("ingest", "StoreFull")]
    report = await memory.ingests.store(contents)  # there is room again
    assert len(report.records) == 2
    assert await engine.doctor.examine() == []


@pytest.fixture(scope="module")
def small_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file system of 2 MB."""
    folder = tmp_path_factory.mktemp("disk")
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(folder)], capture_output=True)
    if made.returncode:
        pytest.skip("No file system may be mounted here; the test above limits files instead.")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture(scope="module")
async def cramped(small_disk: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Engine]:
    """An engine whose objects lie on that file system."""
    home = tmp_path_factory.mktemp("cramped")
    own = Settings(_env_file=None, home=home, cache=cache, objects_url=f"file://{small_disk}", statement_timeout_s=120)
    async with open_engine(own, warming=False) as opened:
        yield opened


@pytest.mark.ledger("N15")
@pytest.mark.parametrize("trouble", ["full", "read-only"])
async def test_objects_that_take_nothing_stop_a_write_whole(cramped: Engine, small_disk: Path, trouble: str) -> None:
    memory = cramped.memory((await cramped.workspace.users.create(f"d{uuid4().hex[:12]}")).user_id)
    if trouble == "full":
        filler = small_disk / "filler"
        with pytest.raises(OSError, match="No space"):
            filler.write_bytes(bytes(4 << 20))
    else:
        remounted(small_disk, "ro")
    try:
        with pytest.raises(StoreFull if trouble == "full" else StoreUnavailable):
            await memory.records.remember(Conversation("c", TURNS))
        assert [store.healthy for store in await cramped.health() if store.store == "objects"] == [trouble == "full"]
    finally:
        if trouble == "full":
            filler.unlink()
        else:
            remounted(small_disk, "rw")
    await nothing_there(cramped, memory)
    assert (await memory.records.remember(Conversation("c", TURNS))).turns == 40
    assert await cramped.doctor.examine() == []


@pytest.mark.ledger("N16")
async def test_what_an_attempt_stored_without_an_answer_is_stored_by_this_ingest(settings: Settings) -> None:
    """The graph does not answer once Postgres has accepted the commit: the ingest goes on, and finds its own sources stored."""
    lost: list[str] = []

    def lose(step: str) -> None:
        if step in lost:
            lost.remove(step)
            raise StoreUnavailable("neo4j", "no answer")

    async with open_engine(settings, on_step=lose, warming=False) as engine:
        user = await engine.workspace.users.create(f"d{uuid4().hex[:12]}")
        lost.append("accepted")
        report = await engine.memory(user.user_id).ingests.store([Pending(Conversation("c", TURNS))])
        assert (report.turns, len(report.records), report.skipped, lost) == (40, 1, (), [])
        again = await engine.memory(user.user_id).ingests.store([Pending(Conversation("c", TURNS))])
        assert (again.turns, len(again.skipped)) == (0, 1)


@pytest.mark.ledger("N16", "N15")
@pytest.mark.parametrize("name", ["postgres", pytest.param("neo4j", marks=pytest.mark.long)])
async def test_a_history_goes_on_by_itself_when_a_store_comes_back(engine: Engine, memory: Memory, name: str) -> None:
    contents = [Pending(Conversation(f"c{number}", TURNS)) for number in range(24)]
    before = server_pid(engine, name)

    async def killer() -> None:
        while not (await memory.ingests.list())[:1] or not (await memory.ingests.list())[0].records:  # noqa: ASYNC110
            await asyncio.sleep(0.005)  # the first commits are through
        os.kill(server_pid(engine, name), signal.SIGKILL)

    killing = asyncio.create_task(killer())
    try:
        report = await memory.ingests.store(contents)
        turns = report.turns
    except StoreUnavailable:  # it took the server longer to come back than an ingest waits
        await until_healthy(engine)
        turns = (await memory.ingests.store(contents)).turns
    await killing
    await until_healthy(engine)
    assert server_pid(engine, name) != before, "the store did not die: the test proved nothing"
    assert 0 < turns <= 24 * 40
    await until_settled(engine)
    await engine.sweep.run(grace=timedelta(0))
    assert await engine.doctor.examine() == []
    shell = await memory.nodes.shell(memory.principal.user_id)
    assert (shell.records, shell.items) == (24, 24 * 40)
