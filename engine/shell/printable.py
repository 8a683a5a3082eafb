"""Printing untrusted texts on a terminal: control characters and direction overrides are replaced, not sent."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters except tab and line feed, and direction overrides."""
SHOWN = "\ufffd"


class PrintableConsole(Console):
    """A console that prints a replacement character for each of them; its own styles still work."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments, made printable."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(UNPRINTABLE.sub(SHOWN, segment.text), segment.style)
