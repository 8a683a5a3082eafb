"""What is written beside a turn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.utterance import embedded_text, utterance


@pytest.mark.parametrize("text", ["Really?", "Really? :)", 'He asked "why?"', "What?!", "真的？", "لماذا؟"])
def test_a_turn_that_ends_by_asking_is_a_question(text):
    assert utterance(text, None).is_question


@pytest.mark.parametrize("text", ["Really? I doubt it.", "No.", "", "a; b"])
def test_a_turn_that_ends_by_telling_is_none(text):
    assert not utterance(text, None).is_question


def test_the_turn_before_may_ask_anywhere():
    assert utterance("Yes.", "Did you? I did.").previous_has_question
    assert not utterance("Yes.", "I did.").previous_has_question


def test_the_first_turn_has_no_turn_before():
    first = utterance("Hello", None)
    assert first.first_of_session
    assert not first.previous_has_question
    assert not utterance("Hello", "").first_of_session


def test_columns_of_a_turn():
    turn = utterance("I went to the lake yesterday", "And you?")
    assert (turn.first_person, turn.word_count, turn.time_expressions) == (True, 6, 1)
    assert not utterance("It is here", None).first_person


def test_speakers_and_stamps_are_not_embedded():
    assert embedded_text("Hey Caroline! Caroline's dog", ["Caroline"]) == "Hey ! dog"
    assert embedded_text("[2023-05-07 13:56] Smith came", ["Ann Smith"]) == "came"


def test_a_text_of_names_alone_stays():
    assert embedded_text("Caroline!", ["Caroline"]) == "Caroline!"
    assert embedded_text("🙂", ["Bob"]) == "🙂"


@given(st.text(max_size=200), st.lists(st.text(max_size=20), max_size=3))
def test_no_text_and_no_name_breaks_it(text, speakers):
    embedded_text(text, speakers)
    assert utterance(text, text).word_count >= 0
