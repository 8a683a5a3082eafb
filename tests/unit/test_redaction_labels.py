"""Recall and precision of redaction on labelled lines of many countries, written by somebody who did not know the patterns.

The labels are in `redaction_labels.txt`: what is to be replaced stands as ⟦kind:text⟧, all else stays. A find counts where it lies
within a label of its kind and covers at least four fifths of it.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from engine.privacy.redact import KINDS
from engine.privacy.shapes import FINDERS

LABEL = re.compile(r"⟦(?P<kind>[a-z_]+):(?P<text>.*?)⟧")
LINES = [
    line
    for line in (Path(__file__).parent / "redaction_labels.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
GOAL = 0.95


def labelled(line: str) -> tuple[str, list[tuple[str, int, int]]]:
    """The plain text of a line, and its labels as kind, start and end."""
    text, labels, position = "", [], 0
    for match in LABEL.finditer(line):
        text += line[position : match.start()]
        labels.append((match["kind"], len(text), len(text) + len(match["text"])))
        text += match["text"]
        position = match.end()
    return text + line[position:], labels


def found(text: str) -> list[tuple[str, int, int]]:
    """What is replaced, as kind, start and end in the text as it came: kinds in their order, none over another."""
    taken: list[tuple[str, int, int]] = []
    for kind in KINDS:
        for finder in FINDERS[kind]:
            blank = list(text)
            for _, start, end in taken:
                blank[start:end] = "\n" * (end - start)
            taken += [(kind, start, end) for start, end in finder("".join(blank))]
    return taken


def hits(find: tuple[str, int, int], label: tuple[str, int, int]) -> bool:
    overlap = min(find[2], label[2]) - max(find[1], label[1])
    return overlap >= 0.8 * (label[2] - label[1])


def figures() -> dict[str, tuple[int, int, int, int]]:
    """By kind: labels that were found, labels, finds that lie on a label of any kind, finds."""
    recalled, labels, right, finds = Counter(), Counter(), Counter(), Counter()
    for line in LINES:
        text, wanted = labelled(line)
        there = found(text)
        for label in wanted:
            labels[label[0]] += 1
            recalled[label[0]] += any(hits(find, label) for find in there)
        for find in there:
            finds[find[0]] += 1
            right[find[0]] += any(min(find[2], label[2]) > max(find[1], label[1]) for label in wanted)
    return {kind: (recalled[kind], labels[kind], right[kind], finds[kind]) for kind in KINDS}


FIGURES = figures()


def test_there_are_enough_lines_and_negatives() -> None:
    assert len(LINES) >= 300 and sum(LABEL.search(line) is None for line in LINES) >= 90


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_found_and_little_else_is(kind: str) -> None:
    recalled, labels, right, finds = FIGURES[kind]
    assert recalled >= GOAL * labels and right >= GOAL * finds, FIGURES[kind]
