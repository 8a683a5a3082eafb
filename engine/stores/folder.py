"""Objects as files below one folder: a put writes a temporary file, flushes it, then renames it.

A killed process leaves the old object or the new one, and at most a temporary file that no reader sees.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO
from uuid import uuid4

from engine.errors import NotFound, StoreFailed, StoreFull, StoreUnavailable
from engine.stores.tier import BLOCK, STORE, UNFINISHED, HeldObject, StoredObject, checked, in_pages, in_thread

ATTEMPTS = 20
"""How often a put creates its folder again when concurrent deletes remove it as empty."""


@contextmanager
def _translating() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise StoreFull(STORE) from error
        # to wait would not mend a folder that is a file, or may not be written
        why = f"The {STORE} cannot be used: {error.strerror}." if error.strerror else None
        raise StoreUnavailable(STORE, why) from error


@contextmanager
def _translating_missing() -> Iterator[None]:
    try:
        with _translating():
            yield
    except StoreUnavailable as error:
        if isinstance(error.__cause__, FileNotFoundError | IsADirectoryError | NotADirectoryError):
            raise NotFound from error.__cause__
        raise


class Folder:
    """A tier of files; see `Tier` for what its methods promise."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._unfinished = folder / UNFINISHED

    def _path(self, key: str) -> Path:
        return self.folder.joinpath(*checked(key).split("/"))

    async def put(self, key: str, content: IO[bytes]) -> None:
        await in_thread(self._put, self._path(key), content)

    def _put(self, target: Path, content: IO[bytes]) -> None:
        partial = self._unfinished / uuid4().hex
        with _translating():
            try:
                _make_folder(self._unfinished)
                with partial.open("xb") as writer:
                    shutil.copyfileobj(content, writer, BLOCK)
                    writer.flush()
                    os.fsync(writer.fileno())
                _publish(partial, target)
            except BaseException:
                partial.unlink(missing_ok=True)
                raise

    async def read(self, key: str) -> AsyncIterator[bytes]:
        with _translating_missing():
            reader = await in_thread(self._path(key).open, "rb")
        try:
            with _translating():
                while block := await in_thread(reader.read, BLOCK):
                    yield block
        finally:
            reader.close()

    async def find(self, key: str) -> StoredObject:
        with _translating_missing():
            status = await in_thread(self._path(key).stat)
        if not stat.S_ISREG(status.st_mode):
            raise NotFound
        return StoredObject(key, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))

    async def delete(self, key: str) -> None:
        with _translating():
            await in_thread(self._delete, self._path(key))

    def _delete(self, target: Path) -> None:
        try:
            target.unlink()
        except (FileNotFoundError, NotADirectoryError):
            return
        _sync(target.parent)
        self._remove_empty(target.parent)

    def _remove_empty(self, folder: Path) -> None:
        """Removes a folder and those above it that are empty; one that is gone already does not end it."""
        while folder != self.folder:
            try:
                folder.rmdir()
            except (FileNotFoundError, NotADirectoryError):
                pass
            except OSError:  # not empty: stop here
                return
            else:
                _sync(folder.parent)
            folder = folder.parent

    async def listing(self, prefix: str) -> AsyncIterator[StoredObject]:
        """Every object whose key starts with the prefix, sorted by key. In memory: one folder's names a level."""
        above = prefix.rpartition("/")[0]
        start = self._path(above) if above else self.folder
        with _translating():
            async for entry in in_pages(_walk(start, f"{above}/" if above else "", prefix)):
                yield entry

    async def held(self, prefix: str) -> AsyncIterator[HeldObject]:
        """Its files, and empty folders: a killed process may leave them, and their names are those of nodes."""
        above = prefix.rpartition("/")[0]
        start = self._path(above) if above else self.folder
        with _translating():
            (await in_thread(os.scandir, self.folder)).close()  # a disk that is not mounted is not an empty store
            async for key in in_pages(_names(start, f"{above}/" if above else "", prefix)):
                yield HeldObject(key, folder=key.endswith("/"))
            if above and (left := await in_thread(self._empty_above, start)):
                yield HeldObject(left, folder=True)

    def _empty_above(self, folder: Path) -> str:
        """The key of the first folder above one that is gone, where it is empty; "" where there is none."""
        if folder.exists():
            return ""
        while not folder.exists() and folder != self.folder:
            folder = folder.parent
        if folder == self.folder or not folder.is_dir() or any(folder.iterdir()):
            return ""
        return f"{folder.relative_to(self.folder).as_posix()}/"

    async def erase(self, held: HeldObject) -> None:
        with _translating():
            await in_thread(self._erase, self._path(held.key.removesuffix("/")), folder=held.folder)

    def _erase(self, target: Path, *, folder: bool) -> None:
        try:
            if not folder:
                target.unlink()
                _sync(target.parent)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except (PermissionError, IsADirectoryError) as error:
            raise StoreFailed(STORE, f"The {STORE} does not let a file be deleted: {error.strerror}.") from error
        except OSError as error:
            if error.errno != errno.EROFS:
                raise
            raise StoreFailed(STORE, f"The {STORE} does not let a file be deleted: {error.strerror}.") from error
        self._remove_empty(target if folder else target.parent)

    async def presigned(self, key: str, expires: timedelta) -> str | None:
        """None: a folder has no URLs."""
        return None

    async def discard_unfinished(self, before: datetime, ours: Callable[[str], bool]) -> int:
        """Removes temporary files of puts last written before; how many. They lie in a folder of their own."""
        with _translating():
            return await in_thread(self._discard, before.timestamp())

    def _discard(self, before: float) -> int:
        removed = 0
        for file in self._unfinished.iterdir() if self._unfinished.is_dir() else ():
            with suppress(FileNotFoundError):  # its put has ended
                if file.stat().st_mtime <= before:
                    file.unlink()
                    removed += 1
        return removed

    async def check(self) -> None:
        """Checks that the folder is writable."""
        with _translating():
            await in_thread(self._probe)

    def _probe(self) -> None:
        _make_folder(self._unfinished)
        probe = self._unfinished / f"probe-{uuid4().hex}"
        probe.write_bytes(b"")
        probe.unlink()


