"""What a run of the mending found and did, counted by kind."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from engine.lifecycle.finding import Finding


@dataclass(slots=True)
class Tally:
    """Counts by kind while a run goes on. `dry`: nothing is written."""

    dry: bool
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str, number: int = 1) -> None:
        """So many more of a kind were mended, or would be."""
        if number:
            self.counts[kind] += number


@dataclass(frozen=True, slots=True)
class MendReport:
    """What was mended by kind (or would be, in a dry run), what is left, why writing is stopped. `surplus`: what the graph knows
    and Postgres does not, by kind; `surplus_file`: where it was written before it was taken out of the graph."""

    dry_run: bool
    mended: dict[str, int]
    left: tuple[Finding, ...]
    surplus: dict[str, int]
    surplus_file: str | None
    stopped: str | None
    lifted: bool
