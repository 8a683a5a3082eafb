"""A store that stops in the middle of requests: a clear error, nothing half-written, recovery by itself."""

from __future__ import annotations

import asyncio
import os
import signal
from datetime import timedelta
from uuid import uuid4

import pytest

from engine.domain.history import Conversation, Turn
from engine.errors import StoreUnavailable
from engine.neurigraph import Engine
from tests.faults.servers import server_pid, until_healthy, until_settled

TURNS = tuple(Turn("Bob", f"Sentence number {number} about walleye.") for number in range(8))


@pytest.mark.ledger("N15", "U07")
@pytest.mark.parametrize("name", ["postgres", pytest.param("neo4j", marks=pytest.mark.long)])
async def test_a_store_killed_under_writes_and_reads(engine: Engine, name: str) -> None:
    user = await engine.workspace.users.create(f"s{uuid4().hex[:12]}")
    memory = engine.memory(user.user_id)
    await memory.records.remember(Conversation("before", TURNS))

    before, under_way = server_pid(engine, name), asyncio.Event()

    async def write(number: int) -> int | None:
        try:
            report = await memory.records.remember(Conversation(f"c{number}", TURNS))
            under_way.set()
            return report.turns
        except StoreUnavailable as error:
            assert error.retry_after > 0 and "password" not in error.detail
            return None

    async def killer() -> list[int | None]:
        await under_way.wait()  # the first of the writes is through, the others are on their way
        os.kill(server_pid(engine, name), signal.SIGKILL)
        return await asyncio.gather(*(write(number) for number in range(20, 24)))  # to the dead store, whoever was fast

    early, late = await asyncio.gather(asyncio.gather(*(write(number) for number in range(20))), killer())
    written = [*early, *late]
    await until_healthy(engine)
    assert server_pid(engine, name) != before, "the store did not die: the test proved nothing"
    await until_settled(engine)
    await engine.sweep.run(grace=timedelta(0))
    assert await engine.doctor.examine() == []
    stored = {
        record.title for page in [await memory.nodes.metadata(user.user_id, limit=100)] for record in page.records
    }
    assert {f"c{number}" for number, turns in enumerate(written) if turns} <= stored
    again = [await memory.records.remember(Conversation(f"c{number}", TURNS)) for number in range(24)]
    assert all(report.turns in (0, 8) for report in again)
    assert (await memory.nodes.shell(user.user_id)).items == 25 * 8
