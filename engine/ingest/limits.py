"""Limits of the write path."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import InvalidText, TooLarge


@dataclass(frozen=True, slots=True)
class IngestLimits:
    """Limits of the pipeline: items a batch, words a summary, bytes a text."""

    batch_turns: int
    summary_words: int
    max_text_bytes: int


def check_text(text: str, where: str, most_bytes: int) -> None:
    """Raises InvalidText for a text that a database cannot hold, TooLarge; `where` names the text in the error."""
    if "\x00" in text:
        raise InvalidText(f"The text holds a NUL character ({where}).")
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise InvalidText(f"The text is not valid Unicode ({where}, character {error.start + 1}).") from error
    if size > most_bytes:
        raise TooLarge(f"{where} has {size} bytes; at most {most_bytes} are taken in.")
