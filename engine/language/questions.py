"""What a question asks for, by words and forms of verbs, in its language. Pure.

self    whether it is about the one who asks: "Where do I work?", "Wie heißt mein Arzt?", "¿Dónde trabajo?"
time    whether it asks for what was, or for what is now
state   the period of a state: "What was my dose in October?" asks for what held then, whenever said; "What did I do in October?"
        asks for what happened, and names no such period
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Literal

from engine.language.detection import language_of
from engine.language.tables import alternatives, each, is_unspaced, listed, month_numbers, table

Period = tuple[datetime, datetime]
"""Its beginning, and the first moment after it."""
_YEAR = r"(?P<year>(?:19|20)\d\d)"
AskedTime = Literal["past", "present", "open"]
"""`open`: the question says neither; it is read as a question for the present state."""


def asks_for_self(question: str, languages: Collection[str]) -> bool:
    """`languages`: those that the question may be in; of all that are known where none of these is, as for a short one."""
    text = _addressed().sub(" ", question)
    patterns = _words_for_self()
    spoken = patterns.keys() & set(languages) or patterns.keys()
    if any(one.search(text) for code, one in patterns.items() if code in spoken or is_unspaced(code)):
        return True
    return not spoken.isdisjoint(code for code, _ in each("questions", "self_verbs")) and bool(_verbs().search(text))


@cache
def _words_for_self() -> Mapping[str, re.Pattern[str]]:
    """Words for oneself, by language."""
    return {
        code: re.compile(said if is_unspaced(code) else rf"\b(?:{said})\b", re.IGNORECASE)
        for code, said in each("questions", "self")
    }


@cache
def _verbs() -> re.Pattern[str]:
    """Where a language says I by the verb: "¿Dónde trabajo?"."""
    before, asking, denied, verbs = (
        alternatives("questions", key) for key in ("asking_before", "asking", "self_denied", "self_verbs")
    )
    return re.compile(
        rf"^\W*(?:\w+\s+){{0,2}}(?:(?:{before})\s+)?(?:{asking})\s+(?:(?:{denied})\s+)?(?:{verbs})\b", re.IGNORECASE
    )


@cache
def _addressed() -> re.Pattern[str]:
    """What is asked of the one who answers says nothing of who is asked about: "Tell me where Ellen lives"."""
    return re.compile(rf"\b(?:{alternatives('questions', 'addressed')})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _StateWords:
    """How a language asks for a state, and names a month: `month` is a word, or a number. No months where `dates` reads them."""

    state: re.Pattern[str]
    months: re.Pattern[str] | None
    numbers: Mapping[str, int]


@cache
def _words() -> tuple[_StateWords, ...]:
    digits = {str(number): number for number in range(1, 13)}
    return tuple(
        _StateWords(
            re.compile(state if is_unspaced(code) else rf"\b(?:{state})\b", re.IGNORECASE),
            _months_said(code),
            {**month_numbers(code), **digits},
        )
        for code, state in each("questions", "state")
    )


def _months_said(code: str) -> re.Pattern[str] | None:
    said = table(code, "questions")
    if "month_before" in said:
        names = "|".join(listed(code, "dates", "month")[:12])
        return re.compile(
            rf"\b(?:{said['month_before']}) (?P<month>{names})\b(?:{said['month_year']}{_YEAR})?", re.IGNORECASE
        )
    return re.compile(said["month_written"]) if "month_written" in said else None


def months_of_states(question: str) -> tuple[str, ...]:
    """The months for which a question asks for a state, in a language whose dates `dates` does not read: ISO prefixes, `*-10` for
    an October of no year."""
    return tuple(dict.fromkeys(_months(question)))


def _months(question: str) -> Iterator[str]:
    for words in _words():
        if words.months is not None and words.state.search(question):
            for match in words.months.finditer(question):
                yield f"{match['year'] or '*'}-{words.numbers[match['month'].lower()]:02d}"


def state_asked(question: str, dates: Sequence[str], now: datetime) -> Period | None:
    """`dates`: those that the question names, as ISO prefixes, `*-10` for the October that began last."""
    read = any(words.months is None and words.state.search(question) for words in _words())
    told = [*(dates if read else ()), *months_of_states(question)]
    periods = [period for one in told if (period := _period(one, now)) is not None]
    return (min(start for start, _ in periods), max(end for _, end in periods)) if periods else None


def _period(prefix: str, now: datetime) -> Period | None:
    year, _, rest = prefix.partition("-")
    month, day = ([int(part) for part in rest.split("-")] + [0, 0])[:2] if rest else (0, 0)
    try:
        number = now.year if year == "*" else int(year)
        start = datetime(number, month or 1, day or 1, tzinfo=UTC)
        if year == "*" and start > now:
            start = start.replace(year=number - 1)
        if day:
            return start, start + timedelta(days=1)
        if month:
            return start, (start + timedelta(days=31)).replace(day=1)
        return start, start.replace(year=start.year + 1)
    except (ValueError, OverflowError):  # a day that the calendar does not have, the last year that there is
        return None


def asked_time(question: str) -> AskedTime:
    """What a question asks for. Words for the present outweigh forms of the past: "what has become of it now"."""
    language = language_of([question])  # English where it has no stop words
    return next((time for time, said in _words_of_times().get(language, ()) if said.search(question)), "open")


@cache
def _words_of_times() -> Mapping[str, tuple[tuple[AskedTime, re.Pattern[str]], ...]]:
    """By language what asks for the present, and for the past."""
    times: tuple[AskedTime, ...] = ("present", "past")
    found: dict[str, tuple[tuple[AskedTime, re.Pattern[str]], ...]] = {}
    for time in times:
        for code, said in each("questions", time):
            found[code] = (*found.get(code, ()), (time, re.compile(rf"\b(?:{said})\b", re.IGNORECASE)))
    return found
