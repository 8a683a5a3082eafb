"""What one statement does to another about the same subject: it says the same, gives a new value, ends it, or nothing. Pure.

Without a model the texts are compared: negation, numbers and dates, proper names, the attribute that they speak of, and the
rest of their words. A doubt leaves both as they are: two different facts about one person do not replace each other.
    attribute   what has one value at a time: where somebody lives, "X's favourite colour", a deadline
    value       numbers, dates and names; of an attribute all that stands behind it
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Literal

from engine.domain.dates import dates_in
from engine.domain.terms import words

Relation = Literal["none", "same", "changes", "ends"]
"""What a newer statement does to an older one."""
LONGEST = 2000
"""Characters of a statement that are compared."""

_NEGATION = re.compile(
    r"\b(?:not|never|no longer|no more|nobody|cannot|without|stopped|quit|gave up|ceased|isn't|aren't|wasn't|weren't|doesn't"
    r"|don't|didn't|hasn't|haven't|hadn't|won't|can't|couldn't|any ?more)\b",
    re.IGNORECASE,
)
_MARKS = re.compile(
    r"\b(?:now|currently|still|again|as of|these days|today|at present|anymore|any more|already)\b", re.I
)
_REPLACES = re.compile(
    r"\b(?:instead of|rather than|from|no longer|not)\s+(?P<old>[^,.;]+?)(?:\s+(?:to|but|into)\s+(?P<new>[^,.;]+)|[,.;]|$)",
    re.I,
)
_SWITCHES = re.compile(r"\b(?:switched|changed|instead of|rather than|no longer|moved)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_COUNTS = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[^\W\d_a-z][\w'’&-]*")
_OF = r"(?:'s|’s|s'|s’)\s+(?P<key>[\w -]{2,40}?)\s+(?:is|are|was|were|will be|became|=|:)\s+(?P<value>.+)"
_POSSESSED = re.compile(rf"^.{{1,60}}?{_OF}", re.IGNORECASE)
_THE = re.compile(
    r"^(?:the|my|his|her|their|our)\s+(?P<key>[\w -]{2,40}?)\s+(?:of\s+.{1,60}?\s+)?(?:is|are|was|were|will be)\s+(?P<value>.+)",
    re.IGNORECASE,
)
_SINGLE = tuple(
    (key, re.compile(pattern, re.IGNORECASE))
    for key, pattern in (
        (
            "home",
            r"\b(?:lives?|living|lived|resides?|residing|based|moved|relocated|settled)\s+(?:in|at|to|on)\s+(?P<value>.+)",
        ),
        ("home", r"\b(?:moved|relocated)\s+from\s+.+?\s+to\s+(?P<value>.+)"),
        (
            "employer",
            r"\b(?:works?|working|worked|employed|job)\s+(?:now\s+)?(?:at|for|by|with)\s+(?P<value>.+)",
        ),
        ("profession", r"\b(?:works?|working|worked)\s+as\s+(?P<value>.+)"),
        ("spouse", r"\b(?:is|was|got|are)\s+(?:now\s+)?married\s+to\s+(?P<value>.+)"),
        ("age", r"\bis\s+(?:now\s+)?(?P<value>\d{1,3})\s+years?\s+old\b"),
        ("birth", r"\bwas\s+born\s+(?:on|in|at)\s+(?P<value>.+)"),
        ("weight", r"\bweighs\s+(?P<value>.+)"),
        ("price", r"\bcosts\s+(?P<value>.+)"),
    )
)
_WHEN = re.compile(
    r"(?<=\w)[\s,]+(?:(?:since|on|as of|last|this|next|until|after|before|because|with|for)\b|in (?:\d|[A-Z][a-z]+ \d)).*$"
)
"""When and why a value holds: no part of it."""
_SCHEDULED = frozenset(
    words(
        "deadline appointment meeting flight due scheduled departure arrival exam interview expires starts ends begins"
    )
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A text as it is compared. `attribute` is empty where none is known; `value`: its words."""

    text: str
    words: frozenset[str]
    negated: bool
    numbers: frozenset[str]
    dates: frozenset[str]
    names: frozenset[str]
    attribute: str
    value: frozenset[str]
    replaced: frozenset[str]
    """Words that it says to be replaced: "tea" of "switched from tea to coffee"."""

    @property
    def core(self) -> frozenset[str]:
        """Its words without values."""
        return self.words - self.names - self.numbers


