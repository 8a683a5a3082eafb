"""How long an operation still waits for its stores: one deadline for all of its calls, repetitions included.

Every call has a limit of its own. An operation of several calls sets a deadline, which no call inside goes beyond.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

MARGIN = 1.0
"""Seconds that the client waits longer than the server's own limit: the server's answer tells more."""
_END: ContextVar[float | None] = ContextVar("end of the operation", default=None)


def remaining(most: float) -> float:
    """Seconds that a call may take: `most`, or what is left until the operation's deadline."""
    end = _END.get()
    return most if end is None else max(0.0, min(most, end - monotonic()))


@contextmanager
def ending_within(seconds: float) -> Iterator[None]:
    """The calls to stores inside end within `seconds` all together, and not after an earlier deadline."""
    token = _END.set(monotonic() + remaining(seconds))
    try:
        yield
    finally:
        _END.reset(token)
