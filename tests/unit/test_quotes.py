"""The sentence around a place in a text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as some

from engine.retrieval.asked_relations import LONGEST, sentence

TEXT = "We met at the lake. “Dave married Ellen in 2003!” said Bob. Later it rained.\nThe end"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Dave married", "“Dave married Ellen in 2003!”"),
        ("We met", "We met at the lake."),
        ("rained", "Later it rained."),
        ("end", "The end"),
        ("lake. “Dave", "We met at the lake. “Dave married Ellen in 2003!”"),
    ],
)
def test_whole_sentences_are_quoted(words: str, said: str) -> None:
    start = TEXT.index(words)
    assert sentence(TEXT, start, start + len(words)) == said


def test_a_long_sentence_is_cut_around_the_place() -> None:
    text = f"{'before ' * 100}Dave married Ellen{' after' * 100}."
    start = text.index("Dave")
    said = sentence(text, start, start + 18)
    assert said.startswith("…") and said.endswith("…") and "Dave married Ellen" in said and len(said) <= LONGEST + 2


@given(some.text(max_size=700), some.integers(0, 700), some.integers(0, 700))
def test_it_is_a_part_of_the_text_for_any_text_and_place(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    said = sentence(text, start, min(len(text), start + length))
    assert len(said) <= LONGEST + 2
    assert " ".join(said.removeprefix("…").removesuffix("…").split()) in " ".join(text.split()) or "…" in text


def test_long_rows_of_dots_take_no_time() -> None:
    dots = "." * 100_000
    text, started = f"{dots}Ellen married Dave{dots}", time.monotonic()
    assert "Ellen married Dave" in sentence(text, 100_000, 100_018)
    assert time.monotonic() - started < 3
