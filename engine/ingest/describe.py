"""What a record says of itself: token counts, summary, keywords, and the vector that stands for the summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from engine.domain.record import RecordDraft
from engine.domain.terms import words
from engine.ingest.keywords import keywords
from engine.ingest.summarize import summarize
from engine.providers.embedder import Vectors


def describe(draft: RecordDraft, count_tokens: Callable[[str], int], summary_words: int) -> RecordDraft:
    """The draft with its tokens counted, a summary of about `summary_words` words, and its keyword columns."""
    items = tuple(replace(item, token_count=count_tokens(item.content)) for item in draft.items)
    summary = summarize(draft.text, target_words=summary_words) or draft.title
    return replace(draft, items=items, summary=summary, keywords=keywords(items, draft.source_id))


def centre(draft: RecordDraft, vectors: Vectors) -> Vectors:
    """The vector of a summary that quotes its items: the mean of their vectors, each weighted by the words it lends.

    An encoder that averages over tokens gives nearly the same for the summary as a text, and embedding every
    sentence a second time would cost more than all items (measured: 4.3 against 3.7 ms a turn).
    """
    quoted = set(words(draft.summary))
    weights = np.array([1e-3 + len(quoted & set(words(item.content))) for item in draft.items], dtype=np.float32)
    centre = weights @ vectors
    unit: Vectors = (centre / max(float(np.linalg.norm(centre)), 1e-12)).astype(np.float32)
    return unit
