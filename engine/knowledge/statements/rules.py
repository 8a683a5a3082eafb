"""The words of each language, read once, and which language a statement is in. The code has no words of its own."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

from engine.domain.languages import LANGUAGES, stem, stop_words
from engine.knowledge.naming.towns import towns
from engine.knowledge.naming.words import PLACES
from engine.knowledge.statements.tokens import Phrases, tokens_of

_FOLDER = Path(__file__).with_name("languages")
WITH_RULES = tuple(code for code in LANGUAGES if (_FOLDER / f"{code}.toml").is_file())
"""Languages that there are rules of; statements in others end nothing."""
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
    read = tomllib.loads((_FOLDER.parent / "attributes.toml").read_text("utf-8"))
    return {name: AttributeRule(**one) for name, one in read.items()}


@lru_cache(maxsize=1)
def cities() -> frozenset[str]:
    """Places, as they are written: those of the lists of names, and more cities."""
    return PLACES | towns().keys()


@lru_cache(maxsize=len(WITH_RULES) + 1)
def rules_of(code: str) -> LanguageRules:
    """The rules of a language; without any where there are none."""
    path = _FOLDER / f"{code}.toml"
    read = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    contractions: dict[str, str] = read.get("contractions", {})
    short: dict[str, str] = read.get("short", {})
    words = {kind: _listed(text) for kind, text in read.get("words", {}).items()}
    signs, claims = Phrases(), Phrases()
    for kind, text in read.get("words", {}).items():
        signs.add(text, kind, contractions, short)
    for name, one in read.get("attributes", {}).items():
        for kind in _FORMS:
            claims.add(one.get(kind, ""), f"{name}.{kind}", contractions, short)
    nouns = {noun: name for name, text in read.get("nouns", {}).items() for noun in _listed(text)}
    roles = {word: name for name, text in read.get("roles", {}).items() for word in _listed(text)}
    dates = {kind: _listed(text) for kind, text in read.get("dates", {}).items()}
    numbers = {word: str(number) for word, number in read.get("numbers", {}).items()}
    vocabulary = frozenset(contractions).union(
        read.get("infinitives", {}),
        signs.words(kind for kind in words if kind not in _NAMING),
        claims.words(),
        _opposed(words),
        _pairs(words.get("states", ())),
        *(noun.split() for noun in nouns),
        *dates.values(),
    )
    return LanguageRules(
        code, contractions, words, signs, claims, nouns, roles, numbers, dates, _months(read), _opposed(words),
        _pairs(words.get("states", ())), read.get("infinitives", {}), vocabulary,
        read.get("large_nouns", False), read.get("noun_first", False), frozenset(read.get("letters", "")),
        {kind: frozenset(one for word in words.get(kind, ()) if len(one := stem(word, code)) > 2) for kind in ("habit",)},
    )  # fmt: skip


def _months(read: Mapping[str, Mapping[str, str]]) -> dict[str, int]:
    """The number of each name of a month: first the twelve in order, then short ones that begin as they do."""
    names = [one.strip() for one in read.get("dates", {}).get("month", "").split(",") if one.strip()]
    months = {name: number for number, name in enumerate(names[:12], 1)}
    for short in names[12:]:
        months[short] = next(number for name, number in months.items() if name.startswith(short[:3]))
    return months


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
        code: _share(said, rules_of(code)) + 0.6 * (not rules_of(code).letters.isdisjoint(letters))
        for code in WITH_RULES
    }
    best = max(WITH_RULES, key=lambda code: counts[code])
    others = max((len(said & stop_words(code)) for code in LANGUAGES if code not in WITH_RULES), default=0)
    own = len(said & (rules_of(best).vocabulary | stop_words(best)))
    return best if own + 1 >= others else ""


def _share(said: set[str], rules: LanguageRules) -> float:
    return len(said & rules.vocabulary) + 0.25 * len(said & stop_words(rules.code))
