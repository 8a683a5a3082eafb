"""Idempotency: answers of writes are kept under the caller's key, and returned when the request is repeated.

claimed   one process carries out the request and renews its claim every few seconds; repeats wait for its answer
free      the process failed or was killed: the next repeat carries out the request
answered  the kept answer is returned
forgotten what the request stored was forgotten: a repeat is refused, unless it asks to store it anew
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any
from uuid import uuid4

from engine.domain.principal import Principal
from engine.errors import IdempotencyMismatch, InProgress, InvalidInput, NeurigraphError
from engine.stores.postgres import Jsonb, Postgres
from engine.stores.statements import sql_text

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Claim:
    request_hash: bytes
    answer: Answer | None
    mine: bool


LEASE, RENEWAL = 8.0, 2.0
"""Seconds after which a claim expires that is not renewed, and between two renewals."""
LONGEST_WAIT = 30.0
"""Seconds that a repeat waits for the request that is in progress."""
MOST_KEY = 200
FIRST_LOOK, MOST_LOOK = 0.05, 0.5
"""Seconds between two polls for the answer."""


class Idempotency:
    """Kept answers, per user."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def once(
        self, principal: Principal, key: str | None, request: bytes, action: Callable[[], Awaitable[Answer]],
        *, again: bool = False,
    ) -> tuple[Answer, bool]:  # fmt: skip
        """The answer to the request, and whether it is a kept one.

        Of concurrent repeats one is carried out, and the others wait for its answer. One that failed
        or was killed runs again: writes are themselves idempotent by their source ids, names and commits.
        `again`: a request of which what it stored was forgotten is carried out anew. Raises IdempotencyMismatch when the key
        belongs to another request, Forgotten, InProgress where the answer takes too long.
        """
        if key is None:
            return await action(), False
        if not 1 <= len(key) <= MOST_KEY or not key.isprintable():
            raise InvalidInput(f"An idempotency key has 1 to {MOST_KEY} printable characters.")
        digest = hashlib.sha256(request).digest()
        claim = {"user_id": principal.user_id, "key": principal.own_key(key, MOST_KEY), "request_hash": digest}
        claim |= {"carrier": uuid4(), "lease": LEASE, "again": again}
        kept = await self._claimed(principal, claim)
        if kept is not None:
            return kept, True
        async with self._carrying(principal, claim):
            answer = await action()
            await self._postgres.change(principal, sql_text("idempotency/answer"), claim | {"answer": Jsonb(answer)})
        return answer, False

    async def _claimed(self, principal: Principal, claim: dict[str, Any]) -> Answer | None:
        """The kept answer, after waiting for a request in progress; None where this request got the claim."""
        end, pause = monotonic() + LONGEST_WAIT, FIRST_LOOK
        while True:
            [held] = await self._postgres.fetch(
                principal, sql_text("idempotency/claim"), claim, row=_Claim, writes=True
            )
            if held.request_hash != claim["request_hash"]:
                raise IdempotencyMismatch
            if held.answer is not None or held.mine:
                return held.answer
            if monotonic() > end:
                raise InProgress
            await asyncio.sleep(pause)
            pause = min(MOST_LOOK, 2 * pause)

    @asynccontextmanager
    async def _carrying(self, principal: Principal, claim: dict[str, Any]) -> AsyncIterator[None]:
        """Renews the claim; an error inside releases it."""
        renewing = asyncio.create_task(self._renew(principal, claim))
        try:
            yield
        except NeurigraphError:
            with suppress(NeurigraphError):  # store unavailable: the claim expires by itself
                await self._postgres.change(principal, sql_text("idempotency/renew"), claim | {"lease": 0.0})
            raise
        finally:
            renewing.cancel()

    async def _renew(self, principal: Principal, claim: dict[str, Any]) -> None:
        while True:
            await asyncio.sleep(RENEWAL)
            with suppress(NeurigraphError):
                await self._postgres.change(principal, sql_text("idempotency/renew"), claim)
