"""Which turns of a conversation are new: of one that came whole, and of a piece of one that is streamed.

What is stored of a conversation is known by a chain of hashes, one link a turn, so that it can be prolonged without the
turns before. Homes that were made earlier also hold one hash over all turns; it is still recognised.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.domain.history import Conversation
from engine.domain.record import Skipped, SourceAdvance
from engine.ingest.cleaning import Cleaned, fingerprint
from engine.ingest.sessions import STORED_ALREADY

Known = Mapping[str, Any] | None
"""How far a source is stored: units and content_hash; None where nothing is."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """Where a piece of a streamed conversation stands in it: how many turns come before, the words of the last of them (None
    for the first piece), the chain of hashes with the piece."""

    before: int
    previous: str | None
    content_hash: bytes


@dataclass(frozen=True, slots=True)
class NewTurns:
    """`start` is the place of the first new turn among those that came, `before` how many turns come before those."""

    start: int
    before: int
    previous: str | None
    advance: SourceAdvance


def new_turns(key: str, cleaned: Cleaned, known: Known, piece: Continuation | None) -> NewTurns | Skipped:
    """What of the conversation is to be stored, as one commit; Skipped where nothing is, or not in this way."""
    conversation = cleaned.content
    assert isinstance(conversation, Conversation)
    done = known["units"] if known else 0
    if piece is not None:
        return _piece(key, conversation, done, piece)
    turns = conversation.turns
    if known and (done > len(turns) or not cleaned.knows(known["content_hash"], done)):
        return Skipped(
            conversation.source_id, "Its stored turns were changed at the source; stored turns stay as they are."
        )
    if done == len(turns):
        return Skipped(conversation.source_id, STORED_ALREADY if turns else "It has no turns.")
    return NewTurns(done, 0, None, SourceAdvance(key, done, len(turns), fingerprint(conversation)))


def _piece(key: str, conversation: Conversation, done: int, piece: Continuation) -> NewTurns | Skipped:
    if done != piece.before:
        return Skipped(conversation.source_id, STORED_ALREADY if done > piece.before else "A piece is missing.")
    advance = SourceAdvance(key, done, done + len(conversation.turns), piece.content_hash)
    return NewTurns(0, piece.before, piece.previous, advance)
