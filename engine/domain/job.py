"""The state of background jobs, and their runs; how long to wait before the next attempt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

Report = Mapping[str, Any]
"""The result of a run: counts by name, small and plain. `details` names data of users: it is for the operator only."""

DETAILS = "details"
Outcome = Literal["waiting", "running", "succeeded", "failed", "cancelled", "lost"]
"""`cancelled`: its worker was stopped; `lost`: its worker died. Both are retried."""
Cause = Literal["schedule", "request", "retry", "takeover"]


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a job. `report` is there once it succeeded, `failure` says why it did not."""

    run_id: int
    job: str
    outcome: Outcome
    cause: Cause
    attempt: int
    started_at: datetime | None
    finished_at: datetime | None
    duration_s: float | None
    report: dict[str, Any] | None
    failure: str | None

    @property
    def ended(self) -> bool:
        """Whether there is nothing to wait for any more."""
        return self.outcome not in ("waiting", "running")


@dataclass(frozen=True, slots=True)
class JobState:
    """The present state of a job. `schedule` is None where it is off; `runs` and `failures` count since the beginning."""

    name: str
    about: str
    schedule: str | None
    next_due: datetime | None
    runs: int
    failures: int
    running: bool
    waiting: bool
    last: Run | None
    """The last run that ended."""


def pause_before(attempt: int, *, first: float, longest: float, chance: float, least: float = 0) -> float:
    """Seconds before an attempt (2 is the first retry): doubled each time, with jitter between half and all of it by
    `chance` (0 to 1), never less than `least`: what the other side asked for."""
    return max(least, min(longest, first * 2.0 ** min(attempt - 2, 30)) * (0.5 + chance / 2))
