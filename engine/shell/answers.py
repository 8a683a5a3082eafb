"""Prints a search answer: anchors with their paths, hits with their reasons, and the time of each step; and how it was made: what
was read, what found the candidates, the parts of each score, what was left out. Opens the one file that an answer identifies, and
finds the best passage in it for the question: ranks paragraphs by words and meaning."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from engine.domain.fact import DAY_PASSED
from engine.domain.node import Anchor
from engine.domain.search import AskedRelation, Explanation, Hit, HitExplanation, SearchAnswer
from engine.domain.terms import words
from engine.errors import DamagedFile, ProviderUnavailable
from engine.progress import counted
from engine.shell.session import Session

if TYPE_CHECKING:
    from engine.memory import Memory
    from engine.providers.embedder import Embedder

MOST_PARAGRAPHS = 120
"""Paragraphs whose meaning is compared; in a longer text those with the most words of the question."""
AROUND = 500
"""Characters of neighbouring paragraphs shown with the best one."""
LONGEST_PARAGRAPH = 600

_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")

LONGEST = 260
"""Characters of a hit's content; --json has all of it."""
MOST_EDGES = 4
DESCRIBED = 3
"""Anchors that are shown with their summary."""
SURE = 0.9
"""The least strength of an anchor whose summary is worth reading."""

