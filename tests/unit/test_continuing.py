"""What is new of a conversation, whole or in pieces, and how what is stored of it is recognised."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.history import Conversation, Turn
from engine.domain.report import Skipped
from engine.ingest.cleaning import chained, cleaned, fingerprint, turns_hash
from engine.ingest.fresh import NewTurns, new_turns
from engine.ingest.sources import Continuation, SourceSeen
from engine.privacy.redact import Redactor

turns = st.lists(
    st.builds(
        Turn,
        st.sampled_from(("Ann", "Bob")),
        st.text(max_size=8),
        st.one_of(st.none(), st.datetimes(timezones=st.just(UTC))),
    ),
    min_size=1,
    max_size=12,
)


def known(units: int, content_hash: bytes) -> SourceSeen:
    return SourceSeen("k", units, content_hash, uuid4(), False, False, 0, 1, None, False, None, None)


@given(turns, st.data())
def test_a_chain_that_is_prolonged_is_that_of_the_whole(said: list[Turn], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(said)))
    first = chained(b"", (turns_hash([turn]) for turn in said[:cut]))
    assert chained(first, (turns_hash([turn]) for turn in said[cut:])) == fingerprint(Conversation("c", tuple(said)))


@given(turns, st.data())
def test_what_is_stored_is_recognised_as_it_is_kept_now_and_as_it_was_kept(
    said: list[Turn], data: st.DataObject
) -> None:
    done = data.draw(st.integers(1, len(said)))
    clean = cleaned(Conversation("c", tuple(said)), Redactor())
    for content_hash in (fingerprint(clean.content, done), turns_hash(said[:done])):
        new = new_turns("k", clean, known(done, content_hash), None)
        if done == len(said):
            assert isinstance(new, Skipped) and new.reason == "Stored already."
        else:
            assert isinstance(new, NewTurns) and (new.start, new.before) == (done, 0)
            assert (new.advance.seen, new.advance.units) == (done, len(said))
    other = new_turns("k", clean, known(done, fingerprint(Conversation("c", (Turn("Cy", "else"),)))), None)
    assert isinstance(other, Skipped) and "changed" in other.reason


@pytest.mark.parametrize(("done", "new"), [(3, True), (5, False), (2, False), (0, False)])
def test_a_piece_is_stored_exactly_where_it_belongs(done: int, new: bool) -> None:
    piece = Continuation(3, "before", b"x" * 32)
    clean = cleaned(
        Conversation("c", (Turn("Ann", "a", datetime(2025, 3, 1, tzinfo=UTC)), Turn("Bob", "b"))), Redactor()
    )
    found = new_turns("k", clean, known(done, b"y" * 32) if done else None, piece)
    assert isinstance(found, NewTurns) == new
    if isinstance(found, NewTurns):
        assert (found.start, found.before, found.previous) == (0, 3, "before")
        assert (found.advance.seen, found.advance.units, found.advance.content_hash) == (3, 5, b"x" * 32)
