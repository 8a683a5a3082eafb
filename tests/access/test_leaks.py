"""The leak fuzzer over the whole public surface and the request role; `test_leaks_…` prove that it would notice a hole."""

from __future__ import annotations

import pytest

from engine.evaluation.leaks.fuzzer import DRAWS, fuzz
from engine.neurigraph import Engine

OPERATIONS, OPERATIONS_OF_LONG_FORM = 400, 10_000


@pytest.mark.ledger("N28", "N29", "N30", "N31", "X01", "F01")
async def test_random_operations_leak_nothing(engine: Engine, long: bool) -> None:
    count = OPERATIONS_OF_LONG_FORM if long else OPERATIONS
    report = await fuzz(engine, count=count, seed=20)
    listed = "\n".join(f"{leak.operation} by {leak.asker}: {leak.wrong}" for leak in report.leaks)
    assert not report.leaks, listed
    assert report.operations >= count
    assert set(DRAWS) <= set(report.by_kind)
