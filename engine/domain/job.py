"""The state of background jobs, and their runs."""

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
