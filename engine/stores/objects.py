"""Objects: file bytes under keys that mirror the hierarchy, in a folder or in any S3 service, the same behaviour.

Keys are ASCII, separated by slashes, and written once: a put under an existing key replaces it whole or not at all.
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from os import SEEK_END
from pathlib import Path
from typing import IO, Protocol
from urllib.parse import parse_qs, unquote, urlsplit
from uuid import uuid4

import urllib3
from minio import Minio
from minio.error import MinioException, S3Error

from engine.errors import InvalidInput, NotFound, SettingsError, StoreFull, StoreUnavailable

STORE = "object store"
BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object as the store lists it."""

    key: str
    size: int
    modified: datetime


class ObjectStore(Protocol):
    """A place for bytes. Every method raises StoreUnavailable when the store does not answer."""

    async def put(self, key: str, content: IO[bytes]) -> None:
        """Stores what is left to read of `content`; readers see all of it or none. Raises StoreFull."""

    def read(self, key: str) -> AsyncIterator[bytes]:
        """The bytes in blocks of at most 1 MiB; raises NotFound."""

    async def delete(self, key: str) -> None:
        """Removes the object; a missing one is fine."""

    def listing(self, prefix: str) -> AsyncIterator[StoredObject]:
        """Every object whose key starts with the prefix."""

    async def check(self) -> None:
        """Proves that the store can be reached and written to."""


def _checked(key: str) -> str:
    parts = key.split("/")
    if not key.isascii() or any(part in ("", ".", "..") for part in parts) or "\x00" in key or "\\" in key:
        raise InvalidInput("Not a key of the object store.")
    return key


@contextmanager
def _translating() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise NotFound from error
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        raise (StoreFull if full else StoreUnavailable)(STORE) from error


