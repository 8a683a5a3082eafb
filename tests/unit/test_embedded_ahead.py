"""Batches whose texts are embedded ahead of their turn: how many, in which order, and what an error leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, cast

import numpy as np
import pytest

from engine.domain.embedding import Embedded
from engine.ingest.allowance import AHEAD, Allowance
from engine.providers.active import ActiveModel, Model
from engine.providers.calls import Patience


class Work:
    """Batches of one text, and the model that embeds them, which waits for `let` of each; both write down what they do."""

    name = "made up"

    def __init__(self, batches: int, *, fails_taking: int | None = None, fails_embedding: int | None = None) -> None:
        self.done: list[str] = []
        self.let = [asyncio.Event() for _ in range(batches)]
        self._batches, self._taking, self._embedding = batches, fails_taking, fails_embedding
        self._embedded_at_once = 0
        self.most_at_once = 0
        self.closed = False

    async def batches(self) -> AsyncGenerator[int]:
        try:
            for number in range(self._batches):
                await asyncio.sleep(0)
                if number == self._taking:
                    raise RuntimeError("It cannot be taken.")
                self.done.append(f"take {number}")
                yield number
        finally:
            self.closed = True

    async def embed_documents(self, texts: Sequence[str]) -> list[Embedded]:
        self._embedded_at_once += 1
        self.most_at_once = max(self.most_at_once, self._embedded_at_once)
        try:
            [text] = texts
            self.done.append(f"begin {text}")
            await self.let[int(text)].wait()
            if int(text) == self._embedding:
                raise RuntimeError("It cannot be embedded.")
            self.done.append(f"end {text}")
            return [Embedded(np.full(4, float(text), dtype=np.float32))]
        finally:
            self._embedded_at_once -= 1

    @property
    def model(self) -> Model:
        return cast(Model, self)

    def allowance(self) -> Allowance:
        active = type("Active", (), {"patience": Patience(), "current": self})()
        return Allowance(cast(ActiveModel, active))

    def all_let(self) -> None:
        for one in self.let:
            one.set()


async def settled() -> None:
    """Every task has gone as far as it can: nothing here waits for time, only for events."""
    for _ in range(50):
        await asyncio.sleep(0)


def begun() -> list[str]:
    """What runs of it; other tests leave tasks of engines in the same loop."""
    names = (getattr(task.get_coro(), "__qualname__", "") for task in asyncio.all_tasks())
    return [name for name in names if name.startswith("Allowance.")]


def ahead(work: Work, allowance: Allowance) -> Any:
    return aclosing(allowance.each_ahead(work.batches(), lambda batch: [str(batch)]))


async def test_the_next_batch_is_taken_and_embedded_while_the_caller_works_on_one() -> None:
    """The first is not embedded ahead: its turn has come. One embeds at a time, and one more has been taken, not more."""
    work = Work(5)
    async with ahead(work, work.allowance()) as batches:
        assert await anext(batches) == 0
        await settled()
        assert work.done == ["take 0", "take 1", "begin 1", "take 2"]
        work.let[1].set()
        await settled()
        assert work.done[4:] == ["end 1", "begin 2"], "no further one is taken before the caller asks"
        assert len([one for one in work.done if one.startswith("take")]) == 1 + AHEAD
        assert await anext(batches) == 1
        await settled()
        assert work.done[6:] == ["take 3"] and work.most_at_once == 1


async def test_all_come_in_their_order_with_their_vectors_each_embedded_once() -> None:
    work = Work(6)
    work.all_let()
    allowance = work.allowance()
    found = []
    async with ahead(work, allowance) as batches:
        async for batch in batches:
            [vector] = await allowance.vectors(work.model, [str(batch)])
            assert vector is not None and vector.vector[0] == batch
            found.append(batch)
    assert found == list(range(6)) and work.closed and work.most_at_once == 1
    assert sorted(one for one in work.done if one.startswith("begin")) == [f"begin {one}" for one in range(6)]


@pytest.mark.parametrize("fails", ["fails_taking", "fails_embedding"])
async def test_an_error_comes_at_its_turn_and_ends_the_work_on_the_others(fails: str) -> None:
    """Batches before it are given out; what waits behind it is given up, not done."""
    work = Work(8, **{fails: 3})
    work.all_let()
    found = []
    with pytest.raises(RuntimeError, match="It cannot be"):
        async with ahead(work, work.allowance()) as batches:
            async for batch in batches:
                found.append(batch)
                await settled()
    assert found == [0, 1, 2] and work.closed
    before = list(work.done)
    await settled()
    assert work.done == before and "take 6" not in before and not begun()


async def test_a_caller_that_stops_ends_what_was_begun() -> None:
    work = Work(5)
    async with ahead(work, work.allowance()) as batches:
        assert await anext(batches) == 0
        await settled()
        assert begun()
    assert work.closed and work.done == ["take 0", "take 1", "begin 1", "take 2"] and not begun()
