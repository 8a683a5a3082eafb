"""Dates that a text mentions, resolved against the time when it was said.

A date is an ISO prefix, as exact as the text is: "2023-05-07", "2023-05", "2022". A week becomes its days. A
question names months without a year more often than not: there the year is left open, "*-05".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache, partial
from typing import Any

from engine.language.detection import likely_languages
from engine.language.tables import LANGUAGES, NOTHING, codes, each, keys, listed, month_numbers, table

MOST_DATES = 16

_YEAR = r"(?:19|20)\d\d"
_DAY = r"[0-3]?\d"
_ISO = re.compile(rf"\b({_YEAR})[-/.](\d{{1,2}})(?:[-/.](\d{{1,2}}))?\b")
_BARE_YEAR = re.compile(rf"(?<![\d.,/$€£-])({_YEAR})(?:s\b)?(?![\d%/-])\b")
UNITS = ("day", "week", "weekend", "month", "year")

# What a text must hold before a pattern is worth trying; most turns need none. "#" stands for any digit.
_IN_DIGITS, _IN_YEARS = ("#",), ("####",)
_DIGIT = re.compile(r"\d")
_LIKE_ASCII = str.maketrans("\u017f\u0130\u0131\u212a", "siik")
"""Letters that patterns without case take for others; no table of months, days or numbers has them."""

YearFinder = Callable[[int, int | None, str], str | None]
Found = Iterable[str]


@dataclass(frozen=True)
class DateWords:
    """The words by which a language tells dates: `last`, `this`, `next` as they stand before a unit of time or a day of the week;
    `near`: in how many days a day is."""

    months: Mapping[str, int]
    days: Mapping[str, int]
    """The days of the week by their names, Monday is 0."""
    counts: Mapping[str, int]
    near: Mapping[str, int]
    units: Mapping[str, str]
    last: tuple[str, ...]
    this: tuple[str, ...]
    next: tuple[str, ...]
    until: tuple[str, ...]
    """Before a day of the week that is to come."""
    sure: tuple[str, ...]
    """Words behind which a month is one that is also a verb, `verbs`, where it is written small."""
    verbs: tuple[str, ...]

    def month(self, name: str) -> int:
        return self.months[name.lower()]

    def count(self, text: str) -> int:
        return int(text) if text.isdigit() else self.counts[" ".join(text.lower().split())]

    def steps(self, which: str) -> int:
        return -1 if which in self.last else 1 if which in self.next else 0


@dataclass(frozen=True)
class DatePattern:
    """A pattern, what reads its matches, and hints: of each one stands in every text that it matches."""

    language: str
    pattern: re.Pattern[str]
    read: Callable[[re.Match[str], date | None, YearFinder], Found]
    hints: tuple[tuple[str, ...], ...]


def _words_of(code: str) -> DateWords:
    lists = {key: listed(code, "time", key) for key in ("last", "this", "next", "until", "sure", "verbs")}
    days = listed(code, "time", "weekdays") or listed(code, "dates", "weekday")
    units = zip(listed(code, "time", "units"), UNITS, strict=True)
    return DateWords(
        month_numbers(code),
        {form: number for number, forms in enumerate(days) for form in forms.split("/")},
        table(code, "counts"),
        table(code, "near_days"),
        {form: unit for forms, unit in units for form in forms.split("/")},
        **lists,
    )


def _longest(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


def _hints(words: Iterable[str]) -> tuple[str, ...]:
    """Words of which one stands in every text that has one of all."""
    every = list(words)
    return tuple(one for one in every if not any(other != one and other in one for other in every))


@cache
def _patterns(languages: tuple[str, ...]) -> tuple[DatePattern, ...]:
    """The patterns of dates in these languages, more exact ones first; of those alike the first language's: "sábado" is Spanish
    and Portuguese, "até sábado" Portuguese alone."""
    alike = zip(*(_patterns_of(code) for code in languages if table(code, "time").get("units")), strict=True)
    return (
        DatePattern("", _ISO, _iso, (_IN_YEARS,)),
        *(pattern for patterns in alike for pattern in patterns if pattern is not None),
        DatePattern("", _BARE_YEAR, _bare_year, (_IN_YEARS,)),
    )


@cache
def _patterns_of(code: str) -> tuple[DatePattern | None, ...]:
    return tuple(_made_of(code))


def _made_of(code: str) -> Iterator[DatePattern | None]:
    """The patterns of a language, in the order of those of others; None for one that it has not."""
    words, said = _words_of(code), _said(code)
    long = listed(code, "dates", "month")[:12]
    any_month = _any_month(code)
    months, in_months = "|".join(long), _hints(words.months)
    ordinal, of = rf"(?:{said['ordinal']})?", rf"(?:{said['of']})"
    units, counts, days = "|".join(words.units), _counts_of(words), "|".join(words.days)
    last, this, coming = ("|".join(one) for one in (words.last, words.this, words.next))

    def made(pattern: str, read: Callable[..., Found], *hints: tuple[str, ...]) -> DatePattern:
        return DatePattern(code, re.compile(pattern, re.I), partial(read, words), hints)

    yield made(
        rf"\b({_DAY}){ordinal}(?:\s+{of})?\s+({any_month})\b\.?(?:,?\s+(?:{of}\s+)?({_YEAR})\b)?",
        _day_month,
        _IN_DIGITS,
        in_months,
    )
    yield made(rf"\b({any_month})\b\.?,?\s+(?:{of}\s+)?({_YEAR})\b", _month_year, _IN_YEARS, in_months)
    day_behind = rf"\b({any_month})\b\.?\s+({_DAY}){ordinal}\b(?!\s*[:%])(?:,?\s+({_YEAR})\b)?"
    yield None if said["day_first"] == 1 else made(day_behind, _month_day, _IN_DIGITS, in_months)
    # A month's name alone is a date only after a word that makes it one: "may" and "march" are verbs too.
    yield made(rf"\b({said['before_month']})[\s-]+(?:(?:{said['part']})[\s-]+)?({months})\b", _month_alone, long)
    yield made(rf"\b({'|'.join(words.near)})\b", _near_day, _hints(words.near))
    yield made(rf"\b({last}|{this}|{coming})\s+({said['near_units']})\b", _near_period, _hints(words.units))
    behind = bool(table(code, "spelling").get("noun_first"))  # la semana pasada, le lundi prochain
    period = rf"\b({said['near_units']})\s+({last}|{coming})\b"
    yield made(period, _period_which, _hints(words.units)) if behind else None
    yield made(rf"\b({counts})\s+({units})s?\s+({said['ago']})\b", _ago, _hints(words.units))
    yield made(rf"\b(?:{said['ago_before']})\s+({counts})\s+({units})s?\b", _ago, _hints(words.units))
    yield made(rf"\b(?:{said['ahead']})\s+({counts})\s+({units})s?\b", _ahead, _hints(words.units))
    yield made(rf"\b({days})\s+({last}|{coming})\b", _weekday_which, _hints(words.days)) if behind else None
    before = rf"(?:(?P<habit>{said['habit']})|({said['before_weekday']}))?"
    yield made(rf"\b{before}\s*\b({days})\b", _weekday, _hints(words.days))


def _said(code: str) -> Mapping[str, Any]:
    """What a language says of times; the pattern of nothing for what it does not say."""
    return {**dict.fromkeys(keys("time"), NOTHING), **table(code, "time")}


def _any_month(code: str) -> str:
    """Names of months, short ones, too."""
    short = sorted(listed(code, "time", "short"), key=len, reverse=True)
    return "|".join((*listed(code, "dates", "month")[:12], *short))


def _counts_of(words: DateWords) -> str:
    return r"\d{1,3}|" + _longest(words.counts)


@cache
def _counted() -> tuple[tuple[str, re.Pattern[str], tuple[str, ...], tuple[str, ...]], ...]:
    """By language what mentions a time, and the hints of it: one of the first stands there, or a digit and one of the second."""
    found = []
    for code, said in each("time", "counted"):
        words, time = _words_of(code), _said(code)
        long, days, any_month = "|".join(listed(code, "dates", "month")[:12]), "|".join(words.days), _any_month(code)
        ordinal = rf"(?:{time['ordinal']})?"
        pattern = re.compile(
            rf"\b(?:{said}|(?:{time['which']})\s+(?:{time['spans']}|{time['seasons']}|{days}|{long})"
            rf"|(?:{days})|(?:{time['in_month']})[\s-]+(?:{long})|{_YEAR}|(?:{_counts_of(words)})\s+(?:{time['counted_units']})s?"
            rf"|(?:{any_month})\.?\s+{_DAY}{ordinal}|{_DAY}{ordinal}\s+(?:{time['of']}\s+)?(?:{any_month}))\b",
            re.I,
        )
        plain = [
            *said.split("|"),
            *time["spans"].split("|"),
            *time["seasons"].split("|"),
            *words.days,
            *long.split("|"),
        ]
        found.append((code, pattern, (*_IN_YEARS, *_hints([*plain, *words.units])), _hints(words.months)))
    return tuple(found)


def _hinted(text: str) -> str:
    """The text in lower case, every digit as "#": what hints are looked for in."""
    return _DIGIT.sub("#", text.lower())


def _hints_at(hinted: str, hints: Iterable[str]) -> bool:
    return any(hint in hinted for hint in hints)


def time_expressions(text: str) -> int:
    """How many times the text mentions a time: "yesterday", "last week", "in June", "three years"."""
    hinted, languages = _hinted(text.translate(_LIKE_ASCII)), _read_in(text)
    times = (
        sum(1 for _ in pattern.finditer(text))
        for code, pattern, hints, months in _counted()
        if code in languages
        and (_hints_at(hinted, hints) or (_hints_at(hinted, _IN_DIGITS) and _hints_at(hinted, months)))
    )
    return max(times, default=0)


def _read_in(text: str) -> tuple[str, ...]:
    """The languages in which dates are read in a text, the likeliest first; English always: it stands in texts of others, too. In
    French "hier" is yesterday, in German it is here; in an English text "Mars 2020" is no month."""
    likely = likely_languages(text, codes())
    return likely if LANGUAGES[0] in likely else (*likely, LANGUAGES[0])


def holds_on(text: str, language: str) -> bool:
    """Whether a text of a language that has a file tells of what comes again on a day of the week, or holds since a day
    or month: "le lundi", not "le lundi 15 juin"; "desde mayo". Its day is then not the one on which it is over."""
    return _holding(language).search(text) is not None


@cache
def _holding(code: str) -> re.Pattern[str]:
    words, habit = _words_of(code), _said(code)["habit"]
    days = _longest({*words.days, *listed(code, "dates", "weekday")})
    since = table(code, "periods").get("since", NOTHING)
    begin = rf"(?:{since})\s+(?:[^\W\d_]+\s+)?(?:{days}|{_longest(words.months)}|{_YEAR})"
    return re.compile(rf"\b(?:(?:{habit})\s+(?:{days})s?\b(?!\s+\d)|{begin}\b)", re.I)


def dates_in(text: str, said_at: datetime | None) -> tuple[str, ...]:
    """The dates that the text names, as ISO prefixes in order of appearance, at most 16.

    Without `said_at` only complete dates count. Dates that no calendar has are left out.
    """
    said_on = said_at.date() if said_at is not None else None
    return _first(_named(text, said_on, lambda month, day, hint: _with_year(month, day, hint, said_on)))


def dates_asked(text: str, now: datetime) -> tuple[str, ...]:
    """The dates that a question asks about, at most 16. Relative ones count from `now`; a missing year stays open: "*-06"."""
    today = now.date()

    def open_year(month: int, day: int | None, hint: str) -> str | None:
        if hint in ("last", "next", "this"):
            return _with_year(month, day, hint, today)
        return f"*-{month:02d}" if day is None else f"*-{month:02d}-{day:02d}"

    return _first(_named(text, today, open_year))


def agreement(asked: Iterable[str], stated: Iterable[str]) -> float:
    """How well stated dates fit those asked for, 0 to 1: as exact as the question or more 1, coarser .5, none 0."""
    best = 0.0
    known = tuple(stated)
    for wanted in asked:
        for have in known:
            if _within(have, wanted):
                return 1.0
            if _within(wanted, have):
                best = 0.5
    return best


def _within(inner: str, outer: str) -> bool:
    """Whether the period `inner` lies in `outer`; an open year lies in, and holds, any year."""
    if "*" in (inner[0], outer[0]):
        inner, outer = inner.partition("-")[2], outer.partition("-")[2]
        if not outer or not inner:
            return False
    return inner == outer or inner.startswith(outer + "-")


def _first(found: Iterator[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for _, name in sorted(found, key=lambda entry: entry[0])))[:MOST_DATES]


def _named(text: str, said_on: date | None, complete: YearFinder) -> Iterator[tuple[int, str]]:
    """Dates with their places. A place that a more exact pattern has read is not read again."""
    languages = _read_in(text)
    text = text.translate(_LIKE_ASCII)
    hinted = _hinted(text)
    taken = bytearray(len(text))
    for one in _patterns(languages):
        if not all(_hints_at(hinted, hints) for hints in one.hints):
            continue
        for match in one.pattern.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            found = one.read(match, said_on, complete)
            if found or match.groupdict().get("habit"):  # in no language is the day of "todo sábado" read alone
                taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
                yield from ((match.start(), name) for name in found)


def _iso(match: re.Match[str], _said_on: date | None, _complete: YearFinder) -> Found:
    year, month, day = match.groups()
    return _checked(int(year), int(month), int(day) if day else None)


def _day_month(words: DateWords, match: re.Match[str], _said_on: date | None, complete: YearFinder) -> Found:
    return _month_and_day(words.month(match[2]), match[1], match[3], complete)


def _month_day(words: DateWords, match: re.Match[str], _said_on: date | None, complete: YearFinder) -> Found:
    return _month_and_day(words.month(match[1]), match[2], match[3], complete)


def _month_and_day(month: int, day: str, year: str | None, complete: YearFinder) -> Found:
    if not _checked(int(year or 2024), month, int(day)):
        return ()
    if year:
        return _checked(int(year), month, int(day))
    found = complete(month, int(day), "")
    return (found,) if found else ()


def _month_year(words: DateWords, match: re.Match[str], _said_on: date | None, _complete: YearFinder) -> Found:
    return _checked(int(match[2]), words.month(match[1]), None)


def _month_alone(words: DateWords, match: re.Match[str], _said_on: date | None, complete: YearFinder) -> Found:
    if match[2].islower() and match[2] in words.verbs and match[1].lower() not in words.sure:
        return ()
    found = complete(words.month(match[2]), None, _hint(words, match[1].lower()))
    return (found,) if found else ()


def _hint(words: DateWords, said: str) -> str:
    """ "last", "this" or "next", where one of the first words for it stands before a month; else nothing."""
    return next((hint for hint in ("last", "this", "next") if said == getattr(words, hint)[0]), "")


def _bare_year(match: re.Match[str], _said_on: date | None, _complete: YearFinder) -> Found:
    return (match[1],)


def _near_day(words: DateWords, match: re.Match[str], said_on: date | None, _complete: YearFinder) -> Found:
    return () if said_on is None else _days(said_on, words.near.get(" ".join(match[1].lower().split()), 0), 1)


def _near_period(words: DateWords, match: re.Match[str], said_on: date | None, _complete: YearFinder) -> Found:
    return () if said_on is None else _period(said_on, words.units[match[2].lower()], words.steps(match[1].lower()))


def _period_which(words: DateWords, match: re.Match[str], said_on: date | None, _complete: YearFinder) -> Found:
    return () if said_on is None else _period(said_on, words.units[match[1].lower()], words.steps(match[2].lower()))


def _weekday(words: DateWords, match: re.Match[str], said_on: date | None, _complete: YearFinder) -> Found:
    if said_on is None:
        return ()
    if match["habit"]:
        return ()  # los lunes
    return _day_of_week(words, match[3], (match[2] or "").lower(), said_on)


def _weekday_which(words: DateWords, match: re.Match[str], said_on: date | None, _complete: YearFinder) -> Found:
    return () if said_on is None else _day_of_week(words, match[1], match[2].lower(), said_on)


def _day_of_week(words: DateWords, day: str, which: str, said_on: date) -> Found:
    ahead = (words.days[day.lower()] - said_on.weekday()) % 7
    if which in (*words.next, *words.until):
        return _days(said_on, ahead or 7, 1)
    if which in words.this:
        return _days(said_on, ahead, 1)
    return _days(said_on, ahead - 7, 1)  # people mostly speak of the past


def _ago(words: DateWords, match: re.Match[str], said_on: date | None, _complete: YearFinder) -> Found:
    return () if said_on is None else _period(said_on, words.units[match[2].lower()], -words.count(match[1]))


def _ahead(words: DateWords, match: re.Match[str], said_on: date | None, _complete: YearFinder) -> Found:
    return () if said_on is None else _period(said_on, words.units[match[2].lower()], words.count(match[1]))


def _period(said_on: date, unit: str, steps: int) -> Found:
    """The day, week, weekend, month or year that lies `steps` of them away from the day `said_on`."""
    if unit == "day":
        return _days(said_on, steps, 1)
    if unit in ("week", "weekend"):
        start = 7 * steps - said_on.weekday()
        return _days(said_on, start + 5, 2) if unit == "weekend" else _days(said_on, start, 7)
    if unit == "month":
        year, month = divmod(said_on.year * 12 + said_on.month - 1 + steps, 12)
        return _checked(year, month + 1, None)
    return (f"{said_on.year + steps:04d}",) if 1 <= said_on.year + steps <= 9999 else ()


def _days(said_on: date, offset: int, length: int) -> Found:
    try:
        return tuple((said_on + timedelta(days=offset + i)).isoformat() for i in range(length))
    except OverflowError:
        return ()


def _with_year(month: int, day: int | None, hint: str, said_on: date | None) -> str | None:
    """The month (and day) in the year that fits: the nearest one, or the last or next when said so."""
    if said_on is None:
        return None
    distance = month - said_on.month  # months ahead in the same year
    year = said_on.year
    if hint == "last":
        year -= distance >= 0
    elif hint == "next":
        year += distance <= 0
    elif hint != "this":
        year += (distance < -6) - (distance > 6)
    found = _checked(year, month, day)
    return found[0] if found else None


def _checked(year: int, month: int, day: int | None) -> tuple[str, ...]:
    """The ISO prefix; empty where the calendar has no such day."""
    try:
        exact = date(year, month, day or 1)
    except ValueError:
        return ()
    return (exact.isoformat() if day else exact.isoformat()[:7],)
