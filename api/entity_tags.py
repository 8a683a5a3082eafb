"""Entity tags: If-None-Match asks whether the client's copy is current, If-Match changes only a known revision."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Header
from fastapi.encoders import jsonable_encoder

from api.problems import http_kind
from engine.domain.node import Shell

ETAG = {"ETag": {"description": "The revision, for If-Match of the next change.", "schema": {"type": "string"}}}
TAGGED: dict[int | str, dict[str, Any]] = {
    200: {"headers": ETAG},
    304: {"description": http_kind(304).title, "headers": ETAG},
}
"""The OpenAPI responses of a route that takes If-None-Match."""

IfNoneMatch = Annotated[
    str | None,
    Header(
        alias="If-None-Match",
        max_length=2000,
        description="ETags that the client has; if one is still current, the answer is 304 without a body.",
        examples=['"3-0f343b0931126a20f133d67c2b018a3b"'],
    ),
]


def etag(revision: int) -> str:
    """A revision as an entity tag."""
    return f'"{revision}"'


def shell_tag(shell: Shell) -> str:
    """The tag of a shell: its revision, which If-Match takes, and a hash of its fields except the last read time."""
    said = json.dumps(jsonable_encoder(replace(shell, last_accessed_at=None)), sort_keys=True)
    return f'"{shell.revision or 0}-{hashlib.sha256(said.encode()).hexdigest()[:32]}"'


def matches(known: str, tag: str) -> bool:
    """Whether an If-None-Match header names the tag, or any."""
    return known.strip() == "*" or tag in {one.strip().removeprefix("W/") for one in known.split(",")}
