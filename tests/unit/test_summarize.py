"""A summary without a model: sentences of the text itself, as many words as the settings say."""

from __future__ import annotations

import pytest

from engine.domain.description import summarize

SENTENCES = [" ".join(f"Word{number}x{place}" for place in range(10)) + "." for number in range(60)]
"""600 words, none twice."""


@pytest.mark.ledger("N17")
@pytest.mark.parametrize("words", [20, 60, 200])
def test_a_summary_has_about_the_configured_length_and_quotes(words: int) -> None:
    summary = summarize(" ".join(SENTENCES), target_words=words)
    assert words <= len(summary.split()) < words + 10
    chosen = [sentence for sentence in SENTENCES if sentence in summary]
    assert summary == " ".join(chosen)


def test_a_short_text_is_its_own_summary() -> None:
    assert summarize("The  lease\nends in June.", target_words=200) == "The lease ends in June."
