"""Names in German texts, where every noun has a capital: a name needs a sign of its own. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.language.tables import listed, table
from engine.naming.cuts import NamePiece, WordEvidence
from engine.naming.spelling import Reading, Word
from engine.naming.words import (
    ACRONYMS,
    AMBIGUOUS_NAMES,
    CALENDAR,
    GIVEN_NAMES,
    MY,
    NATIONALITIES,
    PLACES,
    RELATIONS,
    STOP_WORDS,
)

_CODE, _TABLE = "de", "capital_nouns"
_PERSONAL, _LEGAL, _TOWN_FIRST = (frozenset(listed(_CODE, _TABLE, key)) for key in ("personal", "legal", "town_first"))


def _pattern(key: str, begin: str, end: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(f"{begin}(?:{table(_CODE, _TABLE)[key]}){end}", flags)


_SURE_STREET = _pattern("street", r"\A.{3,}", "$")
_CALLED = _pattern("called", r"\b", ",? $")
_RELATION = re.compile(rf"\b(?i:{MY}|{table(_CODE, _TABLE)['of_others']}) (?:\w+ )?(?i:{RELATIONS}),? $")
_TITLED = _pattern("titled", r"(?i)(?<!\w)", " $")
_CITY = _pattern("town", r"(?<!\w)", " $")
_SAYS, _ACTS = _pattern("says", ",? ", r"\b"), _pattern("acts", " ", r"\b")
_SAID, _WITH, _IN = _pattern("said", "", " $"), _pattern("with", r"\b", " $"), _pattern("in", r"\b", " $")
_NOUN = _pattern("noun", "", "$")
_ARTICLE = _pattern("article", r"\b", " $", re.IGNORECASE)


def german_names(reading: Reading, evidence: WordEvidence) -> Iterator[NamePiece]:
    """Parts of runs that are names, in order. `opens` marks those that may be a noun: "in Reine", "in Rente"."""
    for run in reading.runs:
        yield from _names(reading.text, run.words, evidence)


def _names(text: str, words: tuple[Word, ...], evidence: WordEvidence) -> Iterator[NamePiece]:
    at = 0
    while at < len(words):
        length = _length(text, words[at:], evidence)
        if length:
            yield NamePiece(words[at : at + length], False)
        elif _may_be_place(text, words[at], evidence):
            yield NamePiece((words[at],), True)
        at += length or 1


def _may_be_place(text: str, word: Word, evidence: WordEvidence) -> bool:
    before = text[max(0, word.start - 8) : word.start]
    return (
        bool(_IN.search(before)) and _may_be_name(word) and not _NOUN.search(word.folded) and _is_apart(word, evidence)
    )


def _length(text: str, words: tuple[Word, ...], evidence: WordEvidence) -> int:
    """How many of the words from here on are one name; 0 for none."""
    word, before = words[0], text[max(0, words[0].start - 40) : words[0].start]
    for count in range(min(4, len(words)), 0, -1):
        if text[word.start : words[count - 1].stop] in PLACES and (count > 1 or _is_apart(word, evidence)):
            return count
    legal = next((number for number, one in enumerate(words[:6]) if one.folded in _LEGAL), 0)
    if legal:
        return legal + 1
    if word.folded in _PERSONAL or not _may_be_name(word):
        return 0
    if _CITY.search(before) or _SURE_STREET.fullmatch(word.folded):
        return 1
    if word.text in _TOWN_FIRST and len(words) > 1 and not _ARTICLE.search(before):
        return 2
    return _person(words) if _is_person(text, word, before, evidence, follows=len(words) > 1) else 0


def _is_person(text: str, word: Word, before: str, evidence: WordEvidence, *, follows: bool) -> bool:
    """Whether a person's name begins with a word."""
    after, folded = text[word.end : word.end + 24], word.folded
    if _TITLED.search(before) and not _RELATION.search(before):
        return True
    if folded in evidence.known or folded in evidence.surnames:
        return True
    if folded in AMBIGUOUS_NAMES:
        return bool(follows or _ACTS.match(after) or _WITH.search(before)) and not _ARTICLE.search(before)
    if _RELATION.search(before) or _CALLED.search(before):
        return word.text not in PLACES
    if not _is_apart(word, evidence):
        return False
    if folded in GIVEN_NAMES or folded in evidence.people:
        return True
    return bool(_SAYS.match(after) or _SAID.search(before)) and not (_ARTICLE.search(before) or _opens(before))


def _may_be_name(word: Word) -> bool:
    return len(word.text) > 1 and not (
        (word.folded in STOP_WORDS and word.folded not in GIVEN_NAMES)
        or word.folded in CALENDAR
        or word.folded in NATIONALITIES
        or word.folded in ACRONYMS
    )


def _is_apart(word: Word, evidence: WordEvidence) -> bool:
    return word.folded not in evidence.small and word.folded not in AMBIGUOUS_NAMES and word.folded not in STOP_WORDS


def _opens(before: str) -> bool:
    return not before.rstrip() or before.rstrip()[-1] in ".!?:"


def _person(words: tuple[Word, ...]) -> int:
    """A given name with the surname behind it."""
    length = 1
    while length < min(3, len(words)) and _may_be_name(words[length]) and not words[length - 1].owns:
        length += 1
    return length
