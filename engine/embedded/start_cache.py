"""Makes the Java start cache: one training run of an empty Neo4j, once for each machine and set of jars."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import shutil
from pathlib import Path

from engine.embedded.file_locks import locked
from engine.embedded.java import Java
from engine.embedded.layout import Cache
from engine.embedded.neo4j_server import Neo4jServer
from engine.embedded.ports import any_free_port
from engine.errors import StackError
from engine.progress import Progress

TASK = "java start cache"
KEPT = 3
"""How many start caches stay, about 150 MB each: one for each installation that shares the cache folder."""
_LOG = logging.getLogger(__name__)


async def ensure_start_cache(java: Java, cache: Cache, progress: Progress) -> None:
    """Make the start cache if there is none. A failure only costs speed, so it is logged and not raised."""
    if java.start_cache.exists():
        return
    cache.java.mkdir(parents=True, exist_ok=True)
    async with locked(cache.lock("java"), progress, f"waiting for another {TASK}"):
        if java.start_cache.exists():
            return
        progress.start(TASK, None)
        folder = cache.java / f"training-{os.getpid()}-{secrets.token_hex(4)}"
        try:
            await _train(java, folder)
            _forget_old(cache.java)
        except (StackError, OSError) as error:
            _LOG.warning("The Java start cache could not be made, starts will be slower: %s", error)
            progress.finish(TASK, "not made, starts will be slower")
        else:
            progress.finish(TASK)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


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


def _forget_old(folder: Path) -> None:
    """Start caches are big; those of runtimes that are no longer installed are not worth keeping."""
    newest_first = sorted(folder.glob("start-*.aot"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in newest_first[KEPT:]:
        file.unlink(missing_ok=True)
