"""The shell shows a graph and changes it: users, tree, nodes, anchors, edges; errors are one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from engine.domain.grant import NewGrant
from engine.domain.node import NewNode, User
from engine.domain.principal import NewToken
from engine.errors import InvalidInput
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.commands import typed


class Shell:
    """Commands for one user."""

    def __init__(self, engine: Engine, folder: Path, handle: str) -> None:
        self._engine, self._folder, self._handle = engine, folder, handle

    async def prints(self, *arguments: str) -> str:
        """What a command prints that succeeds."""
        done = await typed(self._engine, self._folder, self._handle, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    async def answers(self, *arguments: str) -> Any:
        """The JSON of one that succeeds."""
        return json.loads(await self.prints(*arguments, "--json"))

    async def refuses(self, *arguments: str) -> str:
        """The one line of one that fails."""
        done = await typed(self._engine, self._folder, self._handle, *arguments)
        lines = [line for line in done.stderr.splitlines() if line and not line.startswith("✓")]
        assert (done.returncode, done.stdout, len(lines)) == (1, "", 1), done.stderr
        return lines[0]


@pytest.mark.ledger("N03", "N04", "U05")
async def test_a_graph_is_seen_and_its_edges_are_made_and_ended(
    engine: Engine, user: User, memory: Memory, tmp_path: Path
) -> None:
    shell = Shell(engine, tmp_path, user.handle)
    dave, _ = [await memory.nodes.provision_path(path) for path in (("Family", "Dave"), ("Lake", "Dave"))]
    assert dave is not None
    await memory.records.remember_text("Boat", "Dave sold the boat.", node_id=dave.node_id)
    nodes = {(one["layer"], one["name"], one["records"]) for one in (await shell.answers("tree"))["nodes"]}
    assert nodes == {(0, "Bob Harlan", 0), (1, "Family", 0), (1, "Lake", 0), (2, "Dave", 1), (2, "Dave", 0)}
    drawn = await shell.prints("tree")
    assert all(part in drawn for part in ("Bob Harlan  user", "└── ", "Dave  1 record,", "Dave  empty")), drawn
    assert {tuple(one["path"][1:]) for one in (await shell.answers("anchors", "dave"))["anchors"]} == {
        ("Family", "Dave"), ("Lake", "Dave"),
    }  # fmt: skip
    made = await shell.answers("edge", "make", "Family/Dave", "same_person", "Lake/Dave", "--property", "since=2003")
    [edge] = (await shell.answers("edge", "list", "--node", "Lake/Dave"))["edges"]
    assert (edge["edge_id"], edge["edge_type"], made["created"]) == (made["edge_id"], "same_person", True)
    shown = await shell.prints("node", "show", "Family/Dave")
    assert all(part in shown for part in ("Bob Harlan > Family > Dave", "same_person", "Lake/Dave", "Boat.txt")), shown
    assert "ended" in (await shell.prints("edge", "end", made["edge_id"], "--reason", "Two people."))
    assert (await shell.prints("edge", "list")).strip() == "There is no edge."
    again = ("edge", "make", "Family/Dave", "same_person", "Lake/Dave")
    assert "open again" in await shell.prints(*again)
    assert "was there already" in await shell.prints(*again)
    assert "There is no node Family/Nobody" in (await shell.refuses("node", "show", "Family/Nobody"))
    assert "NAME=VALUE" in (await shell.refuses("edge", "make", "Lake", "near", "Family", "--property", "x"))


async def test_nodes_and_users_are_archived_and_taken_back(
    engine: Engine, user: User, memory: Memory, tmp_path: Path
) -> None:
    shell, anybody = Shell(engine, tmp_path, user.handle), Shell(engine, tmp_path, "")
    await memory.nodes.provision_path(("Family", "Dave"))
    assert (await shell.prints("node", "archive", "Family", "--reason", "Moved away.")).strip() == "Family: archived."
    assert "as before" in (await shell.prints("node", "archive", "Family"))
    assert (
        "archived" in (await shell.prints("tree"))
        and (await shell.answers("node", "show", "Family/Dave"))["archived"] is True
    )
    assert "archived" in (await shell.refuses("edge", "make", "/", "near", "Family"))
    assert (await shell.prints("node", "unarchive", "Family")).strip() == "Family: active."
    assert "archived" in (await anybody.prints("user", "archive", user.handle))
    [seen] = [one for one in (await anybody.answers("user", "list"))["users"] if one["handle"] == user.handle]
    assert seen["archived"] is True
    assert (await anybody.answers("user", "unarchive", user.handle))["changed"] is True
    assert (await engine.workspace.users.find(user.handle)).archived is False


@pytest.mark.ledger("N05", "U05")
async def test_a_path_is_provisioned_whole_or_not_at_all(engine: Engine, tmp_path: Path) -> None:
    shell, handle = Shell(engine, tmp_path, ""), f"u{uuid4().hex[:12]}"
    for path in (("A", "B", "C", "D", "E", "F"), ("Work", "\u200b")):
        await shell.refuses("provision", handle, *path)
    assert f"There is no user {handle}" in (await Shell(engine, tmp_path, handle).refuses("tree"))  # no user, either
    made = await shell.answers("provision", handle, "Family", "Siblings", "Ellen", "--keywords", "sister, lease")
    assert (made["path"][1:], made["layer"], made["created"]) == (["Family", "Siblings", "Ellen"], 3, True)
    memory = engine.memory((await engine.workspace.users.find(handle)).user_id)
    assert (await memory.nodes.shell(made["node_id"])).keywords == ("sister", "lease")
    below = await shell.answers("provision", handle, "Family/Siblings/Tom", "--type", "persona")
    assert (below["path"][1:], below["node_type"]) == (["Family", "Siblings", "Tom"], "persona")
    band = await memory.nodes.provision(NewNode(memory.principal.user_id, "AC/DC"))
    own = Shell(engine, tmp_path, handle)
    for path, node in (("Family/Siblings/Tom", below["node_id"]), ("ac/dc", str(band.node_id))):
        assert (await own.answers("node", "show", path))["node_id"] == node
    assert "layer 5" in (await shell.refuses("provision", handle, "Work", "B", "C", "D", "E", "F"))
    assert [child.name for child in await memory.nodes.children(memory.principal.user_id)] == ["AC/DC", "Family"]


@pytest.mark.ledger("N03", "U05")
async def test_children_touch_and_users(engine: Engine, user: User, memory: Memory, tmp_path: Path) -> None:
    shell = Shell(engine, tmp_path, user.handle)
    dave = await memory.nodes.provision_path(("Family", "Dave"))
    assert dave is not None
    children = (await shell.answers("node", "children", "Family"))["children"]
    assert [(one["node_id"], one["name"]) for one in children] == [(str(dave.node_id), "Dave")]
    assert "used" in await shell.prints("node", "touch", "Family/Dave")
    assert "no node" in await shell.refuses("node", "touch", "Family/Nobody")
    assert "Not found" in await shell.refuses("node", "touch", "Family/Dave", str(uuid4()))
    whole = Shell(engine, tmp_path, "")
    shown = await whole.answers("user", "show", user.handle)
    assert shown == await whole.answers("user", "show", str(user.user_id)) and shown["user_id"] == str(user.user_id)
    for nobody in ("nobody", str(uuid4())):
        assert f"There is no user {nobody} in the workspace" in await whole.refuses("user", "show", nobody)
    handle = f"ann-{uuid4().hex[:12]}"
    assert [(await whole.answers("user", "create", handle, "--name", "Ann"))["created"] for _ in range(2)] == [
        True,
        False,
    ]
    assert (await whole.answers("job", "show", "orphan-sweep"))["name"] == "orphan-sweep"


@pytest.mark.ledger("N11", "U05")
async def test_a_text_and_a_conversation_are_stored(engine: Engine, user: User, memory: Memory, tmp_path: Path) -> None:
    shell = Shell(engine, tmp_path, user.handle)
    await memory.nodes.provision_path(("Lake",))
    (tmp_path / "boat.txt").write_text("Dave sold the boat.", encoding="utf-8")
    (tmp_path / "talk.jsonl").write_text('{"speaker": "Ann", "text": "Where is the walleye?"}\n', encoding="utf-8")
    [written] = (await shell.answers("record", "write", "Boat", "boat.txt", "--node", "Lake", "--id", "b1"))["records"]
    assert (written["title"], written["path"][1:]) == ("Boat", ["Lake"])
    assert "already" in await shell.prints("record", "write", "Boat", "boat.txt", "--node", "Lake", "--id", "b1")
    stored = await shell.answers("record", "conversation", "c1", "talk.jsonl", "--node", "Lake", "--private")
    assert (stored["turns"], len(stored["records"])) == (1, 1)
    assert "Line 1 is not JSON" in await shell.refuses("record", "conversation", "c2", "boat.txt")
    for title in ("", " "):
        assert "title is empty" in await shell.refuses("record", "write", title, "boat.txt")
        assert "title is empty" in await shell.refuses("occasion", "call", title, "boat.txt")
    with pytest.raises(InvalidInput, match="title is empty"):
        await memory.records.remember_text(" ", "Dave sold the boat.")


@pytest.mark.ledger("U05")
async def test_what_ends_something_answers_in_json(engine: Engine, user: User, memory: Memory, tmp_path: Path) -> None:
    shell = Shell(engine, tmp_path, user.handle)
    node = await memory.nodes.provision_path(("Family",))
    assert node is not None and await shell.answers("node", "touch", "Family") == {
        "node_id": str(node.node_id),
        "ids": [],
    }
    integration = await engine.workspace.integrations.create(f"app {uuid4()}")
    grant = await memory.grants.give(NewGrant(node.node_id, "third_party", integration.integration_id))
    ended = await shell.answers("grant", "revoke", str(grant.grant_id))
    assert ended["grant_id"] == str(grant.grant_id) and ended["revoked_at"]
    issued = await engine.workspace.tokens.create(NewToken("user", user.user_id, "laptop"))
    revoked = await typed(engine, tmp_path, None, "token", "revoke", str(issued.token.token_id), "--json")
    assert json.loads(revoked.stdout)["revoked_at"], revoked.stderr
    written = await typed(engine, tmp_path, user.handle, "browser", "export", "--out", str(tmp_path), "--json")
    assert {Path(one).name for one in json.loads(written.stdout)["files"]} == {
        "neurigraph-favourites.zip",
        "neurigraph.grass",
    }
