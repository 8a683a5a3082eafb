"""Storing what is due of streamed conversations, piece by piece: read, through the pipeline, then settled.

It may be killed between any two steps, and may run twice at once: a commit moves the source forward by exactly the turns
of its piece (`engine.sources`), and the words of turns are deleted only after that was read back (`settle`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID
from weakref import WeakValueDictionary

from engine.commit.outbox import StepHook
from engine.domain.clock import Clock
from engine.domain.history import Conversation, Turn
from engine.domain.ingest import PLAIN, Terms
from engine.domain.node import TriggerType
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode
from engine.domain.scope import MemoryScope, Origin, Privacy, ScopeKind, SourceKind
from engine.domain.stream import Cut, Role, StreamState, StreamStatus, Thresholds, WeighedTurn, first_cut
from engine.domain.utterance import at_offset
from engine.errors import Conflict, Forgotten, NotFound
from engine.ingest.cleaning import chained
from engine.ingest.pipeline import Ingest
from engine.ingest.sources import Continuation, Pending, StoredBatch
from engine.progress import Silent
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text
from engine.turns import computed

OTHERS = "Other turns are stored under the id of this conversation; those that wait stay where they are."


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """When waiting turns are stored, and how long a conversation may be silent before it is ended."""

    cuts: Thresholds
    silence: timedelta


@dataclass(frozen=True, slots=True)
class _Settled:
    conversation_id: str
    node_id: UUID | None
    title: str
    started_at: datetime | None
    started_offset: int | None
    privacy: Privacy
    scope: ScopeKind
    scope_id: str | None
    source: SourceKind
    state: StreamStatus
    turns: int
    stored: int
    chain: bytes
    waiting_tokens: int
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class _Weights:
    tokens: list[int]
    roles: list[Role]
    speakers: list[str]


@dataclass(frozen=True, slots=True)
class _Line:
    """A turn of a piece; `content` is None once it is stored and settled."""

    number: int
    ref: str | None
    digest: bytes
    said_at: datetime | None
    said_offset: int | None
    speaker: str
    content: str | None


class Pieces:
    """Pieces of streamed conversations, by the principal that appends and the key of the source."""

    def __init__(
        self, postgres: Postgres, ingest: Ingest, limits: StreamLimits, clock: Clock, reached: StepHook
    ) -> None:
        self._postgres, self._ingest, self._clock, self._reached = postgres, ingest, clock, reached
        self.limits = limits
        self._at_work: WeakValueDictionary[tuple[UUID, str], asyncio.Lock] = WeakValueDictionary()

    async def end(self, principal: Principal, key: str, *, silent: bool = False) -> StreamState:
        """Ends a conversation; with `silent`, only where no turn came for too long. Raises NotFound."""
        now = self._clock.now()
        parameters = {"source_id": key, "silent": now - self.limits.silence if silent else None, "now": now}
        [state] = await self._postgres.fetch_once(principal, sql_text("conversation/end"), parameters, row=StreamState)
        self._reached("end_committed")
        return state

    async def store_due(self, principal: Principal, key: str, terms: Terms = PLAIN) -> list[StoredBatch]:
        """Stores piece by piece, each its own commit. A lock allows one call in this process; others conflict at commit."""
        lock = self._at_work.setdefault((principal.user_id, key), asyncio.Lock())
        stored: list[StoredBatch] = []
        async with lock:
            now = await self._settled(principal, key)
            while (due := await self._due(principal, key, now)) is not None:
                cut, trigger = due
                conflict = Conflict(OTHERS)
                try:
                    stored += await self._store_piece(principal, key, now, cut, trigger, terms)
                except Forgotten:
                    raise
                except Conflict as error:  # another process may have stored the piece
                    conflict = error
                self._reached("piece_stored")
                before, now = now.stored, await self._settled(principal, key)
                self._reached("piece_settled")
                if now.stored <= before:
                    raise conflict
        return stored

    async def _settled(self, principal: Principal, key: str) -> _Settled:
        asked = {"source_id": key, "hard": self.limits.cuts.hard, "now": self._clock.now()}
        try:
            [settled] = await self._postgres.fetch_once(principal, sql_text("conversation/settle"), asked, row=_Settled)
        except Conflict as error:
            raise Conflict(OTHERS) from error
        return settled

    async def _due(self, principal: Principal, key: str, now: _Settled) -> tuple[Cut, TriggerType] | None:
        ending = now.state == "ending"
        if now.stored == now.turns or (not ending and now.waiting_tokens < self.limits.cuts.watch_from):
            return None
        # One more than a piece holds: whether a turn ends something shows the one behind it.
        parameters = {"source_id": key, "stored": now.stored, "limit": self.limits.cuts.most_turns + 1}
        [weights] = await self._postgres.fetch(principal, sql_text("conversation/weights"), parameters, row=_Weights)
        columns = zip(weights.tokens, weights.speakers, weights.roles, strict=True)
        turns = [WeighedTurn(tokens, speaker, role) for tokens, speaker, role in columns]
        cut = await computed(first_cut, turns, self.limits.cuts)
        if cut is not None:
            return cut, "chunk_threshold"
        return (Cut(len(turns), sum(turn.tokens for turn in turns)), "conversation_end") if ending else None

    async def _store_piece(
        self, principal: Principal, key: str, now: _Settled, cut: Cut, trigger: TriggerType, terms: Terms
    ) -> list[StoredBatch]:
        start = now.stored
        parameters = {"source_id": key, "start": start, "until": start + cut.turns, "limit": cut.turns + 1}
        found = await self._postgres.fetch(principal, sql_text("conversation/piece"), parameters, row=_Line)
        before = [line for line in found if line.number < start]
        piece = found[len(before) :]
        if any(line.content is None for line in piece):
            raise Conflict  # stored and settled meanwhile
        self._reached("piece_read")
        pending = Pending(
            _conversation(now, piece),
            await self._node(principal, now.node_id),
            now.privacy,
            Origin(MemoryScope(now.scope, now.scope_id), now.source),
            Continuation(
                start,
                (before[0].content or "" if before else "") if start else None,
                chained(now.chain, (line.digest for line in piece)),
            ),
            creates=True,
        )
        kept = replace(terms, expires_at=now.expires_at or terms.expires_at)
        done = await self._ingest.store(principal, [pending], Silent(), trigger, kept)
        return list(done.stored)

    async def _node(self, principal: Principal, node_id: UUID | None) -> AssignableNode | None:
        if node_id is None:
            return None
        if node := await self._ingest.node(principal, node_id):
            return node
        raise NotFound("The node of this conversation is missing, or the principal may not write to it.")


def _conversation(now: _Settled, piece: Sequence[_Line]) -> Conversation:
    turns = tuple(
        Turn(line.speaker, line.content or "", at_offset(line.said_at, line.said_offset), line.ref) for line in piece
    )
    return Conversation(now.conversation_id, turns, now.title, at_offset(now.started_at, now.started_offset))
