"""Headers that many requests and answers have; and responses with the bytes of a file: its own name and its own media type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Header, Response
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

OCTETS = "application/octet-stream"
_BINARY = {"schema": {"type": "string", "format": "binary"}}
BYTES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The original bytes, of the file's own media type.",
        # No wildcard: generators of clients leave out answers whose media type they cannot name.
        "content": {media: _BINARY for media in (OCTETS, "text/plain", "text/markdown")},
        "headers": {
            "Content-Disposition": {"description": "The file's name (RFC 6266).", "schema": {"type": "string"}},
            "Content-Length": {"description": "Its size in bytes.", "schema": {"type": "integer"}},
        },
    }
}
"""The OpenAPI responses of a route that returns a file."""
PART = "Neurigraph-Part"
_IN_PART = {
    "description": "`true` if only the passages of one node are returned; else missing.",
    "schema": {"type": "string"},
}
BYTES_OR_PART: dict[int | str, dict[str, Any]] = {
    200: BYTES[200] | {"headers": BYTES[200]["headers"] | {PART: _IN_PART}}
}
"""The same for a route that may return only a part of the file."""
_MEDIA_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+")
_BY_SUFFIX = {".md": "text/markdown", ".markdown": "text/markdown", ".txt": "text/plain", ".text": "text/plain"}


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


def download(content: bytes, name: str, kind: str | None = None) -> Response:
    """The response; without a media type (`kind`), the one of the name's suffix."""
    known = kind or _BY_SUFFIX.get(PurePath(name).suffix.lower(), OCTETS)
    return Response(content, media_type=media_type(known), headers={"Content-Disposition": disposition(name)})


def media_type(stored: str) -> str:
    """The media type of a file, valid in a header."""
    return stored if _MEDIA_TYPE.fullmatch(stored) else OCTETS


def disposition(name: str) -> str:
    """An attachment's header for any name: an ASCII fallback, and the name itself as RFC 8187 encodes it."""
    plain = name.encode("ascii", "replace").decode()
    fallback = re.sub(r"[^A-Za-z0-9 ._()+,=@-]", "_", plain).strip() or "file"
    return f"attachment; filename=\"{fallback}\"; filename*=UTF-8''{quote(name, safe='', errors='replace')}"
