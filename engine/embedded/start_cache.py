"""Makes the Java start cache: one training run of an empty Neo4j, once for each environment: its runtime and its jars."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import shutil
import time
from datetime import timedelta
from pathlib import Path

from engine.embedded.file_locks import locked
from engine.embedded.java import Java
from engine.embedded.layout import Cache
from engine.embedded.neo4j_server import Neo4jServer
from engine.embedded.ports import any_free_port
from engine.errors import StackError
from engine.progress import Progress

TASK = "java start cache"
UNUSED = timedelta(days=30)
MOST_BYTES = 4 << 30
"""How much the start caches of all environments may take together, about 140 MB each: the longest unused ones go first."""
SAVED = 8.0
"""Seconds that a start cache saves a start: a start waits no longer while another one makes its own."""
_LOG = logging.getLogger(__name__)


async def ensure_start_cache(java: Java, cache: Cache, progress: Progress) -> None:
    """Make the start cache of this environment if there is none. A failure only costs speed, so it is logged and not raised."""
    if _used(java.start_cache):
        return
    cache.java.mkdir(parents=True, exist_ok=True)
    waiting = f"waiting at most {SAVED:g} s while another start makes a {TASK}"
    async with locked(cache.lock("java"), progress, waiting, SAVED) as held:
        if _used(java.start_cache):
            return
        if not held:
            _LOG.info("This start is slower: another one makes a %s. The next start makes its own.", TASK)
            return
        await _make(java, cache, progress)


async def _make(java: Java, cache: Cache, progress: Progress) -> None:
    progress.start(TASK, None)
    folder = cache.java / f"training-{os.getpid()}-{secrets.token_hex(4)}"
    try:
        await _train(java, folder)
        _runtime_of(java.start_cache).write_text(str(java.program), encoding="utf-8")
        forget_unused(cache.java)
    except (StackError, OSError) as error:
        _LOG.warning("The Java start cache could not be made, starts will be slower: %s", error)
        progress.finish(TASK, "not made, starts will be slower")
    else:
        progress.finish(TASK)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _used(file: Path) -> bool:
    """Whether there is one; its time says when it was last used."""
    try:
        os.utime(file)
    except FileNotFoundError:
        return False
    except OSError:  # of another account, which may be read
        return True
    return True


async def _train(java: Java, folder: Path) -> None:
    (folder / "neo4j").mkdir(parents=True, mode=0o700)
    recorded = folder / "recorded.aot"
    log = folder / "neo4j.log"
    server = Neo4jServer(java, folder / "neo4j", log, any_free_port(), None, secrets.token_hex(24))
    await server.initialise()
    process = await server.start(training=recorded)
    try:
        await server.wait(process)
    finally:
        # The recording is written while the process ends.
        await server.stop(process, patience=300)
    if not recorded.exists():
        raise StackError("Java wrote no recording.")
    recorded.replace(java.start_cache)


def forget_unused(folder: Path, most_bytes: int = MOST_BYTES) -> None:
    """Removes start caches whose runtime is no longer installed, and those that no start has used for long; of more than may be
    kept the longest unused. One that is in use is never removed by another environment that makes its own."""
    kept, oldest = 0, time.time() - UNUSED.total_seconds()
    for file in sorted(folder.glob("start-*.aot"), key=lambda file: file.stat().st_mtime, reverse=True):
        facts, runtime = file.stat(), _runtime_of(file)
        kept += facts.st_size
        gone = runtime.exists() and not Path(runtime.read_text(encoding="utf-8")).exists()
        if gone or facts.st_mtime < oldest or kept > most_bytes:
            kept -= facts.st_size
            file.unlink(missing_ok=True)
            runtime.unlink(missing_ok=True)


def _runtime_of(start_cache: Path) -> Path:
    """The file that names the runtime for which a start cache was made."""
    return start_cache.with_suffix(".runtime")
