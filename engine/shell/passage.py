"""Finds the best passage of a text for a question: ranks paragraphs by words and meaning."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.domain.terms import words

MOST_PARAGRAPHS = 120
"""Paragraphs whose meaning is compared; in a longer text those with the most words of the question."""
AROUND = 500
"""Characters of neighbouring paragraphs shown with the best one."""
LONGEST_PARAGRAPH = 600

_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")


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
