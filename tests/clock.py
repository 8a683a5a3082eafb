"""A clock that tests set forward instead of sleeping."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Ahead:
    """Ahead of the machine's clock by a span, which may be changed."""

    def __init__(self, **span: float) -> None:
        self.by = timedelta(**span)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.by
