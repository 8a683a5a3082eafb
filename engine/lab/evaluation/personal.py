"""Questions about a person's history: is the answer found, the current one first, and is it noticed where there is none?

The gold is a JSON file, in one of two forms. Either an object with `questions`: `q`, `kind`, `evidence` and `stale` as ids of
turns; a question of the kind "now" asks for the present state, one without evidence is answered by nothing. In place of both a
question may have `answer` and `old`, patterns of which one is found in a turn that answers it. Or a list of `question` and
`answer_contains`: each turn that contains this text is an answer by itself. A turn without an id is named "CONVERSATION:NUMBER",
counted from 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.domain.history import Conversation, History
from engine.errors import UNREADABLE, InvalidInput, unreadable
from engine.lab.evaluation.comparison import TASK, Asked
from engine.lab.evaluation.rankings import Question

DEPTHS = (1, 3, 10)


def referred(history: History) -> History:
    """The history with an id for every turn."""
    return replace(history, conversations=tuple(map(_referred, history.conversations)))


def _referred(talk: Conversation) -> Conversation:
    turns = (replace(turn, ref=turn.ref or f"{talk.source_id}:{number}") for number, turn in enumerate(talk.turns))
    return replace(talk, turns=tuple(turns))


def questions(gold: Path, history: History, documents: Collection[str] = ()) -> list[Question]:
    """The questions of a gold file about a history whose turns have ids; `documents`: further sources that may be evidence.
    Raises InvalidInput, also for unknown turns."""
    texts = {turn.ref or "": turn.text for turn in history.turns()}
    try:
        raw = json.loads(gold.read_text("utf-8"))
        if isinstance(raw, list):
            asked = [_by_text(one, texts, history.handle) for one in raw]
        else:
            asked = [
                _by_turns(one, history.handle) if "evidence" in one else _by_patterns(one, texts, history.handle)
                for one in raw.get("questions", ())
            ]
    except (*UNREADABLE, re.error) as error:
        raise unreadable(gold, "the gold of a history", error) from error
    unknown = sorted({ref for one in asked for ref in one.evidence | one.stale} - texts.keys() - set(documents))
    if unknown:
        raise InvalidInput(f"{gold} names turns that the history does not have: {', '.join(unknown[:5])}.")
    return asked


def _by_turns(one: Mapping[str, Any], handle: str) -> Question:
    evidence, stale = frozenset(map(str, one["evidence"])), frozenset(map(str, one.get("stale", ())))
    return Question(handle, str(one["q"]), str(one.get("kind", "single")), evidence, stale)


def _by_patterns(one: Mapping[str, Any], texts: Mapping[str, str], handle: str) -> Question:
    evidence, stale = _matching(one["answer"], texts), _matching(one.get("old", ()), texts)
    return Question(handle, str(one["q"]), str(one.get("kind", "single")), evidence, stale - evidence)


def _matching(patterns: Sequence[str], texts: Mapping[str, str]) -> frozenset[str]:
    found = [re.compile(pattern) for pattern in patterns]
    return frozenset(ref for ref, text in texts.items() if any(one.search(text) for one in found))


def _by_text(one: Mapping[str, Any], texts: Mapping[str, str], handle: str) -> Question:
    wanted = str(one["answer_contains"]).casefold()
    evidence = frozenset(ref for ref, text in texts.items() if wanted in text.casefold())
    if not evidence:
        raise ValueError(f"no turn contains {wanted!r}")
    return Question(handle, str(one["question"]), "single", evidence)


async def evaluate_personal(
    asked: Sequence[Question], flat: Sequence[Question], stored: Asked, *, quick: bool = False
) -> dict[str, Any]:
    """The search with nodes, over all nodes, and over the same history without nodes (`flat`: the questions to that user),
    beside the baselines; `quick`: without the baselines. Raises what a search raises."""
    stored.progress.start(TASK, len(asked) * (3 if quick else 4), "questions")
    report: dict[str, Any] = {
        "search": await stored.search(asked),
        "everywhere": await stored.search(asked, "always"),
        "flat": await stored.search(flat),
    }
    if not quick:
        report["baselines"] = await stored.baselines(flat)
    stored.progress.finish(TASK, f"evidence among ten {report['search']['found@10']:.2f}")
    return report
