"""Since when and until when a relation holds, from the words around it. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from engine.language.dates import dates_in
from engine.language.tables import alternatives, each, keys, listed, one_of

NEAR = 90
"""Characters after the words of a relation in which its date stands."""
_SAID = {key: alternatives("periods", key) for key in ("since", "until", "at", "in_year", "near")}
_SAID |= {key: one_of("periods", key) for key in keys("periods") if key not in _SAID}
_MONTH = r"(?:[^\W\d_]{1,20}\.?,? )"
_ORDINAL = rf"(?:{'|'.join(ordinal for _, ordinal in each('time', 'ordinal'))})"
_LONG_MONTH = "|".join(
    name.title() for code, _ in each("time", "units") for name in listed(code, "dates", "month")[:12]
)
_DATE = (
    rf"(?:\d{{4}}-\d\d(?:-\d\d)?|(?:\d{{1,2}}(?:{_ORDINAL}|\.)? )?(?:(?:{_SAID['of']}) )?{_MONTH}?"
    rf"(?:\d{{1,2}}{_ORDINAL}?,? )?(?:19|20|1\d)\d\d|(?:{_LONG_MONTH})(?: \d{{1,2}}{_ORDINAL}?)?|{_SAID['near']})\b"
)
_SINCE = re.compile(rf"\b(?:{_SAID['since']})(?: (?:{_SAID['the']}))? (?P<date>{_DATE})", re.I)
_UNTIL = re.compile(rf"\b(?:{_SAID['until']}) (?P<date>{_DATE})", re.I)
_RANGE = re.compile(
    rf"(?:\b(?:{_SAID['between']}) )?(?P<date>{_DATE})(?: (?:{_SAID['to']}) | ?[-–—]{{1,2}} ?)(?P<last>{_DATE})"
)
_AT = re.compile(
    rf"(?:\b(?:{_SAID['at']}|{_SAID['in_year']}) )(?:(?:{_SAID['the']}) )?"
    rf"(?:(?:{_SAID['part']})[ -](?:(?:{_SAID['of']}) )?)?(?P<date>{_DATE})"
)
_BEFORE = re.compile(
    rf"^(?:(?P<since>{_SAID['since'].title()})|{_SAID['at'].title()})(?: (?:{_SAID['the']}))? (?P<date>{_DATE})"
)
_STOP = re.compile(
    rf";| (?:{_SAID['ends_before_no_number']}) (?!\d)| (?:{_SAID['ends']}) |, (?!\d)(?=\w+ (?:{_SAID['has']})\b)|[.!?]\s"
)
_BORN = one_of("clauses", "born")
_ASIDE = re.compile(rf"\((?!(?:{_BORN}) )[^()]*\)|\((?:{_BORN}) [^()]*\)(?= \w)")
"""Brackets hold the dates of a life, not those of what is said behind them."""
_OF_YEAR = re.compile(rf"\b(?:{_SAID['of_year']}) (\d{{4}}) ")
_YEAR = re.compile(r"(?<!\d)(1[0-8]\d\d)(?!\d)")


def first_day(partial: str | None) -> datetime | None:
    """The beginning of a year, month or day, as `2003`, `2003-05` or `2003-05-01`; None for anything else."""
    try:
        return datetime.fromisoformat(partial + "0000-01-01"[len(partial) :]).replace(tzinfo=UTC) if partial else None
    except ValueError:
        return None


def times(
    before: str, inside: str, after: str, *, over: bool, said_at: datetime | None
) -> tuple[str | None, str | None]:
    """Since when and until when. `before`: the sentence up to the relation; `over`: a single date is that of the end."""
    inside = _ASIDE.sub(" ", inside)
    near = after[:NEAR]
    stop = _STOP.search(near)
    near = near[: stop.start()] if stop else near
    for words in (near, inside):
        if span := _RANGE.search(words):
            return _read(span["date"], said_at), _read(span["last"], said_at)
        since, until = _SINCE.search(words), _UNTIL.search(words)
        if since or until:
            return since and _read(since["date"], said_at), until and _read(until["date"], said_at)
        if at := _AT.search(words):
            date = _read(at["date"], said_at)
            return (None, date) if over else (date, None)
    if of_year := _OF_YEAR.search(inside):
        return of_year[1], None
    if opening := _BEFORE.match(before):
        date = _read(opening["date"], said_at)
        return (date, None) if opening["since"] or not over else (None, date)
    return None, None


def _read(words: str, said_at: datetime | None) -> str | None:
    found = dates_in(f"in {words}", said_at)
    if found:
        return found[0]
    old = _YEAR.search(words)
    return old[1] if old else None
