"""Judges labelled pairs of statements by the rules that compare facts, and counts endings: needs no store.

A line of a file is an object: `id`, `language`, `about`, `older`, `older_at`, `newer`, `newer_at` (days or instants, or
null), `expected` (same, changes, ends, contradicts, maybe, none), `kind`. An ending is `changes` or `ends`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

from engine.domain.fact import FactRelation
from engine.domain.names import name_key
from engine.errors import InvalidInput
from engine.facts.verdicts import relation, statement
from engine.lab.evaluation.figures import Figure, Figures, scores

ENDINGS = ("changes", "ends")
THRESHOLD = 0.88
"""How near two meanings are from which on one may replace the other, as the setting has it."""
Likeness = Callable[[str, str], float | None]


@dataclass(frozen=True, slots=True)
class FactPair:
    """Two statements about one subject, and what the newer one does to the older."""

    id: str
    language: str
    about: str
    older: str
    older_at: str | None
    newer: str
    newer_at: str | None
    expected: FactRelation
    kind: str


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A pair, and what the rules say of it."""

    pair: FactPair
    found: FactRelation


@dataclass(frozen=True, slots=True)
class FactPairsReport:
    """The tables, the pairs that are judged otherwise, and how many that are confirmed were ended."""

    data: Sequence[str]
    pairs: int
    confirmed_ended: int
    tables: Sequence[Figures]
    wrong: Sequence[Mapping[str, str]]


def fact_pairs_of(paths: Sequence[Path]) -> list[FactPair]:
    """The pairs of these files, and of the files of these folders. Raises InvalidInput."""
    files = [file for path in paths for file in (sorted(path.glob("*.jsonl")) if path.is_dir() else [path])]
    found = []
    for file in files:
        try:
            lines = file.read_text("utf-8").splitlines()
        except OSError as error:
            raise InvalidInput(f"{file.name} cannot be read: {error.strerror}.") from error
        for number, line in enumerate(lines, 1):
            if line.strip():
                found.append(_pair(line, f"{file.name}, line {number}"))
    if not found:
        raise InvalidInput(
            "There are no pairs: give files with a JSON object on each line, or a folder of .jsonl files."
        )
    return found


def _pair(line: str, where: str) -> FactPair:
    try:
        read = json.loads(line)
        pair = FactPair(**{name: read[name] for name in FactPair.__dataclass_fields__})
        _at(pair.older_at), _at(pair.newer_at)
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{where} is no pair of statements: {error}.") from error
    if pair.expected not in get_args(FactRelation):
        raise InvalidInput(f"{where}: expected is one of {', '.join(get_args(FactRelation))}.")
    return pair


def judged(pair: FactPair, likeness: float | None = None) -> FactRelation:
    """What the rules say of a pair. `likeness`: of the meanings of both."""
    about = name_key(pair.about) or "user"
    older, newer = statement(pair.older, about, _at(pair.older_at)), statement(pair.newer, about, _at(pair.newer_at))
    return relation(older, newer, likeness, THRESHOLD)


def _at(day: str | None) -> datetime | None:
    if day is None:
        return None
    at = datetime.fromisoformat(day)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def evaluate_fact_pairs(
    names: Sequence[str], pairs: Sequence[FactPair], likeness: Mapping[str, float] | None = None
) -> FactPairsReport:
    """Judges all pairs. `likeness`: of the meanings of a pair, by its id."""
    found = [JudgedPair(pair, judged(pair, (likeness or {}).get(pair.id))) for pair in pairs]
    tables = (
        Figures("Endings", _COLUMNS, {"all": _row(found)}),
        Figures("Endings by language", _COLUMNS, _by(found, lambda one: one.pair.language)),
        Figures("Endings by kind", _COLUMNS, _by(found, lambda one: one.pair.kind)),
    )
    wrong = [
        {"id": one.pair.id, "kind": one.pair.kind, "language": one.pair.language, "about": one.pair.about,
         "older": one.pair.older, "newer": one.pair.newer, "expected": one.pair.expected, "found": one.found}
        for one in found if one.found != one.pair.expected
    ]  # fmt: skip
    ended = sum(one.pair.expected == "same" and one.found in ENDINGS for one in found)
    return FactPairsReport(names, len(found), ended, tables, wrong)


_COLUMNS = ("pairs", "endings", "found", "wrong", "precision", "recall", "F1", "as expected")


def _row(found: Sequence[JudgedPair]) -> tuple[Figure, ...]:
    wanted = sum(one.pair.expected in ENDINGS for one in found)
    given = sum(one.found in ENDINGS for one in found)
    right = sum(one.found in ENDINGS and one.pair.expected in ENDINGS for one in found)
    exact = sum(one.found == one.pair.expected for one in found)
    return len(found), wanted, right, given - right, *scores(right, given, right, wanted), round(exact / len(found), 4)


def _by(found: Iterable[JudgedPair], key: Callable[[JudgedPair], str]) -> dict[str, tuple[Figure, ...]]:
    groups: dict[str, list[JudgedPair]] = {}
    for one in found:
        groups.setdefault(key(one), []).append(one)
    return {name: _row(groups[name]) for name in sorted(groups)}
