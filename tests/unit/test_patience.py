"""The patience with a model service: refused at once while it is silent, asked again in time, pauses that grow."""

from __future__ import annotations

import asyncio

import httpx
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.ingest import Limits
from engine.domain.job import pause_before
from engine.errors import ProviderUnavailable
from engine.providers.calls import LONGEST_PAUSE, LimitReached, Patience, budget, spending
from engine.providers.openai import pause_asked_for


class Clock:
    """Stands still until it is moved."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Service:
    """Counts its calls; silent until told otherwise."""

    calls = 0
    error: ProviderUnavailable | None = ProviderUnavailable()

    async def __call__(self) -> str:
        self.calls += 1
        if self.error:
            raise self.error
        return "answer"


async def refused(patience: Patience, service: Service) -> bool:
    """Whether a call ended in an error, which it does; whether the service was asked for it."""
    before = service.calls
    with pytest.raises(ProviderUnavailable):
        await patience.asked(service)
    return service.calls > before


@pytest.mark.ledger("N16")
async def test_pauses_double_up_to_a_minute_and_end_with_an_answer() -> None:
    clock, service = Clock(), Service()
    patience = Patience(clock)
    longest = 1.0
    for _ in range(12):
        assert await refused(patience, service)  # the pause is over: it is asked
        assert not await refused(patience, service)  # and now it is not
        clock.now += longest / 2 - 0.01
        assert not await refused(patience, service)
        clock.now += longest / 2 + 0.02
        longest = min(LONGEST_PAUSE, longest * 2)
    service.error = None
    assert await patience.asked(service) == "answer"
    service.error = ProviderUnavailable()
    assert await refused(patience, service)
    clock.now += 1.01  # the first pause again
    assert await refused(patience, service)


@pytest.mark.ledger("N16")
async def test_a_pause_that_was_asked_for_is_kept_to() -> None:
    clock, service = Clock(), Service()
    service.error = ProviderUnavailable(retry_after=300)
    patience = Patience(clock)
    assert await refused(patience, service)
    clock.now += 299
    assert not await refused(patience, service)
    clock.now += 1.5
    assert await refused(patience, service)


async def test_a_call_ends_in_its_time_and_a_slow_service_is_left_alone_unless_a_limit_ended_it() -> None:
    clock, service = Clock(), Service()
    patience = Patience(clock)

    async def answer() -> bool:
        return await budget().spent(1, (), None, asyncio.Event().wait)

    with spending(Limits(milliseconds=10)), pytest.raises(LimitReached, match="10 ms"):
        await patience.asked(answer)
    with pytest.raises(ProviderUnavailable, match="within"):
        await patience.asked(answer, 0.01)
    assert not await refused(patience, service)


@given(
    attempt=st.integers(2, 1000),
    first=st.floats(0.001, 100),
    longest=st.floats(0.001, 1000),
    chance=st.floats(0, 1),
    least=st.floats(0, 5000),
)
def test_a_pause_is_between_its_bounds(attempt: int, first: float, longest: float, chance: float, least: float) -> None:
    pause = pause_before(attempt, first=first, longest=longest, chance=chance, least=least)
    assert least <= pause <= max(longest, least)
    assert pause >= min(first, longest) / 2


@pytest.mark.parametrize(
    ("header", "seconds"), [("7", 7.0), ("0", None), ("-3", None), ("soon", None), ("99999", 3600.0), (None, None)]
)
def test_what_a_refusal_asks_for(header: str | None, seconds: float | None) -> None:
    headers = {} if header is None else {"Retry-After": header}
    response = httpx.Response(429, headers=headers, request=httpx.Request("POST", "http://localhost"))
    assert pause_asked_for(openai.RateLimitError("busy", response=response, body=None)) == seconds
    assert pause_asked_for(ValueError()) is None
