"""Headers that many requests and answers have.

security  of every answer: no framing, no sniffing, no caching, no reading across origins
Prefer    (RFC 7240) how long a client wants to wait for what takes time
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import Header
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECURITY_HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
Prefer = Annotated[
    str | None,
    Header(
        max_length=500,
        description="`wait=N`: the same as `wait`, which comes first; `respond-async`: does not wait. Others are ignored.",
        examples=["wait=10"],
    ),
]


class SecurityHeaders:
    """Adds the headers that a route has not set itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, with_headers)


def waited(wait: float | None, prefer: str | None, most: float) -> float | None:
    """Seconds to wait, at most `most`; None where the request names none. What cannot be parsed is ignored (RFC 7240)."""
    if wait is not None:
        return wait
    asked: list[float] = []
    for preference in (prefer or "").split(","):
        name, _, value = preference.partition(";")[0].partition("=")
        value = value.strip().strip('"')
        if name.strip().lower() == "respond-async":
            asked.append(0.0)
        elif name.strip().lower() == "wait" and value.isascii() and value.isdigit():
            asked.append(min(float(value), most))
    return max(asked, default=None)  # both: it answers at once what is not ready after that time
