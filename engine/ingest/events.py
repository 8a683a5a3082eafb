"""An event as a document: one text, with a line that says what it was, when, and who was there."""

from __future__ import annotations

from dataclasses import replace

from engine.domain.event import Event
from engine.ingest.documents import note
from engine.ingest.drafts import Document


def event_document(event: Event) -> Document:
    """The event as one text with its own file; its time is that of its beginning, or of its end."""
    made = note(event.source_id, event.name, f"{event.headline}\n\n{event.text}", "event")
    file = replace(made.file, name=f"{event.kind}.txt")
    return replace(made, occurred_at=event.started_at or event.ended_at, file=file)
