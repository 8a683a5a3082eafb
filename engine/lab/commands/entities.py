"""eval entities: compares the names that are found in texts, and what is made of them, with the labels of a reader."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from engine.shell.plain_json import write_json
from engine.shell.session import Session
from engine.shell.tables import table

if TYPE_CHECKING:
    from engine.lab.evaluation.entities import EntityReport


def measure_entities(
    here: Session, data: Path, texts: Sequence[Path], out: Path | None, answers: Path | None = None
) -> None:
    """Prints a table for every section. No store is needed."""
    # Imported late: it imports much of the engine.
    labels = import_module("engine.lab.evaluation.labels").labels_of(data, texts)
    recorded = import_module("engine.lab.evaluation.entity_answers").answers_of(answers, labels) if answers else ()
    report: EntityReport = import_module("engine.lab.evaluation.entities").evaluate_entities(
        data.name, labels, recorded
    )
    if out is not None:
        write_json(out, report)
    for tables in report.sections.values():
        for figures in tables:
            shown = table(figures.name, *figures.columns, right=figures.columns)
            for name, row in figures.rows.items():
                shown.add_row(name, *map(_shown, row))
            here.out.print(shown)
            here.out.print()


def _shown(figure: float | int | None) -> str:
    return "" if figure is None else f"{figure:.3f}" if isinstance(figure, float) else f"{figure:,}"
