"""The embedded Neo4j: its configuration, its first password, its start and its end; and its Java start cache: one training run
of an empty Neo4j, once for each environment: its runtime and its jars.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import shutil
import signal
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

from engine.embedded.java import Java
from engine.embedded.layout import Cache, locked
from engine.embedded.processes import end, launch, run
from engine.embedded.readiness import LOOPBACK, STATEMENTS, any_free_port, last_words, listens, until_answering
from engine.errors import StackError
from engine.progress import Progress

USER = "neo4j"
GIVEN_UP = ("needs to be restarted", "database is shutdown")
"""Messages of Neo4j after a full disk, and where it could not recover at its start."""
PATIENCE = 30.0
"""How long a clean end may take (seconds)."""

_SETTINGS = """\
server.default_listen_address={address}
server.bolt.listen_address={address}:{bolt}
server.bolt.advertised_address={address}:{bolt}
server.http.enabled={http_enabled}
server.http.listen_address={address}:{http}
server.http.advertised_address={address}:{http}
server.https.enabled=false
dbms.security.auth_enabled=true
dbms.usage_report.enabled=false
dbms.fleet_manager.enabled=false
server.fleet_discovery.enabled=false
server.memory.pagecache.size=64m
db.tx_log.preallocate=false
db.tx_log.rotation.size=8m
db.checkpoint.interval.time=1m
db.logs.query.enabled=OFF
dbms.cypher.min_replan_interval=5m
internal.cypher.expression_recompilation_limit=1000000
internal.cypher.use_parameter_size=false
internal.dbms.index.lucene.merge_factor=10
internal.dbms.index.vector.standard_merge_factor=10
internal.dbms.tx_log.fail_on_corrupted_log_files=false
internal.dbms.bolt.netty_server_shutdown_quiet_period_duration=0s
internal.dbms.bolt.netty_server_shutdown_timeout=2
internal.server.bolt.thread_pool_shutdown_wait_time=1s
"""
"""The small transaction logs keep an empty store at 2 MB; the short checkpoint interval keeps a start after a crash
short. A transaction that a full disk cut off at the end of the log is dropped at the next start, which Neo4j else refuses
for good; the doctor finds what the graph then lacks, and `mend` brings it back. The last three take 10 s of idle waiting out
of a clean end. The largest statements take seconds to plan. By default a small graph that grows has them planned again
every 10 s, once more when their expressions are to be compiled, and for each size of a list or a text that is asked with.
Neo4j has Lucene merge the segments of its indexes more often than Lucene's own default of 10: a tenth of the CPU of a small
write, and a search takes as long with either."""
SETTINGS = "NEURIGRAPH_NEO4J_SETTINGS"
"""The variable with further settings, name=value each, a larger page cache for example; they take the place of these."""

TASK = "java start cache"
UNUSED = timedelta(days=30)
MOST_BYTES = 4 << 30
"""How much the start caches of all environments may take together, about 140 MB each: the longest unused ones go first."""
SAVED = 8.0
"""Seconds that a start cache saves a start: a start waits no longer while another one makes its own."""
_LOG = logging.getLogger(__name__)


def _configuration(**values: object) -> str:
    given = os.environ.get(SETTINGS, "").split()
    if wrong := [one for one in given if "=" not in one]:
        raise StackError(f"{SETTINGS} has {wrong[0]!r}, which is no name=value.")
    settings = dict(line.split("=", 1) for line in [*_SETTINGS.format(**values).splitlines(), *given])
    return "".join(f"{name}={value}\n" for name, value in settings.items())


@dataclass(frozen=True, slots=True)
class Neo4jServer:
    """One Neo4j in its folder. `http` is the port of Neo4j Browser; None leaves HTTP off."""

    java: Java
    folder: Path
    log: Path
    bolt: int
    http: int | None
    password: str

    @property
    def url(self) -> str:
        return f"bolt://{LOOPBACK}:{self.bolt}"

    @property
    def _ready(self) -> Path:
        """Exists once the server has answered; before that, its data folder can be deleted."""
        return self.folder / "prepared"

    async def initialise(self) -> None:
        """Write the configuration; at the first start set the password. An interrupted first start is repeated.

        Raises StackError."""
        configuration = self.folder / "conf" / "neo4j.conf"
        configuration.parent.mkdir(mode=0o700, exist_ok=True)
        configuration.write_text(
            _configuration(
                address=LOOPBACK, bolt=self.bolt, http_enabled="true" if self.http else "false", http=self.http or 0
            )
        )
        if not self._ready.exists():
            await asyncio.to_thread(shutil.rmtree, self.folder / "data", ignore_errors=True)
            await self._set_password()

    async def _set_password(self) -> None:
        # Passed in a file, not as an argument: other users can read command lines.
        arguments = self.folder / "conf" / "password.arguments"
        arguments.touch(mode=0o600)
        arguments.write_text(f"dbms\nset-initial-password\n{self.password}\n")
        try:
            command = self.java.command("org.neo4j.cli.AdminTool", [f"@{arguments}"])
            places = {"NEO4J_HOME": str(self.folder), "NEO4J_CONF": str(self.folder / "conf")}
            if await run(command, folder=self.folder, log=self.log, environment=places):
                raise StackError(f"Neo4j's password could not be set: {last_words(self.log)}")
        finally:
            arguments.unlink()

    async def start(self, *, training: Path | None = None) -> asyncio.subprocess.Process:
        """Start the process; `training` records a Java start cache into that file when the process ends."""
        arguments = [f"--home-dir={self.folder}", f"--config-dir={self.folder / 'conf'}"]
        command = self.java.command("org.neo4j.server.Neo4jCommunity", arguments, training=training)
        return await launch(command, folder=self.folder, log=self.log, environment={"MALLOC_ARENA_MAX": "2"})

    async def wait(self, process: asyncio.subprocess.Process) -> None:
        """Return when a query is answered. Raises StackError when the process ends before."""
        await until_answering("Neo4j", process, (LOOPBACK, self.bolt), self._answers, self.log)
        self._ready.touch()

    async def _answers(self) -> bool:
        with contextlib.suppress(DriverError, Neo4jError, OSError):
            await self._ping()
            # HTTP opens last.
            return self.http is None or await listens((LOOPBACK, self.http))
        return False

    async def _ping(self) -> None:
        ping = neo4j.Query((STATEMENTS / "ping.cypher").read_text())
        async with (
            neo4j.AsyncGraphDatabase.driver(self.url, auth=(USER, self.password)) as driver,
            driver.session(database="neo4j") as session,
        ):
            await (await session.run(ping)).consume()

    async def works(self) -> bool:
        """False where its database has stopped after an error, a full disk above all: only a restart brings it back."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self._ping()
        except Neo4jError as error:
            return not any(words in (error.message or "") for words in GIVEN_UP)
        except (DriverError, OSError):  # it is about to end, or is slow
            pass
        return True

    async def stop(self, process: asyncio.subprocess.Process, patience: float = PATIENCE) -> None:
        """End it cleanly; after `patience` seconds it is killed, which costs a recovery at the next start."""
        await end(process, signal.SIGTERM, patience)


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
