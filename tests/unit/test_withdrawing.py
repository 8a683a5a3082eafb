"""Chains of facts stay lines whatever is withdrawn and comes back, and the way back gives what was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.fact import FactRow
from engine.domain.retraction import LoggedFact
from engine.facts.chains import Chains, Known, planned
from engine.facts.retraction import Affected

START = datetime(2024, 1, 1, tzinfo=UTC)
NODE, USER = UUID(int=1), UUID(int=2)
PLACES = ("Berlin", "Munich", "Rome")
Said = tuple[int, int, bool]
"""The day, the place, and whether it is denied."""
SAID = st.tuples(st.integers(0, 20), st.integers(0, len(PLACES) - 1), st.integers(0, 4).map(lambda n: n == 0))


class Memory:
    """What the table of facts holds, and what items hold until when."""

    def __init__(self) -> None:
        self.rows: dict[UUID, FactRow] = {}
        self.texts: dict[UUID, str] = {}
        self.number = 100

    def say(self, said: Said) -> UUID:
        """A fact in a record of its own."""
        day, place, denied = said
        self.number += 1
        fact, at = UUID(int=self.number), START + timedelta(days=day)
        now = START + timedelta(days=1000, minutes=self.number)
        row = FactRow(fact, USER, NODE, UUID(int=self.number + 10_000), fact, 1, now, valid_from=at, said_at=at)
        self.texts[fact] = f"Dave {'no longer lives' if denied else 'lives'} in {PLACES[place]}."
        known = [
            Known(one, self.texts[one.fact_id] if one.status == "live" or _held(one, at) else "")
            for one in self.rows.values()
        ]
        chains = Chains(
            [one for one in known if one.row.status != "confirmation"], {1: "Dave"}, lambda a, b: 0.95, 0.88, now
        )
        self.rows |= planned(chains, [Known(row, self.texts[fact])]).rows
        return fact

    def withdraw(self, fact: UUID) -> list[LoggedFact]:
        """The record of a fact goes, or of one that took its place."""
        record = self.rows[fact].record_id
        affected = Affected(self.rows.values(), START + timedelta(days=2000))
        affected.withdraw(
            [one.fact_id for one in self.rows.values() if one.record_id == record], self.records - {record}
        )
        for gone, taker in affected.promoted.items():
            self.texts[taker] = self.texts[gone]
        self.rows |= affected.changed()
        return affected.logged()

    def restore(self, log: list[LoggedFact]) -> None:
        affected = Affected(self.rows.values(), START + timedelta(days=3000))
        affected.restore(log)
        self.rows |= affected.changed()

    @property
    def records(self) -> set[UUID]:
        return {one.record_id for one in self.rows.values()}

    def check(self) -> None:
        """Chains are lines; what stands in one is ended by what stands after it, and their times do not overlap."""
        rows = self.rows.values()
        followed = [one.supersedes for one in rows if one.supersedes]
        assert len(followed) == len(set(followed))
        for row in rows:
            assert (row.status == "confirmation") == (row.confirms is not None)
            assert (row.status in ("live", "confirmation")) == (row.invalidated_at is None)
            assert row.status not in ("superseded", "invalidated") or row.valid_to is not None
            assert row.status != "live" or row.valid_to is None
            assert row.valid_to is None or row.valid_from is None or row.valid_to >= row.valid_from
            if row.status in ("superseded", "invalidated"):
                assert row.ended_by is not None and self.stands(row.ended_by)
            if row.confirms:
                assert self.stands(row.confirms)
            if self.stands(row.fact_id):
                assert row.confirmations == sum(one.confirms == row.fact_id for one in rows)
        for head in [one for one in rows if one.fact_id not in followed and one.status != "confirmation"]:
            line, one = [], head
            while one:
                line.append(one)
                one = self.rows.get(one.supersedes) if one.supersedes else None
            standing = [one for one in reversed(line) if self.stands(one.fact_id)]
            for before, after in pairwise(standing):
                assert before.status != "live"
                assert before.valid_to is not None and after.valid_from is not None
                assert before.valid_to <= max(before.valid_from or after.valid_from, after.valid_from)

    def past(self) -> list[UUID]:
        """What has ended in the chains of live facts, and held once."""
        found, line = [], [row for row in self.rows.values() if row.status == "live"]
        for row in line:
            line += [self.rows[row.supersedes]] if row.supersedes else []
            if row.status in ("superseded", "invalidated") and row.valid_to != row.valid_from:
                found.append(row.fact_id)
        return found

    def stands(self, fact: UUID) -> bool:
        return self.rows[fact].status not in ("withdrawn", "confirmation")


def _held(row: FactRow, at: datetime) -> bool:
    return bool(row.valid_from and row.valid_to and row.valid_from <= at < row.valid_to)


@pytest.mark.ledger("A04", "A05")
def test_what_is_said_of_another_of_that_name_confirms_nothing_that_has_ended() -> None:
    """Whom the fact in between is about is not known: it meets both by the name."""

    def fact(number: int, days: int, entity: int | None, town: str) -> Known:
        at, item = START + timedelta(days=days), UUID(int=number)
        row = FactRow(
            item, USER, NODE, UUID(int=number + 10_000), item, 1, at, valid_from=at, said_at=at, entity=entity
        )
        return Known(row, f"Dave lives in {town}.")

    oslo = fact(1, 0, 7, "Oslo")
    chains = Chains([oslo], {1: "Dave"}, lambda a, b: 0.95, 0.88, START + timedelta(days=1000))
    assert chains.enter(fact(2, 400, None, "Bergen")) == "UPDATE"
    assert chains.enter(fact(3, 100, 8, "Oslo")) != "NOOP"
    assert chains.known[oslo.row.fact_id].row.confirmations == 0


@pytest.mark.ledger("X06", "A04")
@given(st.lists(SAID, min_size=1, max_size=8), st.data())
@settings(max_examples=300)
def test_what_is_said_again_of_its_time_confirms_also_what_has_ended(said: list[Said], data: st.DataObject) -> None:
    memory = Memory()
    facts = {memory.say(one): one for one in said}
    for _ in range(3):
        ended = [fact for fact in memory.past() if fact in facts]
        if not ended:
            return
        fact = data.draw(st.sampled_from(ended))
        before = len([row for row in memory.rows.values() if row.status != "confirmation"])
        again = memory.rows[memory.say(facts[fact])]
        assert again.status == "confirmation" and again.confirms is not None
        assert memory.texts[again.confirms] == memory.texts[fact]
        assert len([row for row in memory.rows.values() if row.status != "confirmation"]) == before
        memory.check()
        log = memory.withdraw(data.draw(st.sampled_from([fact, again.fact_id])))
        memory.check()
        memory.restore(log)
        memory.check()


@pytest.mark.ledger("X06")
@given(st.lists(SAID, min_size=1, max_size=8), st.data())
@settings(max_examples=300)
def test_what_is_withdrawn_and_comes_back_in_the_reverse_order_is_as_before(
    said: list[Said], data: st.DataObject
) -> None:
    memory = Memory()
    facts = [memory.say(one) for one in said]
    memory.check()
    states, logs = [], []
    for fact in data.draw(st.lists(st.sampled_from(facts), max_size=4, unique=True)):
        states.append(dict(memory.rows))
        logs.append(memory.withdraw(fact))
        memory.check()
        assert memory.rows[fact].status == "withdrawn"
    while logs:
        memory.restore(logs.pop())
        assert memory.rows == states.pop()


@pytest.mark.ledger("X06")
@given(st.lists(SAID, min_size=1, max_size=6), st.lists(SAID, min_size=1, max_size=4), st.data())
@settings(max_examples=300)
def test_what_came_between_stays_in_its_chain(said: list[Said], later: list[Said], data: st.DataObject) -> None:
    memory = Memory()
    facts = [memory.say(one) for one in said]
    fact = data.draw(st.sampled_from(facts))
    log = memory.withdraw(fact)
    memory.check()
    for one in later:
        memory.say(one)
        memory.check()
    memory.restore(log)
    memory.check()
    assert all(row.status != "withdrawn" for row in memory.rows.values())


@pytest.mark.ledger("X06")
@given(
    st.lists(st.tuples(st.sampled_from(("say", "say", "withdraw", "restore")), SAID, st.integers(0, 100)), max_size=10)
)
@settings(max_examples=300)
def test_any_order_of_all_three_leaves_lines(steps: list[tuple[str, Said, int]]) -> None:
    memory, logs = Memory(), []
    for step, said, number in steps:
        there = [fact for fact, row in memory.rows.items() if row.status != "withdrawn"]
        if step == "say":
            memory.say(said)
        elif step == "withdraw" and there:
            logs.append(memory.withdraw(there[number % len(there)]))
        elif step == "restore" and logs:
            memory.restore(logs.pop())
        memory.check()
    while logs:
        memory.restore(logs.pop())
        memory.check()
    assert all(row.status != "withdrawn" for row in memory.rows.values())
