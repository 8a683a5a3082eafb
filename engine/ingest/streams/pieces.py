"""Storing what is due of streamed conversations, piece by piece: read, through the pipeline, then settled.

It may be killed between any two steps, and may run twice at once: a commit moves the source forward by exactly the turns
of its piece (`engine.sources`), and the words of turns are deleted only after that was read back (`settle`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID
from weakref import WeakValueDictionary

from engine.commit.outbox import StepHook
from engine.domain.clock import Clock
from engine.domain.cuts import Cut, Thresholds, WeighedTurn, first_cut
from engine.domain.history import Conversation, Turn
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode, TriggerType
from engine.domain.scope import MemoryScope, Origin
from engine.errors import Conflict, NotFound
from engine.ingest.cleaning import chained
from engine.ingest.pipeline import Ingest
from engine.ingest.sources import Continuation, Pending, Stored
from engine.progress import Silent
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text
from engine.turns import computed

Row = dict[str, Any]
OTHERS = "Other turns are stored under the id of this conversation; those that wait stay where they are."


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """When waiting turns are stored, and how long a conversation may be silent before it is ended."""

    cuts: Thresholds
    silence: timedelta


class Pieces:
    """Pieces of streamed conversations, by the principal that appends and the key of the source."""

    def __init__(
        self, postgres: Postgres, ingest: Ingest, limits: StreamLimits, clock: Clock, reached: StepHook
    ) -> None:
        self._postgres, self._ingest, self._clock, self._reached = postgres, ingest, clock, reached
        self.limits = limits
        self._at_work: WeakValueDictionary[tuple[UUID, str], asyncio.Lock] = WeakValueDictionary()

    async def end(self, principal: Principal, key: str, *, silent: bool = False) -> Row:
        """Ends a conversation; with `silent`, only where no turn came for too long. Raises NotFound."""
        now = self._clock.now()
        parameters = {"source_id": key, "silent": now - self.limits.silence if silent else None, "now": now}
        async with self._postgres.as_principal(principal) as connection:
            cursor = await connection.execute(sql_text("conversation/end"), parameters)
        row = (await cursor.fetchall())[0]
        self._reached("end_committed")
        return row

    async def store_due(self, principal: Principal, key: str) -> list[Stored]:
        """Stores piece by piece, each its own commit. A lock allows one call in this process; others conflict at commit."""
        lock = self._at_work.setdefault((principal.user_id, key), asyncio.Lock())
        stored: list[Stored] = []
        async with lock:
            row = await self._settled(principal, key)
            while (due := await self._due(principal, key, row)) is not None:
                cut, trigger = due
                conflict = Conflict(OTHERS)
                try:
                    stored += await self._store_piece(principal, key, row, cut, trigger)
                except Conflict as error:  # another process may have stored the piece
                    conflict = error
                self._reached("piece_stored")
                before, row = row["stored"], await self._settled(principal, key)
                self._reached("piece_settled")
                if row["stored"] <= before:
                    raise conflict
        return stored

    async def _settled(self, principal: Principal, key: str) -> Row:
        parameters = {"source_id": key, "hard": self.limits.cuts.hard, "now": self._clock.now()}
        try:
            async with self._postgres.as_principal(principal) as connection:
                cursor = await connection.execute(sql_text("conversation/settle"), parameters)
        except Conflict as error:
            raise Conflict(OTHERS) from error
        return (await cursor.fetchall())[0]

    async def _due(self, principal: Principal, key: str, row: Row) -> tuple[Cut, TriggerType] | None:
        ending = row["state"] == "ending"
        if row["stored"] == row["turns"] or (not ending and row["waiting_tokens"] < self.limits.cuts.watch_from):
            return None
        # One more than a piece holds: whether a turn ends something shows the one behind it.
        parameters = {"source_id": key, "stored": row["stored"], "limit": self.limits.cuts.most_turns + 1}
        [weights] = await self._postgres.fetch(principal, sql_text("conversation/weights"), parameters)
        turns = [
            WeighedTurn(tokens, speaker, role)
            for tokens, speaker, role in zip(weights["tokens"], weights["speakers"], weights["roles"], strict=True)
        ]
        cut = await computed(first_cut, turns, self.limits.cuts)
        if cut is not None:
            return cut, "chunk_threshold"
        return (Cut(len(turns), sum(turn.tokens for turn in turns)), "conversation_end") if ending else None

    async def _store_piece(
        self, principal: Principal, key: str, row: Row, cut: Cut, trigger: TriggerType
    ) -> list[Stored]:
        start = row["stored"]
        parameters = {"source_id": key, "start": start, "until": start + cut.turns, "limit": cut.turns + 1}
        found = await self._postgres.fetch(principal, sql_text("conversation/piece"), parameters)
        before = [line for line in found if line["number"] < start]
        piece = found[len(before) :]
        if any(line["content"] is None for line in piece):
            raise Conflict  # stored and settled meanwhile
        self._reached("piece_read")
        pending = Pending(
            _conversation(row, piece),
            await self._node(principal, row["node_id"]),
            row["privacy"],
            Origin(MemoryScope(row["scope"], row["scope_id"]), row["source"]),
            Continuation(
                start,
                (before[0]["content"] or "" if before else "") if start else None,
                chained(row["chain"], (line["digest"] for line in piece)),
            ),
            creates=True,
        )
        done = await self._ingest.store(principal, [pending], Silent(), trigger)
        return list(done.stored)

    async def _node(self, principal: Principal, node_id: UUID | None) -> AssignableNode | None:
        if node_id is None:
            return None
        for node in await self._ingest.nodes(principal):
            if node.node_id == node_id:
                return node
        raise NotFound("The node of this conversation is missing, or the principal may not write to it.")


def _conversation(row: Row, piece: Sequence[Row]) -> Conversation:
    turns = tuple(Turn(line["speaker"], line["content"], line["said_at"], line["ref"]) for line in piece)
    return Conversation(row["conversation_id"], turns, row["title"], row["started_at"])
