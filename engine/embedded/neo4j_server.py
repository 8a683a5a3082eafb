"""The embedded Neo4j: its configuration, its first password, its start and its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

from engine.embedded.java import Java
from engine.embedded.ports import LOOPBACK
from engine.embedded.processes import end, launch, run
from engine.embedded.readiness import STATEMENTS, last_words, listens, until_answering
from engine.errors import StackError

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
