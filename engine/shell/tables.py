"""Tables and times, as every command shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from rich.table import Table
from rich.text import Text

from engine.shell.session import Session


def told(moment: datetime) -> str:
    """A time in UTC, to the second."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def print_table(
    here: Session, names: Sequence[str], rows: Sequence[tuple[str, ...]], nothing: str,
    styles: Mapping[str, str] | None = None,
) -> None:  # fmt: skip
    """A table on stdout, or a sentence where it would be empty; `styles` by what stands in a cell. Ids are never cut."""
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
