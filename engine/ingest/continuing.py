"""Which turns of a conversation are new: of a whole conversation, and of a piece of a streamed one.

The stored part of a conversation is recognised by a chain of hashes, one link a turn, so that it can be extended without
the earlier turns. Older homes hold one hash over all turns instead; it is still recognised.
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
    """The place of a piece in its streamed conversation: the number of turns before it, the text of the last of them (None for
    the first piece), the chain of hashes up to the end of the piece."""

    before: int
    previous: str | None
    content_hash: bytes


@dataclass(frozen=True, slots=True)
class NewTurns:
    """`start`: the index of the first new turn in the input; `before`: the number of turns before the input."""

    start: int
    before: int
    previous: str | None
    advance: SourceAdvance


def new_turns(key: str, cleaned: Cleaned, known: Known, piece: Continuation | None) -> NewTurns | Skipped:
    """The turns to store, as one commit; Skipped where there are none, or where they cannot be stored like this."""
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
