"""What an export gives: lines that an import takes back, page by page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from engine import errors
from engine.domain.lines import line_of
from engine.domain.problems import UNEXPECTED, kind_of, members_of
from engine.domain.written import LineBody


@dataclass(frozen=True, slots=True)
class ExportPlace:
    """How far an export is. `until`: what came in later does not belong to it; `after`: time and id of the last input before."""

    until: datetime
    after: tuple[datetime, UUID] | None = None


@dataclass(frozen=True, slots=True)
class ExportedLine:
    """A source as a line; without `body` it cannot be given: the name of the error as `cause`, and its words."""

    source_id: str
    body: LineBody | None
    cause: str = ""
    detail: str = ""

    def written(self, instance: str) -> bytes:
        """The line, without what an import takes for granted; for a source that cannot be given its problem, with the path of
        the export as `instance`."""
        if self.body is not None:
            return line_of(self.body.model_dump(mode="json", exclude_defaults=True))
        kind = kind_of(getattr(errors, self.cause, errors.InvalidInput)) or UNEXPECTED
        return line_of({"source_id": self.source_id, "problem": members_of(kind, instance, self.detail)})


@dataclass(frozen=True, slots=True)
class ExportPage:
    """Some lines, until where they go, and whether there may be more. `withdrawn`: sources that hold no longer."""

    lines: tuple[ExportedLine, ...]
    withdrawn: int
    place: ExportPlace
    more: bool


@dataclass(frozen=True, slots=True)
class LeftOutOfExport:
    """What an export does not give: inputs that personas stored, turns of streamed conversations that wait to be stored."""

    of_others: int
    waiting: int


class ExportCount:
    """Writes the pages of an export and counts them, for its last line. `instance`: its path, which problems name."""

    def __init__(self, user_id: UUID) -> None:
        self.instance = f"/v1/users/{user_id}/export"
        self._counts: Counter[str] = Counter()

    def written(self, page: ExportPage) -> bytes:
        """The lines of a page."""
        self._counts.update("lines" if line.body else "failed" for line in page.lines)
        self._counts["withdrawn"] += page.withdrawn
        return b"".join(line.written(self.instance) for line in page.lines)

    def totals(self, left_out: LeftOutOfExport | None, problem: Any = None) -> dict[str, Any]:
        """The last line: what was given and left out; of an export that ended early its problem."""
        counts = {name: self._counts[name] for name in ("lines", "failed", "withdrawn")}
        others = (left_out.of_others, left_out.waiting) if left_out else (0, 0)
        return {
            "done": problem is None,
            **counts,
            "of_personas": others[0],
            "waiting_turns": others[1],
            **({"problem": problem} if problem else {}),
        }
