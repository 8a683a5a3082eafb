"""The word lists that names are compared by, as data beside the code: read once, folded, never changed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache

from engine.language.tables import FOLDER

Section = Mapping[str, str]


@cache
def section(file: str, name: str) -> Section:
    """A section of a list: its keys with their words."""
    found = _read(file)[name]
    return {key: str(value) for key, value in found.items()} if isinstance(found, dict) else {}


@cache
def sections(file: str) -> Mapping[str, Mapping[str, Section]]:
    """A list of two levels: language, gender, full name."""
    return {language: genders for language, genders in _read(file).items() if isinstance(genders, dict)}


@cache
def word_set(file: str, name: str, key: str = "words") -> frozenset[str]:
    """The words of one key of a section."""
    return frozenset(section(file, name).get(key, "").split())


@cache
def lines(file: str, name: str) -> tuple[tuple[str, ...], ...]:
    """A list of lines of names divided by bars."""
    found = _read(file)[name]
    return tuple(tuple(line.split("|")) for line in str(found).strip().splitlines() if line.strip())


@cache
def _read(file: str) -> dict[str, object]:
    return tomllib.loads((FOLDER / "likeness" / f"{file}.toml").read_text(encoding="utf-8"))
