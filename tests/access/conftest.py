"""The session's servers, for what is asked past the engine."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from engine.embedded import Stack, attached
from engine.neurigraph import Engine
from engine.progress import Silent


@pytest.fixture(scope="module")
async def stack(engine: Engine) -> AsyncIterator[Stack]:
    """How to reach the servers that the session's engine works on."""
    async with attached(engine.settings.home, engine.settings.cache, progress=Silent()) as stack:
        yield stack
