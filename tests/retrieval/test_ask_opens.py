"""`ask --open`: which hit's file was opened, and an answer that stays where the file is damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import User
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.commands import typed

QUESTION = "What is the rose by the gate called?"


@pytest.mark.ledger("N25", "U05")
async def test_it_names_the_hit_and_keeps_the_answer_when_the_file_is_damaged(
    engine: Engine, memory: Memory, user: User, tmp_path: Path
) -> None:
    said = Turn("Ann", "The rose by the gate is called Gertrude.")
    await memory.records.remember(Conversation("garden", (said,)), node_id=user.user_id)
    objects = engine.settings.home / "objects"
    before = {path for path in objects.rglob("*") if path.is_file()}
    note = tmp_path / "soil.md"
    note.write_text("# Soil\n\nCompost for the beds, and for each rose a handful of bone meal.\n", encoding="utf-8")
    assert (await typed(engine, tmp_path, user.handle, "ingest", str(note))).returncode == 0

    opened = await typed(engine, tmp_path, user.handle, "ask", QUESTION, "--open")
    assert opened.returncode == 0, opened.stderr
    assert "Gertrude" in opened.stdout and "bone meal" in opened.stdout
    assert "of hit 2" in " ".join(opened.stdout.split()) and "soil.md" in opened.stdout

    for path in {path for path in objects.rglob("*") if path.is_file()} - before:  # the copy that was opened, too
        path.write_bytes(b"not what was stored")
    damaged = await typed(engine, tmp_path, user.handle, "ask", QUESTION, "--open")
    assert damaged.returncode == 1 and "Gertrude" in damaged.stdout
    assert "soil.md" in damaged.stderr and "doctor --deep" in damaged.stderr and "Traceback" not in damaged.stderr
