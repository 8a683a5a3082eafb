"""The statements for analysts give what their headers show, on the bundled history; and find what it has none of."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from engine.connectors import read_history
from engine.demo.script import HISTORY
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.progress import Silent

Row = dict[str, Any]
FOLDER = Path(__file__).resolve().parents[2] / "cypher" / "analysis"
STATEMENTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.cypher"))}
_GIVEN = re.compile(r'(\w+) ("[^"]*"|\d+)[,:]')


async def rows(engine: Engine, memory: Memory, name: str, **given: Any) -> list[Row]:
    user_id = str(memory.principal.user_id)
    return await engine.neo4j.read(STATEMENTS[name], user_id=user_id, **given)  # type: ignore[arg-type]


def shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(shown, value))
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def table(found: list[Row]) -> str:
    """As it stands in a header."""
    if not found:
        return "//   none\n"
    lines = [list(found[0]), *([shown(value) for value in row.values()] for row in found)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    padded = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    return "".join(f"//   {line.rstrip()}\n" for line in padded)


def header(text: str) -> tuple[dict[str, Any], str]:
    """The parameters of a statement's example, and the table below it."""
    before, line, after = re.split(r"(^// Result on .*\n)", text, flags=re.MULTILINE)
    given = {name: json.loads(value) for name, value in _GIVEN.findall(line)}
    return given, "".join(one for one in after.splitlines(keepends=True) if one.startswith("//   "))


@pytest.fixture(scope="module")
async def bob(engine: Engine) -> Memory:
    """Whoever has the bundled history, with one merge."""
    [history] = await read_history(HISTORY, max_text_bytes=1 << 20, progress=Silent())
    report = await engine.ingest(replace(history, handle=f"bob-{uuid4().hex[:12]}"))
    memory = engine.memory(report.user_id)
    diner, short = [(await memory.entities.list(name=name))[0] for name in ("lindy's", "lindy")]
    await memory.entities.merge(diner.entity_id, short.entity_id, "the same place")
    return memory


def test_there_are_ten() -> None:
    assert len(STATEMENTS) == 10
    for name, text in STATEMENTS.items():
        assert "$user_id" in text and "// Purpose: " in text and "// Parameters: " in text and "// Returns: " in text, (
            name
        )


PLACED = "d988a9e5e137"
"""Where the offline encoder places the bundled history. Its arithmetic is the processor's, and some turns lie between two nodes."""


async def placed(engine: Engine, memory: Memory) -> str:
    lines = await engine.neo4j.read(
        "MATCH (n:Node {user_id: $user})-[:HOLDS]->(r:Record) RETURN n.name + ' ' + r.title + ' ' + r.items AS line",
        row=str,
        user=str(memory.principal.user_id),
    )
    return sha256("\n".join(sorted(lines)).encode()).hexdigest()[:12]


@pytest.mark.parametrize("name", STATEMENTS)
async def test_a_header_shows_what_comes_out(engine: Engine, bob: Memory, name: str) -> None:
    given, expected = header(STATEMENTS[name])
    found = table(await rows(engine, bob, name, **given))
    if found != expected and (there := await placed(engine, bob)) != PLACED:
        pytest.skip(f"On this processor turns are placed otherwise ({there}).")
    assert found == expected


async def test_two_homes_said_on_the_same_day_are_a_contradiction(engine: Engine, memory: Memory) -> None:
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    at = datetime(2025, 5, 1, tzinfo=UTC)
    turns = [Turn("Bob", f"Teresa Vang lives in {town}.", at) for town in ("Galway", "Lunenburg")]
    await memory.records.remember(Conversation("c1", tuple(turns)), node_id=node.node_id)
    [found] = await rows(engine, memory, "contradictions")
    assert (found["source"], {found["target"], found["other"]}) == ("Teresa Vang", {"Galway", "Lunenburg"})


async def test_two_spouses_are_a_contradiction_until_one_relation_is_set_aside(engine: Engine, memory: Memory) -> None:
    """Whichever way their relations point; a relation that is set aside connects no entities."""
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    at = datetime(2025, 5, 1, tzinfo=UTC)
    texts = ("Walter Vang is married to Teresa Brown.", "Nora Dunn is married to Walter Vang.")
    turns = tuple(Turn("Bob", text, at) for text in texts)
    await memory.records.remember(Conversation("c1", turns), node_id=node.node_id)
    [found] = await rows(engine, memory, "contradictions")
    assert (found["source"], {found["target"], found["other"]}) == ("Walter Vang", {"Teresa Brown", "Nora Dunn"})
    [nora] = await memory.entities.list(name="Nora")
    [married] = await memory.entities.relations(nora.entity_id)
    await memory.entities.archive_relation(married.relation_id, "another Walter")
    assert await rows(engine, memory, "contradictions") == []
    [strongest] = await rows(engine, memory, "strongest", limit=9)
    assert {strongest["source"], strongest["target"]} == {"Walter Vang", "Teresa Brown"}
    between = await rows(engine, memory, "connections", entity="Nora Dunn", other="Walter Vang", limit=9)
    assert "relations" not in {one["how"] for one in between}
    changed = await rows(engine, memory, "changes", entity="Nora Dunn", **{"from": "2025-05-01", "to": "2025-06-01"})
    assert [one["change"] for one in changed] == ["first mentioned at"]


async def test_whom_a_new_version_leaves_out_has_no_evidence(engine: Engine, memory: Memory) -> None:
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    for name in ("Arne Gunderson", "Teresa Vang"):
        text = f"The lease names {name}.\n\n" + "The workshop is at Mill Street. " * 40
        await memory.records.remember_text("The lease", text, source_id="lease", node_id=node.node_id)
    [found] = await rows(engine, memory, "unsupported")
    assert (found["name"], found["relations"], found["was_in"]) == ("Arne Gunderson", 0, 1)
