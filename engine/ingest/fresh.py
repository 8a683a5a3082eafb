"""The steps `clean` and `trigger` of the write path: the new part of a source, and its records at the assigned nodes.

source → new turns of a conversation, or a document that is not stored yet
       → a new version of a document, which is stored by `revising`
       → skipped: stored already, or it cannot be stored like this

Pure: ids are derived from the user and the source. The stored part of a conversation is recognised by a chain of hashes, one
link a turn, so that it can be extended without the earlier turns. Older homes hold one hash over all turns; that is recognised,
too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import uuid5

from engine.domain.clock import check_time
from engine.domain.document import Chunk, NewVersion, chunk_hash, chunks
from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.node import TriggerType
from engine.domain.principal import Principal
from engine.domain.record import RecordDraft, SourceAdvance
from engine.domain.report import STORED_ALREADY, Skipped
from engine.domain.scope import Origin, Privacy
from engine.domain.utterance import embedded_text
from engine.errors import CommitSetAside
from engine.ingest.cleaning import Cleaned, check_text, cleaned, fingerprint, key_of
from engine.ingest.drafts import (
    LONGEST_ITEM,
    Document,
    PlacedTurn,
    conversation_drafts,
    document_draft,
    fact_draft,
    passages_embedded,
)
from engine.ingest.revising import shared
from engine.ingest.sources import ChangedDocument, Continuation, Drafted, Pending, Placed, Source, SourceSeen, Unplaced
from engine.privacy.redact import Redactor, redacted_origin

LONGEST_KEY = 500
"""Characters of a source's id as it is kept."""
LEAST_TURNS = 96
"""Turns and passages of the smallest of the last batches: a smaller one costs more in trips than it saves in waiting."""


@dataclass(frozen=True, slots=True)
class IngestLimits:
    """Limits of the pipeline: turns and passages a batch, bytes a text."""

    batch_turns: int
    max_text_bytes: int

    def enough(self, units: int, taken: int, left: int) -> bool:
        """Whether a batch of so many turns and passages ends here. `taken`: characters of its sources, `left`: of those to come.
        The last batches get smaller: when the encoder is done, little is left to commit."""
        return units >= (min(LEAST_TURNS, self.batch_turns) if taken >= left else self.batch_turns)


@dataclass(frozen=True, slots=True)
class NewTurns:
    """`start`: the index of the first new turn in the input; `before`: the number of turns before the input."""

    start: int
    before: int
    previous: str | None
    advance: SourceAdvance


@dataclass(frozen=True, slots=True)
class FreshTurns:
    """Turns of a conversation that are not stored yet."""

    source: Source
    conversation: Conversation
    new: NewTurns

    @property
    def units(self) -> int:
        return len(self.conversation.turns) - self.new.start

    @property
    def unplaced(self) -> Unplaced:
        """All turns that came: those that are stored already are the context of the others."""
        turns, asked = self.conversation.turns, self.source.asked
        speakers = sorted({turn.speaker for turn in turns[self.new.start :]})
        new = turns[self.new.start :] if asked.node is None else ()
        return Unplaced(
            self.conversation.title,
            [turn.text for turn in turns],
            [turn.speaker for turn in turns],
            [turn.at or self.conversation.started_at for turn in turns],
            start=self.new.start,
            node=asked.node,
            may_create=_may_create(self.source) and not self.conversation.holds_private,
            embedded=[embedded_text(turn.text[:LONGEST_ITEM], speakers) for turn in new],
        )

    def drafted(self, placed: Placed) -> Drafted:
        """A record for each node that turns were assigned to."""
        turns, new = self.conversation.turns, self.new
        placed_turns = [
            PlacedTurn(
                new.before + place, turns[place], _before(turns, place) if place else new.previous, placed.nodes[place]
            )
            for place in range(new.start, len(turns))
        ]
        drafts = conversation_drafts(self.source.session, self.conversation, placed_turns, self.source.trigger)
        replaced = self.source.cleaned.replaced(new.start)
        return Drafted(_decided(self.source, drafts, placed), new.advance, len(placed_turns), replaced, placed.spent)


