"""What a text says beside a name: what somebody is to whom, and how old. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engine.domain.utterance import at_offset, named_dates, spoken_at, spoken_dates
from engine.entities.resolution.namesakes import (
    Age,
    Clues,
    Excerpt,
    clues_in,
    different_forms,
    home_of,
    of_other_namesake,
    ties_of,
    why_apart,
)
from engine.language.dates import dates_asked
from engine.language.detection import languages_of
from engine.language.questions import asks_for_self, state_asked

NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "name", "tie"),
    [
        ("My younger brother Hal rang.", "Hal", "mia|brother"),
        ("I met Hal, my landlord, today.", "Hal", "mia|landlord"),
        ("Hal (my hairdresser) moved.", "Hal", "mia|hairdresser"),
        ("My dentist is called Hal.", "Hal", "mia|dentist"),
        ("My dentist is Hal.", "Hal", "mia|dentist"),
        ("My boss is Hal's cousin.", "Hal", ""),
        ("My boss Hal's cousin sings.", "Hal", "mia|boss"),
        ("Mein Vermieter heißt Hal.", "Hal", "mia|landlord"),
        ("Mein Vermieter ist Hal.", "Hal", "mia|landlord"),
        ("Mi jefe es Hugo.", "Hugo", "mia|boss"),
        ("O meu dentista é o Davi.", "Davi", "mia|dentist"),
        ("Mon dentiste est Rémy.", "Rémy", "mia|dentist"),
        ("Unsere Nachbarin Hedda grüßt.", "Hedda", "mia|neighbour"),
        ("Mi vecina Alba canta.", "Alba", "mia|neighbour"),
        ("Mi jefe se llama Hugo.", "Hugo", "mia|boss"),
        ("O meu dentista Davi ligou.", "Davi", "mia|dentist"),
        ("Ma sœur Agathe chante.", "Agathe", "mia|sister"),
        ("Omar's uncle Hal sings.", "Hal", "omar|uncle"),
        ("My wife Alba sings.", "Alba", "mia|partner"),
        ("My boss hates Hal.", "Hal", ""),
        ("My brother and Hal left.", "Hal", ""),
        ("Hal is here.", "Hal", ""),
        ("My favourite Hal film is on.", "Hal", ""),
        ("Hal, my younger brother, rang.", "Hal", "mia|brother"),
        ("Hal, my midwife, rang.", "Hal", "mia|midwife"),
        ("We've got a nanny named Hal.", "Hal", "mia|nanny"),
        ("A colleague of mine, Hal, rang.", "Hal", "mia|colleague"),
        ("Hal is my landlord.", "Hal", "mia|landlord"),
        ("Hal's my landlord.", "Hal", "mia|landlord"),
        ("Hal was our old plumber.", "Hal", "mia|plumber"),
        ("Hal, who is my uncle, rang.", "Hal", "mia|uncle"),
        ("Hal is Omar's uncle.", "Hal", "omar|uncle"),
        ("Hal is a cousin of mine.", "Hal", "mia|cousin"),
        ("Hal sings in Hull. He is my uncle.", "Hal", "mia|uncle"),
        ("Hal ist mein Vermieter.", "Hal", "mia|landlord"),
        ("Hal, der mein Vermieter ist, rief an.", "Hal", "mia|landlord"),
        ("Wir haben eine Nachbarin namens Hedda.", "Hedda", "mia|neighbour"),
        ("Hedda heißt meine Vermieterin.", "Hedda", "mia|landlord"),
        ("Alba es mi vecina.", "Alba", "mia|neighbour"),
        ("Tengo un vecino que se llama Hugo.", "Hugo", "mia|neighbour"),
        ("O Davi é o meu senhorio.", "Davi", "mia|landlord"),
        ("Davi, o meu senhorio, ligou.", "Davi", "mia|landlord"),
        ("Rémy est mon voisin.", "Rémy", "mia|neighbour"),
        ("Rémy, c'est mon voisin.", "Rémy", "mia|neighbour"),
        ("Hal is my landlord's cousin.", "Hal", ""),
        ("Hal is my cousin Omar's landlord.", "Hal", ""),
        ("Hal is not my landlord.", "Hal", ""),
        ("Hal is also my landlord.", "Hal", ""),
        ("Hal is my landlord, too.", "Hal", ""),
        ("The dog of Hal is my friend.", "Hal", ""),
        ("Omar met Hal. He is my uncle.", "Omar", ""),
        ("Hal has a boss. He is my uncle.", "Hal", ""),
        ("Hal, my boss is ill.", "Hal", ""),
        ("Mit Hal ist mein Chef verreist.", "Hal", ""),
        ("Hal ist meinem Onkel ähnlich.", "Hal", ""),
    ],
)
def test_what_somebody_is_to_whom(text: str, name: str, tie: str) -> None:
    start = text.index(name)
    assert ties_of(text, start, start + len(name), "Mia") == ({tie} if tie else set())


@pytest.mark.parametrize(
    "text",
    [
        "My uncle Hal is also my landlord.",
        "Hal is my uncle and my landlord.",
        "My landlord Hal is my uncle.",
        "Hal is my uncle and my new landlord.",
        "Hal ist mein Onkel und auch mein Vermieter.",
        "Mein Onkel Hal ist zugleich mein Vermieter.",
        "Mi tío Hal también es mi casero.",
        "O meu tio Hal é também o meu senhorio.",
        "Mon oncle Hal est aussi mon propriétaire.",
    ],
)
def test_one_may_be_two_things_to_somebody(text: str) -> None:
    start = text.index("Hal")
    ties = ties_of(text, start, start + 3, "Mia")
    assert ties == {"mia|uncle", "mia|landlord"}
    uncle, landlord, boss = (Clues(frozenset({f"mia|{role}"})) for role in ("uncle", "landlord", "boss"))
    assert not Clues(ties).differs(uncle) and not landlord.differs(Clues(ties)) and boss.differs(Clues(ties))


@pytest.mark.parametrize(
    ("text", "name", "other"),
    [
        ("Have you met Hal Ward?", "Hal Ward", True),
        ("Kennst du Hal Ward?", "Hal Ward", True),
        ("¿Conoces a Hal Ward?", "Hal Ward", True),
        ("Você conhece o Hal Ward?", "Hal Ward", True),
        ("Tu connais Hal Ward ?", "Hal Ward", True),
        ("I saw Hal Ward. He has a new boat.", "Hal Ward", True),
        ("Hal Ward works in Hull.", "Hal Ward", True),
        ("My uncle Hal Ward rang.", "Hal Ward", True),
        ("Good morning, Hal Ward. He has a new boat.", "Hal Ward", False),
        ("My sister Hal rang.", "Hal", False),
        ("I agree, Hal. He has a new boat.", "Hal", False),
        ("My dear Hal, how are you?", "Hal", False),
        ("Omar works in Hull.", "Omar", False),
    ],
)
def test_who_is_spoken_of_to_one_of_that_name_is_another(text: str, name: str, other: bool) -> None:
    start = text.index(name)
    assert bool(of_other_namesake(text, start, start + len(name), "Hal")) is other


@pytest.mark.parametrize(
    ("text", "ages"),
    [
        ("Hal, 9, swims.", {9}), ("Hal is 64 years old.", {64}), ("Our 7-year-old Hal sings.", {7}), ("Hal (71) sings.", {71}),
        ("Hal turned 30!", {30}), ("Hal is 9 miles away.", set()), ("Hal ist 8 Jahre alt.", {8}), ("Hal tiene 40 años.", {40}),
        ("Hal, de 40 años, canta.", {40}), ("Hal tiene 9 años de experiencia.", set()), ("Hal ist 8 und malt.", {8}),
    ],
)  # fmt: skip
def test_how_old_somebody_is(text: str, ages: set[int]) -> None:
    assert {age.years for age in clues_in(["Hal"], [Excerpt(text)]).ages} == ages


def test_a_full_name_counts_more_than_a_role() -> None:
    brother, boss = Clues(frozenset({"mia|brother"})), Clues(frozenset({"|boss"}))
    assert why_apart("Hal", {"Hal"}, brother, boss) and why_apart("Hal", {"Hal Ward", "Hal"}, brother, boss)
    assert not why_apart("Hal Ward", {"Hal Ward"}, brother, boss)
    assert not why_apart("Hal", {"Hal"}, brother, Clues(frozenset({"omar|boss"}))), "of two speakers"
    another = Clues(frozenset({"mia|brother", "hal|namesake"}))
    assert not another.differs(Clues(frozenset({"|brother"}))) and why_apart("Hal", {"Hal"}, another, Clues())


@pytest.mark.parametrize(
    ("one", "other", "years", "two"),
    [
        (15, 33, 18, False),
        (7, 34, 0, True),
        (30, 31, 1, False),
        (6, 17, 0, True),
        (7, 34, None, True),
        (7, 17, None, False),
    ],
)
def test_ages_count_from_when_they_were_said(one: int, other: int, years: int | None, two: bool) -> None:
    """None: it is not known when."""
    later = None if years is None else NOW.replace(year=NOW.year + years)
    ages = [Clues(ages=frozenset({age})) for age in (Age(one, NOW), Age(other, later))]
    assert bool(ages[0].differs(ages[1])) is two is bool(ages[1].differs(ages[0]))


def lives(text: str, record: str = "", days: int = 0) -> Clues:
    home = home_of(text, text.index("Hal"), text.index("Hal") + 3, record, NOW + timedelta(days=days))
    return Clues(homes=frozenset([home] if home else ()))


@pytest.mark.parametrize(
    ("one", "other", "two"),
    [
        (lives("Hal lives in Hull."), lives("Hal, who lives in Split, rang.", "2", 20), True),
        (lives("Hal, living in Hull, rang."), lives("Hal lives in Split.", "2", 20), True),
        (lives("Hal lives in Hull.", "1"), lives("Hal lives in Split.", "1"), True),
        (lives("Hal lives in Hull.", "1"), lives("Hal lives in Split.", "2"), False),  # as news
        (lives("Hal lives in Hull."), lives("Hal, who lives in Split, rang.", "2", 50), False),  # he may have moved
        (lives("Hal lives in Hull.", "1"), lives("Hal lives in Split, too.", "1"), False),
        (lives("Hal lives in Hull.", "1"), lives("Sorry! Hal lives in Split.", "1"), False),
        (lives("Hal lives in Hull.", "1"), lives("Hal lives in Split?", "1"), False),
        (lives("Hal lives in Queens."), lives("Hal, who lives in Brooklyn, rang.", "2"), False),  # near
        (lives("Hal lives in Lisbon."), lives("Hal, who lives in Lisboa, rang.", "2"), False),
        (lives("Hal lives in Nowhereton."), lives("Hal, who lives in Split, rang.", "2"), False),
        (lives("Hal moved to Split."), lives("Hal, who lives in Split, rang.", "2"), False),
        (lives("Hal moved."), lives("Hal, who lives in Split, rang.", "2"), False),
    ],
)
def test_two_homes_at_one_time(one: Clues, other: Clues, two: bool) -> None:
    assert bool(one.differs(other)) is two is bool(other.differs(one))


def test_forms_of_companies() -> None:
    assert different_forms(["Ward GmbH"], ["Ward AG"]) and different_forms(["Ward Ltd"], ["Ward", "Ward Inc."])
    for one, other in (
        ("Ward", "Ward AG"),
        ("Ward Ltd", "Ward Limited"),
        ("Ward GmbH & Co. KG", "Ward KG"),
        ("Ward Group", "Ward AG"),
    ):
        assert not different_forms([one], [other]), one


@pytest.mark.parametrize(
    ("question", "own"),
    [
        ("What did I order?", True), ("Tell me what Ana ordered.", False), ("Wie alt bin ich?", True), ("Zeig mir Anas Haus.", False),
        ("¿Dónde vivo?", True), ("¿Dónde vive Ana?", False), ("Quem é o meu chefe?", True), ("Qui est mon patron ?", True),
        ("Where does Ana live?", False), ("我在哪里工作？", True), ("小红在哪里工作？", False),
    ],
)  # fmt: skip
def test_who_asks_for_the_own(question: str, own: bool) -> None:
    assert asks_for_self(question, languages_of(question)) is own


@pytest.mark.parametrize(
    ("question", "months"),
    [
        ("What was my salary in March?", ("2026-03-01", "2026-04-01")), ("Who was Ana's boss in December?", ("2025-12-01", "2026-01-01")),
        ("Where did I live in 2021?", ("2021-01-01", "2022-01-01")), ("What did I do in March?", None), ("What was my salary?", None),
        ("Which pills did I take in June 2025?", ("2025-06-01", "2025-07-01")), ("Which trip did I take in June 2025?", None),
        ("Wie hoch war meine Dosis im März?", ("2026-03-01", "2026-04-01")), ("Was habe ich im März gemacht?", None),
        ("Wo wohnte Ana im Dezember?", ("2025-12-01", "2026-01-01")), ("¿Cuál era mi sueldo en marzo?", ("2026-03-01", "2026-04-01")),
        ("¿Dónde vivía Ana en junio de 2025?", ("2025-06-01", "2025-07-01")), ("¿Qué hice en marzo?", None),
        ("Qual era o meu salário em março?", ("2026-03-01", "2026-04-01")), ("Quel était mon salaire en mars ?", ("2026-03-01", "2026-04-01")),
        ("Où habitait Léa en juin 2025 ?", ("2025-06-01", "2025-07-01")), ("Qu'ai-je fait en mars ?", None),
        ("我三月的剂量是多少？", ("2026-03-01", "2026-04-01")), ("我2025年6月住在哪里？", ("2025-06-01", "2025-07-01")), ("我三月做了什么？", None),
    ],
)  # fmt: skip
def test_a_state_of_a_period(question: str, months: tuple[str, str] | None) -> None:
    period = state_asked(question, dates_asked(question, NOW), NOW)
    assert (period and tuple(one.date().isoformat() for one in period)) == months


def test_the_clock_of_who_speaks_is_kept_among_the_dates() -> None:
    said = datetime.fromisoformat("2026-02-28T22:00:00-08:00")
    dates = spoken_dates("I was ill yesterday.", said)
    assert (dates, named_dates(dates)) == (("2026-02-27", "@-08:00"), ("2026-02-27",))
    back = spoken_at(said.astimezone(UTC), dates)
    assert back == said and back.date() == said.date()
    assert spoken_dates("Yesterday.", NOW) == ("2026-04-30",) and spoken_at(NOW, ()) == NOW
    first = datetime(1, 1, 1, tzinfo=UTC)
    assert at_offset(first, -60) == first and spoken_at(None, dates) is None
