"""Profiles: of what the caller may read, as of now, within 300 tokens; the user's facts by type and category."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from engine.domain.delta import Change
from engine.domain.entity import EntitySummary
from engine.domain.fact import WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.retraction import RetractionSubject
from engine.domain.scope import MemoryScope
from engine.errors import InvalidInput, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.model_server import Asked, ModelServer
from tests.reader import WHEN

pytestmark = pytest.mark.usefixtures("few_nodes")


async def say(memory: Memory, day: int, *texts: str, **where: Any) -> UUID:
    turns = tuple(Turn("Bob", text) for text in texts)
    talk = Conversation(f"{day} {texts[0][:40]}", turns, f"Call {day}", WHEN + timedelta(days=day))
    return (await memory.records.remember(talk, **where)).records[0].record_id


async def named(memory: Memory, name: str) -> EntitySummary:
    [found] = [one for one in await memory.entities.list(limit=500, everything=True) if one.name == name]
    return found


@pytest.mark.ledger("A07")
async def test_a_profile_says_who_it_is_relations_and_what_was_said_last(memory: Memory, user: User) -> None:
    family = await memory.nodes.provision(NewNode(user.user_id, "Family"))
    await say(memory, 0, "Ellen Harlan is married to Dave Kowalski.", node_id=family.node_id)
    last = await say(memory, 1, "It rained. Ellen Harlan sold the boat at last. We ate.", node_id=family.node_id)
    ellen = await named(memory, "Ellen Harlan")
    profile = await memory.profiles.entity(ellen.entity_id)
    lines = profile.text.splitlines()
    assert lines[0] == "Ellen Harlan: person. Mentioned in 2 records, 2024-05-08 to 2024-05-09, at Family."
    assert lines[1] == "is married to Dave Kowalski"
    assert lines[2] == "2024-05-09, Call 1: Bob: “Ellen Harlan sold the boat at last.”"
    assert profile.records[0] == last and len(profile.relations) == 1 and profile.facts == ()
    assert (profile.entity_id, profile.name, profile.kind) == (ellen.entity_id, "Ellen Harlan", "person")
    assert 20 < profile.tokens <= 300
    await memory.history.change(Change("record", last, {"ended": True}, family.node_id, correction=True))
    assert "boat" not in (await memory.profiles.entity(ellen.entity_id)).text
    with pytest.raises(NotFound):
        await memory.profiles.entity(user.user_id)


@pytest.mark.ledger("A07")
async def test_a_profile_of_much_stays_within_its_tokens(memory: Memory, user: User) -> None:
    for day in range(12):
        words = " ".join(f"word{number}" for number in range(400))
        await say(
            memory, day, f"{words} Ellen Harlan {words}\nEllen Harlan works at Firm {'ABCDEFGHIJKL'[day]}{day} Ltd."
        )
    profile = await memory.profiles.entity((await named(memory, "Ellen Harlan")).entity_id)
    assert profile.tokens <= 300 and max(map(len, profile.text.splitlines())) < 330


@pytest.mark.ledger("A07", "X01")
async def test_a_profile_for_another_reader_has_nothing_that_it_may_not_read(
    engine: Engine, memory: Memory, user: User
) -> None:
    coach, work, home = [
        await memory.nodes.provision(NewNode(user.user_id, name, kind))
        for name, kind in (("Coach", "persona"), ("Work", "concept"), ("Home", "concept"))
    ]
    await say(memory, 0, "Ellen Harlan signed the lease.", node_id=work.node_id)
    await say(memory, 1, "Ellen Harlan is married to Dave Kowalski.", node_id=home.node_id)
    await say(memory, 2, "Ellen Harlan owes money.", node_id=work.node_id, privacy="private")
    ellen = (await named(memory, "Ellen Harlan")).entity_id
    reader = engine.memory_as(Principal("persona", coach.node_id, user.user_id))
    with pytest.raises(NotFound):
        await reader.profiles.entity(ellen)
    await memory.grants.give(NewGrant(work.node_id, "persona", coach.node_id, "read"))
    shown = (await reader.profiles.entity(ellen)).text
    assert "lease" in shown and "married" not in shown and "money" not in shown and "1 record," in shown
    with pytest.raises(NotFound):
        await reader.profiles.user()
    await memory.grants.give(NewGrant(home.node_id, "persona", coach.node_id, "read", fields=("records",)))
    dave = (await named(memory, "Dave Kowalski")).entity_id
    shown = (await reader.profiles.entity(dave)).text
    assert "Dave Kowalski: person" in shown and "“" not in shown, "no words of items that it may not read"


# with facts --------------------------------------------------------------------------------------------------


def stated(asked: Asked) -> dict[str, Any]:
    """Every line as a fact about its first word: likings are preferences, of the category food."""
    lines = [line.split("] ", 1)[1] for line in asked.text.splitlines() if line.startswith("[")]
    texts = [line.split(": ", 1)[-1] for line in lines]
    facts = [
        {
            "text": text,
            "subjects": [text.split()[0]],
            "first_line": number,
            "last_line": number,
            "type": "preference" if "likes" in text else "fact",
            "category": "food" if "likes" in text else "home",
        }
        for number, text in enumerate(texts)
    ]
    return {"summary": " ".join(texts), "facts": facts}


@pytest.fixture
async def told(reads: Engine, user: User, server: ModelServer) -> AsyncIterator[Memory]:
    server.reply = stated
    yield reads.memory(user.user_id)


@pytest.mark.ledger("A07", "L07", "M03")
async def test_facts_stand_in_profiles_by_type_and_category(reads: Engine, user: User, told: Memory) -> None:
    await say(told, 0, "Teresa lives in Berlin.", "Teresa likes tea.")
    await say(told, 1, "Teresa lives in Munich.", "Teresa likes plums.", "Dave likes tea.")
    await say(told, 2, "Teresa likes plums.")
    thread = told.within(MemoryScope("thread", "t"))
    await say(thread, 3, "Teresa likes secrets.")
    profile = await told.profiles.entity((await named(told, "Teresa")).entity_id)
    facts = [line for line in profile.text.splitlines() if line.startswith("Teresa ")]
    assert facts == ["Teresa likes plums.", *sorted(facts[1:], reverse=facts[1] > facts[2])]
    assert set(facts) == {"Teresa likes plums.", "Teresa likes tea.", "Teresa lives in Munich."}
    assert len(profile.facts) == 3
    types = {group.name: group for group in await told.profiles.user()}
    assert {name: group.facts for name, group in types.items()} == {"preference": 3, "fact": 1}
    assert types["preference"].summary.splitlines()[0] == "Teresa likes plums.", "it was confirmed"
    assert types["fact"].summary == "Teresa lives in Munich."
    categories = {group.name: group for group in await told.profiles.user("category", limit=1)}
    assert {name: (group.facts, len(group.strongest)) for name, group in categories.items()} == {
        "food": (3, 1),
        "home": (1, 1),
    }
    plums = categories["food"].strongest[0]
    assert (plums.text, plums.confirmations, plums.category) == ("Teresa likes plums.", 1, "food")
    await told.history.change(Change("item", plums.fact_id, {"category": "fruit"}, user.user_id))
    await reads.derivations.of_job("fact-chains")
    assert {group.name for group in await told.profiles.user("category")} == {"food", "home", "fruit"}
    with pytest.raises(InvalidInput):
        await told.profiles.user(limit=51)


@pytest.mark.ledger("M03")
async def test_without_a_model_summaries_and_counts_of_categories_follow_what_the_user_states(memory: Memory) -> None:
    """A newer fact, one that is said again, one that is withdrawn and comes back."""

    async def write(text: str, category: str) -> UUID:
        return (await memory.facts.write(WrittenFact(text, category=category)))[0].fact_id

    async def groups() -> dict[str, tuple[int, list[str]]]:
        found = await memory.profiles.user("category")
        return {group.name: (group.facts, group.summary.splitlines()) for group in found}

    tea, oslo = "Teresa likes tea.", "Teresa lives in Oslo."
    await write(tea, "food")
    await write(oslo, "home")
    assert await groups() == {"food": (1, [tea]), "home": (1, [oslo])}
    plums = await write("Teresa likes plums.", "food")
    assert await groups() == {"food": (2, ["Teresa likes plums.", tea]), "home": (1, [oslo])}
    await write(tea, "food")
    await write("Teresa lives in Bergen.", "home")
    assert await groups() == {"food": (2, [tea, "Teresa likes plums."]), "home": (1, ["Teresa lives in Bergen."])}
    withdrawn = await memory.retractions.retract(RetractionSubject("fact", str(plums)))
    assert (await groups())["food"] == (1, [tea])
    await memory.retractions.undo(withdrawn.retraction_id)
    assert (await groups())["food"] == (2, [tea, "Teresa likes plums."])


async def test_without_facts_the_user_has_no_groups(memory: Memory) -> None:
    await say(memory, 0, "Teresa lives in Berlin.")
    assert await memory.profiles.user() == ()
