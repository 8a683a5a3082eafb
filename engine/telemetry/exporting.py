"""The OpenTelemetry SDK: spans are sent to a collector (OTLP over HTTP) by a thread of its own. Loaded only where one is set.

A collector that is down or hangs costs nothing but spans: they wait in a queue of bounded length and are dropped beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

LAST_SPANS = 3.0
"""Seconds that the last spans have to be sent when the process ends."""


@contextmanager
def exported(endpoint: str) -> Iterator[None]:
    """Inside, spans are sent there. The SDK reads its other variables (`OTEL_…`) itself."""
    given = OTELResourceDetector().detect().attributes
    resource = Resource.create({"service.name": given.get("service.name", "neurigraph")})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    trace.set_tracer_provider(provider)
    try:
        yield
    finally:
        ending = Thread(
            target=provider.shutdown, daemon=True
        )  # the SDK itself waits half a minute for a silent collector
        ending.start()
        ending.join(LAST_SPANS)
