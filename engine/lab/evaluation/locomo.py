"""LoCoMo: questions about long chats between two people, with the turns that contain the answer.

Measured with the engine's own search. Each sample is stored before as a separate user, whose handle is the sample's id
in lower case; the dia_id of a turn is its source_ref.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.errors import UNREADABLE, InvalidInput, unreadable
from engine.lab.evaluation.comparison import TASK, Asked
from engine.lab.evaluation.rankings import ADVERSARIAL, Question

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: ADVERSARIAL}
DEPTHS = (5, 10, 20)

_REFERENCE = re.compile(r"D:?(\d+):(\d+)")


def questions(path: Path) -> list[Question]:
    """The questions whose evidence names existing turns.

    Raises InvalidInput for a file that is not a LoCoMo file.
    """
    try:
        return [question for sample in json.loads(path.read_text("utf-8")) for question in _of_sample(sample)]
    except UNREADABLE as error:
        raise unreadable(path, "LoCoMo samples", error) from error


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


async def evaluate_locomo(samples_path: Path, stored: Asked, *, quick: bool = False) -> dict[str, Any]:
    """The search beside the baselines, and the effect of navigation by the graph; `quick`: the search alone.

    Questions of category 5 name the wrong person: they are shown by themselves, and count as unanswerable. Raises
    InvalidInput, and what a search raises.
    """
    asked = questions(samples_path)
    if not asked:
        raise InvalidInput(f"{samples_path} holds no question with evidence.")
    plain = [question for question in asked if question.answerable]
    stored.progress.start(TASK, len(asked) if quick else 2 * (len(asked) + len(plain)), "questions")
    searched = await stored.search(asked)
    report: dict[str, Any] = {"data": samples_path.name, "search": searched}
    if not quick:
        ways = {way: await stored.search(plain, way) for way in ("always", "never")}
        report["baselines"] = await stored.baselines(asked)
        report["navigation"] = {way: _cost(of_way) for way, of_way in ({"auto": searched} | ways).items()}
    stored.progress.finish(TASK, f"recall@10 {searched['recall@10']:.3f}")
    return report


def _cost(searched: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("recall@10", "widened", "nodes_searched", "items_searched")
    return {key: searched[key] for key in kept} | {"milliseconds": searched["milliseconds"]["total"]}
