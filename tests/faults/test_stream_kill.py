"""A process that dies while it streams or stores: what was acknowledged is there, nothing is there twice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import uuid4

import pytest
from psycopg import sql

from engine.commit.outbox import STEPS
from engine.ingest.streams.streaming import Streams
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.faults import stream_victim
from tests.faults.killing import LIVED, printed
from tests.faults.stream_victim import THRESHOLDS, TURNS, said


@pytest.fixture(scope="module")
async def small(engine: Engine, settings: Settings) -> AsyncIterator[Engine]:
    async with open_engine(settings.model_copy(update=THRESHOLDS), warming=False) as opened:
        yield opened


async def killed(engine: Engine, handle: str, operation: str, step: str, times: int) -> list[str]:
    """What the victim printed before it died by our hand."""
    words = await printed(engine, stream_victim, handle, operation, step, str(times))
    assert LIVED not in words
    return words


async def stored(engine: Engine, handle: str) -> list[tuple[int, str]]:
    user = await engine.workspace.users.find(handle)
    schema = (await engine.memory(user.user_id).nodes.shell(user.user_id)).schema_name
    statement = sql.SQL("SELECT position, content FROM {}.memory_items WHERE kind = 'turn' ORDER BY position").format(
        sql.Identifier(schema)
    )
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(statement)
        return [(row["position"], row["content"]) for row in await cursor.fetchall()]


async def all_is_there_once(engine: Engine, small: Engine, handle: str) -> None:
    """After recovery, the job and the end, as after any start."""
    memory = small.memory((await engine.workspace.users.find(handle)).user_id)
    await engine.outbox.recover()
    await small.parts[Streams].run()
    for number in range(TURNS):  # the client goes on where it was, and is not sure where that is
        await memory.conversations.append("s", said(number))
    await memory.conversations.end("s")
    state = await memory.conversations.get("s")
    assert (state.state, state.turns, state.stored, state.waiting_tokens) == ("ended", TURNS, TURNS, 0)
    assert await stored(engine, handle) == [(number, said(number).text) for number in range(TURNS)]
    await engine.sweep.run(grace=timedelta(0))
    assert await engine.doctor.examine() == []


@pytest.mark.ledger("N11", "N12")
@pytest.mark.parametrize(("step", "kept"), [("append_sent", 0), ("append_committed", 1)])
async def test_a_turn_is_there_once_it_is_acknowledged(engine: Engine, small: Engine, step: str, kept: int) -> None:
    handle = f"k{uuid4().hex[:12]}"
    acknowledged = await killed(engine, handle, "append", step, 20)
    state = await small.memory((await engine.workspace.users.find(handle)).user_id).conversations.get("s")
    assert state.turns == int(acknowledged[-1]) + kept
    await all_is_there_once(engine, small, handle)


@pytest.mark.ledger("N11", "N12", "N15")
@pytest.mark.parametrize("operation", ["end", pytest.param("run", marks=pytest.mark.long)])
@pytest.mark.parametrize("step", ["piece_read", "objects_written", *STEPS, "piece_stored", "piece_settled"])
async def test_storing_goes_on_wherever_it_died(engine: Engine, small: Engine, operation: str, step: str) -> None:
    handle = f"k{uuid4().hex[:12]}"
    words = await killed(engine, handle, operation, step, 2)  # in the second piece
    assert words[-1] == str(TURNS)
    await all_is_there_once(engine, small, handle)


@pytest.mark.ledger("N11")
async def test_an_end_that_died_at_once_is_finished_by_the_job(engine: Engine, small: Engine) -> None:
    handle = f"k{uuid4().hex[:12]}"
    await killed(engine, handle, "end", "end_committed", 1)
    memory = small.memory((await engine.workspace.users.find(handle)).user_id)
    assert (await memory.conversations.get("s")).state == "ending"
    await small.parts[Streams].run()
    assert (await memory.conversations.get("s")).state == "ended"
    await all_is_there_once(engine, small, handle)
