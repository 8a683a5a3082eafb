"""A record that was forgotten is not brought back: no retraction of it is undone, no replay stages it, no mend enters it."""

from __future__ import annotations

from uuid import UUID

import pytest

from engine.domain.node import User
from engine.domain.retraction import RetractionSubject
from engine.errors import Forgotten
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.tombstones import forgotten


async def stored(memory: Memory, source_id: str = "t1") -> UUID:
    report = await memory.records.remember_text("Lease", f"The lease of {source_id} ends in June.", source_id=source_id)
    return report.records[0].record_id


async def test_the_retraction_of_a_forgotten_record_is_not_undone(engine: Engine, user: User, memory: Memory) -> None:
    record = await stored(memory)
    retraction = await memory.retractions.retract(RetractionSubject("record", str(record)))
    await forgotten(engine, user.user_id, "record", str(record))
    with pytest.raises(Forgotten, match="does not come back"):
        await memory.retractions.undo(retraction.retraction_id)
    assert [one.state for one in await memory.retractions.list()] == ["done"]


async def test_the_retraction_of_an_erased_record_is_not_undone(engine: Engine, user: User, memory: Memory) -> None:
    """What is erased has a surrogate in place of its id."""
    record = await stored(memory)
    retraction = await memory.retractions.retract(RetractionSubject("record", str(record)))
    async with engine.postgres.as_service() as connection:
        await connection.execute(
            "UPDATE engine.retraction_steps SET record_id = engine.surrogate(record_id) WHERE record_id = %s", [record]
        )
    with pytest.raises(Forgotten):
        await memory.retractions.undo(retraction.retraction_id)


async def test_a_replay_leaves_out_what_was_forgotten(engine: Engine, user: User, memory: Memory) -> None:
    gone, kept = await stored(memory), await stored(memory, "t2")
    await forgotten(engine, user.user_id, "record", str(gone))
    replay = await memory.replays.begin()
    built = await memory.replays.build(replay.replay_id)
    assert built.state == "built"
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT record_id FROM engine.replayed_records WHERE replay_id = %s", [replay.replay_id]
        )
        assert [row["record_id"] for row in await cursor.fetchall()] == [kept]  # type: ignore[call-overload,index]


async def test_a_mend_leaves_out_what_was_forgotten(engine: Engine, user: User, memory: Memory) -> None:
    gone, kept = await stored(memory), await stored(memory, "t2")
    await engine.neo4j.write("MATCH (r:Record {user_id: $user_id}) DETACH DELETE r", user_id=str(user.user_id))
    await forgotten(engine, user.user_id, "record", str(gone))
    await engine.remedies._lines(user.user_id)
    found = await engine.neo4j.read(
        "MATCH (r:Record {user_id: $user_id}) RETURN r.record_id AS record_id", row=UUID, user_id=str(user.user_id)
    )
    assert found == [kept]
