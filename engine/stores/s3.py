"""Objects in a bucket of any S3 service, through the minio client in worker threads.

Large objects are uploaded in parts, one in memory at a time, and become visible when the last step has succeeded.
Refused connections, timeouts, 5xx and "slow down" are retried with growing pauses; a broken download is resumed. Every
wait has a timeout.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from os import SEEK_END
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import SplitResult, parse_qs, unquote, unquote_plus
from xml.etree import ElementTree

import urllib3
from minio import Minio
from minio.error import MinioException, S3Error
from minio.sse import Sse, SseKMS, SseS3

from engine.errors import InvalidInput, NotFound, SettingsError, StoreFailed, StoreFull, StoreUnavailable
from engine.stores.certificates import NO_AUTHORITY, certificate_refused
from engine.stores.tier import BLOCK, STORE, HeldObject, StoredObject, StorePatience, checked, in_pages, in_thread

PART = 8 << 20
"""Bytes of a part; larger where an object would have more than MOST_PARTS."""
MOST_PARTS = 9000
LISTED = 1000
"""Versions, or uploads, that one request lists."""
ATTEMPTS = 4
"""Attempts of a whole put, or of the rest of a read."""
TRANSIENT = frozenset({429, 500, 502, 503, 504})
_AGAIN = frozenset({"NoSuchUpload", "RequestTimeout", "InternalError", "SlowDown", "ServiceUnavailable"})
"""Codes after which a put is retried. NoSuchUpload: the last step was retried after its first answer was lost."""
_NOT_FOR_US = frozenset({"AccessDenied", "NotImplemented", "MethodNotAllowed"})
"""Codes of a service that denies or lacks the list of uploads; a lifecycle rule of the bucket may end them instead."""
_LACKING = frozenset({"NotImplemented", "MethodNotAllowed"})
"""Codes of a service that has no versions of objects, or no list of uploads."""
_LISTS_NEEDED = (
    "does not let us list what it keeps of an object: allow s3:ListBucketVersions and s3:ListBucketMultipartUploads"
)
_ERASING_NEEDED = (
    "does not let an object be deleted for good ({code}): allow s3:DeleteObjectVersion, and end the lock that is on it"
)
_REFUSED = dict.fromkeys(
    ("InvalidAccessKeyId", "XAdminUserNotFound", "SignatureDoesNotMatch", "AccessDenied"),
    "refuses the key or the secret of its URL, or what they may do there",
) | {"NoSuchBucket": "has no bucket of the name in its URL, and lets none be made"}
"""By the code of a service that lets nobody in: what is said of it."""
_GONE = frozenset({"NoSuchKey", "NoSuchObject", "NoSuchVersion", "NoSuchUpload"})
_FULL = frozenset({"XMinioStorageFull", "InsufficientStorage", "QuotaExceeded"})
NO_ROOM = 507
_OPTIONS = frozenset({"secure", "region", "sse", "class"})
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")


@contextmanager
def _translating() -> Iterator[None]:
    try:
        yield
    except S3Error as error:
        if error.code in ("NoSuchKey", "NoSuchObject"):
            raise NotFound from error
        if error.code in _FULL or error.response.status == NO_ROOM:
            raise StoreFull(STORE) from error
        refused = _REFUSED.get(error.code or "") or _other(error)
        raise StoreUnavailable(STORE, f"The {STORE} {refused}." if refused else None) from error
    except (MinioException, urllib3.exceptions.HTTPError, OSError) as error:
        said = f"The {STORE} {NO_AUTHORITY}; see NEURIGRAPH_OBJECTS_CA." if certificate_refused(error) else None
        raise StoreUnavailable(STORE, said) from error


@contextmanager
def _refusing(needed: str) -> Iterator[None]:
    """Raises StoreFailed where the service answers and refuses, with what is needed; another attempt would not change it."""
    try:
        yield
    except S3Error as error:
        if error.code in _GONE:
            raise NotFound from error
        if error.code == "AccessDenied" or (error.code not in _REFUSED and _other(error)):
            raise StoreFailed(STORE, f"The {STORE} {needed.format(code=error.code)}.") from error
        raise


def _other(error: S3Error) -> str:
    """What else a service refuses, which no second attempt changes, by its own code; empty where one may."""
    status = error.response.status
    passing = error.code in _AGAIN or status in TRANSIENT or not 400 <= status < 500
    return "" if passing else f"refuses the request ({error.code})"


@dataclass(frozen=True, slots=True)
class _Versions:
    """A page of the list of versions and delete markers, and where the next one begins."""

    held: list[HeldObject]
    more: bool = False
    next_key: str = ""
    next_version: str = ""


_NO_VERSIONS = _Versions([])


def _versions_of(answer: bytes) -> _Versions:
    whole = ElementTree.fromstring(answer)
    names = dict.fromkeys(whole, "")  # the service's name space stands before each name
    for part in whole:
        names[part] = part.tag.rpartition("}")[2]
    said = {names[part]: part.text or "" for part in whole}
    url = said.get("EncodingType") == "url"

    def text(part: ElementTree.Element, name: str) -> str:
        found = next((one.text or "" for one in part if one.tag.rpartition("}")[2] == name), "")
        return unquote_plus(found) if url and name == "Key" else found

    held = [
        HeldObject(text(part, "Key"), version=text(part, "VersionId") or None)
        for part in whole
        if names[part] in ("Version", "DeleteMarker")
    ]
    next_key = unquote_plus(said.get("NextKeyMarker", "")) if url else said.get("NextKeyMarker", "")
    return _Versions(held, said.get("IsTruncated") == "true", next_key, said.get("NextVersionIdMarker", ""))


class Bucket:
    """A tier in a bucket; see `Tier` for what its methods promise. `encryption` and `storage_class` are sent with every put."""

    def __init__(
        self, client: Minio, name: str, *, encryption: Sse | None = None, storage_class: str | None = None
    ) -> None:
        self._client, self._name, self._encryption = client, name, encryption
        self._metadata = {"x-amz-storage-class": storage_class} if storage_class else None

    async def put(self, key: str, content: IO[bytes]) -> None:
        with _translating():
            await in_thread(self._put, checked(key), content)

    def _put(self, key: str, content: IO[bytes]) -> None:
        start = content.tell()
        size = content.seek(0, SEEK_END) - start
        for attempt in range(ATTEMPTS):
            time.sleep(0.3 * attempt)
            content.seek(start)
            try:
                if self._sent(key, content, size):
                    return
            except S3Error as error:
                if error.code not in _AGAIN:
                    raise
        raise StoreUnavailable(STORE)

    def _sent(self, key: str, content: IO[bytes], size: int) -> bool:
        """Whether it is stored: the service may answer the last step with status 200 and an error, without a tag."""
        done = self._client.put_object(
            self._name,
            key,
            content,  # type: ignore[arg-type]
            size,
            metadata=self._metadata,  # type: ignore[arg-type]
            sse=self._encryption,
            part_size=max(PART, -(-size // MOST_PARTS)),
            num_parallel_uploads=1,
        )
        return bool(done.etag)

    async def read(self, key: str) -> AsyncIterator[bytes]:
        with _translating():
            response = await in_thread(self._client.get_object, self._name, checked(key))
            tag, position, failures = response.headers.get("etag", ""), 0, 0
            while True:
                try:
                    while block := await in_thread(response.read, BLOCK):
                        position += len(block)
                        yield block
                    return
                except urllib3.exceptions.HTTPError:
                    failures += 1
                    if failures == ATTEMPTS:
                        raise
                finally:
                    response.close()
                    response.release_conn()
                await asyncio.sleep(0.2 * failures)
                response = await self._rest(key, position, tag)

    async def _rest(self, key: str, position: int, tag: str) -> urllib3.BaseHTTPResponse:
        """The same object from a position on. Raises StoreUnavailable where the key holds another one now, or none."""
        unchanged: dict[str, str | list[str] | tuple[str]] | None = {"If-Match": tag} if tag else None
        try:
            return await in_thread(self._client.get_object, self._name, key, offset=position, request_headers=unchanged)
        except S3Error as error:
            raise StoreUnavailable(STORE) from error

    async def find(self, key: str) -> StoredObject:
        with _translating():
            found = await in_thread(self._client.stat_object, self._name, checked(key))
        return StoredObject(key, found.size or 0, found.last_modified or datetime.now(UTC))

    async def delete(self, key: str) -> None:
        with suppress(NotFound), _translating():
            await in_thread(self._client.remove_object, self._name, checked(key))

    async def listing(self, prefix: str) -> AsyncIterator[StoredObject]:
        found = self._client.list_objects(self._name, prefix=prefix, recursive=True)
        now = datetime.now(UTC)
        objects = (StoredObject(one.object_name or "", one.size or 0, one.last_modified or now) for one in found)
        with _translating():
            async for entry in in_pages(objects):
                yield entry

    async def held(self, prefix: str) -> AsyncIterator[HeldObject]:
        """All versions and delete markers, and unfinished uploads. A service without versions has one of each object."""
        with _translating(), _refusing(_LISTS_NEEDED):
            async for one in in_pages(self._versions(prefix)):
                yield one
            async for one in in_pages(self._uploads(prefix)):
                yield one

    def _versions(self, prefix: str) -> Iterator[HeldObject]:
        try:
            page = self._page_of_versions(prefix)
            while page.held:
                yield from page.held
                page = self._page_of_versions(prefix, page.next_key, page.next_version) if page.more else _NO_VERSIONS
            return
        except S3Error as error:
            if error.code not in _LACKING:
                raise
        for one in self._client.list_objects(self._name, prefix=prefix, recursive=True):
            yield HeldObject(one.object_name or "")

    def _page_of_versions(self, prefix: str, key: str = "", version: str = "") -> _Versions:
        # not the client's own list: it fails at times with fractions of a second longer than it knows
        asked = {"versions": "", "prefix": prefix, "delimiter": "", "max-keys": str(LISTED), "encoding-type": "url"}
        asked |= {"key-marker": key} if key else {}
        asked |= {"version-id-marker": version} if version else {}
        return _versions_of(self._client._execute("GET", self._name, query_params=cast(Any, asked)).data)

    def _uploads(self, prefix: str) -> Iterator[HeldObject]:
        key, upload = None, None
        while True:
            try:
                page = self._client._list_multipart_uploads(  # see _discard
                    self._name, prefix=prefix, key_marker=key, upload_id_marker=upload, max_uploads=LISTED
                )
            except S3Error as error:
                if error.code in _LACKING:
                    return
                raise
            for one in page.uploads:
                if one.object_name.startswith(prefix):  # not every service knows the prefix here
                    yield HeldObject(one.object_name, upload=one.upload_id)
            if not page.is_truncated or (key, upload) == (page.next_key_marker, page.next_upload_id_marker):
                return
            key, upload = page.next_key_marker, page.next_upload_id_marker

    async def erase(self, held: HeldObject) -> None:
        with suppress(NotFound), _translating(), _refusing(_ERASING_NEEDED):
            if held.upload is not None:
                await in_thread(self._client._abort_multipart_upload, self._name, checked(held.key), held.upload)
            else:
                await in_thread(self._client.remove_object, self._name, checked(held.key), held.version)

    async def presigned(self, key: str, expires: timedelta) -> str | None:
        """A presigned download URL, valid for 1 second to 7 days. Raises InvalidInput for other times."""
        if not timedelta(seconds=1) <= expires <= timedelta(days=7):
            raise InvalidInput("A download URL is valid for 1 second to 7 days.")
        with _translating():
            return await in_thread(self._client.presigned_get_object, self._name, checked(key), expires=expires)

    async def discard_unfinished(self, before: datetime, ours: Callable[[str], bool]) -> int:
        """Aborts multipart uploads that started before, at most 1,000 at a time; how many (0 where denied)."""
        with _translating():
            return await in_thread(self._discard, before, ours)

    def _discard(self, before: datetime, ours: Callable[[str], bool]) -> int:
        # private methods of the client: there are no public ones, and parts of killed uploads are billed for ever
        try:
            found = self._client._list_multipart_uploads(self._name).uploads
        except S3Error as error:
            if error.code in _NOT_FOR_US:
                return 0
            raise
        old = [upload for upload in found if upload.initiated_time and upload.initiated_time <= before]
        old = [upload for upload in old if ours(upload.object_name)]
        for upload in old:
            with suppress(NotFound):
                self._client._abort_multipart_upload(self._name, upload.object_name, upload.upload_id or "")
        return len(old)

    async def check(self) -> None:
        """Checks that the bucket exists; creates it where it may."""
        with _translating():
            if not await in_thread(self._client.bucket_exists, self._name):
                try:
                    await in_thread(self._client.make_bucket, self._name)
                except S3Error:  # unless another process has created it
                    if not await in_thread(self._client.bucket_exists, self._name):
                        raise


def bucket(url: SplitResult, patience: StorePatience, authority: Path | None) -> Bucket:
    """The bucket of a URL `s3://key:secret@host:port/bucket?secure=…&region=…&sse=…&class=…`; raises SettingsError."""
    name, options = url.path.strip("/"), {option: values[-1] for option, values in parse_qs(url.query).items()}
    if not url.hostname or not _BUCKET.fullmatch(name):
        raise SettingsError("The object store's URL is file:///folder or s3://key:secret@host:port/bucket.")
    if unknown := options.keys() - _OPTIONS:
        raise SettingsError(f"The object store's URL has unknown parameters: {', '.join(sorted(unknown))}.")
    if bool(url.username) != bool(url.password):
        raise SettingsError(
            "The object store's URL has a key and a secret, s3://key:secret@host:port/bucket, or neither."
        )
    secure = options.get("secure", "true") != "false"
    if authority and not secure:
        raise SettingsError("NEURIGRAPH_OBJECTS_CA does not go with secure=false in the object store's URL.")
    client = Minio(
        f"{url.hostname}:{url.port}" if url.port else url.hostname,
        access_key=unquote(url.username or ""),
        secret_key=unquote(url.password or ""),
        secure=secure,
        region=options.get("region", "us-east-1"),
        http_client=_connections(patience, authority),
    )
    return Bucket(client, name, encryption=_encryption(options.get("sse")), storage_class=options.get("class"))


def _connections(patience: StorePatience, authority: Path | None) -> urllib3.PoolManager:
    retries = urllib3.Retry(
        total=4,
        connect=2,
        read=2,
        backoff_factor=0.2,
        backoff_jitter=0.2,
        status_forcelist=TRANSIENT,
        allowed_methods=None,  # POST too: starting an upload twice is harmless, completing it twice is detected
        retry_after_max=10,
    )
    return urllib3.PoolManager(
        timeout=urllib3.Timeout(connect=patience.connect, read=patience.silence),
        retries=retries,
        maxsize=16,
        cert_reqs="CERT_REQUIRED",
        ca_certs=str(authority) if authority else None,
    )


def _encryption(wanted: str | None) -> Sse | None:
    """`s3` for keys of the service, `kms:<key id>` for a key of its key management."""
    kind, _, key = (wanted or "").partition(":")
    if wanted is None:
        return None
    if wanted == "s3":
        return SseS3()
    if kind == "kms" and key:
        return SseKMS(key, {})
    raise SettingsError("The object store's URL has sse=s3 or sse=kms:<key id>.")
