"""Texts as tokens, and phrases that are looked for in them. Pure; every step is linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"[^\W\d_]+n['’]t\b"  # don't
    r"|['’](?:s|re|m|ve|ll|d)\b"  # Ann's, they're
    r"|[^\W\d_]{1,7}['’](?!(?:re|ve|ll)\b)(?=[^\W\d_]{2}|[aày]\b)"  # l'adresse, n'habite
    r"|\d[\d.,:/-]*\d(?![^\W_])|[^\W_]+(?:[-.&+][^\W_]+)*|[.,;:!?()€$£%#]"
)
GAP_WORDS = 4
"""Words that `~` in a phrase may stand for."""
VALUE = "…"
_GAP = "~"
PUNCTUATION = frozenset(".,;:!?()")


@dataclass(frozen=True, slots=True)
class WordToken:
    """A word, a number or a sign of a text. `text`: as it stands there; `word`: folded; of a contraction there are several."""

    text: str
    word: str
    start: int
    end: int

    @property
    def large(self) -> bool:
        """Whether it begins with a capital or a digit, as names and addresses do."""
        return self.text[:1].isupper() or self.text[:1].isdigit()


def tokens_of(text: str, contractions: Mapping[str, str]) -> list[WordToken]:
    """The tokens of a text. `contractions`: what stands for several words, as "don't"."""
    found: list[WordToken] = []
    for match in _TOKEN.finditer(text):
        word = match[0].casefold().replace("’", "'")
        parts = contractions.get(word, word[:-3] + " not" if word.endswith("n't") else word).split()
        found += (WordToken(match[0] if len(parts) == 1 else part, part, match.start(), match.end()) for part in parts)
    return found


@dataclass(frozen=True, slots=True)
class Match:
    """A phrase that stands in a text: from which token to which, and where a value inside of it begins and ends.
    `skipped`: the tokens that `~` stands for."""

    meaning: str
    start: int
    end: int
    value: tuple[int, int] | None = None
    skipped: tuple[int, ...] = ()


_Parts = tuple[frozenset[str], ...]


@dataclass(slots=True)
class Phrases:
    """Phrases with meanings: by their first word, and by meaning, then by their first word."""

    _by_first: dict[str, list[tuple[str, _Parts]]] = field(default_factory=dict)
    _by_meaning: dict[str, dict[str, list[tuple[str, _Parts]]]] = field(default_factory=dict)

    def add(self, phrases: str, meaning: str, contractions: Mapping[str, str], short: Mapping[str, str]) -> None:
        """Adds phrases with commas between; `a/b` is either word. `short`: what a word may be shortened to, as "'s"."""
        by_first = self._by_meaning.setdefault(meaning, {})
        for phrase in filter(None, (one.strip() for one in phrases.split(","))):
            parts: list[frozenset[str]] = []
            for part in phrase.casefold().split():
                said = contractions.get(part, part)
                parts += [frozenset(said.split("/"))] if " " not in said else [frozenset((w,)) for w in said.split()]
            parts = [part | {short[word] for word in part if word in short} for part in parts]
            for first in parts[0]:
                for index in (by_first, self._by_first):
                    index.setdefault(first, []).append((meaning, tuple(parts)))

    def words(self, meanings: Iterable[str] | None = None) -> Iterator[str]:
        """Every word of them, or of some meanings."""
        wanted = None if meanings is None else frozenset(meanings)
        for phrases in self._by_first.values():
            for parts in (parts for meaning, parts in phrases if wanted is None or meaning in wanted):
                for part in parts:
                    yield from part - {VALUE, _GAP}

    def meanings(self) -> Iterator[str]:
        """What the phrases mean."""
        return iter(self._by_meaning)

    def at(self, tokens: Sequence[WordToken], place: int) -> list[Match]:
        """What begins at a token, the longest first."""
        return _matches(tokens, place, self._by_first.get(tokens[place].word, ()))

    def longest(self, tokens: Sequence[WordToken], meanings: Iterable[str]) -> Iterator[Match]:
        """What stands in the text of these meanings, none over another."""
        wanted = [by_first for meaning in meanings if (by_first := self._by_meaning.get(meaning))]
        place = 0
        while place < len(tokens):
            word = tokens[place].word
            here = [one for by_first in wanted if word in by_first for one in _matches(tokens, place, by_first[word])]
            if here:
                longest = min(here, key=lambda one: one.start - one.end)
                yield longest
                place = longest.end
            else:
                place += 1


def _matches(tokens: Sequence[WordToken], place: int, phrases: Iterable[tuple[str, _Parts]]) -> list[Match]:
    found = [Match(meaning, place, *match) for meaning, parts in phrases if (match := _match(tokens, place, parts))]
    return sorted(found, key=lambda one: (one.start - one.end, one.meaning)) if len(found) > 1 else found


def _match(
    tokens: Sequence[WordToken], place: int, parts: Sequence[frozenset[str]]
) -> tuple[int, tuple[int, int] | None, tuple[int, ...]] | None:
    """Where a phrase ends that begins here; what stands for `~` and for the value is as short as can be."""
    value: tuple[int, int] | None = None
    open_since, free, is_value = place, 0, False
    skipped: list[int] = []
    for part in parts:
        if part == {_GAP}:
            open_since, free = place, GAP_WORDS
            continue
        if part == {VALUE}:
            open_since, free, is_value = place + 1, GAP_WORDS + 1, True
            place += 1  # a value has a word at least
            continue
        while place < len(tokens) and tokens[place].word not in part and free and tokens[place].word not in PUNCTUATION:
            skipped += [] if is_value else [place]
            place, free = place + 1, free - 1
        if place >= len(tokens) or tokens[place].word not in part:
            return None
        if is_value:
            value, is_value = (open_since - 1, place), False
        place, free = place + 1, 0
    return place, value, tuple(skipped)
