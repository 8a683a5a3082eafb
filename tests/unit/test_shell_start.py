"""What the shell loads before a command runs: no engine, which takes a second; and completion, which runs at each Tab."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.ledger("U05")


def test_commands_are_known_without_loading_the_engine() -> None:
    names = "engine.memory engine.neurigraph engine.ingest.pipeline engine.retrieval.pipeline minio onnxruntime"
    loaded = (
        f"import sys; import engine.shell.application; print([one for one in {names.split()} if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("words", "found"), [("neurigraph ent", ["entity"]), ("neurigraph entity re", ["relations", "review"])]
)
def test_commands_are_completed(words: str, found: list[str]) -> None:
    asked = {"_NEURIGRAPH_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    command = [sys.executable, "-c", "from engine.cli import main; import sys; sys.argv[0] = 'neurigraph'; main()"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ | asked)
    assert done.stdout.split() == found, done.stderr
