"""Stages of a pipeline. Each is a span and an observation of its duration:

    stage = Pipeline("ingest")

    @stage.run                      the whole run, of a method whose first argument is the principal
    async def store(self, principal, …):
        with stage("assign"):       one stage
            …

Spans hold the kind of the principal, counts and the class of an error: neither messages of errors nor anything that was given.

Ids of traces are taken from a caller (W3C `traceparent`) and handed on to jobs and model services; nothing else is: `tracestate`
and `baggage` may hold anything. Without an exporter spans cost next to nothing and are kept nowhere, but a caller's trace goes on
through them.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import aclosing
from contextvars import Token
from functools import wraps
from time import perf_counter
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext, SpanKind, StatusCode, TraceFlags
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from engine.domain.principal import Principal
from engine.telemetry.metrics import STAGE_FAILURES, STAGE_SECONDS

TRACEPARENT = "traceparent"
tracer = trace.get_tracer("neurigraph")
_PROPAGATOR = TraceContextTextMapPropagator()
S = TypeVar("S")
P = ParamSpec("P")
T = TypeVar("T")
TOTAL = "total"


def continued(traceparent: object, here: Context | None = None) -> Context:
    """The context of a caller's trace; the present one where the header is missing or malformed."""
    given = {TRACEPARENT: traceparent} if isinstance(traceparent, str) else {}
    return _PROPAGATOR.extract(given, context.get_current() if here is None else here)


def handed_on() -> dict[str, str]:
    """The header that makes what receives it part of the present trace; empty where that is not recorded by anyone."""
    if not trace.get_current_span().get_span_context().trace_flags.sampled:
        return {}
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier)
    return {TRACEPARENT: carrier[TRACEPARENT]} if TRACEPARENT in carrier else {}


def handed_to_jobs() -> dict[str, Any]:
    """The same as an argument of a job, where this process records spans, also after the request has ended: only then all workers
    must know the argument."""
    return {} if trace.get_current_span().get_span_context().is_remote else dict(handed_on())


def trace_ids() -> Mapping[str, str]:
    """The ids of the present trace and span, for log lines; empty outside of any."""
    here = trace.get_current_span().get_span_context()
    if not here.is_valid:
        return {}
    return {"trace_id": f"{here.trace_id:032x}", "span_id": f"{here.span_id:016x}"}


def own_ids() -> NonRecordingSpan:
    """A span of a new trace that is not recorded: its ids connect an answer with log lines where no spans are kept."""
    return NonRecordingSpan(
        SpanContext(secrets.randbits(128) or 1, secrets.randbits(64) or 1, False, TraceFlags(TraceFlags.DEFAULT))
    )


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
