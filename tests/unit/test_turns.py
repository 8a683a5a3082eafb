"""Fair turns: who waits is served share by share, and one share never holds all places."""

from __future__ import annotations

import asyncio
from contextvars import copy_context

import pytest

from engine.turns import SHARE, Turns


def started(share: str, work) -> asyncio.Task:
    """A task whose work belongs to the share."""
    context = copy_context()
    context.run(SHARE.set, share)
    return asyncio.get_running_loop().create_task(work, context=context)


async def log_turn(turns: Turns, log: list[str], name: str) -> None:
    async with turns.turn():
        log.append(name)
        await asyncio.sleep(0)


async def test_a_long_queue_of_one_share_does_not_hold_up_another() -> None:
    turns, log = Turns(1, each=1), []
    tasks = [started("a", log_turn(turns, log, f"a{number}")) for number in range(5)]
    await asyncio.sleep(0)
    tasks += [started("b", log_turn(turns, log, f"b{number}")) for number in range(2)]
    tasks += [started("c", log_turn(turns, log, "c0"))]
    await asyncio.gather(*tasks)
    assert log == ["a0", "a1", "b0", "c0", "a2", "b1", "a3", "a4"]


async def test_one_share_never_holds_all_places() -> None:
    turns, end = Turns(3, each=2), asyncio.Event()
    held: list[str] = []

    async def hold(name: str) -> None:
        async with turns.turn():
            held.append(name)
            await end.wait()

    tasks = [started("a", hold("a")) for _ in range(4)]
    await asyncio.sleep(0)
    assert held == ["a", "a"]
    tasks.append(started("b", hold("b")))
    await asyncio.sleep(0)
    assert held == ["a", "a", "b"]
    end.set()
    await asyncio.gather(*tasks)
    assert sorted(held) == ["a"] * 4 + ["b"]


@pytest.mark.parametrize("given", [False, True], ids=["while it waits", "in the moment it is served"])
async def test_a_turn_that_is_no_longer_wanted_is_not_lost(given: bool) -> None:
    turns, log, end = Turns(1, each=1), [], asyncio.Event()

    async def first() -> None:
        async with turns.turn():
            await end.wait()

    one = started("a", first())
    await asyncio.sleep(0)
    two, three = started("b", log_turn(turns, log, "b")), started("c", log_turn(turns, log, "c"))
    await asyncio.sleep(0)
    end.set()
    if given:
        await asyncio.sleep(0)  # the place goes to b, which has not run yet
    two.cancel()
    await asyncio.gather(one, two, three, return_exceptions=True)
    assert two.cancelled() and log == ["c"]
    async with asyncio.timeout(10), turns.turn():
        log.append("free")
    assert log == ["c", "free"] and not turns._waiting and not turns._taken
