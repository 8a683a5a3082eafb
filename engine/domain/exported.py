"""What an export gives: lines that an import takes back, page by page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from engine.domain.lines import line_of
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

    @property
    def written(self) -> bytes | None:
        """The line, without what an import takes for granted."""
        return line_of(self.body.model_dump(mode="json", exclude_defaults=True)) if self.body else None


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
