"""How names are written: words with a capital, runs of them, and where a sentence begins; and names that are known already, found
in texts whatever their case: the only way in scripts without capitals. Pure; spans are in code points.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from engine.domain.names import name_key
from engine.language.tables import all_listed, keys, one_of
from engine.naming.words import CALENDAR, GERMAN, NOT_GERMAN, STOP_WORDS

_BLOCKS = ((0x41, 0x590), (0x10A0, 0x1100), (0x1C90, 0x1CC0), (0x1E00, 0x2000), (0x2C00, 0x2E00), (0xA640, 0xA800))

_TOKEN = re.compile(r"[^\W_][\w\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff]*")
_WORD = re.compile(r"[^\W_][\w'’-]*")
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Scripts that write words without spaces, or endings directly behind a name."""


def _capitals() -> str:
    """Letters that are capitals: Latin, Greek, Cyrillic, Armenian, Georgian."""
    codes = [
        code
        for first, last in _BLOCKS
        for code in range(first, last)
        if unicodedata.category(chr(code)) in ("Lu", "Lt")
    ]  # fmt: skip
    return "".join(map(chr, codes))


CAPITALS = frozenset(_capitals())
_UP = f"[{_capitals()}]"
_SAID = {key: one_of("written_names", key) for key in keys("written_names")}
_ABBREVIATED = rf"(?:{_SAID['with_point']})\."
_MARKS = "\u0300-\u036f"
_LETTERS = rf"[\w{_MARKS}]"
_MOST_PIECES = 8
"""Pieces of a word behind hyphens: each is tried as the beginning of a word, too, so without a limit the time is quadratic."""
WORD = re.compile(
    rf"(?<![\w{_MARKS}@#/.\\°])(?>(?:{_UP}\.){{2,}}(?:{_UP}(?!\w))?|{_UP}\.(?=[ \u00a0]?{_UP})|{_ABBREVIATED}"
    rf"|\d{{1,3}}(?:{_SAID['ordinal']})(?=[ \u00a0]{_UP})"
    rf"|[a-z]{{0,2}}{_UP}{_LETTERS}*(?:[&]{_UP}{_LETTERS}*){{0,{_MOST_PIECES}}}(?:['’-]{_LETTERS}+){{0,{_MOST_PIECES}}}\+?)(?![@\w])"
)
"""A word with a capital, with its possessive ending."""
_BEHIND_COMMA = rf"{_SAID['legal']}|{_SAID['generation']}"
_GAP = re.compile(
    rf"[ \u00a0](?:(?:{_SAID['links']})[ \u00a0](?:(?:{_SAID['articles']})[ \u00a0])?|&[ \u00a0])?(?=[\w])"
    rf"|,[ ](?=(?:{_BEHIND_COMMA})\b)|(?<=\.)(?={_UP})"
)
MOST_WORDS = 12
"""Words of a name: more of them in a row are a heading."""
SMALL = re.compile(rf"(?<![\w'’@#/.])[^\W\d_A-Z]{_LETTERS}+")
_OPENING = " \t\u00a0\"“”„«»‘’'`*_[("
_QUOTES = frozenset('"“”„«»`')
_GOES_ON = frozenset(",'’-–—/&%$€)]}+=@<>")
_SHORT = re.compile(
    rf"(?:(?<!\w)(?:{_SAID['no_end']})|(?<![\w'’°])[^\W\d])\.$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:^|\n)[ \t>*+-]*(?:\(?\d{1,3}[.)]|\d{1,3}(?:\.\d{1,3})+)$")
"""The number of a clause or of an entry in a list."""
_LETTERS_ALONE = re.compile(r"[^\W\d_]+")
_OWNS = re.compile(r"(?<=..)['’]([sS]|[^\W\d_A-Z]{2,5})$")
_CONTRACTED = frozenset(all_listed("written_names", "no_owner"))


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text. `text` is without a possessive ending, `end` with it."""

    text: str
    start: int
    end: int
    folded: str
    owns: bool

    @property
    def stop(self) -> int:
        """Where it ends without its possessive ending."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class CapitalRun:
    """Words with capitals in a row; `opens`: a sentence begins with it, so the first capital is no sign."""

    words: tuple[Word, ...]
    opens: bool


def _word(match: re.Match[str]) -> Word:
    text = match[0]
    ending = _OWNS.search(text)
    owns = ending is not None and ending[1].casefold() not in _CONTRACTED
    bare = text[: ending.start()] if ending is not None and owns else text
    return Word(bare, match.start(), match.end(), bare.casefold(), owns)


def runs_of(text: str) -> list[CapitalRun]:
    """The runs of words with capitals, in order. Linear in the text."""
    found: list[CapitalRun] = []
    words: list[Word] = []
    for match in WORD.finditer(text):
        if words:
            gap = _GAP.match(text, words[-1].end)
            if gap is None or gap.end() != match.start() or len(words) >= MOST_WORDS:
                found.append(CapitalRun(tuple(words), opens_sentence(text, words[0].start)))
                words = []
        words.append(_word(match))
    if words:
        found.append(CapitalRun(tuple(words), opens_sentence(text, words[0].start)))
    return found


def opens_sentence(text: str, start: int) -> bool:
    """Whether a sentence, a line or a quotation begins at a place."""
    at = start - 1
    while at >= 0 and text[at] in _OPENING and start - at < 8:
        if text[at] in _QUOTES:
            closes = text[at + 1] == " " and at > 0 and not text[at - 1].isspace()
            return not closes or text[at - 1] in ".!?"
        at -= 1
    if at < 0:
        return True
    last = text[at]
    if last == ".":
        return _SHORT.search(text[max(0, at - 6) : at + 1]) is None
    return not (last.isalnum() or last in _GOES_ON) or _NUMBER.search(text[max(0, at - 16) : at + 1]) is not None


def is_german(text: str) -> bool | None:
    """Whether a text is German; None where it does not show."""
    german = others = 0
    for word in _LETTERS_ALONE.findall(text[:2000].lower()):
        german += word in GERMAN
        others += word in NOT_GERMAN
    return german > others if abs(german - others) > 1 else None


@dataclass(frozen=True)
class Reading:
    """A text as it was read: its runs, whether it is German and was said by someone, whether capitals say anything in it."""

    text: str
    german: bool
    runs: tuple[CapitalRun, ...]
    spoken: bool = False

    @cached_property
    def shouted(self) -> bool:
        """Whether the whole text is in capitals."""
        return self.text.isupper()

    @cached_property
    def caseless(self) -> bool:
        """Whether only beginnings of sentences have capitals, or everything has: then capitals say nothing."""
        if self.shouted:
            return True
        return not any(
            word.folded not in CALENDAR
            for run in self.runs
            for word in run.words[run.opens :]
            if word.text[:2] not in ("I", "I'", "I’")
        )


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
