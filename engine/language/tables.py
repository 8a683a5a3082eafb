"""The words of each language, as `data/<code>.toml` has them: read once, when they are first asked for.

Every file has the tables that `data/tables.toml` names, and no others; one of which a language has no words is empty there. Code
asks for one language, or for the words of all in turn: another language is another file. `others.toml` has some tables of others.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "de", "es", "pt", "fr", "it", "nl", "pl", "sv", "da", "tr", "cs")
"""Languages that are distinguished, by their ISO 639-1 codes; the first is the default."""
FOLDER = Path(__file__).with_name("data")
_SCHEMA, _OTHERS = "tables", "others"
NOTHING = "(?!)"
"""The pattern of what a language has no words for."""
Table = Mapping[str, Any]


class LanguageFileError(ValueError):
    """A file of a language is not as `tables.toml` says; the message names the file, the table and the key."""


@cache
def codes() -> tuple[str, ...]:
    """The languages that there are words of, in the order in which they are distinguished."""
    found = {path.stem for path in FOLDER.glob("*.toml")} - {_SCHEMA, _OTHERS}
    return tuple(sorted(found, key=lambda code: (LANGUAGES.index(code) if code in LANGUAGES else len(LANGUAGES), code)))


def codes_without_file() -> tuple[str, ...]:
    """The languages of which some tables are known, but which have no file of their own."""
    return tuple(code for code in _others() if code not in codes())


@cache
def schema() -> Mapping[str, Table]:
    """By table what it says (`about`) and which keys it may have: `keys`, words with spaces, or `*` for any."""
    return tomllib.loads((FOLDER / f"{_SCHEMA}.toml").read_text("utf-8"))


def keys(name: str) -> tuple[str, ...]:
    """The keys that a table may have, in order."""
    return tuple(schema()[name]["keys"].split())


@cache
def language(code: str) -> Mapping[str, Any]:
    """The tables of a language; empty ones where there are none of it."""
    if code not in codes():
        return {name: _others().get(code, {}).get(name, {}) for name in schema()}
    read = _read(code)
    if missing := sorted(schema().keys() - read.keys()):
        raise LanguageFileError(f"{code}.toml lacks the tables {', '.join(missing)} (empty ones are written, too)")
    _check(f"{code}.toml", read)
    return read


@cache
def _others() -> Mapping[str, Mapping[str, Any]]:
    """The tables that there are of languages without a file."""
    if not (FOLDER / f"{_OTHERS}.toml").is_file():
        return {}
    read = _read(_OTHERS)
    for code, found in read.items():
        _check(f"{_OTHERS}.toml [{code}]", found)
    return read


def _read(name: str) -> dict[str, Any]:
    try:
        return tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise LanguageFileError(f"{name}.toml is no TOML: {error}") from error


def table(code: str, name: str) -> Table:
    """One table of a language."""
    found: Table = language(code)[name]
    return found


def listed(code: str, name: str, key: str) -> tuple[str, ...]:
    """The words of a key, in order; none where the language has none."""
    return tuple(filter(None, (one.strip() for one in table(code, name).get(key, "").split(","))))


@cache
def all_listed(name: str, key: str) -> tuple[str, ...]:
    """The words of a key in every language, in turn."""
    return tuple(word for code, _ in each(name, key) for word in listed(code, name, key))


@cache
def alternatives(name: str, key: str) -> str:
    """The patterns of a key in every language, as one; it matches nothing where none has one."""
    return "|".join(said for _, said in each(name, key)) or NOTHING


def both_signs(words: Iterable[str]) -> Iterator[str]:
    """The words, and those with an apostrophe with the other sign of it, too."""
    return (form for word in words for form in dict.fromkeys((word, word.replace("'", "’"))))


@cache
def one_of(name: str, key: str) -> str:
    """A pattern of the words of a key in every language, the longest first; it matches nothing where none has one. An apostrophe
    stands for either sign of it."""
    words = sorted(dict.fromkeys(all_listed(name, key)), key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\ ", " ").replace("'", "['’]") for word in words) or NOTHING


def each(name: str, key: str) -> Iterator[tuple[str, str]]:
    """The languages that have a key, with what it says."""
    every = (*codes(), *codes_without_file())
    return ((code, said) for code in every if (said := table(code, name).get(key)))


def is_unspaced(code: str) -> bool:
    """Whether a language has no spaces between words."""
    return bool(table(code, "spelling").get("unspaced"))


@cache
def month_numbers(code: str) -> Mapping[str, int]:
    """The number of each name of a month: the twelve in order, and short ones that begin as they do."""
    names = listed(code, "dates", "month")
    months = {name: number for number, name in enumerate(names[:12], 1)}
    for short in names[12:]:
        months[short] = next(number for name, number in months.items() if name.startswith(short))
    return months


def _check(file: str, read: Mapping[str, Any]) -> None:
    wanted = schema()
    if unknown := sorted(read.keys() - wanted.keys()):
        raise LanguageFileError(f"{file} has tables that tables.toml does not name: {', '.join(unknown)}")
    for name, content in read.items():
        if not isinstance(content, dict):
            raise LanguageFileError(f"{file}: {name} is no table")
        known = wanted[name]["keys"].split()
        if known != ["*"] and (unknown := sorted(content.keys() - set(known))):
            raise LanguageFileError(f"{file}: [{name}] has keys that tables.toml does not name: {', '.join(unknown)}")
        inner = set(wanted[name].get("forms", "").split())
        for key, value in content.items():
            if inner and isinstance(value, dict) and (unknown := sorted(value.keys() - inner)):
                raise LanguageFileError(
                    f"{file}: [{name}.{key}] has keys that tables.toml does not name: {', '.join(unknown)}"
                )
            if not isinstance(value, dict if inner else str | int):
                raise LanguageFileError(f"{file}: {name}.{key} is of another kind than the words of that table")
