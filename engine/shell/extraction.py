"""How a report tells what models did: what they found, what they cost, what they could not read."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from engine.domain.extraction import ExtractionReport

MOST_FAILURES = 10


def extraction_lines(report: ExtractionReport) -> Iterator[Text]:
    """A line on what was found, one on what it cost, and one for each record that could not be read."""
    if not report.model:
        return
    found = (
        (report.facts, "fact"),
        (report.observations, "observation"),
        (report.summaries, "window summary"),
        (report.whole, "record kept as one fact"),
    )
    told = ", ".join(f"{count:,} {_plural(name, count)}" for count, name in found if count)
    yield Text(f"read by {report.model}: {told or 'nothing found'}", style="dim")
    cost = "" if report.cost is None else f", cost {report.cost:,.4f}"
    calls = (
        f"{report.calls:,} {_plural('call', report.calls)}, {report.cached:,} kept {_plural('answer', report.cached)}"
    )
    yield Text(f"{calls}, {report.input_tokens:,} tokens in, {report.output_tokens:,} out{cost}", style="dim")
    for failure in report.failures[:MOST_FAILURES]:
        yield Text(f"not read: {failure.title}: {failure.reason}", style="yellow")
    if len(report.failures) > MOST_FAILURES:
        yield Text(f"not read: {len(report.failures) - MOST_FAILURES:,} more (--json lists them)", style="yellow")


def _plural(name: str, count: int) -> str:
    if count == 1:
        return name
    first, _, rest = name.partition(" kept")
    plural = f"{first[:-1]}ies" if first.endswith("y") else f"{first}s"
    return f"{plural} kept{rest}" if rest else plural
