"""What a read may take: time, and tokens of what it returns."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import InvalidInput

LEAST_MS, MOST_MS = 1, 600_000
MOST_TOKENS = 1_000_000


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
