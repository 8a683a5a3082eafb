"""`neurigraph replay …`, as a person types it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from engine.neurigraph import Engine
from tests.commands import typed


@pytest.mark.ledger("X04", "U05")
async def test_a_replay_is_built_compared_and_swapped(engine: Engine, tmp_path: Path) -> None:
    user = await engine.workspace.users.create(f"replay-{tmp_path.name}"[:60])
    await engine.memory(user.user_id).records.remember_text("Tools", "The saw is blunt.")
    run = partial(typed, engine, tmp_path, user.handle, "replay")
    assert (await run("list")).stdout.strip() == "No replays yet."
    built = await run()
    assert built.returncode == 0 and "built: 1 record, 0 with differences" in built.stdout, built.stderr
    [one] = json.loads((await run("list", "--json")).stdout)["replays"]
    assert one["state"] == "built"
    gone = await run("discard", one["replay_id"])
    assert gone.returncode == 0 and gone.stdout.startswith("discarded: 1 record,"), gone.stderr
    assert (await run("swap", one["replay_id"])).returncode == 1
    done = json.loads((await run("--swap", "--json")).stdout)
    assert (done["replay"]["state"], done["changed"]) == ("swapped", 0)
