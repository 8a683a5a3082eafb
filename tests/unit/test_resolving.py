"""Which entity each new name belongs to: known ones, new ones, namesakes, and what holds in any order."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.names import name_key
from engine.entities.resolution import pool
from engine.entities.resolution.contexts import evidence
from engine.entities.resolution.name_likeness import name_likeness
from engine.entities.resolution.pool import MOST_COMPARED
from engine.entities.resolution.resolution import MOST_WEIGHED, FoundName, KnownCandidate, Resolution, resolve
from engine.entities.resolution.romanized import canonical_key
from tests.work import calls


def _person(name: str, record: str = "r1", **more: object) -> FoundName:
    return FoundName(name, record, "person", **more)  # type: ignore[arg-type]


def _known(
    name: str, *aliases: str, records: frozenset[str] = frozenset(), near: bool = True, kind: str = "person"
) -> KnownCandidate:
    return KnownCandidate(canonical_key(kind, name), name, kind, aliases, near=near, records=records)


def _key(answers: Mapping[FoundName, Resolution], found: FoundName) -> str:
    return answers[found].key


def test_keys_are_readable_in_every_script() -> None:
    assert canonical_key("person", "Dave Kowalski") == "person:dave-kowalski"
    assert canonical_key("person", "Анна Орлова").startswith("person:anna-orlova.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Иван III", "Василий III"),
        ("C++", "C#"),
        ("José", "Jose"),
        ("Анна Орлова", "Anna Orlova"),
        ("Anna-Lena", "Anna Lena"),
        ("山", "川"),
        ("ー", "Ъ"),
        ("Ann " * 60, "Ann " * 61),
        ("x" * 79 + " y", "x" * 79 + " z"),
    ],
)
def test_different_names_have_different_keys(one: str, other: str) -> None:
    keys = {canonical_key("person", one), canonical_key("person", other)}
    assert len(keys) == 2
    assert all(key.isascii() and len(key) <= 100 for key in keys)


ALIKE = st.text(st.sampled_from("ab AB-_.'#+éеа山3"), max_size=6)


@given(one=st.one_of(st.text(max_size=30), ALIKE), other=st.one_of(st.text(max_size=30), ALIKE))
def test_names_have_one_key_if_they_are_compared_as_one(one: str, other: str) -> None:
    same = name_key(one) == name_key(other)
    assert (canonical_key("person", one) == canonical_key("person", other)) == same


def test_an_alias_of_one_entity_wins() -> None:
    found = _person("Davey")
    answer = resolve([found], [_known("Dave Kowalski", "Davey"), _known("Rita Alves")])[found]
    assert (answer.key, answer.new, answer.name) == ("person:dave-kowalski", False, "Dave Kowalski")


def test_a_first_name_means_the_only_one_near() -> None:
    found = _person("Dave")
    assert _key(resolve([found], [_known("Dave Kowalski")]), found) == "person:dave-kowalski"


def test_a_first_name_of_two_is_apart_and_handed_over() -> None:
    found = _person("Dave")
    answer = resolve([found], [_known("Dave Kowalski"), _known("Dave Grohl")])[found]
    assert (answer.key, answer.new) == ("person:dave", True)
    assert [review.candidate for review in answer.reviews] == ["person:dave-grohl", "person:dave-kowalski"]


def test_of_two_the_one_in_the_same_record_wins() -> None:
    bare, full = _person("Dave", "r2"), _person("Dave Grohl", "r2")
    answers = resolve([bare, full], [_known("Dave Kowalski")])
    assert _key(answers, bare) == _key(answers, full) == "person:dave-grohl"


def test_a_full_name_joins_the_bare_one_and_becomes_what_is_shown() -> None:
    found = _person("Dave Kowalski")
    answer = resolve([found], [_known("Dave")])[found]
    assert (answer.key, answer.new, answer.name) == ("person:dave", False, "Dave Kowalski")


def test_another_family_name_does_not_join() -> None:
    found = _person("Dave Grohl")
    answer = resolve([found], [KnownCandidate("person:dave", "Dave Kowalski", "person", ("Dave",))])[found]
    assert (answer.key, answer.new) == ("person:dave-grohl", True)


def test_two_full_names_do_not_share_a_bare_one() -> None:
    first, second = _person("Dave Grohl", "r1"), _person("Dave Kowalski", "r2")
    answers = resolve([first, second], [_known("Dave")])
    assert {_key(answers, first), _key(answers, second)} == {"person:dave-grohl", "person:dave-kowalski"}


def test_a_kind_tells_namesakes_apart() -> None:
    place, woman = FoundName("Florence", "r1", "place"), _person("Florence")
    answers = resolve([place, woman], [])
    assert {_key(answers, place), _key(answers, woman)} == {"place:florence", "person:florence"}


def test_a_nickname_means_the_speaker_of_the_conversation() -> None:
    speaker, called = _person("Melinda", form="speaker"), _person("Mel", "r2")
    answers = resolve([called, speaker], [_known("Melinda")])
    assert _key(answers, speaker) == "person:melinda"
    patricia = _person("Patricia", form="speaker")
    pat = _person("Pat", "r2")
    answers = resolve([pat, patricia], [])
    assert _key(answers, pat) == _key(answers, patricia)


def test_my_sister_is_another_one_for_each_speaker() -> None:
    one, other = (
        _person("my sister", form="kinship", speaker="Ana"),
        _person("my sister", form="kinship", speaker="Ben"),
    )
    answers = resolve([one, other], [])
    assert _key(answers, one) == canonical_key("person", "Ana's sister")
    assert _key(answers, other) == canonical_key("person", "Ben's sister")


def test_a_company_is_one_with_and_without_its_form() -> None:
    long, short = FoundName("Delmar Tools, Inc.", "r1", "organization"), FoundName("Delmar Tools", "r1", "organization")
    answers = resolve([long, short], [])
    assert len({answer.key for answer in answers.values()}) == 1


def test_a_namesake_gets_a_key_of_its_own() -> None:
    found = _person("Paul Weiss Jr.")
    taken = KnownCandidate(canonical_key("person", found.name), "Someone Else", "person")
    first, second = (_key(resolve([found], [taken], batch), found) for batch in ("one", "two"))
    assert first.startswith(f"{taken.key}~") and second.startswith(f"{taken.key}~")
    assert first != second, "two batches do not see each other's entities"


FIRST = ["Dave", "David", "Ana", "Анна", "Kasia", "Katarzyna", "Bob", "my sister", "Dr. Lang", "田中さん"]
LAST = ["", "", "Kowalski", "Grohl", "Lang", "Jr.", "GmbH"]
NAMES = st.one_of(
    st.builds(lambda a, b: f"{a} {b}".strip(), st.sampled_from(FIRST), st.sampled_from(LAST)), st.text(max_size=12)
)
FOUND = st.builds(FoundName, NAMES, st.sampled_from(["r1", "r2"]), st.sampled_from(["person", "thing", "organization"]))


@given(names=st.lists(FOUND, max_size=8), seed=st.randoms())
def test_the_order_makes_no_difference(names: list[FoundName], seed: object) -> None:
    turned = sorted(names, key=lambda one: hash((one, str(seed))))
    assert resolve(names, []) == resolve(turned, [])


def _entities(answers: Mapping[FoundName, Resolution]) -> list[KnownCandidate]:
    found: dict[str, list[FoundName]] = {}
    for name, answer in answers.items():
        found.setdefault(answer.key, []).append(name)
    return [
        KnownCandidate(
            key,
            answers[all_[0]].name,
            answers[all_[0]].kind,
            tuple(sorted({n.name for n in all_})),
            records=frozenset(n.record for n in all_),
        )
        for key, all_ in found.items()
    ]


@given(names=st.lists(FOUND, max_size=8))
def test_resolving_again_gives_the_same(names: list[FoundName]) -> None:
    first = resolve(names, [])
    again = resolve(names, _entities(first))
    assert {name: answer.key for name, answer in again.items()} == {name: answer.key for name, answer in first.items()}
    assert not any(answer.new for answer in again.values())


def test_thousands_of_entities_are_not_compared_with_each_other() -> None:
    known = [_known(f"Nomen{number // 40:03} Familia{number % 40:02}") for number in range(4_000)]
    found = [_person(f"Nomen{number:03} Familia07") for number in range(100)]
    answers: dict[FoundName, Resolution] = {}
    compared = calls(lambda: answers.update(resolve(found, known)), name_likeness)
    assert all(not answer.new for answer in answers.values())
    assert compared <= 3 * MOST_COMPARED * len(found)


FIRST_NAMES, SYLLABLES = (
    ("Anna", "John"),
    ("bar", "den", "fol", "gim", "hus", "kov", "lom", "mir", "nop", "rud", "sav", "tel"),
)


def _namesakes(first: str, count: int, told: str) -> list[FoundName]:
    """People with one first name, each with texts of some length."""
    families = [f"{one}{two}{three}".title() for one in SYLLABLES for two in SYLLABLES for three in SYLLABLES]
    return [
        _person(
            f"{first} {family}", f"r{number}", texts=(f"{first} {family} {told} in the year {1800 + number}. " * 8,)
        )
        for number, family in enumerate(families[::5][:count])
    ]


@pytest.mark.parametrize("first", FIRST_NAMES)
def test_namesakes_with_other_family_names_need_no_comparison_of_texts(first: str) -> None:
    found = _namesakes(first, 60, "sailed to Rotterdam with an orchestra")
    assert calls(lambda: resolve(found, []), evidence) == 0
    assert len({one.key for one in resolve(found, []).values()}) == len(found)


def test_the_work_of_a_batch_grows_with_its_names() -> None:
    """Where a text speaks of a marriage the family name may have changed, so texts are compared: of few for each name."""
    batches = {count: _namesakes("Anna", count, "was married") for count in (80, 160)}
    for count, found in batches.items():
        assert calls(lambda found=found: resolve(found, []), evidence) <= MOST_WEIGHED * count  # type: ignore[misc]
    work = {count: calls(lambda found=found: resolve(found, [])) for count, found in batches.items()}  # type: ignore[misc]
    assert work[160] < 2.5 * work[80]


def test_what_a_batch_has_no_room_to_compare_is_a_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "{} played the cello at the Rotterdam harbour festival with Teresa Vang and the Lunenburg orchestra."
    found = _person("Rasmusen", texts=(text.format("Rasmusen"),))
    known = KnownCandidate("person:rasmussen", "Rasmussen", "person", texts=(text.format("Rasmussen"),))
    assert _key(resolve([found], [known]), found) == known.key
    monkeypatch.setattr(pool, "MOST_WEIGHED_OF_BATCH", 0)
    answer = resolve([found], [known])[found]
    assert answer.new and [one.candidate for one in answer.reviews] == [known.key]


def test_two_short_forms_of_one_name_are_not_yet_one() -> None:
    jon, jack = _person("Jon Turner"), _person("Jack")
    answers = resolve([jon, jack], [])
    assert _key(answers, jon) != _key(answers, jack)


def test_a_place_in_a_title_is_not_the_person() -> None:
    lord, place = _person("Henry II, Duke of Bavaria"), FoundName("Bavaria", "r1")
    answers = resolve([lord, place], [])
    assert _key(answers, lord) != _key(answers, place)


def test_a_thing_of_somebody_is_not_that_person() -> None:
    thing, owner = FoundName("Walter's Delta", "r1"), _person("Walter", "r1")
    answers = resolve([thing, owner], [])
    assert _key(answers, thing) != _key(answers, owner) == "person:walter"


def test_one_word_is_the_first_of_a_name_only_if_it_is_a_first_name() -> None:
    maker, car = FoundName("Tesla", "r1"), FoundName("Tesla Roadster", "r1")
    answers = resolve([maker, car], [])
    assert _key(answers, maker) != _key(answers, car)
    short, full = FoundName("Dave", "r1"), FoundName("Dave Kowalski", "r1")
    answers = resolve([short, full], [])
    assert _key(answers, short) == _key(answers, full)


def test_letters_without_a_sound_are_names_too() -> None:
    for name in ("Ъ", "Ann Ь", "ー"):
        assert resolve([_person(name)], [])[_person(name)].name == name
