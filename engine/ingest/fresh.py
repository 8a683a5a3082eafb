"""The new part of a source, and its records at the assigned nodes. Pure: ids are derived from the user and the source.

source → new turns of a conversation, or a document that is not stored yet
       → a new version of a document, which is stored by `revising`
       → skipped: stored already, or it cannot be stored like this
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.domain.history import Conversation, Turn
from engine.domain.record import RecordDraft, Skipped, SourceAdvance
from engine.domain.utterance import embedded_text
from engine.ingest.assignment.placing import Placed
from engine.ingest.assignment.unplaced import Unplaced
from engine.ingest.cleaning import fingerprint
from engine.ingest.continuing import NewTurns, new_turns
from engine.ingest.drafts import LONGEST_ITEM, Document, PlacedTurn, conversation_drafts, document_draft, passage_text
from engine.ingest.limits import check_text
from engine.ingest.sessions import STORED_ALREADY
from engine.ingest.sources import ChangedDocument, Drafted, Source
from engine.ingest.splitting import Chunk, chunks
from engine.ingest.versions.entered import first_version
from engine.ingest.versions.shared import shared


@dataclass(frozen=True, slots=True)
class FreshTurns:
    """Turns of a conversation that are not stored yet."""

    source: Source
    conversation: Conversation
    new: NewTurns

    @property
    def units(self) -> int:
        """How many there are."""
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
            self.new.start,
            asked.node,
            _may_create(self.source) and not self.conversation.holds_private,
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
        """How many passages there are."""
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
            embedded=[passage_text(piece) for piece in self.passages] or texts,
        )

    def drafted(self, placed: Placed) -> Drafted:
        """A record for each node that passages were assigned to, with one file, and the version that each begins with."""
        source = self.source
        whole = document_draft(source.session, self.document, self.passages, placed.nodes[0], source.trigger)
        advance = SourceAdvance(source.key, 0, 1, fingerprint(self.document))
        records = _decided(source, shared(whole, placed.nodes), placed)
        versions = tuple(first_version(record, advance) for record in records)
        return Drafted(records, advance, 0, source.cleaned.replaced(), placed.spent, versions)


def _before(turns: Sequence[Turn], place: int) -> str:
    """The text before a turn; a turn that is not private keeps nothing of a private one."""
    before = turns[place - 1]
    return "" if before.privacy == "private" and turns[place].privacy != "private" else before.text


def fresh(source: Source, max_text_bytes: int) -> FreshTurns | FreshDocument | ChangedDocument | Skipped:
    """The new part of the source. Raises InvalidText, TooLarge."""
    content = source.cleaned.content
    return (
        _document(source, content, max_text_bytes) if isinstance(content, Document) else _turns(source, max_text_bytes)
    )


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
        check_text(turn.text, f"turn {new.before + place} of {conversation.source_id}", max_text_bytes)
    return FreshTurns(source, conversation, new)


def _document(source: Source, document: Document, max_text_bytes: int) -> FreshDocument | ChangedDocument | Skipped:
    if source.known and source.cleaned.knows(source.known["content_hash"], 1):
        return Skipped(document.source_id, STORED_ALREADY)
    check_text(document.text, document.source_id, max_text_bytes)
    if source.known:
        return ChangedDocument(source, document)
    dated = replace(document, occurred_at=document.occurred_at or source.asked.arrived)
    return FreshDocument(source, dated, chunks(document.text))


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
