"""Prints a search answer: anchors with their paths, hits with their reasons, and the time of each step."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from engine.domain.fact import DAY_PASSED
from engine.domain.node import Anchor
from engine.domain.search import AskedRelation, Hit, SearchAnswer
from engine.progress import counted
from engine.shell.opening import OpenedText

LONGEST = 260
"""Characters of a hit's content; --json has all of it."""
MOST_EDGES = 4
DESCRIBED = 3
"""Anchors that are shown with their summary."""
SURE = 0.9
"""The least strength of an anchor whose summary is worth reading."""


def print_answer(console: Console, answer: SearchAnswer, *, most_hits: int) -> None:
    """Prints an answer with at most `most_hits` of its hits."""
    console.print(Text(answer.query, style="bold"))
    console.print()
    anchors = [_anchor(number, anchor) for number, anchor in enumerate(answer.anchors, 1)]
    _print_block(console, "Anchors", Group(*anchors) if anchors else Text("none", style="dim"))
    console.print()
    if answer.relations:
        _print_block(
            console, "Known", Group(*(_relation(number, one) for number, one in enumerate(answer.relations, 1)))
        )
        console.print()
    found = [_hit(number, hit, answer.anchors) for number, hit in enumerate(answer.hits[:most_hits], 1)]
    _print_block(console, "Found", Group(*found) if found else Text("nothing", style="dim"))
    console.print()
    _print_block(console, "Searched", Text(_searched(answer)))
    if answer.timings_ms:
        _print_block(console, "Took", Text(took(answer.timings_ms)))
    for note in answer.notes:
        _print_block(console, "Note", Text(note, style="yellow"))


def print_opening(console: Console, opening: OpenedText) -> None:
    """Prints the opened file's name and the passage."""
    file = opening.file
    line = Text(file.name, style="bold")
    what = "the part of it that lies at this node" if file.part else "verified by SHA-256"
    of = "" if opening.rank == 1 else f" of hit {opening.rank}: earlier hits have no file, or are whole in the answer;"
    line.append(f" {of} {counted(file.size_bytes, 'byte')}, {what}; no other file was opened", style="dim")
    _print_block(console, "Opened", line)
    if opening.passage is None:
        _print_block(console, "", Text("no text to show; REST serves the file", style="dim"))
        return
    passage = opening.passage
    lines = f"lines {passage.first}-{passage.last}" if passage.last > passage.first else f"line {passage.first}"
    place = ", ".join(part for part in (passage.section, lines) if part)
    _print_block(console, "Passage", Group(Text(place, style="dim"), Text(passage.text)))


def took(timings: Mapping[str, float]) -> str:
    """The steps in their order, in milliseconds."""
    return " · ".join(f"{step} {milliseconds:.1f}" for step, milliseconds in timings.items()) + " ms"


def _print_block(console: Console, title: str, content: RenderableType) -> None:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(width=8, style="cyan")
    grid.add_column(overflow="fold")
    grid.add_row(title, content)
    console.print(grid)


def _numbered(number: int, *lines: Text) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", style="bold", width=2)
    grid.add_column(overflow="fold")
    grid.add_row(str(number), Group(*lines))
    return grid


def _anchor(number: int, anchor: Anchor) -> Table:
    head = Text(" > ".join(anchor.path), style="green")
    head.append(f"  {anchor.score:.2f} by {', '.join(anchor.reasons)}", style="dim")
    lines = [head]
    if number <= DESCRIBED and anchor.score >= SURE and anchor.summary:
        lines.append(Text(_short(anchor.summary)))
    if anchor.edges:
        edges = [
            f"{edge.edge_type} {'→' if edge.outgoing else '←'} {' > '.join(edge.other_path[-2:])}"
            for edge in anchor.edges[:MOST_EDGES]
        ]
        lines.append(Text(", ".join(edges), style="dim"))
    return _numbered(number, *lines)


def _relation(number: int, one: AskedRelation) -> Table:
    head = Text(one.relation.statement(one.entity_name), style="bold")
    source = Text(f"{one.title} · {one.at:%Y-%m-%d}", style="dim")
    return _numbered(number, head, source, *([Text(f"“{one.text}”")] if one.text else []))


def _hit(number: int, hit: Hit, anchors: tuple[Anchor, ...]) -> Table:
    date = f"{hit.occurred_at:%Y-%m-%d}" if hit.occurred_at else ""
    source = " · ".join(part for part in (hit.record_title, hit.section, hit.speaker, date) if part)
    head = Text(" > ".join(hit.path[1:] or hit.path), style="green").append(f"  {hit.score:.2f}  ", style="dim")
    head.append(source, style="dim")
    doubt = [Text(hit.doubt.told, style="yellow")] if hit.doubt else []
    doubt += [Text(DAY_PASSED, style="yellow")] if hit.passed else []
    return _numbered(
        number, head, Text(_short(hit.content)), *doubt, Text(f"why: {_reason(hit, anchors)}", style="dim italic")
    )


def _reason(hit: Hit, anchors: tuple[Anchor, ...]) -> str:
    """The hit's reason with the anchor's number instead of its path, which is printed above."""
    above = [number for number, anchor in enumerate(anchors, 1) if hit.path[: len(anchor.path)] == anchor.path]
    _, colon, signals = hit.why.rpartition(": ")
    closest = max(above, key=lambda number: len(anchors[number - 1].path), default=None)
    parts = (f"anchor {closest}" if closest else "", signals if colon else "")
    return "; ".join(part for part in parts if part) or hit.why


def _short(content: str) -> str:
    words = " ".join(content.split())
    return words if len(words) <= LONGEST else words[:LONGEST].rsplit(" ", 1)[0] + " …"


def _searched(answer: SearchAnswer) -> str:
    searched = f"{counted(answer.nodes_searched, 'node')}, {counted(answer.items_searched, 'item')}"
    if not answer.anchors:
        return searched
    scope = "all nodes" if answer.widened else "those that the question leads to"
    return f"{searched}: {scope}"
