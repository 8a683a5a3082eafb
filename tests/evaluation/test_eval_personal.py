"""eval personal with the real command on an invented history, and the histories themselves: what their gold names exists.

The figures are bounds that any working search keeps, not the last ones.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine.connectors import read_history
from engine.domain.history import History
from engine.errors import InvalidInput
from engine.lab.evaluation.personal import questions, referred
from engine.lab.evaluation.placement import gold_of
from engine.neurigraph import Engine
from engine.progress import Silent
from tests.commands import typed

HISTORIES = Path(__file__).parent / "histories"
PEOPLE = ("elena", "gwen", "rafael")
KINDS = {"single", "now", "past", "list", "multi", "indirect", "none"}


async def history_of(name: str) -> History:
    [history] = await read_history(HISTORIES / f"{name}.json", max_text_bytes=1 << 20, progress=Silent())
    return referred(history)


@pytest.mark.ledger("X10")
async def test_a_persons_history_is_searched_with_nodes_and_without(engine: Engine, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    data, gold = (str(HISTORIES / f"elena{end}.json") for end in ("", "-gold"))

    async def run(*options: str) -> dict[str, Any]:
        done = await typed(
            engine, tmp_path, None, "eval", "personal", "--data", data, "--gold", gold, "--json", str(out), *options
        )
        assert done.returncode == 0, done.stderr
        report: dict[str, Any] = json.loads(out.read_text("utf-8"))
        return report

    report = await run()
    history = await history_of("elena")
    asked = questions(Path(gold), history)
    turns = sum(1 for _ in history.turns())
    assert (report["turns"], report["nodes"]) == (turns, len(history.nodes))
    assert set(report["baselines"]) == {"bm25", "cosine", "rrf60"}
    ways = [report[way] for way in ("search", "everywhere", "flat")]
    for ranking in (*ways, *report["baselines"].values()):
        check(ranking, Counter(one.category for one in asked))
    for way in ways:
        assert 0 < way["items_searched"] <= turns and way["milliseconds"]["total"]["p50"] > 0
    nodes, everywhere, flat = ways
    assert (flat["nodes_searched"], flat["items_searched"]) == (1, turns)
    assert nodes["items_searched"] <= everywhere["items_searched"] == turns
    again = await run("--quick")
    assert "baselines" not in again and again["flat"]["items_searched"] == turns, "stored once"


def check(ranking: dict[str, Any], kinds: Counter[str]) -> None:
    """A ranking finds more with depth, and all questions count once."""
    assert ranking["questions"] == kinds.total() - kinds["none"]
    assert {name: part["questions"] for name, part in ranking["by_category"].items()} == {
        kind: count for kind, count in kinds.items() if kind != "none"
    }
    assert 0 < ranking["found@1"] <= ranking["found@3"] <= ranking["found@10"] <= 1
    assert ranking["found@10"] >= 0.3, "far above chance: ten turns of almost two hundred"
    for depth in (1, 3, 10):
        assert 0 <= ranking[f"strict@{depth}"] <= ranking[f"recall@{depth}"] <= ranking[f"found@{depth}"]
    current = ranking["current_first"]
    assert 0 <= current["right"] <= current["questions"] == kinds["now"]
    apart = ranking["unanswerable"]
    assert apart["unanswerable"]["questions"] == kinds["none"] and 0 <= apart["auc"] <= 1
    assert apart["answered"] + apart["refused"] >= 1, "the best threshold is at least as good as none"


@pytest.mark.parametrize("name", PEOPLE)
async def test_the_gold_of_a_history_names_what_exists(name: str) -> None:
    history, gold = await history_of(name), HISTORIES / f"{name}-gold.json"
    asked, raw = questions(gold, history), json.loads(gold.read_text("utf-8"))
    turns = [turn.ref for turn in history.turns()]
    paths = {node.path[:depth] for node in history.nodes for depth in range(len(node.path) + 1)}
    right = gold_of(gold)
    assert sorted(right) == sorted(filter(None, turns)) and len(set(turns)) == len(turns) >= 120
    assert {path for one in right.values() for path in (one.node, *one.also, one.private_to or ())} <= paths
    assert 12 <= len(history.nodes) <= 18 and len(asked) >= 25
    assert {one.category for one in asked} == KINDS
    for one in asked:
        assert bool(one.evidence) == (one.category != "none") and not one.evidence & one.stale, one.text
        assert one.category != "now" or one.stale, one.text
    order = {ref: place for place, ref in enumerate(turns)}
    assert all(order[old] < order[new] for old, new in raw["supersessions"])
    texts = " ".join(turn.text for turn in history.turns())
    assert all(texts.count(one["name"]) >= 2 and len(one["entities"]) == 2 for one in raw["namesakes"])


async def test_gold_by_text_and_wrong_gold(tmp_path: Path) -> None:
    history, gold = await history_of("elena"), tmp_path / "gold.json"
    gold.write_text(json.dumps([{"question": "Which drug must I not take?", "answer_contains": "METAMIZOL"}]))
    [one] = questions(gold, history)
    assert len(one.evidence) == 1 and one.handle == "elena"
    wrong = (
        "", "3", '[{"question": "?", "answer_contains": "zebra crossing"}]', '{"questions": [{"q": "?"}]}',
        '{"questions": [{"q": "?", "evidence": ["e99:1"]}]}', '{"questions": [{"q": "?", "evidence": [], "stale": ["x"]}]}',
    )  # fmt: skip
    for content in wrong:
        gold.write_text(content)
        with pytest.raises(InvalidInput):
            questions(gold, history)
