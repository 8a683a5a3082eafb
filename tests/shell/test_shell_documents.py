"""Documents, resources and events with the real command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.domain.node import User
from engine.neurigraph import Engine
from tests.commands import typed


@pytest.mark.ledger("F02", "M01", "A02")
async def test_a_changed_file_is_taken_in_as_a_new_version(engine: Engine, user: User, tmp_path: Path) -> None:
    async def run(*arguments: str) -> bytes:
        done = await typed(engine, tmp_path, user.handle, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout.encode()

    async def answer(*arguments: str) -> dict:
        return json.loads(await run(*arguments, "--json"))

    paper = tmp_path / "paper.md"
    old = b"# Boat\r\n\r\nThe hull leaks.\r\n\r\n# Lease\r\n\r\nIt ends in May.\r\n"
    paper.write_bytes(old)
    await run("ingest", str(paper))
    paper.write_bytes(old.replace(b"May", b"June"))
    report = (await answer("ingest", str(paper)))["histories"][0]["report"]
    assert [(one["version"], one["kept"], one["added"]) for one in report["documents"]] == [(2, 1, 1)]
    document = (await answer("document", "list"))["documents"][0]["document_id"]
    assert [one["version"] for one in (await answer("document", "versions", document))["versions"]] == [1, 2]
    assert await run("document", "show", document, "--version", "1") == old
    assert await run("document", "show", document) == paper.read_bytes()
    assert [one["section"] for one in (await answer("document", "chunks", document))["chunks"]] == ["Boat", "Lease"]
    assert b"superseded" in await run("document", "versions", document)
    resources = (await answer("resource", "list"))["resources"]
    assert await run("resource", "show", resources[1]["resource_id"]) == old
    written = await answer("event", "write", "call", "Dave called.", "--emotion", "joy", "--intensity", "0.7")
    assert await answer("event", "list") == {"events": [written]}
    assert b"joy 0.7" in await run("event", "list")
