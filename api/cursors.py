"""Where a page goes on: the time and the id of the last line of the page before, in one text."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import Query

from engine.errors import InvalidInput

Before = Annotated[
    str | None,
    Query(
        max_length=80,
        pattern=r"^[0-9TZ:.+-]+,[0-9a-f-]{36}$",
        description="Time and id of the last line of the page before, with a comma between.",
        examples=["2025-03-01T18:00:00Z,2f1d8a52-5f4e-4f4e-9f0e-6a9d0a4b7c11"],
    ),
]


def last_line(before: str | None) -> tuple[datetime, UUID] | None:
    """The two parts. Raises InvalidInput."""
    if before is None:
        return None
    time, _, identity = before.partition(",")
    try:
        moment = datetime.fromisoformat(time)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC), UUID(identity)
    except (ValueError, OverflowError) as error:
        raise InvalidInput("before holds a time and an id with a comma between.") from error
