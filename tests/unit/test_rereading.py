"""Rules of reading again: turns come back from their transcript, and items are recognised by what they say and where."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from engine.domain.document import joined, parted
from engine.domain.history import Conversation, Turn
from engine.domain.record import AssignableNode, ItemDraft, layout_of
from engine.ingest.drafts import PlacedTurn, conversation_drafts
from engine.records.diff import HeldFields, HeldItem, Rebuilt, diff, diff_again, differing, digest, moved

NODE = AssignableNode(UUID(int=1), "s", ("Bob",), 0, "s", (), (), ("Bob",))
SESSION = UUID(int=2)
WHEN = datetime(2024, 5, 8, 18, 0, 1, 5, tzinfo=UTC)

TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=60)
TURNS = st.builds(Turn, TEXTS, TEXTS, st.none() | st.datetimes(timezones=st.just(UTC)), st.none() | st.text(max_size=5))


@given(
    st.lists(st.tuples(TURNS, st.booleans()), min_size=1, max_size=12),
    TEXTS,
    st.none() | st.just(WHEN),
    st.integers(0, 9),
)
def test_turns_come_back_from_their_transcript(turns, title, started_at, before) -> None:
    conversation = Conversation("c", tuple(turn for turn, _ in turns), title, started_at)
    other = replace(NODE, node_id=UUID(int=3))
    placed = [
        PlacedTurn(before + place, turn, turns[place - 1][0].text if place else None, NODE if here else other)
        for place, (turn, here) in enumerate(turns)
    ]
    for draft in conversation_drafts(SESSION, conversation, placed):
        transcript = draft.file.content.decode()
        layout = layout_of(json.loads(json.dumps(draft.layout.compact)))
        mine = [one for one in placed if one.node.node_id == draft.node.node_id]
        back = [
            Turn(one.speaker, transcript[one.start : one.start + one.length], one.at, one.ref) for one in layout.turns
        ]
        assert back == [one.turn for one in mine]
        assert [one.number for one in layout.turns] == [one.number for one in mine]
        assert set(layout.speakers) == {turn.speaker for turn, _ in turns} and layout.started_at == started_at
        assert [one.asked for one in layout.turns] == [
            None if one.previous is None else any(mark in one.previous for mark in "?\uff1f\u061f\u037e")
            for one in mine
        ]


def held(kind: str, content: str, position: int = 0, **changes: object) -> HeldItem:
    item = HeldItem(
        uuid4(), kind, SESSION, position, None, "", "", None, [], 0, len(content), 1, False, content, True, False
    )  # fmt: skip
    return replace(item, **changes)


def draft(kind: str, content: str, position: int = 0, **changes: object) -> ItemDraft:
    unit = "turn" if kind == "turn" else "passage"
    item = ItemDraft(uuid4(), kind, SESSION, position, content, content, unit, span=(0, len(content)))
    return replace(item, **changes)


@pytest.mark.ledger("F03")
@given(st.lists(st.integers(0, 6)), st.lists(st.integers(0, 6)))
def test_a_diff_keeps_as_many_as_there_are(before: list[int], after: list[int]) -> None:
    old = [(UUID(int=index), digest(draft("chunk", str(number)))) for index, number in enumerate(before)]
    found = diff(old, [draft("chunk", str(number)) for number in after], lambda item: item.item_id)
    kept = [item.item_id for item in found.items if item.item_id not in found.new]
    assert [item.content for item in found.items] == [str(number) for number in after]
    assert len(kept) == len(set(kept)) == (Counter(before) & Counter(after)).total()
    assert {*kept, *found.gone} == {chunk for chunk, _ in old} and len(found.gone) == len(old) - len(kept)
    by_id = dict(old)
    assert all(digest(item) == by_id[item.item_id] for item in found.items if item.item_id not in found.new)
    hashes = [one for _, one in old]
    assert parted(joined(hashes)) == hashes


def test_what_is_the_same_keeps_its_id_what_is_new_comes_what_is_gone_ends() -> None:
    stayed, gone = held("chunk", "A boat.", 3), held("chunk", "A house.")
    found = diff_again([gone, stayed], [draft("chunk", "A boat.", 0), draft("chunk", "A dog.", 1)], set(), 1)
    assert (found.items[0].item_id, len(found.new), found.gone) == (stayed.item_id, 1, (gone.item_id,))
    assert [item.content for item in found.fresh] == ["A dog."]
    assert moved([gone, stayed], found.items) == ((stayed.item_id, 0, 0, 7),)


def test_a_turn_or_a_fact_is_one_at_its_place() -> None:
    for kind in ("turn", "fact"):
        there = held(kind, "Yes.", 3)
        found = diff_again([there], [draft(kind, "Yes.", 4)], set(), 1)
        assert len(found.new) == 1 and found.gone == (there.item_id,)


def test_what_a_hand_has_touched_never_ends_and_stays_ended() -> None:
    changed = held("fact", "Tea.", revision=2)
    ended = held("fact", "Coffee.", revision=2, holds=False)
    found = diff_again([changed, ended], [draft("fact", "Coffee.")], set(), 1)
    assert (found.fresh, found.gone, len(found.items)) == ((), (), 1)


def test_what_a_renewal_ended_comes_back_as_another_item() -> None:
    before = held("fact", "Tea.", revision=2, holds=False, superseded=True)
    again = draft("fact", "Tea.", item_id=before.item_id)
    found = diff_again([before], [again], {before.item_id}, 4)
    assert len(found.fresh) == 1 and found.fresh[0].item_id != before.item_id


def test_fields_that_were_corrected_by_hand_do_not_differ() -> None:
    fields = HeldFields(3, {"summary": "old", "kw_topics": ["a"]}, frozenset({"kw_topics"}))
    assert differing(fields, {"summary": "new", "kw_topics": ["b"]}) == {"summary": "new"}
    assert differing(fields, {"summary": "old", "kw_topics": ["b"]}) == {}


def test_what_is_staged_is_read_as_it_was_written() -> None:
    item = draft("fact", "Tea.", occurred_at=WHEN, dates=("2024",), tags=("a",))
    rebuilt = Rebuilt(
        uuid4(), uuid4(), "s", 2, 5, {"summary": "x", "kw_dates": ["2024"]}, (item,), ((uuid4(), 1),),
        ((uuid4(), 1, 0, 7),), ((uuid4(), "ab"),), True, "silent",
    )  # fmt: skip
    adapter = TypeAdapter(Rebuilt)
    assert adapter.validate_python(json.loads(json.dumps(adapter.dump_python(rebuilt, mode="json")))) == rebuilt
