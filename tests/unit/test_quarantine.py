"""Files in quarantine: renamed, kept for a time, given back; keys that are the engine's and keys that are not."""

from __future__ import annotations

import io
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from engine.lifecycle.sweep import Quarantine
from engine.stores.objects import ObjectStore, copy_of, file_of, is_ours, object_store
from tests.clock import Ahead

FILE, CLAIM = UUID(int=0x4C0575C5920D4667BBB7175D86ABCC62), UUID(int=0xAF6B22630D6D42FAAA8FE207FA3569D2)


@pytest.mark.parametrize(
    ("key", "file", "copy"),
    [
        (f"bob/family/{FILE}/dusk.txt.gz", FILE, None),
        (f"bob/{FILE}/dusk.pdf", FILE, None),
        (f"bob/{FILE}/warm/{CLAIM}", None, (FILE, CLAIM)),
        (f"Bob/{FILE}/dusk.txt.gz", None, None),
        (f"bob/{str(FILE).upper()}/dusk.txt.gz", None, None),
        (f"bob/{FILE.hex}/dusk.txt.gz", None, None),
        (f"{FILE}/dusk.txt.gz", None, None),
        ("photos/2026/dave.png", None, None),
        (".neurigraph/installation.json", None, None),
        (f".neurigraph/quarantine/20261122/bob/{FILE}/dusk.txt.gz", None, None),
    ],
)
def test_only_keys_that_the_engine_makes_are_its_own(key: str, file: object, copy: object) -> None:
    assert (file_of(key), copy_of(key)) == (file, copy)
    assert is_ours(key) == bool(file or copy)


async def keys(objects: ObjectStore, prefix: str = "") -> list[str]:
    return [entry.key async for entry in objects.listing(prefix)]


@pytest.mark.parametrize("cold", [False, True])
async def test_a_file_is_put_there_kept_given_back_and_deleted_after_its_time(tmp_path: Path, cold: bool) -> None:
    objects = object_store((tmp_path / "hot").as_uri(), timeout=5, cold_url=(tmp_path / "cold").as_uri())
    clock = Ahead()
    quarantine = Quarantine(objects, clock, timedelta(days=30))
    key = f"bob/family/{FILE}/dusk.txt.gz"
    await objects.put(key, io.BytesIO(b"dusk"), cold=cold)
    await objects.put("notes.txt", io.BytesIO(b"somebody's"))
    assert await quarantine.put(key) and not await quarantine.put(key)
    assert await keys(objects) == ["notes.txt"]
    [aside] = [file async for file in quarantine.listing()]
    assert (aside.key, aside.file_id, aside.size) == (key, FILE, 4) and (await objects.find(aside.kept_as)).cold == cold
    clock.by = timedelta(days=30)
    assert await quarantine.expire() == 0
    assert await quarantine.give_back_files({uuid4()}) == 0
    assert await quarantine.give_back_files({FILE}) == 1
    assert b"".join([block async for block in objects.read(key)]) == b"dusk"
    await quarantine.put(key)
    await objects.put(key, io.BytesIO(b"dusk"))  # it is there again
    assert await quarantine.give_back_files({FILE}) == 1
    assert await keys(objects) == [key, "notes.txt"] and await keys(objects, ".neurigraph/") == []
    await quarantine.put(key)
    clock.by = timedelta(days=62)
    assert await quarantine.expire() == 1
    assert await keys(objects) == ["notes.txt"] and await keys(objects, ".neurigraph/") == []
