"""Whether another value of an attribute takes the place of the older one. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.domain.fact import FactRelation
from engine.facts.partings import narrow
from engine.language.detection import stem
from engine.language.tables import one_of
from engine.statements.claim import DATED, Claim
from engine.statements.conditions import COUNT
from engine.statements.rules import Values, attributes, rules_of
from engine.statements.statement import Statement
from engine.statements.values import same_level, unit_of

_NAMED: Mapping[Values, Values] = {"organization": "name", "place": "name"}
"""Kinds of which the values are names."""
_HOUR = re.compile(rf"\d{{1,2}}(?:[:.h]\d{{2}}| ?(?:{one_of('dates', 'hour')}))")
_OF_BIRTH = ("birthday", "birthdate")
_PLACED = ("home", "headquarters", "birthplace", "place")


def another(older: Claim, newer: Claim, before: Statement, after: Statement) -> FactRelation:
    """What another value of an attribute does to the older one."""
    named = bool(newer.old) and newer.old <= older.value
    within = older.key in _PLACED and not named and not same_level(older.shown, newer.shown, after.language)
    if older.value < newer.value or within:  # more exactly: a branch of Acme, a street of Leeds
        return "none"
    if _NAMED.get(older.kind, older.kind) != _NAMED.get(newer.kind, newer.kind):
        return (
            "none"
            if older.one == "never" or newer.kind in ("text", "date") or older.kind in ("text", "date")
            else "maybe"
        )
    doubtful = (
        _measured_otherwise(older, newer, before, after),
        older.key in _PLACED and before.language != after.language,  # Munich, München
        not newer.firm and not named,
        bool(newer.old) and not (newer.old & older.value) and older.key not in DATED,
        _had_passed(older, before, after),
        _one_of_several(older, newer, before, after),
    )
    return "maybe" if any(doubtful) else _replaced(older, newer, before, after, named=named)


def another_hour(older: Statement, newer: Statement) -> bool:
    """ "The shop opens at 10:00", "the shop opens at 10:30 now": one hour each, and no day."""
    hours = [len(each.times) == 1 and all(map(_HOUR.fullmatch, each.times)) for each in (older, newer)]
    changed = newer.changed and newer.positive and older.positive and not (older.trip or newer.trip)
    return all(hours) and changed and older.times != newer.times


def now_by_another(older: Statement, newer: Statement) -> bool:
    """ "drives bus 9", "now drives bus 11"; not "Room 12 is free", "has key 3", "now has key 4"."""
    frames = older.frame[:-1] == newer.frame[:-1] and older.begins and newer.begins
    last = all(
        each.numbers and each.numbers[-1].names and each.numbers[-1].place == len(each.frame) - 1
        for each in (older, newer)
    )
    rules = rules_of(newer.language)
    owned = any(
        rules.has("owning", word) or rules.has("holding", word)
        for word in (*newer.plain, *newer.said.casefold().split())
    )
    only = len(older.numbers) == len(newer.numbers) == 1 and not (
        older.times or newer.times or older.beside or newer.beside
    )
    return (
        frames and last and only and older.habit and newer.changed and not owned and older.positive and newer.positive
    )


def _replaced(older: Claim, newer: Claim, before: Statement, after: Statement, *, named: bool) -> FactRelation:
    if older.one == "always":
        return "changes"
    if older.one == "usually":
        dated = newer.key == "owner" and bool(after.times - before.times)  # "belongs since May to"
        moved = newer.form in ("moves", "swaps") or dated or (after.changed and newer.form != "begins")
        return "changes" if named or moved else "maybe"
    if newer.key in attributes():
        return "none"  # a role, of which there may be several
    now = after.changed and newer.form == older.form == "holds" and newer.kind in ("number", "name")
    if now or newer.form == "moves":
        return "changes"  # "my locker is now 91", "the fee went up to 30 euros"
    return "none" if newer.kind == "name" else "maybe"


def _had_passed(older: Claim, before: Statement, after: Statement) -> bool:
    """Whether the day of an older date had passed when the newer was said: it is of another occasion, if it is no correction."""
    dated = older.kind == "date" and older.key not in _OF_BIRTH and not after.corrected
    return dated and before.day is not None and after.said_at is not None and before.day < after.said_at.date()


def _one_of_several(older: Claim, newer: Claim, before: Statement, after: Statement) -> bool:
    """ "The bus leaves at 8:15", "the bus leaves at 8:45": there may be two, where nothing says that it was moved; so with two
    towns that an office is in, but not with two numbers of one room."""
    words = older.bearer | frozenset(before.subject.split())
    several = any(rules_of(before.language).has("several", word) for word in words)
    one_of = several and (older.kind == "date" or older.key in _PLACED)
    office = older.key == "workplace" and "number" not in (older.kind, newer.kind)
    return (one_of or office) and newer.form == "holds" and not (after.changed or after.corrected or newer.old)


def _measured_otherwise(older: Claim, newer: Claim, before: Statement, after: Statement) -> bool:
    """Whether two numbers have other units, or count other things."""
    counted = newer.key.startswith(COUNT) and not _same_count(older, newer, before, after)
    parts = rules_of(after.language).words.get("daypart", frozenset[str]())
    told = [{*each.said.casefold().replace(".", " ").split()} & parts for each in (before, after)]
    return (
        counted
        or (newer.key == "dose" and told[0] != told[1])
        or (newer.kind == "number" and _units_differ(older, newer, after))
    )


def _units_differ(older: Claim, newer: Claim, after: Statement) -> bool:
    """ "10 mg", "10 ml"; not "10 mg a day", "5 mg"."""
    one, other = ({word.rstrip("s") for word in unit_of(each.value)} for each in (older, newer))
    rules = rules_of(after.language)
    nested = (one <= other or other <= one) and all(rules.has("plain", word) for word in one ^ other)
    return bool(one and other) and not nested


def _same_count(older: Claim, newer: Claim, before: Statement, after: Statement) -> bool:
    """Whether nothing else tells two counts apart: "12 rooms upstairs", "12 rooms in the annex"."""
    left = [
        set(each.core) - {stem(word, each.language) for word in claim.words | claim.bearer} - claim.words - claim.value
        for each, claim in ((before, older), (after, newer))
    ]
    dated = after.times and (not after.changed or narrow(after))  # "we now have four volunteers for Sunday"
    return left[0] == left[1] and not before.times and not dated
