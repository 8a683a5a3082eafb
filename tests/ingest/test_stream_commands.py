"""`neurigraph conversation …` and `occasion`, as a person types them."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from engine.neurigraph import Engine
from tests.commands import typed

TURNS = [
    {"speaker": "Ann", "text": "Where did you catch the walleye?", "id": "t0", "role": "user"},
    {"speaker": "Bot", "text": "In Loon Lake.", "id": "t1", "role": "assistant", "at": "2025-03-01T18:00:00Z"},
]


@pytest.mark.ledger("N11", "N13", "U05")
async def test_turns_from_a_file_and_from_stdin(engine: Engine, tmp_path: Path) -> None:
    user = await engine.workspace.users.create(f"shell-{tmp_path.name}"[:60])
    run = partial(typed, engine, tmp_path, user.handle)
    lines = "\n".join(json.dumps(turn) for turn in TURNS) + "\n\n"
    (tmp_path / "turns.jsonl").write_text(lines, encoding="utf-8")
    first = await run("conversation", "append", "c1", "turns.jsonl", "--title", "Fishing")
    assert first.returncode == 0 and first.stdout.startswith("c1: 2 turns appended; 2 in all"), first.stderr
    third = json.dumps({"speaker": "Ann", "text": "And then?", "id": "t2"})
    second = await run("conversation", "append", "c1", "--json", stdin=lines + third)
    assert json.loads(second.stdout)["turns"] == 3, second.stderr
    wrong = await run("conversation", "append", "c1", stdin=third + "\nnot json\n")
    assert wrong.returncode == 1 and "Line 2 is not JSON" in wrong.stderr and "Traceback" not in wrong.stderr
    assert [state["conversation_id"] for state in json.loads((await run("conversation", "list", "--json")).stdout)] == [
        "c1"
    ]
    assert json.loads((await run("conversation", "show", "c1", "--json")).stdout)["waiting"] == 3
    ended = await run("conversation", "end", "c1")
    assert ended.stdout.startswith("c1: 3 turns into 1 record;"), ended.stderr
    assert (await run("conversation", "list")).stdout.strip() == "No open conversations."
    result = await run("occasion", "call", "Price", "--start", "2025-03-01T18:00", "--with", "Ann", stdin="We agreed.")
    assert result.returncode == 0 and result.stdout.strip().endswith(": Price"), result.stderr
    assert (await run("occasion", "party", "x", stdin="y")).returncode == 1
