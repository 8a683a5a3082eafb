"""A model's service and an engine that reads with it, for the flows that need one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from engine.neurigraph import Engine
from engine.settings import Settings
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
