"""A small `neurigraph bench growth` and `bench disk`: what they store and count, and the shape of their answers. Times decide nothing here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.lab.benchmarks import disk, growth
from engine.progress import Silent
from engine.settings import Settings
from engine.shell.plain_json import write_json

SMALL = {"OWN": 40, "OWN_NODES": 2, "OTHERS": 2, "OTHER_NODES": 2, "OTHER_TURNS": 8, "TURNS_A_RECORD": 4, "ROUNDS": 1}


@pytest.mark.long
async def test_others_are_copied_until_all_hold_what_is_asked_for(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, amount in SMALL.items():
        monkeypatch.setattr(growth, name, amount)
    settings = Settings(_env_file=None, home=tmp_path / "home", cache=cache, openai_api_key=None)
    report = await growth.measure(settings, None, Silent(), items=500)
    out = tmp_path / "growth.json"
    write_json(out, report)
    answer = json.loads(out.read_text(encoding="utf-8"))
    assert answer["benchmark"] == "growth" and answer["wall_s"] > 0
    assert {"engine", "neo4j", "postgres"} <= answer["cpu_s"].keys()
    details = answer["details"]
    assert (details["own_items"], details["own_nodes"], details["other_users"]) == (40, 2, 2)
    assert details["nodes"] == 3 * 2 and 480 < details["items"] <= 500
    assert details["records_in_graph"] > 50 and details["bytes"] > 0
    figures = {one["name"]: one for one in answer["figures"]}
    for amount in ("few items of others", f"{details['items']:,} items in all"):
        p50, p95 = (figures[f"search, {amount}, {which}"]["value"] for which in ("p50", "p95"))
        assert 0 < p50 <= p95
    assert all(figures[f"search, {amount} items of others, CPU"]["unit"] == "ms" for amount in ("few", "many"))
    for which in ("p50", "p95"):
        ratio = figures[f"{which} of many against few"]
        assert ratio["unit"] == "times" and ratio["goal"] and isinstance(ratio["met"], bool)


@pytest.mark.long
async def test_bytes_are_told_by_table_and_part_and_add_up(tmp_path: Path, cache: Path) -> None:
    settings = Settings(_env_file=None, home=tmp_path / "home", cache=cache, openai_api_key=None)
    report = await disk.measure(settings, None, Silent(), items=50, nodes=3)
    write_json(tmp_path / "disk.json", report)
    details = json.loads((tmp_path / "disk.json").read_text(encoding="utf-8"))["details"]
    figures = {one.name: one.value for one in report.figures}
    assert {one["name"] for one in details["empty"]["tables"]} == {
        "delta_log", "file_manifest", "memory_items", "metadata_records",
    }  # fmt: skip
    assert not details["before"]["tables"] and not any(one["heap"] for one in details["empty"]["tables"])
    whole = sum(sum(one[part] for part in disk.PARTS) for one in details["items"]["tables"])
    assert abs(figures["an item of 50 at 3 nodes, all in all"] * 50 - whole / 1024) < 1
    assert 0 < figures["each item"] < 12 and figures["an empty node"] >= 4 * 8
