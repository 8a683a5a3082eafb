"""What the servers need on the machine: encoder files, the Java start cache, a user that may run Postgres."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine
from engine.embedded import encoder_folder
from engine.embedded.downloads import NEO4J, read_lock
from engine.embedded.java import find_java
from engine.embedded.layout import Cache, Home, locked
from engine.embedded.neo4j_server import forget_unused
from engine.embedded.postgres_server import PACKAGE, find_postgres
from engine.embedded.processes import account_for
from engine.errors import SettingsError
from engine.progress import Silent

NOWHERE = "http://127.0.0.1:9/"
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become somebody else")


async def test_encoder_files_are_unpacked_once_and_again_when_damaged(cache: Path, tmp_path: Path) -> None:
    await encoder_folder(cache, "minilm", Silent())
    shutil.copytree(cache / "jars" / "dev", tmp_path / "jars" / "dev")
    folder = await encoder_folder(tmp_path, "minilm", Silent(), base_url=NOWHERE)
    model, tokenizer = folder / "model.onnx", folder / "tokenizer.json"
    whole = model.read_bytes()
    assert len(whole) > 2**24
    assert tokenizer.read_text().startswith("{")
    model.write_bytes(whole[:1000])
    assert await encoder_folder(tmp_path, "minilm", Silent(), base_url=NOWHERE) == folder
    assert model.read_bytes() == whole
    # Whole files need neither the jar nor a network.
    shutil.rmtree(tmp_path / "jars")
    assert await encoder_folder(tmp_path, "minilm", Silent(), base_url=NOWHERE) == folder


async def test_unknown_encoder(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="e5-small, minilm, bge-small"):
        await encoder_folder(tmp_path, "large", Silent())


def test_the_start_cache_is_tied_to_the_jars(tmp_path: Path) -> None:
    jars = read_lock(NEO4J).paths(tmp_path)
    one = find_java(Cache(tmp_path), jars)
    assert find_java(Cache(tmp_path), reversed(jars)) == one
    assert find_java(Cache(tmp_path), jars[1:]).start_cache != one.start_cache
    extra = find_java(Cache(tmp_path), jars, [tmp_path / "a.jar"])
    assert extra.start_cache == one.start_cache
    assert extra.jars[-1] == tmp_path / "a.jar"


def test_an_environment_throws_out_no_start_cache_of_another(tmp_path: Path) -> None:
    """Those of runtimes that are gone or long unused go, and of more than may be kept the longest unused."""
    days = {"today": 0, "recent": 20, "old": 31, "gone": 1, "unnamed": 2, "large": 10}
    for name, age in days.items():
        file = tmp_path / f"start-{name}.aot"
        file.write_bytes(bytes(1000))
        if name != "unnamed":  # made by an earlier release
            runtime = sys.executable if name != "gone" else str(tmp_path / "removed" / "java")
            file.with_suffix(".runtime").write_text(runtime)
        os.utime(file, (used := time.time() - 86400 * age, used))
    forget_unused(tmp_path)
    assert {file.stem for file in tmp_path.glob("*.aot")} == {
        "start-today",
        "start-recent",
        "start-unnamed",
        "start-large",
    }
    forget_unused(tmp_path, most_bytes=3500)
    assert {file.stem for file in tmp_path.iterdir()} == {"start-today", "start-unnamed", "start-large"}


async def test_a_start_waits_for_anothers_start_cache_no_longer_than_it_saves(tmp_path: Path) -> None:
    file = tmp_path / "java.lock"
    async with locked(file, Silent(), "the first") as first, locked(file, Silent(), "the second", 0.3) as second:
        assert (first, second) == (True, False)
    async with locked(file, Silent(), "the third", 0) as third:
        assert third


def test_a_foreign_folder_keeps_its_mode(tmp_path: Path) -> None:
    foreign = tmp_path / "shared"
    foreign.mkdir(mode=0o755)
    (foreign / "letters").mkdir()
    Home(foreign).create()
    assert foreign.stat().st_mode & 0o777 == 0o755
    assert (foreign / "neo4j").stat().st_mode & 0o777 == 0o700
    ours = tmp_path / "ours"
    (ours / "objects").mkdir(parents=True, mode=0o755)
    Home(ours).create()
    assert ours.stat().st_mode & 0o777 == 0o700


@as_root
def test_root_gives_postgres_to_an_unprivileged_user(tmp_path: Path) -> None:
    account = account_for(tmp_path / "data")
    assert account.user
    assert account.group
    (tmp_path / "data").mkdir()
    account.own(tmp_path / "data")
    assert (tmp_path / "data").stat().st_uid == account.user
    # The owner stays the owner, whoever would be chosen today.
    os.chown(tmp_path / "data", 54321, 54321)
    assert account_for(tmp_path / "data").user == 54321


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that everybody may enter, which the folders of pytest are not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder / "neurigraph"
    shutil.rmtree(folder)


@as_root
def test_a_package_that_nobody_may_enter_is_copied(tmp_path: Path, shared: Path) -> None:
    package = find_postgres(account_for(tmp_path)).programs.parents[1]
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    (hidden / PACKAGE).symlink_to(package)
    (hidden / f"{PACKAGE}.libs").symlink_to(package.parent / f"{PACKAGE}.libs")
    code = (
        "import sys; from pathlib import Path; from engine.embedded.processes import account_for\n"
        "from engine.embedded.postgres_server import find_postgres\n"
        "print(find_postgres(account_for(Path('/nowhere')), Path(sys.argv[1])).programs)"
    )
    code_folder = Path(engine.__file__).parents[1]
    for _ in range(2):
        found = subprocess.run(
            [sys.executable, "-c", code, str(shared)],
            env={**os.environ, "PYTHONPATH": f"{hidden}:{code_folder}"},
            capture_output=True,
            text=True,
            check=True,
        )
        programs = Path(found.stdout.strip())
        assert programs.is_relative_to(shared)
    account = account_for(tmp_path)
    ran = subprocess.run(
        [str(programs / "initdb"), "--version"], user=account.user, group=account.group, check=True, cwd="/"
    )
    assert ran.returncode == 0
    assert len(list(shared.iterdir())) == 1
