"""Tables, times and counts in the output of commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from rich.table import Table
from rich.text import Text

from engine.shell.session import Session


def timestamp(moment: datetime) -> str:
    """A time in UTC, to the second."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def counted(number: int, unit: str, units: str = "") -> str:
    """A number with its unit, in the singular for 1."""
    return f"{number:,} {unit if number == 1 else units or unit + 's'}"


def print_table(
    here: Session, names: Sequence[str], rows: Sequence[tuple[str, ...]], nothing: str,
    styles: Mapping[str, str] | None = None,
) -> None:  # fmt: skip
    """Prints a table on stdout, or `nothing` without rows; `styles` by a cell's text. Ids are never cut."""
    if not rows:
        here.out.print(nothing)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, name in enumerate(names):
        table.add_column(name, overflow="fold", no_wrap=number == 0 and len(rows[0][0]) == ID)
    for row in rows:
        table.add_row(*(Text(cell, style=(styles or {}).get(cell, "")) for cell in row))
    here.out.print(table)


ID = 36
"""Characters of an id."""
