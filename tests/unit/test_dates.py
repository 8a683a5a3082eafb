"""Dates that texts and questions name."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.dates import MOST_DATES, agreement, dates_asked, dates_in, time_expressions

MONDAY = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I went there yesterday", ("2023-05-07",)),
        ("the day before yesterday", ("2023-05-06",)),
        ("see you tomorrow", ("2023-05-09",)),
        ("tonight!", ("2023-05-08",)),
        ("on 7 May 2023", ("2023-05-07",)),
        ("on May 7th, 2023", ("2023-05-07",)),
        ("on the 7th of May", ("2023-05-07",)),
        ("2023-05-07 and 2022/1/3", ("2023-05-07", "2022-01-03")),
        ("in June", ("2023-06",)),
        ("last June", ("2022-06",)),
        ("next month", ("2023-06",)),
        ("in December", ("2022-12",)),
        ("last Friday", ("2023-05-05",)),
        ("on Friday", ("2023-05-05",)),
        ("next Friday", ("2023-05-12",)),
        ("last weekend", ("2023-05-06", "2023-05-07")),
        ("two weekends ago", ("2023-04-29", "2023-04-30")),
        ("three years ago", ("2020",)),
        ("in 2 months", ("2023-07",)),
        ("back in 2019", ("2019",)),
        ("March 2020", ("2020-03",)),
        ("last year", ("2022",)),
        ("Sept 3, 2021", ("2021-09-03",)),
        ("I may march in", ()),
        ("30 February 2023", ("2023-02",)),
        ("2023-13-45", ()),
        ("$2019 or 20190", ()),
        ("99 years ago and in 999 years", ("1924", "3022")),
        ("1 day before 0001", ("2023-05-07",)),
    ],
)
def test_dates_are_resolved_against_the_time_of_the_conversation(text, expected):
    assert dates_in(text, MONDAY) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ich war am 3. August 2021 in Rom.", ("2021-08-03",)),
        ("Gestern Abend habe ich gelesen, heute nicht.", ("2023-05-07", "2023-05-08")),
        ("Vor drei Tagen kam er, und in zwei Jahren geht er.", ("2023-05-05", "2025")),
        ("Letzten Monat war ich dort, nächsten Samstag wieder.", ("2023-04", "2023-05-13")),
        ("Sonnabend war ich da, jeden Montag schwimme ich.", ("2023-05-06",)),
        ("Guten Morgen, wie geht es dir?", ()),
        ("El 3 de mayo de 2019 me casé con ella.", ("2019-05-03",)),
        ("El 12 de nov de 2025 no fui.", ("2025-11-12",)),
        ("No dia 3 de jan de 2025 eu casei.", ("2025-01-03",)),
        ("Ayer no, pasado mañana.", ("2023-05-07", "2023-05-10")),
        ("Hace tres días que llegó; el año que viene se va.", ("2023-05-05", "2024")),
        ("El lunes pasado fui al médico, y el próximo viernes voy otra vez.", ("2023-05-01", "2023-05-12")),
        ("Los lunes juego al tenis.", ()),
        ("Desde marzo no fumo.", ("2023-03",)),
        ("No dia 3 de maio de 2019 eu casei.", ("2019-05-03",)),
        ("Ontem não, depois de amanhã.", ("2023-05-07", "2023-05-10")),
        ("Há três dias que ele chegou, e no ano passado também.", ("2023-05-05", "2022")),
        ("Na segunda-feira fui ao cinema; aos domingos não vou.", ("2023-05-01",)),
        ("Le 1er mai 2019 il est venu.", ("2019-05-01",)),
        ("Avant hier nous étions avec lui.", ("2023-05-06",)),
        ("Avant-hier nous étions là, et aujourd'hui aussi.", ("2023-05-06", "2023-05-08")),
        ("Il y a trois jours il est venu, dans deux ans il part.", ("2023-05-05", "2025")),
        ("Le mois dernier je suis allé chez lui, vendredi prochain aussi.", ("2023-04", "2023-05-12")),
        ("Je joue avec lui le lundi.", ()),
        ("The Mars 2020 rover landed with it.", ("2020",)),
        ("We set 3 alarms, and I ate mayo 2 times.", ()),
    ],
)
def test_dates_are_told_in_each_language_and_by_its_words_not_in_english_texts(text, expected):
    assert dates_in(text, MONDAY) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ich bin hier in Rom.", ()),
        ("Hier j'étais avec lui.", ("2023-05-07",)),
        ("hier soir", ("2023-05-07",)),
        ("lundi prochain je joue", ("2023-05-15",)),
        ("l'année prochaine je me marie", ("2024",)),
        ("a finales de marzo", ("2023-03",)),
        ("Todo sábado jogo bola.", ()),
        ("Até sábado estou com ele.", ("2023-05-13",)),
        ("daqui a 15 dias", ("2023-05-23",)),
    ],
)
def test_words_that_languages_share_are_read_in_that_of_the_text(text, expected):
    assert dates_in(text, MONDAY) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bis zum Freitag bleibe ich, ab Samstag nicht mehr.", ("2023-05-12", "2023-05-13")),
        ("Hasta el viernes no vuelvo; a partir del sábado sí.", ("2023-05-12", "2023-05-13")),
        ("Para el viernes lo tengo.", ("2023-05-12",)),
        ("Até a sexta-feira não volto; neste sábado sim.", ("2023-05-12", "2023-05-13")),
        ("A partir de sexta-feira não volto.", ("2023-05-12",)),
        ("Je suis là jusqu'au vendredi, à partir de samedi non.", ("2023-05-12", "2023-05-13")),
        ("Je finis d'ici vendredi.", ("2023-05-12",)),
    ],
)
def test_a_day_behind_words_for_until_and_from_then_is_to_come(text, expected):
    assert dates_in(text, MONDAY) == expected


def test_times_of_another_language_count_once():
    assert time_expressions("Am 3. Mai 2023 war ich da.") == time_expressions("I was there on 3 May 2023.") == 2
    assert time_expressions("Ayer y hoy no fui, pero en mayo sí.") == 3


def test_last_week_is_seven_days():
    assert dates_in("last week", MONDAY) == tuple(f"2023-05-0{day}" for day in range(1, 8))


def test_without_a_time_only_complete_dates_count():
    assert dates_in("yesterday, in June, on 7 May, on 7 May 2023, in 2019", None) == ("2023-05-07", "2019")


def test_a_question_leaves_a_missing_year_open():
    assert dates_asked("What happened in June and on 7 May?", MONDAY) == ("*-06", "*-05-07")
    assert dates_asked("What happened last June?", MONDAY) == ("2022-06",)
    assert dates_asked("Who are you?", MONDAY) == ()


@pytest.mark.parametrize(
    ("asked", "stored", "fit"),
    [
        (("2023-05",), ("2023-05-07",), 1.0),
        (("2023-05-07",), ("2023-05",), 0.5),
        (("*-05",), ("2021-05-07",), 1.0),
        (("*-05-07",), ("2021-05-07",), 1.0),
        (("*-05-07",), ("2021-05",), 0.5),
        (("2023-05",), ("2023-06",), 0.0),
        (("2023",), ("2023-06",), 1.0),
        (("2023-1",), ("2023-12",), 0.0),
        (("*-05",), ("2021",), 0.0),
        ((), ("2023",), 0.0),
        (("2023",), (), 0.0),
    ],
)
def test_dates_agree_by_period(asked, stored, fit):
    assert agreement(asked, stored) == fit


def test_time_expressions_are_counted():
    assert time_expressions("We met last week, and in June.") == 2
    assert time_expressions("I may go") == 0


@given(st.text(max_size=300), st.datetimes())
def test_no_text_breaks_the_reading_of_dates(text, said_at):
    assert len(dates_in(text, said_at)) <= MOST_DATES
    assert len(dates_asked(text, said_at)) <= MOST_DATES


def test_the_calendars_ends_are_no_obstacle():
    for said_at in (datetime(1, 1, 1), datetime(9999, 12, 31)):
        dates_in("yesterday, tomorrow, last week, next year, 999 years ago, in 99 months", said_at)


@pytest.mark.parametrize("text", ["on Frıday", "on FRİDAY", "fıve days ago", "5 ſeptember", "two weeKs ago"])
def test_letters_that_only_look_like_others_are_read_as_these(text):
    plain = text.translate(str.maketrans("ıİſK", "iIsk"))
    assert dates_in(text, datetime(2024, 5, 17)) == dates_in(plain, datetime(2024, 5, 17)) != ()
