"""What one principal may have under way, and that its long work does not hold up others."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.events import Handle
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import httpx
import pytest

from engine.domain.node import User
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.turns import SHARE
from tests.door import new_door

if TYPE_CHECKING:
    from tests.contract.conftest import House, OpenDoor

JSON = {"Content-Type": "application/json"}
CALLS = 30_000
"""Python calls that one step of the event loop may make: some ten milliseconds."""


class HeldBody:
    """A body of which a part is sent, and the rest when it is released."""

    def __init__(self, size: int) -> None:
        text = json.dumps({"text": "x" * (size - 100), "limits": {"tokens": 1}}).encode()
        self._content, self._rest = text[: size // 2], text[size // 2 :]
        self.under_way, self.released = asyncio.Event(), asyncio.Event()

    async def parts(self) -> AsyncIterator[bytes]:
        yield self._content
        self.under_way.set()
        await self.released.wait()
        yield self._rest


def refused(answer: httpx.Response) -> str:
    assert (answer.status_code, answer.json()["type"]) == (429, "urn:neurigraph:problem:too-many-requests")
    assert int(answer.headers["retry-after"]) >= 1
    return str(answer.json()["detail"])


async def held(door: httpx.AsyncClient, path: str, size: int = 1000) -> tuple[HeldBody, asyncio.Task[httpx.Response]]:
    body = HeldBody(size)
    sending = asyncio.create_task(door.post(path, content=body.parts(), headers=JSON))
    await body.under_way.wait()
    return body, sending


async def released(*requests: tuple[HeldBody, asyncio.Task[httpx.Response]]) -> list[int]:
    for body, _ in requests:
        body.released.set()
    return [(await sending).status_code for _, sending in requests]


async def test_a_principal_has_so_many_requests_under_way_and_no_more(open_door: OpenDoor, own_house: House) -> None:
    door = open_door(own_house.secrets["user"], writes_at_once=2)
    path = f"{own_house.home}/records"
    requests = [await held(door, path) for _ in range(2)]
    assert "under way" in refused(await door.post(path, json={"text": "More."}))
    assert (await door.get(f"{own_house.home}/edges")).status_code == 200  # what has no body is not counted
    persona = open_door(own_house.secrets["persona"], writes_at_once=2)
    not_there = {"text": "A word.", "node_id": str(own_house.nodes["Cases"])}
    assert (await persona.post(path, json=not_there)).status_code == 404
    assert await released(*requests) == [201, 201]
    assert (await door.post(path, json={"text": "Now.", "limits": {"tokens": 1}})).status_code == 201


async def test_a_principal_has_so_many_bytes_under_way_announced_or_not(open_door: OpenDoor, own_house: House) -> None:
    door = open_door(own_house.secrets["user"], max_text_bytes=10_000, bytes_at_once=10_000)
    path = f"{own_house.home}/records"
    long = {"text": "x" * 6000, "limits": {"tokens": 1}}
    request = await held(door, path, 9000)
    assert "bytes" in refused(await door.post(path, json=long))

    async def unannounced() -> AsyncIterator[bytes]:
        yield json.dumps(long).encode()

    async def too_large() -> AsyncIterator[bytes]:
        yield b'"' + b"x" * 10_001

    assert "bytes" in refused(await door.post(path, content=unannounced(), headers=JSON))
    assert (
        await door.post(path, json={"text": "x" * 10_001})
    ).status_code == 413  # it never fits: no use to come again
    assert (await door.post(path, content=too_large(), headers=JSON)).status_code == 413
    assert await released(request) == [201]
    assert (await door.post(path, json=long)).status_code == 201
    assert (await door.post(path, json={"text": "x" * 10_001})).status_code == 413


async def test_the_operator_counts_once_for_each_user(open_door: OpenDoor, own_house: House) -> None:
    door = open_door(writes_at_once=1)
    mine = await held(door, f"{own_house.home}/records")
    refused(await door.post(f"{own_house.home}/records", json={"text": "More."}))
    theirs = await held(door, f"/v1/users/{own_house.neighbour.user_id}/records")
    assert await released(mine, theirs) == [201, 201]


async def test_a_request_that_breaks_off_gives_its_place_back(open_door: OpenDoor, own_house: House) -> None:
    door = open_door(own_house.secrets["user"], writes_at_once=1)
    path = f"{own_house.home}/records"
    _, sending = await held(door, path)
    sending.cancel()
    await asyncio.gather(sending, return_exceptions=True)
    for body in (b"{", b'{"text": 1}'):
        assert (await door.post(path, content=body, headers=JSON)).status_code in (400, 422)
    assert (await door.post(path, json={"text": "Now.", "limits": {"tokens": 1}})).status_code == 201


async def test_a_question_is_embedded_before_the_rest_of_a_long_text(engine: Engine) -> None:
    ended: list[str] = []

    async def work(share: str) -> None:
        SHARE.set(share)
        if share == "long":
            await engine.embedder.embed_documents([f"The walleye number {number}." for number in range(96)])
        else:
            await engine.embedder.embed_query("Where is the walleye?")
        ended.append(share)

    await asyncio.gather(*(asyncio.create_task(work(share)) for share in ("long", "one", "two")))
    assert set(ended[:2]) == {"one", "two"} and ended[2:] == ["long"]


@contextmanager
def counted_steps() -> Iterator[list[int]]:
    """The Python calls that each step of this thread's event loop makes."""
    steps = [0]

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            if frame.f_code is Handle._run.__code__:
                steps.append(0)
            else:
                steps[-1] += 1

    sys.setprofile(count)
    try:
        yield steps
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("change", [False, True], ids=["new", "a new version"])
async def test_no_step_of_the_loop_works_through_a_long_text(
    engine: Engine, user: User, settings: Settings, change: bool
) -> None:
    words = " ".join(f"The walleye number {number} of the lake rises at dusk." for number in range(6000))
    sent = {"text": words, "title": "Lake", "source_id": "lake", "limits": {"tokens": 1}}
    transport = httpx.ASGITransport(new_door(settings, engine=engine))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=300) as door:
        path = f"/v1/users/{user.user_id}/records"
        if change:
            assert (await door.post(path, json=sent | {"text": "The walleye sleeps."})).status_code == 201
        else:
            assert (await door.post(path, json={"text": "The walleye sleeps."})).status_code == 201
        with counted_steps() as steps:
            answer = await door.post(path, json=sent)
    assert answer.status_code == 201
    assert max(steps) < CALLS, sorted(steps)[-5:]
