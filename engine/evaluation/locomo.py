"""LoCoMo: questions about long chats between two people, with the turns that contain the answer.

Measured with the engine's own search. Each sample is stored before as a separate user, whose handle is the sample's id
in lower case; the dia_id of a turn is its source_ref.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from engine.domain.embedding import EmbeddedQuery
from engine.domain.search import SearchAnswer, SearchRequest
from engine.errors import InvalidInput
from engine.evaluation.baselines import Baselines, StoredItem
from engine.evaluation.metrics import DEPTHS, Tally, mean, stage_times
from engine.progress import Progress, Silent

Ask = Callable[[str, SearchRequest], Awaitable[SearchAnswer]]
"""Searches the memory of the user with a handle."""
Rows = Callable[[str], Awaitable[Sequence[StoredItem]]]
"""The stored items of the user with a handle."""
Embed = Callable[[str], Awaitable[EmbeddedQuery]]
"""The vector of a question."""
Widening = Literal["auto", "always", "never"]

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
ASKED = 2 * DEPTHS[-1]
"""Hits requested: items of one long turn count once."""

_REFERENCE = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the turns that hold its answer."""

    handle: str
    text: str
    category: str
    evidence: frozenset[str]


def questions(path: Path) -> list[Question]:
    """The questions of categories 1 to 4 whose evidence names existing turns.

    Raises InvalidInput for a file that is not a LoCoMo file.
    """
    try:
        return [question for sample in json.loads(path.read_text("utf-8")) for question in _of_sample(sample)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{path} cannot be read as LoCoMo samples: {error!r}") from error


def _of_sample(sample: Mapping[str, Any]) -> Iterator[Question]:
    handle = str(sample["sample_id"]).lower()
    turns = {
        turn["dia_id"]
        for name, session in sample["conversation"].items()
        if re.fullmatch(r"session_\d+", name)
        for turn in session
    }
    for entry in sample["qa"]:
        evidence = referred(entry.get("evidence", ()), turns)
        if entry["category"] in CATEGORIES and evidence:
            yield Question(handle, str(entry["question"]), CATEGORIES[entry["category"]], evidence)


def referred(evidence: Sequence[str], turns: set[str]) -> frozenset[str]:
    """The turns that evidence names, in all its notations: "D8:6; D9:17", "D:11:26", "D30:05"."""
    named = {f"D{int(session)}:{int(turn)}" for text in evidence for session, turn in _REFERENCE.findall(text)}
    return frozenset(named & turns)


async def evaluate_locomo(
    samples_path: Path, ask: Ask, rows: Rows, embed: Embed, progress: Progress | None = None
) -> dict[str, Any]:
    """Recall of the search compared with BM25 alone and cosine alone, and the effect of navigation by the graph.

    All figures are fractions, times milliseconds. Raises InvalidInput, and what `ask` raises.
    """
    progress = progress or Silent()
    asked = questions(samples_path)
    if not asked:
        raise InvalidInput(f"{samples_path} holds no question with evidence.")
    progress.start("evaluation", 4 * len(asked), "questions")
    searched = await _navigation(asked, ask, "auto", progress)
    everywhere = await _navigation(asked, ask, "always", progress)
    anchored = await _navigation(asked, ask, "never", progress)
    baselines = await _baselines(asked, rows, embed, progress)
    progress.finish("evaluation", f"recall@10 {searched['recall@10']:.3f}")
    return {
        "data": samples_path.name,
        "search": searched,
        "baselines": baselines,
        "navigation": {"auto": _cost(searched), "always": _cost(everywhere), "never": _cost(anchored)},
    }


async def _navigation(asked: Sequence[Question], ask: Ask, widen: Widening, progress: Progress) -> dict[str, Any]:
    """The search over all questions, with one way of widening."""
    tally, answers = Tally(), []
    for question in asked:
        answer = await ask(question.handle, SearchRequest(question.text, limit=ASKED, widen=widen))
        tally.add(question.category, [hit.source_ref for hit in answer.hits], question.evidence)
        answers.append(answer)
        progress.advance("evaluation")
    return tally.summary() | {
        "widened": mean([float(answer.widened) for answer in answers]),
        "nodes_searched": mean([answer.nodes_searched for answer in answers]),
        "items_searched": mean([answer.items_searched for answer in answers]),
        "milliseconds": stage_times([answer.timings_ms for answer in answers]),
    }


def _cost(searched: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("recall@10", "widened", "nodes_searched", "items_searched")
    return {key: searched[key] for key in kept} | {"milliseconds": searched["milliseconds"]["total"]}


async def _baselines(asked: Sequence[Question], rows: Rows, embed: Embed, progress: Progress) -> dict[str, Any]:
    by_user: dict[str, Baselines] = {}
    by_words, by_meaning = Tally(), Tally()
    for question in asked:
        if question.handle not in by_user:
            by_user[question.handle] = Baselines(await rows(question.handle))
        user = by_user[question.handle]
        by_words.add(question.category, user.by_words(question.text, ASKED), question.evidence)
        meaning = user.by_meaning((await embed(question.text)).vector, ASKED)
        by_meaning.add(question.category, meaning, question.evidence)
        progress.advance("evaluation")
    return {"bm25": by_words.summary(), "cosine": by_meaning.summary()}
