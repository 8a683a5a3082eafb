"""The end of a forgetting: by what the forgotten is found again, noted before it is erased; then the search for it in all stores,
and the signed receipt.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from engine.domain.clock import Clock
from engine.domain.forgetting import Forgetting, ReceiptCheck
from engine.errors import NotFound
from engine.forgetting.keyed_hashes import keyed_hashes
from engine.forgetting.matching import TERM, WORD, TraceHashes, hashes_of_words
from engine.forgetting.receipt_files import ReceiptFile, ReceiptFiles, TombstoneHash
from engine.forgetting.receipts import Receipt, ReceiptKey
from engine.forgetting.traces import Traces
from engine.stores.postgres import Connection, Postgres
from engine.stores.statements import sql_text

TOMBSTONES_PAGE = 5_000
MOST = 20_000
"""Hashes of ids, of words and of terms that a receipt has; of more those that come first by their hash, which is at random."""


@dataclass(frozen=True, slots=True)
class _Hashes:
    subject_hash: bytes
    user_hash: bytes


@dataclass(frozen=True, slots=True)
class _Tombstone:
    kind: str
    hash: bytes


class ForgettingEnd:
    """Searches for what was erased, and signs receipts; for the service alone."""

    def __init__(self, postgres: Postgres, traces: Traces, key: ReceiptKey, files: ReceiptFiles, clock: Clock) -> None:
        self._postgres, self._traces, self._key, self._clock = postgres, traces, key, clock
        self._files = files

    async def note(self, connection: Connection, one: Forgetting, ids: Sequence[str], texts: Sequence[str]) -> None:
        """Notes by which ids and words it is found again: as keyed hashes, from which nothing is read."""
        hashes = await keyed_hashes(self._postgres, _owner(one))
        noted = {"id": {hashes.of("id", each) for each in ids}} | hashes_of_words(hashes, texts)
        for kind, own in noted.items():
            row = {"forgetting_id": one.forgetting_id, "kind": kind, "hashes": sorted(own)}
            await connection.execute(sql_text("forgettings/hashes_noted"), row)

    async def receipt(self, one: Forgetting) -> Mapping[str, Any]:
        """The signed receipt, with all that was still found; it is kept as a file, too. Words that are found are those of others:
        what is said elsewhere, too, is not looked for later. Raises StoreUnavailable, ReceiptKeyUnusable, InvalidInput where the
        file cannot be written."""
        ids = await self._hashes(one.forgetting_id, [])
        words = await self._hashes(one.forgetting_id, [WORD, TERM])
        owner = _owner(one)
        found = await self._traces.look(owner, TraceHashes(ids, words), of_user=owner is not None)
        [hashes] = await self._postgres.fetch_as_service(
            sql_text("forgettings/own_hashes"), {"forgetting_id": one.forgetting_id}, row=_Hashes
        )
        made = Receipt(
            forgetting_id=one.forgetting_id,
            number=one.number,
            kind=one.kind,
            subject=hashes.subject_hash.hex(),
            user=hashes.user_hash.hex(),
            asked_by="user" if one.authored_by.startswith("user:") else one.authored_by,  # who that is says `user`
            asked_at=one.asked_at,
            began_at=one.began_at or one.asked_at,
            ended_at=self._clock.now(),
            counts=one.counts,
            ids=tuple(each.hex() for each in ids),
            words=tuple(each.hex() for each in found.apart),
            words_of_others=len(words - found.apart),
            found=found.ids,
        )
        signed = await asyncio.to_thread(self._key.sign, made)
        tombstones = [one async for one in self._tombstones(one.forgetting_id)]
        await asyncio.to_thread(self._files.keep, ReceiptFile(signed=signed, tombstones=tuple(tombstones)))
        return signed.model_dump(mode="json")

    async def verify(self, signed: Mapping[str, Any], user_id: UUID | None) -> ReceiptCheck:
        """Whether a receipt is signed as it is, by the key of this home, and what is found by it in all stores. `user_id`: whose
        forgetting it was; None for that of a user. Raises ReceiptChanged, ReceiptUnreadable, ReceiptKeyUnusable, NotFound where
        it is a receipt of another user, StoreUnavailable."""
        receipt = await asyncio.to_thread(self._key.verify, signed)
        of_user = (await keyed_hashes(self._postgres, None)).of("user", str(user_id)).hex()
        if (receipt.kind == "user") != (user_id is None) or (user_id is not None and receipt.user != of_user):
            raise NotFound
        ids, words = (frozenset(map(bytes.fromhex, given)) for given in (receipt.ids, receipt.words))
        found = await self._traces.look(user_id, TraceHashes(ids, words), of_user=user_id is not None, done=True)
        return ReceiptCheck(
            receipt.forgetting_id,
            receipt.number,
            receipt.kind,
            receipt.ended_at,
            len(ids),
            len(words),
            (*found.ids, *found.words),
        )

    async def _tombstones(self, forgetting_id: UUID) -> AsyncIterator[TombstoneHash]:
        after = b""
        while True:
            asked = {"forgetting_id": forgetting_id, "after": after, "limit": TOMBSTONES_PAGE}
            page = await self._postgres.fetch_as_service(sql_text("forgettings/tombstones"), asked, row=_Tombstone)
            for one in page:
                yield TombstoneHash(kind=one.kind, hash=one.hash.hex())
            if len(page) < TOMBSTONES_PAGE:
                return
            after = page[-1].hash

    async def _hashes(self, forgetting_id: UUID, kinds: Sequence[str]) -> frozenset[bytes]:
        asked = {"forgetting_id": forgetting_id, "kinds": list(kinds), "limit": MOST}
        return frozenset(await self._postgres.fetch_as_service(sql_text("forgettings/hashes"), asked, row=bytes))


def _owner(one: Forgetting) -> UUID | None:
    """Under whose id the hashes are made: nobody's where a user is forgotten, whose id nobody has afterwards."""
    return None if one.kind == "user" else one.user_id
