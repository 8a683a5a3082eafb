"""What records speak of, from their texts to entities, without a graph."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from engine.domain.entity import TextPiece
from engine.domain.extraction import UNASKED
from engine.knowledge.entity_finder import EntityFinder, KnownEntity, Spoken, _resolved
from engine.knowledge.record_names import read_records
from engine.naming.configuration import load_domain
from engine.naming.mentions import SourceText

NO_STORE: Any = None
"""What is decided here reads nothing."""
ENTITIES = EntityFinder(NO_STORE, NO_STORE, load_domain())


def _spoken(turns: list[tuple[str, str]], *known: KnownEntity) -> Spoken:
    """Of a conversation: speakers and what they say."""
    texts = [SourceText(uuid4(), TextPiece(text, speaker)) for speaker, text in turns]
    read = read_records([texts], [UNASKED], ENTITIES.domain)
    [spoken] = ENTITIES._decided(read, _resolved(read, known))
    return spoken


@pytest.mark.parametrize(("word", "whole"), [("My sister", "Iris's sister"), ("Mom", "Iris's mom")])
def test_my_sister_is_another_one_for_each_speaker_of_a_record(word: str, whole: str) -> None:
    turns = [("Bob", f"{word} sings."), ("Iris", f"{word} never sang."), ("Bob", f"{word} dances.")]
    known = KnownEntity("person:ellen", whole, "person", (whole,))
    for order in (turns, turns[::-1]):
        [of_iris] = [one for one in _spoken(order, known).entities if one.key == known.key]
        assert (of_iris.count, of_iris.context) == (1, turns[1][1])
