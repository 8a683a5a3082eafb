"""One behaviour, two object stores: a folder, and a real S3 service where one is on the path (`versitygw`)."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from engine.errors import InvalidInput, NotFound, StoreUnavailable
from engine.stores.objects import FolderStore, ObjectStore, object_store
from tests.ports import free_port


async def content(store: ObjectStore, key: str) -> bytes:
    return b"".join([block async for block in store.read(key)])


async def keys(store: ObjectStore, prefix: str) -> list[str]:
    return sorted([entry.key async for entry in store.listing(prefix)])


class ObjectStoreTests:
    """Every store passes all of this."""

    async def test_what_was_put_is_read_and_put_again_replaces_it(self, store: ObjectStore) -> None:
        for text in (b"first", b"", b"x" * (3 << 20)):
            await store.put("bob/family/1/a.txt.gz", BytesIO(text))
            assert await content(store, "bob/family/1/a.txt.gz") == text

    async def test_listing_knows_keys_sizes_and_prefixes(self, store: ObjectStore) -> None:
        for key in ("bob/a/1/x", "bob/a/2/x", "bob/ab/3/x", "carol/a/4/x"):
            await store.put(key, BytesIO(b"12345"))
        assert await keys(store, "bob/a/") == ["bob/a/1/x", "bob/a/2/x"]
        assert await keys(store, "bob/") == ["bob/a/1/x", "bob/a/2/x", "bob/ab/3/x"]
        assert await keys(store, "nobody/") == []
        assert {entry.size async for entry in store.listing("bob/")} == {5}

    async def test_deleting_is_repeatable_and_a_missing_object_is_not_found(self, store: ObjectStore) -> None:
        await store.put("a/1/x", BytesIO(b"x"))
        await store.delete("a/1/x")
        await store.delete("a/1/x")
        with pytest.raises(NotFound):
            await content(store, "a/1/x")

    @pytest.mark.parametrize("key", ["", "/etc/passwd", "a/../../b", "a//b", "ä/b", "a/b\x00", "a\\b", "."])
    async def test_a_key_cannot_leave_the_store(self, store: ObjectStore, key: str) -> None:
        with pytest.raises(InvalidInput):
            await store.put(key, BytesIO(b"x"))

    async def test_many_at_once(self, store: ObjectStore) -> None:
        contents = [str(number).encode() * 1000 for number in range(32)]
        await asyncio.gather(*(store.put(f"many/{number}/x", BytesIO(c)) for number, c in enumerate(contents)))
        assert await asyncio.gather(*(content(store, f"many/{number}/x") for number in range(32))) == contents


@pytest.mark.ledger("N10")
class TestFolder(ObjectStoreTests):
    @pytest.fixture
    async def store(self, tmp_path: Path) -> ObjectStore:
        opened = object_store((tmp_path / "objects").as_uri(), timeout=5)
        await opened.check()
        return opened

    async def test_a_folder_that_cannot_be_written_is_said_and_leaves_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"")
        store = FolderStore(tmp_path / "file")
        with pytest.raises(StoreUnavailable):
            await store.put("a/1/x", BytesIO(b"x"))
        with pytest.raises(StoreUnavailable):
            await store.check()


@pytest.mark.skipif(shutil.which("versitygw") is None, reason="no S3 server (versitygw) on the path")
class TestS3(ObjectStoreTests):
    @pytest.fixture
    def server(self, tmp_path: Path) -> Iterator[str]:
        port, folder = free_port(), tmp_path / "s3"
        folder.mkdir()
        secrets = {"ROOT_ACCESS_KEY": "tester", "ROOT_SECRET_KEY": "tester secret/+"}
        process = subprocess.Popen(
            ["versitygw", "--port", f"127.0.0.1:{port}", "posix", str(folder)],
            env=os.environ | secrets, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        yield f"127.0.0.1:{port}"
        process.terminate()
        process.wait(10)

    @pytest.fixture
    async def store(self, server: str) -> ObjectStore:
        opened = object_store(f"s3://tester:tester%20secret%2F%2B@{server}/memories?secure=false", timeout=5)
        for _ in range(50):
            try:
                await opened.check()
                return opened
            except StoreUnavailable:
                await asyncio.sleep(0.1)
        raise AssertionError("the S3 server did not start")

    async def test_a_wrong_secret_is_refused(self, server: str, store: ObjectStore) -> None:
        stranger = object_store(f"s3://tester:wrong@{server}/memories?secure=false", timeout=5)
        with pytest.raises(StoreUnavailable):
            await stranger.check()
