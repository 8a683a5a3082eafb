"""A model's service and an engine that reads with it, for the flows that need one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from engine.domain.node import NewNode
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.flows.library import TEXT, Library, MovedClock
from tests.flows.reader import ANSWER, reader
from tests.model_server import ModelServer, model_server


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """Answers everything with `ANSWER`, until it is told otherwise."""
    with model_server(lambda _: ANSWER) as running:
        yield running


@pytest.fixture
async def reads(engine: Engine, settings: Settings, server: ModelServer) -> AsyncIterator[Engine]:
    """An engine with that model, on the same stores."""
    async with reader(settings, server) as opened:
        yield opened


@pytest.fixture
async def clocked(settings: Settings) -> AsyncIterator[tuple[Engine, MovedClock]]:
    """An engine on the same stores with a clock of the test's own; every file of other tests sleeps."""
    clock = MovedClock(datetime.now(UTC) + timedelta(days=400))
    times = {"recompress_after_minutes": 10.0, "dormant_after_days": 30.0, "rehydrate_lease_s": 15.0}
    async with open_engine(settings.model_copy(update=times), clock=clock, warming=False) as opened:
        await opened.dormancy.run()
        clock.move(days=-400)
        yield opened, clock


@pytest.fixture
async def library(clocked: tuple[Engine, MovedClock]) -> Library:
    engine, clock = clocked
    user = await engine.workspace.users.create(f"f{uuid4().hex[:12]}", "Bob")
    memory = engine.memory(user.user_id)
    node = await memory.nodes.provision(NewNode(user.user_id, "Fishing"))
    report = await memory.records.remember_text("Dusk", TEXT, node_id=node.node_id)
    return Library(engine, clock, memory, node.node_id, report.records[0].file_id)
