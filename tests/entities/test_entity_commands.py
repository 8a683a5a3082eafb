"""Entities, facts and profiles in the shell: what commands print and change."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.hierarchy.test_graph_commands import Shell

TALK = (
    Turn("Bob", "Ellen Harlan is married to Dave Kowalski. Ellen Harlan works at Harlan Joinery."),
    Turn("Iris", "Then Elli Varga came by."),
)


@pytest.mark.ledger("F07", "F09", "M06", "A07", "X05", "U05")
async def test_entities_are_listed_shown_explained_merged_and_apart(
    engine: Engine, user: User, memory: Memory, tmp_path: Path
) -> None:
    shell = Shell(engine, tmp_path, user.handle)
    work = await memory.nodes.provision(NewNode(user.user_id, "Work"))
    before = engine.parts.clock.now().isoformat()
    await memory.records.remember(Conversation("c", TALK, "A call"), node_id=work.node_id)
    people = {one["name"]: one for one in (await shell.answers("entity", "list", "--kind", "person"))["entities"]}
    assert {"Ellen Harlan", "Dave Kowalski", "Elli Varga"} <= people.keys() and "Harlan Joinery" not in people
    assert (await shell.answers("entity", "list", "--known-at", before))["entities"] == []
    shown = await shell.answers("entity", "show", "ellen harlan")
    assert shown["entity_id"] == people["Ellen Harlan"]["entity_id"] and shown["anchors"][0]["path"][-1] == "Work"
    assert "No entity is called" in await shell.refuses("entity", "show", "Ellen Harlan", "--known-at", before)
    refused = await shell.refuses("entity", "merge", "Ellen", "Elli")
    assert "No entity is called Ell" in refused and "begin so" in refused, "a beginning is not a name"
    related = {
        one["other_name"]: one for one in (await shell.answers("entity", "relations", "Ellen Harlan"))["relations"]
    }
    assert related["Dave Kowalski"]["reads"] == "is married to"
    why = await shell.answers("entity", "why", related["Dave Kowalski"]["relation_id"])
    assert [(one["title"], one["node_id"]) for one in why["evidence"]] == [("A call", str(work.node_id))]
    assert "is married to Dave Kowalski" in (await shell.prints("entity", "profile", "Ellen Harlan")).splitlines()
    merge = await shell.answers("entity", "merge", "Ellen Harlan", "Elli Varga", "--reason", "a nickname")
    assert (merge["entity_id"], merge["merged_id"]) == (shown["entity_id"], people["Elli Varga"]["entity_id"])
    [listed] = (await shell.answers("entity", "merges"))["merges"]
    assert (listed["merge_id"], listed["reason"]) == (merge["merge_id"], "a nickname") and listed["at"] == merge["at"]
    assert (listed["entity_name"], listed["merged_name"]) == ("Ellen Harlan", "Elli Varga")
    between = ("relation", "between", "Elli Varga", "Dave Kowalski")  # the merged one is read as the other
    [married] = (await shell.answers(*between))["relations"]
    assert married["relation_id"] == related["Dave Kowalski"]["relation_id"]
    assert "Elli Varga" in await shell.prints(*between)
    [row] = [line for line in (await shell.prints("entity", "merges")).splitlines() if merge["merge_id"] in line]
    assert row.split()[1:] == ["Ellen", "Harlan", "Elli", "Varga", merge["at"][:10], "a", "nickname"]
    assert (await shell.answers("entity", "merges", "--known-at", before))["merges"] == []
    assert (await shell.answers("entity", "show", "Elli Varga"))["entity_id"] == shown["entity_id"]
    await shell.answers("entity", "undo", merge["merge_id"])
    assert "No relation leads from one of them to another." in await shell.prints(*between)
    assert "two or more" in await shell.refuses(*between[:3])
    assert (await shell.answers("entity", "merges"))["merges"] == []
    assert (await shell.answers("entity", "show", "Elli Varga"))["entity_id"] == people["Elli Varga"]["entity_id"]
    assert (await shell.answers("fact", "profile", "--by-category"))["groups"] == []


@pytest.mark.ledger("U05")
async def test_what_finds_nothing_says_what_to_do(engine: Engine, user: User, memory: Memory, tmp_path: Path) -> None:
    shell = Shell(engine, tmp_path, user.handle)
    await memory.records.remember(Conversation("c", TALK, "A call"), node_id=user.user_id)
    refused = await shell.refuses("entity", "show", "Elenn")
    assert "begin alike: " in refused and "Ellen Harlan, person" in refused
    assert "job run communities" in await shell.refuses("entity", "meaning", "Ellen Harlan")
    assert "this id" in await shell.refuses("entity", "why", str(uuid4()))
    assert "'at home' cannot be" in await shell.refuses("entity", "alias", "add", "Ellen Harlan", "email", "at home")
    assert (await shell.prints("entity", "list", "--kind", "persn")).strip() == "No such entity is known."
    assert "`neurigraph entity facts`" in await shell.prints("fact", "list", "--about", "Ellen")


@pytest.mark.ledger("U05")
async def test_relations_and_facts_that_are_over_are_counted(
    engine: Engine, user: User, memory: Memory, tmp_path: Path
) -> None:
    shell = Shell(engine, tmp_path, user.handle)
    told = (
        "Ellen Harlan owns Birch Street. Ellen Harlan is married to Dave Kowalski.",
        "Ellen Harlan sold Birch Street.",
    )
    for number, text in enumerate(told):
        talk = Conversation(f"c{number}", (Turn("Bob", text, datetime(2024, 3, 1 + number, tzinfo=UTC)),))
        await memory.records.remember(talk, node_id=user.user_id)
    for what in ("relations", "facts"):
        shown = await shell.prints("entity", what, "Ellen Harlan")
        assert "Birch Street" not in shown and shown.splitlines()[-1] == "1 ended, not shown: --ended"
        whole = await shell.prints("entity", what, "Ellen Harlan", "--ended")
        assert "Birch Street" in whole and "not shown" not in whole
        answer = await shell.answers("entity", what, "Ellen Harlan")
        assert (len(answer[what]), answer["ended_left_out"]) == (1, 1)
    assert "not shown" not in await shell.prints("entity", "relations", "Dave Kowalski")


async def test_an_entity_is_found_by_the_name_that_is_shown(engine: Engine, tmp_path: Path) -> None:
    """The user is shown by the name of the memory, whatever part of it texts use."""
    nora = await engine.workspace.users.create(f"n{uuid4().hex[:12]}", "Nora Halvorsen")
    talk = (Turn("Nora", "I am married to Olaf Brandt."), Turn("Olaf", "Nora and I live in Bergen."))
    await engine.memory(nora.user_id).records.remember(Conversation("n", talk, "Us"))
    shell = Shell(engine, tmp_path, nora.handle)
    shown = {one["name"]: one["entity_id"] for one in (await shell.answers("entity", "list"))["entities"]}
    assert (await shell.answers("entity", "show", "nora halvorsen"))["entity_id"] == shown["Nora Halvorsen"]
