"""The end of a forgetting: the signed receipt."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from engine.domain.clock import Clock
from engine.domain.forgetting import Forgetting
from engine.forgetting.receipts import Receipt, ReceiptKey
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

MOST = 20_000
"""Hashes of ids that a receipt has; of more those that come first by their hash, which is at random."""


@dataclass(frozen=True, slots=True)
class _Hashes:
    subject_hash: bytes
    user_hash: bytes


class ForgettingEnd:
    """Signs receipts; for the service alone."""

    def __init__(self, postgres: Postgres, key: ReceiptKey, clock: Clock) -> None:
        self._postgres, self._key, self._clock = postgres, key, clock

    async def receipt(self, one: Forgetting) -> Mapping[str, Any]:
        """The signed receipt. Raises StoreUnavailable, ReceiptKeyUnusable."""
        asked = {"forgetting_id": one.forgetting_id}
        [hashes] = await self._postgres.fetch_as_service(sql_text("forgettings/own_hashes"), asked, row=_Hashes)
        ids = await self._hashes(one.forgetting_id)
        made = Receipt(
            forgetting_id=one.forgetting_id,
            number=one.number,
            kind=one.kind,
            subject=hashes.subject_hash.hex(),
            user=hashes.user_hash.hex(),
            asked_by=one.authored_by,
            asked_at=one.asked_at,
            began_at=one.began_at or one.asked_at,
            ended_at=self._clock.now(),
            counts=one.counts,
            ids=tuple(each.hex() for each in ids),
            words=(),
        )
        return (await asyncio.to_thread(self._key.sign, made)).model_dump(mode="json")

    async def _hashes(self, forgetting_id: UUID) -> list[bytes]:
        asked = {"forgetting_id": forgetting_id, "kinds": [], "limit": MOST}
        return await self._postgres.fetch_as_service(sql_text("forgettings/hashes"), asked, row=bytes)
