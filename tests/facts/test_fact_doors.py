"""Facts with data at the doors, REST and shell, and the settings that the engine reads them with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.domain.node import User
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from tests.door import new_door
from tests.facts.test_facts import say, stated
from tests.hierarchy.test_graph_commands import Shell
from tests.model_server import ModelServer
from tests.reader import reader

pytestmark = pytest.mark.usefixtures("few_nodes")


@pytest.fixture
async def memory(reads: Engine, user: User, server: ModelServer) -> AsyncIterator[Memory]:
    server.reply = stated
    yield reads.memory(user.user_id)


@pytest.mark.ledger("A03", "A04", "A12", "N32")
async def test_facts_and_chains_over_rest(reads: Engine, user: User, memory: Memory) -> None:
    await say(memory, 0, "Dave lives in Berlin.", "Ellen likes tea.")
    await say(memory, 10, "Dave lives in Munich.")
    await say(memory, 20, "Ellen likes tea.")
    transport = httpx.ASGITransport(new_door(reads.settings, engine=reads), client=("127.0.0.1", 50000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        path = f"/v1/users/{user.user_id}/facts"
        live = (await door.get(path)).json()
        assert {one["text"] for one in live} == {"Dave lives in Munich.", "Ellen likes tea."}
        [munich] = (await door.get(path, params={"about": "dave"})).json()
        [berlin] = (await door.get(path, params={"about": "dave", "status": "superseded"})).json()
        assert (munich["supersedes"], berlin["ended_by"]) == (berlin["fact_id"], munich["fact_id"])
        assert munich["valid_from"] == berlin["valid_to"]
        chain = (await door.get(f"{path}/{berlin['fact_id']}")).json()["facts"]
        assert [one["text"] for one in chain] == ["Dave lives in Munich.", "Dave lives in Berlin."]
        [tea] = (await door.get(path, params={"about": "Ellen"})).json()
        assert tea["confirmations"] == 1 and len(tea["confirmed_by"]) == 1
        first = await door.get(path, params={"status": "any", "limit": 2})
        rest = await door.get(first.links["next"]["url"])
        assert len(first.json()) == 2 and len(rest.json()) == 1 and "next" not in rest.links
        for wrong in ({"status": "confirmation"}, {"about": "\u200b"}, {"about": ""}, {"node_id": "x"}):
            assert (await door.get(path, params=wrong)).status_code == 422, wrong
        assert (await door.get(f"{path}/{user.user_id}")).status_code == 404
        [home] = (await door.get(f"{path}/attributes", params={"limit": 1})).json()
        assert (home["name"], home["kind"], home["facts"]) == ("home", "name", 1)
        assert (await door.get(f"{path}/attributes", params={"cursor": "WyIifQ"})).status_code == 422


@pytest.mark.ledger("A03", "A04", "U05")
async def test_facts_and_chains_in_the_shell(reads: Engine, user: User, memory: Memory, tmp_path: Path) -> None:
    shell = Shell(reads, tmp_path, user.handle)
    await say(memory, 0, "Dave lives in Berlin.")
    await say(memory, 10, "Dave lives in Munich.")
    await say(memory, 10, "Dave lives in Rome.")
    found = (await shell.answers("fact", "list", "--about", "Dave"))["facts"]
    assert {one["text"] for one in found} == {"Dave lives in Munich.", "Dave lives in Rome."}
    assert len((await shell.answers("fact", "list", "--all"))["facts"]) == 3
    assert len((await shell.answers("fact", "list", "--contradicting"))["facts"]) == 2
    printed = await shell.prints("fact", "list", "--about", "Dave")
    assert printed.count("contradicted") == 2 and "Berlin" not in printed
    [munich] = [one for one in found if "Munich" in one["text"]]
    chain = (await shell.answers("fact", "chain", munich["fact_id"]))["facts"]
    assert [one["text"] for one in chain] == ["Dave lives in Munich.", "Dave lives in Berlin."]
    assert "about" in await shell.refuses("fact", "list", "--about", "\u200b")
    [group] = (await shell.answers("fact", "profile"))["groups"]
    assert group["facts"] == 2
    [home] = (await shell.answers("fact", "attributes"))["attributes"]
    assert (home["name"], home["kind"], home["single"], home["facts"], home["subjects"]) == ("home", "name", True, 2, 1)
    assert "home" in await shell.prints("fact", "attributes")


# settings ----------------------------------------------------------------------------------------------------


async def live(settings: Settings, server: ModelServer, user: User, **changes: Any) -> list[str]:
    """The live facts after two counts of dogs."""
    server.reply = stated
    async with reader(settings, server, **changes) as engine:
        memory = engine.memory(user.user_id)
        await say(memory, 0, "Dave has two dogs.")
        await say(memory, 10, "Dave has three dogs.")
        return sorted(fact.text for fact in await memory.facts.list())


@pytest.mark.ledger("L03")
@pytest.mark.parametrize(("similarity", "left"), [(0.5, ["Dave has three dogs."]), (1.0, None)])
async def test_how_near_meanings_have_to_be_is_a_setting(
    settings: Settings, server: ModelServer, user: User, similarity: float, left: list[str] | None
) -> None:
    both = ["Dave has three dogs.", "Dave has two dogs."]
    assert await live(settings, server, user, fact_similarity=similarity) == (left or both)


DOMAIN = """
free_form = false
[[kinds]]
name = "person"
label = "Person"
[[kinds]]
name = "organization"
label = "Organization"
[[kinds]]
name = "place"
label = "Place"
[[kinds]]
name = "thing"
label = "Thing"
[[relations]]
name = "ADMIRES"
reads = "admires"
inverse = "is admired by"
pairs = [["person", "person"]]
phrases = { en = "admires" }
"""


@pytest.mark.ledger("F09")
async def test_a_domain_of_ones_own_draws_its_relations_and_no_others(
    settings: Settings, server: ModelServer, user: User, tmp_path: Path
) -> None:
    own = tmp_path / "domain.toml"
    own.write_text(DOMAIN, encoding="utf-8")
    async with reader(settings, server, language_model=None, domain=own) as engine:
        memory = engine.memory(user.user_id)
        text = "Ellen Harlan admires Dave Kowalski. Ellen Harlan is married to Sam Ortega."
        await say(memory, 0, text)
        [ellen] = [one for one in await memory.entities.list(everything=True) if one.name == "Ellen Harlan"]
        drawn = [(one.reads, one.other_name) for one in await memory.entities.relations(ellen.entity_id)]
    assert drawn == [("admires", "Dave Kowalski")]
