"""Full disks: a server without space stops or reports another error, so the disk of a local data folder is checked."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import StoreFull, StoreUnavailable

LEAST = 16 * 2**20
"""Free bytes below which a server that does not answer counts as out of disk space."""


@contextmanager
def noticing_full_disk(store: str, data: Path | None) -> Iterator[None]:
    """Raises StoreFull in place of StoreUnavailable inside the block where the disk of the store's data is full."""
    try:
        yield
    except StoreUnavailable as error:
        if type(error) is StoreUnavailable and data is not None and shutil.disk_usage(data).free < LEAST:
            raise StoreFull(store) from error.__cause__
        raise
