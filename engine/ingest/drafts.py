"""Content into drafts of records: runs of turns that belong to one node, or one file cut into chunks; and drafts into records
that can be stored: token counts, summary, keywords, the vectors of the items and of the summary, and the numbers of the entities
that they name.

Drafts are pure: ids are derived from the user and the source, so that the same content gives the same ids, and nothing is
written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial
from uuid import UUID, uuid4, uuid5

import numpy as np

from engine.domain.description import keywords, summarize, summary_vector, tags
from engine.domain.document import Chunk, splitter
from engine.domain.embedding import Embedded, vector_of
from engine.domain.extraction import LONGEST_WHOLE, WHOLE, Derived
from engine.domain.fact import WrittenFact
from engine.domain.file_state import ResourceType
from engine.domain.history import Conversation, Turn, source_key
from engine.domain.node import ContentType, TriggerType
from engine.domain.record import AssignableNode, EmbeddedRecord, FileDraft, ItemDraft, LaidTurn, Layout, RecordDraft
from engine.domain.scope import Privacy
from engine.domain.shown import titled
from engine.domain.utterance import below, embedded_text, has_question, spoken_dates, utterance
from engine.knowledge.entity_finder import Spoken
from engine.knowledge.item_entities import MOST
from engine.providers.embedder import Vectors

LONGEST_ITEM = 1600
"""Characters of one item: about what the encoder reads; a longer turn becomes several items of one position each."""
LONGEST_TITLE = 200

_separators = ["\n\n", "\n", ". ", "? ", "! ", "; ", ", ", " ", ""]
_splitter = cache(partial(splitter, chunk_size=LONGEST_ITEM, chunk_overlap=0, separators=_separators))


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """A turn with its number in the whole conversation, its neighbour's text and its node."""

    number: int
    turn: Turn
    previous: str | None
    node: AssignableNode


def conversation_drafts(
    session: UUID, conversation: Conversation, placed: Sequence[PlacedTurn], trigger: TriggerType = "conversation_end"
) -> list[RecordDraft]:
    """One record for each node that turns were assigned to, in the order of their first turn; one more for its private ones."""
    speakers = sorted({turn.turn.speaker for turn in placed})
    parts: dict[tuple[UUID, Privacy], list[PlacedTurn]] = {}
    for turn in placed:
        parts.setdefault((turn.node.node_id, turn.turn.privacy), []).append(turn)
    return [_conversation_record(conversation, turns, session, speakers, trigger) for turns in parts.values()]


def _conversation_record(
    conversation: Conversation, turns: Sequence[PlacedTurn], session: UUID, speakers: Sequence[str], trigger: TriggerType
) -> RecordDraft:  # fmt: skip
    items = tuple(item for turn in turns for item in turn_items(turn, conversation.started_at, session, speakers))
    title = conversation.title or titled(conversation.source_id, turns[0].turn.text)
    transcript, layout = _transcript(conversation, turns, speakers)
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", conversation.source_id).strip("-.")[:80] or "conversation"
    file = FileDraft(uuid4(), f"{slug}.txt", "transcript", "text/plain", transcript.encode("utf-8"))
    text = "\n".join(turn.turn.text for turn in turns)
    occurred = next((turn.turn.at for turn in turns if turn.turn.at), conversation.started_at)
    return RecordDraft(
        record_id=uuid4(),
        node=turns[0].node,
        title=title[:LONGEST_TITLE],
        text=text,
        content_type="conversation",
        trigger_type=trigger,
        source_id=source_key(conversation.source_id),
        occurred_at=occurred,
        items=items,
        file=file,
        layout=layout,
        privacy=turns[0].turn.privacy,
    )


def _transcript(conversation: Conversation, turns: Sequence[PlacedTurn], speakers: Sequence[str]) -> tuple[str, Layout]:
    """The part of the conversation at one node, as the text of its file, and the places of its turns in it; gaps are marked.
    The title is left out, so that the file does not show an earlier title of the record."""
    parts = [f"{conversation.started_at.isoformat()}\n"] if conversation.started_at else []
    size = sum(map(len, parts))
    laid = []
    before = turns[0].number - 1
    for placed in turns:
        turn = placed.turn
        gap = "" if placed.number == before + 1 else "[…]\n"
        before = placed.number
        stamp = f"[{turn.at.isoformat()}] " if turn.at else ""
        head = f"{gap}{stamp}{turn.speaker}: "
        asked = None if placed.previous is None else has_question(placed.previous)
        laid.append(LaidTurn(placed.number, turn.ref, turn.speaker, turn.at, size + len(head), len(turn.text), asked))
        parts.append(f"{head}{turn.text}\n")
        size += len(parts[-1])
    return "".join(parts), Layout(conversation.started_at, tuple(speakers), tuple(laid))


