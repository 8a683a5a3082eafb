"""Pagination: every list is returned in pages."""

from __future__ import annotations

from engine.errors import InvalidInput

MOST = 500
"""Entries of one page."""


def check_page(limit: int, most: int = MOST) -> None:
    """Raises InvalidInput for an invalid page size."""
    if not 1 <= limit <= most:
        raise InvalidInput(f"A page has 1 to {most} entries.")