@dataclass(frozen=True, slots=True)
class FreshDocument:
    """A document that is not stored yet, in its passages."""

    source: Source
    document: Document
    passages: Sequence[Chunk]

    @property
    def units(self) -> int:
        return max(1, len(self.passages))

    @property
    def unplaced(self) -> Unplaced:
        """The passages; of a document without text its title."""
        texts = [piece.text for piece in self.passages] or [self.document.title]
        return Unplaced(
            self.document.title,
            texts,
            node=self.source.asked.node,
            may_create=_may_create(self.source),
            whole=True,
            embedded=passages_embedded(self.document, self.passages) or texts,
        )

    def drafted(self, placed: Placed) -> Drafted:
        """A record for each node that passages were assigned to, with one file, and the version that each begins with."""
        source = self.source
        if self.document.fact is not None:
            return self._fact(self.document.fact, placed)
        whole = document_draft(source.session, self.document, self.passages, placed.nodes[0], source.trigger)
        advance = SourceAdvance(source.key, 0, 1, fingerprint(self.document))
        records = _decided(source, shared(whole, placed.nodes), placed)
        versions = tuple(_first_version(record, advance) for record in records)
        return Drafted(records, advance, 0, source.cleaned.replaced(), placed.spent, versions)

    def _fact(self, fact: WrittenFact, placed: Placed) -> Drafted:
        """A fact is no document: it has no versions, what is said later is a fact of its own."""
        source = self.source
        draft = fact_draft(source.session, self.document, fact, placed.nodes[0], source.trigger)
        advance = SourceAdvance(source.key, 0, 1, fingerprint(self.document))
        records = _decided(source, [draft], placed)
        return Drafted(records, advance, 0, source.cleaned.replaced(), placed.spent)


def texts_ahead(new: Sequence[FreshTurns | FreshDocument]) -> list[str]:
    """The texts of a batch that are embedded before it is known where they go."""
    return [text for one in new for text in one.unplaced.embedded]


def _before(turns: Sequence[Turn], place: int) -> str:
    """The text before a turn; a turn that is not private keeps nothing of a private one."""
    before = turns[place - 1]
    return "" if before.privacy == "private" and turns[place].privacy != "private" else before.text


def fresh(
    principal: Principal,
    pending: Pending,
    seen: Mapping[str, SourceSeen],
    trigger: TriggerType,
    redactor: Redactor,
    max_text_bytes: int,
) -> FreshTurns | FreshDocument | ChangedDocument | Skipped:
    """The new part of a source, without personal data; `seen`: how far sources are stored. Raises InvalidText, TooLarge,
    CommitSetAside where the source is neither stored nor free."""
    clean = cleaned(pending.content, redactor)
    if isinstance(clean, Skipped):
        return clean
    key = principal.own_key(key_of(pending.content, redactor))
    known = seen.get(key)
    if known and known.set_aside:
        raise CommitSetAside(known.commit_id)
    if known and pending.piece is None:  # a stream goes on where it was
        key = known.key(key)
        if known.withdrawn and len(key) <= LONGEST_KEY:
            known = None
        elif known.gone and not known.holding:
            return Skipped(pending.content.source_id, known.gone)
    origin = redacted_origin(pending.origin, redactor)
    asked = replace(pending, origin=origin, privacy=_privacy(pending, origin))
    source = Source(key, uuid5(principal.user_id, key), clean, known, asked, trigger)
    content = clean.content
    return (
        _document(source, content, max_text_bytes) if isinstance(content, Document) else _turns(source, max_text_bytes)
    )


def _privacy(pending: Pending, origin: Origin) -> Privacy:
    """Scoped content is private, and so is a conversation marked as private, also where the request says otherwise."""
    marked = isinstance(pending.content, Conversation) and pending.content.privacy == "private"
    return "private" if marked or origin.scope.narrow else pending.privacy


