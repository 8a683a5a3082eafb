"""Output of commands: as JSON for other programs, domain values as objects, times as ISO 8601, ids as strings; and untrusted
texts on a terminal: control characters and direction overrides are replaced, not sent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from engine.stores.whole_files import write_whole

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


def plain(value: Any) -> Any:
    """The value as dicts, lists, strings and numbers."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, UUID | Path):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, Iterable):
        return [plain(entry) for entry in value]
    raise TypeError(f"{type(value).__name__} has no plain form")


def print_json(console: Console, value: Any) -> None:
    """Prints the value as JSON, never wrapped; terminal control characters are escaped."""
    text = json.dumps(plain(value), ensure_ascii=False, indent=2)
    console.out(UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def write_json(path: Path, value: Any) -> None:
    """Writes the value as JSON into a file; raises InvalidInput if it cannot be written."""
    write_whole(path, (json.dumps(plain(value), ensure_ascii=False, indent=2) + "\n").encode("utf-8"))
