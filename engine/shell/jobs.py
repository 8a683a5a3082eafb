"""job: background jobs, their runs, and a run now."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from engine.domain.job import JobState, Report, Run
from engine.shell import session
from engine.shell.options import AsJson
from engine.shell.plain_json import plain, print_json
from engine.shell.session import Session

BESIDE = 60.0
"""Seconds beyond the timeout that a run may wait for a run in another process."""
STYLES = {"failed": "red", "lost": "red", "cancelled": "yellow", "running": "cyan"}

JobName = Annotated[str, typer.Argument(metavar="NAME", help="As `neurigraph job list` shows it.")]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    jobs = typer.Typer(no_args_is_help=True, help="Background jobs: list, runs, run now.")
    jobs.command("list")(list_jobs)
    jobs.command("show")(show)
    jobs.command("run")(run)
    jobs.command("log")(log)
    app.add_typer(jobs, name="job")


def list_jobs(context: typer.Context, as_json: AsJson = False) -> None:
    """List the jobs with their schedules (UTC), counts and last runs."""
    here = session.of(context)
    here.run(_list(here, as_json))


async def _list(here: Session, as_json: bool) -> None:
    async with here.workspace() as workspace:
        states = await workspace.jobs.list()
    if as_json:
        print_json(here.out, states)
    else:
        here.out.print(_table(states))


def _table(states: tuple[JobState, ...]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("job", "schedule", "next", "runs", "failures", "last run", "report"):
        table.add_column(name, overflow="fold", justify="right" if name in ("runs", "failures") else "left")
    for state in states:
        table.add_row(
            state.name,
            state.schedule or "off",
            _when(state.next_due),
            str(state.runs),
            str(state.failures),
            _outcome(state.last),
            _result(state.last),
        )
    return table


def show(
    context: typer.Context,
    name: JobName,
    run_id: Annotated[int | None, typer.Option("--run", metavar="RUN", help="One of its runs.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show a job, or one of its runs."""
    here = session.of(context)

    async def work() -> JobState | Run:
        async with here.workspace() as workspace:
            return await (workspace.jobs.get(name) if run_id is None else workspace.jobs.run(name, run_id))

    found = here.run(work())
    if as_json:
        print_json(here.out, found)
    elif isinstance(found, JobState):
        here.out.print(_table((found,)))
    else:
        here.out.print(_outcome(found))
        here.out.print(_result(found))


def run(context: typer.Context, name: JobName, as_json: AsJson = False) -> None:
    """Run a job now, in this process or in a running worker, and show its report; exit code 1 if it failed."""
    here = session.of(context)
    if not here.run(_run(here, name, as_json)):
        raise typer.Exit(1)


async def _run(here: Session, name: str, as_json: bool) -> bool:
    async with here.engine() as (engine, _):
        asked = await engine.workspace.jobs.ask(name)  # first: a worker polls the queue when it starts
        async with engine.working(only=name):
            longest = here.settings.job_time_limit_s + BESIDE
            ended = await engine.workspace.jobs.run(name, asked.run_id, longest)
    if as_json:
        print_json(here.out, ended)
    elif ended.outcome == "succeeded":
        here.out.print(_result(ended))
    else:
        here.notes.print(Text(f"{ended.outcome}: {ended.failure or 'it has not ended yet.'}", style="red"))
    return ended.outcome == "succeeded"


def log(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Only of this job.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Include runs that found nothing to do.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="At most so many.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Show the runs of jobs, newest first."""
    here = session.of(context)
    here.run(_log(here, name, quiet, limit, as_json))


async def _log(here: Session, name: str | None, quiet: bool, limit: int, as_json: bool) -> None:
    async with here.workspace() as workspace:
        runs = await workspace.jobs.runs(name, quiet=quiet, limit=limit)
    if as_json:
        print_json(here.out, runs)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("run", "job", "began", "took", "cause", "outcome", "report"):
        table.add_column(column, overflow="fold")
    for entry in runs:
        took = "" if entry.duration_s is None else f"{entry.duration_s:.1f} s"
        cause = entry.cause if entry.attempt == 1 else f"{entry.cause} {entry.attempt}"
        outcome = Text(entry.outcome, style=STYLES.get(entry.outcome, ""))
        table.add_row(str(entry.run_id), entry.job, _when(entry.started_at), took, cause, outcome, _result(entry))
    here.out.print(table)


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
