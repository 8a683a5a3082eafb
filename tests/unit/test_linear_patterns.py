"""No pattern that sees users' text takes more than its length: each is tried with the signs and words that it is made of, every
two of them in turn and one behind the other, at one length and at four times as much. Time of the processor counts, and only
where there is enough of it."""

from __future__ import annotations

import gc
import re
import re._constants as codes
import re._parser as parser
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import _lru_cache_wrapper
from importlib import import_module
from inspect import signature
from itertools import islice, product
from pkgutil import walk_packages
from time import process_time
from typing import Any

import pytest

import engine.communities
import engine.domain
import engine.entities
import engine.facts
import engine.ingest
import engine.knowledge
import engine.language
import engine.naming
import engine.privacy
import engine.relations
import engine.retrieval
import engine.statements
from engine.privacy.shapes import FINDERS, PHONES, SECRETS

PACKAGES = (
    engine.communities,
    engine.domain,
    engine.entities,
    engine.facts,
    engine.ingest,
    engine.knowledge,
    engine.language,
    engine.naming,
    engine.privacy,
    engine.relations,
    engine.retrieval,
    engine.statements,
)
LENGTH, LONG_LENGTH = 1200, 3000
UNITS, LONG_UNITS = 10, 48
FLOOR = 0.004
"""Seconds of the processor below which a length is not compared: it would take minutes to become a second."""
FAR_OVER = 0.25
"""Seconds of the processor that no linear pattern needs for a length: four times as much is not waited for."""
MOST = 8.0
"""How often as much four times the length may take: 4 is linear, 16 the square."""
_CATEGORY = {codes.CATEGORY_DIGIT: "1", codes.CATEGORY_SPACE: " ", codes.CATEGORY_WORD: "a1_"}

_INSIDE: dict[Any, Callable[[Any], Any]] = {
    **dict.fromkeys((codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT), lambda value: [value[2]]),
    codes.SUBPATTERN: lambda value: [value[3]],
    codes.ATOMIC_GROUP: lambda value: [value],
    **dict.fromkeys((codes.ASSERT, codes.ASSERT_NOT), lambda value: [value[1]]),
    codes.BRANCH: lambda value: value[1],
}
"""Where the parts of a part of a pattern stand."""

Work = Callable[[str], object]


def patterns() -> dict[tuple[str, int], str]:
    """Every compiled pattern of the packages with a module where it stands."""
    found: dict[tuple[str, int], str] = {}
    for package in PACKAGES:
        for entry in walk_packages(package.__path__, f"{package.__name__}."):
            for name, value in vars(import_module(entry.name)).items():
                for pattern in inside(value):
                    found.setdefault((pattern.pattern, pattern.flags), f"{entry.name}.{name}")
    return found


