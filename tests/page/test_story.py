"""One story through every door: each writes a part of it, and after each part all of them give the same answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from mcp import ClientSession
from playwright.async_api import expect
from pydantic import SecretStr

from api.client import AsyncClient
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import NewToken
from engine.domain.search import SearchRequest
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.analyses import analyses
from tests.contract.test_mcp import called, over_stdio
from tests.hierarchy.test_graph_commands import Shell
from tests.page.conftest import OPERATORS, OpenTab, serving

QUESTIONS = ("Who is Dave?", "Where does Ellen live?", "Who bought the boat?")
ASKED = "Who is Ellen's husband?"
LIMIT = 5
Answers = Mapping[str, Any]


async def in_python(memory: Memory) -> Answers:
    found: dict[str, Any] = {}
    for question in QUESTIONS:
        found[question] = [hit.content for hit in (await memory.search(SearchRequest(question, LIMIT))).hits]
    asked = (await memory.search(SearchRequest(ASKED, relations=True))).relations
    found[ASKED] = [(one.relation.statement(one.entity_name), one.text) for one in asked]
    for name in ("Ellen", "Dave"):
        entity = (await memory.entities.list(name=name, everything=True))[0]
        relations = await memory.entities.relations(entity.entity_id)
        found[f"relations of {name}"] = sorted((one.relation_type, one.other_name) for one in relations)
        facts = await memory.entities.facts(entity.entity_id)
        found[f"facts about {name}"] = sorted(one.text for one in facts if one.fact_id)
    found["nodes"] = sorted(one.name for one in await memory.nodes.tree())
    return found


@dataclass
class Doors:
    """The doors to one user's memory, and what each says of it."""

    engine: Engine
    user: User
    rest: AsyncClient
    shell: Shell
    mcp: ClientSession

    async def agree(self, *, shell: bool = False) -> Answers:
        """What all of them say; raises AssertionError where two differ. Each command of the shell is a process that takes seconds."""
        said = {
            "Python": await in_python(self.engine.memory(self.user.user_id)),
            "REST": await self.over_rest(),
            "shell": await self.in_the_shell() if shell else {},
            "MCP": await self.over_mcp(),
            "Cypher": await self.in_cypher(),
        }
        for door, answers in said.items():
            for what, answer in answers.items():
                assert answer == said["Python"][what], (door, what)
        return said["Python"]

    async def over_rest(self) -> Answers:
        rest, user_id, found = self.rest, self.user.user_id, {}
        for question in QUESTIONS:
            found[question] = [hit.content for hit in (await rest.search(user_id, query=question, limit=LIMIT)).hits]
        asked = (await rest.search(user_id, query=ASKED, relations=True)).relations
        found[ASKED] = [(one.relation.statement(one.entity_name), one.text) for one in asked]
        for name in ("Ellen", "Dave"):
            entity = (await rest.list_entities(user_id, name=name, all=True))[0]
            relations = await rest.list_relations(user_id, entity.entity_id)
            found[f"relations of {name}"] = sorted((one.relation_type, one.other_name) for one in relations)
            facts = await rest.list_entity_facts(user_id, entity.entity_id)
            found[f"facts about {name}"] = sorted(one.text for one in facts if one.fact_id)
        found["nodes"] = sorted([one.name async for one in rest.each(rest.get_tree, user_id, limit=2)])
        return found

    async def in_the_shell(self) -> Answers:
        shell, found = self.shell, {}
        for question in QUESTIONS:
            found[question] = [
                hit["content"] for hit in (await shell.answers("ask", question, "--limit", str(LIMIT)))["hits"]
            ]
        asked = (await shell.answers("ask", ASKED))["relations"]
        ends = ((one["entity_name"], one["relation"]["reads"], one["relation"]["other_name"]) for one in asked)
        found[ASKED] = [(" ".join((*one, "since 2003")), said["text"]) for one, said in zip(ends, asked, strict=True)]
        for name in ("Ellen", "Dave"):
            relations = (await shell.answers("entity", "relations", name))["relations"]
            found[f"relations of {name}"] = sorted((one["relation_type"], one["other_name"]) for one in relations)
            facts = (await shell.answers("entity", "facts", name))["facts"]
            found[f"facts about {name}"] = sorted(one["text"] for one in facts if one["fact_id"])
        found["nodes"] = sorted(one["name"] for one in (await shell.answers("tree"))["nodes"])
        return found

    async def over_mcp(self) -> Answers:
        found: dict[str, Any] = {}
        for question in QUESTIONS:
            hits = (await called(self.mcp, "search_memories", query=question, limit=LIMIT))["hits"]
            found[question] = [hit["content"] for hit in hits]
        asked = (await called(self.mcp, "search_memories", query=ASKED))["relations"]
        found[ASKED] = [(one["says"], one["text"]) for one in asked]
        for name in ("Ellen", "Dave"):
            entity = (await called(self.mcp, "list_entities", name=name))["entities"][0]
            told = await called(self.mcp, "get_entity", entity_id=entity["entity_id"])
            found[f"facts about {name}"] = sorted(one["text"] for one in told["facts"] if one.get("memory_id"))
        return found

    async def in_cypher(self) -> Answers:
        """The statements for analysts, as they are pasted into Browser."""
        found: dict[str, Any] = {}
        for name in ("Ellen", "Dave"):
            relations = await self._statement("relations", entity=name, symmetric=["MARRIED_TO", "SIBLING_OF"])
            ends = [(one["relation"], {one["source"], one["target"]} - {name}) for one in relations if not one["until"]]
            found[f"relations of {name}"] = sorted((relation, *other) for relation, other in ends)
            facts = await self._statement("facts", entity=name)
            found[f"facts about {name}"] = sorted(one["fact"] for one in facts if one["status"] == "live")
        paths = await self._statement("tree")
        found["nodes"] = sorted("Bob Harlan" if one["node"] == "/" else one["node"].rpartition("/")[2] for one in paths)
        return found

    async def _statement(self, name: str, **given: Any) -> list[dict[str, Any]]:
        return await self.engine.neo4j.read(analyses()[name].text, user_id=str(self.user.user_id), limit=100, **given)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