_REASONS = {
    "limit": "by the limit of hits", "tokens": "by the limit of tokens", "earlier_pages": "on earlier pages",
    "damaged": "at damaged nodes", "gone": "gone since", "damaged_nodes": "damaged nodes", "other_nodes": "other nodes",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A piece of a text; lines count from 1, `section` is the headings above it."""

    text: str
    first: int
    last: int
    section: str


def paragraphs(text: str) -> list[Paragraph]:
    """Pieces between blank lines and headings; a long one is cut into its lines."""
    found: list[Paragraph] = []
    headings: list[tuple[int, str]] = []
    pending: list[str] = []
    lines = [*text.removeprefix("\ufeff").splitlines(), ""]
    for number, line in enumerate(lines, 1):
        heading = _HEADING.match(line)
        if line.strip() and not heading:
            pending.append(line.rstrip())
            continue
        found += _cut(pending, number - len(pending), " > ".join(title for _, title in headings))
        pending = []
        if heading:
            level = len(heading[1])
            headings = [entry for entry in headings if entry[0] < level] + [(level, heading[2])]
    return found


def _cut(lines: list[str], first: int, section: str) -> list[Paragraph]:
    if not lines:
        return []
    text = "\n".join(lines)
    if len(text) <= LONGEST_PARAGRAPH:
        return [Paragraph(text, first, first + len(lines) - 1, section)]
    return [Paragraph(line, number, number, section) for number, line in enumerate(lines, first)]


def worded(pieces: Sequence[Paragraph], question: str) -> NDArray[np.float64]:
    """The overlap of each piece with the words of the question; rare words weigh more."""
    of_piece = [set(words(f"{piece.section} {piece.text}")) for piece in pieces]
    frequency = Counter(word for found in of_piece for word in found)
    wanted = set(words(question))
    return np.array([sum(math.log(1 + len(pieces) / frequency[word]) for word in wanted & found) for found in of_piece])


def standardised(scores: NDArray[np.floating]) -> NDArray[np.floating]:
    """Standardised scores; all 0 if they do not differ."""
    spread = float(scores.std())
    return (scores - scores.mean()) / spread if spread > 0 else np.zeros_like(scores)


def surrounded(pieces: Sequence[Paragraph], best: int) -> Paragraph:
    """The piece with its neighbours in the same section, as long as they are short."""
    first = last = best
    room = AROUND
    for step in (-1, 1):
        at = best + step
        while 0 <= at < len(pieces) and pieces[at].section == pieces[best].section:
            room -= len(pieces[at].text)
            if room < 0:
                break
            first, last = min(first, at), max(last, at)
            at += step
    chosen = pieces[first : last + 1]
    parts = [chosen[0].text]
    for before, piece in pairwise(chosen):
        parts += ["\n" if piece.first == before.last + 1 else "\n\n", piece.text]
    return Paragraph("".join(parts), chosen[0].first, chosen[-1].last, pieces[best].section)


@dataclass(frozen=True, slots=True)
class OpenedDocument:
    """The opened file; its hash was verified. `part`: only the passages at the node of the hit."""

    file_id: UUID
    name: str
    content_type: str
    size_bytes: int
    part: bool = False


@dataclass(frozen=True, slots=True)
class OpenedText:
    """The opened file; `passage` is None if it is not a text. `hit` identified the file; `rank`: its place in the
    answer, from 1."""

    file: OpenedDocument
    hit: Hit
    passage: Paragraph | None
    rank: int = 1


def file_hit(hits: Sequence[Hit]) -> Hit | None:
    """The hit whose file to open: the best hit in a document, else the best hit with a file.

    Documents come first because the answer already has the turns of a conversation whole.
    """
    with_file = [hit for hit in hits if hit.file_id is not None]
    documents = [hit for hit in with_file if hit.content_type == "file_upload"]
    return next(iter(documents or with_file), None)


async def open_best(memory: Memory, embedder: Embedder, answer: SearchAnswer) -> OpenedText | None:
    """Opens exactly one file; None if no hit has one.

    Raises NotFound, DamagedFile, StoreUnavailable.
    """
    hit = file_hit(answer.hits)
    if hit is None or hit.file_id is None:
        return None
    try:
        async with memory.files.open(hit.node_id, hit.file_id) as file:
            content = await asyncio.to_thread(file.content.read)
            document = OpenedDocument(file.file_id, file.name, file.content_type, file.size_bytes, file.part)
    except DamagedFile as error:
        named = hit.file_name or hit.file_id
        raise DamagedFile(f"{named}: {error.detail} `neurigraph doctor --deep` lists the damage.") from error
    passage = None
    if document.content_type.startswith("text/"):
        passage = await best_passage(content.decode("utf-8", "replace"), answer.query, embedder)
    return OpenedText(document, hit, passage, 1 + list(answer.hits).index(hit))


async def best_passage(text: str, question: str, embedder: Embedder) -> Paragraph | None:
    """The passage closest to the question, by words and meaning, or by words alone if no model answers; None for a text
    of white space."""
    pieces = paragraphs(text)
    if not pieces:
        return None
    by_words = worded(pieces, question)
    chosen = sorted(np.argsort(-by_words, kind="stable")[:MOST_PARAGRAPHS].tolist())
    try:
        made = await embedder.embed_documents([f"{pieces[at].section}. {pieces[at].text}" for at in chosen])
        by_meaning = np.stack([one.vector for one in made]) @ (await embedder.embed_query(question)).vector
    except ProviderUnavailable:
        return surrounded(pieces, chosen[int(np.argmax(by_words[chosen]))])
    scores = standardised(by_words[chosen]) + standardised(by_meaning.astype(np.float64))
    return surrounded(pieces, chosen[int(np.argmax(scores))])


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


def print_explanation(here: Session, answer: SearchAnswer) -> None:
    """Prints the explanation of an answer that has one."""
    if answer.explanation is None:
        return
    here.line("")
    for line in _lines(answer.explanation):
        here.line(line)
    for number, hit in enumerate(answer.hits, 1):
        if hit.explanation is not None:
            here.line(f"{number:>3}  {hit.score:.2f} = {_score(hit.explanation)}")


def _lines(one: Explanation) -> Iterator[str]:
    by_index = len(one.nodes_by_index)
    yield f"Read: {counted(one.items_read, 'item')}; {counted(one.nodes_exact, 'node')} as a whole, {by_index:,} by index"
    found = one.candidates
    yield (
        f"Candidates: {found.total:,}; {found.words:,} by words, {found.meaning:,} by meaning, {found.entities:,} by entities,"
        f" {found.neighbours:,} as neighbours"
    )
    left = [f"{count:,} {text}" for name, text in _REASONS.items() if (count := getattr(one.not_shown, name))]
    yield f"Not shown: {', '.join(left) or 'nothing'}"
    if one.recall is not None:
        yield f"Recall: {one.recall.found:,} of the {one.recall.exact:,} best of an exact search ({one.recall.share:.0%})"


def _score(one: HitExplanation) -> str:
    """The parts of a score, the greatest first; what was weighed by 0 is left to --json."""
    order = sorted(one.signals.items(), key=lambda part: -abs(part[1].share))
    shares = " ".join(
        f"{signal.share:+.2f} {name} ({signal.value:.2f} × {signal.weight:g})" for name, signal in order if signal.share
    )
    by = f"found by {' and '.join(one.found_by)}" if one.found_by else "beside one that was found"
    return f"{one.offset:.2f} {shares}; {by}"
