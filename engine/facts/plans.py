"""Whether a statement says that a plan, an appointment or a validity is called off or over. Pure."""

from __future__ import annotations

from engine.domain.fact import FactRelation
from engine.language.detection import stem
from engine.statements.claim import DATED
from engine.statements.rules import rules_of
from engine.statements.statement import Statement


def plan_ended(older: Statement, newer: Statement) -> FactRelation:
    """ "The trip to Oslo is off" ends the plan of a trip to Oslo, and no wish; "my passport has expired" ends until when it was
    valid."""
    if newer.cancelled:
        return _cancelled(older, newer)
    if newer.returned and not newer.done:
        return _back(older, newer)
    matter = newer.matter
    planned = (
        older.mood in ("said", "planned")
        and (older.positive or bool(older.opposed))
        and not (older.cancelled or older.done or older.past)
    )
    told = newer.mood == "said" and (newer.positive or newer.over) and not (newer.beside or newer.past)
    if not planned or not told or not (_of_itself(older) if not matter else matter <= set(older.frame)):
        return "none"
    if any(one.one == "always" and one.key not in DATED for one in older.claims if one.key not in ("deadline",)):
        return "none"  # a birthday comes again
    if not older.times and older.mood != "planned":
        return "none"
    early = older.day is not None and newer.said_at is not None and older.day > newer.said_at.date()
    doubtful = early or older.compound or older.beside != newer.beside or newer.temporary  # "is over for today"
    return "maybe" if doubtful else "ends"


def _back(older: Statement, newer: Statement) -> FactRelation:
    """ "is back from parental leave" ends that somebody is on it."""
    away = {stem(word, newer.language) for word in rules_of(newer.language).words.get("away", ())}
    said = older.mood in ("said", "planned") and older.positive and not older.past
    known = any(one.key not in DATED for one in older.claims)
    rules = rules_of(newer.language)
    matter = newer.matter - rules.words.get("value_end", frozenset[str]())  # "aus der Elternzeit"
    there = bool(matter & away) and matter <= set(older.frame) and len(older.frame) <= len(matter) + 1
    if matter and matter <= {stem(word, newer.language) for word in rules.words.get("work", ())}:  # "is back at work"
        there = bool(older.frame) and set(older.frame) <= away
    told = newer.mood == "said" and newer.positive and not (newer.beside or newer.past)
    return "ends" if said and told and there and not known else "none"


def not_going(older: Statement, newer: Statement) -> bool:
    """ "isn't going to Crete after all" calls off each plan of a trip there whose day has not passed."""
    planned = older.mood in ("said", "planned") and older.positive and not (older.past or older.cancelled)
    told = newer.mood in ("said", "planned") and not (newer.positive or newer.past or newer.beside or newer.times)
    passed = older.day is not None and newer.said_at is not None and older.day < newer.said_at.date()
    if not (older.trip and newer.trip and planned and told) or passed or not (older.times or older.mood == "planned"):
        return False
    joins = rules_of(newer.language).words.get("value_end", frozenset[str]())
    there = set(newer.frame) - newer.trips - joins
    return bool(there) and there <= set(older.frame) and set(older.frame) - older.trips - joins == there


def _of_itself(older: Statement) -> bool:
    """Whether the subject is what takes place: "the Tamar Festival is on 19 July"."""
    return any(one.key in DATED and not one.bearer and one.form != "past" for one in older.claims)


def _of_another_month(older: Statement, newer: Statement) -> bool:
    """ "the concert is on 4 October"; "the concert last May was cancelled"."""
    months = rules_of(newer.language).months
    before, after = (
        {months[word] for one in each.times for word in one.split() if word in months} for each in (older, newer)
    )
    return bool(before and after) and not before & after


def _cancelled(older: Statement, newer: Statement) -> FactRelation:
    """Ends no plan whose day has passed."""
    planned = older.mood in ("said", "planned") and older.positive and not older.cancelled
    if not planned or newer.mood != "said" or not newer.positive:
        return "none"
    if _of_another_month(older, newer):
        return "none"
    matter = newer.matter - rules_of(newer.language).words.get("value_end", frozenset())  # "aus der Reise wird nichts"
    if not matter:
        return "ends" if _of_itself(older) else "none"
    shared = matter & set(older.frame)
    trips = older.trip and newer.trip
    dated = bool(older.times) or older.mood == "planned"
    if matter <= set(older.frame) or (trips and matter - newer.trips <= set(older.frame) and matter - newer.trips):
        return "ends" if dated else "maybe"
    return "maybe" if shared and dated else "none"
