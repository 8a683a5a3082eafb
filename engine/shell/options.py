"""Options shared by several commands."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from engine.domain.clock import Moment
from engine.domain.names import is_blank
from engine.domain.scope import MemoryScope, check_sources, parsed_scope
from engine.errors import InvalidInput

LONGEST_SPAN = timedelta(days=3660)
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_SPAN = re.compile(r"(\d{1,6})([mhdw])")


def scope_named(text: str) -> MemoryScope:
    """A scope from the command line; a usage error if it is invalid."""
    try:
        return parsed_scope(text)
    except InvalidInput as error:
        raise typer.BadParameter(error.detail) from error


def path_named(text: str) -> Path:
    """A path from the command line; a usage error if it is empty, which would mean the working directory."""
    if not text:
        raise typer.BadParameter("The path is empty.")
    return Path(text)


def check_title(title: str) -> None:
    """Raises InvalidInput for an empty title."""
    if is_blank(title):
        raise InvalidInput("The title is empty.")


def source_named(text: str) -> str:
    """A source from the command line; a usage error if it is invalid."""
    try:
        check_sources([text])
    except InvalidInput as error:
        raise typer.BadParameter(error.detail) from error
    return text


Reason = Annotated[str, typer.Option("--reason", help="Why, in one line.")]
Private = Annotated[bool, typer.Option("--private", help="For its user alone.")]
Handle = Annotated[str | None, typer.Option("--user", metavar="HANDLE", help="Whose memory.")]
AsOf = Annotated[str | None, typer.Option("--as-of", metavar="TIME", help="When it was true; without it, now.")]
KnownAt = Annotated[str | None, typer.Option("--known-at", metavar="TIME", help="When it was known; without it, now.")]
Milliseconds = Annotated[int | None, typer.Option("--milliseconds", min=0, help="Wait at most so long for models.")]
Tokens = Annotated[int | None, typer.Option("--tokens", min=0, help="Send at most so many to models.")]
ModelCalls = Annotated[int | None, typer.Option("--model-calls", min=0, help="Call models at most so often.")]
Again = Annotated[bool, typer.Option("--again", help="Store it anew where it was forgotten.")]
Expires = Annotated[
    str | None, typer.Option("--expires", metavar="TIME", help="Forget it then: a time, or a span from now on, as 90d.")
]
MaxMs = Annotated[int | None, typer.Option("--max-ms", min=1, help="Milliseconds that it may take in all.")]
Partial = Annotated[bool, typer.Option("--partial", help="A part, where the graph or the embeddings do not answer.")]


def point(text: str | None) -> datetime | None:
    """Parses a time: ISO 8601, UTC without an offset. Raises InvalidInput."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(f"{text} is not a time like 2025-03-01 or 2025-03-01T18:00:00Z.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def span(text: str) -> timedelta:
    """A duration like 30m, 12h, 90d, 4w; raises InvalidInput."""
    match = _SPAN.fullmatch(text)
    if match is None or (length := int(match[1]) * _UNITS[match[2]]) > LONGEST_SPAN:
        raise InvalidInput(f"{text} is not a duration like 30m, 12h, 90d or 4w, of at most ten years.")
    return length


def expiry(text: str | None) -> datetime | None:
    """A time, or a span from now on, from the command line. Raises InvalidInput."""
    if text is None or _SPAN.fullmatch(text) is None:
        return point(text)
    return datetime.now(UTC) + span(text)


def moment_of(as_of: str | None, known_at: str | None) -> Moment:
    """The two times, `as_of` and `known_at`, from the command line. Raises InvalidInput."""
    return Moment(point(as_of), point(known_at))
