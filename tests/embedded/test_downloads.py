"""The locked downloader against a real HTTP server that misbehaves as asked."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from engine.embedded.downloads import BROWSER, ENCODERS, NEO4J, DownloadPatience, LockedFile, LockList, fetch, read_lock
from engine.embedded.layout import Cache, FileLock
from engine.errors import DownloadFailed, StackError
from engine.progress import Silent

pytestmark = pytest.mark.ledger("U07")

BRIEF = DownloadPatience(connect=1, read=0.5, attempts=3, backoff=0.01)
FILES = {f"org/example/part-{number}.jar": os.urandom(200_000 + number) for number in range(3)}
ONE, *_ = FILES


@dataclass
class Repository:
    """What the server has, how it behaves, and what it was asked for."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=lambda: dict(FILES))
    faults: list[str] = field(default_factory=list)
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    resumes: bool = True


@pytest.fixture
def repository() -> Iterator[Repository]:
    content = Repository()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, span = self.path.removeprefix("/maven/"), self.headers["Range"]
            content.asked.append((path, span))
            fault = content.faults.pop(0) if content.faults else ""
            if fault.isdigit():
                self.send_error(int(fault))
                return
            body = content.files[path]
            start = int(span.removeprefix("bytes=").rstrip("-")) if span and content.resumes else 0
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(body) - start))
            self.end_headers()
            if fault == "hang":
                time.sleep(2)
            elif fault == "truncate":
                self.wfile.write(body[start : len(body) // 2])
            elif fault == "damage":
                self.wfile.write(os.urandom(len(body) - start))
            else:
                self.wfile.write(body[start:])

        def log_message(self, format: str, *arguments: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    content.url = f"http://127.0.0.1:{server.server_port}/maven/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield content
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def own_cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache with ümlaut")


def listed(*paths: str) -> LockList:
    names = paths or tuple(FILES)
    return LockList(
        "test",
        tuple(LockedFile(hashlib.sha256(FILES[name]).hexdigest(), len(FILES[name]), name) for name in names),
    )


class Counting(Silent):
    """Progress that adds up."""

    def __init__(self) -> None:
        self.total: float = 0
        self.done: float = 0

    def start(self, task: str, total: float | None, unit: str = "") -> None:
        self.total += total or 0

    def advance(self, task: str, amount: float = 1) -> None:
        self.done += amount


async def test_fetches_once_and_then_works_offline(repository: Repository, own_cache: Cache) -> None:
    progress = Counting()
    paths = await fetch(listed(), own_cache, progress, base_url=repository.url)
    assert [path.read_bytes() for path in paths] == list(FILES.values())
    assert progress.done == progress.total == sum(map(len, FILES.values()))
    assert len(repository.asked) == 3
    nowhere = "http://127.0.0.1:9/"
    assert await fetch(listed(), own_cache, Silent(), base_url=nowhere, patience=BRIEF) == paths
    assert await fetch(listed(), own_cache, Silent(), base_url=nowhere, patience=BRIEF, verify=True) == paths


@pytest.mark.parametrize("resumes", [True, False])
async def test_a_half_finished_download_goes_on(repository: Repository, own_cache: Cache, resumes: bool) -> None:
    repository.resumes = resumes
    part = own_cache.jars / f"{ONE}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(FILES[ONE][:1000])
    progress = Counting()
    [path] = await fetch(listed(ONE), own_cache, progress, base_url=repository.url)
    assert path.read_bytes() == FILES[ONE]
    assert repository.asked == [(ONE, "bytes=1000-")]
    assert not part.exists()
    assert progress.done == progress.total == len(FILES[ONE])


@pytest.mark.parametrize("fault", ["truncate", "damage", "500", "503", "429", "hang"])
async def test_a_passing_fault_is_survived(repository: Repository, own_cache: Cache, fault: str) -> None:
    repository.faults = [fault]
    [path] = await fetch(listed(ONE), own_cache, Silent(), base_url=repository.url, patience=BRIEF)
    assert path.read_bytes() == FILES[ONE]
    assert len(repository.asked) == 2
    if fault == "truncate":
        assert repository.asked[1] == (ONE, f"bytes={len(FILES[ONE]) // 2}-")


@pytest.mark.parametrize(
    ("fault", "attempts", "sentence"),
    [
        ("404", 1, r"answered 404 for http://127\.0\.0\.1:\d+/maven/org/example/part-0\.jar"),
        ("500", 3, r"part-0\.jar could not be fetched from 127\.0\.0\.1: the server answered 500"),
        ("damage", 3, "does not match the lock list"),
        ("hang", 3, "did not answer in time"),
    ],
)
async def test_a_lasting_fault_is_one_sentence(
    repository: Repository, own_cache: Cache, fault: str, attempts: int, sentence: str
) -> None:
    repository.faults = [fault] * 10
    with pytest.raises(DownloadFailed, match=sentence):
        await fetch(listed(ONE), own_cache, Silent(), base_url=repository.url, patience=BRIEF)
    assert len(repository.asked) == attempts
    assert not (own_cache.jars / ONE).exists()


async def test_a_longer_file_than_locked_is_refused(repository: Repository, own_cache: Cache) -> None:
    repository.files[ONE] = FILES[ONE] + b"more"
    with pytest.raises(DownloadFailed, match="longer than the lock list says"):
        await fetch(listed(ONE), own_cache, Silent(), base_url=repository.url, patience=BRIEF)
    assert not (own_cache.jars / ONE).exists()


async def test_no_connection_is_one_sentence(own_cache: Cache) -> None:
    with pytest.raises(DownloadFailed, match="no connection"):
        await fetch(listed(ONE), own_cache, Silent(), base_url="http://127.0.0.1:9/", patience=BRIEF)


@pytest.mark.parametrize("damage", ["shorter", "same size", "same size and time"])
async def test_a_corrupted_jar_is_fetched_again(repository: Repository, own_cache: Cache, damage: str) -> None:
    [path] = await fetch(listed(ONE), own_cache, Silent(), base_url=repository.url)
    before = path.stat()
    path.write_bytes(FILES[ONE][:-1] if damage == "shorter" else bytes(len(FILES[ONE])))
    if damage == "same size and time":
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    verify = damage == "same size and time"
    await fetch(listed(ONE), own_cache, Silent(), base_url=repository.url, verify=verify)
    assert path.read_bytes() == FILES[ONE]
    # The Java start cache is tied to the jars' times.
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert len(repository.asked) == 2


async def test_a_full_disk_is_one_sentence_and_leaves_nothing_broken(
    repository: Repository, small_disk: Callable[[int], Path]
) -> None:
    body = os.urandom(3 * 2**20)
    repository.files[ONE] = body
    wanted = LockList("test", (LockedFile(hashlib.sha256(body).hexdigest(), len(body), ONE),))
    cache = Cache(small_disk(1) / "cache")
    with pytest.raises(StackError, match="no room left"):
        await fetch(wanted, cache, Silent(), base_url=repository.url, patience=BRIEF)
    assert not [file for file in cache.jars.rglob("*") if file.is_file()]


async def test_a_cache_that_cannot_be_written_is_one_sentence(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StackError, match="cannot be written"):
        await fetch(listed(ONE), Cache(tmp_path / "file"), Silent(), base_url=repository.url)


async def test_two_processes_share_one_download(repository: Repository, own_cache: Cache) -> None:
    code = (
        "import asyncio, sys; from pathlib import Path; sys.path.insert(0, sys.argv[3])\n"
        "from engine.embedded.downloads import fetch; from engine.embedded.layout import Cache\n"
        "from engine.embedded.downloads import read_lock; from engine.progress import Silent\n"
        "asyncio.run(fetch(read_lock(Path(sys.argv[1])), Cache(Path(sys.argv[2])), Silent(), base_url=sys.argv[4]))"
    )
    lock = own_cache.folder.parent / "test.lock"
    lock.write_text("".join(f"{file.sha256} {file.size} {file.path}\n" for file in listed().files))
    arguments = [
        sys.executable,
        "-c",
        code,
        str(lock),
        str(own_cache.folder),
        str(Path.cwd()),
        repository.url,
    ]
    both = [await asyncio.create_subprocess_exec(*arguments) for _ in range(2)]
    assert [await process.wait() for process in both] == [0, 0]
    assert sorted(path for path, _ in repository.asked) == sorted(FILES)


async def test_waiting_for_another_download_is_shown(repository: Repository, own_cache: Cache) -> None:
    own_cache.folder.mkdir(parents=True)
    other = FileLock(own_cache.lock("test"))
    assert other.take()
    tasks: list[str] = []

    class Noting(Silent):
        def start(self, task: str, total: float | None, unit: str = "") -> None:
            tasks.append(task)

    waiting = asyncio.create_task(fetch(listed(ONE), own_cache, Noting(), base_url=repository.url))
    await asyncio.sleep(0.3)
    assert tasks == ["waiting for another download"]
    other.give_back()
    await waiting
    assert tasks[1:] == ["test files"]


def test_the_shipped_lock_lists_are_well_formed() -> None:
    lists = [read_lock(file) for file in (NEO4J, BROWSER, ENCODERS)]
    assert [len(each.files) for each in lists] == [225, 1, 3]
    for file in (file for each in lists for file in each.files):
        assert len(file.sha256) == 64
        assert file.size > 0
        assert file.path.endswith(".jar")
        assert ".." not in file.path
