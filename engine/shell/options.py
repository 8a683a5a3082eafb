"""Options that several commands take, each told in one way."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from engine.domain.clock import Moment
from engine.errors import InvalidInput

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Handle = Annotated[str | None, typer.Option("--user", metavar="HANDLE", help="Whose memory.")]
AsOf = Annotated[str | None, typer.Option("--as-of", metavar="TIME", help="When it was true; without it, now.")]
KnownAt = Annotated[str | None, typer.Option("--known-at", metavar="TIME", help="When it was known; without it, now.")]


def point(text: str | None) -> datetime | None:
    """A time as it is typed: ISO 8601, in UTC where no offset is given. Raises InvalidInput."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(f"{text} is no time like 2025-03-01 or 2025-03-01T18:00:00Z.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def moment_of(as_of: str | None, known_at: str | None) -> Moment:
    """The point on both clocks that was typed. Raises InvalidInput."""
    return Moment(point(as_of), point(known_at))
