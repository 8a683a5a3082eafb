"""Dependencies of routes: the engine, the principal, the memory of the user in the path, the time, idempotency, and entity tags:
If-None-Match asks whether the client's copy is current, If-Match changes only a known revision.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Header, Query, Request, Response
from fastapi.encoders import jsonable_encoder

from api.models import WriteLimits
from api.problems import http_kind
from engine.domain.clock import Moment
from engine.domain.ingest import Limits, Terms
from engine.domain.node import Shell
from engine.domain.principal import Identity
from engine.domain.written import Instant
from engine.errors import NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.operations.workspace import Workspace
from engine.wiring.opening import Opening

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


def engine_of(request: Request) -> Engine:
    """The engine. Raises StoreUnavailable until it is open."""
    return opening_of(request).opened()


def opening_of(request: Request) -> Opening:
    """How far the opening of the application's engine is."""
    opening: Opening = request.app.state.opening
    return opening


def identity_of(request: Request) -> Identity:
    """The identity that the guard authenticated."""
    identity: Identity = request.state.identity
    return identity


def administrators_only(request: Request) -> None:
    """Raises NotFound, as for an unknown path, for anyone else: the operations do, too, but only after the body was checked."""
    if not identity_of(request).administers:
        raise NotFound


async def workspace_of(request: Request) -> Workspace:
    """The workspace, with the caller's rights."""
    return engine_of(request).workspace_as(identity_of(request))


async def memory_of(user_id: UUID, request: Request) -> Memory:
    """The memory of the user in the path, with the caller's rights; that of an unknown user where it has none."""
    return await engine_of(request).memory_for(identity_of(request), user_id)


def moment_of(
    as_of: Annotated[Instant | None, Query(description="When it was true; without it, now.")] = None,
    known_at: Annotated[Instant | None, Query(description="When the engine knew it; without it, now.")] = None,
) -> Moment:
    """The two times, `as_of` and `known_at`, that a read is for."""
    return Moment(as_of, known_at)


CurrentWorkspace = Annotated[Workspace, Depends(workspace_of)]
UserMemory = Annotated[Memory, Depends(memory_of)]
ADMINISTRATORS = [Depends(administrators_only)]
AtMoment = Annotated[Moment, Depends(moment_of)]
REPLAYED = "Idempotency-Replayed"
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        max_length=200,
        pattern=r"^[\x21-\x7e]+$",
        description="A repeated request with the same key gets the first answer again.",
        examples=["2f1d8a52-5f4e-4f4e-9f0e-6a9d0a4b7c11"],
    ),
]


def _once(memory: UserMemory, response: Response, key: IdempotencyKey = None) -> Memory:
    """The memory for one write: a repeated request with the same key gets the kept answer, and a header that says so."""

    def replayed() -> None:
        response.headers[REPLAYED] = "true"

    return memory.once(key, replayed)


OnceMemory = Annotated[Memory, Depends(_once)]


def limited(memory: Memory, limits: WriteLimits | None) -> Memory:
    """The memory, whose writes keep these limits."""
    if limits is None:
        return memory
    return memory.on_terms(Terms(limits=Limits(limits.milliseconds, limits.tokens, limits.model_calls)))


def asking(memory: Memory, model_calls: int | None) -> Memory:
    """The memory, of which a read makes so many requests to models at most."""
    return memory if model_calls is None else memory.on_terms(Terms(limits=Limits(model_calls=model_calls)))


def _limited(
    memory: UserMemory,
    milliseconds: Annotated[int | None, Query(ge=0, le=3_600_000, description="Time to wait for models.")] = None,
    tokens: Annotated[int | None, Query(ge=0, le=10**9, description="Tokens sent to models.")] = None,
    model_calls: Annotated[int | None, Query(ge=0, le=10**6, description="Requests to models.")] = None,
) -> Memory:
    return memory.on_terms(Terms(limits=Limits(milliseconds, tokens, model_calls)))


LimitedMemory = Annotated[Memory, Depends(_limited)]


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
