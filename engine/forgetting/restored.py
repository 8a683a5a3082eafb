"""What was forgotten after a backup was taken, forgotten once more in the home that was restored from it.

The receipts of that time name nothing; what they took is known by keyed hashes. Here all users, sources and records of the older
home are compared with them:

    user              by the hash of the user in the receipt
    sources, records  by the tombstones beside the receipt, which also keep them from being stored again
    node, item …      by the hash of the subject in the receipt
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from engine.domain.forgetting import ForgettingSubject
from engine.errors import NotFound, OnHold
from engine.forgetting.erasure import Erasure
from engine.forgetting.keyed_hashes import keyed_hashes
from engine.forgetting.nodes import ErasedNodes
from engine.forgetting.receipt_files import ReceiptFile, tombstones_of
from engine.forgetting.receipts import Receipt
from engine.progress import Progress
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Jsonb, Postgres
from engine.stores.statements import cypher, sql_text

PAGE = 5_000
TOMBSTONES_AT_ONCE = 10_000
WITHIN_S = 24 * 3600.0
AUTHOR = "restore"


@dataclass(frozen=True, slots=True)
class RestoredReport:
    """`known`: receipts of forgettings that the backup has; `applied`: of those that came after it; `forgotten`: users, sources
    and records that were there, and were forgotten once more; `held`: those that a legal hold of the backup keeps."""

    known: int
    applied: int
    forgotten: int
    held: int


@dataclass(frozen=True, slots=True)
class _User:
    user_id: UUID
    hash: bytes


class RestoredForgettings:
    """Applies receipts to a home that was restored; for the service alone, before anybody is served."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, erasure: Erasure) -> None:
        self._postgres, self._neo4j, self._erasure = postgres, neo4j, erasure

    async def apply(self, files: Sequence[ReceiptFile], progress: Progress) -> RestoredReport:
        """Forgets what these say. Repeating it goes on. Raises StoreUnavailable, Conflict."""
        known = forgotten = held = 0
        # the backup was taken while they went on, or an earlier attempt was cut off: its rows may be gone, and its files not yet
        for one in await self._erasure.forgettings.unfinished():
            try:
                await self._erasure.carry_on(one, within_s=WITHIN_S)
            except OnHold:
                held += 1
        users = await self._users([bytes.fromhex(one.receipt.user) for one in files])
        progress.start("forget", len(files))
        for file in files:
            receipt = file.receipt
            try:
                await self._erasure.forgettings.get(receipt.forgetting_id)
                known += 1
            except NotFound:
                done, kept = await self._again(file, users.get(receipt.user))
                forgotten, held = forgotten + done, held + kept
            progress.advance("forget", 1)
        progress.finish("forget")
        return RestoredReport(known, len(files) - known, forgotten, held)

    async def _again(self, file: ReceiptFile, user_id: UUID | None) -> tuple[int, int]:
        """Forgets what one took, then enters it as it was: one that is entered is not looked at again. How much was forgotten,
        and how much is held: a hold that was released after the backup is in force again, and the law goes before."""
        receipt, forgotten, held = file.receipt, 0, 0
        if user_id is not None:
            reason = f"The backup is older than the forgetting {receipt.number}."
            async for subject in self._subjects(file, user_id):
                try:
                    await self._erasure.forget(user_id, subject, reason, AUTHOR, within_s=WITHIN_S)
                except NotFound:
                    continue  # it went with another one
                except OnHold:
                    held += 1
                else:
                    forgotten += 1
        await self._enter(file, receipt, None if receipt.kind == "user" else user_id)
        return forgotten, held

    async def _subjects(self, file: ReceiptFile, user_id: UUID) -> AsyncIterator[ForgettingSubject]:
        receipt = file.receipt
        if receipt.kind == "user":
            yield ForgettingSubject("user", str(user_id))
            return
        hashes = await keyed_hashes(self._postgres, user_id)
        if receipt.kind == "node":
            for node in await ErasedNodes(self._postgres).below(user_id, user_id):
                if hashes.of("node", str(node.node_id)).hex() == receipt.subject:
                    yield ForgettingSubject("node", str(node.node_id))
        sources = tombstones_of(file, "source")
        async for source in self._sources(user_id) if sources else _none():
            if hashes.of("source", source) in sources:
                yield await self._named(user_id, source)
        records = tombstones_of(file, "record") | {bytes.fromhex(receipt.subject)}
        async for record in self._records(user_id):
            if hashes.of("record", record) in records:
                yield ForgettingSubject("record", record)

    async def _named(self, user_id: UUID, source: str) -> ForgettingSubject:
        """A source by one of its records, which names it whatever else has a similar id."""
        asked = {"user_id": str(user_id), "sources": [source]}
        records = await self._neo4j.read(cypher("forget/record_of_source"), row=str, **asked)
        return ForgettingSubject("document", records[0]) if records else ForgettingSubject("source", source)

    async def _users(self, hashes: Sequence[bytes]) -> dict[str, UUID]:
        asked = {"hashes": sorted({*hashes})}
        found = await self._postgres.fetch_as_service(sql_text("forgettings/users_by_hash"), asked, row=_User)
        return {one.hash.hex(): one.user_id for one in found}

    async def _sources(self, user_id: UUID) -> AsyncIterator[str]:
        after = ""
        while True:
            asked = {"user_id": user_id, "after": after, "limit": PAGE}
            page = await self._postgres.fetch_as_service(sql_text("forgettings/sources_page"), asked, row=str)
            for source in page:
                yield source
            if len(page) < PAGE:
                return
            after = page[-1]

    async def _records(self, user_id: UUID) -> AsyncIterator[str]:
        after = ""
        while True:
            asked = {"user_id": str(user_id), "after": after, "most": PAGE}
            page = await self._neo4j.read(cypher("forget/record_page"), row=str, **asked)
            for record in page:
                yield record
            if len(page) < PAGE:
                return
            after = page[-1]

    async def _enter(self, file: ReceiptFile, receipt: Receipt, user_id: UUID | None) -> None:
        signed = file.signed.model_dump(mode="json")
        row = receipt.model_dump(include={"forgetting_id", "kind", "asked_by", "asked_at", "began_at", "ended_at"})
        row |= {"user_id": user_id, "user_hash": bytes.fromhex(receipt.user), "receipt": Jsonb(signed)}
        row |= {"subject_hash": bytes.fromhex(receipt.subject), "counts": Jsonb(signed["receipt"]["counts"])}
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_text("forgettings/entered_as_done"), row)
            for begin in range(0, len(file.tombstones), TOMBSTONES_AT_ONCE):
                some = file.tombstones[begin : begin + TOMBSTONES_AT_ONCE]
                entered = {
                    "forgetting_id": receipt.forgetting_id,
                    "user_hash": bytes.fromhex(receipt.user),
                    "kinds": [one.kind for one in some],
                    "hashes": [bytes.fromhex(one.hash) for one in some],
                }
                await connection.execute(sql_text("forgettings/tombstones_entered"), entered)


async def _none() -> AsyncIterator[str]:
    return
    yield
