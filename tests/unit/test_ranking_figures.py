"""The figures that all evaluations of the search share, on rankings made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from engine.domain.terms import term_id, words
from engine.lab.evaluation.baselines import Baselines, StoredItem
from engine.lab.evaluation.rankings import Question, Ranking, figures, told_apart


def ranking(
    found: str, evidence: str, *, stale: str = "", category: str = "single", handle: str = "ann", best: float = 1.0
) -> Ranking:
    question = Question(handle, "?", category, frozenset(evidence), frozenset(stale))
    return Ranking(question, tuple(found), best)


def test_averages_by_depth_and_category() -> None:
    report = figures([ranking("axb", "ab"), ranking("xya", "a", category="list"), ranking("xyz", "a")], (1, 3))
    assert report["questions"] == 3
    assert (report["found@1"], report["found@3"]) == (0.3333, 0.6667)
    assert (report["recall@1"], report["strict@1"], report["strict@3"]) == (0.1667, 0.0, 0.6667)
    assert report["by_category"]["list"]["recall@3"] == 1.0
    assert "spread" not in report and "current_first" not in report and "unanswerable" not in report


def test_users_are_shown_apart() -> None:
    spread = figures([ranking("a", "a"), ranking("x", "a", handle="ben"), ranking("a", "a", handle="ben")], (1,))[
        "spread"
    ]
    assert spread["recall@1"] == {"mean": 0.75, "min": 0.5, "max": 1.0}
    assert spread["users"]["ben"]["questions"] == 2


def test_the_current_state_is_first_where_no_outdated_one_is_above_it() -> None:
    now = [
        ranking("xas", "a", stale="s", category="now"),
        ranking("sa", "a", stale="s", category="now"),
        ranking("x", "a", stale="s", category="now"),
        ranking("ba", "ab", stale="st", category="now"),
    ]
    other = [ranking("sa", "a", stale="s"), ranking("sa", "a", category="now")]
    assert figures([*now, *other], (1,))["current_first"] == {"questions": 4, "right": 2}


def test_adversarial_questions_are_no_part_of_the_averages() -> None:
    report = figures([ranking("a", "a", best=3), ranking("x", "a", category="adversarial", best=1)], (1,))
    assert (report["questions"], report["recall@1"]) == (1, 1.0)
    assert report["by_category"]["adversarial"]["recall@1"] == 0.0
    assert report["unanswerable"]["auc"] == 1.0


def test_the_best_score_tells_what_nothing_answers() -> None:
    apart = told_apart([5, 4, 3, 1], [2, 1])
    assert apart["auc"] == pytest.approx((2 + 2 + 2 + 0.5) / 8, abs=1e-4)
    assert (apart["threshold"], apart["answered"], apart["refused"]) == (3, 0.75, 1.0)
    assert apart["answerable"]["questions"] == 4
    assert told_apart([], [1])["auc"] == 0.0


def test_ranks_are_fused() -> None:
    [walleye] = map(term_id, words("walleye"))
    items = [
        StoredItem("words", {walleye: 1.0}, np.array([-1, 0], np.float32)),
        StoredItem("both", {walleye: 0.5}, np.array([0.9, 0], np.float32)),
        StoredItem("meaning", {}, np.array([1, 0], np.float32)),
        *(StoredItem(f"neither {number}", {}, None) for number in range(4)),
    ]
    rankings = Baselines(items).rankings("walleye", np.array([1, 0], np.float32), 3)
    first = {name: scored[0][0] for name, scored in rankings.items()}
    assert first == {"bm25": "words", "cosine": "meaning", "rrf60": "both"}
    assert dict(rankings["rrf60"])["both"] == pytest.approx(1 / 62 + 1 / 62)
    assert dict(rankings["rrf60"])["meaning"] == pytest.approx(1 / 61), "without a word it has no rank among words"
