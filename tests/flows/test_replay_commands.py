"""`neurigraph replay …`, as a person types it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.neurigraph import Engine
from tests.flows.test_shell import CLEAN


@pytest.mark.ledger("X04", "U05")
async def test_a_replay_is_built_compared_and_swapped(engine: Engine, tmp_path: Path) -> None:
    user = await engine.create_user(f"replay-{tmp_path.name}"[:60])
    await engine.memory(user.user_id).remember_text("Tools", "The saw is blunt.")
    command = [
        sys.executable, "-m", "engine.cli", "--home", str(engine.settings.home), "--cache", str(engine.settings.cache)
    ]  # fmt: skip

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, "replay", *arguments, "--user", user.handle], capture_output=True, text=True, timeout=120,
            cwd=tmp_path, env=CLEAN | {"NEURIGRAPH_WORKSPACE": "tests"},
        )  # fmt: skip

    assert run("list").stdout.strip() == "There is none yet."
    built = run()
    assert built.returncode == 0 and "built: 1 records, 0 come out otherwise" in built.stdout, built.stderr
    [one] = json.loads(run("list", "--json").stdout)["replays"]
    assert one["state"] == "built"
    gone = run("discard", one["replay_id"])
    assert gone.returncode == 0 and gone.stdout.startswith("discarded: 1 records"), gone.stderr
    assert run("swap", one["replay_id"]).returncode == 1
    done = json.loads(run("--swap", "--json").stdout)
    assert (done["replay"]["state"], done["changed"]) == ("swapped", 0)
