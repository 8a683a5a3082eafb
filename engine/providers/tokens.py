"""Counts tokens, to know how much of a conversation waits.

The tokenizer is that of the configured offline encoder, whatever model makes the vectors: its vocabulary is local
(nothing is downloaded to count), it counts the same before and after a change of embeddings, and it is fast. Its
counts are close to those of other models on English, and higher on code and on other languages; the thresholds are round
numbers and allow for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol

from tokenizers import Tokenizer

from engine.turns import computed

PIECE = 8000
"""Characters that are encoded at once: the memory of an encoding is many times that of its text."""
AT_ONCE = 20_000
"""Characters that are counted in the calling thread: a switch to another takes about as long."""


class TokenCounter(Protocol):
    """Counts the tokens of texts."""

    async def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, at least one."""


class VocabularyCounter:
    """By a real vocabulary: the `tokenizer.json` of an encoder's folder, read at the first text."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    async def count(self, texts: Sequence[str]) -> list[int]:
        if sum(len(text) for text in texts) <= AT_ONCE:
            return [self._count(text) for text in texts]
        return await computed(lambda: [self._count(text) for text in texts])

    def _count(self, text: str) -> int:
        total, start = 0, 0
        while start < len(text):
            end = start + PIECE
            if end < len(text):
                end = (text.rfind(" ", start, end) + 1) or end  # a word that is cut would count twice
            piece = text[start : max(end, start + 1)]
            total += len(self._tokenizer.encode(piece, add_special_tokens=False).ids)
            start += len(piece)
        return max(1, total)


class ByteCounter:
    """By four bytes a token, where no vocabulary could be brought to this machine."""

    async def count(self, texts: Sequence[str]) -> list[int]:
        return [max(1, -(-len(text.encode("utf-8", "surrogatepass")) // 4)) for text in texts]
