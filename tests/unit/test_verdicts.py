"""What a statement does to another one, and that chains stay lines whatever comes in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.delta import BEGINNING
from engine.domain.fact import FactRow
from engine.facts.chains import Chains, Known, planned
from engine.facts.verdicts import attribute_said, relation, statement

START = datetime(2024, 1, 1, tzinfo=UTC)
NODE, USER = UUID(int=1), UUID(int=2)

PAIRS = [
    ("Dave lives in Berlin.", "Dave lives in Munich.", "changes"),
    ("Dave lives in Berlin.", "Dave moved to Munich.", "changes"),
    ("Dave lives in Berlin.", "Dave still lives in Berlin.", "same"),
    ("Dave lives in Berlin.", "Dave no longer lives in Berlin.", "ends"),
    ("Dave lives in Berlin.", "Dave does not live in Rome.", "none"),
    ("Dave no longer lives in Berlin.", "Dave lives in Munich.", "changes"),
    ("Dave works at Acme.", "Dave no longer works at Acme but at Globex.", "changes"),
    ("Dave moved to Berlin on 3 May 2024.", "Dave lives in Berlin.", "same"),
    ("Dave lives in Berlin since 2019.", "Dave lives in Berlin.", "same"),
    ("Dave lives in Berlin.", "Dave moved to Munich in May 2024.", "changes"),
    ("Dave works at Acme.", "Dave lives at Acme Road.", "none"),
    ("Dave likes tea.", "Dave likes coffee.", "none"),
    ("Dave drinks tea.", "Dave switched from tea to coffee.", "changes"),
    ("Dave drinks tea.", "Dave drinks coffee instead of tea.", "changes"),
    ("Dave's favourite colour is blue.", "Dave's favourite colour is green.", "changes"),
    ("Dave's favourite colour is blue.", "Dave's car is green.", "none"),
    ("Dave has two dogs.", "Dave has three dogs.", "changes"),
    ("Dave has 2 dogs.", "Dave has two dogs.", "same"),
    ("Dave has a dog.", "Dave has a cat.", "none"),
    ("Dave visited Rome.", "Dave visited Paris.", "none"),
    ("Dave ran 5 km on 2024-05-03.", "Dave ran 7 km on 2024-05-09.", "none"),
    ("Dave visited Rome on 2024-05-03.", "Dave visited Rome on 2024-06-03.", "none"),
    ("Dave has a dog.", "Dave has a dog named Rex.", "none"),
    ("Dave has a dog named Rex.", "Dave has a dog.", "none"),
    ("Dave eats meat.", "Dave does not eat meat.", "ends"),
    ("Dave does not eat meat.", "Dave eats meat.", "changes"),
    ("Dave is married to Ann.", "Dave is married to Eve.", "changes"),
    ("The deadline is 2024-05-03.", "The deadline is 2024-06-03.", "changes"),
    ("Dave's flight leaves on 2024-05-03.", "Dave's flight leaves on 2024-05-09.", "changes"),
    ("Dave is 40 years old.", "Dave is 41 years old.", "changes"),
    ("Dave owns a boat.", "Dave owns a house in Rome.", "none"),
    ("Dave met Ellen in Rome.", "Dave met Bob in Rome.", "none"),
    ("Dave lives in Berlin.", "Dave's sister lives in Munich.", "none"),
    ("Dave's sister lives in Munich.", "Dave's sister lives in Rome.", "changes"),
    ("Dave lives in Berlin.", "Dave was living in Munich when he was ten.", "none"),
    ("Dave lives in Berlin.", "Dave lived in Munich.", "none"),
    ("Dave has lived in Berlin since 2019.", "Dave moved to Munich.", "changes"),
    ("Dave lives in Berlin.", "Dave lives in fear of dogs.", "none"),
    ("Dave lives in Berlin.", "Dave moved on.", "none"),
    ("Dave works at Acme.", "Dave works at night.", "none"),
    ("Dave works at Acme.", "Dave works with Ellen.", "none"),
    ("Dave works at Acme.", "Dave is employed by Globex.", "changes"),
    ("Dave works at Acme.", "Dave worked at Globex in 2010.", "none"),
    ("Dave was born on 3 May 1980.", "Dave was born in Rome.", "none"),
    ("Dave's sister is Ann.", "Dave's sister is Eve.", "none"),
    ("Dave's sister is Ann.", "Dave's sister is not Ann.", "ends"),
    ("Dave's hobby is chess.", "Dave's hobby is not chess.", "ends"),
    ("Dave's car is green.", "Dave's car is red.", "maybe"),
    ("Dave's favourite colour is blue.", "Dave's sister's favourite colour is red.", "none"),
    ("The price of the boat is 20.", "The price of the house is 30.", "none"),
    ("The price of the boat is 20.", "The price of the boat is 30.", "changes"),
]


@pytest.mark.ledger("A04")
@pytest.mark.parametrize(("older", "newer", "expected"), PAIRS)
def test_what_a_statement_does_to_an_older_one(older: str, newer: str, expected: str) -> None:
    assert relation(statement(older, "dave"), statement(newer, "dave"), 0.93, 0.88) == expected


@pytest.mark.ledger("L03")
@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("I work at Zara since May.", "Last summer I worked at Zara.", "none"),
        ("Ich arbeite seit Mai bei Zara.", "Letzten Sommer habe ich bei Zara gearbeitet.", "none"),
        ("Trabajo en Zara desde mayo.", "El año pasado trabajé en Zara.", "none"),
        ("Trabalho na Zara desde maio.", "No verão passado trabalhei na Zara.", "none"),
        ("Je travaille chez Zara depuis mai.", "L'été dernier j'ai travaillé chez Zara.", "none"),
        ("Los lunes tengo yoga.", "Ayer tuve yoga.", "none"),
        ("Toda segunda-feira jogo tênis.", "Ontem joguei tênis.", "none"),
        ("Le lundi je joue au tennis.", "Hier j'ai joué au tennis.", "none"),
        ("El lunes tengo yoga.", "Ayer tuve yoga.", "ends"),
        ("Le lundi 25 mai je joue au tennis.", "Hier j'ai joué au tennis.", "ends"),
    ],
)
def test_what_holds_since_a_day_or_comes_again_is_not_over_behind_it(older: str, newer: str, expected: str) -> None:
    said = [
        statement(older, "user", datetime(2026, 5, 20, tzinfo=UTC)),
        statement(newer, "user", datetime(2026, 6, 10, tzinfo=UTC)),
    ]
    assert relation(said[0], said[1], None, 0.8) == expected


def test_below_the_threshold_only_a_known_attribute_counts() -> None:
    two, three = statement("Dave has two dogs.", "dave"), statement("Dave has three dogs.", "dave")
    assert relation(two, three, 0.87, 0.88) == "maybe"
    assert relation(two, three, 0.87, 0.86) == "changes"
    assert relation(two, three, None, 0.88) == "changes"  # one number of one unit differs, and no other word
    home, moved = statement("Dave lives in Berlin.", "dave"), statement("Dave lives in Munich.", "dave")
    assert relation(home, moved, None, 0.88) == "changes"


TEXTS = (
    "Dave lives in Berlin.",
    "Dave lives in Munich.",
    "Dave no longer lives in Berlin.",
    "Dave moved to Rome.",
    "Dave has two dogs.",
    "Dave has three dogs.",
    "Dave likes tea.",
    "Dave likes coffee.",
)


def fact(
    number: int, text: str, said: int | None, *, valid: int | None = None, node: UUID = NODE, at: int = 0
) -> Known:
    when = None if said is None else START + timedelta(days=said)
    begins = when if valid is None else START + timedelta(days=valid)
    own = UUID(int=1000 + number)
    known = START + timedelta(days=1000 + number)
    row = FactRow(own, USER, node, UUID(int=5000 + at), own, 7, known, said_at=when, valid_from=begins)
    return Known(row, text, position=number)


def chained(batches: Sequence[Sequence[Known]]) -> Chains:
    known: dict[UUID, Known] = {}
    for number, batch in enumerate(batches):
        chains = Chains(known.values(), {7: "dave"}, lambda a, b: 0.95, 0.88, START + timedelta(days=1000 + number))
        planned(chains, batch)
        known = chains.known
    return chains


def held(known: Known) -> tuple[datetime, datetime]:
    begin = known.row.valid_from or BEGINNING
    return begin, known.row.valid_to or datetime.max.replace(tzinfo=UTC)


@pytest.mark.ledger("A03", "A04")
@given(
    st.lists(
        st.lists(
            st.tuples(
                st.sampled_from(TEXTS), st.none() | st.integers(0, 6), st.none() | st.integers(0, 6), st.integers(0, 2)
            ),
            max_size=4,
        ),
        max_size=6,
    )
)
def test_every_chain_is_a_line_whose_times_do_not_overlap(
    batches: list[list[tuple[str, int | None, int | None, int]]],
) -> None:
    drawn = iter(range(1000))
    made = [
        [
            fact(next(drawn), text, said, valid=None if said is None else valid, at=10 * number + record)
            for text, said, valid, record in batch
        ]
        for number, batch in enumerate(batches)
    ]
    chains = chained([*made, []])
    rows = [one for one in chains.known.values() if one.row.status != "confirmation"]
    followed = [one.row.supersedes for one in rows if one.row.supersedes]
    assert len(followed) == len(set(followed))  # no fork
    for number in {one.row.chain_id for one in rows}:
        line = [one for one in rows if one.row.chain_id == number]
        assert sum(one.row.supersedes is None for one in line) == 1
        live = [one for one in line if one.row.status == "live"]
        assert len(live) <= 1
        assert all(one.row.fact_id not in followed for one in live)
        spans = sorted(span for span in map(held, line) if span[0] < span[1])
        assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert all((one.row.status == "live") == (one.row.invalidated_at is None) for one in rows)
    assert all(one.row.valid_to is None for one in rows if one.row.status == "live")


# one by one ----------------------------------------------------------------------------------------------


@pytest.mark.ledger("A03", "A04")
def test_a_newer_value_ends_the_older_one_where_it_begins() -> None:
    chains = chained([[fact(1, TEXTS[0], 0)], [fact(2, TEXTS[1], 10)]])
    old, new = (chains.known[UUID(int=number)].row for number in (1001, 1002))
    assert (old.status, old.valid_to, old.ended_by) == ("superseded", START + timedelta(days=10), new.fact_id)
    assert (new.status, new.supersedes, new.chain_id) == ("live", old.fact_id, old.chain_id)
    assert (chains.changes.verdicts[new.fact_id], chains.changes.ends) == ("UPDATE", {old.fact_id: new.valid_from})


@pytest.mark.ledger("A04")
def test_the_same_again_confirms_and_makes_no_fact() -> None:
    chains = chained([[fact(1, TEXTS[0], 0)], [fact(2, TEXTS[0], 10)]])
    old, again = (chains.known[UUID(int=number)].row for number in (1001, 1002))
    assert (old.confirmations, old.last_confirmed_at, old.status) == (1, again.said_at, "live")
    assert (again.status, again.confirms) == ("confirmation", old.fact_id)
    assert chains.changes.confirming == {again.fact_id}


@pytest.mark.ledger("A04")
def test_a_negation_invalidates_and_stands_in_the_chain() -> None:
    chains = chained([[fact(1, TEXTS[0], 0)], [fact(2, TEXTS[2], 10)]])
    old, new = (chains.known[UUID(int=number)].row for number in (1001, 1002))
    assert (old.status, chains.changes.verdicts[new.fact_id]) == ("invalidated", "DELETE")
    assert (new.supersedes, new.status) == (old.fact_id, "live")


@pytest.mark.ledger("A03")
def test_what_was_said_earlier_is_put_before_the_head() -> None:
    chains = chained([[fact(1, TEXTS[0], 0)], [fact(2, TEXTS[3], 20)], [fact(3, TEXTS[1], 10)]])
    first, head, between = (chains.known[UUID(int=number)].row for number in (1001, 1002, 1003))
    assert (between.status, between.supersedes, head.supersedes) == ("superseded", first.fact_id, between.fact_id)
    assert (first.valid_to, between.valid_to, head.status) == (between.valid_from, head.valid_from, "live")


def test_of_one_time_with_neither_newer_both_stand() -> None:
    chains = chained([[fact(1, TEXTS[0], 0, at=1)], [fact(2, TEXTS[1], 0, at=2)]])
    old, new = (chains.known[UUID(int=number)].row for number in (1001, 1002))
    assert (old.status, new.status, [one.older for one in new.doubts]) == ("live", "live", [old.fact_id])


def test_what_may_not_be_ended_is_contradicted() -> None:
    old, new = fact(1, TEXTS[0], 0), fact(2, TEXTS[1], 10)
    chains = Chains([Known(old.row, old.text, writable=False)], {7: "dave"}, lambda a, b: 0.95, 0.88, START)
    chains.enter(new)
    assert chains.known[old.row.fact_id].row.status == "live"
    [doubt] = chains.known[new.row.fact_id].row.doubts
    assert (doubt.older, doubt.kind, doubt.decision) == (old.row.fact_id, "contradicts", None)


def test_of_two_without_a_date_what_is_stored_later_holds_from_now_on() -> None:
    chains = chained([[fact(1, TEXTS[0], None, valid=0)], [fact(2, TEXTS[1], None, at=2)]])
    old, new = (chains.known[UUID(int=number)].row for number in (1001, 1002))
    assert old.valid_to == new.valid_from == chains.changes.starts[new.fact_id] == START + timedelta(days=1001)


@pytest.mark.ledger("I10")
def test_what_has_no_date_ends_nothing_that_has_one_and_is_ended_by_what_is_said_after_it_was_stored() -> None:
    old, undated = fact(1, TEXTS[0], 0), fact(2, TEXTS[1], None, at=2)
    for first, second in ((old, undated), (undated, old)):
        chains = chained([[first], [second]])
        rows = [chains.known[one.row.fact_id].row for one in (first, second)]
        assert [one.status for one in rows] == ["live", "live"]
        assert [(one.older, one.kind) for one in rows[1].doubts] == [(first.row.fact_id, "contradicts")]
    chains = chained([[old], [undated], [fact(4, TEXTS[3], 2000, at=4)]])
    assert {chains.known[one.row.fact_id].row.status for one in (old, undated)} == {"superseded"}


@pytest.mark.ledger("I10")
def test_what_is_said_again_without_a_date_does_not_outlast_what_was_said_between() -> None:
    old, lease, moved = fact(1, TEXTS[0], 0), fact(2, TEXTS[0], None, at=2), fact(3, TEXTS[1], 10, at=3)
    for batches in ([[old], [lease], [moved]], [[lease], [old], [moved]], [[old], [moved], [lease]]):
        chains = chained(batches)
        live = [one for one in chains.known.values() if one.row.status == "live"]
        assert TEXTS[1] in {one.text for one in live}
        assert all(one.text == TEXTS[1] or one.row.doubts for one in live)


@pytest.mark.ledger("I10")
def test_opposites_stand_and_the_newer_names_the_older() -> None:
    chains = chained([[fact(1, "Dave loves opera.", 0)], [fact(2, "Dave hates opera.", 10)]])
    old, new = (chains.known[UUID(int=number)].row for number in (1001, 1002))
    assert (old.status, new.status) == ("live", "live")
    assert [(one.older, one.kind) for one in new.doubts] == [(old.fact_id, "contradicts")]


@pytest.mark.ledger("I10")
def test_a_doubt_ends_nothing_and_is_noted_at_the_newer() -> None:
    chains = chained([[fact(1, TEXTS[0], 0)], [fact(2, "Dave moved to Growth.", 10)]])
    old, new = (chains.known[UUID(int=number)].row for number in (1001, 1002))
    assert (old.status, new.status) == ("live", "live")
    assert [(one.older, one.kind) for one in new.doubts] == [(old.fact_id, "maybe")]


@pytest.mark.parametrize(
    ("text", "subject", "key", "value"),
    [
        ("Mara's birthday is 9 June.", "Mara", "birthday", "9 June"),
        ("Mara's wedding is on Friday.", "Mara", "wedding", "Friday"),
        ("The tax return's deadline is 31 May.", "Mara", "deadline", "31 May"),
        ("The flight is on 2 June.", "Mara", "flight", "2 June"),
        ("Mara lives in Graz and her sister's birthday is 9 June.", "Mara", "home", "Graz"),
    ],
)
def test_an_attribute_is_called_by_its_own_name(text: str, subject: str, key: str, value: str) -> None:
    said = attribute_said(text, subject)
    assert said is not None and (said.key, said.value) == (key, value)
