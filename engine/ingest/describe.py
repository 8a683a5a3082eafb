"""Drafts into records that can be stored: token counts, summary, keywords, the vectors of the items and of the summary, and the
numbers of the entities that the items name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from uuid import uuid5

import numpy as np

from engine.domain.description import keywords, summarize, summary_vector, tags
from engine.domain.embedding import Embedded, vector_of
from engine.domain.extraction import LONGEST_WHOLE, WHOLE, Derived
from engine.domain.record import EmbeddedRecord, ItemDraft, RecordDraft
from engine.knowledge.entity_finder import Spoken
from engine.knowledge.item_entities import MOST
from engine.providers.embedder import Vectors


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
