"""What kind of thing a name names, by the words in it and beside it. Pure."""

from __future__ import annotations

import re
from collections.abc import Set

from engine.domain.entity import UNKNOWN_KIND
from engine.language.tables import all_listed, alternatives, keys, one_of
from engine.naming.words import (
    AMBIGUOUS_NAMES,
    BEGINNINGS,
    ENDINGS,
    GIVEN_NAMES,
    GROUP_OF,
    NATIONALITIES,
    NOBLE,
    NOUNS,
    PLACES,
    SAYS,
    STOP_WORDS,
    TITLES,
)

_WORD = re.compile(r"[^\W\d_][\w'’.-]*")
_LAST = re.compile(r"(?<![\w-])([^\W\d_][\w-]*\.?)[ \u00a0]*[\"“„`'*(]*$")
_PATTERNS = ("born_aside", "by", "employs", "employed", "whose", "possessive")
_SAID = {key: alternatives("kinds", key) if key in _PATTERNS else one_of("kinds", key) for key in keys("kinds")}
_IS = re.compile(rf"\A[\"”''*)]*,?(?: \([^)]*\))?,? (?:{_SAID['is']}) (?:{_SAID['one']}) (?P<what>[^.,;\n]{{3,70}})")
_OF = re.compile(rf"[ ](?:{_SAID['described_by']})\b")
_BORN = re.compile(
    rf"\A(?: \((?:{_SAID['born_aside']}|[^)]{{0,12}})?"
    rf"(?:{_SAID['born']}|\d{{1,2}} \w{{1,20}} \d{{3,4}} ?[–-]|\w{{1,20}} \d{{1,2}}, \d{{4}})"
    rf"|, (?:{_SAID['who']})\b|(?:{_SAID['whose']})\b)"
)
_SPEAKS = re.compile(rf" (?:{SAYS}|{_SAID['acts']})\b")
_BY = re.compile(rf"\b(?:{_SAID['by']}) $", re.IGNORECASE)
_AT = re.compile(rf"\b(?:{_SAID['at']}) $", re.IGNORECASE)
_EMPLOYS = re.compile(rf"\b(?:{_SAID['employs']}) $")
"""Not "works with Arne Gunderson", who is a colleague."""
_EMPLOYED = re.compile(rf" (?:{_SAID['employed']})\b")
_AND_PLACE = re.compile(rf", ([A-Z][\w. ]+?)(?=[,.;)\n]|$| (?:{_SAID['behind_place']}))")
_LISTED_BEFORE = re.compile(rf"([A-Z]\w{{1,60}})(?:,|,? (?:{_SAID['and']})) $")
_AND_NEXT = re.compile(rf"(?:,|,? (?:{_SAID['and']})) ([A-Z]\w+)")
_NICK = re.compile(rf"(?:{_SAID['nicknamed']})[ :,(\"“`']*$", re.IGNORECASE)
_NAMED = re.compile(rf"(?:{_SAID['named']}) $")
_NOUN_OF = frozenset(all_listed("kinds", "noun_of"))
_HEAD_OF = frozenset(all_listed("kinds", "of"))
_COMMUNITY = frozenset(all_listed("kinds", "community"))
_ROMAN = re.compile(r"[ivx]+")
_RANK = re.compile(rf"(?:^|, )(?:{'|'.join(sorted(NOBLE))}) (?:{_SAID['noun_of']}) ", re.IGNORECASE)
_INITIAL = re.compile(r"\b[A-Z]\. ")
_THE = re.compile(rf"\b(?:{_SAID['the']}) $", re.IGNORECASE)
_STREET = re.compile(rf"(?:{_SAID['place_ending']})(?: \d+)?$", re.IGNORECASE)
_MINE = re.compile(rf"(?i)\b(?:{_SAID['possessive']})\b")
_NO_WORD = re.compile(r"[^\w ]")
_HINT = re.compile(r"\(([^()]+)\)\s*$")
_BEFORE, _AFTER = 72, 130


_INITIALS = re.compile(r"(?!(?:U\. ?[SKN]|D\. ?C|L\. ?A|N\. ?Y)\.)(?:[A-Z]\. ?){1,3}[A-Z][^\W\d_A-Z][\w'’-]*$")
"""Initials and a surname, `J.K. Rowling`; not those of countries and cities."""


def kind_of(text: str, start: int, end: int, small: Set[str] = frozenset(), *, quoted: bool = False) -> str:
    """The kind of the name at a place of a text; `thing` where nothing tells. `small`: words that were seen without a capital."""
    name, before, after = text[start:end], text[max(0, start - _BEFORE) : start], text[end : end + _AFTER]
    words = [word.casefold() for word in _WORD.findall(name)]
    if not words:
        return UNKNOWN_KIND
    noun = _LAST.search(before)
    if noun and noun[1] in NOUNS and not is_person(words) and NOUNS[noun[1]] != "person":
        return NOUNS[noun[1]]
    if words[-1] in _COMMUNITY:
        return "organization"
    said = _said_of(before, after)
    if quoted:
        if _NICK.search(before):
            return "person"
        return said if said != UNKNOWN_KIND else "work"
    if words[-1].upper() == name[-len(words[-1]) :] and _ROMAN.fullmatch(words[-1]) and len(words) > 1:
        words = words[:-1]
    if len(words) > 1 and _RANK.search(name):
        return "person"
    ordinary = (
        words[0] in small
        or words[0] in STOP_WORDS
        or words[-1] in small
        or any(len(one) > 1 and one.isupper() for one in _WORD.findall(name))
    )
    return (
        _by_words(name, words)
        or ("person" if _INITIALS.match(name) else None)
        or _by_company(words, before, after, said, ordinary)
        or (UNKNOWN_KIND if said is None else said)
    )