def turn_items(
    placed: PlacedTurn, started_at: datetime | None, session: UUID, speakers: Sequence[str]
) -> Iterator[ItemDraft]:
    """A turn as items: one, or several of one position where it is long."""
    turn = placed.turn
    said_at = turn.at or started_at
    parts = _parts(turn.text)
    previous = placed.previous
    for number, part in enumerate(parts):
        yield ItemDraft(
            item_id=uuid5(session, f"{placed.number}:{number}"),
            kind="turn",
            session=session,
            position=placed.number,
            content=part,
            embedded=embedded_text(part, speakers),
            unit="turn",
            speaker=turn.speaker,
            source_ref=turn.ref,
            occurred_at=said_at,
            dates=spoken_dates(part, said_at),
            utterance=utterance(part, previous),
            span=None,
        )
        previous = part


def _parts(text: str) -> list[str]:
    return [text] if len(text) <= LONGEST_ITEM else _splitter().split_text(text) or [text[:LONGEST_ITEM]]


@dataclass(frozen=True, slots=True)
class Document:
    """A text that came as a file, or was handed over as one piece."""

    source_id: str
    title: str
    text: str
    occurred_at: datetime | None
    content_type: ContentType
    file: FileDraft
    received_as: ResourceType | None = None
    fact: WrittenFact | None = None
    """Its text is this fact, and nothing else."""


def passages_embedded(document: Document, pieces: Sequence[Chunk]) -> list[str]:
    """What the vectors of passages are made from: their text below their headings, or the title of the document."""
    title = _title(document) if document.title else ""
    return [below(piece.section[:LONGEST_TITLE] or title, piece.text) for piece in pieces]


def _title(document: Document) -> str:
    return (document.title or document.text[:80])[:LONGEST_TITLE]


def document_draft(
    session: UUID, document: Document, pieces: Sequence[Chunk], node: AssignableNode, trigger: TriggerType
) -> RecordDraft:
    """One record for the document at one node, its chunks as items; a document without text keeps its title."""
    if not pieces:
        pieces = [Chunk(document.title, "", 0)]
    items = tuple(
        ItemDraft(
            item_id=uuid5(session, str(number)),
            kind="chunk",
            session=session,
            position=number,
            content=piece.text,
            embedded=embedded,
            unit="passage",
            source_ref=document.source_id,
            occurred_at=document.occurred_at,
            dates=spoken_dates(piece.text, document.occurred_at),
            section=piece.section[:LONGEST_TITLE],
            span=(piece.start, piece.start + len(piece.text)),
        )
        for number, (piece, embedded) in enumerate(zip(pieces, passages_embedded(document, pieces), strict=True))
    )
    return RecordDraft(
        record_id=uuid4(),
        node=node,
        title=_title(document),
        text=document.text,
        content_type=document.content_type,
        trigger_type=trigger,
        source_id=document.source_id,
        occurred_at=document.occurred_at,
        items=items,
        file=document.file,
        received_as=document.received_as,
    )


def fact_id_of(user_id: UUID, source: str) -> UUID:
    """The id of the fact that a source of the user holds, see `fact_draft`."""
    return uuid5(uuid5(user_id, source), "0")


def fact_draft(
    session: UUID, document: Document, fact: WrittenFact, node: AssignableNode, trigger: TriggerType
) -> RecordDraft:
    """One record for a fact that the user states: its only item. No model has to read it."""
    draft = document_draft(session, document, [Chunk(document.text, "", 0)], node, trigger)
    [item] = draft.items
    known = Derived(fact.fact_type, fact.category, (), fact.about, fact.confidence, fact.importance)
    item = replace(item, kind="fact", section=fact.fact_type, derived=known)
    found = keywords([item], document.source_id)
    return replace(draft, items=(item,), summary=document.text, keywords=found, extracted=True)


def named(draft: RecordDraft, spoken: Spoken) -> RecordDraft:
    """A record with the entities that it mentions, and its items with what each names. In observations and summaries the names of
    the record are looked for."""
    found = [spoken.items.get(item.item_id) or spoken.names.standing_in(item.content) for item in draft.items]
    pairs = zip(draft.items, found, strict=True)
    items = tuple(replace(item, entities=one.entities, about=one.about) for item, one in pairs)
    return replace(draft, items=items, entities=spoken.entities)


