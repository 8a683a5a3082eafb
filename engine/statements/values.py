"""Of which kind a value is: a place, a number with its unit, a date, a name. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from engine.naming.words import ENDINGS
from engine.statements.rules import LanguageRules, Values, cities, rules_of
from engine.statements.times import TIME
from engine.statements.tokens import WordToken, tokens_of

Level = Literal["street", "country", "town"]


def is_place(shown: Sequence[WordToken], rules: LanguageRules) -> bool:
    """Whether words surely name a place: a known one, or a street."""
    text = " ".join(one.text for one in shown)
    known = any(" ".join(one.text for one in shown[:count]) in cities() for count in range(1, min(len(shown), 4) + 1))
    last = next((one.word for one in reversed(shown) if not one.word[:1].isdigit()), "")
    ending = ENDINGS.get(last) == "place" or rules.has("street", last) or level_of(shown, rules) == "street"
    return known or ending or rules.has("country", text.casefold())


def known_place(words: frozenset[str]) -> bool:
    """Whether one of the words is a known place."""
    return any(word.title() in cities() for word in words)


def level_of(shown: Sequence[WordToken], rules: LanguageRules) -> Level:
    """Whether a place is a street, a country or region, or a town."""
    words = [one.word for one in shown]
    if any(rules.has("street", word) for word in words) or any(
        word.endswith(end) for word in words for end in rules.words.get("street_ending", ())
    ):
        return "street"
    if any(word[:1].isdigit() for word in words):
        return "street"
    text = " ".join(words)
    return "country" if rules.has("country", text) or any(rules.has("country", word) for word in words[:1]) else "town"


def number_of(word: str, rules: LanguageRules) -> str | None:
    """A number in digits; None for another word."""
    if re.match(r"\d", word):
        return word
    return rules.numbers.get(word)


def kind_of(shown: Sequence[WordToken], rules: LanguageRules) -> Values:
    """Of which kind a value is."""
    if any(one.word == TIME for one in shown[:1]):
        return "date"
    if any(rules.has("street", one.word) for one in shown):
        return "name"
    first = next((one for one in shown if one.word not in ("€", "$", "£")), shown[0])
    if number_of(first.word, rules) is not None and not any(
        one.large and not one.word[:1].isdigit() and not rules.has("unit", one.word) for one in shown[1:2]
    ):
        return "number"
    if len(shown) > 1 and number_of(shown[1].word, rules) is not None and rules.has("about", shown[0].word):
        return "number"
    titled = len(shown) > 1 and shown[1].large and rules.has("group_noun", shown[0].word)  # "la doctora Ruiz"
    return "name" if shown[0].large or titled else "text"


def same_level(one: str, other: str, language: str) -> bool:
    """Whether two places may replace each other: a street lies in a town, a town in a country."""
    rules = rules_of(language)
    levels = [level_of(tokens_of(text, rules.contractions), rules) for text in (one, other)]
    return levels[0] == levels[1]


def unit_of(value: frozenset[str]) -> frozenset[str]:
    """The words of a value of a number that are no number."""
    return frozenset(word for word in value if word.isalpha())
