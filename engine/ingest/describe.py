"""What a record says of itself: token counts, summary, keywords, and the vector that stands for the summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.domain.record import ItemDraft, RecordDraft
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
    summary = summarize(draft.text, target_words=summary_words) or draft.title
    return replace(draft, items=items, summary=summary, keywords=keywords(items, draft.source_id))


def _tags(item: ItemDraft) -> tuple[str, ...]:
    """Keywords of a passage: names, then what it speaks of; turns are too short for any of their own."""
    if item.kind != "chunk":
        return ()
    found = keywords([item], "")
    return tuple(dict.fromkeys((*found.entities[: MOST_TAGS // 2], *found.topics)))[:MOST_TAGS]


def centre(draft: RecordDraft, vectors: Vectors) -> Vectors:
    """The vector of a record's summary, from those of its items."""
    return summary_vector(draft.summary, [item.content for item in draft.items], vectors)
