"""Each contract about imports notices what it forbids."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONTRACTS = [
    one["name"] for one in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
]
PROBES = {
    "The API stands on the engine": ("engine/shell/session.py", "from api import app"),
    "Layers point down": ("engine/domain/node.py", "from engine.stores import postgres"),
    "The wiring is put together in one direction": ("engine/wiring/models.py", "from engine.wiring import opening"),
    "Subjects of operations do not know each other": (
        "engine/operations/events.py",
        "from engine.operations import files",
    ),
    "Only what starts servers knows the embedded ones": (
        "engine/stores/postgres.py",
        "from engine.embedded import Stack",
    ),
    "The API knows operations, values, errors and settings only": ("api/app.py", "from engine.stores import postgres"),
    "The client is a leaf: values and HTTP, no server, no driver, no engine": (
        "api/client/requests.py",
        "from engine.settings import Settings",
    ),
    "The write path has no circles": ("engine/ingest/sources.py", "from engine.ingest.pipeline import Ingest"),
    "Only the stores and commits use drivers": ("engine/jobs/runs.py", "from neo4j import GraphDatabase"),
}
"""A module and an import that must not be there, by contract."""


def test_each_contract_is_broken_by_its_probe(tmp_path: Path) -> None:
    assert set(PROBES) == set(CONTRACTS)
    for package in ("engine", "api"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__", "*.sql"))
    for file, probe in PROBES.values():
        module = tmp_path / file
        typed = f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    {probe}\n"  # imports for types count, too
        module.write_text(f"{module.read_text(encoding='utf-8')}\n{typed}", encoding="utf-8")
    (tmp_path / "engine" / "placeless.py").write_text('"""A module in no layer."""\n', encoding="utf-8")
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--config", ROOT / "pyproject.toml", "--no-cache"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=300,
    )
    verdicts = dict(re.findall(r"^(.+) (KEPT|BROKEN)\b", done.stdout, re.MULTILINE))
    assert {name: verdicts.get(name) for name in CONTRACTS} == dict.fromkeys(CONTRACTS, "BROKEN"), done.stdout[-3000:]
    assert "engine.placeless" in done.stdout
