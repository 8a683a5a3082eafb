"""Standard output whose errors say that they are its own: the system's name no file, so a full disk looks like any other."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

NAME = "standard output"


class _Out(io.FileIO):
    def write(self, content: Any) -> int | None:  # type: ignore[override]
        try:
            return super().write(content)
        except BlockingIOError:
            raise
        except OSError as error:
            error.filename = NAME
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())  # what is still buffered would fail at the end
            raise


def named() -> None:
    """From now on an error of writing to standard output names it."""
    if sys.stdout is not None:
        raw = _Out(sys.stdout.fileno(), "w", closefd=False)
        buffered, lines = io.BufferedWriter(raw), sys.stdout.line_buffering
        sys.stdout = io.TextIOWrapper(buffered, sys.stdout.encoding, sys.stdout.errors, line_buffering=bool(lines))
