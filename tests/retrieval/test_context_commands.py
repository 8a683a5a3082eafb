"""`context` and `ask --answer` in the shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import User
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.clean_environment import CLEAN
from tests.hierarchy.test_graph_commands import Shell
from tests.model_server import ModelServer

QUESTION = "What is our boat called?"
TALK = (Turn("Bob", "What is our boat called again?"), Turn("Iris", "It is called Second Coat, and it leaks."))


@pytest.mark.ledger("X14", "U05")
async def test_a_context_is_printed_and_a_question_answered(
    engine: Engine, user: User, memory: Memory, tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = Shell(engine, tmp_path, user.handle)
    await memory.records.remember(Conversation("c", TALK, "A call"))
    printed = await shell.prints("context", QUESTION, "--tokens", "300")
    assert (
        printed.startswith("<memory ") and "\n[2] Iris: It is called Second Coat, and it leaks.\n</memory " in printed
    )
    given = await shell.answers("context", QUESTION, "--max-ms", "60000", "--partial")
    assert [piece["mark"] for piece in given["pieces"]] == [1, 2] and given["tokens"] <= 2000
    assert "NEURIGRAPH_LANGUAGE_MODEL" in await shell.refuses("ask", QUESTION, "--answer")
    service = {"NEURIGRAPH_LANGUAGE_MODEL": "openai:small", "OPENAI_API_KEY": "key", "OPENAI_BASE_URL": server.openai}
    for name, value in service.items():
        monkeypatch.setitem(CLEAN, name, value)
    server.reply = lambda _: {"answer": "Second Coat [2].", "citations": [2]}
    answered = await shell.prints("ask", QUESTION, "--answer")
    assert answered.startswith("Second Coat [2].") and "[2] A call · " in answered and "Iris" in answered
    server.reply = lambda _: {"answer": "Nemo.", "citations": []}
    refused = await shell.answers("ask", QUESTION, "--answer")
    assert refused["refused"] and refused["citations"] == []
