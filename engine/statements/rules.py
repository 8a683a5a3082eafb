"""The words of each language, read once: those of attributes, those for what happens to a fact (sold, called off, handed over,
repaired); and which language a statement is in. The code has no words of its own.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from engine.language.detection import stem, stop_words
from engine.language.tables import LANGUAGES, codes, language, listed, month_numbers
from engine.naming.words import PLACES, towns
from engine.statements.tokens import Phrases, tokens_of

_DATES = ("month", "weekday", "day", "before", "which", "unit", "clock")
Values = Literal["place", "organization", "name", "number", "date", "team", "text"]
One = Literal["always", "usually", "never"]
_FORMS = ("holds", "begins", "moves", "swaps", "ends", "leaves", "over", "past", "planned", "serves", "joins", "there")
_NAMING = frozenset(
    (
        "no_place",
        "country",
        "team_word",
        "no_organization",
        "unit",
        "named_number",
        "trip",
        "span",
        "season",
        "occupation",
        "colours",
        "group_noun",
    )
)
"""Lists of nouns and names: no sign of a language."""


@dataclass(frozen=True, slots=True)
class AttributeRule:
    """What an attribute's values are, and whether one holds at a time."""

    value: Values
    one: One


@dataclass(frozen=True, slots=True)
class LanguageRules:
    """The words of one language. `words`: lists by what they show; `signs`: the same as phrases; `claims`: phrases that give an
    attribute's value, as `home.holds`; `nouns`: the attribute of a noun; `roles`: what a
    role or its office is called; `numbers`: of a word."""

    code: str
    contractions: Mapping[str, str]
    words: Mapping[str, frozenset[str]]
    signs: Phrases
    claims: Phrases
    nouns: Mapping[str, str]
    roles: Mapping[str, str]
    numbers: Mapping[str, str]
    dates: Mapping[str, frozenset[str]]
    months: Mapping[str, int]
    opposed: Mapping[str, tuple[str, bool]]
    """By word: what it speaks of, and whether it says yes: open and closed, like and hate."""
    states: Mapping[str, tuple[str, bool]]
    """The same of states of one thing of which the newer holds: on and off."""
    infinitives: Mapping[str, str]
    """The past of an infinitive, in the first person: what follows "acabo de"."""
    vocabulary: frozenset[str]
    large_nouns: bool = False
    """Whether every noun begins with a capital."""
    noun_first: bool = False
    """Whether the noun of an attribute stands before what describes it."""
    letters: frozenset[str] = frozenset()
    """Letters that tell of it where they stand in a word that is no name."""

    stems: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Of verbs of a list, by which other forms of them are known."""

    def has(self, kind: str, word: str) -> bool:
        """Whether a word is in a list."""
        return word in self.words.get(kind, ())


@lru_cache(maxsize=1)
def attributes() -> Mapping[str, AttributeRule]:
    """The attributes that phrases name."""
    read = tomllib.loads(Path(__file__).with_name("attributes.toml").read_text("utf-8"))
    return {name: AttributeRule(**one) for name, one in read.items()}


@lru_cache(maxsize=1)
def cities() -> frozenset[str]:
    """Places, as they are written: those of the lists of names, and more cities."""
    return PLACES | towns().keys()


@cache
def rules_of(code: str) -> LanguageRules:
    """The rules of a language; without any where there are none."""
    read = language(code)
    contractions, short, spelling = read["contractions"], read["short"], read["spelling"]
    words = {kind: _listed(text) for kind, text in read["signs"].items()}
    signs, claims = Phrases(), Phrases()
    for kind, text in read["signs"].items():
        signs.add(text, kind, contractions, short)
    for name, one in read["attributes"].items():
        for kind in _FORMS:
            claims.add(one.get(kind, ""), f"{name}.{kind}", contractions, short)
    nouns = {noun: name for name, text in read["nouns"].items() for noun in _listed(text)}
    roles = {word: name for name, text in read["roles"].items() for word in _listed(text)}
    dates = {kind: _listed(read["dates"][kind]) for kind in _DATES if kind in read["dates"]}
    numbers = {word: str(number) for word, number in read["numbers"].items()}
    vocabulary = frozenset(contractions).union(
        read["infinitives"],
        signs.words(kind for kind in words if kind not in _NAMING),
        claims.words(),
        _opposed(words),
        _pairs(words.get("states", ())),
        *(noun.split() for noun in nouns),
        *dates.values(),
    )
    return LanguageRules(
        code, contractions, words, signs, claims, nouns, roles, numbers, dates, month_numbers(code), _opposed(words),
        _pairs(words.get("states", ())), read["infinitives"], vocabulary,
        spelling.get("large_nouns", False), spelling.get("noun_first", False), frozenset(spelling.get("letters", "")),
        {kind: frozenset(one for word in words.get(kind, ()) if len(one := stem(word, code)) > 2) for kind in ("habit",)},
    )  # fmt: skip


def _listed(text: str) -> frozenset[str]:
    return frozenset(filter(None, (one.strip().casefold() for one in text.split(","))))


def _opposed(words: Mapping[str, frozenset[str]]) -> dict[str, tuple[str, bool]]:
    found: dict[str, tuple[str, bool]] = {}
    for good, bad in (("positive", "negative"), ("allowed", "forbidden")):
        found |= {word: (good, True) for word in words.get(good, ())}
        found |= {word: (good, False) for word in words.get(bad, ())}
    return found | _pairs(words.get("opposed", ()))


def _pairs(pairs: Iterable[str]) -> dict[str, tuple[str, bool]]:
    """ "open:closed/shut" by word."""
    found: dict[str, tuple[str, bool]] = {}
    for pair in sorted(pairs):
        yes, no = (side.split("/") for side in pair.split(":"))
        found |= {word: (yes[0], True) for word in yes} | {word: (yes[0], False) for word in no}
    return found


def as_likely(text: str, code: str, other: str) -> bool:
    """Whether a text may as well be in another language: "Ana come carne" has as many words of English."""
    said = {one.word for one in tokens_of(text, {}) if not one.text[:1].isdigit()}
    return _share(said, rules_of(other)) > _share(said, rules_of(code)) - 0.5


def language_of_statement(text: str) -> str:
    """The language with rules that has most of the words; empty where another language has more of them."""
    said = {one.word for one in tokens_of(text, {}) if not one.text[:1].isdigit()}
    letters = {letter for one in tokens_of(text, {}) if not one.large for letter in one.word}
    counts = {
        code: _share(said, rules_of(code)) + 0.6 * (not rules_of(code).letters.isdisjoint(letters)) for code in codes()
    }
    best = max(codes(), key=lambda code: counts[code])
    return best if _known(said, best) + 1 >= _elsewhere(said) else ""


def surely_in(text: str, code: str) -> bool:
    """Whether that language has more of the words than any without rules; names, as "Leiden", say nothing."""
    said = {
        one.word
        for place, one in enumerate(tokens_of(text, {}))
        if one.text[:1].isalpha() and not (place and one.large)
    }
    return bool(code) and _known(said, code) > _elsewhere(said)


def _known(said: set[str], code: str) -> int:
    return len(said & (rules_of(code).vocabulary | stop_words(code)))


def _elsewhere(said: set[str]) -> int:
    """The most words that a language without rules has."""
    return max((len(said & stop_words(code)) for code in LANGUAGES if code not in codes()), default=0)


def _share(said: set[str], rules: LanguageRules) -> float:
    return len(said & rules.vocabulary) + 0.25 * len(said & stop_words(rules.code))


@dataclass(frozen=True, slots=True)
class EventWords:
    """`signs`: phrases by what they tell of; `concepts`: words that mean one thing (kid, daughter); `words`: the signs of one
    word; `ordinals`, `numbers`: of a word."""

    signs: Phrases
    concepts: Phrases
    words: Mapping[str, frozenset[str]]
    ordinals: Mapping[str, int]
    numbers: Mapping[str, str]
    week: tuple[str, ...]
    stems: Mapping[str, str]
    """The concept of a stem: "Hunden", of "Hund"."""
    soon: Mapping[str, int]
    """In how many days something is, by the word for it."""

    def has(self, kind: str, word: str) -> bool:
        """Whether a word is in a list."""
        return word in self.words.get(kind, ())


@cache
def event_words_of(code: str) -> EventWords:
    """The words of a language; none where there are no rules of it."""
    read = language(code)
    contractions = rules_of(code).contractions
    signs, concepts = Phrases(), Phrases()
    for phrases, name in ((signs, "events"), (concepts, "concepts")):
        for kind, text in read[name].items():
            phrases.add(_parted(text, contractions), kind, {}, {})
    words = {kind: frozenset(one.strip() for one in text.split(",")) for kind, text in read["events"].items()}
    numbers = {word: str(number) for word, number in read["ordinal_stems"].items()}
    week = listed(code, "dates", "week") or ("",)
    return EventWords(
        signs, concepts, words, read["ordinals"], numbers, week, _stems(read["concepts"], code), read["soon"]
    )


def _stems(concepts: Mapping[str, str], code: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for concept, text in concepts.items():
        found |= {stem(one.strip(), code): concept for one in text.split(",") if " " not in one.strip()}
    return found


def _parted(text: str, contractions: Mapping[str, str]) -> str:
    """Phrases with the words as a text has them: "s'est" as "se est"."""
    return ", ".join(
        " ".join(
            part if "/" in part or part == "~" else " ".join(one.word for one in tokens_of(part, contractions))
            for part in phrase.split()
        )
        for phrase in text.split(",")
    )
