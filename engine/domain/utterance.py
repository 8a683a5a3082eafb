"""What is written beside every turn, so that a search need not read it again; and when it was said, by the clock of who said it.

Whether a turn asks, answers, opens a conversation or speaks of its speaker helps to find an answer
as much as its words do. All of it comes from the text and the turn before; no model is called.

A time is stored as an instant, so 23:30 on March 10 in Chicago is March 11 in UTC. So that "March 10" and "yesterday" mean the
day of the speaker, the offset from UTC is kept among the dates of an item, as `@-06:00`. What was stored before has none: its
days are UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache, lru_cache

from engine.language.dates import dates_in, time_expressions
from engine.language.tables import alternatives

MARK = "@"
"""What an offset among dates begins with; none of them does."""

_WORDS = re.compile(r"\w+")
_ASKING = "[?\uff1f\u061f\u037e]"  # Latin, full width, Arabic, Greek
_QUESTION_MARK = re.compile(_ASKING)
_ENDS_ASKING = re.compile(_ASKING + "[^\\w?]*$")
_STAMP = re.compile(r"\[?\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?Z?)?\]?")


def spoken_dates(text: str, said_at: datetime | None) -> tuple[str, ...]:
    """The dates that a text names, with the offset of the time at which it was said, if that is not UTC."""
    return (*dates_in(text, said_at), *offset_of(said_at))


def offset_of(said_at: datetime | None) -> tuple[str, ...]:
    """The offset of a time, as it is kept among dates; none for UTC."""
    minutes = minutes_of(said_at)
    if not minutes:
        return ()
    hours, rest = divmod(abs(minutes), 60)
    return (f"{MARK}{'-' if minutes < 0 else '+'}{hours:02d}:{rest:02d}",)


def minutes_of(said_at: datetime | None) -> int | None:
    """The offset of a time in whole minutes; None for UTC and where there is none."""
    offset = said_at.utcoffset() if said_at is not None else None
    return round(offset.total_seconds() / 60) or None if offset else None


def named_dates(dates: Iterable[str]) -> tuple[str, ...]:
    """The dates of an item that its text names."""
    return tuple(one for one in dates if not one.startswith(MARK))


def spoken_at(said_at: datetime | None, dates: Iterable[str]) -> datetime | None:
    """The time of an item by the clock of its speaker."""
    for one in dates:
        if one.startswith(MARK) and said_at is not None:
            hours, _, minutes = one[2:].partition(":")
            ahead = int(hours) * 60 + int(minutes)
            return at_offset(said_at, -ahead if one[1] == "-" else ahead)
    return said_at


def at_offset(said_at: datetime | None, minutes: int | None) -> datetime | None:
    """The same instant by a clock that is so many minutes ahead of UTC; as it is where there is no such time."""
    if said_at is None or not minutes:
        return said_at
    try:
        return said_at.astimezone(timezone(timedelta(minutes=minutes)))
    except OverflowError:  # on the first or the last day that there is
        return said_at


@dataclass(frozen=True, slots=True)
class Utterance:
    """The columns of a turn that come from its text and its neighbour; the names are those of the table.

    `is_question`: it ends by asking, so the answer lies elsewhere. `previous_has_question`: the turn before
    asks something, wherever in it, so this one may answer.
    """

    is_question: bool
    previous_has_question: bool
    first_of_session: bool
    first_person: bool
    word_count: int
    time_expressions: int


def utterance(text: str, previous: str | None) -> Utterance:
    """The columns of a turn. `previous`: the text of the turn before, None for the first of its session."""
    return Utterance(
        is_question=_ENDS_ASKING.search(text) is not None,
        previous_has_question=previous is not None and has_question(previous),
        first_of_session=previous is None,
        first_person=_first_person().search(text) is not None,
        word_count=len(_WORDS.findall(text)),
        time_expressions=min(time_expressions(text), 32767),
    )


def has_question(text: str) -> bool:
    """Whether the text asks anything, wherever it does."""
    return _QUESTION_MARK.search(text) is not None


def embedded_text(text: str, speakers: Iterable[str]) -> str:
    """The text as it is embedded: without the speakers' names and without time stamps, which are columns.

    A name left in would make everything that its speaker said similar to every question about them.
    The text stays as it is where nothing else would remain.
    """
    stripped = _STAMP.sub(" ", text)
    names = _name_forms(tuple(sorted(set(speakers))))
    if names is not None:
        stripped = names.sub(" ", stripped)
    stripped = " ".join(stripped.split())
    return stripped if _WORDS.search(stripped) else text


def below(heading: str, text: str) -> str:
    """A text as it is embedded below its heading: what a passage is about often stands there alone."""
    return f"{heading}. {text}" if heading and text else heading or text


@lru_cache(maxsize=1024)
def _name_forms(speakers: tuple[str, ...]) -> re.Pattern[str] | None:
    """Matches full names and their parts, with a possessive ending."""
    forms = {form for name in speakers for form in (name, *name.split()) if len(form) > 1}
    if not forms:
        return None
    choices = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
    return re.compile(rf"\b(?:{choices})\b(?:['’]s\b)?", re.IGNORECASE)


@cache
def _first_person() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{alternatives('pronouns', 'first_person')})\b", re.I)
