"""Prints what models did in an ingest: what they found, their cost, and the records that they could not read."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from engine.domain.extraction import ExtractionReport
from engine.progress import counted

MOST_FAILURES = 10


def extraction_lines(report: ExtractionReport) -> Iterator[Text]:
    """A line for what was found, one for the cost, and one for each record that could not be read."""
    if not report.model:
        return
    found = (
        (report.facts, "fact", "facts"),
        (report.observations, "observation", "observations"),
        (report.summaries, "window summary", "window summaries"),
        (report.whole, "record kept as one fact", "records kept as one fact"),
    )
    counts = ", ".join(counted(number, unit, units) for number, unit, units in found if number)
    yield Text(f"read by {report.model}: {counts or 'nothing found'}", style="dim")
    cost = "" if report.cost is None else f", cost {report.cost:,.4f}"
    calls = f"{counted(report.calls, 'call')}, {counted(report.cached, 'kept answer')}"
    tokens = f"{counted(report.input_tokens, 'token')} in, {report.output_tokens:,} out"
    yield Text(f"{calls}, {tokens}{cost}", style="dim")
    for failure in report.failures[:MOST_FAILURES]:
        yield Text(f"not read: {failure.title}: {failure.reason}", style="yellow")
    if len(report.failures) > MOST_FAILURES:
        yield Text(f"not read: {len(report.failures) - MOST_FAILURES:,} more (--json lists them)", style="yellow")
