"""Ids of traces: taken from a caller (W3C `traceparent`), handed on to jobs and model services.

Nothing but `traceparent` is taken or handed on: `tracestate` and `baggage` may hold anything. Without an exporter spans cost next
to nothing and are kept nowhere, but a caller's trace goes on through them.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

TRACEPARENT = "traceparent"
tracer = trace.get_tracer("neurigraph")
_PROPAGATOR = TraceContextTextMapPropagator()


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
