"""Rows of the stores as values: the columns of a statement become the fields of a class.

A row class is a frozen dataclass whose fields have the names of the columns, or any other type for the only column. A
statement whose columns are others than the fields raises RowMismatch the first time it runs.
Lists become tuples where the field says so, and maps, or lists in the order of the fields, dataclasses; ids and times that a
store sends as text or as its own type become UUID and datetime. Texts of a form (`engine.domain.forms`) are checked.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from operator import itemgetter
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints
from uuid import UUID

from psycopg.sql import Composable

from engine.errors import NotFound
from engine.stores.times import moment

R = TypeVar("R")
Convert = Callable[[Any], Any]
SHOWN = 200
"""Characters of a statement in an error: its first comment says what it is."""
_LISTS: dict[Any, Callable[[Any], Any]] = {tuple: tuple, list: list, frozenset: frozenset, set: set, Sequence: tuple}


class RowMismatch(TypeError):
    """The columns of a statement are others than the fields of its row: a mistake in the engine."""


def only(found: Sequence[R]) -> R:
    """The only row. Raises NotFound where there is none."""
    if not found:
        raise NotFound
    return found[0]


def row_maker(
    row: type[R], columns: Iterable[str], statement: str | Composable, *, native: bool = False
) -> Callable[[Sequence[Any]], R]:
    """A function that makes a row from the values of these columns. Raises RowMismatch, which names the statement.

    `native`: the store sends ids and times as UUID and datetime, so that only those inside of JSON are converted.
    """
    try:
        make: Callable[[Sequence[Any]], R] = _maker(cast(Any, row), tuple(columns), native)
    except RowMismatch as error:
        text = statement if isinstance(statement, str) else statement.as_string()
        raise RowMismatch(f"{error} in: {text[:SHOWN]}") from None
    return make


@cache
def _maker(row: Any, columns: tuple[str, ...], native: bool = False) -> Callable[[Sequence[Any]], Any]:
    if not dataclasses.is_dataclass(row):
        if len(columns) != 1:
            raise RowMismatch(f"{row} is one column, not {columns}")
        only = _converter(row, native)
        return itemgetter(0) if only is None else lambda values: only(values[0])
    hints = get_type_hints(row, include_extras=True)
    fields = {one.name: _converter(hints[one.name], native) for one in dataclasses.fields(row) if one.init}
    if sorted(columns) != sorted(fields):
        missing, surplus = sorted(fields.keys() - set(columns)), sorted(set(columns) - fields.keys())
        raise RowMismatch(f"{row}: fields without a column {missing}, columns without a field {surplus}")
    make = cast(Callable[..., Any], row)
    changes = [(place, convert) for place, name in enumerate(columns) if (convert := fields[name]) is not None]
    order = None if columns == tuple(fields) else itemgetter(*(columns.index(name) for name in fields))

    def made(values: Sequence[Any]) -> Any:
        if changes:
            values = list(values)
            for place, convert in changes:
                values[place] = convert(values[place])
        return make(*values) if order is None else make(*order(values))

    return made


def _converter(hint: Any, native: bool = False) -> Convert | None:
    """What makes a value of this type from a store's; None where it is one already."""
    arguments = get_args(hint)
    if get_origin(hint) is Annotated:
        return _of_form(arguments[1])
    if get_origin(hint) in (Union, UnionType):
        inner = [one for one in arguments if one is not NoneType]
        convert = _converter(inner[0], native) if len(inner) == 1 else None
        return convert and _unless_none(convert)
    if (make := _LISTS.get(get_origin(hint))) is not None:
        each = _converter(arguments[0], native)
        if each is None:
            return None if make is list else make  # it is a list already
        return lambda values: make(map(each, values))
    if get_origin(hint) in (Mapping, dict):
        value = _converter(arguments[1])
        return value and _in_map(value)
    if hint in (UUID, datetime):
        return None if native else _uuid if hint is UUID else moment
    return _from_map(hint) if dataclasses.is_dataclass(hint) else None


def _of_form(form: re.Pattern[str]) -> Convert:
    def checked(value: Any) -> Any:
        if not form.fullmatch(value):
            raise ValueError(f"a text that is not of the form {form.pattern}")
        return value

    return checked


def _in_map(convert: Convert) -> Convert:
    return lambda values: {name: convert(value) for name, value in values.items()}


def _unless_none(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def _from_map(kind: Any) -> Convert:
    """From a map, or from a list in the order of the fields, which a driver reads faster."""
    names = tuple(one.name for one in dataclasses.fields(kind) if one.init)

    def made(value: Any) -> Any:
        if isinstance(value, list):
            if len(value) != len(names):
                raise RowMismatch(f"{kind}: {len(value)} values for {len(names)} fields")
            return _maker(kind, names)(value)
        return _maker(kind, tuple(value))(tuple(value.values()))

    return made


def _uuid(value: Any) -> UUID:
    return value if isinstance(value, UUID) else UUID(value)
