"""When Python looks for unreachable objects, which takes longer than what most commands do."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

COLLECTED_AFTER = 10_000
"""New objects after which unreachable ones are looked for: at Python's 700 this takes 2 % of an ingest's CPU."""


@contextmanager
def importing() -> Iterator[None]:
    """Within this nothing is looked for, and what is there afterwards is never looked at again: modules stay."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def rarely() -> None:
    """For the process of a command: seldom, and not at its end, when Python would look at all objects once more."""
    gc.set_threshold(COLLECTED_AFTER)
    atexit.register(gc.freeze)
