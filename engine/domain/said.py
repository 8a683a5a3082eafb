"""When something was said, by the clock of who said it.

A time is stored as an instant, so 23:30 on March 10 in Chicago is March 11 in UTC. So that "March 10" and "yesterday" mean the
day of the speaker, the offset from UTC is kept among the dates of an item, as `@-06:00`. What was stored before has none: its
days are UTC.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone

from engine.language.dates import dates_in

MARK = "@"
"""What an offset among dates begins with; none of them does."""


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
