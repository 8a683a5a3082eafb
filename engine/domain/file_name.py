"""What a file is called where it is shown."""

from __future__ import annotations

import re
from typing import overload

UNNAMED = "text.txt"
"""The stored name of a text that came without a file."""
LONGEST = 80
_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029/\\:*?\"<>|]+")
"""What file systems and headers do not take."""


@overload
def shown_name(stored: str, title: str) -> str: ...
@overload
def shown_name(stored: None, title: str) -> None: ...
def shown_name(stored: str | None, title: str) -> str | None:
    """A file keeps its own name; a text without one is called by the title that its reader sees beside it.

    The title is not stored in the name: a reader who is not shown a former title would read it there. A title that is
    too long is not cut: half of an address would not be redacted.
    """
    if stored != UNNAMED:
        return stored
    name = " ".join(_NOT_IN_NAMES.sub(" ", title).split()).strip(". ")
    return f"{name}.txt" if 0 < len(name) <= LONGEST else UNNAMED
