"""Types of fields in the forms of models' answers: what is odd costs its field, an odd entry costs that entry.

    tags: "a, b" → ["a", "b"]      summary: ["a", "b"] → "a b"      line: "3" → 3      private: "true", null → true

Only where nothing of a list that matters can be read, the answer has not the form.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from math import isfinite
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from engine.language.tables import all_listed

LONGEST_TEXT, LONGEST_NAME = 2000, 200
MOST_NAMES = 24
_NOTHING = frozenset(("none", "null", "n/a"))
"""Texts that a model writes for no text."""
_NO = frozenset(("false", "0", "public", *all_listed("negation", "answer")))
_LIST = re.compile(r"\s*[,;\n]\s*")
_NUMBER = re.compile(r"\s*\[?(\d{1,9})(?:\.0+)?\]?\s*")
_PLAIN_ENTRY = ("text", "fact", "statement", "observation", "content", "description", "summary", "value")
"""Names under which a model gives the text of an entry, the right one first."""


def text_of(value: Any, longest: int) -> str:
    """A text on one line without what no text column holds; empty where there is none."""
    if isinstance(value, list):
        value = " ".join(one for one in value if isinstance(one, str))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return ""
    clean = value.replace("\x00", "").encode("utf-8", "ignore").decode("utf-8")
    return " ".join(clean.split())[:longest]


def _said(value: Any, longest: int) -> str:
    """A text that says something: a number is none, nor is "none"."""
    text = "" if isinstance(value, int | float) else text_of(value, longest)
    if not text or text.casefold().rstrip(".") in _NOTHING:
        raise ValueError("no text")
    return text


def _names(value: Any) -> list[str]:
    if isinstance(value, str):
        value = _LIST.split(value)
    if not isinstance(value, list):
        return []
    names = (text_of(name, LONGEST_NAME) for name in value if not isinstance(name, list))
    return list(dict.fromkeys(name for name in names if name))[:MOST_NAMES]


def _share(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.5
    return min(1.0, max(0.0, number)) if isfinite(number) else 0.5


def number_of(value: Any) -> int | None:
    """A number of a line or an entry, also as text; None where it is none."""
    if isinstance(value, str) and (found := _NUMBER.fullmatch(value)):
        value = int(found[1])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31 else None


def _number(value: Any) -> int:
    number = number_of(value)
    if number is None:
        raise ValueError("no number")
    return number


def _numbers(value: Any) -> list[int]:
    if isinstance(value, str):
        value = re.findall(r"\d{1,9}", value)
    found = (number_of(one) for one in (value if isinstance(value, list) else [value]))
    return list(dict.fromkeys(one for one in found if one is not None))[:1000]


def _yes(value: Any) -> bool:
    """Only what is clearly true."""
    return value is True or (isinstance(value, str) and value.strip().casefold() == "true")


def _not_no(value: Any) -> bool:
    """All but what is clearly false: what is unclear is private."""
    if isinstance(value, int | float):
        return value != 0
    return not (isinstance(value, str) and value.strip().casefold() in _NO)


Text = Annotated[str, BeforeValidator(lambda value: "" if isinstance(value, int) else text_of(value, LONGEST_TEXT))]
Said = Annotated[str, BeforeValidator(partial(_said, longest=LONGEST_TEXT))]
Name = Annotated[str, BeforeValidator(partial(text_of, longest=LONGEST_NAME))]
GivenName = Annotated[str, BeforeValidator(partial(_said, longest=LONGEST_NAME))]
Names = Annotated[list[str], BeforeValidator(_names)]
Share = Annotated[float, BeforeValidator(_share)]
Line = Annotated[int, BeforeValidator(lambda value: number_of(value) or 0)]
Number = Annotated[int, BeforeValidator(_number)]
Numbers = Annotated[list[int], BeforeValidator(_numbers)]
Yes = Annotated[bool, BeforeValidator(_yes)]
Private = Annotated[bool, BeforeValidator(_not_no), Field(validate_default=True)]


def entries(form: type[BaseModel], most: int, *, plain: str = "", needed: bool = False) -> Callable[[Any], Any]:
    """Reads a list entry by entry; what has not the form is left out. `plain`: the field that an entry of only a text fills;
    `needed`: a list of which nothing can be read, or no list, is a failure of the whole answer."""

    def read(value: Any) -> list[BaseModel]:
        given = [] if value is None else [value] if isinstance(value, dict | str) and value else value
        if not isinstance(given, list):
            given, value = [], given
        found = [one for entry in given if (one := _entry(form, entry, plain)) is not None]
        if needed and not found and value not in (None, [], ""):
            raise ValueError("nothing of the list can be read")
        return found[:most]

    return read


def _entry(form: type[BaseModel], entry: Any, plain: str) -> BaseModel | None:
    if plain and isinstance(entry, str):
        entry = {plain: entry}
    if plain == "text" and isinstance(entry, dict) and plain not in entry:
        entry = entry | {plain: next((entry[name] for name in _PLAIN_ENTRY if name in entry), None)}
    try:
        return form.model_validate(entry)
    except ValidationError:
        return None
