"""Tables, times and counts in the output of commands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from rich.table import Table
from rich.text import Text

from engine.progress import counted
from engine.shell.plain_json import print_json
from engine.shell.session import Session

T = TypeVar("T")

ID = 36
"""Characters of an id."""


def timestamp(moment: datetime) -> str:
    """A time in UTC, to the second."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def shown_state(state: str, *, archived: bool) -> str:
    """The state of a node's files, and whether the node is archived."""
    return f"{state}, archived" if archived else state


def table(*names: str, right: Container[str] = ()) -> Table:
    """An empty table; long cells are folded, the cells of the columns in `right` stand on the right."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        made.add_column(name, overflow="fold", justify="right" if name in right else "left")
    return made


def print_table(
    here: Session, names: Sequence[str], rows: Sequence[tuple[Any, ...]], nothing: str, styles: Mapping[str, str] = {}
) -> None:
    """Prints a table on stdout, or `nothing` without rows; `styles` by a cell's text. Ids are never cut."""
    if not rows:
        here.out.print(nothing)
        return
    made = table(*names)
    if len(_cell(rows[0][0])) == ID:
        made.columns[0].no_wrap, made.columns[0].min_width = True, ID
    for row in rows:
        made.add_row(*(Text(cell, style=styles.get(cell, "")) for cell in map(_cell, row)))
    here.out.print(made)


def print_list(
    here: Session,
    found: Any,
    names: Sequence[str],
    rows: Sequence[tuple[Any, ...]],
    nothing: str,
    styles: Mapping[str, str] = {},
) -> None:
    """Prints what was found: as JSON, or as a table of these rows, with a line for its `ended_left_out`."""
    if here.as_json:
        print_json(here.out, found)
        return
    print_table(here, names, rows, nothing, styles)
    if isinstance(found, Mapping) and found.get("ended_left_out"):
        here.line(f"{found['ended_left_out']:,} ended, not shown: --ended", style="dim")


async def with_left_out(page: Callable[[bool], Awaitable[Sequence[T]]], ended: bool) -> tuple[Sequence[T], int]:
    """A page with what has ended or without, and how many ended ones it leaves out."""
    found = await page(ended)
    return found, 0 if ended else max(0, len(await page(True)) - len(found))


def _cell(value: Any) -> str:
    return timestamp(value) if isinstance(value, datetime) else "" if value is None else str(value)


def last_read(at: datetime | None, times: int | None = None) -> str:
    """When something was read last, and how often where that is counted; empty where neither is told."""
    counted_reads = "" if times is None else f"read {counted(times, 'time')}"
    last = "" if at is None else f"last read: {timestamp(at)} UTC"
    return ", ".join(part for part in (counted_reads, last) if part)
