"""What a job is, what a run of it is, and when the next one is due."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from croniter import croniter

from engine.domain.job import Report
from engine.errors import SettingsError

OFF = "off"


@dataclass(frozen=True, slots=True)
class Job:
    """One kind of background work. `work` takes the engine; it must be safe to run twice, at once or half."""

    name: str
    about: str
    schedule: str
    """Cron in UTC: minute, hour, day, month, weekday, and seconds where there is a sixth; or `off`."""
    work: Callable[[Any], Awaitable[Report]]
    alone: bool = True
    """Whether no two runs go on at once. A job that frees a blocked queue must not wait for itself."""


def is_quiet(report: Report) -> bool:
    """Whether a run found nothing to do."""
    return not any(report.values())


def next_due(schedule: str | None, now: datetime) -> datetime | None:
    """When a schedule is due next, after `now`; None where it is off."""
    if schedule is None:
        return None
    due: datetime = croniter(schedule, now).get_next(datetime)
    return due.astimezone(UTC)


def scheduled(jobs: Sequence[Job], changes: Mapping[str, str]) -> dict[str, str | None]:
    """The schedule of each job by name, None where it is off. `changes` come from the settings; under `*` for all others.

    Raises SettingsError for a name that no job has, and for what is no schedule.
    """
    unknown = changes.keys() - {job.name for job in jobs} - {"*"}
    if unknown:
        known = ", ".join(job.name for job in jobs)
        raise SettingsError(f"NEURIGRAPH_JOB_SCHEDULES: there is no job {min(unknown)}; there are {known}.")
    plan = {job.name: changes.get(job.name, changes.get("*", job.schedule)) for job in jobs}
    for name, schedule in plan.items():
        if schedule != OFF and not croniter.is_valid(schedule):
            raise SettingsError(
                f"NEURIGRAPH_JOB_SCHEDULES: {schedule} is no schedule for {name}; write cron, as in 0 3 * * *, or off."
            )
    return {name: None if schedule == OFF else schedule for name, schedule in plan.items()}
