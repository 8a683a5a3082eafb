"""Times as the stores send them, in UTC. They can hold years that Python cannot, 0 and 10000: stored before such times were
refused. These are read as the nearest time that can be shown, so that one row does not fail a whole read."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, cast

import psycopg
from neo4j import Record
from neo4j.exceptions import BrokenRecordError
from neo4j.time import DateTime
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Loader
from psycopg.pq import Format

from engine.domain.clock import END_OF_TIME

BEGIN_OF_TIME = datetime(1, 1, 2, tzinfo=UTC)
"""With END_OF_TIME: a day from what Python can hold, so that every time zone can show it."""
TYPE = "timestamptz"
_DRIVERS = cast(type[Loader], psycopg.adapters.get_loader(psycopg.postgres.types[TYPE].oid, Format.TEXT))


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
