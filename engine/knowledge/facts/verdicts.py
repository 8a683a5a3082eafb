"""What one statement does to another about the same subject: it says the same, gives a new value, ends it, or nothing. Pure.

Without a model the texts are compared: negation, numbers and dates, proper names, the attribute that they speak of, and the
rest of their words. A doubt leaves both as they are: two different facts about one person do not replace each other.
    attribute   what has one value at a time: where somebody lives, "X's favourite colour", a deadline
    bearer      whose attribute it is; of two bearers neither statement says anything of the other
    value       numbers, dates and names; of an attribute all that stands behind it
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from engine.domain.dates import dates_in
from engine.domain.fact import FactRelation
from engine.domain.terms import words

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
_POSSESSED = re.compile(rf"^(?P<bearer>.{{1,60}}?){_OF}", re.IGNORECASE)
_THE = re.compile(
    r"^(?:the|my|his|her|their|our)\s+(?P<key>[\w -]{2,40}?)\s+(?:of\s+(?P<bearer>.{1,60}?)\s+)?(?:is|are|was|were|will be)"
    r"\s+(?P<value>.+)",
    re.IGNORECASE,
)
_NAMED = r"(?P<value>(?:the\s+)?(?:\d+\w?\s+)?(?-i:[^\W\d_a-z]).*)"
"""A value that begins as a name or an address does: no home is "in trouble"."""
_SINGLE = tuple(
    (key, re.compile(pattern, re.IGNORECASE))
    for key, pattern in (
        ("home", rf"\b(?:moved|relocated)\s+from\s+.+?\s+to\s+{_NAMED}"),
        ("home", rf"\b(?:moved|relocated|moves|is moving)\s+to\s+{_NAMED}"),
        (
            "home",
            rf"\b(?:lives?|living|resides?|residing|based|settled|has lived|have lived)\s+(?:in|at|on)\s+{_NAMED}",
        ),
        ("employer", rf"\b(?:works?|working|has worked|have worked|job)\s+(?:at|for)\s+{_NAMED}"),
        ("employer", rf"\bemployed\s+(?:at|by|with)\s+{_NAMED}"),
        ("profession", r"\b(?:works?|working)\s+as\s+(?P<value>.+)"),
        ("spouse", r"\b(?:is|got|are)\s+married\s+to\s+(?P<value>.+)"),
        ("age", r"\bis\s+(?P<value>\d{1,3})\s+years?\s+old\b"),
        ("birth date", r"\b(?:was\s+)?born\s+on\s+(?P<value>.+)"),
        ("birth place", rf"\b(?:was\s+)?born\s+(?:in|at)\s+{_NAMED}"),
        ("weight", r"\bweighs\s+(?P<value>.+)"),
        ("price", r"\bcosts\s+(?P<value>.+)"),
    )
)
_ONE_VALUE = frozenset(
    words(
        "name surname nickname birthday birthplace age height weight size address email phone number password code hometown home"
        " employer boss job profession occupation title position role salary income wife husband spouse favourite favorite price"
        " cost rent budget deadline due status version capital population nationality gender colour color timezone"
    )
)
"""Attributes of which one value holds at a time; "X's sister" or "X's hobby" may have several."""
_PLAIN = frozenset(
    "a an the and he she it they i we you is are has have had been be just recently currently now still since in on at of"
    " to last this next year month week my his her their our monday tuesday wednesday thursday friday saturday sunday january"
    " february march april may june july august september october november december".split()
)
"""Words before an attribute that say nothing of whose it is."""
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
    single: bool
    """Whether the attribute has one value at a time."""
    bearer: frozenset[str]
    """Words that say whose attribute it is where it is not the subject's own: "sister" of "Dave's sister lives in Rome"."""
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
    bare = _bare(plain)
    found = frozenset(_COUNTS.get(word, word) for word in words(bare)) - own
    numbers = frozenset(_NUMBER.findall(plain)) | (found & frozenset(_COUNTS.values()))
    dates = frozenset(dates_in(plain, said_at))
    names = frozenset(word for name in _NAME.findall(plain) for word in words(name)) - own
    key, single, bearer, value = _attribute(" ".join(bare.split()), own)
    replaced = _REPLACES.search(plain) if _SWITCHES.search(plain) else None
    gone = frozenset(words(replaced["old"])) - own if replaced else frozenset[str]()
    given = frozenset(words(replaced["new"])) if replaced and replaced["new"] else frozenset[str]()
    negated = bool(_NEGATION.search(plain)) and not given
    kept = value - gone if given else value
    return Statement(_folded(plain), found, negated, numbers, dates, names, key, single, bearer, kept, gone)


