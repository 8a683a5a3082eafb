"""A claim, the clause in which it is looked for, and whose the attribute is; and the frame of a statement: its words without
dates, negation and subject, in order, with its numbers, and what it says to be replaced by what. Pure.

bearer   whose attribute it is, where it is not the subject's own: "sister" of "Dave's sister lives in Rome", "ticket 4411"
value    the words behind the phrase, up to a date, a reason or another clause
firm     whether the value is surely of the attribute's kind: a place for a home
polarity what the negations of a statement reach: the verb behind them, and no more. "didn't stop working" denies twice, so it
         holds; "without", "not only" and "not in Y" behind the value deny their own words

A number behind its noun names a thing ("Room 12", "flight LX 318", "the second key"); another one counts ("12 disks").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from engine.language.detection import stem
from engine.language.tables import one_of
from engine.statements.rules import LanguageRules, One, Values
from engine.statements.tokens import PUNCTUATION, WordToken
from engine.statements.values import TIME, number_of

MOST_TOKENS = 10_000
"""More tokens than a statement has."""
Form = Literal["holds", "begins", "moves", "swaps", "ends", "leaves", "over", "past", "planned"]
"""`moves`: begins, in the place of another ("was transferred to"); `swaps`: the same, and names the other ("left … for");
`leaves`: ends, where it says no more ("left Acme"); `over`: ends whatever the value is ("got divorced")."""
_PLAIN = ("pronoun", "article", "auxiliary", "of", "is", "was", "new", "filler", "change", "planned", "reported", "to")
"""Words before an attribute that say nothing of whose it is."""
DATED = frozenset(("date", "departure", "start", "end"))
"""Attributes whose value is a date."""

PARTINGS = ("given_up", "sold", "left_group", "handed", "completed")
"""Words for giving up a habit, selling a thing, leaving a group, handing over an office, finishing a work."""
_NUMBERED = re.compile(rf"\A(?:[^\W\d_]+\W?\d|\d+(?:{one_of('dates', 'ordinal')})$)")
_OPPOSED = ("positive", "negative", "allowed", "forbidden")


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


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a frame: its place there, whether it names a thing ("Room 12"), and the word behind it."""

    place: int
    value: str
    names: bool
    unit: str


def opposed_in(
    main: Sequence[WordToken], own: frozenset[str], rules: LanguageRules
) -> tuple[dict[int, tuple[str, bool]], frozenset[int]]:
    """By place what is liked or allowed or not, and the places of these words."""
    found: dict[int, tuple[str, bool]] = {}
    taken = set[int]()
    for one in rules.signs.longest(main, _OPPOSED):
        liking = one.meaning in ("positive", "negative")
        found[one.start] = ("positive" if liking else "allowed", one.meaning in ("positive", "allowed"))
        taken.update(range(one.start, one.end))
    for place, token in enumerate(main):
        if place not in taken and token.word in rules.opposed and token.word not in own:
            found[place] = rules.opposed[token.word]
    return found, frozenset(taken)


def frame_of(
    clause: Clause, own: frozenset[str], opposed: dict[int, tuple[str, bool]], taken: frozenset[int]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Number, ...], frozenset[str]]:
    """The frame, the same words as they are, its numbers, and what is liked or allowed in it or not. `taken`: places of words of
    liking and allowing."""
    rules, tokens = clause.rules, clause.tokens
    frame: list[str] = []
    plain: list[str] = []
    numbers: list[Number] = []
    said = set[str]()
    for place, one in enumerate(tokens):
        if one.word == TIME or one.word in PUNCTUATION or one.word == "'s" or is_of(one.word, own):
            continue
        if (concept := opposed.get(clause.places[place])) is not None:
            frame.append(f"={concept[0]}")
            plain.append(one.word)
            said.add(concept[0])
            continue
        if clause.places[place] in taken:
            continue
        number = number_of(one.word, rules)
        if number is not None or re.search(r"\d", one.word) or rules.has("ordinal", one.word):
            after = tokens[place + 1].word if place + 1 < len(tokens) else ""
            numbers.append(Number(len(frame), number or one.word, names_thing(clause, place), after))
            frame.append(number or one.word)
            plain.append(one.word)
        elif not any(rules.has(kind, one.word) for kind in ("article", "pronoun", "auxiliary", "of")):
            frame.append(stem(one.word, rules.code) if rules.code else one.word)
            plain.append(one.word)
    return tuple(frame), tuple(plain), tuple(numbers), frozenset(said)


def core_of(
    clause: Clause,
    frame: tuple[str, ...],
    opposed: dict[int, tuple[str, bool]],
    taken: frozenset[int],
    own: frozenset[str],
) -> tuple[str, ...]:
    """The words of a frame up to a comma or a reason: "is no longer treasurer, though she stays a member"."""
    rules = clause.rules
    reasons = [one.start for one in rules.signs.longest(clause.tokens, ("reason",))]
    commas = [place for place, one in enumerate(clause.tokens) if one.word in (",", ";")]
    end = min((place for place in [*reasons, *commas] if place > 1), default=None)
    if end is None:
        return frame
    cut = Clause(clause.tokens[:end], clause.places[:end], clause.subject, rules, clause.polarity)
    return frame_of(cut, own, opposed, taken)[0]


