"""The locked downloader: fetches what a lock list names and accepts nothing else.

`fetch` is the entry point. A file is written to `.part`, resumed there after an interruption, checked by size and hash,
and only then renamed; files that are already right cost one `stat` each and no network.
"""

from __future__ import annotations

import asyncio
import errno
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

from engine.embedded.file_locks import locked
from engine.embedded.layout import Cache
from engine.embedded.locked_files import LockedFile, LockList, lacking, read_stamp, write_stamp
from engine.errors import StackError
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


NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@dataclass(frozen=True, slots=True)
class DownloadPatience:
    """How long to wait (seconds) and how often to try before giving up."""

    connect: float = 10
    read: float = 30
    attempts: int = 5
    backoff: float = 0.5


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
                    transfer = import_module("engine.embedded.transfer").Transfer  # late: it loads an HTTP client
                    how = (repository_url(base_url), progress, patience or DownloadPatience())
                    await transfer(cache.jars, *how).bring(missing, f"{wanted.name} files")
                await asyncio.to_thread(write_stamp, stamp_file, cache.jars, wanted.files)
    except OSError as error:
        raise _as_stack_error(error, cache.folder, sum(file.size for file in wanted.files)) from error
    return wanted.paths(cache.jars)


def _as_stack_error(error: OSError, folder: Path, size: int) -> StackError:
    if error.errno in NO_ROOM:
        return StackError(f"There is no room left in {folder}; about {size // 2**20 + 1} MB are needed there.")
    return StackError(f"The cache folder {folder} cannot be written: {error.strerror}.")
