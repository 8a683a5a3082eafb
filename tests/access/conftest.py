"""The session's servers, for what is asked past the engine; forests that mutations share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from random import Random

import pytest

from engine.domain.grant import NewGrant
from engine.embedded import Stack, attached
from engine.lab.leaks.forest import Size, grow
from engine.lab.leaks.model import World
from engine.lab.leaks.rights import give
from engine.neurigraph import Engine
from engine.progress import Silent
from tests.access.mutations import ONE_GRAPH, SMALL, guarding, stands


@pytest.fixture(scope="module")
async def stack(engine: Engine) -> AsyncIterator[Stack]:
    """How to reach the servers that the session's engine works on."""
    async with attached(engine.settings.home, engine.settings.cache, progress=Silent()) as stack:
        yield stack


@pytest.fixture(scope="session")
def forests() -> list[World]:
    """The forest that modules share, where it is grown."""
    return []


@pytest.fixture(scope="module")
async def world(engine: Engine, forests: list[World]) -> World:
    """A small forest that the mutations share; nothing in it changes."""
    if not forests or not await stands(engine, forests[0]):
        forests[:] = [await grow(engine, Random(7), SMALL)]
    return forests[0]


@pytest.fixture(scope="module")
async def spoiled(engine: Engine) -> World:
    """A forest for the mutations that let a write through."""
    return await grow(engine, Random(8), SMALL)


@pytest.fixture(scope="module")
async def named_only(engine: Engine) -> World:
    """A forest in which an integration may know two layers by name, and nothing of what they hold."""
    forest = await grow(engine, Random(10), Size(users=1, nodes=9, edges=2, grants=2))
    for user in forest.users:
        await give(engine, forest, NewGrant(user, "third_party", forest.integrations[-1], depth=2, fields=()))
    return forest


@pytest.fixture(scope="module")
async def growing(engine: Engine) -> World:
    """A forest for the mutations that show when personas store."""
    return await grow(engine, Random(9), ONE_GRAPH)


@pytest.fixture(scope="module")
async def guards(engine: Engine, world: World) -> AsyncIterator[None]:
    """What the mutations of a module took away is there again at its end."""
    before = await guarding(engine, world)
    yield
    after = await guarding(engine, world)
    assert (sorted(before - after), sorted(after - before)) == ([], [])
