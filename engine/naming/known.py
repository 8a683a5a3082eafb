"""Finds names that are known already in texts, whatever their case: the only way in scripts without capitals. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.domain.names import name_key
from engine.naming.words import STOP_WORDS

_TOKEN = re.compile(r"[^\W_][\w\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff]*")
_WORD = re.compile(r"[^\W_][\w'’-]*")
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Scripts that write words without spaces, or endings directly behind a name."""


@dataclass(frozen=True, slots=True)
class NameHit:
    """A known name at a place of a text, with its kind."""

    start: int
    end: int
    kind: str
    words: int


@dataclass(frozen=True, slots=True)
class KnownNames:
    """Known names, by their first word. Make it once for many calls: that costs time by the number of names."""

    kinds: Mapping[str, str]
    content: frozenset[str]
    """Words that may stand for a name alone."""
    people: frozenset[str]
    """Those of people."""
    _by_first: Mapping[str, tuple[tuple[int, str], ...]]
    _unspaced: tuple[str, ...]

    @classmethod
    def of(cls, kinds: Mapping[str, str]) -> KnownNames:
        """From name keys with their kinds."""
        by_first: dict[str, list[tuple[int, str]]] = {}
        unspaced: list[str] = []
        for key in kinds:
            words = _TOKEN.findall(key)
            if _UNSPACED.search(key):
                unspaced.append(key)
            elif words:
                by_first.setdefault(_folded(words[0]), []).append((len(words), key))
        ordered = {first: tuple(sorted(keys, reverse=True)) for first, keys in by_first.items()}
        parts = {key: _content(key) for key in kinds}
        content = frozenset(word for words in parts.values() for word in words)
        people = frozenset(word for key, words in parts.items() if kinds[key] == "person" for word in words)
        return cls(kinds, content, people, ordered, tuple(sorted(unspaced, key=len, reverse=True)))

    def hits(self, text: str) -> Iterator[NameHit]:
        """Known names in a text, longest first at each place, in order and apart from each other, but for unspaced scripts."""
        yield from self._hits_without_spaces(text)
        if not self._by_first or self._by_first.keys().isdisjoint(_TOKEN.findall(_folded(text))):
            return
        tokens = list(_TOKEN.finditer(text))
        number = 0
        while number < len(tokens):
            hit = self._hit(text, tokens, number)
            if hit is None:
                number += 1
            else:
                yield hit
                number += hit.words

    def _hit(self, text: str, tokens: list[re.Match[str]], number: int) -> NameHit | None:
        for words, key in self._by_first.get(_folded(tokens[number][0]), ()):
            if number + words > len(tokens):
                continue
            start, end = tokens[number].start(), tokens[number + words - 1].end()
            if end - start > 2 * len(key) + 8:
                continue
            for tail in range(len(key) - len(key.rstrip(".!?+)")), -1, -1):
                if name_key(text[start : end + tail]) in (key, key.rstrip(".!?+)") if tail == 0 else key):
                    return NameHit(start, min(end + tail, len(text)), self.kinds[key], words)
        return None

    def _hits_without_spaces(self, text: str) -> Iterator[NameHit]:
        if self._unspaced and _UNSPACED.search(text):
            for key in self._unspaced:
                at = text.find(key)
                while at >= 0:
                    yield NameHit(at, at + len(key), self.kinds[key], 1)
                    at = text.find(key, at + len(key))


def _content(key: str) -> list[str]:
    words = _WORD.findall(key)
    return words if len(words) == 1 else [word for word in words if word not in STOP_WORDS]


def _folded(word: str) -> str:
    return (
        word.casefold()
        if word.isascii()
        else unicodedata.normalize("NFKC", unicodedata.normalize("NFD", word).casefold())
    )
