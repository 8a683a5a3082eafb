"""Pagination: every list is returned in pages; a caller in this process may want all of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from engine.errors import InvalidInput

Entry = TypeVar("Entry")

MOST = 500
"""Entries of one page."""


def check_page(limit: int, most: int = MOST) -> None:
    """Raises InvalidInput for an invalid page size."""
    if not 1 <= limit <= most:
        raise InvalidInput(f"A page has 1 to {most} entries.")


async def every(page: Callable[[Any], Awaitable[Sequence[Entry]]], place: Callable[[Entry], Any]) -> list[Entry]:
    """All entries: `page(place)` gives those after a place, `page(None)` the first ones."""
    entries: list[Entry] = []
    while found := await page(place(entries[-1]) if entries else None):
        entries += found
    return entries
