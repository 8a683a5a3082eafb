"""Communities, clusters, insights, importance: derived by the job, kept by id, shown to the user alone and only while they hold."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.domain.entity import EntitySummary
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.errors import NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.flows.test_facts import stated
from tests.model_server import Asked, ModelServer

pytestmark = pytest.mark.usefixtures("few_nodes")
START = datetime(2024, 5, 8, 18, tzinfo=UTC)
FAMILY = (
    "Ellen Harlan is married to Dave Kowalski.",
    "Dave Kowalski works at Harlan Joinery.",
    "Ellen Harlan works at Harlan Joinery.",
)
CLUB = (
    "Rosa Lindqvist is married to Viktor Sandoval.",
    "Viktor Sandoval works at Duluth Sailing Club.",
    "Rosa Lindqvist works at Duluth Sailing Club.",
)


async def say(memory: Memory, day: int, text: str) -> UUID:
    talk = Conversation(f"{day} {uuid4()}", (Turn("Bob", text),), f"Call {day}", START + timedelta(days=day))
    return (await memory.records.remember(talk, node_id=memory.principal.user_id)).records[0].record_id


async def named(memory: Memory, name: str) -> EntitySummary:
    [found] = [one for one in await memory.entities.list(limit=500) if one.name == name]
    return found


async def build(engine: Engine) -> dict[str, Any]:
    [job] = (
        [one for one in engine.services.jobs.catalogue if one.name == "communities"]
        if hasattr(engine.services.jobs, "catalogue")
        else [None]
    )
    report = await engine.parts.community_builds.run()
    return {"users": report.users, "communities": report.communities, "insights": report.insights}


@pytest.mark.ledger("A10", "A11", "A06", "F06")
async def test_what_belongs_together_is_found_kept_and_ends_with_its_support(
    engine: Engine, memory: Memory, user: User
) -> None:
    await build(engine)
    records = [await say(memory, day, text) for day, text in enumerate(FAMILY + CLUB)]
    assert (await build(engine))["users"] == 1
    found = await memory.communities.list()
    assert sorted(one.size for one in found) == [3, 3], found
    names = {
        frozenset(member.text for member in (await memory.communities.get(one.community_id)).members) for one in found
    }
    assert names == {
        frozenset({"Ellen Harlan", "Dave Kowalski", "Harlan Joinery"}),
        frozenset({"Rosa Lindqvist", "Viktor Sandoval", "Duluth Sailing Club"}),
    }
    [family] = [one for one in found if "Harlan Joinery" in one.summary]
    assert "married to" in family.summary and "works at Harlan Joinery" in family.summary
    ellen = await named(memory, "Ellen Harlan")
    assert ellen.importance is not None and 0 < ellen.importance <= 1
    assert (
        ellen.summary is not None
        and ellen.summary.startswith("person; ")
        and "married to Dave Kowalski" in ellen.summary
    )
    assert (await memory.entities.get(ellen.entity_id)).summary == ellen.summary
    belongs = await memory.insights.list("community")
    assert len(belongs) == 2 and all("belong together" in one.text for one in belongs)
    # unchanged: nothing is built; changed: ids stay
    assert (await build(engine))["users"] == 0
    records.append(await say(memory, 6, FAMILY[0] + " Margaret Olsen works at Harlan Joinery."))
    records.append(await say(memory, 7, "Ellen Harlan is still married to Dave Kowalski."))
    await build(engine)
    again = await memory.communities.list()
    assert {one.community_id for one in again} == {one.community_id for one in found}
    assert max(one.size for one in again) == 4
    assert {one.insight_id for one in await memory.insights.list("community")} == {one.insight_id for one in belongs}
    # withdrawn: at once nothing rests on it any more
    for record in (records[1], records[2], records[6], records[7], records[0]):
        await memory.retractions.retract("record", str(record))
    assert [one.size for one in await memory.communities.list()] == [3]
    assert [one.insight_id for one in await memory.insights.list("community") if "Ellen" in one.text] == []
    await build(engine)
    assert [one.size for one in await memory.communities.list()] == [3]
    over = [one for one in await memory.insights.list("community", ended=True) if one.known_to is not None]
    assert [one.insight_id for one in over] == [one.insight_id for one in belongs if "Ellen" in one.text]
    assert not [one for one in await engine.doctor.examine() if "communities" in one.problem]