def names_thing(clause: Clause, place: int) -> bool:
    """Whether a number tells a thing apart: Room 12, flight LX 318, B14, the second key; not 12 disks, 50mg."""
    one, rules = clause.tokens[place], clause.rules
    if rules.has("ordinal", one.word) or _NUMBERED.match(one.word):
        return True
    if place + 1 < len(clause.tokens) and rules.has("unit", clause.tokens[place + 1].word):
        return False
    before = clause.tokens[place - 1] if place else None
    if before is None or is_of(before.word, clause.subject):
        return place == 0 or before is not None
    if before.word == "#" or rules.has("named_number", before.word):
        return True
    return before.text[:1].isupper() and before.word != TIME and not rules.has("counting", before.word)


def replaced_in(clause: Clause) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a statement says to be replaced by what: "switched from tea to coffee", "coffee instead of tea"."""
    rules, tokens = clause.rules, clause.tokens
    instead = next(iter(rules.signs.longest(tokens, ("instead",))), None)
    if instead is not None:
        return _stems(_until(clause, instead.end), clause), ()
    swap = next((place for place, one in enumerate(tokens) if rules.has("swap", one.word)), None)
    if swap is not None and (swapped := _swapped(clause, swap)):
        return swapped
    switch = next((place for place, one in enumerate(tokens) if rules.has("switch", one.word)), None)
    start = next((place for place, one in enumerate(tokens) if rules.has("from", one.word)), None)
    if switch is None or start is None or not by_subject(clause, min(switch, start)):
        return (), ()
    old = _until(clause, start + 1)
    then = start + 1 + len(old)
    if then >= len(tokens) or not rules.has("to", tokens[then].word):
        return (), ()
    return _stems(old, clause), _stems(_until(clause, then + 1), clause)


def by_subject(clause: Clause, place: int) -> bool:
    """Whether nobody but the subject is named before a verb: not "my brother" of "my brother swapped his Fiat for a Volvo"."""
    return not bearing(clause.tokens[clause.begin(place) : place], clause)


def _swapped(clause: Clause, swap: int) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """ "replaced tea by coffee", "hat den Golf gegen einen Kia getauscht"."""
    tokens, rules = clause.tokens, clause.rules
    places = range(0 if rules.large_nouns else swap + 1, len(tokens))
    middle = next((one for one in places if rules.has("swap_for", tokens[one].word)), None)
    place = swap + 1
    if middle is not None and middle < swap:
        place = next((one + 1 for one in range(middle) if rules.has("helping", tokens[one].word)), middle)
    if not by_subject(clause, place - 1):
        return None
    while middle is not None and place < middle and rules.has("auxiliary", tokens[place].word):
        place += 1  # "traded in"
    if middle is None or middle <= place:
        return None
    return _stems(tokens[place:middle], clause), _stems(_until(clause, middle + 1), clause)


def _until(clause: Clause, place: int) -> Sequence[WordToken]:
    rules, end = clause.rules, place
    while end < len(clause.tokens) and clause.tokens[end].word not in PUNCTUATION and clause.tokens[end].word != TIME and not (
        any(rules.has(kind, clause.tokens[end].word) for kind in ("to", "because", "but", "and", "value_end"))
    ):  # fmt: skip
        end += 1
    return clause.tokens[place:end]


def _stems(tokens: Iterable[WordToken], clause: Clause) -> tuple[str, ...]:
    rules = clause.rules
    return tuple(stem(one.word, rules.code) for one in tokens if rules.code and not rules.has("article", one.word))


def matter_of(core: Iterable[str], main: Sequence[WordToken], rules: LanguageRules) -> frozenset[str]:
    """What is cancelled: the words without those for cancelling."""
    gone = [
        main[place].word
        for one in rules.signs.longest(main, ("cancelled", "done", "returned", "plan_noun"))
        for place in range(one.start, one.end)
        if place not in one.skipped
    ]
    return frozenset(core) - {stem(word, rules.code) for word in gone if rules.code}


def parted_from(core: Iterable[str], main: Sequence[WordToken], rules: LanguageRules) -> Mapping[str, frozenset[str]]:
    """What is given up, sold or left: the words without those that say so, and without what joins them ("mit")."""
    if not rules.code or next(iter(rules.signs.longest(main, ("negation", "plan_noun", "pause"))), None):
        return {}  # "never gave up smoking", "gave up the idea of a boat", "stopped for a coffee"
    joins = rules.words.get("value_end", frozenset[str]()) | rules.words.get("season", frozenset[str]())
    parted = {}
    for kind in PARTINGS:
        found = list(rules.signs.longest(main, (kind,)))
        behind = range(found[0].end if found else 0, len(main))
        then = next((place for place in behind if rules.has("and", main[place].word)), len(main))
        later = {stem(one.word, rules.code) for one in main[then:]} - {
            stem(one.word, rules.code) for one in main[:then]
        }
        said = frozenset(core) - later  # "sold the Volvo and bought a Skoda"
        gone = {main[place].word for one in found for place in range(one.start, one.end) if place not in one.skipped}
        if found and (left := said - {stem(word, rules.code) for word in gone | joins} - gone - joins):
            parted[kind] = left
    return parted
