"""The file of MCP's memory server is imported: entities with what was observed, and relations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.domain.search import SearchRequest
from engine.domain.written import Line
from engine.ingest.mcp_memory import import_line
from engine.neurigraph import Engine
from tests.commands import typed

FILE: list[dict[str, Any]] = [
    {
        "type": "entity",
        "name": "Dave Harlan",
        "entityType": "person",
        "observations": ["Speaks Spanish", "Likes oysters"],
    },
    {"type": "entity", "name": "Ellen", "entityType": "", "observations": []},
    {"type": "relation", "from": "Dave Harlan", "to": "Ellen", "relationType": "is_married_to"},
]


def read(one: Any) -> Any:
    return json.loads(import_line(Line(1, json.dumps(one).encode())).content or b"")


def test_each_line_is_one_line_of_an_import() -> None:
    entity, bare, relation = map(read, FILE)
    assert entity["title"] == "Dave Harlan" and entity["source_id"] == "mcp-memory:entity:Dave Harlan"
    assert entity["text"] == "Dave Harlan: person\nDave Harlan: Speaks Spanish\nDave Harlan: Likes oysters"
    assert bare["text"] == "Ellen"
    assert relation["fact"] == {"text": "Dave Harlan is married to Ellen.", "about": ["Dave Harlan", "Ellen"]}


@pytest.mark.parametrize(
    "other",
    [
        b"{not json",
        b"[]",
        b'{"type": "entity"}',
        b'{"type": "entity", "name": " "}',
        b'{"type": "x"}',
        b'{"text": "A"}',
    ],
)
def test_what_is_no_such_line_stays_as_it_is(other: bytes) -> None:
    assert import_line(Line(7, other)) == Line(7, other)
    assert import_line(Line(7, None)) == Line(7, None)


def test_long_names_have_short_ids_of_their_own() -> None:
    ids = {read({"type": "entity", "name": "é" * 400 + end})["source_id"] for end in "ab"}
    assert len(ids) == 2 and all(len(one) <= 400 for one in ids)


@pytest.mark.ledger("F13")
async def test_it_is_imported_once(engine: Engine, tmp_path: Path) -> None:
    user = await engine.workspace.users.create(f"mcp-{tmp_path.name}"[:60])
    (tmp_path / "memory.json").write_text("\n".join(map(json.dumps, FILE)) + "\n{}\n")
    given = ("import", "memory.json", "--format", "mcp-memory", "--json")
    for stored, skipped in ((3, 0), (0, 3)):
        done = await typed(engine, tmp_path, user.handle, *given)
        report = json.loads(done.stdout)
        assert (report["stored"], report["skipped"], report["failed"]) == (stored, skipped, 1), done.stderr
        assert [one["number"] for one in report["failures"]] == [4]
    memory = engine.memory(user.user_id)
    hits = (await memory.search(SearchRequest("Which language does Dave speak?"))).hits
    assert "Speaks Spanish" in hits[0].content
    assert [fact.text for fact in await memory.facts.list()] == ["Dave Harlan is married to Ellen."]