class FolderStore:
    """Objects as files below one folder. A put writes beside, flushes, then renames."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _path(self, key: str) -> Path:
        return self._folder.joinpath(*_checked(key).split("/"))

    async def put(self, key: str, content: IO[bytes]) -> None:
        """Stores what is left to read of `content`; readers see all of it or none. Raises StoreFull."""
        await asyncio.to_thread(self._put, self._path(key), content)

    def _put(self, target: Path, content: IO[bytes]) -> None:
        partial = target.with_name(f".{target.name}.{uuid4().hex}.part")
        with _translating():
            try:
                target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                with partial.open("xb") as writer:
                    shutil.copyfileobj(content, writer, BLOCK)
                    writer.flush()
                    os.fsync(writer.fileno())
                partial.replace(target)
            except BaseException:
                partial.unlink(missing_ok=True)
                raise

    async def read(self, key: str) -> AsyncIterator[bytes]:
        """The bytes in blocks of at most 1 MiB; raises NotFound."""
        with _translating():
            reader = await asyncio.to_thread(self._path(key).open, "rb")
            try:
                while block := await asyncio.to_thread(reader.read, BLOCK):
                    yield block
            finally:
                reader.close()

    async def delete(self, key: str) -> None:
        """Removes the object; a missing one is fine."""
        with _translating():
            await asyncio.to_thread(self._path(key).unlink, missing_ok=True)

    async def listing(self, prefix: str) -> AsyncIterator[StoredObject]:
        """Every object whose key starts with the prefix."""
        start = self._folder.joinpath(*prefix.split("/")[:-1])
        for entry in await asyncio.to_thread(lambda: sorted(start.rglob("*")) if start.is_dir() else []):
            key = entry.relative_to(self._folder).as_posix()
            if key.startswith(prefix) and not entry.is_dir():
                with _translating():
                    status = entry.stat()
                yield StoredObject(key, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC))

    async def check(self) -> None:
        """Proves that the folder can be written to."""
        with _translating():
            await asyncio.to_thread(self._folder.mkdir, parents=True, exist_ok=True, mode=0o700)
            probe = self._folder / f".probe-{uuid4().hex}"
            await asyncio.to_thread(probe.write_bytes, b"")
            await asyncio.to_thread(probe.unlink)


class S3Store:
    """Objects in a bucket of any S3 service, through the minio client in worker threads."""

    def __init__(self, client: Minio, bucket: str) -> None:
        self._client, self._bucket = client, bucket

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            with _translating():
                yield
        except S3Error as error:
            if error.code in ("NoSuchKey", "NoSuchBucket", "NoSuchObject"):
                raise NotFound from error
            raise StoreUnavailable(STORE) from error
        except (MinioException, urllib3.exceptions.HTTPError) as error:
            raise StoreUnavailable(STORE) from error

    async def put(self, key: str, content: IO[bytes]) -> None:
        """Stores what is left to read of `content`, in parts where it is large; readers see all of it or none."""
        with self._translating():
            await asyncio.to_thread(self._put, _checked(key), content)

    def _put(self, key: str, content: IO[bytes]) -> None:
        start = content.tell()
        size = content.seek(0, SEEK_END) - start
        content.seek(start)
        self._client.put_object(self._bucket, key, content, size)  # type: ignore[arg-type]

    async def read(self, key: str) -> AsyncIterator[bytes]:
        """The bytes in blocks of at most 1 MiB; raises NotFound."""
        with self._translating():
            response = await asyncio.to_thread(self._client.get_object, self._bucket, _checked(key))
            try:
                while block := await asyncio.to_thread(response.read, BLOCK):
                    yield block
            finally:
                response.close()
                response.release_conn()

    async def delete(self, key: str) -> None:
        """Removes the object; a missing one is fine."""
        with self._translating():
            await asyncio.to_thread(self._client.remove_object, self._bucket, _checked(key))

    async def listing(self, prefix: str) -> AsyncIterator[StoredObject]:
        """Every object whose key starts with the prefix."""
        with self._translating():
            entries = self._client.list_objects(self._bucket, prefix=prefix, recursive=True)
            while (entry := await asyncio.to_thread(next, entries, None)) is not None:
                yield StoredObject(entry.object_name or "", entry.size or 0, entry.last_modified or datetime.now(UTC))

    async def check(self) -> None:
        """Proves that the bucket is there, and makes it where it may."""
        with self._translating():
            if not await asyncio.to_thread(self._client.bucket_exists, self._bucket):
                with suppress(S3Error):  # another process was faster; if not, the first put says so
                    await asyncio.to_thread(self._client.make_bucket, self._bucket)


def object_store(url: str, *, timeout: float, authority: Path | None = None) -> ObjectStore:
    """The store that a URL names: `file:///folder` or `s3://key:secret@host:port/bucket?secure=true&region=…`."""
    parts = urlsplit(url)
    if parts.scheme == "file" and authority:
        raise SettingsError("NEURIGRAPH_OBJECTS_CA is for an S3 service: set NEURIGRAPH_OBJECTS_URL to one.")
    if parts.scheme == "file":
        return FolderStore(Path(unquote(parts.path)))
    bucket = parts.path.strip("/")
    if parts.scheme != "s3" or not parts.hostname or not bucket or "/" in bucket:
        raise SettingsError("The object store's URL is file:///folder or s3://key:secret@host:port/bucket.")
    options = parse_qs(parts.query)
    secure = options.get("secure", ["true"])[0] != "false"
    if authority and not secure:
        raise SettingsError("NEURIGRAPH_OBJECTS_CA does not go with secure=false in the object store's URL.")
    client = Minio(
        f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname,
        access_key=unquote(parts.username or ""),
        secret_key=unquote(parts.password or ""),
        secure=secure,
        region=options.get("region", ["us-east-1"])[0],
        http_client=urllib3.PoolManager(
            timeout=urllib3.Timeout(connect=timeout, read=60),
            retries=urllib3.Retry(3, backoff_factor=0.2),
            maxsize=16,
            cert_reqs="CERT_REQUIRED",
            ca_certs=str(authority) if authority else None,
        ),
    )
    return S3Store(client, bucket)
