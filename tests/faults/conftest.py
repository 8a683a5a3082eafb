"""What every module here begins with."""

from __future__ import annotations

import pytest

from engine.neurigraph import Engine


@pytest.fixture(scope="module", autouse=True)
async def nothing_pending(engine: Engine) -> None:
    """What other tests left is settled, vectors and states of files: the doctor looks at all users."""
    await engine.pending.run()
    await engine.dormancy.run()
