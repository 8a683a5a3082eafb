"""Values as JSON for Postgres: rows of statements, and changes of the graph."""

from __future__ import annotations

import orjson

from engine.errors import InvalidInput


def json_text(value: object) -> bytes:
    """Dataclasses as objects, bytes as hex digits, ids and times as text.

    Raises InvalidInput for a text with half a surrogate pair and for an integer of more than 64 bits, which no store holds, and
    TypeError for a value of another type.
    """
    try:
        return orjson.dumps(value, default=bytes.hex)
    except orjson.JSONEncodeError as error:
        if error.__cause__ is not None:  # of `default`
            raise
        raise InvalidInput(f"The request is not valid; nothing was written ({error}).") from error
