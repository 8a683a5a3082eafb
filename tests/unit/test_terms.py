"""Words of a text and their weights."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.terms import (
    DIMENSION,
    MOST_TERMS,
    asked_words,
    rarity,
    sparse,
    stored_words,
    term_id,
    weights,
    words,
)
from engine.language.detection import languages_of

ANY_TEXT = st.text(st.characters(codec=None), max_size=200)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Running runners ran", ["run", "runner", "ran"]),
        ("Don't go to the SHOP, Dave's!", ["go", "shop", "dave"]),
        ("ﬁne ＷＩＤＥ", ["fine", "wide"]),
        ("日本語", ["日本", "本語"]),
        ("私は東京タワー", ["私は", "は東", "東京", "京タ", "タワ", "ワー"]),
        ("ไทย", ["ไท", "ทย"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("Größe und ΣΊΣΥΦΟΣ", ["grösse", "und", "σίσυφοσ"]),
        ("iPhone15と猫", ["iphone15", "と猫"]),
        ("the of and", []),
        ("", []),
        ("\x00 \ud800 🙂", []),
    ],
)
def test_words_are_folded_stemmed_and_cut_by_script(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("stored", "asked", "shared"),
    [
        ("Wir haben die Häuser am Fluss gesehen.", "Welches Haus war das?", {"haus"}),
        ("Das ist eine Wohnung für mich.", "Wo sind die Wohnungen?", {"wohnung"}),
        ("Das ist eine Wohnung für mich.", "Wohnungen", {"wohnung"}),  # no language is detected
        ("Die Wohnungen sind mir zu teuer, but the garden is lovely.", "Was kostet eine Wohnung?", {"wohnung"}),
        ("Mi hermana está vendiendo el coche.", "¿Quién quiere vender eso?", {"vend"}),
        ("Os médicos disseram que não é nada.", "O que é que o médico disse?", {"médic", "diss"}),
        ("Nous avons loué une chambre et réservé la salle.", "Qui est-ce qui va réserver ?", {"réserv"}),
        ("Мы смотрели новые квартиры для нее.", "Где моя квартира?", {"квартир"}),
    ],
)
def test_forms_of_a_word_find_each_other_in_the_language_of_the_text(stored, asked, shared):
    assert not shared & set(words(stored)) & set(words(asked))
    assert shared <= set(stored_words(stored)) & set(asked_words(asked))
    assert set(words(stored)) <= set(stored_words(stored)) and set(words(asked)) <= set(asked_words(asked))


@pytest.mark.parametrize(
    "text", ["We have been running in the park.", "My car was in Paris, and the hotels were full.", "The of and", "", "日本語", "\ud800"]
)  # fmt: skip
def test_english_texts_and_texts_without_words_of_a_language_keep_their_words(text):
    assert stored_words(text) == words(text)


def test_a_text_says_its_language_by_its_stop_words():
    assert languages_of("Ich weiß nicht, was das ist.") == ("de",)
    assert languages_of("The house is not mine.") == ("en",)
    assert languages_of("Zürich 1998") == ()
    assert {"es", "pt"} <= set(languages_of("como"))


def test_stop_words_of_a_language_have_no_stems():
    assert stored_words("Ich habe nichts gegen seine") == words("Ich habe nichts gegen seine")


def test_stems_take_only_the_terms_that_the_words_leave():
    long = "und das ist ein " + " ".join(f"wörterbücher{n}en" for n in range(MOST_TERMS))
    assert set(words(long)[:MOST_TERMS]) <= set(stored_words(long))
    assert len(set(stored_words(long))) <= max(MOST_TERMS, len(set(words(long))))


@given(ANY_TEXT)
def test_no_text_breaks_the_analysis(text):
    found = words(text)
    assert all(stored_words(text)) and all(asked_words(text))
    assert all(word and len(word) <= 64 for word in found)
    assert len(weights(found, "turn")) <= MOST_TERMS
    assert sparse(text, "turn").dimensions() == DIMENSION


@given(ANY_TEXT)
def test_term_ids_fit_the_vector_and_leave_zero_free(text):
    assert all(1 <= term_id(word) <= DIMENSION for word in words(text))


def test_a_term_has_the_same_id_for_ever():
    assert [term_id(word) for word in ("run", "東京", "σίσυφοσ")] == [176982, 949809, 832406]


def test_weights_grow_with_frequency_and_shrink_with_length():
    once, twice = weights(["a1", "b1"], "turn"), weights(["a1", "a1", "b1"], "turn")
    assert twice[term_id("a1")] > once[term_id("a1")]
    long = weights(["a1"] + [f"w{n}" for n in range(50)], "turn")
    assert long[term_id("a1")] < once[term_id("a1")]


def test_a_weight_depends_on_its_own_text_only():
    before = weights(["boat"], "passage")
    weights(["other"] * 1000, "passage")
    assert weights(["boat"], "passage") == before


def test_the_heaviest_terms_of_a_long_text_are_kept():
    text = [f"w{n}" for n in range(2000)] + ["boat"] * 5
    kept = weights(text, "record")
    assert len(kept) == MOST_TERMS
    assert term_id("boat") in kept


def test_places_of_the_vector_count_from_zero():
    vector = sparse("boat", "turn")
    assert vector.indices() == [term_id("boat") - 1]


def test_rare_terms_weigh_more_and_none_weighs_less_than_nothing():
    assert rarity(1000, 1) > rarity(1000, 100) > rarity(1000, 1000) >= 0
    assert rarity(3, 10) >= 0
