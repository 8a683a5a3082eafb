"""A collector of spans on this machine: OTLP over HTTP, as the OpenTelemetry SDK sends it. It hangs, or is closed, on demand."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.model_server import LOOK


@dataclass(frozen=True)
class Span:
    """One span as it was sent."""

    name: str
    trace_id: str
    span_id: str
    parent_id: str
    scope: str
    attributes: dict[str, Any]
    status: str
    events: int


class Collector:
    """Keeps what it was sent; while `answers` is clear it holds every request."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.answers = threading.Event()
        self.answers.set()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def _handler(collector) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                packed = self.headers.get("Content-Encoding") == "gzip"
                collector.sent.append(gzip.decompress(body) if packed else body)
                collector.answers.wait(120)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    @property
    def spans(self) -> list[Span]:
        return [span for body in list(self.sent) for span in _spans(body)]

    def until(self, found: Callable[[list[Span]], Any], within: float = 30) -> list[Span]:
        """All spans, as soon as they hold what is looked for."""
        deadline = time.monotonic() + within
        while not found(spans := self.spans):
            assert time.monotonic() < deadline, sorted({span.name for span in spans})
            time.sleep(0.1)
        return spans


def _spans(body: bytes) -> Iterator[Span]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield Span(
                    span.name,
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    scope.scope.name,
                    {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes},
                    span.status.message,
                    len(span.events),
                )


@contextmanager
def collector() -> Iterator[Collector]:
    """A collector, answering until the block is left."""
    running = Collector()
    threading.Thread(target=running.server.serve_forever, args=[LOOK], daemon=True).start()
    try:
        yield running
    finally:
        running.answers.set()
        running.server.shutdown()
        running.server.server_close()
