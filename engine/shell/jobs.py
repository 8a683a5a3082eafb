"""job: background jobs, their runs, and a run now."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from engine.domain.job import JobState, Report, Run
from engine.shell.plain_json import plain, print_json
from engine.shell.session import Commands, Session
from engine.shell.tables import table

BESIDE = 60.0
"""Seconds beyond the timeout that a run may wait for a run in another process."""
STYLES = {"failed": "red", "lost": "red", "cancelled": "yellow", "running": "cyan"}

JobName = Annotated[str, typer.Argument(metavar="NAME", help="As `neurigraph job list` shows it.")]

jobs = Commands("job", "Background jobs: list, runs, run now.")


@jobs.async_command("list", as_json=True)
async def list_jobs(here: Session) -> None:
    """List the jobs with their schedules (UTC), counts and last runs."""
    async with here.workspace() as workspace:
        states = await workspace.jobs.list()
    if here.as_json:
        print_json(here.out, states)
    else:
        here.out.print(_table(states))


def _table(states: tuple[JobState, ...]) -> Table:
    shown = table("job", "schedule", "next", "runs", "failures", "last run", "report", right=("runs", "failures"))
    for one in states:
        counts = (str(one.runs), str(one.failures))
        shown.add_row(
            one.name, one.schedule or "off", _when(one.next_due), *counts, _outcome(one.last), _result(one.last)
        )
    return shown


@jobs.async_command("show", as_json=True)
async def show(
    here: Session,
    name: JobName,
    run_id: Annotated[int | None, typer.Option("--run", metavar="RUN", help="One of its runs.")] = None,
) -> None:
    """Show a job, or one of its runs."""
    async with here.workspace() as workspace:
        found = await (workspace.jobs.get(name) if run_id is None else workspace.jobs.run(name, run_id))
    if here.as_json:
        print_json(here.out, found)
    elif isinstance(found, JobState):
        here.out.print(_table((found,)))
    else:
        here.out.print(_outcome(found))
        here.out.print(_result(found))


@jobs.async_command("run", as_json=True)
async def run(here: Session, name: JobName) -> None:
    """Run a job now, in this process or in a running worker, and show its report; exit code 1 if it failed."""
    async with here.engine() as (engine, _):
        asked = await engine.workspace.jobs.ask(name)  # first: a worker polls the queue when it starts
        async with engine.working(only=name):
            longest = here.settings.job_time_limit_s + BESIDE
            ended = await engine.workspace.jobs.run(name, asked.run_id, longest)
    if here.as_json:
        print_json(here.out, ended)
    elif ended.outcome == "succeeded":
        here.out.print(_result(ended))
    else:
        here.notes.print(Text(f"{ended.outcome}: {ended.failure or 'it has not ended yet.'}", style="red"))
    if ended.outcome != "succeeded":
        raise typer.Exit(1)


@jobs.async_command("log", as_json=True)
async def log(
    here: Session,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Only of this job.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Include runs that found nothing to do.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="At most so many.")] = 50,
) -> None:
    """Show the runs of jobs, newest first."""
    async with here.workspace() as workspace:
        runs = await workspace.jobs.runs(name, quiet=quiet, limit=limit)
    if here.as_json:
        return print_json(here.out, runs)
    shown = table("run", "job", "began", "took", "cause", "outcome", "report")
    for entry in runs:
        took = "" if entry.duration_s is None else f"{entry.duration_s:.1f} s"
        cause = entry.cause if entry.attempt == 1 else f"{entry.cause} {entry.attempt}"
        outcome = Text(entry.outcome, style=STYLES.get(entry.outcome, ""))
        shown.add_row(str(entry.run_id), entry.job, _when(entry.started_at), took, cause, outcome, _result(entry))
    here.out.print(shown)


def _when(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment else "-"


def _outcome(last: Run | None) -> Text:
    return Text(f"{_when(last.finished_at)} {last.outcome}", style=STYLES.get(last.outcome, "")) if last else Text("-")


def _result(entry: Run | None) -> str:
    if entry is None:
        return ""
    return entry.failure or _counts(entry.report or {})


def _counts(report: Report) -> str:
    """The counts of a report, and the number of its details; `--json` shows them."""
    shown = {name: len(value) if isinstance(value, list) else plain(value) for name, value in report.items()}
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in shown.items())
