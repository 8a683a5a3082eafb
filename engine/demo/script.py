"""The demo's questions, their expected evidence, and the check of the answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from engine.domain.fact import WrittenFact
from engine.domain.history import NodePath
from engine.domain.search import SearchAnswer

FOLDER = Path(__file__).parent
HISTORY = FOLDER / "history.json"
PERSON, READS, OTHER = "Dave Kowalski", "is married to", "Ellen"
"""Who is shown with relations, and which relation with what states it."""
DINER, SHORT = "Lindy's Diner", "Lindy"
"""Two entities that are one, a diner and what Bob calls it: they are merged, and that is undone."""

FACTS = (
    WrittenFact("Ellen lives at 27 Birch Street.", at=datetime(2023, 6, 1, tzinfo=UTC)),
    WrittenFact("Ellen lives at 8 Osprey Lane.", at=datetime(2025, 10, 18, tzinfo=UTC)),
)
"""What Bob states: the second one ends the first."""


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question with its evidence: texts that must be found, and the nodes (below the root) to navigate to."""

    ask: str
    expects: tuple[str, ...]
    anchors: tuple[NodePath, ...]
    why: str
    file: str | None
    """The source id of the file that phase two must open; None where no file is to be opened."""


@dataclass(frozen=True, slots=True)
class Check:
    """One expected text or anchor, and where it was found; `found` is None for a miss."""

    expected: str
    found: str | None


def questions() -> tuple[DemoQuestion, ...]:
    """The five questions."""
    entries = json.loads((FOLDER / "questions.json").read_text(encoding="utf-8"))["questions"]
    return tuple(
        DemoQuestion(
            ask=entry["ask"],
            expects=tuple(entry["expects"]),
            anchors=tuple(tuple(anchor) for anchor in entry["anchors"]),
            why=entry["why"],
            file=entry.get("file"),
        )
        for entry in entries
    )


def checks(question: DemoQuestion, answer: SearchAnswer, opened: tuple[str, str] | None) -> Iterator[Check]:
    """Checks the question's expectations in the answer, the summaries of its anchors, and the opened file.

    `opened` is the file's name and the passage shown of it.
    """
    for path in question.anchors:
        yield Check(f"anchor {' > '.join(path)}", _anchor(path, answer))
    for expected in question.expects:
        if question.file is None:
            yield Check(f"“{expected}”", _evidence(expected, answer))
        else:
            yield Check(f"“{expected}” in the file", opened[0] if opened and expected in opened[1] else None)
    if question.file is not None:
        right = opened is not None and Path(opened[0]).stem == question.file
        yield Check(f"opens {question.file}", opened[0] if opened and right else None)


def _anchor(path: NodePath, answer: SearchAnswer) -> str | None:
    for number, anchor in enumerate(answer.anchors, 1):
        if anchor.path[1:] == path:
            return f"anchor {number}"
    return None


def _evidence(expected: str, answer: SearchAnswer) -> str | None:
    for number, hit in enumerate(answer.hits, 1):
        if expected in hit.content:
            return f"hit {number}"
    for number, anchor in enumerate(answer.anchors, 1):
        if expected in anchor.summary:
            return f"the summary of anchor {number}"
    return None
