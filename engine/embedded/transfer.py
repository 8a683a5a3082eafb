"""Fetches locked files over HTTP: several at once, resumed after an interruption, each checked by size and hash."""

from __future__ import annotations

import asyncio
import os
from http import HTTPStatus
from pathlib import Path

import httpx

from engine.embedded.downloads import FIXED_TIME, DownloadPatience, LockedFile, sha256_of
from engine.errors import DownloadFailed, StackError
from engine.progress import Progress

CONCURRENT = 8
TRY_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})


class _Interrupted(Exception):
    """This attempt failed in a way that another one may not."""


class Transfer:
    """One run of the downloader: what a cache lacks is fetched, several files at once."""

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
