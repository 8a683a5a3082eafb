"""`neurigraph export` and `import`, as a person types them."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from engine.neurigraph import Engine
from tests.flows.commands import typed


@pytest.mark.ledger("U05")
async def test_what_is_exported_is_imported(engine: Engine, tmp_path: Path) -> None:
    user = await engine.workspace.users.create(f"bulk-{tmp_path.name}"[:60])
    other = f"{user.handle}-2"
    memory = engine.memory(user.user_id)
    await memory.records.remember_text("Lease", "The lease ends in June.", source_id="lease")
    await memory.records.remember_text("Elm", "Elm is a hard wood.", source_id="elm", privacy="private")
    out = await typed(engine, tmp_path, user.handle, "export", "all.ndjson")
    assert out.returncode == 0 and out.stdout.startswith("all.ndjson: 2 lines, 0 failed"), out.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["all.ndjson"]  # noqa: ASYNC240
    lines = (tmp_path / "all.ndjson").read_text().splitlines()
    assert [json.loads(line).get("source_id") for line in lines] == ["lease", "elm", None]
    run = partial(typed, engine, tmp_path, other)
    first = await run("import", "all.ndjson", "--json")
    assert json.loads(first.stdout) == {"lines": 3, "stored": 2, "skipped": 1, "failed": 0, "failures": []}, (
        first.stderr
    )
    again = await run("import", "-", stdin="\n".join([*lines, "{not json"]))
    assert again.returncode == 1 and again.stdout.startswith("4 lines: 0 stored, 3 skipped, 1 failed\nline 4: "), (
        again.stderr
    )
    assert (await run("export", "-")).stdout.splitlines() == lines
    missing = await run("export", "nowhere/all.ndjson")
    assert missing.returncode == 1 and "cannot be written" in missing.stderr
    assert "cannot be read" in (await run("import", "none.ndjson")).stderr
