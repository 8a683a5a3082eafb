"""Archives of a node with what lies below it, of a source, of an entity: what belongs to it is there, and nothing else."""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from engine.domain.archive import ArchivePart, PartKind
from engine.domain.delta import Change
from engine.domain.node import NewNode, User
from engine.domain.stream import StreamedTurn
from engine.errors import ArchiveError, InvalidInput, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine

pytestmark = [pytest.mark.usefixtures("few_nodes"), pytest.mark.ledger("U05")]
ILTIS = "Dave Kowalski repaired the Iltis. Dave Kowalski works at Harlan Joinery."
CAKE = "Teresa Lund baked a walnut cake. Teresa Lund lives in Hull."


@dataclass(frozen=True)
class Parted:
    """A user with two nodes, each with a source, one of them changed by hand."""

    user: User
    memory: Memory
    node_id: str
    engine: Engine
    folder: Path

    async def export(self, kind: PartKind, named: str) -> zipfile.ZipFile:
        path = self.folder / f"{uuid4()}.zip"
        report = await self.engine.archives.export_part(self.user.user_id, ArchivePart(kind, named), path)
        assert report.missing == 0 and report.size_bytes == path.stat().st_size
        assert (await self.engine.archives.check(path)).part == ArchivePart(kind, named)
        return zipfile.ZipFile(path)


@pytest.fixture
async def parted(engine: Engine, user: User, memory: Memory, tmp_path: Path) -> Parted:
    boats = await memory.nodes.provision(NewNode(user.user_id, "Boats"))
    old = await memory.nodes.provision(NewNode(boats.node_id, "Old boats"))
    kitchen = await memory.nodes.provision(NewNode(user.user_id, "Kitchen"))
    stored = await memory.records.remember_text("Iltis", ILTIS, node_id=old.node_id, source_id="iltis")
    await memory.records.remember_text("Cake", CAKE, node_id=kitchen.node_id, source_id="cake")
    record = stored.records[0]
    await memory.history.change(Change("record", record.record_id, {"summary": "A repair in May."}, record.node_id))
    return Parted(user, memory, str(boats.node_id), engine, tmp_path)


def lines(archive: zipfile.ZipFile, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in archive.read(name).splitlines()]


def whole(archive: zipfile.ZipFile) -> str:
    return "\n".join(archive.read(name).decode() for name in archive.namelist())


async def named(parted: Parted, name: str) -> str:
    found = await parted.memory.entities.list(name=name.split()[0])
    return str(found[0].entity_id)


async def test_a_node_comes_with_all_that_lies_below_it_and_nothing_beside(parted: Parted) -> None:
    archive = await parted.export("node", parted.node_id)
    assert [one["name"] for one in lines(archive, "nodes.jsonl")] == ["Boats", "Old boats"]
    records = lines(archive, "records.jsonl")
    assert {one["title"] for one in records} == {"Iltis"} and len(records) > 1, "the state before the change, too"
    assert {"A repair in May."} < {one["summary"] for one in records}
    assert any("Iltis" in one["content"] for one in lines(archive, "items.jsonl"))
    assert [one["source_id"] for one in lines(archive, "inputs.jsonl")] == ["text:iltis"]
    entities = {one["name"] for one in lines(archive, "graph/entities.jsonl")}
    assert {"Dave Kowalski", "Harlan Joinery"} <= entities and "Teresa Lund" not in entities
    [relation] = lines(archive, "graph/relations.jsonl")
    evidence = lines(archive, "graph/evidence.jsonl")
    assert relation["properties"]["relation_id"] in {one["properties"]["relation_id"] for one in evidence}
    ids = {one["entity_id"] for one in lines(archive, "graph/entities.jsonl")}
    assert {relation["from"], relation["to"]} <= ids and {
        one["to"] for one in lines(archive, "graph/mentions.jsonl")
    } <= ids
    assert {one["from"] for one in lines(archive, "graph/tree.jsonl")} == {parted.node_id}
    assert any(ILTIS.encode() in archive.read(name) for name in archive.namelist() if name.startswith("files/"))
    assert "walnut" not in whole(archive) and "Kitchen" not in whole(archive) and "Teresa" not in whole(archive)


