"""eval mixed with the real command: a chat that speaks of a lease, a recipe and a manual, beside passages about something else.

The passages are paragraphs of this project's documents. Bounds are loose: they hold the level, not the last figure.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.errors import InvalidInput
from engine.lab.evaluation.mixed import kept, mixture, texts_of
from engine.lab.evaluation.passages import corpus_of
from engine.neurigraph import Engine
from tests.commands import typed
from tests.evaluation.test_eval_passages import CORPUS, asked
from tests.evaluation.test_eval_personal import HISTORIES, history_of

DOCUMENTS = Path(__file__).parents[2] / "docs"
SHORTEST, LONGEST = 200, 900
"""Characters of the paragraphs that are taken."""


def unrelated(count: int) -> list[dict[str, str]]:
    """Four passages with questions about them, then paragraphs of many documents."""
    found = [
        {"title": f"{path.stem} {place}", "text": text}
        for path in sorted(DOCUMENTS.glob("*.md"))
        for place, text in enumerate(path.read_text("utf-8").split("\n\n")[:12])
        if SHORTEST <= len(text) <= LONGEST and "|" not in text
    ]
    return [*CORPUS, *found][:count]


@pytest.mark.ledger("X10")
async def test_answers_are_found_in_chats_and_documents_whatever_lies_beside_them(
    engine: Engine, tmp_path: Path, long: bool
) -> None:
    data, corpus, out = (tmp_path / name for name in ("asked.json", "corpus.json", "out.json"))
    data.write_text(json.dumps([asked("After whom is the county of Halfmoon Lake named?", 0, 1)]), encoding="utf-8")
    corpus.write_text(json.dumps(unrelated(250 if long else 40)), encoding="utf-8")
    history, gold = str(HISTORIES / "oskar.json"), str(HISTORIES / "oskar-gold.json")
    done = await typed(
        engine, tmp_path, None, "eval", "mixed", "--data", history, "--gold", gold, "--corpus", str(corpus),
        "--asked", str(data), "--json", str(out), *(() if long else ("--quick",)),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(out.read_text("utf-8"))
    alone, *_, most = report["sizes"].values()
    assert {kind: part["questions"] for kind, part in most.items()} == {
        "all": 30, "chat": 10, "document": 10, "both": 10, "passages": 1,
    }  # fmt: skip
    for part in (alone, most):
        assert part["all"]["found@10"] >= 0.9 and part["all"]["found@3"] >= 0.8 and part["all"]["context"] >= 0.7
        assert part["both"]["sides@10"] >= 0.5, "a question may need a turn and a passage"
    assert report["kept"]["all"] >= 0.85 and most["passages"]["found@3"] == 1.0


async def test_the_gold_names_what_is_there(tmp_path: Path) -> None:
    gold = HISTORIES / "oskar-gold.json"
    history = await history_of("oskar")
    mixed = mixture(history, gold, [], None)
    assert len(mixed.texts) == 15 and len(mixed.questions) == 30 and not mixed.of_passages(0)
    assert all(mixed.contents(0)[one] for question in mixed.questions for one in question.evidence)
    wrong = tmp_path / "gold.json"
    wrong.write_text(json.dumps({"texts": [{"id": "a"}]}), encoding="utf-8")
    with pytest.raises(InvalidInput, match="cannot be read"):
        texts_of(wrong)
    wrong.write_text(json.dumps({"questions": [{"q": "Who?", "evidence": ["text:b"]}]}), encoding="utf-8")
    with pytest.raises(InvalidInput, match="text:b"):
        mixture(history, wrong, [], None)
    with pytest.raises(InvalidInput):
        corpus_of(wrong)


def test_what_is_kept_is_the_least_share_of_what_was_found_without_the_others() -> None:
    figures = {"found@1": 0.5, "found@3": 0.8, "found@10": 1.0, "sides@10": 1.0, "context": 0.0, "questions": 10}
    fewer = figures | {"found@3": 0.6}
    report = {
        "sizes": {"0": {"all": figures}, "9": {"all": fewer, "passages": figures}},
        "alone": {"passages": figures},
    }
    assert kept(report) == {"all": 0.75, "passages": 1.0}
