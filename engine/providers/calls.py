"""Calls of models: when one may be made, by the budget of the operation and by a circuit breaker; and each call as a span and in
the metrics: provider, model, tokens, cost, nothing of what it is given or says.

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

from opentelemetry.trace import SpanKind

from engine.domain.ingest import UNLIMITED, Limits
from engine.domain.job import pause_before
from engine.errors import ProviderUnavailable, UnusableAnswer
from engine.providers.language import Answer, Form, LanguageModel, Prompt
from engine.telemetry.metrics import MODEL_CALLS, MODEL_COST, MODEL_SECONDS, MODEL_TOKENS
from engine.telemetry.stages import Spanning, described
from engine.turns import computed

if TYPE_CHECKING:
    from engine.providers.embedder import Embedder

T = TypeVar("T")

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

    async def spent(self, calls: int, given: Sequence[str], by: Embedder, call: Callable[[], Awaitable[T]]) -> T:
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

    async def asked(self, call: Callable[[], Awaitable[T]], within: float | None = None) -> T:
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


@contextmanager
def called(provider: str, model: str, use: str, **counts: int) -> Iterator[Spanning]:
    """A call of a model inside; `use`: `answer` or `embed`."""
    call = Spanning(f"model {use}", SpanKind.CLIENT)
    described(call.span, {"gen_ai.provider.name": provider, "gen_ai.request.model": model, **_own(counts)})
    outcome = "answered"
    try:
        with call:
            yield call
    except BaseException as error:
        outcome = type(error).__name__
        raise
    finally:
        MODEL_CALLS.labels(provider, model, use, outcome).inc()
        MODEL_SECONDS.labels(provider, model, use).observe(call.seconds)


def took(provider: str, model: str, tokens_in: int, tokens_out: int = 0) -> None:
    """Tokens that a service counted."""
    MODEL_TOKENS.labels(provider, model, "in").inc(tokens_in)
    if tokens_out:
        MODEL_TOKENS.labels(provider, model, "out").inc(tokens_out)


class ObservedModel:
    """A language model whose calls are counted. `prices`: of a million tokens in and out, or empty."""

    def __init__(self, inner: LanguageModel, prices: Sequence[float]) -> None:
        self.inner, self._prices = inner, prices
        provider, _, model = inner.name.partition(":")
        self._who = (provider, model or provider)

    @property
    def name(self) -> str:
        return self.inner.name

    async def answer(self, prompt: Prompt, text: str, form: type[Form]) -> Answer[Form]:
        with called(*self._who, "answer") as call:
            try:
                answer = await self.inner.answer(prompt, text, form)
            except UnusableAnswer as error:
                self._took(call, error.input_tokens, error.output_tokens)
                raise
            self._took(call, answer.input_tokens, answer.output_tokens)
            return answer

    def _took(self, call: Spanning, given: int, taken: int) -> None:
        took(*self._who, given, taken)
        facts: dict[str, float] = {"gen_ai.usage.input_tokens": given, "gen_ai.usage.output_tokens": taken}
        if self._prices:
            cost = (given * self._prices[0] + taken * self._prices[1]) / 1e6
            MODEL_COST.labels(*self._who).inc(cost)
            facts["neurigraph.cost"] = cost
        described(call.span, facts)

    async def close(self) -> None:
        await self.inner.close()


def _own(counts: dict[str, int]) -> dict[str, int]:
    return {f"neurigraph.{name}": count for name, count in counts.items()}
