"""Statements for analysts over intentions, communities and what was shown: what the bundled history has none of."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from uuid import UUID

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import User
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.retrieval.touches import Touches
from engine.settings import Settings
from engine.wiring.job_catalogue import CATALOGUE
from engine.wiring.open_engine import open_engine
from tests.analysis.test_analysis import rows

SAID = (
    "I want to sell the boat by 12 June 2024.",
    "I plan to repair the roof by June 2024.",
    "I want to learn to sail.",
)


@pytest.fixture
async def keeping(settings: Settings, user: User) -> AsyncIterator[Memory]:
    """The memory of a user on an engine that keeps intentions."""
    async with open_engine(settings.model_copy(update={"intentions": True}), warming=False) as opened:
        yield opened.memory(user.user_id)


async def say(memory: Memory, *texts: str, speaker: str = "Bob") -> UUID:
    turns = tuple(Turn(speaker, text, datetime(2024, 5, 1, tzinfo=UTC)) for text in texts)
    report = await memory.records.remember(Conversation(texts[0], turns), node_id=memory.principal.user_id)
    return report.records[0].record_id


async def entity(memory: Memory, name: str) -> UUID:
    return (await memory.entities.list(name=name, everything=True))[0].entity_id


@pytest.mark.ledger("U03")
async def test_an_intention_is_overdue_when_its_day_or_month_is_over(engine: Engine, keeping: Memory) -> None:
    await say(keeping, *SAID)
    found = {one.text: one for one in await keeping.intentions.list()}
    dues = {text: one.due for text, one in found.items()}
    assert dues == dict(zip(SAID, ("2024-06-12", "2024-06", None), strict=True))
    for day, late in (
        ("2024-06-12", []),
        ("2024-06-13", [SAID[0]]),
        ("2024-06-30", [SAID[0]]),
        ("2024-07-01", [SAID[1], SAID[0]]),
    ):
        assert [one["intention"] for one in await rows(engine, keeping, "overdue", at=day)] == late, day
    assert [one["due"] for one in await rows(engine, keeping, "intentions")] == ["2024-06", "2024-06-12", None]
    await keeping.intentions.decide(found[SAID[0]].intention_id, "done")
    assert [one["intention"] for one in await rows(engine, keeping, "overdue", at="2025-01-01")] == [SAID[1]]
    states = {
        (one["state"], one["intentions"], str(one["oldest"])) for one in await rows(engine, keeping, "intention_states")
    }
    assert states == {("open", 2, "2024-05-01"), ("done", 1, "2024-05-01")}


async def test_intentions_of_merged_entities_are_those_of_the_whole(engine: Engine, keeping: Memory) -> None:
    await say(keeping, SAID[2], speaker="Nora Dunn")
    await say(keeping, "I want to sing.", speaker="Walter Vang")
    nora, walter = await entity(keeping, "nora dunn"), await entity(keeping, "walter vang")
    await keeping.entities.merge(nora, walter)
    [both] = await rows(engine, keeping, "intention_states")
    assert (both["who"], both["intentions"]) == ("Nora Dunn", 2)
    assert {one["who"] for one in await rows(engine, keeping, "intentions")} == {"Nora Dunn"}


async def test_what_others_intend_and_where_they_belong_is_not_shown(engine: Engine, keeping: Memory) -> None:
    other = engine.memory((await engine.workspace.users.create(f"o{keeping.principal.user_id.hex[:10]}")).user_id)
    await say(keeping, *SAID, "Nora Dunn is married to Walter Vang.")
    [job] = [one for one in CATALOGUE if one.name == "communities"]
    await job.work(engine)
    for name in (
        "intentions",
        "intention_states",
        "communities",
        "bridges",
        "important",
        "nodes_about",
        "community_facts",
        "asked",
    ):
        assert await rows(engine, other, name) == [], name
    assert await rows(engine, other, "overdue", at="2030-01-01") == []
    assert await rows(engine, other, "community", entity="nora dunn") == []


async def test_an_entity_that_was_asked_for_is_counted(engine: Engine, memory: Memory) -> None:
    await say(memory, "Nora Dunn is married to Walter Vang.")
    await memory.entities.get(await entity(memory, "nora dunn"))
    await engine.parts[Touches].write()
    shown = {one["entity"]: one["times"] for one in await rows(engine, memory, "asked")}
    assert shown == {"Nora Dunn": 1}
