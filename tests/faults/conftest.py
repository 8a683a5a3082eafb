"""What every module here begins with, and an engine whose writers leave half way."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.faults.half_way import Leaving
from tests.session_stores import empty


@pytest.fixture(scope="module", autouse=True)
def nothing_pending(few_nodes: None) -> None:
    """What other tests left is gone: the doctor looks at all users."""


@pytest.fixture
async def alone(engine: Engine) -> None:
    """What the tests before this one left is gone, too: with the users of sixty tests each look of the doctor takes a second."""
    await empty(engine)


@pytest.fixture(scope="module")
async def leaving() -> Leaving:
    return Leaving()


@pytest.fixture(scope="module")
async def leaver(settings: Settings, engine: Engine, leaving: Leaving) -> AsyncIterator[Engine]:
    """A second engine on the same stores whose writers leave half way."""
    async with open_engine(settings, on_step=leaving, warming=False) as opened:
        yield opened