def _make_folder(folder: Path) -> None:
    """Creates the folder and its parents, each flushed to disk before anything is written into it."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        with suppress(FileExistsError):  # created concurrently; if it is a file, using it raises
            folder.mkdir(mode=0o700)
            _sync(folder.parent)


def _publish(partial: Path, target: Path) -> None:
    for _ in range(ATTEMPTS):
        with suppress(FileNotFoundError):  # a concurrent delete removed the empty folder
            _make_folder(target.parent)
            partial.replace(target)
            _sync(target.parent)
            return
    raise StoreUnavailable(STORE)


def _sync(folder: Path) -> None:
    """Flushes the names in a folder to disk."""
    with suppress(FileNotFoundError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _walk(folder: Path, above: str, prefix: str) -> Iterator[StoredObject]:
    """The files below a folder whose keys start with the prefix; `above` is the folder's own part of the key."""
    try:
        with os.scandir(folder) as found:
            # a folder is sorted as its keys are: with the slash
            entries = sorted((entry.name + "/" * entry.is_dir(follow_symlinks=False), entry) for entry in found)
    except (FileNotFoundError, NotADirectoryError):
        return
    for name, entry in entries:
        key = above + name
        if name.endswith("/"):
            if key != f"{UNFINISHED}/" and (key.startswith(prefix) or prefix.startswith(key)):
                yield from _walk(folder / entry.name, key, prefix)
        elif key.startswith(prefix):
            with suppress(FileNotFoundError):  # deleted meanwhile
                status = entry.stat()
                if stat.S_ISREG(status.st_mode):
                    yield StoredObject(key, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))


def _names(folder: Path, above: str, prefix: str) -> Iterator[str]:
    """The keys of all that lies below a folder and starts with the prefix: files, links, and folders in which nothing is, these
    with a slash at the end; what `_walk` does not list, too."""
    try:
        with os.scandir(folder) as found:
            entries = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in found)
    except (FileNotFoundError, NotADirectoryError):
        return
    if not entries and above.startswith(prefix) and above:
        yield above
    for name, is_folder in entries:
        key = above + name + "/" * is_folder
        if key == f"{UNFINISHED}/":
            continue
        if is_folder and (key.startswith(prefix) or prefix.startswith(key)):
            yield from _names(folder / name, key, prefix)
        elif not is_folder and key.startswith(prefix):
            yield key
