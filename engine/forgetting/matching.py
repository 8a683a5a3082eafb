"""Whether texts and ids hold something of the forgotten, which is known by keyed hashes alone: each UUID and each word is hashed
and compared. What was looked at before is not hashed again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pgvector import SparseVector

from engine.domain.names import slug
from engine.domain.terms import plain_words, stored_words, term_id, terms_of
from engine.forgetting.keyed_hashes import KeyedHashes

LEAST = 4
"""Letters of a word that is looked for: shorter ones tell nobody from others."""
LONGEST_NAME = 300
"""Characters of a value that is also compared as a whole: ids and keys that callers gave."""
SEEN = 1 << 19
"""Words, or ids, that are remembered as not looked for; then memory is emptied."""
ID_KINDS = tuple(
    (
        "record item fact entity node source session document file event user commit relation resource retraction community"
        " insight cluster id"
    ).split()
)
"""Kinds of things whose ids are UUIDs, also inside of texts."""
NAME_KINDS = tuple("source key session event name file document".split())
"""Kinds of things whose ids are texts of callers."""
WORD, TERM = "word", "term"
_UUID = re.compile(r"(?<![0-9a-f])[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}(?![0-9a-f])")

_NO_LATIN = re.compile(r"n[0-9a-f]{8}")
"""A slug of what has no Latin letters: a hash of the whole name, which says nothing of a word in it."""

Where = tuple[str, str, str]
"""Store, place and column."""


@dataclass(frozen=True, slots=True)
class TraceHashes:
    """What is looked for, by keyed hashes. `ids`: of ids and keys, of any kind; `words`: of words (kind `word`) and of their
    terms (kind `term`, the number as text)."""

    ids: frozenset[bytes]
    words: frozenset[bytes] = frozenset()


def words_of(texts: Iterable[str]) -> set[str]:
    """The words by which texts could be known: those of at least four letters, folded, and as they stand in keys and schemas."""
    found: set[str] = set()
    for text in texts:
        words = plain_words(text, LEAST)
        found |= words
        plain = [slug(word) for word in words if not word.isascii()]
        found |= {part for one in plain if not _NO_LATIN.fullmatch(one) for part in plain_words(one, LEAST)}
    return found


def hashes_of_words(hashes: KeyedHashes, texts: Iterable[str]) -> dict[str, set[bytes]]:
    """By kind the hashes of the words of texts (`word`), and of the terms that stored texts are found by (`term`)."""
    given = [*texts]
    terms = {str(term_id(word)) for text in given for word in stored_words(text)}
    return {
        WORD: {hashes.of(WORD, word) for word in words_of(given)},
        TERM: {hashes.of(TERM, term) for term in terms},
    }


class Matching:
    """Compares what it is shown; counts by place what was found, and remembers which hashes were."""

    def __init__(self, hashes: KeyedHashes, wanted: TraceHashes) -> None:
        self._hashes, self._wanted = hashes, wanted
        self._no_ids, self._no_names, self._no_words = set[str](), set[str](), set[str]()
        self._terms: dict[int, bytes | None] = {}
        self.ids, self.words = Counter[Where](), Counter[Where]()
        self.found: set[bytes] = set()
        self.terms: dict[int, Counter[Where]] = {}
        """By term of a forgotten word where it stands; others may have the same."""

    def row(self, store: str, place: str, values: Mapping[str, Any]) -> None:
        """Looks at all values of a row, a node, or whatever has named values."""
        for column, value in values.items():
            for leaf in leaves(value):
                self.text((store, place, column), leaf)

    def text(self, where: Where, text: str) -> None:
        """Looks at one text: at the UUIDs in it, at its words, and at the whole where it is short."""
        if self._wanted.ids:
            found = set(_UUID.findall(text.lower())) if len(text) >= 32 else set[str]()
            self._ids(where, {str(UUID(one)) for one in found}, self._no_ids, ID_KINDS)
            if len(text) <= LONGEST_NAME:
                self._ids(where, {text}, self._no_names, NAME_KINDS)
        if self._wanted.words:
            self._look(where, plain_words(text, LEAST))

    def _ids(self, where: Where, things: set[str], seen: set[str], kinds: Iterable[str]) -> None:
        for thing in things - seen:
            if matched := {self._hashes.of(kind, thing) for kind in kinds} & self._wanted.ids:
                self.found |= matched
                self.ids[where] += 1
            else:
                _remember(seen, thing)

    def _look(self, where: Where, words: set[str]) -> None:
        for word in words - self._no_words:
            if (hashed := self._hashes.of(WORD, word)) in self._wanted.words:
                self.found.add(hashed)
                self.words[where] += 1
            else:
                _remember(self._no_words, word)

    def term(self, where: Where, value: Any) -> None:
        """Looks at the terms of a text, or at one term."""
        for term in terms_of(value) if isinstance(value, SparseVector) else (value,):
            if self._term(term) is not None:
                self.terms.setdefault(term, Counter())[where] += 1

    def _term(self, term: int) -> bytes | None:
        if term not in self._terms:
            hashed = self._hashes.of(TERM, str(term))
            self._terms[term] = hashed if hashed in self._wanted.words else None
        return self._terms[term]

    def explain(self, text: str) -> None:
        """A text that is there has these terms: they are no trace."""
        for word in stored_words(text):
            if (term := term_id(word)) in self.terms:
                self.found.add(self._hashes.of(TERM, str(term)))
                del self.terms[term]

    def end_terms(self) -> None:
        """What no text explains counts as found."""
        for term, places in self.terms.items():
            self.found.add(self._hashes.of(TERM, str(term)))
            self.ids.update(places)
        self.terms.clear()


def leaves(value: Any) -> Iterator[str]:
    """The texts in a value of a store, the names of fields of JSON among them; numbers of JSON as they are written."""
    rest = [value]
    while rest:
        one = rest.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, UUID):
            yield str(one)
        elif isinstance(one, Mapping):
            rest += one.keys()
            rest += one.values()
        elif isinstance(one, list | tuple | set | frozenset):
            rest += one
        elif isinstance(one, int) and abs(one) >= 10 ** (LEAST - 1):
            yield str(one)


def _remember(seen: set[str], one: str) -> None:
    if len(seen) >= SEEN:
        seen.clear()
    seen.add(one)
