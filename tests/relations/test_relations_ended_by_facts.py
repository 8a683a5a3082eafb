"""A relation that facts state is over from the day on which they do not hold any more, in every read: of now and of the past."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engine.domain.clock import NOW, Moment
from engine.domain.context import ContextRequest
from engine.domain.fact import WrittenFact
from engine.domain.retraction import RetractionSubject
from engine.domain.search import SearchRequest
from engine.memory import Memory
from engine.neurigraph import Engine

pytestmark = pytest.mark.usefixtures("few_nodes")
FIRST, SECOND = datetime(2021, 2, 1, tzinfo=UTC), datetime(2022, 6, 15, tzinfo=UTC)
BETWEEN, AFTER = datetime(2021, 9, 1, tzinfo=UTC), datetime(2023, 1, 1, tzinfo=UTC)
ENDS = {
    "another employer": ("Ellen works at Globex.", "Ellen works at Initech.", "Globex", "works at"),
    "denied": ("Ellen works at Globex.", "Ellen no longer works at Globex.", "Globex", "works at"),
    "a membership that is denied": (
        "Ellen is a member of the Rowing Club.",
        "Ellen is no longer a member of the Rowing Club.",
        "Rowing Club",
        "member of",
    ),
    "another home": ("Ellen lives in Duluth.", "Ellen lives in Galway.", "Duluth", "lives in"),
}


async def ends(memory: Memory, moment: Moment = NOW) -> dict[str, str | None]:
    [entity] = await memory.entities.list(name="ellen", everything=True)
    found = await memory.entities.relations(entity.entity_id, moment, ended=True)
    return {one.other_name: one.until for one in found}


async def holding(memory: Memory, moment: Moment) -> set[str]:
    [entity] = await memory.entities.list(name="ellen", everything=True)
    return {one.other_name for one in await memory.entities.relations(entity.entity_id, moment)}


@pytest.mark.ledger("F09", "X03")
@pytest.mark.parametrize("case", ENDS)
async def test_a_relation_ends_on_the_day_from_which_its_fact_does_not_hold(
    engine: Engine, memory: Memory, case: str
) -> None:
    first, second, other, verb = ENDS[case]
    await memory.facts.write(WrittenFact(first, at=FIRST))
    before = engine.parts.clock.now()
    assert await ends(memory) == {other: None}
    newer = (await memory.facts.write(WrittenFact(second, at=SECOND)))[0]
    now = await ends(memory)
    assert now[other] == "2022-06-15"
    for moment in (Moment(as_of=AFTER), Moment(as_of=BETWEEN), Moment(known_at=engine.parts.clock.now())):
        assert (await ends(memory, moment))[other] == "2022-06-15", moment
    assert other in await holding(memory, Moment(as_of=BETWEEN))
    assert other not in await holding(memory, Moment(as_of=AFTER))
    assert (await ends(memory, Moment(known_at=before))) == {other: None}
    question = f"Ellen {verb} which {verb}?"
    context = await memory.context(ContextRequest(question, moment=Moment(as_of=AFTER), tokens=600))
    assert first not in context.text
    asked = await memory.search(SearchRequest(question, relations=True, moment=Moment(as_of=AFTER)))
    assert other not in {one.relation.other_name for one in asked.relations}
    await memory.retractions.retract(RetractionSubject("fact", str(newer.fact_id)))
    assert (await ends(memory, Moment(as_of=AFTER)))[other] is None
