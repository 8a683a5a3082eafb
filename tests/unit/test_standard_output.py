"""Results that cannot be written: one sentence and exit code 1, a reader that left is no error to speak of; files are whole or as they were."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import InvalidInput
from engine.shell.plain_json import write_json
from tests.clean_environment import CLEAN
from tests.small_disk import mounted

COMMANDS = (("cypher",), ("cypher", "--json"), ("status",), ("--help",), ("job", "--help"))


def run(home: Path, *arguments: str, out: int) -> tuple[int, str]:
    command = [sys.executable, "-m", "engine.cli", "--home", str(home), *arguments]
    done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, text=True, env=CLEAN, check=False, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.ledger("U05")
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_output_that_has_no_room_or_no_reader_ends_the_command(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        said = run(tmp_path, *arguments, out=full.fileno())
    assert said == (1, "standard output: No space left on device.\n")
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert run(tmp_path, *arguments, out=writer) == (1, "")
    finally:
        os.close(writer)


@pytest.mark.ledger("U05")
def test_an_input_that_is_closed_is_empty(tmp_path: Path) -> None:
    command = f"exec {sys.executable} -m engine.cli --home {tmp_path} record conversation talk <&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=CLEAN, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (1, "There are no turns to store.\n")


@pytest.mark.ledger("U05")
def test_a_file_for_which_there_is_no_room_stays_as_it_was(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "64k") as small_disk:
        written_whole(small_disk)


def written_whole(small_disk: Path) -> None:
    file = small_disk / "out.json"
    write_json(file, {"first": True})
    before = file.read_bytes()
    for target in (file, small_disk / "new.json"):
        with pytest.raises(InvalidInput, match=r"cannot be written: No space left"):
            write_json(target, "x" * 100_000)
    assert [one.name for one in small_disk.iterdir()] == ["out.json"] and file.read_bytes() == before


def test_a_link_and_the_mode_of_a_file_stay_and_a_device_is_not_replaced(tmp_path: Path) -> None:
    file, link = tmp_path / "out.json", tmp_path / "link"
    file.touch(0o600)
    link.symlink_to(file)
    write_json(link, 1)
    assert link.is_symlink() and file.read_text() == "1\n" and file.stat().st_mode & 0o777 == 0o600
    write_json(Path("/dev/null"), 1)
    assert Path("/dev/null").is_char_device()
    with pytest.raises(InvalidInput, match="No space left"):
        write_json(Path("/dev/full"), 1)