def named_by_all(items: Iterable[ItemDraft]) -> tuple[int, ...]:
    """What these items name, the most frequent first."""
    counts = Counter(number for item in items for number in item.entities)
    return tuple(number for number, _ in counts.most_common(MOST))


def describe(draft: RecordDraft, count_tokens: Callable[[str], int], summary_words: int) -> RecordDraft:
    """The draft with its tokens counted, a summary of about `summary_words` words, and its keyword columns."""
    items = tuple(
        replace(item, token_count=count_tokens(item.content), tags=item.tags or _tags(item)) for item in draft.items
    )
    if draft.extracted:  # a model has done it
        return replace(draft, items=items)
    summary = summarize(draft.text, target_words=summary_words) or draft.title
    found = keywords([item for item in items if item.derived is None], draft.source_id)
    return replace(draft, items=items, summary=summary, keywords=found)


def _tags(item: ItemDraft) -> tuple[str, ...]:
    """Keywords of a passage. Turns are too short for keywords of their own."""
    return tags(item.content) if item.kind == "chunk" else ()


def texts_of(drafts: Sequence[RecordDraft], *, derived: bool = False) -> list[str]:
    """The texts to embed: the items of the input, or the derived ones, each draft's followed by a summary that quotes no
    item."""
    texts: list[str] = []
    for draft in drafts:
        texts += [item.embedded for item in draft.items if (item.derived is not None) is derived]
        texts += [draft.summary] if derived and draft.extracted else []
    return texts


def embedded(
    drafts: Sequence[RecordDraft], came_in: Sequence[Embedded | None], found: Sequence[Embedded | None]
) -> list[EmbeddedRecord]:
    """The drafts with the vectors of the input and of what was derived from it, in the order of `texts_of`."""
    own, derived = iter(came_in), iter(found)
    records: list[EmbeddedRecord] = []
    for draft in drafts:
        vectors = [next(own if item.derived is None else derived) for item in draft.items]
        summary = vector_of(next(derived)) if draft.extracted else _quoted(draft, vectors)
        records.append(with_whole(EmbeddedRecord(draft, summary, tuple(vectors))))
    return records


def _quoted(draft: RecordDraft, vectors: Sequence[Embedded | None]) -> Vectors | None:
    """The vector of a summary that no model wrote: from those of the items that it quotes."""
    pairs = zip(draft.items, vectors, strict=True)
    quoted = [(item.content, vector) for item, vector in pairs if item.derived is None and vector is not None]
    contents, own = [content for content, _ in quoted], [one.vector for _, one in quoted]
    return summary_vector(draft.summary, contents, np.stack(own)) if own else None


# the whole input as one fact ------------------------------------------------------------------------------


def with_whole(record: EmbeddedRecord) -> EmbeddedRecord:
    """The record with its whole input as one fact, unless a model has read all of it. The fact has the record's vector and no
    terms of its own: the turns or chunks have them."""
    draft = record.draft
    if draft.extracted:
        return record
    draft = replace(draft, items=(*draft.items, whole_fact(draft)))
    whole = None if record.vector is None else Embedded(record.vector)
    return replace(record, draft=draft, item_vectors=(*record.item_vectors, whole))


def whole_fact(draft: RecordDraft, version: str = "") -> ItemDraft:
    """The whole input of a record as one fact; `version` distinguishes the facts of a document's versions."""
    first, last = draft.items[0], max(draft.items, key=lambda item: item.position)
    return ItemDraft(
        item_id=uuid5(first.session, f"whole:{draft.node.node_id}:{first.position}{version}"),
        kind="fact",
        session=draft.derived_session,
        position=first.position,
        content=draft.text if 0 < len(draft.text) <= LONGEST_WHOLE else draft.summary,
        embedded="",
        unit="passage",
        occurred_at=draft.occurred_at,
        span=(0, len(draft.text)) if first.span else (first.position, last.position + 1),
        token_count=sum(item.token_count for item in draft.items),
        entities=named_by_all(draft.items),
        derived=Derived("fact", WHOLE),
    )


def without_whole(draft: RecordDraft) -> RecordDraft:
    """The draft without the fact that holds the whole input."""
    return replace(draft, items=tuple(item for item in draft.items if not item.whole))
