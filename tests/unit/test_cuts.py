"""Where streamed conversations are cut, for any sequence of turns."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.stream import Cut, Thresholds, WeighedTurn, first_cut
from engine.errors import SettingsError

AT = Thresholds(48, 50, 62, most_turns=40)

turns = st.builds(
    WeighedTurn,
    st.one_of(st.integers(1, 8), st.integers(1, 70)),
    st.sampled_from(("Ann", "Bob", "Cy")),
    st.sampled_from((None, "user", "assistant")),
)
conversations = st.lists(turns, max_size=120)


def cuts(waiting: Sequence[WeighedTurn], at: Thresholds = AT) -> list[Cut]:
    """All pieces that are due, one after the other."""
    found: list[Cut] = []
    while (cut := first_cut(waiting, at)) is not None:
        found.append(cut)
        waiting = waiting[cut.turns :]
    return found


def pieces(said: Sequence[WeighedTurn], found: Sequence[Cut]) -> list[Sequence[WeighedTurn]]:
    parts, start = [], 0
    for cut in found:
        parts.append(said[start : start + cut.turns])
        start += cut.turns
    return parts


def answers(piece: Sequence[WeighedTurn], turn: WeighedTurn) -> bool:
    return turn.role == "assistant" or (turn.role is None and turn.speaker != piece[0].speaker)


@pytest.mark.ledger("N12", "N33")
@given(conversations)
def test_no_piece_is_larger_than_the_hard_threshold_but_for_one_turn_that_is(said: list[WeighedTurn]) -> None:
    found = cuts(said)
    for cut, piece in zip(found, pieces(said, found), strict=True):
        assert 1 <= cut.turns <= AT.most_turns and cut.tokens == sum(turn.tokens for turn in piece)
        if cut.tokens > AT.hard:
            assert piece[-1].tokens > AT.hard, "only a turn that is too large by itself makes a piece too large"
            assert cut.tokens - piece[-1].tokens <= AT.hard
            assert not any(answers(piece, turn) for turn in piece[:-1]), "nothing that could have been stored before it"
    rest = said[sum(cut.turns for cut in found) :]
    assert sum(turn.tokens for turn in rest) <= AT.hard and len(rest) <= AT.most_turns


@pytest.mark.ledger("N12")
@given(conversations, st.data())
def test_where_it_is_cut_does_not_depend_on_how_the_turns_arrived(said: list[WeighedTurn], data: st.DataObject) -> None:
    seen = data.draw(st.integers(0, len(said)))
    early = cuts(said[:seen])
    assert cuts(said)[: len(early)] == early
    stored, streamed = 0, []
    for arrived in range(1, len(said) + 1):
        if (cut := first_cut(said[stored:arrived], AT)) is not None:
            streamed.append(cut)
            stored += cut.turns
    while (cut := first_cut(said[stored:], AT)) is not None:
        streamed.append(cut)
        stored += cut.turns
    assert streamed == cuts(said)


@pytest.mark.ledger("N12")
@given(conversations)
def test_below_the_window_nothing_is_cut_unless_the_next_turn_does_not_fit(said: list[WeighedTurn]) -> None:
    found = cuts(said)
    start = 0
    for cut, piece in zip(found, pieces(said, found), strict=True):
        start += cut.turns
        if cut.tokens < AT.watch_from and cut.turns < AT.most_turns:
            behind = said[start:]
            room = AT.hard - cut.tokens
            beyond = [sum(turn.tokens for turn in behind[: n + 1]) > room for n in range(len(behind))]
            assert any(beyond[: AT.most_turns + 1]) or len(behind) + len(piece) > AT.most_turns


@pytest.mark.ledger("N12")
@given(st.lists(st.integers(1, 5), min_size=40, max_size=120))
def test_questions_and_answers_are_cut_inside_the_window_behind_an_answer(sizes: list[int]) -> None:
    said = [
        WeighedTurn(size, "Ann" if place % 2 == 0 else "bot", "user" if place % 2 == 0 else "assistant")
        for place, size in enumerate(sizes)
    ]
    found = cuts(said, Thresholds(48, 50, 62))
    for cut, piece in zip(found, pieces(said, found), strict=True):
        assert 48 <= cut.tokens <= 62 and piece[0].role == "user" and piece[-1].role == "assistant"
        assert sum(turn.tokens for turn in piece[:-2]) < 48, (
            "the first exchange that ends inside the window is the last"
        )


def said(text: str) -> list[WeighedTurn]:
    """`u10 a20` as turns of user and assistant; `x5` is of Xenia, without a role."""
    roles = {"u": "user", "a": "assistant"}
    return [WeighedTurn(int(word[1:]), word[0], roles.get(word[0])) for word in text.split()]


@pytest.mark.ledger("N12")
@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ("u10 a37", []),
        ("u10 a38", []),  # the answer may go on
        ("u10 a38 u1", [(2, 48)]),  # the exchange is over
        ("u10 a38 a1 u1", [(3, 49)]),  # it went on
        ("u10 a38 a2", [(3, 50)]),  # enough: behind the first response
        ("u10 a30 u15", []),
        ("u10 a30 u15 a7", [(4, 62)]),
        ("u10 a30 u15 a8", [(2, 40)]),  # does not fit, is not split: behind the last response
        ("u30 u30 u3", [(2, 60)]),  # nobody answers: between two turns
        ("a70", [(1, 70)]),  # larger than everything: whole
        ("u5 a10 u5 a70 u1", [(2, 15), (2, 75)]),  # with what was asked
        ("x30 y19 x1", [(2, 49)]),  # without roles: whoever did not speak first answers
        ("x30 x25 x10", [(2, 55)]),
    ],
)
def test_examples(turns: str, expected: list[tuple[int, int]]) -> None:
    assert [(cut.turns, cut.tokens) for cut in cuts(said(turns), Thresholds(48, 50, 62))] == expected


@pytest.mark.ledger("N33")
@pytest.mark.parametrize("wrong", [(0, 1, 1), (2, 1, 3), (1, 3, 2)])
def test_thresholds_in_no_order_are_refused(wrong: tuple[int, int, int]) -> None:
    with pytest.raises(SettingsError):
        Thresholds(*wrong)
