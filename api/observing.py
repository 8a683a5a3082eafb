"""Each request as a span and in the metrics, and the id of its trace in the answer.

The framework's own telemetry is off: its spans hold paths, queries and messages of errors, so ids of users, handles and content.
"""

from __future__ import annotations

from fastapi.telemetry import TelemetryConfig
from opentelemetry.trace import SpanKind
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.telemetry.metrics import REQUEST_SECONDS, REQUESTS
from engine.telemetry.stages import TRACEPARENT, Spanning, continued, described, trace_ids

TRACE_ID = "Trace-Id"
METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
OFF: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
"""The framework's own telemetry."""


class ObservedRequests:
    """The outermost middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in METHODS else "other"
        status = 0

        async def with_trace(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[TRACE_ID] = scope["state"]["trace_id"]
            await send(message)

        call = Spanning(method, SpanKind.SERVER, continued(Headers(scope=scope).get(TRACEPARENT)))
        call.identify()
        try:
            with call:
                scope.setdefault("state", {})["trace_id"] = trace_ids()["trace_id"]
                try:
                    await self._app(scope, receive, with_trace)
                except Exception:
                    status = 500  # answered outside of all middleware
                    raise
                finally:
                    _describe(call, scope, method, status)
        finally:
            route = route_of(scope)
            REQUESTS.labels(method, route, f"{status // 100}xx" if status else "none").inc()
            REQUEST_SECONDS.labels(method, route).observe(call.seconds)


def route_of(scope: Scope) -> str:
    """The template of the request's route, as `/v1/users/{user_id}`; `unmatched` where there is none, or it was refused."""
    return getattr(scope.get("route"), "path", "unmatched")


def _describe(call: Spanning, scope: Scope, method: str, status: int) -> None:
    route, identity = route_of(scope), scope["state"].get("identity")
    call.span.update_name(f"{method} {route}")
    described(
        call.span,
        {
            "http.request.method": method,
            "http.route": route,
            "http.response.status_code": status,
            "neurigraph.principal": identity.kind if identity else "none",
        },
    )
    if status >= 500:
        call.failed(str(status))
