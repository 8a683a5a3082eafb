"""eval facts: judges labelled pairs of statements by the rules, and counts endings."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from engine.shell.plain_json import write_json
from engine.shell.session import Session
from engine.shell.tables import table

if TYPE_CHECKING:
    from engine.lab.evaluation.fact_pairs import FactPair, FactPairsReport


async def measure_facts(here: Session, data: Sequence[Path], out: Path | None, *, meanings: bool) -> None:
    """Prints endings by kind and language. No store is needed. `meanings`: with how near the statements of a pair are."""
    # Imported late: it imports much of the engine.
    pairs_module = import_module("engine.lab.evaluation.fact_pairs")
    pairs: list[FactPair] = pairs_module.fact_pairs_of(data)
    likeness = await _likeness(here, pairs) if meanings else None
    report: FactPairsReport = pairs_module.evaluate_fact_pairs([path.name for path in data], pairs, likeness)
    if out is not None:
        write_json(out, report)
    for figures in report.tables:
        shown = table(figures.name, *figures.columns, right=figures.columns)
        for name, row in figures.rows.items():
            shown.add_row(
                name, *("" if one is None else f"{one:.3f}" if isinstance(one, float) else f"{one:,}" for one in row)
            )
        here.out.print(shown)
        here.out.print()
    here.line(f"Confirmed and ended all the same: {report.confirmed_ended}")


async def _likeness(here: Session, pairs: Sequence[FactPair]) -> dict[str, float]:
    """How near the meanings of each pair are, with the model of the settings."""
    models = import_module("engine.wiring.models")
    likeness = import_module("engine.domain.embedding").vector_of
    with here.progress() as progress:
        embedder = await models.Loader(here.settings, progress).load(models.chosen(here.settings))
    try:
        embedded = await embedder.embed_documents([text for one in pairs for text in (one.older, one.newer)])
    finally:
        await embedder.close()
    vectors = [likeness(one) for one in embedded]
    return {one.id: float(vectors[2 * place] @ vectors[2 * place + 1]) for place, one in enumerate(pairs)}
