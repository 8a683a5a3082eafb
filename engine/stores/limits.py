"""What limits the calls of stores: the deadline of an operation, one time limit for all of its calls, retries included; and a
full disk.

Every call has its own timeout. An operation of several calls sets a deadline, which no call inside exceeds. A server without
space stops or reports another error, so the disk of a local data folder is checked.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from time import monotonic

from engine.errors import StoreFull, StoreUnavailable

MARGIN = 1.0
"""Seconds that the client waits beyond the server's own timeout: the server's error is more specific."""
LEAST = 16 * 2**20
"""Free bytes below which a server that does not answer counts as out of disk space."""
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


@contextmanager
def noticing_full_disk(store: str, data: Path | None) -> Iterator[None]:
    """Raises StoreFull in place of StoreUnavailable inside the block where the disk of the store's data is full."""
    try:
        yield
    except StoreUnavailable as error:
        if type(error) is StoreUnavailable and data is not None and shutil.disk_usage(data).free < LEAST:
            raise StoreFull(store) from error.__cause__
        raise
