"""What every module here begins with."""

from __future__ import annotations

import pytest

from engine.neurigraph import Engine


@pytest.fixture(scope="module", autouse=True)
async def nothing_pending(engine: Engine) -> None:
    """The vectors that other tests left out are made: the doctor, who looks at all users, has nothing to say of them."""
    await engine.pending.run()
