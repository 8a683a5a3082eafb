"""Writes under random kills, the small version of `neurigraph bench crashes`."""

from __future__ import annotations

from uuid import uuid4

import pytest

from engine.lab.benchmarks.crashes import Ordeal
from engine.neurigraph import Engine
from engine.progress import Silent


@pytest.mark.ledger("N15", "L04")
async def test_what_was_acknowledged_is_there_whatever_was_killed(engine: Engine) -> None:
    handle = f"c{uuid4().hex[:12]}"
    user = await engine.workspace.users.create(handle)
    ordeal = Ordeal(engine, engine.memory(user.user_id), handle, seed=1)
    endured = await ordeal.run(40, ["engine", "neo4j", "postgres"], Silent())
    assert len(endured.acknowledged) == 40 and sum(endured.kills.values()) >= 2, endured
    assert (endured.lost, endured.twice, endured.half, endured.unlisted, endured.findings) == (0, 0, 0, 0, 0), endured
