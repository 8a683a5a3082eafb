"""A claim, the clause in which it is looked for, and whose the attribute is. Pure.

bearer   whose attribute it is, where it is not the subject's own: "sister" of "Dave's sister lives in Rome", "ticket 4411"
value    the words behind the phrase, up to a date, a reason or another clause
firm     whether the value is surely of the attribute's kind: a place for a home
polarity what the negations of a statement reach: the verb behind them, and no more. "didn't stop working" denies twice, so it
         holds; "without", "not only" and "not in Y" behind the value deny their own words
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from engine.statements.rules import LanguageRules, One, Values
from engine.statements.tokens import PUNCTUATION, WordToken
from engine.statements.values import TIME

MOST_TOKENS = 10_000
"""More tokens than a statement has."""
Form = Literal["holds", "begins", "moves", "swaps", "ends", "leaves", "over", "past", "planned"]
"""`moves`: begins, in the place of another ("was transferred to"); `swaps`: the same, and names the other ("left … for");
`leaves`: ends, where it says no more ("left Acme"); `over`: ends whatever the value is ("got divorced")."""
_PLAIN = ("pronoun", "article", "auxiliary", "of", "is", "was", "new", "filler", "change", "planned", "reported", "to")
"""Words before an attribute that say nothing of whose it is."""
DATED = frozenset(("date", "departure", "start", "end"))
"""Attributes whose value is a date."""


@dataclass(frozen=True, slots=True)
class Polarity:
    """The places of negations among all tokens. `over`: those that say that something held before; `breaks`: where another clause
    begins."""

    negations: Mapping[int, bool]
    """By place: whether it says that it is over."""
    breaks: frozenset[int]
    commas: frozenset[int]
    ended: bool
    """Whether a word as "anymore" stands there."""

    def denies(self, place: int) -> bool:
        """Whether a token is a negation."""
        return place in self.negations

    def between(self, place: int, other: int) -> bool:
        """Whether a negation stands between two tokens."""
        return any(one in self.negations for one in range(place + 1, other))

    def at(
        self, places: Sequence[int], tokens: Sequence[WordToken], start: int, verb_end: int, value_end: int
    ) -> tuple[bool, bool]:
        """Whether what stands there holds, and whether it is said to be over."""
        first, last = places[start], places[verb_end - 1] + 1
        if verb_end < len(places):
            last = places[verb_end]
        begin = max((one + 1 for one in self.breaks if one < first), default=0)
        stops = any(over and begin <= one < first for one, over in self.negations.items())
        if not stops:  # "stopped, nevertheless, working": an infinitive behind a comma belongs to what stands before it
            begin = max((one + 1 for one in self.commas if begin <= one < first), default=begin)
        reached = [one for one in self.negations if begin <= one < last]
        if value_end >= len(tokens) or tokens[value_end].word in ",.;!?":  # "arbeitet bei Acme nicht mehr"
            begin, last = places[value_end - 1] + 1, places[value_end] if value_end < len(places) else MOST_TOKENS
            reached += [one for one in self.negations if begin <= one < last]
        positive = len(reached) % 2 == 0
        return positive, not positive and (self.ended or any(self.negations[one] for one in reached))


def polarity_of(
    tokens: Sequence[WordToken], taken: frozenset[int], rules: LanguageRules
) -> tuple[Polarity, frozenset[int]]:
    """The negations of a statement, and all tokens that belong to them. `taken`: tokens that mean something else."""
    negations: dict[int, bool] = {}
    used = set[int]()
    for kind in ("denied_aside", "over", "stop", "negation"):
        for match in rules.signs.longest(tokens, (kind,)):
            ends = set(range(match.start, match.end)) - set(match.skipped)  # not what stands between "not … anymore"
            names = kind == "stop" and match.end < len(tokens) and tokens[match.end].large and not rules.large_nouns
            if names or taken.intersection(ends) or used.intersection(ends):  # "quit Acme" gives up a job, no habit
                continue
            used.update(ends)
            if kind != "denied_aside":
                negations[match.start] = kind in ("over", "stop")
    breaks = {
        place for place, one in enumerate(tokens)
        if one.word == ";" or any(rules.has(kind, one.word) for kind in ("but", "because", "and"))
    }  # fmt: skip
    commas = frozenset(place for place, one in enumerate(tokens) if one.word == ",")
    ended = any(rules.has("over_sign", one.word) for one in tokens)
    return Polarity(negations, frozenset(breaks), commas, ended), frozenset(used)


@dataclass(frozen=True, slots=True)
class Claim:
    """An attribute with its value. `positive`: whether it says that the value holds; `over`: that it did and no longer does;
    `old`: what it says to be replaced; `kind`: of the value as it stands there."""

    key: str
    label: str
    one: One
    kind: Values
    form: Form
    bearer: frozenset[str]
    value: frozenset[str]
    shown: str
    firm: bool
    positive: bool
    over: bool
    old: frozenset[str]
    start: int
    end: int
    words: frozenset[str] = frozenset()
    """The words that say it, with those of the value."""


@dataclass(frozen=True, slots=True)
class Clause:
    """The tokens that claims are looked for in, without negation and words that say nothing of the attribute."""

    tokens: Sequence[WordToken]
    places: Sequence[int]
    """Where each stands among all tokens of the statement."""
    subject: frozenset[str]
    rules: LanguageRules
    polarity: Polarity
    left: frozenset[str] = frozenset()
    """What is said before it to have been so for a time: "after six years at Acme"."""

    def begin(self, place: int) -> int:
        """Where the clause begins that a token stands in."""
        breaks = ("but", "because", "and")
        while place > 0:
            one = self.tokens[place - 1]
            if one.word in (";", ",", ".", ":") or any(self.rules.has(kind, one.word) for kind in breaks):
                break
            place -= 1
        return place


def words_in(shown: Sequence[WordToken], clause: Clause) -> frozenset[str]:
    """The words of a value, numbers in digits."""
    rules = clause.rules
    found = {one.word for one in shown[1:] if len(one.text) == 1 and one.text.isupper()}  # "group A"
    letters = frozenset(found)
    for one in shown:
        said = one.text.casefold().split() if one.word == TIME else [one.word]
        found |= {rules.numbers.get(word, word) for word in said}
    return frozenset(
        word
        for word in found
        if (word in letters or not rules.has("article", word)) and word not in PUNCTUATION and word != "'s"
    )


def words_of(tokens: Sequence[WordToken]) -> frozenset[str]:
    """The words of tokens as they are."""
    return frozenset(one.word for one in tokens)


def shown_as(shown: Sequence[WordToken]) -> str:
    """The text of a value."""
    return " ".join(one.text for one in shown)


def is_of(word: str, subject: frozenset[str]) -> bool:
    """Whether a word names the subject, also with the s of a genitive."""
    return word in subject or (word.endswith("s") and word[:-1] in subject)


def bearer_of(clause: Clause, end: int) -> frozenset[str]:
    """Words before an attribute that say whose it is."""
    begin = clause.begin(end)
    joined = begin > 1 and clause.rules.has("and", clause.tokens[begin - 1].word)
    if joined and is_of(clause.tokens[begin - 2].word, clause.subject):  # "Ann and Ben live in Rome", said of Ann
        return frozenset()
    return bearing(clause.tokens[begin:end], clause)


def bearing(tokens: Sequence[WordToken], clause: Clause) -> frozenset[str]:
    """The words that say whose an attribute is, of those that stand before it."""
    rules = clause.rules
    said = [
        rules.numbers.get(one.word, one.word)
        for one in tokens
        if not is_of(one.word, clause.subject)
        and one.word not in PUNCTUATION
        and one.word not in (TIME, "'s")
        and not any(rules.has(kind, one.word) for kind in _PLAIN)
    ]
    for one, follows in pairwise(tokens):  # "the Tuesday meeting", not "on Tuesday Ann"
        plain = is_of(follows.word, clause.subject) or any(rules.has(kind, follows.word) for kind in _PLAIN)
        if one.word == TIME and not plain and follows.word not in PUNCTUATION and follows.word != TIME:
            said += one.text.casefold().split()
    return frozenset(said)
