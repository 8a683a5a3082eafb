"""A small `neurigraph bench forget`: what it erases and tells. Times decide nothing here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.lab.benchmarks import forget
from engine.progress import Silent
from engine.settings import Settings
from engine.shell.plain_json import write_json

SMALL = {"TURNS": 40, "NODES": 2, "OTHER_TURNS": 20, "OTHER_NODES": 2, "ALONE_S": 4.0}


@pytest.mark.long
async def test_others_are_served_while_a_large_user_is_erased(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, amount in SMALL.items():
        monkeypatch.setattr(forget, name, amount)
    settings = Settings(_env_file=None, home=tmp_path / "home", cache=cache, openai_api_key=None)
    report = await forget.measure(settings, None, Silent(), items=500)
    write_json(tmp_path / "forget.json", report)
    answer = json.loads((tmp_path / "forget.json").read_text(encoding="utf-8"))
    details, figures = answer["details"], {one["name"]: one for one in answer["figures"]}
    assert (details["state"], details["nodes"]) == ("done", 2) and 400 < details["items"] <= 500
    assert (
        details["counts"]["postgres"]["users"] == 1
        and details["counts"]["graph"]["Record"] == details["records_in_graph"]
    )
    assert min(details["searches"]) > 2 and details["steps_s"]["rows"] > 0
    assert figures["places where something was found"]["met"]
    assert figures["p95 of searches beside the erasure against alone"]["value"] > 0
    assert figures["receipt verify"]["value"] > 0
