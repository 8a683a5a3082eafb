"""Where in a JSON document something is wrong: checks of single values that name their place.

A place reads like `conversations[3].turns[7].text`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.domain.clock import time_problem
from engine.domain.names import clean_name
from engine.errors import InvalidHistory, InvalidName

LONGEST_ID = 400
"""Characters of a source's own id: it goes into keys that must stay whole."""

Skipped = Counter[str]
"""What was empty and left out, by kind: "conversations without turns" → 2."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_EXPECTED = {"string_type": "a text", "list_type": "a list", "dict_type": "an object", "model_type": "an object"}


class Form(BaseModel):
    """An object of a document: types are not converted, unknown fields are ignored."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


Entry = TypeVar("Entry")
Few = Annotated[list[Entry], Field(fail_fast=True)]
"""A list that ends at its first wrong entry: the errors of millions would not fit into memory."""

FormType = TypeVar("FormType", bound=Form)


def filled(form: type[FormType], raw: object, place: str) -> FormType:
    """The form filled from a JSON value. Raises InvalidHistory at the first field that does not fit."""
    try:
        return form.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = joined(place, *first["loc"])
        if first["type"] == "missing":
            raise InvalidHistory("This field is missing.", path=where) from error
        expected = _EXPECTED.get(first["type"])
        found = kind_of(first["input"])
        detail = f"Expected {expected}, found {found}." if expected else f"{first['msg']}, found {found}."
        raise InvalidHistory(detail, path=where) from error


def emptied(form: type[FormType], raw: object, place: str) -> FormType:
    """As `filled`; empties the object, so that what the form releases is freed."""
    result = filled(form, raw, place)
    if isinstance(raw, dict):
        raw.clear()
    return result


def joined(place: str, *steps: str | int) -> str:
    """The place of a field or list entry below a place."""
    for step in steps:
        if isinstance(step, int):
            place += f"[{step}]"
        elif _WORD.fullmatch(step):
            place += f".{step}" if place else step
        else:
            place += f"[{step[:60]!r}]"
    return place


def drained(entries: list[object], place: str) -> Iterator[tuple[str, object]]:
    """Each entry with its place; removes it from the list, so that not all forms and values are held at once."""
    for number, entry in enumerate(entries):
        entries[number] = None
        yield joined(place, number), entry


def storable(text: str, place: str) -> str:
    """The text itself. Raises InvalidHistory for a NUL character, which Postgres cannot hold."""
    if "\x00" in text:
        raise InvalidHistory(f"Character {text.index(chr(0)) + 1} is NUL, which cannot be stored.", path=place)
    return text


def identifier(text: str, place: str) -> str:
    """An id of the source. Raises InvalidHistory unless it has 1 to 400 storable characters."""
    if not 1 <= len(text) <= LONGEST_ID:
        raise InvalidHistory(f"An id has 1 to {LONGEST_ID} characters; this one has {len(text):,}.", path=place)
    return storable(text, place)


def named(raw: str, place: str) -> str:
    """The clean name. Raises InvalidName with the place."""
    try:
        return clean_name(raw)
    except InvalidName as error:
        raise InvalidName(f"{error.detail} (at {place})") from error


def moment(raw: str | None, place: str) -> datetime | None:
    """A date-time from ISO 8601 with the offset it was written with, None for null. Raises InvalidHistory.

    The offset stays: "yesterday" counts from the day on the speaker's calendar. Without one it is UTC.
    """
    if raw is None:
        return None
    try:
        return _aware(datetime.fromisoformat(raw))
    except ValueError as error:
        shown = storable(raw[:60], place)
        raise InvalidHistory(f"{shown!r} is not an ISO 8601 date-time.", path=place) from error


def _aware(parsed: datetime) -> datetime:
    """Raises ValueError for what no store can hold: far offsets, the ends of time in UTC."""
    aware = parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=UTC)
    if problem := time_problem(aware):
        raise ValueError(problem)
    return aware


def kind_of(value: object) -> str:
    """The kind of a JSON value, for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds = {int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "something else")
