"""Chats and documents in one memory: is the answer found in each, whatever lies beside it?

A history is stored with none, some and many passages of a corpus that have nothing to do with it, and its questions are asked of
each memory; so are the questions about those passages, of the passages alone and of the same beside the history. The gold of a
history may have `texts` (`id`, `title`, `text`), documents that its turns speak of, which are evidence as "text:ID": then each
question needs the chat, the document or both, which is its kind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

from engine.domain.context import ContextRequest
from engine.domain.history import History, Text
from engine.domain.search import SearchRequest
from engine.errors import UNREADABLE, unreadable
from engine.lab.evaluation import passages, personal
from engine.lab.evaluation.comparison import TASK
from engine.lab.evaluation.metrics import mean, unique
from engine.lab.evaluation.rankings import Question
from engine.neurigraph import Engine
from engine.progress import Progress

DEPTHS = (1, 3, 10)
SIZES = (0, 50, 200, 1000)
"""Passages beside a history."""
TOKENS = 400
"""Of the contexts in which an answer is looked for."""
OF_PASSAGES = "passages"
"""The kind of questions about unrelated passages."""
_START = 60
"""Characters by which a piece of a context is recognised in what was stored."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """A history with the documents that it speaks of and its questions; unrelated passages and the questions about them."""

    history: History
    texts: Sequence[Text]
    questions: Sequence[Question]
    corpus: Sequence[Text]
    asked_of_corpus: Path | None = None

    def contents(self, size: int) -> dict[str, str]:
        """What is stored, by source."""
        stored = {turn.ref or "": turn.text for turn in self.history.turns()}
        return stored | {f"text:{one.source_id}": one.text for one in (*self.texts, *self.corpus[:size])}

    def of_passages(self, size: int) -> list[Question]:
        """The questions whose passages are among the first of the corpus."""
        if self.asked_of_corpus is None or not size:
            return []
        asked = passages.questions(self.asked_of_corpus, self.corpus[:size], self.history.handle)
        return [replace(one, category=OF_PASSAGES) for one in asked]


def mixture(history: History, gold: Path, corpus: Sequence[Text], asked_of_corpus: Path | None) -> Mixture:
    """Of a history whose turns have ids, and its gold. Raises InvalidInput."""
    texts = texts_of(gold)
    known = {f"text:{one.source_id}": one.text for one in texts}
    asked = personal.questions(gold, history, known)
    return Mixture(history, texts, [one for one in asked if one.answerable], corpus, asked_of_corpus)


def texts_of(gold: Path) -> list[Text]:
    """The documents of a gold file. Raises InvalidInput."""
    try:
        raw = json.loads(gold.read_text("utf-8"))
        entries = raw.get("texts", ()) if isinstance(raw, dict) else ()
        return [Text(str(one["id"]), str(one["title"]), str(one["text"])) for one in entries]
    except UNREADABLE as error:
        raise unreadable(gold, "the gold of a history", error) from error


async def evaluate_mixed(engine: Engine, mixed: Mixture, sizes: Sequence[int], progress: Progress) -> dict[str, Any]:
    """The figures by number of passages beside the history, and those of the passages alone; `kept`: the least share, over the
    depths and the context, of what is found without the others. Raises what a search raises."""
    report: dict[str, Any] = {"turns": sum(1 for _ in mixed.history.turns()), "sizes": {}}
    for size in sizes:
        user = await _stored(engine, mixed, size, progress)
        asked = [*mixed.questions, *mixed.of_passages(size)]
        report["sizes"][str(size)] = await _figures(engine, user, asked, mixed.contents(size), progress)
    if about := mixed.of_passages(sizes[-1]):
        alone = replace(mixed, history=replace(mixed.history, conversations=()), texts=(), questions=())
        user = await passages.stored(engine, f"{mixed.history.handle}-none", alone.corpus[: sizes[-1]], progress)
        report["alone"] = await _figures(engine, user, about, alone.contents(sizes[-1]), progress)
    report["kept"] = kept(report)
    return report


def kept(report: Mapping[str, Any]) -> dict[str, float]:
    """By kind of question the least share of the largest memory's figures in those without the others."""
    sizes = list(report["sizes"].values())
    shares = {}
    for kind, largest in sizes[-1].items():
        least = report.get("alone", {}).get(kind) if kind == OF_PASSAGES else sizes[0].get(kind)
        if least is not None:
            shares[kind] = min((largest[name] / least[name] for name in _measures() if least[name]), default=1.0)
    return {kind: round(share, 4) for kind, share in shares.items()}


def _measures() -> list[str]:
    return [*(f"found@{depth}" for depth in DEPTHS), f"sides@{DEPTHS[-1]}", "context"]


async def _stored(engine: Engine, mixed: Mixture, size: int, progress: Progress) -> UUID:
    handle = f"{mixed.history.handle}-{size}"
    user = (await engine.ingest(replace(mixed.history, handle=handle), progress)).user_id
    if texts := [*mixed.texts, *mixed.corpus[:size]]:
        await passages.stored(engine, handle, texts, progress)
    return user


async def _figures(
    engine: Engine, user: UUID, asked: Sequence[Question], contents: Mapping[str, str], progress: Progress
) -> dict[str, Any]:
    """By kind of question: found@k, some of the evidence; and of both sides, where chats and documents have some, or of passages
    all: among ten (`sides@10`) and in a context (`context`)."""
    progress.start(TASK, len(asked), "questions")
    by_kind: dict[str, list[dict[str, float]]] = {}
    for question in asked:
        by_kind.setdefault(question.category, []).append(await _measured(engine, user, question, contents))
        progress.advance(TASK)
    progress.finish(TASK)
    every = [one for kind, found in by_kind.items() if kind != OF_PASSAGES for one in found]
    groups = ({"all": every} if every else {}) | by_kind
    return {
        kind: {"questions": len(found)} | {name: mean([one[name] for one in found]) for name in _measures()}
        for kind, found in groups.items()
    }


async def _measured(engine: Engine, user: UUID, question: Question, contents: Mapping[str, str]) -> dict[str, float]:
    memory = engine.memory(user)
    answer = await memory.search(SearchRequest(question.text, limit=2 * DEPTHS[-1]))
    found = unique([hit.source_ref for hit in answer.hits])
    measured = {f"found@{depth}": float(not question.evidence.isdisjoint(found[:depth])) for depth in DEPTHS}
    measured[f"sides@{DEPTHS[-1]}"] = float(_sides(question, found[: DEPTHS[-1]]))
    context = await memory.context(ContextRequest(question.text, tokens=TOKENS))
    pieces = [_plain(piece.text)[:_START] for piece in context.pieces]
    told = [one for one in question.evidence if any(piece and piece in _plain(contents[one]) for piece in pieces)]
    measured["context"] = float(_sides(question, told))
    return measured


def _sides(question: Question, found: Sequence[str]) -> bool:
    """Whether some evidence of each side is there, of chats and of documents; of passages all of it."""
    if question.category == OF_PASSAGES:
        return question.evidence <= set(found)
    sides = [{one for one in question.evidence if one.startswith("text:") is documents} for documents in (False, True)]
    return all(not side.isdisjoint(found) for side in sides if side)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
