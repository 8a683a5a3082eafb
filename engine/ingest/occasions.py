"""An occasion as a document: one text, with a line that says what it was, when, and who was there."""

from __future__ import annotations

from dataclasses import replace

from engine.domain.occasion import Occasion
from engine.ingest.documents import note
from engine.ingest.drafts import Document


def occasion_document(occasion: Occasion) -> Document:
    """The occasion as one text with its own file; its time is that of its beginning, or of its end."""
    made = note(occasion.source_id, occasion.name, f"{occasion.headline}\n\n{occasion.text}", "event")
    file = replace(made.file, name=f"{occasion.kind}.txt")
    return replace(made, occurred_at=occasion.started_at or occasion.ended_at, file=file)
