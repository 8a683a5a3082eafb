"""Until when a plan holds. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

from engine.statements.statement import statement

_OF_A_DAY = frozenset(("date", "departure"))
"""Attributes of what is over when its day is."""
_DATES = frozenset(("deadline",))
"""Nouns of a day that is over with it."""


def holds_until(text: str, subject: str, said_at: datetime | None) -> datetime | None:
    """Until when a statement holds that speaks of a plan: the end of the one day that it names, as "flies to Oslo on May 3"; None
    where it is no plan, or names no day, or several."""
    said = statement(text, subject, said_at)
    dated = any(one.key in _OF_A_DAY and one.positive and one.form != "past" for one in said.claims)
    if any(one.one == "always" and one.key not in _OF_A_DAY | _DATES for one in said.claims):
        return None  # a birthday comes again
    planned = said.mood == "planned" or (said.mood == "said" and (dated or said.trip) and not said.past)
    if not planned or said.cancelled or said.day is None or len(said.times) != 1:
        return None
    zone = said_at.tzinfo if said_at else UTC
    end = datetime.combine(said.day + timedelta(days=1), time(), zone or UTC)
    return end if said_at is None or end > said_at else None
