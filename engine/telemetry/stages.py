"""Stages of a pipeline. Each is a span and an observation of its duration:

    stage = Pipeline("ingest")

    @stage.run                      the whole run, of a method whose first argument is the principal
    async def store(self, principal, …):
        with stage("assign"):       one stage
            …

Spans hold the kind of the principal, counts and the class of an error: neither messages of errors nor anything that was given.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import aclosing
from contextvars import Token
from functools import wraps
from time import perf_counter
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, StatusCode

from engine.domain.principal import Principal
from engine.telemetry.metrics import STAGE_FAILURES, STAGE_SECONDS
from engine.telemetry.traces import continued, own_ids, tracer

S = TypeVar("S")
P = ParamSpec("P")
T = TypeVar("T")
TOTAL = "total"


class Spanning:
    """A span that is the current one inside the block; its duration in seconds afterwards."""

    __slots__ = ("_began", "_token", "seconds", "span")

    def __init__(self, name: str, kind: SpanKind = SpanKind.INTERNAL, parent: Context | None = None) -> None:
        self.span: Span = tracer.start_span(name, parent, kind, record_exception=False, set_status_on_exception=False)
        self.seconds = 0.0

    def identify(self) -> None:
        """Gives it a trace of its own where it is in none, for the log lines."""
        if not self.span.get_span_context().is_valid:
            self.span = own_ids()

    def __enter__(self) -> Self:
        self._token: Token[Context] = context.attach(trace.set_span_in_context(self.span))
        self._began = perf_counter()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.seconds = perf_counter() - self._began
        if kind is not None:
            self.failed(kind.__name__)
        self.span.end()
        context.detach(self._token)

    def failed(self, error: str) -> None:
        """Notes the class of an error."""
        self.span.set_attribute("error.type", error)
        self.span.set_status(StatusCode.ERROR)


class Stage(Spanning):
    """One stage while it runs."""

    __slots__ = ("_laps", "_pipeline", "_stage")

    def __init__(
        self, pipeline: str, stage: str, laps: dict[str, float] | None = None, parent: Context | None = None
    ) -> None:
        super().__init__(pipeline if stage == TOTAL else f"{pipeline} {stage}", parent=parent)
        self._pipeline, self._stage, self._laps = pipeline, stage, laps

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        super().__exit__(kind, error, at)
        STAGE_SECONDS.labels(self._pipeline, self._stage).observe(self.seconds)
        if kind is not None:
            STAGE_FAILURES.labels(self._pipeline, self._stage).inc()
        if self._laps is not None:
            self._laps[self._stage] = round(self._laps.get(self._stage, 0.0) + self.seconds * 1000, 3)


class Pipeline:
    """The stages of one pipeline."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, stage: str) -> Stage:
        return Stage(self._name, stage)

    def run(
        self, work: Callable[Concatenate[S, Principal, P], Coroutine[Any, Any, T]]
    ) -> Callable[Concatenate[S, Principal, P], Coroutine[Any, Any, T]]:
        """The whole run; its span says what kind of principal it is for."""

        @wraps(work)
        async def run(of: S, principal: Principal, /, *args: P.args, **named: P.kwargs) -> T:
            with Stage(self._name, TOTAL) as whole:
                whole.span.set_attribute("neurigraph.principal", principal.kind)
                return await work(of, principal, *args, **named)

        return run

    def each(self, stage: str) -> Callable[[Callable[P, AsyncGenerator[T]]], Callable[P, AsyncGenerator[T]]]:
        """A stage for each part that a generator makes; what is done with the part is outside of it."""

        def of(made: Callable[P, AsyncGenerator[T]]) -> Callable[P, AsyncGenerator[T]]:
            @wraps(made)
            async def parts(*args: P.args, **named: P.kwargs) -> AsyncGenerator[T]:
                async with aclosing(made(*args, **named)) as all_parts:
                    while True:
                        with Stage(self._name, stage):
                            found = [one async for one in _first(all_parts)]
                        if not found:
                            return
                        yield found[0]

            return parts

        return of

    def stopwatch(self) -> Stopwatch:
        return Stopwatch(self._name)


async def _first(parts: AsyncGenerator[T]) -> AsyncGenerator[T]:
    async for one in parts:
        yield one
        return


class Stopwatch:
    """Stages whose times an answer shows, in milliseconds."""

    def __init__(self, pipeline: str) -> None:
        self._pipeline, self._started = pipeline, perf_counter()
        self._laps: dict[str, float] = {}

    def __call__(self, stage: str) -> Stage:
        return Stage(self._pipeline, stage, self._laps)

    def done(self) -> dict[str, float]:
        return self._laps | {TOTAL: round((perf_counter() - self._started) * 1000, 3)}


def job(name: str, traceparent: object) -> Stage:
    """A run of a background job, as a part of the trace of the caller that asked for it."""
    run = Stage("job", name, parent=continued(traceparent, Context()))
    run.identify()
    return run


def counted(**counts: int) -> None:
    """Adds counts to the span of the present stage."""
    span = trace.get_current_span()
    if span.is_recording():
        span.set_attributes({f"neurigraph.{name}": count for name, count in counts.items()})


def described(span: Span, facts: Mapping[str, str | int | float]) -> None:
    """Adds facts to a span, where it is recorded."""
    if span.is_recording():
        span.set_attributes(facts)
