"""Child processes that end with their parent, the identity of processes beyond the reuse of their numbers, and the system user
that Postgres runs as: the current one, or an unprivileged one for root, whom Postgres refuses.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import pwd
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from engine.errors import MissingPrerequisite

# A user made for Postgres is the safest: no other service runs as it. The others exist nearly everywhere.
UNPRIVILEGED = ("postgres", "nobody", "daemon")

SET_PARENT_DEATH_SIGNAL = 1
SAME_START = 1.0
"""Start times of the same process, read twice, differ by less than this (seconds)."""

# Loaded before any fork: between fork and exec nothing may be imported or resolved.
_PRCTL = ctypes.CDLL(None, use_errno=True).prctl if sys.platform.startswith("linux") else None


@dataclass(frozen=True, slots=True)
class Account:
    """User and group to switch to; None for no switch."""

    user: int | None
    group: int | None

    @property
    def switches(self) -> bool:
        """Whether the servers run as another user than this process."""
        return self.user is not None

    def own(self, folder: Path) -> None:
        """Give a folder of this process with its contents to this account, without access for others."""
        folder.chmod(0o700)
        if self.user is None or self.group is None:
            return
        try:
            _give(folder, self.user, self.group)
        except PermissionError as error:
            raise MissingPrerequisite(
                f"Postgres does not run as root, and {folder} cannot be given to another user: "
                "start as an ordinary user or choose a home on a local disk."
            ) from error


def _give(folder: Path, user: int, group: int) -> None:
    os.chown(folder, user, group)
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(os.path.join(parent, name), user, group, follow_symlinks=False)


def account_for(data: Path) -> Account:
    """The account that Postgres runs as; the owner of the data folder stays the owner."""
    if os.geteuid() != 0:
        return Account(None, None)
    if not sys.platform.startswith("linux"):
        raise MissingPrerequisite("Postgres does not run as root: start as an ordinary user.")
    if data.exists() and data.stat().st_uid != 0:
        found = data.stat()
        return Account(found.st_uid, found.st_gid)
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise MissingPrerequisite("Postgres does not run as root, and there is no user nobody to run it: make one.")


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """A process by its number and its start time (seconds since the epoch)."""

    pid: int
    started: float

    def process(self) -> psutil.Process | None:
        """The running process; None when it has ended, or another process has its number by now."""
        try:
            found = psutil.Process(self.pid)
            same = abs(found.create_time() - self.started) < SAME_START
            return found if same and found.status() != psutil.STATUS_ZOMBIE else None
        except psutil.Error:
            return None


def identity_of(pid: int) -> ProcessIdentity | None:
    """The identity of a running process; None when there is none."""
    try:
        return ProcessIdentity(pid, psutil.Process(pid).create_time())
    except psutil.Error:
        return None


def surroundings(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of the servers: nothing of the caller's that could change them (JAVA_OPTIONS, PGDATA, …)."""
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "TMPDIR") if name in os.environ}
    # UTF-8, or Java cannot open paths with letters outside ASCII.
    return {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC", **kept, **(extra or {})}


async def launch(
    command: Iterable[str | Path],
    *,
    folder: Path,
    log: Path,
    account: Account | None = None,
    environment: Mapping[str, str] | None = None,
    farewell: signal.Signals = signal.SIGTERM,
) -> asyncio.subprocess.Process:
    """Start a server in `folder`, its output in `log`; where the system can, it gets `farewell` when this process dies.

    Call it on the main thread: the system takes the end of the starting thread for the end of the parent.
    """
    switch = account or Account(None, None)
    with log.open("ab") as output:
        return await asyncio.create_subprocess_exec(
            *map(str, command),
            cwd=folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=surroundings(environment),
            user=switch.user,
            group=switch.group,
            extra_groups=[] if switch.switches else None,
            umask=0o077,
            start_new_session=True,
            preexec_fn=_dying_with(os.getpid(), farewell),
        )


def _dying_with(parent: int, farewell: signal.Signals) -> Callable[[], None] | None:
    if _PRCTL is None:
        return None
    prctl = _PRCTL

    def bind() -> None:
        prctl(SET_PARENT_DEATH_SIGNAL, int(farewell))
        if os.getppid() != parent:
            os._exit(1)

    return bind


async def run(
    command: Iterable[str | Path],
    *,
    folder: Path,
    log: Path,
    account: Account | None = None,
    environment: Mapping[str, str] | None = None,
) -> int:
    """Run a tool to its end and return its exit code."""
    process = await launch(command, folder=folder, log=log, account=account, environment=environment)
    try:
        return await process.wait()
    finally:
        await end(process, signal.SIGKILL, 5)


async def end(process: asyncio.subprocess.Process, farewell: signal.Signals, patience: float) -> None:
    """Ask a child to end; after `patience` seconds it is killed."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(farewell)
    try:
        await asyncio.wait_for(process.wait(), patience)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def strays(folders: Iterable[Path]) -> list[psutil.Process]:
    """Servers that an earlier supervisor left running, recognised by their working folder.

    Their own children are left out: they end with them.
    """
    homes = {str(folder.resolve()) for folder in folders}
    found = {}
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.name() in {"java", "postgres"} and process.cwd() in homes:
                found[process.pid] = process
    return [process for process in found.values() if process.ppid() not in found]


async def end_strays(folders: Iterable[Path], patience: float) -> bool:
    """End the servers that `strays` finds; after `patience` seconds they are killed. True when there were any."""
    watched = list(folders)
    left = await asyncio.to_thread(strays, watched)
    found = bool(left)
    for process in left:
        with contextlib.suppress(psutil.Error):
            # Postgres takes SIGTERM for "when the last client has gone", SIGINT for "now".
            process.send_signal(signal.SIGINT if process.name() == "postgres" else signal.SIGTERM)
    _, left = await asyncio.to_thread(psutil.wait_procs, left, patience)
    for process in left:
        with contextlib.suppress(psutil.Error):
            process.kill()
    await asyncio.to_thread(psutil.wait_procs, left, 10)
    return found
