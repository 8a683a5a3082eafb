"""The locked downloader: fetches what a lock list names and accepts nothing else.

`fetch` is the entry point. A file is written to `.part`, resumed there after an interruption, checked by size and hash,
and only then renamed; files that are already right cost one `stat` each and no network.
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import httpx

from engine.embedded.file_locks import locked
from engine.embedded.layout import Cache
from engine.embedded.locked_files import FIXED_TIME, LockedFile, LockList, lacking, read_stamp, sha256_of, write_stamp
from engine.errors import DownloadFailed, StackError
from engine.progress import Progress

CENTRAL = "central"


def repository_url(configured: str | None) -> str:
    """Base URL without a trailing slash: the configured one, else a mirror of Maven's settings, else central."""
    if configured:
        return configured.rstrip("/")
    for settings in _settings_files():
        mirror = mirror_of_central(settings)
        if mirror:
            return mirror.rstrip("/")
    return str(import_module("jgo.constants").MAVEN_CENTRAL_URL).rstrip("/")


def mirror_of_central(settings: Path) -> str | None:
    """The mirror that stands for the central repository in a settings.xml; None when there is none to use."""
    try:
        root = ElementTree.parse(settings).getroot()
    except (OSError, ElementTree.ParseError):
        return None
    for mirror in root.iterfind("{*}mirrors/{*}mirror"):
        url = (mirror.findtext("{*}url") or "").strip()
        blocked = (mirror.findtext("{*}blocked") or "").strip() == "true"
        # A URL with placeholders needs Maven itself to be understood.
        if url and not blocked and "${" not in url and _stands_for_central(mirror.findtext("{*}mirrorOf") or ""):
            return url
    return None


def _stands_for_central(mirror_of: str) -> bool:
    names = {name.strip() for name in mirror_of.split(",")}
    return f"!{CENTRAL}" not in names and not names.isdisjoint({CENTRAL, "*", "external:*"})


def _settings_files() -> Iterator[Path]:
    """The user's settings win over those of the installation, as in Maven."""
    yield Path.home() / ".m2" / "settings.xml"
    program = shutil.which("mvn")
    if program:
        yield Path(program).resolve().parent.parent / "conf" / "settings.xml"
    yield Path("/etc/maven/settings.xml")


CONCURRENT = 8
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
TRY_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class DownloadPatience:
    """How long to wait (seconds) and how often to try before giving up."""

    connect: float = 10
    read: float = 30
    attempts: int = 5
    backoff: float = 0.5


class _Interrupted(Exception):
    """This attempt failed in a way that another one may not."""


async def fetch(
    wanted: LockList,
    cache: Cache,
    progress: Progress,
    *,
    base_url: str | None = None,
    verify: bool = False,
    patience: DownloadPatience | None = None,
) -> list[Path]:
    """Bring the files of the list into the cache and return their paths in the list's order.

    `verify` hashes again what an earlier run has already hashed. Raises DownloadFailed when a file cannot be had,
    StackError when there is no room for it.
    """
    stamp_file = cache.jars / f"{wanted.name}.stamp"

    async def look(trust: bool) -> tuple[LockedFile, ...]:
        stamp = read_stamp(stamp_file) if trust else {}
        return await asyncio.to_thread(lacking, wanted.files, cache.jars, stamp)

    try:
        if verify or not stamp_file.exists() or await look(trust=True):
            cache.jars.mkdir(parents=True, exist_ok=True)
            async with locked(cache.lock(wanted.name), progress, "waiting for another download"):
                missing = await look(trust=not verify)
                if missing:
                    transfer = _Transfer(cache.jars, repository_url(base_url), progress, patience or DownloadPatience())
                    await transfer.bring(missing, f"{wanted.name} files")
                await asyncio.to_thread(write_stamp, stamp_file, cache.jars, wanted.files)
    except OSError as error:
        raise _as_stack_error(error, cache.folder, sum(file.size for file in wanted.files)) from error
    return wanted.paths(cache.jars)


def _as_stack_error(error: OSError, folder: Path, size: int) -> StackError:
    if error.errno in NO_ROOM:
        return StackError(f"There is no room left in {folder}; about {size // 2**20 + 1} MB are needed there.")
    return StackError(f"The cache folder {folder} cannot be written: {error.strerror}.")