def inside(value: Any, depth: int = 0) -> Iterator[re.Pattern[str]]:
    """The patterns in a value, in what it holds, in what its function closes over, and in what a function makes when it is first called."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, _lru_cache_wrapper):
        own = value.__module__.startswith("engine.") and not signature(value).parameters
        yield from inside(value(), depth) if own else ()
    elif depth < 4:
        parts: Any = ()
        if isinstance(value, dict):
            parts = value.values()
        elif isinstance(value, tuple | list | set | frozenset):
            parts = value
        elif is_dataclass(value) and not isinstance(value, type):
            parts = [getattr(value, one.name) for one in fields(value)]
        elif getattr(value, "__closure__", None):
            parts = [cell.cell_contents for cell in value.__closure__]
        for part in parts:
            yield from inside(part, depth + 1)


def units(pattern: str, flags: int, most: int) -> list[str]:
    """What the texts are made of: one sign for each set of classes of the pattern that has it, and the words of the pattern."""
    classes: list[str] = []
    words: dict[str, None] = {}
    _read(parser.parse(pattern, flags), classes, words)
    of: dict[frozenset[int], str] = {}
    for sign in dict.fromkeys(sign for one in classes for sign in one):
        of.setdefault(frozenset(number for number, one in enumerate(classes) if sign in one), sign)
    signs = [*of.values(), "a", " ", "1", "é"]
    return list(dict.fromkeys([*signs[: most * 2 // 3], *islice(words, most - most * 2 // 3)]))


def _read(parsed: Any, classes: list[str], words: dict[str, None]) -> None:
    word = ""
    for code, value in [*parsed, (None, None)]:
        if code is codes.LITERAL:
            word += chr(value)
            continue
        if word:
            words[word] = None
            if not word[0].isalpha():
                classes.append(word[0])
        word = ""
        if code is codes.IN:
            classes.append("".join(_signs(value)))
        for inner in _INSIDE.get(code, lambda _: [])(value):
            _read(inner, classes, words)


def _signs(members: Any) -> Iterator[str]:
    for code, value in members:
        if code is codes.LITERAL:
            yield chr(value)
        elif code is codes.RANGE:
            yield from (chr(value[0]), chr(value[1]))
        elif code is codes.CATEGORY:
            yield _CATEGORY.get(value, "-")
        elif code is codes.NEGATE:
            yield from "-'~"


def seconds(work: Work, text: str, times: int = 1) -> float:
    def once() -> float:
        began = process_time()
        work(text)
        return process_time() - began

    return min(once() for _ in range(times))


def grows(work: Work, begin: str, unit: str, length: int) -> bool:
    """Whether four times as much of a unit, with an end and without, takes far more than four times as long."""
    for end in ("", " @"):
        text, long = (begin + unit * (size // len(unit)) + end for size in (length, 4 * length))
        spent = seconds(work, text)
        if spent < FLOOR:
            continue
        if spent > FAR_OVER:
            return True
        if all(seconds(work, long, times) > MOST * seconds(work, text, times) for times in (1, 3)):
            return True
    return False


def over(work: Work, made_of: list[str], length: int) -> tuple[str, str] | None:
    """The first beginning and unit with which it grows."""
    pairs = list(product(made_of, repeat=2))
    turns = [("", first + second) for first, second in pairs if first != second]
    return next((pair for pair in [*turns, *pairs] if grows(work, *pair, length)), None)


def all_matches(pattern: re.Pattern[str]) -> Work:
    def work(text: str) -> None:
        for _ in pattern.finditer(text):
            pass

    return work


@pytest.fixture(autouse=True)
def without_collections() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def test_every_pattern_takes_no_more_than_its_length(long: bool) -> None:
    most, length = (LONG_UNITS, LONG_LENGTH) if long else (UNITS, LENGTH)
    found = patterns()
    assert len(found) > 150
    slow = {
        f"{where}: {pattern[:60]}": pair
        for (pattern, flags), where in found.items()
        if (pair := over(all_matches(re.compile(pattern, flags)), units(pattern, flags, most), length)) is not None
    }
    assert not slow


FINDING = {f"{kind} {number}": find for kind, finders in FINDERS.items() for number, find in enumerate(finders)}


@pytest.mark.parametrize("name", FINDING)
def test_every_finder_takes_no_more_than_its_length(name: str, long: bool) -> None:
    [pattern] = inside(FINDING[name])
    made_of = units(pattern.pattern, pattern.flags, LONG_UNITS if long else UNITS)
    assert over(lambda text: list(FINDING[name](text)), made_of, LENGTH) is None
    assert {*PHONES, *SECRETS} <= {*FINDING.values()}


@pytest.mark.parametrize("pattern", [r"[a-z]+!", r"(?<![\w.])[\w.~]+@", r"\s+$", r"(?:[A-Z]\w+ )?x"])
def test_a_pattern_that_takes_more_is_found(pattern: str) -> None:
    assert over(all_matches(re.compile(pattern)), units(pattern, 0, UNITS), LONG_LENGTH) is not None
