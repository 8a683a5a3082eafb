"""A stream of events ends with the credential that it was asked for with, and with the right to see what it tells."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import httpx
import pytest

from api.event_stream import FIRST_LOOK
from engine.domain.principal import Identity, IssuedToken, NewToken
from engine.ingest.pipeline import Ingest
from engine.neurigraph import Engine
from tests.contract.test_rest_files import claimed, events_in

if TYPE_CHECKING:
    from tests.contract.conftest import House, OpenDoor

OPERATOR = Identity("operator", None, "tests")
Ending = Callable[[Engine, IssuedToken], Awaitable[object]]
WAIT = 15
"""Seconds after which a stream ends by itself, without a problem."""


async def revoked(engine: Engine, issued: IssuedToken) -> None:
    await engine.workspace.tokens.revoke(issued.token.token_id)


async def replaced(engine: Engine, issued: IssuedToken) -> None:
    await engine.workspace.tokens.rotate(issued.token.token_id, timedelta(seconds=1))


async def begun(door: httpx.AsyncClient, path: str) -> asyncio.Task[httpx.Response]:
    """A stream under way: its first look at the credential is past."""
    await door.get(f"{path}/state")  # so that the first look waits for nothing
    following = asyncio.create_task(door.get(f"{path}/events", params={"wait": WAIT}))
    await asyncio.sleep(10 * FIRST_LOOK)
    assert not following.done()
    return following


def ended_by_problem(answer: httpx.Response) -> str:
    assert answer.status_code == 200
    (first, _), (last, problem) = events_in(answer.text)
    assert (first, last) == ("state", "problem")
    return str(problem["detail"])


@pytest.mark.ledger("N31")
@pytest.mark.parametrize("end", [revoked, replaced])
@pytest.mark.parametrize("kind", ["user", "persona", "third_party"])
async def test_a_stream_ends_with_its_token(
    open_door: OpenDoor, engine: Engine, own_house: House, kind: str, end: Ending
) -> None:
    holder = next(
        one.principal_id for one in await engine.workspace.tokens.list() if one.name == kind
    )  # the newest is this house's
    issued = await engine.workspace.tokens.create(NewToken(kind, holder, "phone"))
    cases, file = own_house.nodes["Cases"], own_house.nodes["file of Cases"]
    path = f"{own_house.home}/nodes/{cases}/files/{file}"
    await claimed(engine, engine.memory(own_house.user.user_id), path)
    following = await begun(open_door(issued.secret), path)
    await end(engine, issued)
    assert ended_by_problem(await following) == "A valid bearer token is needed."


async def test_a_stream_ends_with_its_grant(open_door: OpenDoor, engine: Engine, own_house: House) -> None:
    memory = engine.memory(own_house.user.user_id)
    path = f"{own_house.home}/nodes/{own_house.nodes['Cases']}/files/{own_house.nodes['file of Cases']}"
    await claimed(engine, memory, path)
    following = await begun(open_door(own_house.secrets["third_party"]), path)
    for grant in await memory.grants.list():
        await memory.grants.revoke(grant.grant_id)
    assert ended_by_problem(await following) == "Not found."


async def test_the_stream_of_an_ingest_ends_with_its_token(
    open_door: OpenDoor, engine: Engine, own_house: House
) -> None:
    issued = await engine.workspace.tokens.create(NewToken("user", own_house.user.user_id, "phone"))
    memory = engine.memory(own_house.user.user_id)
    session = await engine.parts[Ingest].sessions.begin(memory.principal, None, {"sources": 1, "turns": 1, "files": 0})
    following = await begun(open_door(issued.secret), f"{own_house.home}/ingests/{session}")
    await revoked(engine, issued)
    assert "bearer token" in json.dumps(ended_by_problem(await following))
