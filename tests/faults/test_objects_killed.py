"""A process that dies in the middle of any call on the object store: the object is the old one or the new one, whole."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from engine.neurigraph import Engine
from tests.s3_server import CREDENTIALS, s3_server

VICTIM = Path(__file__).with_name("object_victim.py")


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with s3_server(tmp_path_factory.mktemp("s3")) as address:
        yield address


@pytest.fixture(params=["folder", "s3"])
def urls(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """A hot and a cold tier, both fresh."""
    if request.param == "folder":
        return (tmp_path / "hot").as_uri(), (tmp_path / "cold").as_uri()
    address = request.getfixturevalue("s3")
    return tuple(f"s3://{CREDENTIALS}@{address}/{uuid4().hex}?secure=false" for _ in range(2))


@pytest.mark.ledger("N15")
@pytest.mark.parametrize(
    ("operation", "meanwhile", "after"),
    [
        ("put", {"old", "new"}, "new"),
        ("put large", {"old", "new"}, "new"),
        ("put cold", {"old", "new"}, "new"),
        ("put hot", {"old", "new"}, "new"),
        ("move to cold", {"old"}, "old"),
        ("move to hot", {"old"}, "old"),
        ("set aside", {"old", "aside"}, "aside"),
        ("set aside cold", {"old", "aside"}, "aside"),
        ("delete", {"old", "gone"}, "gone"),
        ("delete cold", {"old", "gone"}, "gone"),
    ],
)
async def test_a_call_that_is_killed_anywhere_leaves_a_whole_object(
    urls: tuple[str, str], operation: str, meanwhile: set[str], after: str, tmp_path: Path
) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(VICTIM), *urls, operation, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await asyncio.wait_for(process.communicate(), 300)
    assert process.returncode == 0
    *deaths, last, discarded = map(json.loads, out.splitlines())
    assert len(deaths) >= 2 and all(death["killed"] for death in deaths)
    assert {death["state"] for death in deaths} <= meanwhile
    assert (last["killed"], last["state"]) == (False, after)
    assert all(found["agree"] for found in [*deaths, last])
    assert discarded[1] == 0 and (operation != "put large" or discarded[0] >= 2)
    if urls[0].startswith("file:"):
        assert leftovers(tmp_path) == []


async def test_the_sweep_removes_what_killed_puts_have_left(engine: Engine) -> None:
    folder = engine.settings.home / "objects" / ".unfinished"
    await engine.objects.check()
    (folder / "killed").write_bytes(b"half of a fi")
    (folder / "under-way").write_bytes(b"half of a fi")
    long_ago = time.time() - timedelta(hours=26).total_seconds()
    os.utime(folder / "killed", (long_ago, long_ago))
    await engine.sweep.run(delete=False)
    assert (folder / "killed").exists()
    await engine.sweep.run()
    # Processes that other tests have killed in this home today may have left files of their own.
    assert not (folder / "killed").exists()
    assert (folder / "under-way").exists()
    (folder / "under-way").unlink()


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file()]
