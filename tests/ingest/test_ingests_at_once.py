"""Ingests that meet, are stopped or fail: what they say is what became of it."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from engine.domain.history import Conversation, History, PlannedNode, Turn
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.clean_environment import CLEAN
from tests.commands import typed

CONVERSATIONS = tuple(
    Conversation(f"talk-{number}", tuple(Turn("Bob", f"Talk {number}, turn {turn}, of walleye.") for turn in range(40)))
    for number in range(18)
)


@pytest.mark.ledger("N15")
async def test_two_ingests_of_one_history_at_once_store_it_once_and_fail_nothing(engine: Engine, settings: Settings) -> None:  # fmt: skip
    history = History(f"i{uuid4().hex[:12]}", "Bob", CONVERSATIONS, nodes=(PlannedNode(("Fishing",)),))
    async with open_engine(settings, warming=False) as other:
        reports = await asyncio.gather(engine.ingest(history), other.ingest(history))
    skips = [skip for report in reports for skip in report.skipped]
    assert {skip.reason for skip in skips} <= {"Stored already."}
    assert sum(report.turns for report in reports) == 18 * 40
    memory = engine.memory((await engine.workspace.users.find(history.handle)).user_id)
    assert await memory.failures.list() == ()
    assert {session.state for session in await memory.ingests.list()} == {"done"}
    stored = [await memory.nodes.shell(node.node_id) for node in await memory.nodes.writable()]
    assert sum(shell.items for shell in stored) == 18 * 40


async def test_an_ingest_in_which_something_failed_exits_with_1(engine: Engine, tmp_path: Path) -> None:
    handle = f"i{uuid4().hex[:12]}"
    (tmp_path / "good.txt").write_text("A walleye was caught.", encoding="utf-8")
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\x00 not text \x00\x81")
    history = {
        "format": "neurigraph-history/1",
        "user": {"handle": handle},
        "files": [
            {"id": name, "path": f"{name}.txt", "content_type": "text/plain", "title": name} for name in ("good", "bad")
        ],
    }
    (tmp_path / "history.json").write_text(json.dumps(history), encoding="utf-8")
    result = await typed(engine, tmp_path, handle, "ingest", "history.json")
    assert result.returncode == 1 and "1 file" in result.stdout and "bad" in result.stdout, result
    (tmp_path / "bad.txt").write_text("Now it can be read.", encoding="utf-8")
    assert (await typed(engine, tmp_path, handle, "ingest", "history.json")).returncode == 0


@pytest.mark.ledger("N15")
async def test_ctrl_c_ends_a_large_ingest_and_says_how_to_go_on(engine: Engine, tmp_path: Path) -> None:
    """Each file alone is embedded for minutes, in a thread, which the end of a process waits for."""
    handle = f"i{uuid4().hex[:12]}"
    (tmp_path / "a small note.txt").write_text("A walleye was caught.", encoding="utf-8")
    sentence = (
        "The hives stand well, the honey of the {} week is capped, and the queen of hive {} was seen on the comb. "
    )
    long = "\n\n".join(sentence.format(number, number) * 8 for number in range(6000))
    (tmp_path / "long.txt").write_text(long, encoding="utf-8")
    home, cache = engine.settings.home, engine.settings.cache
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "engine.cli", "--home", str(home), "--cache", str(cache), "ingest", str(tmp_path), "--user", handle, "--json",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=CLEAN | {"NEURIGRAPH_WORKSPACE": "tests"},
    )  # fmt: skip
    try:
        memory = None
        while memory is None:  # until it is at work
            assert process.returncode is None, await process.communicate()
            await asyncio.sleep(0.2)
            found = [
                user for user in await engine.workspace.users.list(after=handle[:-1], limit=50) if user.handle == handle
            ]
            memory = engine.memory(found[0].user_id) if found else None
        await asyncio.sleep(5)
        process.send_signal(signal.SIGINT)
        answer, printed = (part.decode() for part in await asyncio.wait_for(process.communicate(), 60))
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 130, printed
    assert "Stopped." in printed and "goes on from there" in printed and "Traceback" not in printed
    [session] = await memory.ingests.list()
    assert session.state == "failed" and (session.failure or "").startswith("It was stopped before its end")
    assert json.loads(answer) == {"error": "Interrupted."}
