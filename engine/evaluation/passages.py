"""Passages: questions whose answer needs several passages of a corpus, in the form of MuSiQue.

The corpus is a list of `title` and `text`; each passage is stored as a document of one user, and its source id is its
position. The questions have an `id`, a `question` and `paragraphs` with `title`, `paragraph_text` and `is_supporting`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from engine.domain.history import Text
from engine.domain.record import STORED_ALREADY
from engine.errors import InvalidInput, NotFound
from engine.evaluation.comparison import TASK, Asked
from engine.evaluation.rankings import Question
from engine.neurigraph import Engine
from engine.progress import Progress

DEPTHS = (2, 5, 10, 20)
_BATCH = 200


def corpus_of(path: Path) -> list[Text]:
    """The passages of a corpus. Raises InvalidInput."""
    try:
        return [Text(str(number), str(one["title"]), str(one["text"])) for number, one in enumerate(_json(path))]
    except (KeyError, TypeError) as error:
        raise InvalidInput(f"{path} cannot be read as a corpus of passages: {error!r}") from error


def questions(path: Path, corpus: Sequence[Text], handle: str) -> list[Question]:
    """The questions whose supporting passages are in the corpus, all of them. The category is the number of hops.

    Raises InvalidInput.
    """
    places: dict[tuple[str, str], str] = {}
    for one in corpus:
        places.setdefault((one.title, one.text), f"text:{one.source_id}")
    try:
        return list(_asked(_json(path), places, handle))
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{path} cannot be read as questions about passages: {error!r}") from error


def _asked(
    entries: Sequence[Mapping[str, Any]], places: Mapping[tuple[str, str], str], handle: str
) -> Iterator[Question]:
    for entry in entries:
        needed = [(one["title"], one["paragraph_text"]) for one in entry["paragraphs"] if one["is_supporting"]]
        evidence = frozenset(places[one] for one in needed if one in places)
        if needed and len(evidence) == len(set(needed)):
            yield Question(handle, str(entry["question"]), f"{len(evidence)} passages", evidence)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read as JSON: {error}") from error


async def stored(engine: Engine, handle: str, corpus: Sequence[Text], progress: Progress) -> UUID:
    """The user who holds the passages of a corpus; those that are stored already are skipped. Raises InvalidInput when one of
    them could not be stored."""
    try:
        user = await engine.workspace.users.find(handle)
    except NotFound:
        user = await engine.workspace.users.create(handle, handle)
    ingests = engine.memory(user.user_id).ingests
    progress.start("ingest", len(corpus), "passages")
    for start in range(0, len(corpus), _BATCH):
        batch = corpus[start : start + _BATCH]
        report = await ingests.many(texts=batch)
        if refused := [one for one in report.skipped if one.reason != STORED_ALREADY]:
            raise InvalidInput(f"A passage could not be stored: {refused[0].reason}")
        progress.advance("ingest", len(batch))
    progress.finish("ingest")
    return user.user_id


async def evaluate_passages(
    data: Path, asked: Sequence[Question], subject: Asked, *, quick: bool = False
) -> dict[str, Any]:
    """The search beside the baselines; `quick`: the search alone. Raises InvalidInput, and what a search raises."""
    if not asked:
        raise InvalidInput(f"{data} holds no question whose passages are in the corpus.")
    subject.progress.start(TASK, len(asked) * (1 if quick else 2), "questions")
    report: dict[str, Any] = {"data": data.name, "search": await subject.search(asked)}
    if not quick:
        report["baselines"] = await subject.baselines(asked)
    subject.progress.finish(TASK, f"recall@5 {report['search']['recall@5']:.3f}")
    return report
