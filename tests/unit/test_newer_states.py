"""A newer state of a matter above an older one, unless the question asks for the past. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import numpy as np
import pytest

from engine.language.questions import asked_time
from engine.retrieval.fusion import among, fuse
from engine.retrieval.hits import rationale
from engine.retrieval.query import parse
from engine.retrieval.weights import load_weights
from tests.unit.candidates import passage, turn
from tests.unit.test_coverage import bits

WEIGHTS = load_weights()
DAY = datetime(2026, 5, 1, tzinfo=UTC)
DIMENSION = 64
pytestmark = pytest.mark.ledger("L06")


def signs(number: int) -> np.ndarray:
    return np.where(np.random.default_rng(number).random(DIMENSION) > 0.5, 1.0, -1.0).astype(np.float32)


RENT, PET, SPORT = signs(1), signs(2), signs(3)
ASKED = signs(4)[None] / np.sqrt(np.float32(DIMENSION))


def said(position: int, matter: np.ndarray, month: int, **columns):
    """A turn about a matter, in a conversation of its own."""
    when = datetime(2025, month, 1, tzinfo=UTC)
    session = UUID(int=100 + month)
    own = {"tokens": bits(matter, signs(50 + position)), "occurred_at": when, "session": session}
    return turn(position, **{**own, **columns})


def ranked(candidates, text: str):
    question = parse(text, DAY, WEIGHTS.limits)
    beside = among(candidates, ASKED, (), 0, WEIGHTS)
    return fuse(candidates, question, {}, WEIGHTS, beside)


def places(candidates, text: str = "How much is my rent?") -> list[int]:
    return [one.candidate.position for one in ranked(candidates, text)]


def states(**newer):
    """The old rent, which fits the question best, two other matters, and the new rent."""
    return [
        said(0, RENT, 1, meaning=30.0), said(1, PET, 2, meaning=24.0), said(2, SPORT, 3, meaning=23.5),
        said(3, RENT, 4, **{"meaning": 22.0, **newer}),
    ]  # fmt: skip


def test_the_newer_state_is_above_the_older_one_and_both_say_so():
    assert places(states()) == [3, 0, 1, 2]
    first, second, *_ = ranked(states(), "How much is my rent?")
    assert first.signals["newer_state"] > 0 and first.score > second.score
    assert sum(first.signals.values()) == pytest.approx(first.score, abs=1e-3)
    assert second.newer is first.candidate and first.newer is None
    assert "an older state of what was said on 2025-04-01" in rationale(None, (), second.signals, None, second.newer)
    assert "a newer state" in rationale(None, (), first.signals)


def test_the_newest_of_three_states_ends_on_top():
    chain = [*states(meaning=29.9), said(4, RENT, 5, meaning=25.0)]
    assert places(chain)[0] == 4


@pytest.mark.parametrize(
    "question",
    [
        "How much was my rent?", "How much did I pay before?", "Wie hoch war meine Miete früher?", "¿Cuánto pagaba de alquiler antes?",
        "Quanto eu pagava de aluguel?", "Combien payait-elle de loyer ?", "What is the rent for June 2025?",
    ],
)  # fmt: skip
def test_a_question_for_the_past_keeps_the_order(question):
    assert places(states(), question) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "newer", [{"is_question": True}, {"occurred_at": None}, {"session": UUID(int=101)}, {"tokens": None}]
)
def test_what_can_be_no_newer_state(newer):
    """A question, an undated turn, one of the same conversation, one without vectors of tokens."""
    assert places(states(**newer))[0] == 0


def test_of_states_before_the_end_of_a_month_the_newer_one_is_above():
    """The rent of April is newer than that of January, the rent of September began after June."""
    later = said(4, RENT, 9, meaning=22.5)
    assert places([*states(), later], "What was my rent in June?")[:2] == [3, 0]
    assert places([*states(), later], "What was my rent in February 2025?")[0] == 0


def test_another_matter_and_what_is_far_from_the_question_stay_below():
    others = [said(0, RENT, 1, meaning=30.0), said(1, PET, 2, meaning=24.0), said(2, SPORT, 3, meaning=23.5)]
    assert places(others) == [0, 1, 2]
    assert places(states(meaning=10.0))[0] == 0, "it answers less than half as well"


def test_passages_that_answer_better_hide_no_newer_state():
    """Their sums are of another scale: beside a manual the new rent is above the old one, too."""
    manual = [replace(passage(20 + number, 90.0, {}), tokens=bits(signs(300 + number))) for number in range(3)]
    found = [place for place in places([*states(), *manual]) if place < 20]
    assert found == [3, 0, 1, 2]


def test_of_many_later_turns_the_one_that_is_alike_is_the_newer_state():
    """Another one answers better, but speaks of another matter."""
    crowd = [said(10 + number, signs(200 + number), 5 + number % 3) for number in range(20)]
    assert places([*states(), said(4, PET, 5, meaning=25.0), *crowd])[:2] == [3, 0]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("What has become of my rent now?", "present"), ("¿Cuánto pago de alquiler ahora?", "present"), ("Wo arbeite ich zurzeit?", "present"),
        ("Quanto eu pago de aluguel hoje?", "present"), ("Combien je paie de loyer maintenant ?", "present"),
        ("Where do I live?", "open"), ("¿Dónde vivo yo?", "open"), ("Wo wohne ich?", "open"),
        ("¿Dónde vivía yo antes?", "past"), ("Where did I live?", "past"), ("Où est-ce que j'habitais avant ?", "past"),
        ("Was ist meine Adresse?", "open"), ("Was war meine Adresse?", "past"), ("Che lavoro fa Anna?", "open"), ("Dove abitavo due anni fa?", "past"),
    ],
)  # fmt: skip
def test_what_a_question_asks_for(text, asked):
    assert asked_time(text) == asked
