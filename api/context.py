"""Dependencies of routes: the engine, the principal, the memory of the user in the path, the time, idempotency."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Header, Query, Request, Response
from fastapi.encoders import jsonable_encoder

from api.models import Instant, WriteLimits
from engine.domain.clock import Moment
from engine.domain.identity import Identity
from engine.domain.ingest import UNLIMITED, Limits, Terms
from engine.domain.principal import Principal
from engine.errors import NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.turns import computed
from engine.wiring.opening import Opening


def engine_of(request: Request) -> Engine:
    """The engine. Raises StoreUnavailable until it is open."""
    return opening_of(request).opened()


def opening_of(request: Request) -> Opening:
    """How far the opening of the application's engine is."""
    opening: Opening = request.app.state.opening
    return opening


NO_PRINCIPAL = UUID(int=0)
"""An id that no principal has: with it every user is unknown."""


def identity_of(request: Request) -> Identity:
    """The identity that the guard authenticated."""
    identity: Identity = request.state.identity
    return identity


def administrators_only(request: Request) -> None:
    """Raises NotFound, as for an unknown path, for anyone else."""
    if not identity_of(request).administers:
        raise NotFound


async def memory_of(user_id: UUID, request: Request) -> Memory:
    """The memory of the user in the path, with the caller's rights; that of an unknown user where it has none."""
    engine = engine_of(request)
    return engine.memory_as(await _principal(engine, identity_of(request), user_id))


async def _principal(engine: Engine, identity: Identity, user_id: UUID) -> Principal:
    if identity.kind == "operator":
        # The stores may hold other workspaces too, with operators of their own.
        return Principal("user", user_id if await engine.tokens.knows("user", user_id) else NO_PRINCIPAL, user_id)
    if identity.kind == "administrator" or identity.principal_id is None:
        return Principal("user", identity.principal_id or NO_PRINCIPAL, user_id)
    if identity.kind != "user" and identity.principal_id == user_id:  # no persona or integration is a user
        return Principal(identity.kind, NO_PRINCIPAL, user_id)
    return Principal(identity.kind, identity.principal_id, user_id)


def moment_of(
    as_of: Annotated[Instant | None, Query(description="When it was true; without it, now.")] = None,
    known_at: Annotated[Instant | None, Query(description="When the engine knew it; without it, now.")] = None,
) -> Moment:
    """The two times, `as_of` and `known_at`, that a read is for."""
    return Moment(as_of, known_at)


WhoAsks = Annotated[Identity, Depends(identity_of)]
CurrentEngine = Annotated[Engine, Depends(engine_of)]
UserMemory = Annotated[Memory, Depends(memory_of)]
AtMoment = Annotated[Moment, Depends(moment_of)]
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


REPLAYED = "Idempotency-Replayed"


def on_terms(memory: Memory, key: str | None, limits: WriteLimits | None) -> Memory:
    """The memory, whose writes use the session of the request's key and keep its limits."""
    taken = UNLIMITED if limits is None else Limits(limits.milliseconds, limits.tokens, limits.model_calls)
    return memory.on_terms(Terms(key=memory.redactor.identifier(key) if key else None, limits=taken))


async def require_user(memory: Memory) -> None:
    """Raises NotFound for an unknown user; other statements would return nothing instead.

    For an integration it never raises: an integration gets empty results for every user, known or unknown.
    """
    if memory.principal.kind != "third_party":
        await memory.require()


async def require_owner(memory: Memory) -> None:
    """Raises NotFound unless the principal owns the graph: only the owner sees rights and logs."""
    await require_user(memory)
    if not memory.principal.owns:
        raise NotFound


async def once(
    request: Request,
    response: Response,
    memory: Memory,
    key: str | None,
    action: Callable[[], Awaitable[tuple[int, Any]]],
) -> Any:
    """Runs a write once for each idempotency key; a repeated request gets the kept status and answer.

    Raises NotFound for an unknown user and for a principal without access to it, IdempotencyMismatch, and what the
    action raises: errors are not kept.
    """
    await memory.require()

    async def kept() -> dict[str, Any]:
        status, value = await action()
        return {"status": status, "value": jsonable_encoder(value)}

    sent = await request.json()

    def fingerprinted() -> bytes:
        # Stored with the answer, so it is redacted first: a hash of personal data could be reversed by guessing.
        body = json.dumps(memory.redactor.value(sent), sort_keys=True)
        return f"{request.method} {request.url.path}\n{body}".encode()

    asked = await computed(fingerprinted)
    own_key = memory.redactor.identifier(key) if key else key
    answer, replayed = await memory.idempotency.once(memory.principal, own_key, asked, kept)
    response.status_code = answer["status"]
    if replayed:
        response.headers[REPLAYED] = "true"
    return answer["value"]
