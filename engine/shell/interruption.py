"""Ctrl-C ends a command with exit code 130 and one word, without a traceback, whatever the command is doing."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def end(*, as_json: bool) -> NoReturn:
    """Ends the process at once: Python's own end, and that of a loop, would wait for threads that cannot be stopped."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # closed, or just being written
            stream.flush()
    lines = ((2, "Interrupted."), (1, '{"error": "Interrupted."}'))
    for number, line in lines if as_json else lines[:1]:
        with suppress(OSError):  # the other end is closed
            os.write(number, f"{line}\n".encode())
    os._exit(INTERRUPTED)


def _ended(number: int, frame: FrameType | None) -> NoReturn:
    end(as_json="--json" in sys.argv)


def ends_at_once() -> None:
    """From now on Ctrl-C ends the process; not where it is ignored, as in the background of a shell."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _ended)


@contextmanager
def cancels_work() -> Iterator[None]:
    """Within this, Ctrl-C is left to asyncio, which cancels the work; a second one raises KeyboardInterrupt."""
    ours = signal.getsignal(signal.SIGINT) is _ended
    if ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, _ended)
