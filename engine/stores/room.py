"""A server on a full disk stops or says something else; where its data lie on this machine, the disk itself is asked."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import StoreFull, StoreUnavailable

LEAST = 16 * 2**20
"""Bytes: with less free a server that does not answer is held to have no room."""


@contextmanager
def telling_room(store: str, data: Path | None) -> Iterator[None]:
    """Within this block a store that is unavailable because the disk of its data is full says so: StoreFull."""
    try:
        yield
    except StoreUnavailable as error:
        if type(error) is StoreUnavailable and data is not None and shutil.disk_usage(data).free < LEAST:
            raise StoreFull(store) from error.__cause__
        raise
