"""Lines of an import: a stream of bytes cut into them, and what became of each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic_core import to_jsonable_python

from engine.domain.ingest import SourceOutcome

MEDIA_TYPE = "application/x-ndjson"
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """A line by its number, counted from 1. `content` is None where it is longer than a line may be."""

    number: int
    content: bytes | None


@dataclass(frozen=True, slots=True)
class LineReport:
    """What became of a line: `skipped` was stored before; of a `failed` one the name of the error as `cause`, its words, and the
    places of invalid fields with what is wrong there."""

    number: int
    outcome: SourceOutcome
    source_id: str = ""
    records: tuple[UUID, ...] = ()
    cause: str = ""
    detail: str = ""
    fields: tuple[tuple[str, str], ...] = ()


class LineSplitter:
    """Cuts bytes into lines. Holds at most one line, and of one that is too long nothing. Empty lines have a number, and are
    left out."""

    def __init__(self, most_bytes: int) -> None:
        self._most, self._number = most_bytes, 0
        self._parts: list[bytes] = []
        self._held, self._too_long = 0, False

    def take(self, data: bytes) -> list[Line]:
        """The lines that end in these bytes."""
        *ended, rest = data.split(b"\n")
        found = []
        for part in ended:
            self._keep(part)
            found += self.end()
        self._keep(rest)
        return found

    def end(self) -> list[Line]:
        """The line that ends here, as the last one of a stream may without a line feed."""
        content, too_long = b"".join(self._parts), self._too_long
        self._parts, self._held, self._too_long = [], 0, False
        self._number += 1
        if self._number == 1:
            content = content.removeprefix(_BOM)
        if too_long:
            return [Line(self._number, None)]
        return [Line(self._number, content)] if content.strip() else []

    def _keep(self, part: bytes) -> None:
        self._held += len(part)
        self._too_long = self._held > self._most
        if self._too_long:
            self._parts = []
        elif part:
            self._parts.append(part)


def batches(lines: list[Line], most: int) -> list[list[Line]]:
    """The lines in groups of so many at most."""
    return [lines[start : start + most] for start in range(0, len(lines), most)]


def line_of(value: Any) -> bytes:
    """The value as one line; fields that hold nothing are left out."""
    plain = to_jsonable_python(value, exclude_none=True)
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"
