"""The figures of `eval placement`, on places made by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.domain.history import Conversation, History, HistoryFile, PlannedNode, Turn
from engine.errors import InvalidInput
from engine.lab.evaluation.placement import Place, Right, betrayed, gold_of, judged, leaks, measured

SALARY = Right(("Money",), (("Work", "Firm"),), ("Money",))
CHAT = Right(())


@pytest.mark.ledger("X13")
@pytest.mark.parametrize(
    ("place", "verdict", "leaking", "told_on"),
    [
        (("Money",), "exact", False, False),
        (("Work", "Firm"), "acceptable", False, True),
        (("Work",), "ancestor", False, True),
        ((), "ancestor", False, False),
        (("Family", "Ellen"), "wrong", True, True),
        (("Money", "Debts"), "wrong", False, False),
    ],
)
def test_a_place_is_judged_by_who_reads_there(
    place: tuple[str, ...], verdict: str, leaking: bool, told_on: bool
) -> None:
    lies = Place(place, 0.5)
    assert (judged(place, SALARY), leaks(lies, SALARY), betrayed(lies, SALARY)) == (verdict, leaking, told_on)
    assert not leaks(Place(place, 0.5, open=False), SALARY) and not betrayed(Place(place, 0.5, open=False), SALARY)


def test_the_table_adds_up_and_tells_how_honest_confidences_are() -> None:
    gold = {"a": SALARY, "b": SALARY, "c": CHAT, "d": CHAT, "gone": CHAT}
    places = {
        "a": Place(("Money",), 0.9), "b": Place(("Family",), 0.7), "c": Place((), 0.1), "d": Place(("Family",), 0.9),
    }  # fmt: skip
    table = measured(places, gold)
    assert table["turns"] == 4
    assert (table["exact"], table["acceptable"], table["ancestor"], table["wrong"]) == (0.5, 0.0, 0.0, 0.5)
    assert table["readable_by_an_unrelated_grant"] == 0.5
    assert table["confidences"] == {"turns": 2, "readable": 1} and table["small_talk"] == {"turns": 2, "at_the_root": 1}
    steps = {step["from"]: (step["told"], step["right"]) for step in table["calibration"]["steps"]}
    assert steps == {0.0: (0.1, 1.0), 0.6: (0.7, 0.0), 0.8: (0.9, 0.5)}
    assert table["calibration"]["mean_distance"] == pytest.approx((0.9 + 0.7 + 2 * 0.4) / 4)
    with pytest.raises(InvalidInput):
        measured({}, gold)


@pytest.mark.parametrize("content", ["", "[]", '{"turns": {"a": {}}}', '{"turns": 3}'])
def test_what_is_no_gold_is_said(tmp_path: Path, content: str) -> None:
    path = tmp_path / "gold.json"
    path.write_text(content)
    with pytest.raises(InvalidInput):
        gold_of(path)
    path.write_text(json.dumps({"turns": {"a": {"node": ["Money"]}}, "questions": [{"q": "?", "evidence": []}]}))
    assert gold_of(path) == {"a": Right(("Money",))}


def test_a_history_without_nodes_names_none() -> None:
    place = ("Family",)
    talk = Conversation("c", (Turn("Bob", "Hello."),), node=place)
    file = HistoryFile("f", Path("f.txt"), "text/plain", node=place)
    flat = History("bob", "Bob", (talk,), (file,), (PlannedNode(place, "concept"),)).without_nodes()
    assert (flat.nodes, flat.edges, flat.conversations[0].node, flat.files[0].node) == ((), (), None, None)
    assert flat.conversations[0].turns == talk.turns
