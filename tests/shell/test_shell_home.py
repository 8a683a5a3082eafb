"""The command in a home of its own: what starts its servers, ends them and copies them."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.commands import Run, command_line, commands_on, sentence, started
from tests.small_disk import mounted


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> list[str]:
    return command_line(tmp_path_factory.mktemp("shell") / "a home", cache)


@pytest.fixture(scope="module")
def run(command: list[str], tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Run:
    return commands_on(Path(command[command.index("--home") + 1]), cache, tmp_path_factory.mktemp("elsewhere"))


@pytest.fixture(scope="module")
def kept(run: Run) -> Iterator[subprocess.CompletedProcess[str]]:
    """A new home with its servers kept running."""
    yield run("up")
    preloaded = [pid for name, pid in servers(run) if name == "commands"]
    run("down")
    deadline = time.monotonic() + 60
    while any(psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE for pid in preloaded):
        assert time.monotonic() < deadline, "what `up` left running ends with the servers"
        time.sleep(0.2)


def servers(run: Run) -> list[tuple[str, int]]:
    return [(server["name"], server["pid"]) for server in json.loads(run("status", "--json").stdout)["servers"]]


def test_up_says_how_to_reach_each_door_and_keeps_the_passwords(
    kept: subprocess.CompletedProcess[str], command: list[str], run: Run
) -> None:
    assert kept.returncode == 0, kept.stderr
    secrets = json.loads((Path(command[command.index("--home") + 1]) / "secrets.json").read_text())
    assert all(word in kept.stdout for word in ("bolt://", "psql -h", "secrets.json", "neurigraph serve"))
    assert not any(secret in kept.stdout + kept.stderr for secret in secrets.values())
    shown = run("up", "--show-secrets").stdout
    assert secrets["neo4j"] in shown and secrets["owner"] in shown
    state = json.loads(run("status", "--json").stdout)
    assert state["kept"] and {server["name"] for server in state["servers"]} >= {"neo4j", "postgres"}


@pytest.mark.usefixtures("kept")
@pytest.mark.ledger("U07")
def test_down_is_refused_while_a_process_uses_the_servers(run: Run, command: list[str]) -> None:
    process = started(command, "serve", "--port", "0")
    try:
        assert process.stdout is not None and process.stdout.readline().startswith("REST at")
        named = f"neurigraph serve (process {process.pid})"
        assert named in sentence(run("down"))
        assert named in run("status").stdout
        assert json.loads(run("status", "--json").stdout)["running"]
    finally:
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in complaint, complaint


@pytest.mark.usefixtures("kept")
@pytest.mark.ledger("X12", "U05")
def test_a_backup_without_room_says_so_and_the_servers_run_again(run: Run, tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "20m") as disk:
        assert re.search(
            r"cannot be copied to .*: No space left on device\.$", sentence(run("backup", str(disk / "b")))
        )
        assert not (disk / "b").exists()
    state = json.loads(run("status", "--json").stdout)
    assert state["kept"] and {server["name"] for server in state["servers"]} >= {"neo4j", "postgres"}


@pytest.mark.long
@pytest.mark.ledger("U05", "U07")
def test_a_demo_alone_starts_the_servers_of_a_new_home_and_ends_them(run: Run, tmp_path: Path) -> None:
    home = ("--home", str(tmp_path / "new"))
    shown = run(*home, "demo")
    assert shown.returncode == 0 and "22 of 22 expectations were met." in shown.stdout, shown.stderr
    deadline = time.monotonic() + 60
    while (state := json.loads(run(*home, "status", "--json").stdout))["running"]:
        assert time.monotonic() < deadline, state
        time.sleep(1)


@pytest.mark.ledger("X12")
def test_stores_are_not_adopted_by_a_dry_run(run: Run, command: list[str], tmp_path: Path) -> None:
    """Adopting marks stores when the engine opens: the two are refused together before anything is opened."""
    home = tmp_path / "untouched"
    refused = run("--home", str(home), "mend", "--adopt", "--dry-run")
    assert refused.returncode == 2 and "--adopt" in refused.stderr and "dry run" in refused.stderr
    assert not home.exists()


def test_up_leaves_a_server_for_commands_which_is_there_again_after_a_backup(
    kept: subprocess.CompletedProcess[str], run: Run, tmp_path: Path
) -> None:
    """The last of this file: it would carry out what later commands call."""
    loaded = {"NEURIGRAPH_PRELOAD": "true"}

    def another(than: int | None) -> int:
        deadline = time.monotonic() + 60
        while (found := dict(servers(run)).get("commands")) in (None, than):
            assert time.monotonic() < deadline
            time.sleep(0.2)
        return int(found or 0)

    assert "commands" not in dict(servers(run))
    assert run("up", **loaded).returncode == 0
    first = another(None)
    assert run("up", **loaded).returncode == 0
    assert dict(servers(run))["commands"] == first and run("status").stdout.count("commands") == 1
    assert run("backup", str(tmp_path / "backup"), **loaded).returncode == 0
    another(first)
