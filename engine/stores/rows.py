"""Rows of the stores as values: the columns of a statement become the fields of a class; and values as JSON for Postgres.

A row class is a frozen dataclass whose fields have the names of the columns, or any other type for the only column. A
statement whose columns are others than the fields raises RowMismatch the first time it runs.
Lists become tuples where the field says so, and maps, or lists in the order of the fields, dataclasses; ids and times that a
store sends as text or as its own type become UUID and datetime. Texts of a form (`engine.domain.forms`) are checked.
Times are in UTC. The stores can hold years that Python cannot, 0 and 10000: stored before such times were refused. These are read
as the nearest time that can be shown, so that one row does not fail a whole read.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from functools import cache
from operator import itemgetter
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints
from uuid import UUID

import orjson
import psycopg
from neo4j import Record
from neo4j.exceptions import BrokenRecordError
from neo4j.time import DateTime
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Loader
from psycopg.pq import Format
from psycopg.sql import Composable

from engine.domain.clock import END_OF_TIME
from engine.errors import InvalidInput, NotFound

BEGIN_OF_TIME = datetime(1, 1, 2, tzinfo=UTC)
"""With END_OF_TIME: a day from what Python can hold, so that every time zone can show it."""
TIME_TYPE = "timestamptz"
_DRIVERS = cast(type[Loader], psycopg.adapters.get_loader(psycopg.postgres.types[TIME_TYPE].oid, Format.TEXT))
R = TypeVar("R")
Convert = Callable[[Any], Any]
SHOWN = 200
"""Characters of a statement in an error: its first comment says what it is."""
_LISTS: dict[Any, Callable[[Any], Any]] = {tuple: tuple, list: list, frozenset: frozenset, set: set, Sequence: tuple}


def moment(value: Any) -> datetime:
    """A time in UTC from text of JSON, or from a type of the graph's driver: earlier releases stored offsets in the graph."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, str):
        try:
            return in_utc(datetime.fromisoformat(value))
        except ValueError:
            return nearest(value)
    if isinstance(value, DateTime):
        return in_utc(value.to_native())
    return _nearest_of_graph(value)


def in_utc(value: datetime) -> datetime:
    """The same time in UTC; one without an offset, or that lies outside of Python's years there, as it is."""
    if value.tzinfo is None or value.tzinfo is UTC:
        return value
    try:
        return value.astimezone(UTC)
    except OverflowError:
        return value


def nearest(text: str) -> datetime:
    """The nearest time for one of Postgres that Python cannot hold. Raises ValueError for another text."""
    if text.endswith("BC") or text == "-infinity":
        return BEGIN_OF_TIME
    if re.match(r"\d{5,}-|infinity$", text):
        return END_OF_TIME
    raise ValueError(f"{text!r} is not a time.")


def held(record: Record) -> list[Any]:
    """The values of a record of the graph."""
    try:
        return list(record)
    except BrokenRecordError:
        return [_nearest_of_graph(value) if hasattr(value, "raw_data") else value for value in tuple.__iter__(record)]


def _nearest_of_graph(broken: Any) -> datetime:
    """For what the driver could not read; its first field are seconds. Raises its error where it was something else."""
    seconds = broken.raw_data.fields[0]
    if not isinstance(seconds, int) or BEGIN_OF_TIME.timestamp() < seconds < END_OF_TIME.timestamp():
        raise broken.error
    return END_OF_TIME if seconds > 0 else BEGIN_OF_TIME


class NearestLoader(Loader):
    """The driver's own loader, which is compiled, with the nearest time for what that cannot hold."""

    def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
        super().__init__(oid, context)
        self._load = _DRIVERS(oid, context).load

    def load(self, data: Buffer) -> datetime:
        try:
            return cast(datetime, self._load(data))
        except psycopg.DataError:
            return nearest(bytes(data).decode())


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


def json_text(value: object) -> bytes:
    """Dataclasses as objects, bytes as hex digits, ids as text, and times as text in UTC: the graph keeps offsets, and its days
    would be those of the place where something was said, which no other store knows.

    Raises InvalidInput for a text with half a surrogate pair and for an integer of more than 64 bits, which no store holds, and
    TypeError for a value of another type.
    """
    try:
        return orjson.dumps(value, default=_plain, option=orjson.OPT_PASSTHROUGH_DATETIME)
    except orjson.JSONEncodeError as error:
        if error.__cause__ is not None:  # of `default`
            raise
        raise InvalidInput(f"The request is not valid; nothing was written ({error}).") from error


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return in_utc(value).isoformat()
    return value.isoformat() if isinstance(value, date | time) else bytes.hex(value)  # type: ignore[arg-type]
