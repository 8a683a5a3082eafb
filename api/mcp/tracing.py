"""Each message of the protocol as a span, in the trace of its caller: `traceparent` in `_meta`, or that of the HTTP request.

In place of the library's own, whose spans hold messages of errors and whatever name a tool was asked for by.
"""

from __future__ import annotations

from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from opentelemetry.trace import SpanKind

from api.mcp.tools import TOOLS
from engine.telemetry.stages import TRACEPARENT, Spanning, continued

METHODS = frozenset(
    "initialize ping tools/list tools/call resources/list resources/templates/list resources/read prompts/list"
    " prompts/get".split()
)


class Traced(ServerMiddleware[Any]):
    """The outermost middleware of the protocol's server."""

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        method = ctx.method if ctx.method in METHODS else "other"
        tool = (ctx.params or {}).get("name") if method == "tools/call" else None
        name = f"mcp {method} {tool}" if tool in TOOLS else f"mcp {method}"
        with Spanning(name, SpanKind.SERVER, continued((ctx.meta or {}).get(TRACEPARENT))) as call:
            result = await call_next(ctx)
            if getattr(result, "is_error", False):
                call.failed("tool_error")
            return result
