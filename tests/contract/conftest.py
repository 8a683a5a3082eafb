"""The REST door in this process, over the session's engine."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from api.app import create_app
from engine.domain.node import User
from engine.neurigraph import Engine


@pytest.fixture
async def door(engine: Engine) -> AsyncIterator[httpx.AsyncClient]:
    """A client on this machine."""
    transport = httpx.ASGITransport(create_app(engine=engine), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


@pytest.fixture
def home_path(user: User) -> str:
    """Where the resources of a fresh user are."""
    return f"/v1/users/{user.user_id}"
