"""One initialised home a session; tests get copies of it, because a copied home is a home."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from holders import Holder, eventually, holding

from engine.embedded import keep_running, stop
from engine.progress import Silent
from engine.settings import Settings


@pytest.fixture(scope="session")
def cache() -> Path:
    return Settings().cache


@pytest.fixture(scope="session")
async def prepared_home(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """An initialised home that does not run; its path has what paths can have."""
    home = tmp_path_factory.mktemp("embedded") / "Zuhause für Jörg"
    await keep_running(home, cache, progress=Silent())
    await stop(home)
    return home


@pytest.fixture
async def home(prepared_home: Path, tmp_path: Path) -> AsyncIterator[Path]:
    """A copy of the prepared home, stopped at the end of the test."""
    copied = tmp_path / "home with spaces"
    shutil.copytree(prepared_home, copied, symlinks=True)
    yield copied
    await stop(copied)


@pytest.fixture
async def new_home(tmp_path: Path) -> AsyncIterator[Path]:
    """A home that does not exist yet, stopped at the end of the test."""
    yield tmp_path / "new"
    if (tmp_path / "new").exists():
        await stop(tmp_path / "new")


@pytest.fixture
def hold(cache: Path) -> Iterator[Callable[..., Holder]]:
    """Starts holders; all are gone after the test."""
    with ExitStack() as holders:

        def start(home: Path, environment: dict[str, str] | None = None) -> Holder:
            return holders.enter_context(holding(home, cache, environment))

        yield start


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """Mounts file systems of some megabytes; skips where mounting is not allowed."""
    mounted: list[Path] = []

    def mount(megabytes: int) -> Path:
        folder = tmp_path / f"disk {len(mounted)}"
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("mounting a small file system is not allowed here")
        mounted.append(folder)
        return folder

    yield mount
    for folder in mounted:
        assert eventually(partial(unmount, folder), 10)


def unmount(folder: Path) -> bool:
    return subprocess.run(["umount", str(folder)], capture_output=True, check=False).returncode == 0
