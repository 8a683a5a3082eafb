"""When a model may be called: by the budget of the operation, and by a circuit breaker.

**Budget**: the limits of an operation, counted where models are called (`Model`, `AskedModel`). It holds for the task that opened
it and for all that it starts. Work outside of operations, such as a job, has no limits.

**Patience**: writes and searches do not wait for a model service that is known to be silent.

    answering  every call goes to the service
    silent     after a failure calls are refused at once, for a pause that doubles with every further failure and is never
               shorter than the service asked for; then one call is tried, and its answer decides

Background work bypasses it, since it can wait, and reports an answer with `answered`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from engine.domain.backoff import pause_before
from engine.domain.ingest import UNLIMITED, Limits
from engine.errors import ProviderUnavailable
from engine.turns import computed

if TYPE_CHECKING:
    from engine.providers.embedder import Embedder

Answer = TypeVar("Answer")

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
QUESTION = 5.0
"""Seconds that a question waits for its vector; then it is searched by words."""


class LimitReached(ProviderUnavailable):
    """A limit does not allow a call of a model. As where a service does not answer, jobs do later what was left out."""


class Budget:
    """Counts the use of models from its start; concurrent steps share it. `undeclared`: an operation that may call none.
    `around`: of an operation that this one is a part of; both hold."""

    def __init__(self, limits: Limits, undeclared: str = "", around: Budget | None = None) -> None:
        self._limits, self.undeclared, self._around = limits, undeclared, around
        self._began, self._tokens, self._calls = monotonic(), 0, 0

    @property
    def limited(self) -> bool:
        return self._limits != UNLIMITED or self._around is not None

    async def spent(
        self, calls: int, given: Sequence[str], by: Embedder, call: Callable[[], Awaitable[Answer]]
    ) -> Answer:
        """The answer of a model that takes so many requests to a service, and is given these texts, counted `by` an embedder.

        Raises LimitReached, the errors of the call; RuntimeError in an operation that does not declare it.
        """
        if self.undeclared:
            raise RuntimeError(f"{self.undeclared} calls a model, but is not declared as an operation that spends.")
        limits = self._limits
        tokens = 0 if limits.tokens is None else await computed(lambda: sum(map(by.count_tokens, given)))
        if self._seconds_left == 0:
            raise LimitReached(self._too_late)
        if limits.tokens is not None and self._tokens + tokens > limits.tokens:
            raise LimitReached(f"This operation may give {limits.tokens} tokens to models.")
        if limits.model_calls is not None and self._calls + calls > limits.model_calls:
            raise LimitReached(f"This operation may call models {limits.model_calls} times.")
        self._calls, self._tokens = self._calls + calls, self._tokens + tokens
        around = self._around
        try:
            async with asyncio.timeout(self._seconds_left):
                return await (call() if around is None else around.spent(calls, given, by, call))
        except TimeoutError as error:
            if limits.milliseconds is None:
                raise
            raise LimitReached(self._too_late) from error

    @property
    def _seconds_left(self) -> float | None:
        if self._limits.milliseconds is None:
            return None
        return max(self._limits.milliseconds / 1000 - (monotonic() - self._began), 0.0)

    @property
    def _too_late(self) -> str:
        return f"The {self._limits.milliseconds} ms of this operation were used up."


_BUDGET: ContextVar[Budget] = ContextVar("budget of the operation", default=Budget(UNLIMITED))  # noqa: B039 (without limits its counts mean nothing)


def budget() -> Budget:
    """The budget of the operation under way."""
    return _BUDGET.get()


@contextmanager
def spending(limits: Limits) -> Iterator[None]:
    """Model calls inside count against these limits, and against those of an operation around."""
    outer = _BUDGET.get()
    token = _BUDGET.set(
        outer if limits == UNLIMITED or outer.undeclared else Budget(limits, around=outer if outer.limited else None)
    )
    try:
        yield
    finally:
        _BUDGET.reset(token)


@contextmanager
def spending_nothing(operation: str) -> Iterator[None]:
    """Inside, a call of a model is an error: this operation does not declare it."""
    token = _BUDGET.set(Budget(UNLIMITED, operation))
    try:
        yield
    finally:
        _BUDGET.reset(token)


class Patience:
    """The circuit breaker of one model service, shared by all parts of an engine."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._failures, self._silent_until = 0, 0.0

    async def asked(self, call: Callable[[], Awaitable[Answer]], within: float | None = None) -> Answer:
        """The service's answer, waited for `within` seconds.

        Raises ProviderUnavailable, at once while the service is known to be silent; LimitReached, no fault of it.
        """
        left = self._silent_until - self._clock()
        if left > 0:
            raise ProviderUnavailable(f"The model service does not answer; it is called again in {left:.0f} s.")
        try:
            async with asyncio.timeout(within):
                answer = await call()
        except TimeoutError as error:
            self._failed(0)
            raise ProviderUnavailable(f"The model service did not answer within {within:g} s.") from error
        except LimitReached:
            raise
        except ProviderUnavailable as error:
            self._failed(error.retry_after or 0)
            raise
        self.answered()
        return answer

    def answered(self) -> None:
        self._failures, self._silent_until = 0, 0.0

    def _failed(self, asked_for: float) -> None:
        self._failures += 1
        pause = pause_before(
            self._failures + 1, first=FIRST_PAUSE, longest=LONGEST_PAUSE, chance=random.random(), least=asked_for
        )
        self._silent_until = self._clock() + pause
