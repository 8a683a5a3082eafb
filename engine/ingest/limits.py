"""What bounds the write path."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IngestLimits:
    """What bounds the pipeline: items a batch, words a summary, bytes a text."""

    batch_turns: int
    summary_words: int
    max_text_bytes: int
