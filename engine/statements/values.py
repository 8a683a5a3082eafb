"""Of which kind a value is: a place, a number with its unit, a date, a name; dates and times of day are one token each, with the
day that they name. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Literal

from engine.language.tables import all_listed, one_of
from engine.naming.words import ENDINGS
from engine.statements.rules import LanguageRules, Values, cities, rules_of
from engine.statements.tokens import WordToken, tokens_of

TIME = "\ue010"
"""The word of a token that stands for a date or a time of day."""
_ISO = re.compile(r"(?:19|20)\d\d-\d\d(?:-\d\d)?|\d{1,2}[./]\d{1,2}[./](?:19|20)?\d\d|\d{1,2}:\d\d|\d{1,2}h(?:\d\d)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(rf"\d{{1,2}}(?:{one_of('dates', 'ordinal')})?|(?:19|20)\d\d")
_OF = frozenset((".", *all_listed("dates", "of")))
_HALF_YEAR = timedelta(days=183)
Level = Literal["street", "country", "town"]


def with_times(tokens: Sequence[WordToken], rules: LanguageRules) -> list[WordToken]:
    """The tokens, where a date with the words before it ("on the 3rd of May") is one token; its text is that of the date."""
    found: list[WordToken] = []
    place = 0
    while place < len(tokens):
        if not _begins(tokens, place, rules):
            found.append(tokens[place])
            place += 1
            continue
        end = place + 1
        while end < len(tokens) and (
            _goes_on(tokens, end, rules) or (end + 1 < len(tokens) and _joins(tokens, end, rules))
        ):
            end += 1
        first = place
        while found and _before(found[-1], rules):
            found.pop()
            first -= 1
        text = " ".join(one.text for one in tokens[place:end] if not _fills(one, rules))
        found.append(WordToken(text, TIME, tokens[first].start, tokens[end - 1].end))
        place = end
    return found


def _begins(tokens: Sequence[WordToken], place: int, rules: LanguageRules) -> bool:
    """ "May" of "May 3", "3" of "3 May", "2026-05-03", "10:30", "Monday", "week" of "next week", "2019" of "in 2019"."""
    one, before = tokens[place], tokens[place - 1] if place else None
    after = tokens[place + 1 : place + 4]
    if rules.noun_first and place and one.text[:1].isupper() and after and after[0].text[:1].isupper():
        return False  # "a Quinta Nova"
    if _ISO.fullmatch(one.word) or one.word in rules.dates.get("weekday", ()) or one.word in rules.dates.get("day", ()):
        return True
    if one.word in rules.months:
        numbered = any(_NUMBER.fullmatch(other.word) for other in after[:1])
        return (one.text[:1].isupper() and (numbered or (before is not None and _before(before, rules)))) or (
            not one.text[:1].isupper() and before is not None and _before(before, rules)
            and (len(one.word) > 3 or rules.code == "fr")
        )  # fmt: skip
    if _YEAR.fullmatch(one.word):
        return before is not None and _before(before, rules)
    if _NUMBER.fullmatch(one.word):
        follow = [other.word for other in after if other.word not in _OF]
        first = after[0].word if after else ""
        hour = first in rules.dates.get("clock", ()) and not (after[1:] and rules.has("per", after[1].word))
        return bool(follow) and (follow[0] in rules.months or hour)  # not "6 heures par nuit"
    return (
        one.word in rules.dates.get("unit", ()) and before is not None and before.word in rules.dates.get("which", ())
    )


def _goes_on(tokens: Sequence[WordToken], place: int, rules: LanguageRules) -> bool:
    one = tokens[place]
    month = one.word in rules.months or one.word in rules.dates.get("clock", ())
    year = _YEAR.fullmatch(one.word) is not None
    measured = place + 1 < len(tokens) and rules.has("unit", tokens[place + 1].word)  # "since May 35 euros"
    number = _NUMBER.fullmatch(one.word) is not None and tokens[place - 1].word in rules.months and not measured
    return month or year or number or bool(_ISO.fullmatch(one.word))


def _joins(tokens: Sequence[WordToken], place: int, rules: LanguageRules) -> bool:
    """ "of" of "3rd of May", the comma of "May 3, 2026", the point of "3. Mai"."""
    return tokens[place].word in (*_OF, ",") and _goes_on(tokens, place + 1, rules)


def _before(one: WordToken, rules: LanguageRules) -> bool:
    return one.word in rules.dates.get("before", ())


def _fills(one: WordToken, rules: LanguageRules) -> bool:
    return one.word in (".", ",") or _before(one, rules)


def day_of(text: str, rules: LanguageRules, said_at: datetime | None) -> date | None:
    """The day that a date names; without a year the nearest one that is not long past when it was said."""
    if iso := re.search(r"((?:19|20)\d\d)-(\d\d)-(\d\d)", text):
        return _day(*map(int, iso.groups()))
    if dotted := re.search(r"(\d{1,2})[./](\d{1,2})[./]((?:19|20)\d\d)", text):
        day, month, year = map(int, dotted.groups())
        return _day(year, month, day)
    words = text.casefold().split()
    month = next((rules.months[word] for word in words if word in rules.months), 0)
    days = [int(found[0]) for word in words if (found := re.match(r"\d{1,2}(?!\d)", word))]
    years = [int(word) for word in words if _YEAR.fullmatch(word)]
    if not month or not days or not (years or said_at):
        return None
    if years or said_at is None:
        return _day(years[0], month, days[0])
    near = _day(said_at.year, month, days[0])
    return _day(said_at.year + 1, month, days[0]) if near and said_at.date() - near > _HALF_YEAR else near


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


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
