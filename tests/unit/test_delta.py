"""States on two clocks: what is computed from a chain of deltas against a model that knows nothing of slices."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.clock import Moment
from engine.domain.delta import (
    BEGINNING,
    ENDED,
    Change,
    Changed,
    Delta,
    OpenSlice,
    Slice,
    Subject,
    SubjectKind,
    base_of,
    next_known,
    planned,
    state_at,
    timeline,
)
from engine.errors import Conflict, InvalidInput
from engine.history.changes import checked
from engine.records.slices import next_delta

DAY = timedelta(days=1)
START = datetime(2024, 1, 1, tzinfo=UTC)
SUBJECT = UUID(int=7)
BASE = {"title": "first", "topic": "none"}
NOW = START + 400 * DAY

changes = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(-3, 12)),  # the day of effect; None: from the beginning
        st.dictionaries(st.sampled_from(["title", "topic", ENDED]), st.integers(0, 3), min_size=1),
    ),
    max_size=9,
)
beginnings = st.sampled_from([None, 0, 4])


def history(script, since: datetime) -> Subject:
    """The script as a chain: one change a day is written, each by the rules that the engine uses."""
    deltas: list[Delta] = []
    revision = 1
    for number, (day, values) in enumerate(script):
        fields = {name: bool(value % 2) if name == ENDED else f"{name} {value}" for name, value in values.items()}
        effective = None if day is None else START + day * DAY
        change = Change("record", SUBJECT, fields, effective_at=effective, correction=day is None)
        subject = Subject(BASE, since, deltas, revision, START - DAY)
        delta = next_delta(change, subject, "user:x", START + number * DAY)
        if isinstance(delta, Delta):
            deltas, revision = [*deltas, delta], delta.revision
    return Subject(BASE, since, deltas, revision, START - DAY)


def model(subject: Subject, as_of: datetime, known_at: datetime) -> dict | None:
    """What holds: of each field the known value with the latest effect, of those the one written last."""
    if as_of < subject.since or known_at < subject.known_from:
        return None
    state = dict(BASE) | {ENDED: False}
    for name in state:
        best = None
        for delta in subject.deltas:
            if name in delta.fields and delta.known_at <= known_at and (delta.effective_at or BEGINNING) <= as_of:
                key = (delta.effective_at or BEGINNING, delta.revision)
                if best is None or key > best[0]:
                    best = (key, delta.fields[name].after)
        if best:
            state[name] = best[1]
    return None if state.pop(ENDED) else state


def moments(subject: Subject):
    """Every combination of two times around everything that happened."""
    edges = {delta.effective_at for delta in subject.deltas if delta.effective_at} | {START, START + 4 * DAY}
    known = {delta.known_at for delta in subject.deltas} | {START - DAY}
    step = timedelta(seconds=1)
    for as_of in {edge + shift for edge in edges for shift in (-step, timedelta(0), step)} | {NOW}:
        for known_at in {edge + shift for edge in known for shift in (-step, timedelta(0))} | {NOW}:
            yield as_of, known_at


@pytest.mark.ledger("N23", "X03")
@given(changes, beginnings)
def test_the_state_at_any_moment_is_that_of_the_model(script, start) -> None:
    subject = history(script, BEGINNING if start is None else START + start * DAY)
    for as_of, known_at in moments(subject):
        assert state_at(subject, Moment(as_of, known_at), NOW) == model(subject, as_of, known_at)


@pytest.mark.ledger("N23", "X03")
@given(changes, beginnings)
def test_stored_slices_cover_every_moment_once_and_say_what_the_model_says(script, start) -> None:
    since = BEGINNING if start is None else START + start * DAY
    subject = history(script, since)
    rows = {SUBJECT: [Slice(since, None, BASE), subject.known_from, None]}
    for count, delta in enumerate(subject.deltas, 1):
        play(rows, timeline(BASE, since, subject.deltas[:count]), delta)
    for as_of, known_at in moments(subject):
        found = [
            one.state
            for one, known_from, known_to in rows.values()
            if one.valid_from <= as_of < (one.valid_to or NOW + DAY)
            and known_from <= known_at < (known_to or NOW + DAY)
        ]
        wanted = model(subject, as_of, known_at)
        assert found == ([] if wanted is None else [wanted])


def play(rows: dict, wanted: tuple[Slice, ...], delta: Delta) -> None:
    """Does to rows in a dictionary what a plan says."""
    own, known_from, known_to = rows[SUBJECT]
    others = [OpenSlice(row, one[1], one[0]) for row, one in rows.items() if row != SUBJECT and one[2] is None]
    plan = planned(OpenSlice(SUBJECT, known_from, own, known_to), others, wanted, delta.delta_id, delta.known_at)
    for row in plan.closed:
        rows[row][2] = delta.known_at
    for new in plan.added:
        assert new.row_id not in rows
        rows[new.row_id] = [new.slice, new.known_from, new.known_to]
    if plan.own is None:
        rows[SUBJECT][2] = known_to or delta.known_at
    else:
        rows[SUBJECT] = [plan.own, plan.own_known_from, None]


@pytest.mark.ledger("N23")
@given(changes)
def test_the_beginning_is_found_again_in_the_chain(script) -> None:
    subject = history(script, BEGINNING)
    last = timeline(BASE, BEGINNING, subject.deltas)
    present = last[-1].state if last else {name: None for name in BASE}
    touched = {name for delta in subject.deltas for name in delta.fields}
    base = base_of(present, subject.deltas)
    assert all(base[name] == BASE[name] for name in BASE if name in touched or last)


@pytest.mark.ledger("X03")
def test_a_late_correction_changes_the_past_but_not_what_was_known() -> None:
    subject = history([(10, {"title": 1}), (5, {"title": 2})], BEGINNING)
    first, second = subject.deltas
    assert state_at(subject, Moment(START + 7 * DAY), NOW)["title"] == "title 2"
    assert state_at(subject, Moment(START + 7 * DAY, first.known_at), NOW)["title"] == "first"
    assert state_at(subject, Moment(START + 11 * DAY), NOW)["title"] == "title 1"  # took effect later, so it stays
    assert second.fields["title"].before == "first"


@pytest.mark.ledger("N23")
def test_a_change_that_changes_nothing_is_no_delta() -> None:
    subject = Subject(BASE, BEGINNING, [], 1, START)
    answer = next_delta(Change("record", SUBJECT, {"title": "first"}), subject, "user:x", NOW)
    assert isinstance(answer, Changed) and (answer.revision, answer.changed) == (1, False)


@pytest.mark.ledger("N23")
def test_a_change_with_the_key_of_an_earlier_one_gives_its_answer() -> None:
    subject = Subject(BASE, BEGINNING, [], 1, START)
    change = Change("record", SUBJECT, {"title": "x"}, if_revision=1, key="k")
    made = next_delta(change, subject, "user:x", NOW)
    assert isinstance(made, Delta)
    later = Subject(BASE, BEGINNING, [made], 2, START)
    again = next_delta(change, later, "user:x", NOW + DAY)
    assert again == Changed(SUBJECT, 2, made.known_at, made.effective_at)
    with pytest.raises(Conflict):
        next_delta(change, later, "persona:y", NOW + DAY)


@pytest.mark.ledger("N23")
def test_another_revision_than_expected_is_a_conflict() -> None:
    subject = Subject(BASE, BEGINNING, [], 3, START)
    with pytest.raises(Conflict):
        next_delta(Change("record", SUBJECT, {"title": "x"}, if_revision=2), subject, "user:x", NOW)


@given(st.lists(st.integers(-5, 5), max_size=6), st.integers(-9, 9))
def test_a_clock_that_was_set_back_does_not_turn_knowledge_around(known, now) -> None:
    times = [START + hours * timedelta(hours=1) for hours in known]
    found = next_known(START + now * timedelta(hours=1), times)
    assert all(found > time for time in times)


def test_ids_of_slices_follow_from_the_delta() -> None:
    delta = UUID(int=3)
    own = OpenSlice(SUBJECT, START, Slice(BEGINNING, None, BASE))
    wanted = [Slice(BEGINNING, START, BASE), Slice(START, None, BASE | {"title": "x"})]
    plans = [planned(own, (), wanted, delta, NOW) for _ in range(2)]
    assert plans[0] == plans[1] and plans[0].added[0].row_id == uuid5(delta, "slice 0")


BAD = [
    ("record", {}),
    ("record", {"parent_id": "x"}),
    ("record", {"title": ""}),
    ("record", {"title": " " * 5}),
    ("record", {"title": "a\x00b"}),
    ("record", {"title": "\ud800"}),
    ("record", {"title": "x" * 201}),
    ("record", {"title": 7}),
    ("record", {"kw_topics": "boat"}),
    ("record", {"kw_topics": ["x"] * 201}),
    ("record", {"occurred_at": datetime(2024, 1, 1)}),
    ("record", {"occurred_at": "yesterday"}),
    ("record", {"ended": "yes"}),
    ("item", {"content": ""}),
    ("item", {"confidence": float("nan")}),
    ("item", {"confidence": 1.5}),
    ("item", {"importance": True}),
    ("node", {"name": "\u200b"}),
    ("node", {"parent_id": "nowhere"}),
    ("node", {"keywords": [""]}),
    ("edge", {"properties": {"a": 1}}),
    ("edge", {"properties": {"": "x"}}),
    ("edge", {"properties": [1]}),
    ("nothing", {"title": "x"}),
]


@pytest.mark.parametrize(("kind", "fields"), BAD)
def test_a_wrong_value_is_refused_with_its_field(kind, fields) -> None:
    with pytest.raises(InvalidInput) as refused:
        checked(Change(kind, SUBJECT, fields))
    assert refused.value.detail


@pytest.mark.parametrize(
    "change",
    [
        Change("record", SUBJECT, {"title": "x"}, effective_at=datetime(2024, 1, 1)),
        Change("record", SUBJECT, {"title": "x"}, effective_at=START, correction=True),
        Change("record", SUBJECT, {"title": "x"}, reason="r" * 501),
    ],
)
def test_a_wrong_time_or_reason_is_refused(change) -> None:
    with pytest.raises(InvalidInput):
        checked(change)


@given(
    st.sampled_from(["record", "item", "node", "edge"]),
    st.dictionaries(
        st.text(max_size=12), st.one_of(st.none(), st.text(), st.integers(), st.lists(st.text())), max_size=3
    ),
)
def test_any_fields_are_taken_or_refused_by_a_sentence(kind, fields) -> None:
    try:
        taken = checked(Change(kind, SUBJECT, fields))
    except InvalidInput as error:
        assert error.detail.endswith(".")
    else:
        assert taken.fields.keys() == fields.keys()


@pytest.mark.parametrize(
    ("kind", "field", "value", "said"),
    [
        ("record", "occurred_at", "someday", "occurred_at takes a time with its offset from UTC"),
        ("record", "occurred_at", "2026-03-01T12:00:00", "occurred_at takes a time with its offset from UTC"),
        ("item", "occurred_at", "0001-01-01T00:00:00+14:00", "occurred_at takes a time with its offset from UTC"),
        ("item", "occurred_at", 7, "occurred_at takes a time with its offset from UTC"),
        ("node", "parent_id", "above", "parent_id takes the id of a node"),
    ],
)
def test_an_invalid_value_is_refused_in_plain_words(kind: SubjectKind, field: str, value: object, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        checked(Change(kind, SUBJECT, {field: value}))