async def test_a_source_comes_with_its_records_and_their_changes(parted: Parted) -> None:
    archive = await parted.export("source", "iltis")
    assert {one["title"] for one in lines(archive, "records.jsonl")} == {"Iltis"}
    assert [one["name"] for one in lines(archive, "nodes.jsonl")] == ["Old boats"]
    assert any("A repair in May." in json.dumps(one) for one in lines(archive, "deltas.jsonl"))
    assert [one["source_id"] for one in lines(archive, "sources.jsonl")] == ["text:iltis"]
    assert "walnut" not in whole(archive) and "Teresa" not in whole(archive) and "Kitchen" not in whole(archive)


async def test_a_conversation_comes_with_its_turns_stored_or_not(parted: Parted) -> None:
    talks = parted.memory.conversations
    await talks.append("talk", StreamedTurn("Bob", "Dave sails on Sundays."), StreamedTurn("Bob", "It rains."))
    waiting = await parted.export("source", "talk")
    assert [one["content"] for one in lines(waiting, "conversation_turns.jsonl")] == [
        "Dave sails on Sundays.",
        "It rains.",
    ]
    assert not lines(waiting, "records.jsonl") and "walnut" not in whole(waiting)
    await talks.end("talk")
    stored = await parted.export("source", "talk")
    assert len(lines(stored, "records.jsonl")) == len(lines(stored, "conversations.jsonl")) == 1
    assert len(lines(stored, "conversation_turns.jsonl")) == 2 and lines(stored, "sources.jsonl")
    assert "walnut" not in whole(stored) and "Iltis" not in whole(stored)


async def test_an_entity_comes_with_what_is_said_of_it(parted: Parted) -> None:
    await parted.memory.records.remember_text("Both", f"{ILTIS} {CAKE}", node_id=parted.user.user_id, source_id="both")
    archive = await parted.export("entity", await named(parted, "Teresa Lund"))
    assert {one["title"] for one in lines(archive, "records.jsonl")} == {"Cake", "Both"}
    entities = {one["name"] for one in lines(archive, "graph/entities.jsonl")}
    assert "Teresa Lund" in entities and not {"Dave Kowalski", "Harlan Joinery"} & entities
    assert (
        lines(archive, "graph/mentions.jsonl") and "teresa lund" in archive.read("graph/aliases.jsonl").decode().lower()
    )
    assert len(lines(archive, "graph/relations.jsonl")) == 1, "where she lives"


@pytest.mark.parametrize("kind", ["node", "source", "entity"])
async def test_a_part_of_another_user_or_of_none_is_missing(parted: Parted, engine: Engine, kind: PartKind) -> None:
    other = await engine.workspace.users.create(f"o{uuid4().hex[:12]}", "Other")
    of = {"node": parted.node_id, "source": "iltis", "entity": await named(parted, "Dave Kowalski")}
    for user_id, one in ((other.user_id, of[kind]), (parted.user.user_id, str(uuid4()))):
        with pytest.raises(NotFound):
            await engine.archives.export_part(user_id, ArchivePart(kind, one), parted.folder / "none.zip")
    assert not (parted.folder / "none.zip").exists()


async def test_what_is_no_part_is_refused_and_a_part_is_not_imported(parted: Parted, engine: Engine) -> None:
    for kind, one in (("node", "Boats"), ("entity", "Dave"), ("node", str(parted.user.user_id))):
        with pytest.raises(InvalidInput):
            await engine.archives.export_part(parted.user.user_id, ArchivePart(kind, one), parted.folder / "none.zip")  # type: ignore[arg-type]
    path = Path((await parted.export("node", parted.node_id)).filename or "")
    with pytest.raises(ArchiveError, match="part"):
        await engine.archives.restore(path)
