"""Appending turns to a streamed conversation: checked, cleaned, counted, then one round trip to Postgres.

Nothing here asks a model or the graph. When the call returns, the turns are durable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

from engine.commit.outbox import StepHook
from engine.domain.clock import Clock, check_time
from engine.domain.history import Conversation, Turn
from engine.domain.principal import Principal
from engine.domain.scope import check_privacy, check_scopes
from engine.domain.stream import Append, Appended, StreamStatus
from engine.domain.utterance import minutes_of
from engine.errors import Conflict, Forgotten, InvalidInput, NeurigraphError
from engine.ingest.cleaning import Cleaned, check_text, cleaned, key_of, turns_hash
from engine.privacy.redact import Redactor, redacted_origin, total
from engine.providers.tokens import TokenCounter
from engine.stores.postgres import Jsonb, Postgres
from engine.stores.statements import sql_text
from engine.turns import computed

CONTRADICTION = (
    "A turn does not fit the conversation: another one has its number or id, turns before it are missing, or the conversation"
    " has another node, privacy, scope or source. Nothing was appended."
)
PAUSE = 5.0
"""Seconds between two requests for the job that stores."""


class Hurry:
    """Requests an early run of the job that stores, in the background. Errors are ignored: the job also runs at its time."""

    def __init__(self, ask: Callable[[], Awaitable[object]]) -> None:
        self._ask = ask
        self._asking: asyncio.Task[None] | None = None
        self._asked = -PAUSE

    def soon(self) -> None:
        """Asks in the background, unless it was asked a moment ago."""
        if monotonic() - self._asked >= PAUSE:
            self._asked = monotonic()
            self._asking = asyncio.create_task(self._quietly())

    async def _quietly(self) -> None:
        with suppress(NeurigraphError):
            await self._ask()

    async def close(self) -> None:
        """Waits for the request that is under way."""
        if self._asking is not None:
            await asyncio.wait([self._asking])


@dataclass(frozen=True, slots=True)
class _Answer:
    state: StreamStatus
    turns: int
    stored: int
    tokens: int
    waiting_tokens: int
    added: int


class Appending:
    """Appends turns to streamed conversations."""

    def __init__(
        self, postgres: Postgres, counter: TokenCounter, redactor: Redactor, clock: Clock, reached: StepHook, most_bytes: int
    ) -> None:  # fmt: skip
        self._postgres, self._counter, self._redactor = postgres, counter, redactor
        self._clock, self._reached, self._most_bytes = clock, reached, most_bytes

    async def append(self, principal: Principal, append: Append) -> Appended:
        """Appends all of the turns or none. Raises Conflict for a gap or a contradiction, Forgotten, NotFound, InvalidInput,
        InvalidText, TooLarge, StoreUnavailable."""
        check_scopes(principal, [append.origin.scope])
        check_privacy(principal, append.privacy or "org")
        if not principal.owns and append.node_id is None:
            raise InvalidInput("A principal other than the user must name the node to store at.")
        for place, turn in enumerate(append.turns):
            check_text(turn.text, f"turn {place} of {append.conversation_id}", self._most_bytes)
            for name in (turn.speaker, turn.ref or ""):
                check_text(name, f"turn {place} of {append.conversation_id}", self._most_bytes)
            check_time(turn.at, f"The time of turn {place} of {append.conversation_id}")
        check_text(append.conversation_id + append.title, append.conversation_id, self._most_bytes)
        clean = await self._cleaned(append)
        tokens = await self._counter.count([turn.text for turn in _conversation(clean).turns])
        self._reached("append_sent")
        now = await self._sent(principal, append, clean, tokens)
        self._reached("append_committed")
        return Appended(
            _conversation(clean).source_id,
            now.state,
            now.added,
            len(append.turns) - now.added,
            now.turns,
            now.stored,
            now.turns - now.stored,
            now.tokens,
            now.waiting_tokens,
            _redacted(clean, now),
        )

    async def _cleaned(self, append: Append) -> Cleaned:
        turns = tuple(Turn(turn.speaker, turn.text, turn.at, turn.ref) for turn in append.turns)
        conversation = Conversation(append.conversation_id, turns, append.title, append.started_at)
        if not self._redactor:
            return Cleaned(conversation, conversation, {}, ())
        clean = await computed(cleaned, conversation, self._redactor)
        assert isinstance(clean, Cleaned)  # only a file cannot be cleaned
        return clean

    async def _sent(self, principal: Principal, append: Append, clean: Cleaned, tokens: Sequence[int]) -> _Answer:
        conversation, now = _conversation(clean), self._clock.now()
        arrived = None if append.started_at else now  # a turn without a time was said then, or at that beginning
        sent = {
            "source_id": principal.own_key(key_of(clean.original, self._redactor)),
            "opening": Jsonb(self._opening(append, conversation)),
            "first": append.first,
            "refs": [turn.ref for turn in conversation.turns],
            "digests": [turns_hash([turn]) for turn in conversation.turns],
            "tokens": list(tokens),
            "roles": [turn.role for turn in append.turns],
            "times": [turn.at or arrived for turn in conversation.turns],
            "offsets": [minutes_of(turn.at) for turn in conversation.turns],
            "speakers": [turn.speaker for turn in conversation.turns],
            "contents": [turn.text for turn in conversation.turns],
            "now": now,
        }
        try:
            [answer] = await self._postgres.fetch_once(principal, sql_text("conversation/append"), sent, row=_Answer)
        except Forgotten:
            raise
        except Conflict as error:
            raise Conflict(CONTRADICTION) from error
        return answer

    def _opening(self, append: Append, conversation: Conversation) -> dict[str, str | int | bool | None]:
        origin = redacted_origin(append.origin, self._redactor)
        return {
            "conversation_id": conversation.source_id,
            "title": conversation.title,
            "started_at": append.started_at.isoformat() if append.started_at else None,
            "started_offset": minutes_of(append.started_at),
            "node_id": str(append.node_id) if append.node_id else None,
            "privacy": "private" if origin.scope.narrow else append.privacy,
            "scope": origin.scope.kind,
            "scope_id": origin.scope.scope_id,
            "source": origin.source,
            "again": append.again,
            "expires_at": append.expires_at.isoformat() if append.expires_at else None,
        }


def _redacted(clean: Cleaned, now: _Answer) -> dict[str, int]:
    """Counts of replacements in the new turns, which are the last ones, and in a new title."""
    units = clean.units[len(clean.units) - now.added :] if now.added else ()
    opened = now.added == now.turns > 0
    return dict(total((*units, clean.title) if opened else units))


def _conversation(clean: Cleaned) -> Conversation:
    assert isinstance(clean.content, Conversation)
    return clean.content
