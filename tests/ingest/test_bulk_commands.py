"""`neurigraph export` and `import`, as a person types them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE
from functools import partial
from pathlib import Path

import pytest

from engine.domain.node import NewNode
from engine.neurigraph import Engine
from tests.clean_environment import CLEAN
from tests.commands import typed


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
    assert (tmp_path / "all.ndjson").stat().st_mode & 0o777 == 0o600
    assert [json.loads(line).get("source_id") for line in lines] == ["lease", "elm", None]
    run = partial(typed, engine, tmp_path, other)
    first = await run("import", "all.ndjson", "--json")
    counts = {"lines": 2, "stored": 2, "skipped": 0, "failed": 0, "forgotten": 0}
    assert json.loads(first.stdout) == counts | {"failures": []}, first.stderr
    again = await run("import", "-", stdin="\n".join([*lines, "{not json"]))
    assert again.returncode == 1 and again.stdout.startswith(
        "3 lines: 0 stored, 2 skipped, 1 failed, 0 forgotten\nline 4: "
    ), again.stderr
    assert (await run("export", "-")).stdout.splitlines() == lines
    missing = await run("export", "nowhere/all.ndjson")
    assert missing.returncode == 1 and "cannot be written" in missing.stderr
    assert "cannot be read" in (await run("import", "none.ndjson")).stderr


@pytest.mark.ledger("U05")
async def test_a_line_for_a_node_that_may_not_be_written_fails_alone(engine: Engine, tmp_path: Path) -> None:
    user, other = [await engine.workspace.users.create(f"bulk-{n}-{tmp_path.name}"[:60]) for n in range(2)]
    archived = await engine.memory(user.user_id).nodes.provision(NewNode(user.user_id, "Old"))
    await engine.memory(user.user_id).nodes.archive(archived.node_id)
    nodes = [None, other.user_id, archived.node_id, None]
    lines = [
        {"text": f"Text {number}."} | ({"node_id": str(node)} if node else {}) for number, node in enumerate(nodes)
    ]
    file = "\n".join(map(json.dumps, lines))
    done = await typed(engine, tmp_path, user.handle, "import", "-", stdin=file)
    said = "There is no such node."
    assert done.stdout == f"4 lines: 2 stored, 0 skipped, 2 failed, 0 forgotten\nline 2: {said}\nline 3: {said}\n", (
        done.stderr
    )


async def test_an_export_replaces_no_device_and_a_reader_that_leaves_is_no_error_to_speak_of(
    engine: Engine, tmp_path: Path
) -> None:
    user = await engine.workspace.users.create(f"dev-{tmp_path.name}"[:60])
    await engine.memory(user.user_id).records.remember_text("Elm", "Elm is a hard wood.")
    link, place = tmp_path / "null", Path("/dev/null")
    link.symlink_to(place)
    done = await typed(engine, tmp_path, user.handle, "export", "null")
    assert done.returncode == 0 and link.is_symlink() and place.is_char_device(), done.stderr  # noqa: ASYNC240
    home, cache = str(engine.settings.home), str(engine.settings.cache)
    run = [sys.executable, "-m", "engine.cli", "--home", home, "--cache", cache, "export", "-", "--user", user.handle]
    reader, writer = os.pipe()
    os.close(reader)
    left = await asyncio.create_subprocess_exec(
        *run, stdout=writer, stderr=PIPE, env=CLEAN | {"NEURIGRAPH_WORKSPACE": "tests"}
    )
    os.close(writer)
    _, said = await left.communicate()
    assert left.returncode == 1 and b"standard output" not in said and b"Traceback" not in said