def statement(text: str, subject: str, said_at: datetime | None = None) -> Statement:
    """A text about that subject, taken apart."""
    return _statement(text[:LONGEST], subject, said_at)


@lru_cache(maxsize=4096)
def _statement(text: str, subject: str, said_at: datetime | None) -> Statement:
    plain = " ".join(text.split()).strip(" .!")
    own = frozenset(words(subject))
    bare = _MARKS.sub(" ", _NEGATION.sub(" ", plain))
    found = frozenset(_COUNTS.get(word, word) for word in words(bare)) - own
    numbers = frozenset(_NUMBER.findall(plain)) | (found & frozenset(_COUNTS.values()))
    dates = frozenset(dates_in(plain, said_at))
    names = frozenset(word for name in _NAME.findall(plain) for word in words(name)) - own
    key, value = _attribute(" ".join(bare.split()), own)
    replaced = _REPLACES.search(plain) if _SWITCHES.search(plain) else None
    gone = frozenset(words(replaced["old"])) - own if replaced else frozenset[str]()
    given = frozenset(words(replaced["new"])) if replaced and replaced["new"] else frozenset[str]()
    negated = bool(_NEGATION.search(plain)) and not given
    return Statement(_folded(plain), found, negated, numbers, dates, names, key, value - gone if given else value, gone)


def _attribute(text: str, subject: frozenset[str]) -> tuple[str, frozenset[str]]:
    """The attribute that a text gives the value of, and the words of that value."""
    for key, pattern in _SINGLE:
        if found := pattern.search(text):
            return key, _value(found["value"])
    for pattern in (_POSSESSED, _THE):
        if found := pattern.match(text):
            name = " ".join(sorted(set(words(found["key"])) - subject))
            return name, _value(found["value"])
    return "", frozenset()


def _value(text: str) -> frozenset[str]:
    return frozenset(_COUNTS.get(word, word) for word in words(_WHEN.sub("", text)))


def relation(older: Statement, newer: Statement, likeness: float | None, threshold: float) -> Relation:
    """What the newer statement does to the older one, which are about one subject. `likeness`: of their meanings, None where
    it is not known."""
    if older.text == newer.text:
        return "same"
    near = likeness is not None and likeness >= threshold
    if older.attribute and older.attribute == newer.attribute:
        return _of_attribute(older, newer)
    if newer.replaced and newer.replaced & (older.words | older.value):
        return (
            "ends"
            if newer.negated and newer.core >= older.core - newer.replaced
            else _replacing(older, newer, near=near)
        )
    if older.attribute or newer.attribute or not near:
        return "none"
    return _of_words(older, newer)


def _of_attribute(older: Statement, newer: Statement) -> Relation:
    same = older.value == newer.value
    if newer.negated and not older.negated:
        return "ends" if not newer.value or newer.value & older.value else "none"
    if older.negated and not newer.negated:
        return "changes"
    if same:
        return "same"
    if newer.negated:  # neither of two values, side by side
        return "none"
    return "same" if newer.value < older.value else "changes"  # less exact, or another one


def _replacing(older: Statement, newer: Statement, *, near: bool) -> Relation:
    """A statement that names what it replaces; the matter has to be the same one."""
    return "changes" if near or newer.core & (older.core - newer.replaced) else "none"


def _of_words(older: Statement, newer: Statement) -> Relation:
    """Statements of like meaning without a known attribute."""
    if _values(older) == _values(newer):
        if older.negated != newer.negated:
            alike = older.core == newer.core or _within(newer.core, older.core)
            return ("ends" if newer.negated else "changes") if alike else "none"
        if newer.words <= older.words:
            return "same"
        return "changes" if newer.words > older.words and not newer.negated else "none"
    if older.negated != newer.negated or older.core != newer.core or older.names != newer.names:
        extends = newer.words > older.words and _values(older) < _values(newer) and older.negated == newer.negated
        return "changes" if extends and not older.dates else "none"
    if older.dates != newer.dates:
        return "changes" if newer.core & _SCHEDULED else "none"
    counted = older.numbers and newer.numbers
    return "changes" if counted else "none"


def _within(some: Iterable[str], all_of: frozenset[str]) -> bool:
    return all_of.issuperset(some)


def _values(one: Statement) -> frozenset[str]:
    return one.numbers | one.dates | one.names


def _folded(text: str) -> str:
    return " ".join(re.sub(r"[^\w]+", " ", text.casefold()).split())
