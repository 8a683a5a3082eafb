"""What rules end, and what they leave, through the facts that a user states; relations follow the same rules."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engine.domain.clock import NOW
from engine.domain.fact import FactFilter, WrittenFact
from engine.memory import Memory

pytestmark = [pytest.mark.usefixtures("few_nodes"), pytest.mark.ledger("I10")]
FIRST, SECOND = datetime(2024, 3, 1, tzinfo=UTC), datetime(2025, 3, 1, tzinfo=UTC)


async def stated(memory: Memory, older: str, newer: str, *about: str) -> dict[str, str]:
    """Two facts of different times, and what becomes of them."""
    await memory.facts.write(WrittenFact(older, about, at=FIRST))
    await memory.facts.write(WrittenFact(newer, about, at=SECOND))
    return {fact.text: fact.status for fact in await memory.facts.list(FactFilter(status=None))}


async def relations(memory: Memory, name: str) -> dict[str, str | None]:
    """The relations of an entity, with when each ended."""
    [entity] = await memory.entities.list(name=name)
    found = await memory.entities.relations(entity.entity_id, NOW, ended=True)
    return {f"{one.reads} {one.other_name}": one.until for one in found}


@pytest.mark.parametrize(
    ("older", "newer", "about", "status"),
    [
        ("Ivo is engaged to Mara.", "Ivo is no longer engaged to Mara.", (), "invalidated"),
        ("Ticket 88 of Norden is solved.", "Ticket 89 of Norden is solved.", ("Norden",), "live"),
        ("Ivo lives in Leeds.", "Ivo moved from Finance to Support.", (), "live"),
        ("Ivo lives in Leeds.", "Ivo moved to Bristol.", (), "superseded"),
        ("Ivo lives in Leeds.", "Ivo lives in Leeds, not in York.", (), "live"),
        ("Ivo works at Halden Lines.", "Ivo hasn't resigned from Halden Lines.", (), "live"),
        ("Ivo works at Halden Lines.", "Ivo works for a food bank on Sundays as a volunteer.", (), "live"),
        ("My locker code is 3310.", "My new locker code is 8842.", (), "superseded"),
        ("Parking in the yard is allowed.", "Parking in the yard is forbidden.", ("yard",), "live"),
        ("Ivo wohnt in Bremen.", "Ivo ist nach Leipzig gezogen.", ("Ivo",), "superseded"),
        ("Ivo vive en Sevilla.", "Ivo no vive en Granada.", (), "live"),
    ],
)
async def test_what_a_newer_fact_does_to_an_older_one(
    memory: Memory, older: str, newer: str, about: tuple[str, ...], status: str
) -> None:
    assert (await stated(memory, older, newer, *about))[older] == status


async def test_the_denial_is_kept_and_ends_the_relation_on_its_day(memory: Memory) -> None:
    left = await stated(memory, "Ivo is married to Mara.", "Ivo is no longer married to Mara.")
    assert left == {"Ivo is married to Mara.": "invalidated", "Ivo is no longer married to Mara.": "live"}
    assert await relations(memory, "ivo") == {"is married to Mara": "2025-03-01"}


@pytest.mark.parametrize(
    "newer", ["Nadia moved from Finance to Support.", "Nadia lives on Harbour Street.", "Nadia does not like Leeds."]
)
async def test_what_leaves_a_fact_leaves_its_relation(memory: Memory, newer: str) -> None:
    assert (await stated(memory, "Nadia lives in Leeds.", newer))["Nadia lives in Leeds."] == "live"
    assert (await relations(memory, "nadia"))["lives in Leeds"] is None


async def test_opposites_stand_marked_as_contradicting(memory: Memory) -> None:
    assert set((await stated(memory, "I love rye bread.", "I hate rye bread.")).values()) == {"live"}
    marked = await memory.facts.list(FactFilter(contradicting=True))
    assert {fact.text for fact in marked} == {"I love rye bread.", "I hate rye bread."}


async def test_what_is_said_again_in_small_letters_is_confirmed(memory: Memory) -> None:
    assert list(await stated(memory, "Nadia plays the cello.", "nadia plays the  cello")) == ["Nadia plays the cello."]
