"""Whether two names are one entity: invented pairs in many languages, and what holds for any names."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.entities.resolution.kin import kin_of
from engine.entities.resolution.likeness import decide
from engine.entities.resolution.name_likeness import NamedThing, name_likeness
from engine.entities.resolution.name_parts import parts_of
from engine.entities.resolution.pool import blocking_keys
from engine.entities.resolution.romanized import romanized, section, sounds_alike

CASES = Path(__file__).with_name("likeness_cases.txt")
_MENTION = re.compile(r"\[(.+?)\]")


class Case(NamedTuple):
    topic: str
    verdict: str
    a: NamedThing
    b: NamedThing


def _thing(marked: str) -> NamedThing:
    found = _MENTION.search(marked)
    assert found, marked
    return NamedThing(found[1], texts=(_MENTION.sub(r"\1", marked),))


def _cases() -> list[Case]:
    rows = [
        line.split("|") for line in CASES.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")
    ]
    return [Case(f"{language} {topic}", verdict, _thing(a), _thing(b)) for language, topic, verdict, a, b in rows]


def test_invented_pairs_are_told_apart_and_merges_are_right() -> None:
    right, wrong_merges = Counter[bool](), list[str]()
    cases = _cases()
    for case in cases:
        merged = decide(case.a, case.b).verdict == "same"
        right[merged == (case.verdict == "same")] += 1
        if merged and case.verdict != "same":
            wrong_merges.append(f"{case.topic}: {case.a.name}, {case.b.name}")
    assert len(cases) >= 60
    assert len({case.topic.split()[0] for case in cases}) >= 15
    assert right[True] >= 0.9 * len(cases)
    assert not wrong_merges


def test_a_decision_does_not_depend_on_the_order() -> None:
    for case in _cases():
        assert decide(case.a, case.b) == decide(case.b, case.a), case.topic


NAMES = st.one_of(st.text(max_size=40), st.sampled_from([case.a.name for case in _cases()]))


@given(a=NAMES, b=NAMES, text=st.text(max_size=80))
def test_any_names_get_a_symmetric_decision(a: str, b: str, text: str) -> None:
    one, other = NamedThing(a, texts=(text, f"{a} {text}")), NamedThing(b, texts=(f"{text} {b}",))
    assert decide(one, other) == decide(other, one)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Dr. Anna Orlova", "Anna Orlova"),
        ("Bill Turner", "William Turner"),
        ("Orlova, Anna", "Anna Orlova"),
        ("Fischer & Söhne GmbH", "Fischer & Söhne"),
        ("Jürgen Möller", "Juergen Moeller"),
        ("Фёдор Тютчев", "Fyodor Tyutchev"),
        ("Wien", "Vienna"),
        ("Renee Dupont", "Renée DUPONT"),
    ],
)
def test_full_names_and_places_need_no_text(a: str, b: str) -> None:
    assert decide(NamedThing(a), NamedThing(b)).verdict == "same"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Paul Weiss Sr.", "Paul Weiss Jr."),
        ("Anna Maria Berg", "Anna Luise Berg"),
        ("Carla Conti", "Carla Bruni"),
        ("Abu Karim", "Karim"),
        ("Herr Lang", "Frau Lang"),
        ("Leeds", "Leeds Station"),
        ("New York", "New York City"),
        ("Marta Nowak", "Maria Nowak"),
        ("my father-in-law", "my father"),
        ("Eva's husband", "Eva's ex-husband"),
    ],
)
def test_names_that_rule_each_other_out_are_apart(a: str, b: str) -> None:
    text = "The harbour festival in Rotterdam was wet, the orchestra played Brahms."
    assert decide(NamedThing(a, texts=(text,)), NamedThing(b, texts=(text,))).verdict == "apart"


def test_a_marriage_changes_no_first_name() -> None:
    said = "Olaf Brandt is engaged to Nina Lund. Olaf Brandt is married to Anna Berg."
    assert (
        decide(
            NamedThing("Nina Lund", "person", texts=(said,)), NamedThing("Anna Berg", "person", texts=(said,))
        ).verdict
        == "apart"
    )


def test_two_who_are_both_married_are_not_one_by_that() -> None:
    one = NamedThing("Anna Berg", "person", texts=("Anna Berg was married last week in Galway.",))
    other = NamedThing("Anna Holm", "person", texts=("Anna Holm got married to a sailor.",))
    assert decide(one, other).verdict == "review"


def test_the_same_name_of_another_kind_is_apart() -> None:
    text = ("The premiere in Salzburg was sold out for weeks.",)
    assert decide(NamedThing("Emma", "work", texts=text), NamedThing("Emma", "person", texts=text)).verdict == "apart"
    assert decide(NamedThing("Emma", "person", texts=text), NamedThing("Emma", "person", texts=text)).verdict == "same"


def test_a_first_name_alone_is_handed_over_for_review() -> None:
    decision = decide(NamedThing("Dave"), NamedThing("Dave Kowalski"))
    assert decision.verdict == "review"
    assert "first name" in decision.reason


def test_names_are_taken_apart() -> None:
    parts = parts_of("Frau Prof. Dr. Ilse von Hagen")
    assert (parts.words, parts.gender, parts.adult) == (("ilse", "hagen"), "f", True)
    assert parts_of("Delmar Tools, Inc.").company
    assert parts_of("佐藤部長").words == ("sato",)
    kin = kin_of("Clara's ex-husband")
    assert kin is not None
    assert (kin.relation, kin.owner, kin.former) == ("husband", "clara", True)
    assert kin_of("Frank Mutterer") is None


def test_scripts_meet_in_latin_letters() -> None:
    assert romanized("Ελένη Παπαδοπούλου") == "eleni papadopoulou"
    assert romanized("서울") == "seoul"
    assert sounds_alike("محمود", "Mahmoud")
    assert not sounds_alike("Иван", "Ilya")


def test_names_that_match_share_a_key() -> None:
    pairs = [(case.a.name, case.b.name) for case in _cases()]
    missed = [
        pair
        for pair in pairs
        if name_likeness(*pair).score >= 0.6 and not blocking_keys(pair[0]) & blocking_keys(pair[1])
    ]
    assert not missed


@pytest.mark.ledger("X05")
@pytest.mark.parametrize("relation", ["uncle", "aunt"])
def test_a_word_that_tells_the_side_of_the_family_is_no_word_for_both(relation: str) -> None:
    """*Amca* is the father's brother, *dayı* the mother's: two persons."""
    words = {key: set(listed.split()) for key, listed in section("kin", "relations").items() if isinstance(listed, str)}
    sides = words[f"{relation}_paternal"] | words[f"{relation}_maternal"]
    assert sides and not sides & words[relation] and not words[f"{relation}_paternal"] & words[f"{relation}_maternal"]
    one, other = kin_of("amcam Kemal"), kin_of("dayım Kemal")
    assert one is not None and other is not None and (one.side, other.side) == ("paternal", "maternal")
