"""Names that can be taken for each other have the same normal form; names that differ visibly do not."""

from __future__ import annotations

import json
import unicodedata
from importlib.resources import files

import pytest

from engine.domain.names import look_alike_key


@pytest.mark.parametrize(
    "name",
    ["Bob", "BOB", "ｂｏｂ", "b\u043eb", "\u0412\u043e\u0432", "b\u03bfb", "bo\u200bb", "b\u2060ob", "bo\ufe0fb",
     "\U0001d41b\U0001d428\U0001d41b", "bob\u00ad", "b\u115fob", "\u202ebob\u202c"],
)  # fmt: skip
def test_look_alikes_of_one_handle_have_one_key(name: str) -> None:
    assert look_alike_key(name) == look_alike_key("bob") == "bob"


@pytest.mark.parametrize(
    ("one", "other"), [("Іван", "іван"), ("КОТ", "кот"), ("Ωmega", "ωmega"), ("STRASSE", "straße")]
)
def test_case_makes_no_difference_in_other_scripts(one: str, other: str) -> None:
    assert look_alike_key(one) == look_alike_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Νina", "Nina"), ("Υves", "yves"), ("ϲarl", "Carl"), ("ꮁon", "Ron"), ("ΝΑΝΑ", "Nana"), ("Іda", "ida")],
)
def test_a_letter_is_compared_in_the_case_that_is_written(one: str, other: str) -> None:
    assert look_alike_key(one) == look_alike_key(other)


def test_each_letter_of_the_table_that_looks_like_one_of_ascii_is_taken_for_one() -> None:
    table = json.loads(files("confusable_homoglyphs").joinpath("confusables.json").read_text(encoding="utf-8"))
    compared, missed = 0, []
    for character, others in table.items():
        single = [other["c"] for other in others if len(other["c"]) == 1]  # `rn` beside `m` is not compared
        like = {other.casefold() for other in single if other.isascii() and other.isalpha()}
        if len(character) == 1 and unicodedata.category(character)[0] == "L" and not character.isascii() and like:
            # I, l and 1 look alike in many fonts, and handles keep them apart: a letter like one of them has one of their keys
            like |= {"i", "l", "1"} if like & {"i", "l"} else set()
            compared += 1
            missed += [] if look_alike_key(character) in like else [character]
    # What a letter *is*, a compatible form of another one, comes before what it looks like: the long s is an s.
    assert compared > 1000 and set(missed) <= set("Ƽſ")


def test_what_differs_visibly_stays_different() -> None:
    names = [
        "bob",
        "bób",
        "b0b",
        "bob1",
        "bobl",
        "bobi",
        "bob 2",
        "müller",
        "muller",
        "田中",
        "田仲",
        "محمد",
        "محمود",
        "иван",
    ]
    assert len({look_alike_key(name) for name in names}) == len(names)


def test_a_key_is_short_and_never_empty() -> None:
    assert len(look_alike_key("\ufdfa" * 200)) <= 500
    assert all(look_alike_key(name) for name in ("😀", "\u3164a", "-", "1"))
