"""Inputs that are no text: one bad file does not refuse a folder, and a wrong byte on stdin is named."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.domain.node import User
from engine.domain.search import SearchRequest
from engine.neurigraph import Engine
from tests.clean_environment import CLEAN
from tests.commands import typed


async def piped(engine: Engine, user: User, content: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    home, cache = str(engine.settings.home), str(engine.settings.cache)
    command = [sys.executable, "-m", "engine.cli", "--home", home, "--cache", cache, *arguments, "--user", user.handle]
    env = CLEAN | {"NEURIGRAPH_WORKSPACE": "tests"}
    return await asyncio.to_thread(subprocess.run, command, input=content, capture_output=True, env=env, timeout=120)


@pytest.mark.ledger("U05")
@pytest.mark.parametrize(
    ("arguments", "content", "place"),
    [
        (
            ("record", "write", "Menu"),
            "crème brûlée".encode("latin-1"),
            "stdin is not valid UTF-8: byte 2 (counted from 0) is 0xE8",
        ),
        (
            ("occasion", "meeting", "Menu"),
            "Zoë: ".encode() + b"\xff",
            "stdin is not valid UTF-8: byte 6 (counted from 0) is 0xFF",
        ),
        (
            ("record", "conversation", "c"),
            b'\n{"speaker": "Zo\xeb", "text": "x"}',
            "Line 2 is not valid UTF-8: byte 15",
        ),
    ],
)
async def test_a_wrong_byte_on_stdin_is_named_in_one_line(
    engine: Engine, user: User, arguments: tuple[str, ...], content: bytes, place: str
) -> None:
    done = await piped(engine, user, content, *arguments)
    assert done.returncode == 2 and not done.stdout
    (line,) = done.stderr.decode().strip().splitlines()
    assert line.startswith(place), line


@pytest.mark.ledger("U05")
@pytest.mark.parametrize("arguments", [("record", "write", "Menu", "-"), ("occasion", "meeting", "Menu", "-")])
async def test_a_hyphen_in_place_of_a_file_is_stdin(engine: Engine, user: User, arguments: tuple[str, ...]) -> None:
    done = await piped(engine, user, b"The soup of the day is borscht.", *arguments)
    assert done.returncode == 0, done.stderr
    [hit] = (await engine.memory(user.user_id).search(SearchRequest("borscht"))).hits
    assert "The soup of the day is borscht." in hit.content


@pytest.mark.ledger("U05")
def test_bytes_of_a_setting_that_are_no_utf8_are_told_with_its_name() -> None:
    env = {os.fsencode(name): os.fsencode(value) for name, value in CLEAN.items()}
    for name in (b"NEURIGRAPH_WORKSPACE", b"NEURIGRAPH_POSTGRES_URL", b"OPENAI_BASE_URL"):
        command = [sys.executable, "-m", "engine.cli", "user", "list"]
        done = subprocess.run(command, capture_output=True, env=env | {name: b"a\xff"}, timeout=120)
        assert done.returncode != 0 and not done.stdout
        assert done.stderr.decode().strip() == f"The setting {name.decode()} is invalid: It is not valid UTF-8."


@pytest.mark.ledger("U05")
async def test_a_folder_is_stored_without_its_bad_files(engine: Engine, user: User, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    (vault / "sub" / "deep").mkdir(parents=True)
    (vault / "a.md").write_text("The heron of Bergen needs paint.")
    (vault / "sub" / "deep" / "mia.png").write_bytes(b"\x89PNG\r\n")
    (vault / "sub" / "old.txt").write_bytes("für Mia".encode("latin-1"))
    done = await typed(engine, tmp_path, user.handle, "ingest", str(vault), "--nodes", "no")
    assert done.returncode == 1, done.stderr
    assert "passed over: sub/deep/mia.png: is not read here" in done.stdout
    assert "passed over: sub/old.txt: is not valid UTF-8: byte 1" in done.stdout and "1 file" in done.stdout
    again = await typed(engine, tmp_path, user.handle, "ingest", str(vault), "--nodes", "no", "--json")
    (history,) = json.loads(again.stdout)["histories"]
    assert [one["path"] for one in history["passed_over"]] == ["sub/deep/mia.png", "sub/old.txt"]