@dataclass(frozen=True, slots=True)
class AttributeSaid:
    """An attribute as a text names it: its key, the words for it, whether it has one value at a time, the text of the value."""

    key: str
    label: str
    single: bool
    value: str


def attribute_said(text: str, subject: str) -> AttributeSaid | None:
    """The attribute that a text about that subject gives the value of."""
    own = frozenset(words(subject))
    bare = " ".join(_bare(" ".join(text[:LONGEST].split()).strip(" .!")).split())
    key, single, *_ = _attribute(bare, own)
    if not key:
        return None
    for name, pattern in _SINGLE:
        if found := pattern.search(bare):
            return AttributeSaid(key, name, single, found["value"])
    found = _POSSESSED.match(bare) or _THE.match(bare)
    return AttributeSaid(key, found["key"].casefold(), single, found["value"]) if found else None


def _bare(text: str) -> str:
    """Without negation, and without words for now and still."""
    return _MARKS.sub(" ", _NEGATION.sub(" ", text))


def _attribute(text: str, subject: frozenset[str]) -> tuple[str, bool, frozenset[str], frozenset[str]]:
    """The attribute that a text gives the value of, whether it has one value at a time, whose it is, and the value's words."""
    for key, pattern in _SINGLE:
        if found := pattern.search(text):
            return key, True, _bearer(text[: found.start()], subject), _value(found["value"])
    for pattern in (_POSSESSED, _THE):
        if found := pattern.match(text):
            name = set(words(found["key"])) - subject
            bearer = _bearer(found["bearer"] or "", subject)
            return " ".join(sorted(name)), bool(name & _ONE_VALUE), bearer, _value(found["value"])
    return "", False, frozenset(), frozenset()


def _bearer(text: str, subject: frozenset[str]) -> frozenset[str]:
    said = re.findall(r"[^\W\d_]+", re.sub(r"['’]s\b", "", text.casefold()))
    return frozenset(word for word in said if word not in _PLAIN and not subject & set(words(word)))


def _value(text: str) -> frozenset[str]:
    return frozenset(_COUNTS.get(word, word) for word in words(_WHEN.sub("", text)))


def relation(older: Statement, newer: Statement, likeness: float | None, threshold: float) -> FactRelation:
    """What the newer statement does to the older one, which are about one subject. `likeness`: of their meanings, None where
    it is not known."""
    if older.text == newer.text:
        return "same"
    near = likeness is not None and likeness >= threshold
    if older.attribute and older.attribute == newer.attribute:
        if older.bearer != newer.bearer:
            return "none"
        like = near and older.names == newer.names
        return _of_attribute(older, newer) if older.single or newer.negated or like else "none"
    if newer.replaced and newer.replaced & (older.words | older.value):
        return (
            "ends"
            if newer.negated and newer.core >= older.core - newer.replaced
            else _replacing(older, newer, near=near)
        )
    if older.attribute or newer.attribute or not near:
        return "none"
    return _of_words(older, newer)


def believed(told: FactRelation, older: Statement, newer: Statement) -> FactRelation:
    """A model's verdict. What says the same is not stored again: what has other numbers, dates or names is no such thing."""
    return "none" if told == "same" and not _values(newer) <= _values(older) else told


def _of_attribute(older: Statement, newer: Statement) -> FactRelation:
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


def _replacing(older: Statement, newer: Statement, *, near: bool) -> FactRelation:
    """A statement that names what it replaces; the matter has to be the same one."""
    return "changes" if near or newer.core & (older.core - newer.replaced) else "none"


def _of_words(older: Statement, newer: Statement) -> FactRelation:
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
