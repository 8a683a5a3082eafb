"""A circuit breaker: writes and searches do not wait for a model service that is known to be silent.

    answering  every call goes to the service
    silent     after a failure calls are refused at once, for a pause that doubles with every further failure and is never
               shorter than the service asked for; then one call is tried, and its answer decides

Background work bypasses it, since it can wait, and reports an answer with `answered`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TypeVar

from engine.domain.backoff import pause_before
from engine.errors import ProviderUnavailable

Answer = TypeVar("Answer")

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
QUESTION = 5.0
"""Seconds that a question waits for its vector; then it is searched by words."""


class Patience:
    """The circuit breaker of one model service, shared by all parts of an engine."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._failures, self._silent_until = 0, 0.0

    async def asked(
        self, call: Callable[[], Awaitable[Answer]], within: float | None = None, *, blamed: bool = True
    ) -> Answer:
        """The service's answer, waited for `within` seconds; `blamed`: a timeout counts as a failure.

        Raises ProviderUnavailable, at once while the service is known to be silent.
        """
        left = self._silent_until - self._clock()
        if left > 0:
            raise ProviderUnavailable(f"The model service does not answer; it is called again in {left:.0f} s.")
        try:
            async with asyncio.timeout(within):
                answer = await call()
        except TimeoutError as error:
            if blamed:
                self._failed(0)
            raise ProviderUnavailable(f"The model service did not answer within {within:g} s.") from error
        except ProviderUnavailable as error:
            self._failed(error.retry_after or 0)
            raise
        self.answered()
        return answer

    def answered(self) -> None:
        """Notes that the service answers."""
        self._failures, self._silent_until = 0, 0.0

    def _failed(self, asked_for: float) -> None:
        self._failures += 1
        pause = pause_before(
            self._failures + 1, first=FIRST_PAUSE, longest=LONGEST_PAUSE, chance=random.random(), least=asked_for
        )
        self._silent_until = self._clock() + pause
