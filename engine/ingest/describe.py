"""Drafts into records that can be stored: token counts, summary, keywords, and the vectors of the items and of the summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from engine.domain.description import keywords, summarize, summary_vector
from engine.domain.record import EmbeddedRecord, ItemDraft, RecordDraft
from engine.ingest.extraction.derived import with_whole
from engine.providers.embedder import Vectors

MOST_TAGS = 12
"""Keywords of one passage at most."""


def described(
    drafts: Sequence[RecordDraft], count_tokens: Callable[[str], int], summary_words: int
) -> list[RecordDraft]:
    """See `describe`."""
    return [describe(draft, count_tokens, summary_words) for draft in drafts]


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
    """Keywords of a passage: names, then topics. Turns are too short for keywords of their own."""
    if item.kind != "chunk":
        return ()
    found = keywords([item], "")
    return tuple(dict.fromkeys((*found.entities[: MOST_TAGS // 2], *found.topics)))[:MOST_TAGS]


def texts_of(drafts: Sequence[RecordDraft], *, derived: bool = False) -> list[str]:
    """The texts to embed: the items of the input, or the derived ones, each draft's followed by a summary that quotes no
    item."""
    return [
        text
        for draft in drafts
        for text in (
            *(item.embedded for item in draft.items if (item.derived is not None) is derived),
            *[draft.summary] * (derived and draft.extracted),
        )
    ]


def embedded(
    drafts: Sequence[RecordDraft], came_in: Sequence[Vectors | None], found: Sequence[Vectors | None]
) -> list[EmbeddedRecord]:
    """The drafts with the vectors of the input and of what was derived from it, in the order of `texts_of`."""
    own, derived = iter(came_in), iter(found)
    records: list[EmbeddedRecord] = []
    for draft in drafts:
        vectors = [next(own if item.derived is None else derived) for item in draft.items]
        summary = next(derived) if draft.extracted else _quoted(draft, vectors)
        records.append(with_whole(EmbeddedRecord(draft, summary, tuple(vectors))))
    return records


def _quoted(draft: RecordDraft, vectors: Sequence[Vectors | None]) -> Vectors | None:
    """The vector of a summary that no model wrote: from those of the items that it quotes."""
    quoted = [
        (item.content, vector)
        for item, vector in zip(draft.items, vectors, strict=True)
        if item.derived is None and vector is not None
    ]
    contents, own = [content for content, _ in quoted], [vector for _, vector in quoted]
    return summary_vector(draft.summary, contents, np.stack(own)) if own else None