def kind_of_title(title: str) -> str:
    """The kind that a document's title tells in brackets: "Emma (novel)"."""
    match = _HINT.search(title)
    if match is None:
        return UNKNOWN_KIND
    for word in reversed(_WORD.findall(match[1].casefold())):
        if word in NOUNS:
            return NOUNS[word]
    return UNKNOWN_KIND


def is_person(words: list[str]) -> bool:
    """Whether words, folded, read as the name of a person."""
    return (
        bool(words)
        and (words[0] in GIVEN_NAMES or (len(words) > 1 and words[0] in AMBIGUOUS_NAMES))
        and len(words) <= 4
    )


def _by_words(name: str, words: list[str]) -> str | None:
    if name in PLACES:
        return "place" if words[0] not in GIVEN_NAMES else None
    if _STREET.search(name):
        return "place"
    if len(words) > 1:
        head = words[
            : next(
                (at for at, word in enumerate(words) if at and word in _HEAD_OF),
                len(words),
            )
        ]
        if head[-1] in ENDINGS and not (len(head) == 2 and head[0] in GIVEN_NAMES and head[-1] in _SURNAMES):
            return ENDINGS[head[-1]]
        if len(head) < len(words) and head[0] in BEGINNINGS:
            return BEGINNINGS[head[0]]
        if words[-1] in ENDINGS and words[-1] not in _SURNAMES:
            return ENDINGS[words[-1]]
        if words[0] in BEGINNINGS:
            return BEGINNINGS[words[0]]
        if name.partition(" ")[2] in PLACES and words[0] in _SIDES:
            return "place"
        if words[0] in NOBLE:
            return "person"
    return None


_SURNAMES = frozenset(all_listed("kinds", "surnames"))
_SIDES = frozenset(all_listed("kinds", "sides"))


def _by_company(words: list[str], before: str, after: str, said: str, ordinary: bool) -> str | None:
    last = _LAST.search(before)
    word = last[1].casefold() if last else ""
    if word in TITLES or word.rstrip(".") in TITLES or (word in GROUP_OF and _MINE.search(_NO_WORD.split(before)[-1])):
        return "person"
    listed = _LISTED_BEFORE.search(before) or _AND_NEXT.match(after)
    if listed and listed[1] in PLACES and len(words) == 1:
        return "place"
    employs = _EMPLOYS.search(before) or _EMPLOYED.match(after)
    if (
        employs
        and words[0] not in GIVEN_NAMES
        and words[0] not in AMBIGUOUS_NAMES
        and " ".join(words).title() not in PLACES
    ):
        return "organization"
    if is_person(words) and said != "animal" and not (_AT.search(before) and " ".join(words).title() in PLACES):
        return "person"
    if said != UNKNOWN_KIND:
        return said
    if _BORN.match(after) or _BY.search(before) or (_SPEAKS.match(after) and not _THE.search(before)):
        return "person"
    joined = _AND_PLACE.match(after)
    if joined and joined[1] in PLACES:
        return "place"
    if _AT.search(before) and len(words) <= 3 and not after.startswith(("'s ", "’s ")):  # in Mira's flat
        return "place"
    plain = (
        not ordinary
        and 2 <= len(words) <= 3
        and not _THE.search(before)
        and all(len(one) > 1 for one in words)
        and words[0] not in NATIONALITIES
        and not words[0].endswith(("'s", "’s"))  # somebody's thing
    )
    return "person" if plain or _INITIAL.match(" ".join(words)) else None


def _said_of(before: str, after: str) -> str:
    """The kind that a noun before the name tells, or what the name is said to be."""
    last = _LAST.search(before)
    if last and last[1].casefold() in NOUNS and last[1][0].islower():
        return NOUNS[last[1].casefold()]
    if last and last[1] in _NOUN_OF:
        noun = _LAST.search(before[: last.start()])
        if noun and NOUNS.get(noun[1]) == "place":
            return "place"
    if _NAMED.search(before):
        for word in reversed(_WORD.findall(before.rpartition(". ")[2].casefold())[:-1]):
            if word in NOUNS:
                return NOUNS[word]
    match = _IS.match(after)
    if match:
        what = _OF.split(match["what"], maxsplit=1)[0]
        for word in reversed(_WORD.findall(what.casefold())):
            if word in NOUNS:
                return NOUNS[word]
    return UNKNOWN_KIND
