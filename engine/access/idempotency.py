"""The same request twice gives the same answer: answers of writes kept under the caller's idempotency key.

claimed   the key is known, its request is under way or was cut off
answered  the answer is kept and given again
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

from psycopg.types.json import Jsonb

from engine.domain.principal import Principal
from engine.errors import IdempotencyMismatch, InvalidInput
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

Answer = dict[str, Any]


class Idempotency:
    """Kept answers, per user."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def once(
        self, principal: Principal, key: str | None, request: bytes, action: Callable[[], Awaitable[Answer]]
    ) -> tuple[Answer, bool]:
        """The answer to the request and whether it was kept from before.

        A request that was cut off runs again: writes are themselves idempotent by their source ids and names.
        Raises IdempotencyMismatch when the key belongs to another request.
        """
        if key is None:
            return await action(), False
        if not 1 <= len(key) <= 200 or not key.isprintable():
            raise InvalidInput("An idempotency key has 1 to 200 printable characters.")
        digest = hashlib.sha256(request).digest()
        claim = {"user_id": principal.user_id, "key": principal.own_key(key), "request_hash": digest}
        row = (await self._postgres.fetch(principal, sql_text("idempotency_claim"), claim))[0]
        if row["request_hash"] != digest:
            raise IdempotencyMismatch
        if row["answer"] is not None:
            return row["answer"], True
        answer = await action()
        await self._postgres.change(principal, sql_text("idempotency_answer"), claim | {"answer": Jsonb(answer)})
        return answer, False
