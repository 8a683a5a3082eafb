"""Progress output: bars on a terminal, plain lines elsewhere. Always on stderr, so stdout has only the result."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.filesize import decimal
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TaskID, TextColumn
from rich.text import Text

PAUSE = 10.0
"""Seconds between two plain lines about the same task."""

_LABELS = {
    "neo4j": "Start Neo4j",
    "postgres": "Start Postgres",
    "read": "Read",
    "nodes": "Provision",
    "ingest": "Remember",
    "replay": "Replay",
}


@dataclass(slots=True)
class _Task:
    """One running task; `bar` is its line on the terminal."""

    label: str
    total: float | None
    unit: str
    started: float = field(default_factory=time.monotonic)
    printed: float = field(default_factory=time.monotonic)
    done: float = 0
    bar: TaskID | None = None

    def amount(self) -> str:
        """How much is done, and how fast."""
        seconds = max(time.monotonic() - self.started, 0.001)
        if self.unit == "bytes":
            total = f"/{decimal(int(self.total))}" if self.total else ""
            return f"{decimal(int(self.done))}{total}  {decimal(int(self.done / seconds))}/s"
        total = f"/{self.total:,.0f}" if self.total else ""
        unit = _singular(self.unit) if (self.total or self.done) == 1 else self.unit
        return f"{self.done:,.0f}{total} {unit}  {self.done / seconds:,.0f}/s"


class RichProgress:
    """Implements `engine.progress.Progress`. Leaving its block always removes the bars."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._tasks: dict[str, _Task] = {}
        self._bars: Progress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tasks.clear()
        self._take_down()

    def start(self, task: str, total: float | None, unit: str = "") -> None:
        """Starts a task; on a terminal with a bar."""
        if task in self._tasks:
            self._drop(task)
        running = self._tasks[task] = _Task(_label(task), total, unit)
        if self._console.is_terminal:
            bars = self._bars or self._put_up()
            running.bar = bars.add_task(running.label, total=total, running=running)

    def advance(self, task: str, amount: float = 1) -> None:
        """Adds to the amount done of a task."""
        running = self._tasks.get(task)
        if running is None:
            return
        running.done += amount
        if self._bars is not None and running.bar is not None:
            self._bars.update(running.bar, completed=running.done)
        elif time.monotonic() - running.printed > PAUSE:
            running.printed = time.monotonic()
            self._console.print(f"  {running.label}: {running.amount()}")

    def done(self, task: str) -> float:
        """How many units of a task are done; 0 if it does not run."""
        running = self._tasks.get(task)
        return running.done if running else 0

    def finish(self, task: str, note: str = "") -> None:
        """Ends a task; one line with its result stays."""
        running = self._tasks.get(task)
        if running is None:
            return
        self._drop(task)
        seconds = time.monotonic() - running.started
        amount = "" if note or not running.done else running.amount()
        end = "  ".join(part for part in (note or amount, f"{seconds:.1f} s") if part)
        line = Text("✓ ", style="green").append(f"{running.label:<16}", style="default").append(f" {end}", style="dim")
        self._console.print(line, soft_wrap=True)

    def _put_up(self) -> Progress:
        self._bars = Progress(
            SpinnerColumn(finished_text=" "),
            TextColumn("{task.description:<16}", markup=False),
            BarColumn(bar_width=24),
            _Amount(),
            console=self._console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._bars.start()
        return self._bars

    def _drop(self, task: str) -> None:
        running = self._tasks.pop(task)
        if self._bars is not None and running.bar is not None:
            self._bars.remove_task(running.bar)
        if not self._tasks:
            self._take_down()

    def _take_down(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars = None


class _Amount(ProgressColumn):
    """Amounts and rate of a bar, or the elapsed seconds of a task with an unknown total."""

    def render(self, task: Task) -> Text:
        running = task.fields["running"]
        words = f"{time.monotonic() - running.started:.0f} s" if running.total is None else running.amount()
        return Text(words, style="dim")


def _singular(units: str) -> str:
    """One of these units; `s` stands for seconds and stays."""
    return units.removesuffix("es") if units.endswith("ches") else units if units == "s" else units.removesuffix("s")


def _label(task: str) -> str:
    return _LABELS.get(task) or task[:1].upper() + task[1:]
