"""What a read may take: time, tokens of what it returns, and pages: every list is returned in pages; a caller in this process may
want all of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from engine.errors import InvalidInput

LEAST_MS, MOST_MS = 1, 600_000
MOST_TOKENS = 1_000_000

Entry = TypeVar("Entry")

MOST = 500
"""Entries of one page."""


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Limits of a read; None is no limit but the engine's own.

    `max_ms` milliseconds in all, stores and models; `max_tokens` of the returned texts, counted by the tokenizer of the
    embedding model. `partial`: where the graph or the embedding service does not answer in time, what the other stores give is
    returned and marked, instead of an error. Raises InvalidInput.
    """

    max_ms: int | None = None
    max_tokens: int | None = None
    partial: bool = False

    def __post_init__(self) -> None:
        if self.max_ms is not None and not LEAST_MS <= self.max_ms <= MOST_MS:
            raise InvalidInput(f"A read takes {LEAST_MS} to {MOST_MS:,} milliseconds.")
        if self.max_tokens is not None and not 1 <= self.max_tokens <= MOST_TOKENS:
            raise InvalidInput(f"An answer has 1 to {MOST_TOKENS:,} tokens.")

    def seconds(self, most: float) -> float:
        """Its time in seconds: at most this."""
        return most if self.max_ms is None else min(most, self.max_ms / 1000)


UNLIMITED_READ = ReadLimits()


def check_page(limit: int, most: int = MOST) -> None:
    """Raises InvalidInput for an invalid page size."""
    if not 1 <= limit <= most:
        raise InvalidInput(f"A page has 1 to {most} entries.")


async def every(page: Callable[[Any], Awaitable[Sequence[Entry]]], place: Callable[[Entry], Any]) -> list[Entry]:
    """All entries: `page(place)` gives those after a place, `page(None)` the first ones."""
    entries: list[Entry] = []
    while found := await page(place(entries[-1]) if entries else None):
        entries += found
    return entries
