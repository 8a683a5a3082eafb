"""The rules of jobs that need no database: schedules, pauses, what is quiet."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.job import pause_before
from engine.errors import SettingsError
from engine.jobs.runs import is_quiet, next_due, scheduled
from engine.settings import Settings
from engine.wiring.job_catalogue import CATALOGUE

NAMES = [job.name for job in CATALOGUE]


def settings(monkeypatch: pytest.MonkeyPatch, schedules: str) -> Settings:
    monkeypatch.setenv("NEURIGRAPH_JOB_SCHEDULES", schedules)
    return Settings(_env_file=None)


@pytest.mark.ledger("N34")
def test_schedules_are_those_of_the_catalogue_unless_the_settings_say_otherwise(monkeypatch) -> None:
    defaults = scheduled(CATALOGUE, {})
    assert defaults == {job.name: job.schedule for job in CATALOGUE} and len(defaults) == len(CATALOGUE)
    changed = settings(monkeypatch, "orphan-sweep = 0 2 * * 1 ;drift-check=off;").job_schedules
    assert scheduled(CATALOGUE, changed) == defaults | {"orphan-sweep": "0 2 * * 1", "drift-check": None}
    outside = settings(monkeypatch, "*=off; recovery=*/5 * * * *").job_schedules
    assert scheduled(CATALOGUE, outside) == dict.fromkeys(NAMES) | {"recovery": "*/5 * * * *"}


@pytest.mark.parametrize(
    ("schedules", "says"),
    [
        ("nonsense=off", "no job nonsense; there are recovery"),
        ("recovery=hourly", "hourly is no schedule for recovery"),
        ("recovery", "is no schedule for recovery"),
        ("*=61 * * * *", "is no schedule"),
    ],
)
def test_a_schedule_that_does_not_fit_is_told_in_one_sentence(monkeypatch, schedules: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        scheduled(CATALOGUE, settings(monkeypatch, schedules).job_schedules)


def test_the_next_time_is_told_in_utc_and_lies_ahead() -> None:
    now = datetime(2026, 2, 28, 23, 59, 59, tzinfo=UTC)
    assert next_due("23 * * * *", now) == datetime(2026, 3, 1, 0, 23, tzinfo=UTC)
    assert next_due("* * * * * */10", now) == now + timedelta(seconds=1)
    assert next_due("0 0 1 3 *", now) == datetime(2026, 3, 1, tzinfo=UTC)
    assert next_due("0 0 1 3 *", datetime(2026, 3, 1, tzinfo=UTC)) == datetime(2027, 3, 1, tzinfo=UTC)
    assert next_due(None, now) is None


@given(st.integers(2, 10_000), st.floats(0.01, 60), st.floats(60, 3600), st.floats(0, 1))
def test_a_pause_grows_and_has_an_end(attempt: int, first: float, longest: float, chance: float) -> None:
    pause = pause_before(attempt, first=first, longest=longest, chance=chance)
    assert first / 2 <= pause <= longest
    # Two in a row differ by more than chance: the least of the next is the most of this one.
    assert pause_before(attempt + 1, first=first, longest=longest, chance=0) >= min(pause, longest / 2)


def test_names_are_short_and_different() -> None:
    assert len(set(NAMES)) == len(NAMES) and all(0 < len(name) <= 100 and name == name.lower() for name in NAMES)


def test_a_report_of_nothing_is_quiet() -> None:
    assert is_quiet({}) and is_quiet({"errors": 0, "details": []})
    assert not is_quiet({"errors": 0, "details": ["x"]}) and not is_quiet({"deleted": 1})
