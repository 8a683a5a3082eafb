"""What a route needs of the request: the engine, the memory of the user in the path, the moment, idempotency."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Header, Query, Request, Response
from fastapi.encoders import jsonable_encoder

from api.models import Instant
from engine.domain.clock import Moment
from engine.memory import Memory
from engine.neurigraph import Engine


def engine_of(request: Request) -> Engine:
    """The engine that the lifespan opened."""
    engine: Engine = request.app.state.engine
    return engine


def memory_of(user_id: UUID, request: Request) -> Memory:
    """The memory of the user in the path, acting as that user."""
    return engine_of(request).memory(user_id)


def moment_of(
    as_of: Annotated[Instant | None, Query(description="When it was true; without it, now.")] = None,
    known_at: Annotated[Instant | None, Query(description="When the engine knew it; without it, now.")] = None,
) -> Moment:
    """The point on both clocks that a read asks for."""
    return Moment(as_of, known_at)


CurrentEngine = Annotated[Engine, Depends(engine_of)]
UserMemory = Annotated[Memory, Depends(memory_of)]
AtMoment = Annotated[Moment, Depends(moment_of)]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        max_length=200,
        pattern=r"^[\x21-\x7e]+$",
        description="The same key with the same request gets the first answer again.",
        examples=["2f1d8a52-5f4e-4f4e-9f0e-6a9d0a4b7c11"],
    ),
]


REPLAYED = "Idempotency-Replayed"


async def require_user(memory: Memory) -> None:
    """Raises NotFound where there is no such user; other statements would only find nothing."""
    await memory.shell(memory.principal.user_id)


async def once(
    request: Request,
    response: Response,
    memory: Memory,
    key: str | None,
    action: Callable[[], Awaitable[tuple[int, Any]]],
) -> Any:
    """Runs a write once for each idempotency key; a repeated request gets the kept status and answer.

    Raises NotFound for an unknown user, IdempotencyMismatch, and what the action raises: errors are not kept.
    """
    await require_user(memory)

    async def kept() -> dict[str, Any]:
        status, value = await action()
        return {"status": status, "value": jsonable_encoder(value)}

    asked = (
        f"{request.method} {request.url.path}\n".encode() + json.dumps(await request.json(), sort_keys=True).encode()
    )
    answer, replayed = await memory.idempotency.once(memory.principal, key, asked, kept)
    response.status_code = answer["status"]
    if replayed:
        response.headers[REPLAYED] = "true"
    return answer["value"]
