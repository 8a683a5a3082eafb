"""Texts of others on a terminal: characters that would move its cursor, change its title or turn the direction of a line are
shown, not sent."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters but tab and line feed, and overrides of direction."""
SHOWN = "\ufffd"


class PrintableConsole(Console):
    """A console that shows each such character of a text as a replacement character; its own styles still work."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments, made printable."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(UNPRINTABLE.sub(SHOWN, segment.text), segment.style)
