"""What progress prints: amounts with their unit, in the singular for one."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from engine.progress import counted
from engine.shell.progress_bars import RichProgress


@pytest.mark.parametrize(
    ("total", "unit", "printed"),
    [(1, "turns", "1/1 turn "), (2, "turns", "2/2 turns "), (1, "searches", "1/1 search "), (1, "s", "1/1 s "), (None, "files", "1 file ")],
)  # fmt: skip
def test_one_is_in_the_singular(total: float | None, unit: str, printed: str) -> None:
    console = Console(file=io.StringIO(), width=200)
    with RichProgress(console) as progress:
        progress.start("ingest", total, unit)
        progress.advance("ingest", total or 1)
        progress.finish("ingest")
    assert printed in console.file.getvalue()


def test_counts_of_results_are_in_the_singular_for_one() -> None:
    assert [counted(number, "turn") for number in (0, 1, 1000)] == ["0 turns", "1 turn", "1,000 turns"]
    assert counted(1, "copy", "copies") == "1 copy" and counted(2, "copy", "copies") == "2 copies"
