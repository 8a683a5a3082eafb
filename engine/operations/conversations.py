"""Live conversations of a memory: turns are appended as they are said."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from engine.domain.ingest import Terms
from engine.domain.scope import Privacy
from engine.domain.stream import Append, Appended, EndedStream, StreamedTurn, StreamState
from engine.hierarchy.shells import Shells
from engine.ingest.pipeline import Ingest
from engine.ingest.repeats import stored_earlier
from engine.ingest.sessions import Sessions
from engine.ingest.streams.streaming import Streams
from engine.operations.caller import Part, members, readers
from engine.operations.declaring import OfGraph, reads, writes
from engine.operations.redactions import redacted_later, without_text

_TURNS = dict.fromkeys(("conversation_id", "turns", "title"), redacted_later) | {"privacy": without_text}


class Conversations(OfGraph, name="conversations"):
    """Streamed conversations of a principal."""

    _ingest = Part(Ingest)
    _sessions = Part(Sessions)
    _shells = Part(Shells)
    _streams = Part(Streams)

    @writes(members, redacts=_TURNS, at="node_id", refusal="store", once=True)
    async def append(
        self,
        conversation_id: str,
        *turns: StreamedTurn,
        first: int | None = None,
        title: str = "",
        started_at: datetime | None = None,
        node_id: UUID | None = None,
        privacy: Privacy | None = None,
    ) -> Appended:
        """Appends turns to a conversation, opened by its first ones; durable when this returns.

        `first` is the number of the first turn, counted from 0. A turn whose number or `ref` is known changes nothing; a gap,
        or another turn under the same number or `ref`, is Conflict. With neither, and no idempotency key, turns come at the
        end, however often they are sent. Waiting turns are stored by a job once enough of them wait, and by `end`; until then no
        search finds them.
        """
        own = first is None and self.caller.repeatable is not None and not any(turn.ref for turn in turns)
        if first is None and self.caller.repeatable:  # under refs of their own, a repeat appends them once
            refs = [turn.ref or str(self.caller.own_id(conversation_id, n, turn)) for n, turn in enumerate(turns)]
            turns = tuple(replace(turn, ref=ref) for turn, ref in zip(turns, refs, strict=True))
        placed = (title, started_at, node_id, privacy, self.caller.origin)
        append = Append(
            conversation_id,
            turns,
            first,
            *placed,
            again=self.caller.terms.again,
            expires_at=self.caller.terms.expires_at,
        )
        if node_id is not None:
            await self._shells.require_unarchived(self._principal, node_id)
        appended = await self._streams.append(self._principal, append)
        return replace(appended, added=len(turns), repeated=0) if own else appended

    @writes(members, redacts={"conversation_id": redacted_later}, once=True, spends=True)
    async def end(self, conversation_id: str) -> EndedStream:
        """Stores what is not stored yet of a streamed conversation, however short. Raises NotFound, Conflict."""
        ended = await self._streams.end(self._principal, conversation_id, Terms(key=self.caller.key))
        if self.caller.key is None:
            return ended
        session = self._sessions.id_of(self._principal, self.caller.key)
        earlier = await stored_earlier(self._ingest, self._principal, session, ended.records)
        turns = ended.turns + sum(earlier.turns.values())
        return replace(ended, turns=turns, records=(*earlier.records, *ended.records))

    @reads(readers)
    async def get(self, conversation_id: str) -> StreamState:
        """How a streamed conversation stands. Raises NotFound."""
        return await self._streams.state(self._principal, conversation_id)

    @reads(readers)
    async def list(self, *, after: str = "", limit: int = 100) -> tuple[StreamState, ...]:
        """Streamed conversations that have not ended, by id, one page."""
        return await self._streams.page(self._principal, after=after, limit=limit)
