"""Work counted as calls of functions: what a test may decide by, where time would depend on the machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from inspect import unwrap
from types import FrameType


def calls(run: Callable[[], object], of: Callable[..., object] | None = None) -> int:
    """How many calls of Python functions a run makes, or how many of one of them."""
    code = None if of is None else unwrap(of).__code__
    counted = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal counted
        if event == "call" and (code is None or frame.f_code is code):
            counted += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(before)
    return counted