def _turns(source: Source, max_text_bytes: int) -> FreshTurns | Skipped:
    conversation = source.cleaned.content
    assert isinstance(conversation, Conversation)
    if conversation.started_at is None and source.asked.arrived is not None:
        said = next((turn.at for turn in conversation.turns if turn.at), source.asked.arrived)
        conversation = replace(conversation, started_at=said)
    new = new_turns(source.key, source.cleaned, source.known, source.asked.piece)
    if isinstance(new, Skipped):
        return new
    for place, turn in enumerate(conversation.turns[new.start :], new.start):
        for text in (turn.text, turn.speaker, turn.ref or ""):
            check_text(text, f"turn {new.before + place} of {conversation.source_id}", max_text_bytes)
        check_time(turn.at, f"The time of turn {new.before + place} of {conversation.source_id}")
    check_time(conversation.started_at, f"The start of {conversation.source_id}")
    check_text(conversation.title, f"the title of {conversation.source_id}", max_text_bytes)
    return FreshTurns(source, conversation, new)


def new_turns(key: str, cleaned: Cleaned, known: SourceSeen | None, piece: Continuation | None) -> NewTurns | Skipped:
    """The turns to store, as one commit; Skipped where there are none, or where they cannot be stored like this."""
    conversation = cleaned.content
    assert isinstance(conversation, Conversation)
    done = known.units if known else 0
    if piece is not None:
        return _piece(key, conversation, done, piece)
    turns = conversation.turns
    if known and (done > len(turns) or not cleaned.knows(known.content_hash, done)):
        return Skipped(
            conversation.source_id, "Its stored turns were changed at the source; stored turns stay as they are."
        )
    if done == len(turns):
        return Skipped(conversation.source_id, _stored(known) if turns else "It has no turns.")
    return NewTurns(done, 0, None, SourceAdvance(key, done, len(turns), fingerprint(conversation)))


def _stored(known: SourceSeen | None) -> str:
    return f"{STORED_ALREADY} {known.gone}".rstrip() if known else STORED_ALREADY


def _piece(key: str, conversation: Conversation, done: int, piece: Continuation) -> NewTurns | Skipped:
    if done != piece.before:
        return Skipped(conversation.source_id, STORED_ALREADY if done > piece.before else "A piece is missing.")
    advance = SourceAdvance(key, done, done + len(conversation.turns), piece.content_hash)
    return NewTurns(0, piece.before, piece.previous, advance)


def _document(source: Source, document: Document, max_text_bytes: int) -> FreshDocument | ChangedDocument | Skipped:
    if source.known and source.cleaned.knows(source.known.content_hash, 1):
        return Skipped(document.source_id, _stored(source.known))
    for text in (document.text, document.title):
        check_text(text, document.source_id, max_text_bytes)
    check_time(document.occurred_at, f"The time of {document.source_id}")
    if source.known:
        return ChangedDocument(source, document)
    dated = replace(document, occurred_at=document.occurred_at or source.asked.arrived)
    pieces = [Chunk(document.text, "", 0)] if document.fact else chunks(document.text)
    return FreshDocument(source, dated, pieces)


def _first_version(draft: RecordDraft, advance: SourceAdvance) -> NewVersion:
    """The version that a document begins with."""
    chunks_there = tuple((item.item_id, chunk_hash(item.section, item.content)) for item in draft.items)
    return NewVersion(
        draft.record_id,
        1,
        advance.source_id,
        draft.node.node_id,
        draft.title,
        advance.content_hash,
        draft.file.file_id,
        draft.file.name,
        chunks_there,
        len(chunks_there),
    )


def _may_create(source: Source) -> bool:
    """Names of nodes are not private, so private content creates no node."""
    return source.asked.creates and source.asked.privacy == "org"


def _decided(source: Source, drafts: Sequence[RecordDraft], placed: Placed) -> tuple[RecordDraft, ...]:
    asked = source.asked
    return tuple(
        replace(
            draft,
            privacy="private" if draft.privacy == "private" else asked.privacy,
            origin=asked.origin,
            decision=placed.decisions[draft.node.node_id],
        )
        for draft in drafts
    )