async def bob(engine: Engine) -> User:
    """The beginning of the story, told in Python."""
    user = await engine.workspace.users.create(f"00bob-{uuid4().hex[:12]}", "Bob Harlan")
    memory = engine.memory(user.user_id)
    family = (await memory.nodes.provision(NewNode(user.user_id, "Family"))).node_id
    day = datetime(2025, 3, 1, 18, tzinfo=UTC)
    turns = (
        Turn("Bob", "Dave married my sister Ellen in 2003.", day),
        Turn("Iris", "Do they still live by the lake?", day),
    )
    await memory.records.remember(Conversation("c1", turns), node_id=family)
    return user


@asynccontextmanager
async def opened(engine: Engine, user: User, folder: Path) -> AsyncIterator[Doors]:
    token = (await engine.workspace.tokens.create(NewToken("user", user.user_id, "story"))).secret
    async with serving(engine) as address, AsyncClient(address, token) as rest:
        async with over_stdio(engine, "--user", user.handle) as session:
            yield Doors(engine, user, rest, Shell(engine, folder, user.handle), session)


@pytest.mark.ledger("U02", "U03", "U04", "U05", "U10")
async def test_every_door_tells_the_same_story(engine: Engine, bob: User, tmp_path: Path) -> None:
    async with opened(engine, bob, tmp_path) as doors:
        await the_story(doors)


async def the_story(doors: Doors) -> None:
    user_id = doors.user.user_id
    await doors.rest.provision_node(user_id, name="Lake", aliases=["Halfmoon"])
    await doors.rest.write_fact(user_id, text="Ellen lives at 27 Birch Street.", about=["Ellen"], at="2023-06-01")
    said = await doors.agree()
    married = ("Ellen is married to Dave since 2003", "Dave married my sister Ellen in 2003.")
    assert (
        said[ASKED] == [married]
        and "Dave married" in said["Who is Dave?"][0]
        and ("MARRIED_TO", "Dave") in said["relations of Ellen"]
    )
    assert said["facts about Ellen"] == ["Ellen lives at 27 Birch Street."] and said["nodes"] == [
        "Bob Harlan",
        "Family",
        "Lake",
    ]

    await doors.shell.answers("fact", "write", "Ellen lives at 8 Osprey Lane.", "--at", "2025-10-18")
    await called(doors.mcp, "add_memory", text="Luis bought the boat of Dave.", title="Boat")
    said = await doors.agree(shell=True)
    assert said["facts about Ellen"] == ["Ellen lives at 8 Osprey Lane."]  # the newer home holds, whoever said it
    assert said["Who bought the boat?"][0] == "Luis bought the boat of Dave."

    [hit, *_] = (await called(doors.mcp, "search_memories", query="Who bought the boat?", limit=1))["hits"]
    await called(
        doors.mcp, "update_memory", memory_id=hit["memory_id"], content="Luis bought the boat from Dave in May."
    )
    assert (await doors.agree())["Who bought the boat?"][0] == "Luis bought the boat from Dave in May."

    await called(doors.mcp, "delete_memory", memory_id=hit["record"], reason="never happened")
    assert not any("boat" in text for text in (await doors.agree())["Who bought the boat?"])
    [withdrawn] = await doors.rest.list_retractions(user_id)
    await doors.rest.undo_retraction(user_id, withdrawn.retraction_id)
    assert (await doors.agree(shell=True))["Who bought the boat?"][0].endswith("in May.")


@pytest.mark.ledger("U09")
async def test_the_page_tells_it_too(engine: Engine, bob: User, tab: OpenTab) -> None:
    said = await in_python(engine.memory(bob.user_id))
    token = (await engine.workspace.tokens.create(NewToken("user", bob.user_id, "page"))).secret
    async with serving(engine, api_token=SecretStr(OPERATORS)) as address:
        one = await tab(address)
        await one.sign_in(token)
        await one.ready()
        for question in QUESTIONS:
            await one.page.fill("#question", question)
            await one.page.press("#question", "Enter")
            cards = one.page.locator("#results ol .card")
            await expect(cards.first).to_contain_text(said[question][0])
            for text in said[question]:
                await expect(cards.filter(has_text=text).first).to_be_visible()
        await one.page.fill("#question", ASKED)
        await one.page.press("#question", "Enter")
        [(_, sentence)] = said[ASKED]
        card = one.page.locator("#results ul .card")
        await expect(card).to_contain_text("Ellen is married to Dave, since 2003")
        await expect(card).to_contain_text(f"“{sentence}”")
        for name in said["nodes"]:
            await expect(one.page.get_by_role("treeitem").filter(has_text=name).first).to_be_visible()
