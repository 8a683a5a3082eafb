"""Passages: questions whose answer needs several passages of a corpus, in the form of MuSiQue.

The corpus is a list of `title` and `text`; each passage is stored as a document of one user, and its source id is its
position. The questions have an `id`, a `question` and `paragraphs` with `title`, `paragraph_text` and `is_supporting`; or the
form of HotpotQA: a `question`, `supporting_facts` (lists of a title and a sentence) and `context` (of a title and sentences).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from engine.domain.history import Text
from engine.domain.report import STORED_ALREADY
from engine.errors import UNREADABLE, InvalidInput, NotFound, unreadable
from engine.lab.evaluation.comparison import TASK, Asked
from engine.lab.evaluation.rankings import Question
from engine.neurigraph import Engine
from engine.progress import Progress

CORPUS = "a corpus is a list of objects with title and text."
QUESTIONS = (
    "questions are a list of objects with question, and with paragraphs (title, paragraph_text, is_supporting) as MuSiQue has"
    " them, or supporting_facts and context as HotpotQA has them."
)
DEPTHS = (2, 5, 10, 20)
_BATCH = 200


def corpus_of(path: Path) -> list[Text]:
    """The passages of a corpus. Raises InvalidInput."""
    entries = _listed(path, CORPUS)
    if entries and all("context" in one for one in entries):  # questions of HotpotQA, which bring their passages
        found = dict.fromkeys(place for one in entries for place in _contexts(path, one))
        return [Text(str(number), title, text) for number, (title, text) in enumerate(found)]
    return [
        Text(str(number), str(_field(path, one, "title", CORPUS)), str(_field(path, one, "text", CORPUS)))
        for number, one in enumerate(entries)
    ]


def questions(path: Path, corpus: Sequence[Text], handle: str) -> list[Question]:
    """The questions whose supporting passages are in the corpus, all of them. The category is the number of hops.

    Raises InvalidInput.
    """
    places: dict[tuple[str, str], str] = {}
    for one in corpus:
        places.setdefault(_place(one.title, one.text), f"text:{one.source_id}")
    return list(_asked(path, _listed(path, QUESTIONS), places, handle))


def _asked(
    path: Path, entries: Sequence[Any], places: Mapping[tuple[str, str], str], handle: str
) -> Iterator[Question]:
    for entry in entries:
        question = str(_field(path, entry, "question", QUESTIONS))
        try:
            needed = _of_hotpot(entry) if "supporting_facts" in entry else _of_musique(entry)
            wanted = {_place(*one) for one in needed}
        except UNREADABLE as error:
            raise InvalidInput(f"{path}: {QUESTIONS}") from error
        evidence = frozenset(places[one] for one in wanted if one in places)
        if wanted and len(evidence) == len(wanted):
            yield Question(handle, question, f"{len(evidence)} passages", evidence)


def _of_musique(entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(one["title"], one["paragraph_text"]) for one in entry["paragraphs"] if one["is_supporting"]]


def _of_hotpot(entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The passages that its supporting facts name, each in the words of the corpus: its sentences one behind the other."""
    supporting = {str(title) for title, _ in _pairs(entry["supporting_facts"])}
    return [(str(title), _joined(sentences)) for title, sentences in _pairs(entry["context"]) if title in supporting]


def _contexts(path: Path, entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    try:
        return [(str(title), _joined(sentences)) for title, sentences in _pairs(entry["context"])]
    except UNREADABLE as error:
        raise InvalidInput(f"{path}: {QUESTIONS}") from error


def _pairs(listed: Any) -> Iterable[tuple[Any, Any]]:
    """Pairs of a list, or of the two columns that Hugging Face's `datasets` make of it."""
    return zip(*listed.values(), strict=True) if isinstance(listed, dict) else listed


def _joined(sentences: Sequence[str]) -> str:
    """Sentences as the text of a passage; those of HotpotQA begin with the blank between them."""
    return "".join(
        one if one[:1].isspace() or not number else f" {one}" for number, one in enumerate(sentences)
    ).strip()


def _place(title: str, text: str) -> tuple[str, str]:
    """By which a passage is found, whatever blanks are between its words."""
    return title.strip(), " ".join(text.split())


def _listed(path: Path, wanted: str) -> Sequence[Any]:
    entries = _json(path)
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        raise InvalidInput(f"{path}: {wanted}")
    return entries


def _field(path: Path, entry: Mapping[str, Any], name: str, wanted: str) -> Any:
    if name not in entry:
        raise InvalidInput(f"{path}: {wanted}")
    return entry[name]


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except UNREADABLE as error:
        raise unreadable(path, "passages or questions", error) from error


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
