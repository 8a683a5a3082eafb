"""All entries of a list that the engine gives page by page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

Entry = TypeVar("Entry")


async def every(page: Callable[[Any], Awaitable[Sequence[Entry]]], place: Callable[[Entry], Any]) -> list[Entry]:
    """All entries: `page(place)` gives those after a place, `page(None)` the first ones."""
    entries: list[Entry] = []
    while found := await page(place(entries[-1]) if entries else None):
        entries += found
    return entries
