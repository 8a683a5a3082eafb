"""Values as JSON for Postgres: rows of statements, and changes of the graph."""

from __future__ import annotations

from datetime import date, datetime, time

import orjson

from engine.errors import InvalidInput
from engine.stores.times import in_utc


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
