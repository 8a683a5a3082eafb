"""The deadline of an operation: one time limit for all of its calls to the stores, retries included.

Every call has its own timeout. An operation of several calls sets a deadline, which no call inside exceeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

MARGIN = 1.0
"""Seconds that the client waits beyond the server's own timeout: the server's error is more specific."""
_END: ContextVar[float | None] = ContextVar("end of the operation", default=None)


def remaining(most: float) -> float:
    """Timeout of a call in seconds: `most`, or what is left until the operation's deadline."""
    end = _END.get()
    return most if end is None else max(0.0, min(most, end - monotonic()))


@contextmanager
def ending_within(seconds: float) -> Iterator[None]:
    """Sets the deadline of all calls to stores inside: `seconds` from now, or an earlier one that is set already."""
    token = _END.set(monotonic() + remaining(seconds))
    try:
        yield
    finally:
        _END.reset(token)
