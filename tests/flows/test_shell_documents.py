"""Documents, resources and events with the real command, on a home of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.clean_environment import CLEAN
from tests.processes import run_module


@pytest.mark.ledger("F02", "M01", "A02")
def test_a_changed_file_is_taken_in_as_a_new_version(tmp_path: Path, cache: Path) -> None:
    place = ("--home", str(tmp_path / "home"), "--cache", str(cache))

    def run(*arguments: str) -> bytes:
        done = run_module("engine.cli", *place, *arguments, folder=tmp_path, env=CLEAN, timeout=170)
        assert done.returncode == 0, done.stderr
        return done.stdout.encode()

    def answer(*arguments: str) -> dict:
        return json.loads(run(*arguments, "--json"))

    run("up")
    try:
        paper = tmp_path / "paper.md"
        old = b"# Boat\r\n\r\nThe hull leaks.\r\n\r\n# Lease\r\n\r\nIt ends in May.\r\n"
        paper.write_bytes(old)
        run("ingest", str(paper), "--user", "bob")
        paper.write_bytes(old.replace(b"May", b"June"))
        report = answer("ingest", str(paper), "--user", "bob")["histories"][0]["report"]
        assert [(one["version"], one["kept"], one["added"]) for one in report["documents"]] == [(2, 1, 1)]
        document = answer("document", "list")["documents"][0]["document_id"]
        assert [one["version"] for one in answer("document", "versions", document)["versions"]] == [1, 2]
        assert run("document", "show", document, "--version", "1") == old
        assert run("document", "show", document) == paper.read_bytes()
        assert [one["section"] for one in answer("document", "chunks", document)["chunks"]] == ["Boat", "Lease"]
        assert b"superseded" in run("document", "versions", document)
        resources = answer("resource", "list")["resources"]
        assert run("resource", "show", resources[1]["resource_id"]) == old
        written = answer("event", "write", "call", "Dave called.", "--emotion", "joy", "--intensity", "0.7")
        assert answer("event", "list") == {"events": [written]}
        assert b"joy 0.7" in run("event", "list")
    finally:
        run("down")
