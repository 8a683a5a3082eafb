"""The parts of a statement between commas, points, "and" and "because", and what each of them tells of. Pure.

"Theo sold his Volvo and doesn't own a car any more" → sold, Volvo | denied, own, car
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.language.detection import stem
from engine.statements.claim import is_of
from engine.statements.mood import is_large_name, plain_speech, without_assurance
from engine.statements.rules import EventWords, LanguageRules, event_words_of, rules_of
from engine.statements.tokens import PUNCTUATION, Match, WordToken, tokens_of
from engine.statements.values import TIME, number_of, with_times

CONCEPT = "#"
"""What a topic begins with that is no stem but a thing for which there are several words."""
_NO_EVENTS = frozenset(
    "idle occasion person past_ending title one idiom purpose young gendered just insignia attending another_one"
    " one_of taken_up again goes_on not_given_up relative workplace".split()
)
"""Lists of words that are looked up one by one; an idiom has the word for an event and tells of none: "dropped the dog off"."""
_DOUBTS = ("supposed", "wished", "hearsay", "reported", "denied", "taken_back", "confirmed")
_JOINS = ("and", "but", "because")
_IDLE = (
    *_JOINS,
    "article",
    "pronoun",
    "auxiliary",
    "of",
    "value_end",
    "filler",
    "change",
    "is",
    "was",
    "helping",
    "negation",
)


@dataclass(frozen=True, slots=True)
class Part:
    """`topics`: by the place of a token, what it speaks of; `events`: what it tells of; `numbers`: digits by place; `large`: by
    place the words with capitals that do not begin the sentence and are not the subject."""

    tokens: tuple[WordToken, ...]
    topics: Mapping[int, str]
    events: Mapping[str, Match]
    numbers: Mapping[int, str]
    times: tuple[str, ...]
    large: Mapping[int, str]
    negations: frozenset[int]
    doubtful: bool
    temporary: bool
    now: bool
    own: bool
    """Whether the subject is named."""

    def denies(self, event: str) -> bool:
        """Whether it says that this did not happen."""
        matched = self.events.get(event)
        return any(
            matched is None or not matched.start <= one < matched.end or one in matched.skipped
            for one in self.negations
        )

    def matter(self, *events: str) -> dict[int, str]:
        """What it speaks of beside the words for these events."""
        matched = [self.events[one] for one in events if one in self.events]
        gone = {place for one in matched for place in range(one.start, one.end)} - {
            place for one in matched for place in one.skipped
        }
        return {place: topic for place, topic in self.topics.items() if place not in gone}


@dataclass(frozen=True, slots=True)
class StatementParts:
    """A statement as its parts. `words`: all of them, folded, with numbers in digits."""

    parts: tuple[Part, ...]
    tokens: tuple[WordToken, ...]
    words: frozenset[str]
    topics: frozenset[str]
    large: frozenset[str]
    numbers: tuple[str, ...]
    times: tuple[str, ...]
    events: frozenset[str]


@lru_cache(maxsize=4096)
def parts_of(said: str, subject: str, code: str) -> StatementParts:
    """A text about a subject in its parts."""
    rules, words = rules_of(code), event_words_of(code)
    own = frozenset(one.word for one in tokens_of(subject, {})) | frozenset(subject.casefold().split())
    tokens = without_assurance(plain_speech(tokens_of(said, rules.contractions), rules), own, rules)
    spoken = with_times(tokens, rules)
    parts = tuple(_part(one, own, rules, words, first) for one, first in _split(spoken, rules, words) if one)
    return StatementParts(
        parts, tuple(spoken),
        frozenset(number_of(word, rules) or word for one in spoken for word in [*one.text.casefold().split(), one.word]),
        frozenset(topic for one in parts for topic in one.topics.values()),
        frozenset(word for one in parts for word in one.large.values()),
        tuple(number for one in parts for number in one.numbers.values()),
        tuple(time for one in parts for time in one.times),
        frozenset(event for one in parts for event in one.events),
    )  # fmt: skip


def _split(tokens: Sequence[WordToken], rules: LanguageRules, words: EventWords) -> list[tuple[list[WordToken], bool]]:
    """The tokens of each part, and whether it begins a sentence."""
    found: list[tuple[list[WordToken], bool]] = [([], True)]
    reasons = {one.start for one in rules.signs.longest(tokens, ("reason",))}
    for place, one in enumerate(tokens):
        large = place + 1 < len(tokens) and tokens[place + 1].large and not rules.large_nouns
        joins = rules.has("and", one.word) and large and bool(found[-1][0]) and found[-1][0][-1].large
        behind = place + 1 < len(tokens) and tokens[place + 1].large
        joins |= rules.has("as_role", one.word) and behind  # "als Trainer"
        breaks = one.word in PUNCTUATION or (any(rules.has(kind, one.word) for kind in _JOINS) and not joins)
        abbreviation = one.word == "." and place and words.has("title", tokens[place - 1].word)
        if place in reasons and found[-1][0]:
            found.append(([], False))
        if breaks and not abbreviation:
            found.append(([one] if one.word not in PUNCTUATION else [], one.word in ".!?"))  # "wenn" is a doubt
        elif one.word != ".":
            found[-1][0].append(one)
    return found


def _part(
    tokens: Sequence[WordToken], own: frozenset[str], rules: LanguageRules, words: EventWords, first: bool
) -> Part:
    events = _events(tokens, rules, words)
    concepts = {one.end - 1: one for one in words.concepts.longest(tokens, tuple(words.concepts.meanings()))}
    inside = {place for one in concepts.values() for place in range(one.start, one.end) if place not in one.skipped}
    topics, numbers, large = dict[int, str](), dict[int, str](), dict[int, str]()
    for place, one in enumerate(tokens):
        mine = is_of(one.word, own) and (len(own) < 2 or one.large)  # "the coffee", of Coffee House
        if place in concepts:
            topics[place] = CONCEPT + concepts[place].meaning
        number = number_of(one.word, rules) or words.numbers.get(one.word)
        if one.word == TIME or one.word in ("'s", "'") or mine:
            continue
        if number is not None and not rules.has("article", one.word):
            numbers[place] = number
        elif one.text[:1].isupper() and (place or not first or rules.large_nouns) and not words.has("title", one.word):
            large[place] = one.word
        idle = any(rules.has(kind, one.word) for kind in _IDLE) or words.has("idle", one.word)
        if place not in inside and place not in numbers and not idle and len(one.word) > 1:
            root = stem(one.word, rules.code)
            topics[place] = CONCEPT + words.stems[root] if root in words.stems else root
    negations = frozenset(one.start for one in rules.signs.longest(tokens, ("negation",)))
    return Part(
        tuple(tokens), topics, events, numbers, tuple(one.text.casefold() for one in tokens if one.word == TIME), large,
        negations | ({events["negation"].start} if "negation" in events else frozenset()),
        _doubtful(tokens, events, rules, words),
        any(True for _ in rules.signs.longest(tokens, ("temporary", "past"))),
        "now" in events, any(is_of(one.word, own) for one in tokens),
    )  # fmt: skip


def _events(tokens: Sequence[WordToken], rules: LanguageRules, words: EventWords) -> dict[str, Match]:
    """What a part tells of, by the first phrase for it."""
    events: dict[str, Match] = {}
    kinds = [kind for kind in words.signs.meanings() if kind not in _NO_EVENTS]
    no_events = (*words.signs.longest(tokens, ("idiom",)), *rules.signs.longest(tokens, ("pause",)))
    others = {place for one in no_events for place in range(one.start, one.end)}
    for kind in kinds:
        for one in (*words.signs.longest(tokens, (kind,)), *_beside_filler(tokens, kind, rules, words)):
            if others.isdisjoint({*range(one.start, one.end)} - {*one.skipped}):
                events.setdefault(kind, one)
    if (wrong := events.get("wrong")) and (wrong.start, wrong.end) == (0, len(tokens)):
        events["slip"] = wrong  # "that is wrong, he comes at 3"
    return events


def _doubtful(
    tokens: Sequence[WordToken], events: Mapping[str, Match], rules: LanguageRules, words: EventWords
) -> bool:
    """Whether a part is said as supposed, wished or heard; "the bank would not lend" is not."""
    signs = {kind: [one for one in rules.signs.longest(tokens, (kind,))] for kind in _DOUBTS}
    if "slip" in events:
        signs |= {"denied": [], "taken_back": []}
    doubts = [
        one for kind in _DOUBTS for one in signs[kind]
        if not is_large_name(tokens, one, rules)
        and not any(refusal.start <= one.start < refusal.end for refusal in words.signs.longest(tokens, ("refusal",)))
    ]  # fmt: skip
    return bool(doubts) or "hedge" in events


def _beside_filler(tokens: Sequence[WordToken], kind: str, rules: LanguageRules, words: EventWords) -> list[Match]:
    """Phrases that a word as "unfortunately" stands in: "fällt leider ins Wasser"."""
    kept = [place for place, one in enumerate(tokens) if not rules.has("filler", one.word)]
    if len(kept) == len(tokens):
        return []
    found = []
    for match in words.signs.longest([tokens[place] for place in kept], (kind,)):
        start, end = kept[match.start], kept[match.end - 1] + 1
        skipped = {place for place in range(start, end) if place not in kept}
        skipped |= {kept[place] for place in match.skipped}
        found.append(Match(match.meaning, start, end, None, tuple(sorted(skipped))))
    return found


def akin(one: str, other: str) -> bool:
    """Whether two topics are the same, or words of one root: "camper", "camping"."""
    if one == other or CONCEPT in (one[:1], other[:1]):
        return one == other
    shared = next(
        (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other))
    )
    return shared >= 4 and shared >= 0.6 * max(len(one), len(other)) and not re.search(r"\d", one + other)
