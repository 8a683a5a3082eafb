"""Responses with the bytes of a file: its own name and its own media type."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from fastapi import Response

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