class _Transfer:
    """One run of the downloader."""

    def __init__(self, folder: Path, base_url: str, progress: Progress, patience: DownloadPatience) -> None:
        self._folder, self._base_url, self._progress, self._patience = folder, base_url, progress, patience
        self._slots = asyncio.Semaphore(CONCURRENT)
        self._task = ""
        self._shown: dict[str, int] = {}

    async def bring(self, files: tuple[LockedFile, ...], task: str) -> None:
        """Fetch all of them; the first that cannot be had ends the run."""
        self._task = task
        self._progress.start(task, sum(file.size for file in files), "bytes")
        timeout = httpx.Timeout(self._patience.read, connect=self._patience.connect)
        async with httpx.AsyncClient(timeout=timeout, follow_redirects=True) as client:
            try:
                async with asyncio.TaskGroup() as group:
                    for file in files:
                        group.create_task(self._bring_one(client, file))
            except* (StackError, OSError) as failures:
                # As a rule all fail for the same reason (no network, no space): report one.
                raise _first(failures) from None
            finally:
                self._progress.finish(task)

    async def _bring_one(self, client: httpx.AsyncClient, file: LockedFile) -> None:
        reason = ""
        async with self._slots:
            for attempt in range(self._patience.attempts):
                if attempt:
                    await asyncio.sleep(self._patience.backoff * 2 ** (attempt - 1))
                try:
                    await self._attempt(client, file)
                except _Interrupted as interruption:
                    reason = str(interruption)
                else:
                    return
        host = httpx.URL(self._base_url).host
        raise DownloadFailed(f"{file.name} could not be fetched from {host}: {reason}.")

    async def _attempt(self, client: httpx.AsyncClient, file: LockedFile) -> None:
        target = self._folder / file.path
        part = target.with_name(target.name + ".part")
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            await self._receive(client, file, part)
        except httpx.HTTPError as error:
            raise _Interrupted(_describe(error)) from error
        except OSError:
            part.unlink(missing_ok=True)
            raise
        if part.stat().st_size != file.size:
            raise _Interrupted("the file ended early")
        if await asyncio.to_thread(sha256_of, part) != file.sha256:
            part.unlink()
            self._show(file, 0)
            raise _Interrupted("its content does not match the lock list")
        os.utime(part, (FIXED_TIME, FIXED_TIME))
        part.replace(target)

    async def _receive(self, client: httpx.AsyncClient, file: LockedFile, part: Path) -> None:
        """Append what is missing of the file; a server that cannot resume sends it from the start."""
        have = self._resume_point(part, file)
        self._show(file, have)
        if have == file.size:
            return
        headers = (
            {"Range": f"bytes={have}-", "Accept-Encoding": "identity"} if have else {"Accept-Encoding": "identity"}
        )
        async with client.stream("GET", f"{self._base_url}/{file.path}", headers=headers) as response:
            self._check_status(response)
            if have and response.status_code != HTTPStatus.PARTIAL_CONTENT:
                have = 0
            with part.open("ab" if have else "wb") as stream:
                # Written as they arrive: the bytes before an interruption are kept.
                async for piece in response.aiter_bytes():
                    have += len(piece)
                    if have > file.size:
                        stream.truncate(0)
                        raise _Interrupted("the file is longer than the lock list says")
                    stream.write(piece)
                    self._show(file, have)

    def _show(self, file: LockedFile, have: int) -> None:
        """Progress counts what lies on the disk; a file that starts again counts backwards first."""
        self._progress.advance(self._task, have - self._shown.get(file.path, 0))
        self._shown[file.path] = have

    def _resume_point(self, part: Path, file: LockedFile) -> int:
        have = part.stat().st_size if part.exists() else 0
        if have > file.size:
            part.unlink()
            have = 0
        return have

    def _check_status(self, response: httpx.Response) -> None:
        status = response.status_code
        if status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE or status in TRY_AGAIN:
            raise _Interrupted(f"the server answered {status}")
        if not response.is_success:
            url = response.url.copy_with(username=None, password=None)
            raise DownloadFailed(f"The repository answered {status} for {url}.")


def _describe(error: httpx.HTTPError) -> str:
    if isinstance(error, httpx.TimeoutException):
        return "the server did not answer in time"
    if isinstance(error, httpx.ConnectError):
        return "no connection"
    return "the connection broke off"


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The most specific of the failures: a refusal or a full disk before a broken connection."""
    leaves: list[BaseException] = []
    for failure in group.exceptions:
        leaves.append(_first(failure) if isinstance(failure, BaseExceptionGroup) else failure)
    return min(leaves, key=lambda failure: not isinstance(failure, OSError))
