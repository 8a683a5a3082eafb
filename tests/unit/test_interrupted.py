"""Ctrl-C while a command starts or ends: one word, exit code 130, no traceback."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clean_environment import CLEAN


@pytest.mark.ledger("U05")
@pytest.mark.parametrize("loaded", ["rich.console", "engine.settings"])
def test_ctrl_c_while_the_command_is_loaded_is_no_error(tmp_path: Path, loaded: str) -> None:
    """Python names each module that it has imported: the signal comes while the commands are."""
    command = [
        sys.executable,
        "-X",
        "importtime",
        "-m",
        "engine.cli",
        "--home",
        str(tmp_path),
        "ingest",
        "notes",
        "--json",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=CLEAN)
    assert process.stderr is not None
    while process.stderr.readline().split("|")[-1].strip() != loaded:
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    answer, printed = process.communicate(timeout=30)
    said = [line for line in printed.splitlines() if not line.startswith("import time:")]
    assert (process.returncode, said, json.loads(answer)) == (130, ["Interrupted."], {"error": "Interrupted."})
