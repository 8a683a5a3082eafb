"""Dates that a text mentions, resolved against the time when it was said.

A date is an ISO prefix, as exact as the text is: "2023-05-07", "2023-05", "2022". A week becomes its days. A
question names months without a year more often than not: there the year is left open, "*-05".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, timedelta

MOST_DATES = 16

_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
_MONTHS = {name: i + 1 for i, name in enumerate(_MONTH_NAMES)}
_SHORT_MONTHS = {name[:3]: i for name, i in _MONTHS.items()} | {"sept": 9}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple of": 2, "a couple of": 2, "three": 3, "few": 3, "a few": 3,
    "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "several": 4,
}  # fmt: skip

_LONG = "|".join(_MONTH_NAMES)
_ANY = _LONG + "|" + "|".join(sorted(_SHORT_MONTHS, key=len, reverse=True))
_YEAR = r"(?:19|20)\d\d"
_DAY = r"[0-3]?\d"
_COUNT = r"\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True))

_ISO = re.compile(rf"\b({_YEAR})[-/.](\d{{1,2}})(?:[-/.](\d{{1,2}}))?\b")
_DAY_MONTH = re.compile(rf"\b({_DAY})(?:st|nd|rd|th)?(?:\s+of)?\s+({_ANY})\b\.?(?:,?\s+({_YEAR})\b)?", re.I)
_MONTH_DAY = re.compile(rf"\b({_ANY})\b\.?\s+({_DAY})(?:st|nd|rd|th)?\b(?!\s*[:%])(?:,?\s+({_YEAR})\b)?", re.I)
_MONTH_YEAR = re.compile(rf"\b({_ANY})\b\.?,?\s+(?:of\s+)?({_YEAR})\b", re.I)
# A month's name alone is a date only after a word that makes it one: "may" and "march" are verbs too.
_MONTH = re.compile(
    rf"\b(last|next|this|in|of|since|until|till|by|during|early|late|mid|from|before|after|through|for)[\s-]+"
    rf"(?:(?:early|late|mid)[\s-]+)?({_LONG})\b",
    re.I,
)
_BARE_YEAR = re.compile(rf"(?<![\d.,/$€£-])({_YEAR})(?:s\b)?(?![\d%/-])\b")
_NEAR_DAY = re.compile(
    r"\b(day before yesterday|day after tomorrow|yesterday|last night|today|tonight|this morning"
    r"|this afternoon|this evening|tomorrow)\b",
    re.I,
)
_NEAR_PERIOD = re.compile(r"\b(last|past|previous|this|next|coming)\s+(week|weekend|month|year)\b", re.I)
_WEEKDAY = re.compile(rf"\b(last|past|this|next|coming|on|since|until)?\s*\b({'|'.join(_DAYS)})\b", re.I)
_AGO = re.compile(rf"\b({_COUNT})\s+(day|week|weekend|month|year)s?\s+(ago|back|before|earlier)\b", re.I)
_AHEAD = re.compile(rf"\bin\s+({_COUNT})\s+(day|week|weekend|month|year)s?\b", re.I)

_OFFSETS = {"day before yesterday": -2, "yesterday": -1, "last night": -1, "tomorrow": 1, "day after tomorrow": 2}

_COUNTED = re.compile(
    rf"\b(?:yesterday|today|tonight|tomorrow|ago|recently|lately|(?:last|this|next|past|previous|coming)\s+"
    rf"(?:night|week|weekend|month|year|summer|winter|spring|fall|autumn|{'|'.join(_DAYS)}|{_LONG})"
    rf"|(?:{'|'.join(_DAYS)})|(?:in|since|early|late|mid|of)[\s-]+(?:{_LONG})|{_YEAR}|(?:{_COUNT})\s+(?:day|week|month|year)s?"
    rf"|(?:{_ANY})\.?\s+{_DAY}(?:st|nd|rd|th)?|{_DAY}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_ANY}))\b",
    re.I,
)

# What a text must hold before a pattern is worth trying; most turns need none. "#" stands for any digit.
_IN_DIGITS, _IN_YEARS = ("#",), ("####",)
_IN_MONTHS, _IN_SHORT_MONTHS = _MONTH_NAMES, tuple(_SHORT_MONTHS)
_IN_DAYS = ("day", "night", "morning", "afternoon", "evening", "tomorrow")
_IN_UNITS = ("day", "week", "month", "year")
_IN_COUNTED = (
    *_IN_YEARS, *_IN_MONTHS, *_IN_DAYS, *_IN_UNITS, "ago", "recently", "lately", "summer", "winter", "spring", "fall",
    "autumn",
)  # fmt: skip
_DIGIT = re.compile(r"\d")
_LIKE_ASCII = str.maketrans("\u017f\u0130\u0131\u212a", "siik")
"""Letters that patterns without case take for others; no table of months, days or numbers has them."""


def _hinted(text: str) -> str:
    """The text in lower case, every digit as "#": what hints are looked for in."""
    return _DIGIT.sub("#", text.lower())


def _hints_at(hinted: str, hints: Iterable[str]) -> bool:
    return any(hint in hinted for hint in hints)


def time_expressions(text: str) -> int:
    """How many times the text mentions a time: "yesterday", "last week", "in June", "three years"."""
    hinted = _hinted(text.translate(_LIKE_ASCII))
    if not _hints_at(hinted, _IN_COUNTED) and not all(_hints_at(hinted, one) for one in (_IN_DIGITS, _IN_SHORT_MONTHS)):
        return 0
    return sum(1 for _ in _COUNTED.finditer(text))


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


YearFinder = Callable[[int, int | None, str], str | None]


def _named(text: str, said_on: date | None, complete: YearFinder) -> Iterator[tuple[int, str]]:
    """Dates with their places. A place that a more exact pattern has read is not read again."""
    text = text.translate(_LIKE_ASCII)
    hinted = _hinted(text)
    taken = bytearray(len(text))
    for pattern, read, hints in _PATTERNS:
        if not all(_hints_at(hinted, one) for one in hints):
            continue
        for match in pattern.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            found = read(match, said_on, complete)
            if found:
                taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
                yield from ((match.start(), name) for name in found)


Found = Iterable[str]


def _iso(match: re.Match[str], _said_on: date | None, _complete: YearFinder) -> Found:
    year, month, day = match.groups()
    return _checked(int(year), int(month), int(day) if day else None)


def _day_month(match: re.Match[str], _said_on: date | None, complete: YearFinder) -> Found:
    return _month_and_day(match[2], match[1], match[3], complete)


def _month_day(match: re.Match[str], _said_on: date | None, complete: YearFinder) -> Found:
    return _month_and_day(match[1], match[2], match[3], complete)


def _month_and_day(name: str, day: str, year: str | None, complete: YearFinder) -> Found:
    month = _month_number(name)
    if not _checked(int(year or 2024), month, int(day)):
        return ()
    if year:
        return _checked(int(year), month, int(day))
    found = complete(month, int(day), "")
    return (found,) if found else ()


def _month_year(match: re.Match[str], _said_on: date | None, _complete: YearFinder) -> Found:
    return _checked(int(match[2]), _month_number(match[1]), None)


def _month_alone(match: re.Match[str], _said_on: date | None, complete: YearFinder) -> Found:
    if match[2].islower() and match[2] in ("may", "march") and match[1].lower() not in ("last", "next", "in", "of"):
        return ()
    found = complete(_month_number(match[2]), None, match[1].lower())
    return (found,) if found else ()


def _bare_year(match: re.Match[str], _said_on: date | None, _complete: YearFinder) -> Found:
    return (match[1],)


def _near_day(match: re.Match[str], said_on: date | None, _complete: YearFinder) -> Found:
    return () if said_on is None else _days(said_on, _OFFSETS.get(" ".join(match[1].lower().split()), 0), 1)


def _near_period(match: re.Match[str], said_on: date | None, _complete: YearFinder) -> Found:
    which = match[1].lower()
    steps = -1 if which in ("last", "past", "previous") else 1 if which in ("next", "coming") else 0
    return () if said_on is None else _period(said_on, match[2].lower(), steps)


def _weekday(match: re.Match[str], said_on: date | None, _complete: YearFinder) -> Found:
    if said_on is None:
        return ()
    ahead = (_DAYS.index(match[2].lower()) - said_on.weekday()) % 7
    which = (match[1] or "").lower()
    if which in ("next", "coming", "until"):
        return _days(said_on, ahead or 7, 1)
    if which == "this":
        return _days(said_on, ahead, 1)
    return _days(said_on, ahead - 7, 1)  # people mostly speak of the past


def _ago(match: re.Match[str], said_on: date | None, _complete: YearFinder) -> Found:
    return () if said_on is None else _period(said_on, match[2].lower(), -_count(match[1]))


def _ahead(match: re.Match[str], said_on: date | None, _complete: YearFinder) -> Found:
    return () if said_on is None else _period(said_on, match[2].lower(), _count(match[1]))


_PATTERNS = (
    (_ISO, _iso, (_IN_YEARS,)),
    (_DAY_MONTH, _day_month, (_IN_DIGITS, _IN_SHORT_MONTHS)),
    (_MONTH_YEAR, _month_year, (_IN_YEARS, _IN_SHORT_MONTHS)),
    (_MONTH_DAY, _month_day, (_IN_DIGITS, _IN_SHORT_MONTHS)),
    (_MONTH, _month_alone, (_IN_MONTHS,)),
    (_NEAR_DAY, _near_day, (_IN_DAYS,)),
    (_NEAR_PERIOD, _near_period, (_IN_UNITS,)),
    (_AGO, _ago, (_IN_UNITS,)),
    (_AHEAD, _ahead, (_IN_UNITS,)),
    (_WEEKDAY, _weekday, (("day",),)),
    (_BARE_YEAR, _bare_year, (_IN_YEARS,)),
)


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


def _month_number(name: str) -> int:
    return _SHORT_MONTHS[name.lower()[:3]]


def _count(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[" ".join(text.lower().split())]
