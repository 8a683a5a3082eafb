"""Names in German texts, where every noun has a capital: a name needs a sign of its own. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.knowledge.naming.cutting import NamePiece, WordEvidence
from engine.knowledge.naming.kinship import MY, RELATIONS
from engine.knowledge.naming.spelling import Reading, Word
from engine.knowledge.naming.words import (
    ACRONYMS,
    AMBIGUOUS_NAMES,
    CALENDAR,
    GIVEN_NAMES,
    NATIONALITIES,
    PLACES,
    STOP_WORDS,
)

_PERSONAL = frozenset(
    "herr herrn frau fräulein dr dr. prof prof. doktor notar onkel tante oma opa pfarrer familie mr. mrs. ms.".split()
)
_LEGAL = frozenset("gmbh ag kg ohg e.v. ltd inc llc se mbh".split())
_SURE_STREET = re.compile(r"\A.{3,}(?:straße|strasse|gasse|allee|brücke|hausen)$")
_CALLED = re.compile(r"(?:\b(?:heiß\w*|namens|genannt|heiße ich|ich bin|hier ist|[Ll]iebe[rs]?|[Hh]allo|[Dd]anke),? )$")
_RELATION = re.compile(rf"\b(?i:{MY}|seine?\w?|ihre?\w?) (?:\w+ )?(?i:{RELATIONS}),? $")
_TITLED = re.compile(r"(?i)(?<!\w)(?:herrn?|frau|dr\.|prof\.|notar|fräulein|familie) $")
_CITY = re.compile(r"(?<!\w)(?:Stadt|Gemeinde|Insel) $")
_SAYS = re.compile(
    r",? (?:sagt|sagte|meint|meinte|erzählt|erzählte|fragt|fragte|schreibt|schrieb|kommt|kam"
    r"|meldet|rief|ruft|weiß|fährt|fuhr|bringt|brachte)\b"
)
_SAID = re.compile(r"(?:sagt|sagte|meint|meinte|erzählt|erzählte|fragt|fragte|schreibt|schrieb) $")
_ACTS = re.compile(r" (?:hat|ist|war|kommt|will|kann|muss|soll|darf|mag|geht|wird|frisst|schläft)\b")
_WITH = re.compile(r"\b(?:mit|von|für|bei|und|an) $")
_IN = re.compile(r"\b(?:in|aus|nach|bei) $")
_NOUN = re.compile(r"(?:ung|heit|keit|schaft|zeit|ion|tät|e|en|er|ik|ismus|ment)$")
_ARTICLE = re.compile(
    r"\b(?:der|die|das|den|dem|des|ein|eine|einen|einem|einer|eines|im|am|zum|zur|beim|vom|ins|ans|\d+|\w+[eman][nrs]"
    r"|(?:kein|mein|dein|unser|sein|ihr|viel)\w{0,2}|(?:diese|jede|alle)\w?) $",
    re.IGNORECASE,
)


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
    if word.text == "Bad" and len(words) > 1 and not _ARTICLE.search(before):
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
