"""One behaviour, two object stores: a folder, and a real S3 service (`versitygw`, found on the path or built with Go)."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.node import User
from engine.errors import InvalidInput, NotFound, SettingsError, StoreUnavailable
from engine.neurigraph import Engine
from engine.stores.folder import Folder
from engine.stores.objects import ObjectStore, StoredObject, object_store
from tests.s3_server import CREDENTIALS, s3_server
from tests.stores.mirrored import one_compressed_object_a_file

LARGE = Path(__file__).with_name("large_object.py")
MEGABYTES = int(os.environ.get("NEURIGRAPH_LARGE_OBJECT_MB", "300"))
FLAT = 32
"""MiB that a large object may cost more than a small one."""

Urls = Callable[[], str]


async def content(store: ObjectStore, key: str) -> bytes:
    return b"".join([block async for block in store.read(key)])


async def keys(store: ObjectStore, prefix: str) -> list[str]:
    return [entry.key async for entry in store.listing(prefix)]


async def there(store: ObjectStore, key: str) -> str:
    """The tiers that hold the key."""
    held = ""
    for name, tier in (("hot", store.hot), ("cold", store.cold)):
        if tier and key in [entry.key async for entry in tier.listing("")]:
            held += name
    return held


class ObjectStoreTests:
    """Every store passes all of this."""

    @pytest.fixture
    async def store(self, fresh_url: Urls) -> ObjectStore:
        opened = object_store(fresh_url(), timeout=5)
        await opened.check()
        return opened

    @pytest.fixture
    async def tiers(self, fresh_url: Urls) -> ObjectStore:
        opened = object_store(fresh_url(), timeout=5, cold_url=fresh_url())
        await opened.check()
        return opened

    async def test_what_was_put_is_read_and_put_again_replaces_it(self, store: ObjectStore) -> None:
        for text in (b"first", b"", b"x" * (3 << 20)):
            await store.put("bob/family/1/a.txt.gz", BytesIO(text))
            assert await content(store, "bob/family/1/a.txt.gz") == text

    async def test_only_what_is_left_to_read_is_put(self, store: ObjectStore) -> None:
        stream = BytesIO(b"read before, put now")
        stream.seek(13)
        await store.put("a/1/x", stream)
        assert await content(store, "a/1/x") == b"put now"

    async def test_blocks_are_at_most_a_mebibyte(self, store: ObjectStore) -> None:
        await store.put("a/1/x", BytesIO(b"x" * (5 << 20)))
        assert max([len(block) async for block in store.read("a/1/x")]) <= 1 << 20

    async def test_listing_knows_keys_sizes_and_prefixes(self, store: ObjectStore) -> None:
        for key in ("bob/a/1/x", "bob/a/2/x", "bob/ab/3/x", "carol/a/4/x"):
            await store.put(key, BytesIO(b"12345"))
        assert await keys(store, "bob/a/") == ["bob/a/1/x", "bob/a/2/x"]
        assert await keys(store, "bob/a") == ["bob/a/1/x", "bob/a/2/x", "bob/ab/3/x"]
        assert await keys(store, "bob/") == ["bob/a/1/x", "bob/a/2/x", "bob/ab/3/x"]
        assert await keys(store, "bob/a/2/x") == ["bob/a/2/x"]
        assert await keys(store, "nobody/") == []
        assert {entry.size async for entry in store.listing("bob/")} == {5}
        assert not [entry async for entry in store.listing("") if entry.cold]

    async def test_listing_is_in_the_order_of_the_keys(self, store: ObjectStore) -> None:
        some = ["a-b/1/x", "a/1/x", "a/1/y", "a/2/x", "a.b/1/x", "a0/1/x", "b"]
        for key in some:
            await store.put(key, BytesIO(b"x"))
        assert await keys(store, "") == sorted(some)

    async def test_finding_tells_the_size_and_a_missing_object_is_not_found(self, store: ObjectStore) -> None:
        await store.put("a/1/x", BytesIO(b"12345"))
        found = await store.find("a/1/x")
        assert (found.key, found.size, found.cold) == ("a/1/x", 5, False)
        assert abs(found.modified - datetime.now(UTC)) < timedelta(minutes=5)
        for missing in ("a/1/y", "a/1", "b", "a/1/x/y"):
            with pytest.raises(NotFound):
                await store.find(missing)
            with pytest.raises(NotFound):
                await content(store, missing)

    async def test_deleting_is_repeatable_and_a_missing_object_is_not_found(self, store: ObjectStore) -> None:
        await store.put("a/1/x", BytesIO(b"x"))
        await store.delete("a/1/x")
        await store.delete("a/1/x")
        with pytest.raises(NotFound):
            await content(store, "a/1/x")
        assert await keys(store, "") == []

    @pytest.mark.parametrize(
        "key",
        ["", "/etc/passwd", "a/../../b", "a//b", "ä/b", "a/b\x00", "a\\b", ".", ".unfinished/x", "a" * 256, "a/" * 600 + "a"],
    )  # fmt: skip
    async def test_a_key_cannot_leave_the_store(self, tiers: ObjectStore, key: str) -> None:
        with pytest.raises(InvalidInput):
            await tiers.put(key, BytesIO(b"x"))
        with pytest.raises(InvalidInput):
            await content(tiers, key)
        with pytest.raises(InvalidInput):
            await tiers.delete(key)
        with pytest.raises(InvalidInput):
            await tiers.move(key, cold=True)

    async def test_many_at_once(self, store: ObjectStore) -> None:
        contents = [str(number).encode() * 1000 for number in range(32)]
        await asyncio.gather(*(store.put(f"many/{number}/x", BytesIO(c)) for number, c in enumerate(contents)))
        assert await asyncio.gather(*(content(store, f"many/{number}/x") for number in range(32))) == contents

    async def test_puts_and_deletes_in_the_same_folders_do_not_disturb_each_other(self, store: ObjectStore) -> None:
        async def come_and_go(name: str) -> None:
            for _ in range(10):
                await store.put(f"a/b/{name}", BytesIO(name.encode()))
                assert await content(store, f"a/b/{name}") == name.encode()
                await store.delete(f"a/b/{name}")

        await asyncio.gather(*(come_and_go(str(number)) for number in range(8)))
        assert await keys(store, "") == []

    async def test_a_reader_that_has_begun_gets_one_version_or_an_error(self, store: ObjectStore) -> None:
        old, new = b"o" * (8 << 20), b"n" * (8 << 20)
        await store.put("a/1/x", BytesIO(old))
        reading = store.read("a/1/x")
        begun = await anext(reading)
        await store.put("a/1/x", BytesIO(new))
        rest = b"".join([block async for block in reading])
        assert begun + rest == old
        assert await content(store, "a/1/x") == new

    async def test_memory_stays_flat_for_a_large_object(self, fresh_url: Urls) -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(LARGE), fresh_url(), str(MEGABYTES), stdout=asyncio.subprocess.PIPE
        )
        out, _ = await asyncio.wait_for(process.communicate(), 550)
        measured = json.loads(out)
        assert (measured["size"], measured["same"]) == (MEGABYTES << 20, True)
        assert measured["peak_mib"] - measured["small_mib"] < FLAT, measured

    async def test_an_object_lies_in_the_tier_that_it_was_put_into(self, tiers: ObjectStore) -> None:
        for number, cold in enumerate((True, False, True, True, False)):
            await tiers.put("a/1/x", BytesIO(b"x" * number), cold=cold)
            assert await there(tiers, "a/1/x") == ("cold" if cold else "hot")
            assert (await tiers.find("a/1/x")).cold == cold
            assert await content(tiers, "a/1/x") == b"x" * number

    async def test_moving_there_and_back_keeps_the_object_readable(self, tiers: ObjectStore) -> None:
        text = os.urandom(3 << 20)
        await tiers.put("a/1/x", BytesIO(text))
        for cold in (True, False, True, False):
            readers = [content(tiers, "a/1/x") for _ in range(8)]
            *read, _ = await asyncio.gather(*readers, tiers.move("a/1/x", cold=cold))
            assert read == [text] * 8
            await tiers.move("a/1/x", cold=cold)
            assert await there(tiers, "a/1/x") == ("cold" if cold else "hot")
        with pytest.raises(NotFound):
            await tiers.move("a/1/y", cold=True)
        with pytest.raises(NotFound):
            await tiers.move("a/1/y", cold=False)

    async def test_without_a_cold_tier_all_lies_in_the_one(self, store: ObjectStore) -> None:
        await store.put("a/1/x", BytesIO(b"x"), cold=True)
        await store.move("a/1/x", cold=True)
        assert not (await store.find("a/1/x")).cold and await content(store, "a/1/x") == b"x"
        with pytest.raises(NotFound):
            await store.move("a/1/y", cold=True)

    async def test_both_tiers_are_listed_as_one(self, tiers: ObjectStore) -> None:
        assert tiers.cold
        for key, cold in (("a/1/x", True), ("a/2/x", False), ("b/1/x", True), ("c/1/x", False)):
            await tiers.put(key, BytesIO(b"x"), cold=cold)
        await tiers.cold.put("a/2/x", BytesIO(b"of a move that was cut off"))
        listed = [(entry.key, entry.size, entry.cold) async for entry in tiers.listing("")]
        assert listed == [("a/1/x", 1, True), ("a/2/x", 1, False), ("b/1/x", 1, True), ("c/1/x", 1, False)]
        await tiers.delete("a/2/x")
        await tiers.delete("b/1/x")
        assert await keys(tiers, "") == ["a/1/x", "c/1/x"]

    async def test_a_move_that_was_cut_off_can_be_repeated_or_taken_back(self, tiers: ObjectStore) -> None:
        assert tiers.cold
        for cold in (True, False):
            await tiers.hot.put("a/1/x", BytesIO(b"whole"))
            await tiers.cold.put("a/1/x", BytesIO(b"older"))
            await tiers.move("a/1/x", cold=cold)
            assert await there(tiers, "a/1/x") == ("cold" if cold else "hot")
            assert await content(tiers, "a/1/x") == b"whole"

    def test_any_sequence_of_calls_is_as_a_dictionary_would_have_it(self, fresh_url: Urls) -> None:
        name = st.sampled_from(["a/1/x", "a/1/y", "a-b/x", "b"])
        call = st.tuples(st.sampled_from(["put", "move", "delete"]), name, st.booleans(), st.binary(max_size=9))

        @settings(max_examples=25)
        @given(st.lists(call, max_size=12))
        def hold(calls: list[tuple[str, str, bool, bytes]]) -> None:
            asyncio.run(as_a_dictionary(object_store(fresh_url(), timeout=5, cold_url=fresh_url()), calls))

        hold()


async def as_a_dictionary(store: ObjectStore, calls: list[tuple[str, str, bool, bytes]]) -> None:
    await store.check()
    model: dict[str, tuple[bytes, bool]] = {}
    for call, key, cold, text in calls:
        if call == "put":
            await store.put(key, BytesIO(text), cold=cold)
            model[key] = (text, cold)
        elif call == "delete":
            await store.delete(key)
            model.pop(key, None)
        elif key in model:
            await store.move(key, cold=cold)
            model[key] = (model[key][0], cold)
        listed = {entry.key: (entry.size, entry.cold) async for entry in store.listing("")}
        assert listed == {key: (len(text), cold) for key, (text, cold) in model.items()}
        assert {key: await content(store, key) for key in model} == {key: text for key, (text, _) in model.items()}


class TestFolder(ObjectStoreTests):
    @pytest.fixture
    def fresh_url(self, tmp_path: Path) -> Urls:
        return lambda: (tmp_path / f"objects {uuid4().hex}").as_uri()

    async def test_a_folder_that_cannot_be_written_is_said_and_leaves_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"")
        store = ObjectStore(Folder(tmp_path / "file"))
        with pytest.raises(
            StoreUnavailable, match=r"^The object store cannot be used: (Not a directory|File exists)\.$"
        ):
            await store.put("a/1/x", BytesIO(b"x"))
        with pytest.raises(StoreUnavailable):
            await store.check()

    async def test_a_put_that_fails_leaves_the_old_object_and_no_file(self, tmp_path: Path) -> None:
        def files() -> list[str]:
            return [path.name for path in tmp_path.rglob("*") if path.is_file()]

        class Broken(BytesIO):
            def read(self, size: int | None = -1) -> bytes:
                raise OSError(5, "Input/output error")

        store = ObjectStore(Folder(tmp_path))
        await store.put("a/1/x", BytesIO(b"old"))
        with pytest.raises(StoreUnavailable):
            await store.put("a/1/x", Broken(b"new"))
        assert await content(store, "a/1/x") == b"old"
        assert files() == ["x"]

    async def test_empty_folders_go_with_their_last_object(self, tmp_path: Path) -> None:
        store = ObjectStore(Folder(tmp_path / "objects"))
        await store.put("a/b/c/x", BytesIO(b"x"))
        await store.put("a/d/x", BytesIO(b"x"))
        await store.delete("a/b/c/x")
        assert not (tmp_path / "objects" / "a" / "b").exists() and (tmp_path / "objects" / "a" / "d").is_dir()

    @pytest.mark.ledger("N10")
    async def test_the_engine_keeps_one_compressed_object_a_file(self, engine: Engine, user: User) -> None:
        await one_compressed_object_a_file(engine, user)

    async def test_an_object_that_comes_back_between_two_looks_is_found(self, tmp_path: Path) -> None:
        class Slow(Folder):
            """Somebody moves the object out just before it is looked for here."""

            async def read(self, key: str) -> AsyncIterator[bytes]:
                await meanwhile()
                async for block in super().read(key):
                    yield block

            async def find(self, key: str) -> StoredObject:
                await meanwhile()
                return await super().find(key)

        async def meanwhile() -> None:
            await ObjectStore(hot, Folder(tmp_path / "cold")).move("a/1/x", cold=False)

        hot = Folder(tmp_path / "hot")
        store = ObjectStore(hot, Slow(tmp_path / "cold"))
        await store.put("a/1/x", BytesIO(b"x"), cold=True)
        assert await content(store, "a/1/x") == b"x"
        await store.put("a/1/x", BytesIO(b"y"), cold=True)
        assert not (await store.find("a/1/x")).cold

    async def test_there_is_no_url_to_give_away(self, store: ObjectStore) -> None:
        await store.put("a/1/x", BytesIO(b"x"))
        assert await store.presigned("a/1/x", timedelta(minutes=1)) is None
        with pytest.raises(NotFound):
            await store.presigned("a/1/y", timedelta(minutes=1))

    async def test_links_lead_nowhere(self, tmp_path: Path) -> None:
        store = ObjectStore(Folder(tmp_path / "objects"))
        await store.put("a/1/x", BytesIO(b"x"))
        (tmp_path / "objects" / "a" / "loop").symlink_to(tmp_path / "objects")
        (tmp_path / "objects" / "a" / "broken").symlink_to(tmp_path / "nothing")
        assert await keys(store, "") == ["a/1/x"]


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with s3_server(tmp_path_factory.mktemp("s3")) as address:
        yield address


class TestS3(ObjectStoreTests):
    @pytest.fixture
    def fresh_url(self, s3: str) -> Urls:
        return lambda: f"s3://{CREDENTIALS}@{s3}/{uuid4().hex}?secure=false"

    async def test_a_wrong_secret_is_refused(self, s3: str, store: ObjectStore) -> None:
        stranger = object_store(f"s3://tester:wrong@{s3}/memories?secure=false", timeout=5)
        with pytest.raises(StoreUnavailable):
            await stranger.check()

    async def test_a_missing_bucket_is_no_missing_object(self, fresh_url: Urls) -> None:
        with pytest.raises(StoreUnavailable):
            await content(object_store(fresh_url(), timeout=5), "a/1/x")

    async def test_a_presigned_url_gives_the_bytes_to_whoever_has_it_until_it_ends(self, tiers: ObjectStore) -> None:
        for cold in (False, True):
            await tiers.put("a/1/x y", BytesIO(b"for download"), cold=cold)
            url = await tiers.presigned("a/1/x y", timedelta(minutes=1))
            assert url and await asyncio.to_thread(download, url) == b"for download"
        assert await asyncio.to_thread(download, url.replace("Signature=", "Signature=0")) is None
        short = await tiers.presigned("a/1/x y", timedelta(seconds=1))
        assert short
        while await asyncio.to_thread(download, short):
            pass

    async def test_a_presigned_url_is_for_an_object_and_a_time_that_exist(self, store: ObjectStore) -> None:
        with pytest.raises(NotFound):
            await store.presigned("a/1/y", timedelta(minutes=1))
        await store.put("a/1/x", BytesIO(b"x"))
        for never in (timedelta(0), timedelta(days=8)):
            with pytest.raises(InvalidInput):
                await store.presigned("a/1/x", never)


def download(url: str) -> bytes | None:
    """What the URL gives to somebody without credentials; None where that is refused."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        assert error.code == 403
        return None


@pytest.mark.parametrize(
    ("url", "cold_url", "says"),
    [
        ("ftp://somewhere/x", None, "s3://"),
        ("s3://key:secret@host", None, "s3://"),
        ("s3://key:secret@host/Bad_Bucket!", None, "s3://"),
        ("s3://key:secret@host/bucket?sse=yes", None, "sse=s3"),
        ("s3://key:secret@host/bucket?sse=kms:", None, "sse=s3"),
        ("s3://key:secret@host/bucket?ssl=true", None, "ssl"),
        ("file:///a/b", "file:///a/b", "of its own"),
        ("file:///a/b", "file:///a/b/cold", "of its own"),
        ("file:///a/b", "file:///a", "of its own"),
        ("s3://key:secret@host/bucket", "s3://other:secret@host/bucket/", "of its own"),
    ],
)
def test_urls_that_do_not_fit_are_one_sentence_without_the_secret(url: str, cold_url: str | None, says: str) -> None:
    with pytest.raises(SettingsError, match=says) as error:
        object_store(url, timeout=1, cold_url=cold_url)
    assert "secret@" not in str(error.value).replace("s3://key:secret@host:port", "")
