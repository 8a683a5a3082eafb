"""The description of a record: token counts, summary, keywords, and the vector of the summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from engine.domain.record import EmbeddedRecord, ItemDraft, RecordDraft
from engine.ingest.keywords import keywords
from engine.ingest.summarize import summarize
from engine.providers.embedder import Vectors
from engine.providers.summary_vector import summary_vector

MOST_TAGS = 12
"""Keywords of one passage at most."""


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


def embedded(draft: RecordDraft, vectors: Sequence[Vectors | None], summary: Vectors | None) -> EmbeddedRecord:
    """The draft with the vectors of its items and that of its summary: `summary` where a model wrote it; else one from those
    of the items that it quotes."""
    if not draft.extracted:
        quoted = [
            (item.content, vector)
            for item, vector in zip(draft.items, vectors, strict=True)
            if item.derived is None and vector is not None
        ]
        contents, own = [content for content, _ in quoted], [vector for _, vector in quoted]
        summary = summary_vector(draft.summary, contents, np.stack(own)) if own else None
    return EmbeddedRecord(draft, summary, tuple(vectors))


def _tags(item: ItemDraft) -> tuple[str, ...]:
    """Keywords of a passage: names, then topics. Turns are too short for keywords of their own."""
    if item.kind != "chunk":
        return ()
    found = keywords([item], "")
    return tuple(dict.fromkeys((*found.entities[: MOST_TAGS // 2], *found.topics)))[:MOST_TAGS]
