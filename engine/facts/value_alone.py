"""Whether two statements differ in a name or a number alone, in a language that has no rules. Pure."""

from __future__ import annotations

from engine.domain.terms import words
from engine.statements.parts import parts_of
from engine.statements.rules import surely_in
from engine.statements.statement import Statement

_MOST = 3
"""Words of a value."""


def value_alone(older: Statement, newer: Statement) -> bool:
    """ "Olaf bor i Lund", "Olaf bor i Kiruna": the same words but for a name, or for a number at the end."""
    before, after = words(older.said), words(newer.said)
    shorter = min(len(before), len(after))
    start = next((place for place in range(shorter) if before[place] != after[place]), shorter)
    rest = shorter - start
    end = next((place for place in range(rest) if before[-1 - place] != after[-1 - place]), rest)
    values = [said[start : len(said) - end] for said in (before, after)]
    if not set(before[:start]) - set(words(older.subject)) or not all(0 < len(one) <= _MOST for one in values):
        return False
    named = all(not each.names.isdisjoint(value) for each, value in zip((older, newer), values, strict=True))
    counted = not end and all(value[-1].isdigit() for value in values)
    return (named or counted) and not any(_read(each) for each in (older, newer))


def _read(said: Statement) -> bool:
    """Whether the rules know what it says: "Dave lives in Rome"; or that it tells of an event, which another does not replace:
    "Dave visited Rome"."""
    if said.claims or surely_in(said.said, said.language):
        return True
    return bool(said.language) and any(
        "past" in part.events for part in parts_of(said.said, said.subject, said.language).parts
    )
