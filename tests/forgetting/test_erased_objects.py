"""Objects of the forgotten are gone for good, from a folder and from a bucket that keeps every version."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
from minio import Minio
from minio.commonconfig import ENABLED, GOVERNANCE
from minio.retention import Retention
from minio.versioningconfig import VersioningConfig

from engine.domain.clock import SystemClock
from engine.errors import InvalidInput, NotErased, StoreUnavailable
from engine.forgetting.objects import ErasedObjects
from engine.stores import s3 as s3_tier
from engine.stores.encryption import Encryption, UserKeys
from engine.stores.folder import Folder
from engine.stores.objects import ObjectStore, object_store
from engine.stores.s3 import Bucket
from engine.stores.tier import UNFINISHED, HeldObject
from tests.s3_server import CREDENTIALS, KEY, SECRET, s3_server

FILE, OTHER, THIRD = (f"0190a5c4-0000-7000-8000-00000000000{n}" for n in (1, 2, 3))
CLAIM = "0190a5c4-0000-4000-8000-0000000000c1"
GONE = f"bob/family/sister/{FILE}/Letter to Anna.txt.gz".replace(" ", "_")
STAYS = f"bob/family/sister/{OTHER}/list.txt.gz"
WARM = f"bob/family/sister/{FILE}/warm/{CLAIM}"
IN_QUARANTINE = f".neurigraph/quarantine/20260102/{GONE}"
STAYS_IN_QUARANTINE = f".neurigraph/quarantine/20260102/{STAYS}"
OF_CAROL = f"bobby/{THIRD}/list.txt.gz"
SETTLED = timedelta(minutes=10)
Urls = Callable[[], str]


def erasing(store: ObjectStore, **given: Any) -> ErasedObjects:
    return ErasedObjects(store, SystemClock(), SETTLED, **given)


async def held(store: ObjectStore, prefix: str = "") -> set[str]:
    return {one.key async for one in store.held(prefix)}


async def fill(store: ObjectStore) -> None:
    """A file twice, its copies, and files that are not meant, in both tiers; a move that was cut off leaves one in each."""
    await store.put(GONE, BytesIO(b"first"))
    for cold in (False, True):
        for key in (GONE, STAYS, WARM, IN_QUARANTINE, STAYS_IN_QUARANTINE, OF_CAROL, "bob/photo.jpg"):
            tier = store.cold if cold and store.cold else store.hot
            await tier.put(key, BytesIO(b"dear Anna"))


class ErasedObjectsTests:
    """Every store passes all of this."""

    @pytest.fixture
    async def store(self, fresh_url: Urls) -> ObjectStore:
        opened = object_store(fresh_url(), timeout=5, cold_url=fresh_url())
        await opened.check()
        await self.keeping_versions(opened)
        await fill(opened)
        return opened

    async def keeping_versions(self, store: ObjectStore) -> None: ...

    async def test_a_file_is_gone_with_its_copies_and_others_stay(self, store: ObjectStore) -> None:
        assert await erasing(store).erase([GONE]) >= 6
        assert await held(store) == {STAYS, STAYS_IN_QUARANTINE, OF_CAROL, "bob/photo.jpg"}
        assert b"".join([block async for block in store.read(STAYS)]) == b"dear Anna"
        assert await erasing(store).erase([GONE]) == 0

    async def test_a_file_that_was_deleted_or_moved_before_is_gone_with_what_that_left(
        self, store: ObjectStore
    ) -> None:
        await store.delete(WARM)
        await store.delete(IN_QUARANTINE)
        await store.rename(GONE, IN_QUARANTINE.replace("20260102", "20260103"))
        await erasing(store).erase([GONE])
        assert await held(store) == {STAYS, STAYS_IN_QUARANTINE, OF_CAROL, "bob/photo.jpg"}

    async def test_a_user_is_gone_and_one_whose_name_begins_alike_stays(self, store: ObjectStore) -> None:
        quarantined = f".neurigraph/quarantine/20260102/{OF_CAROL}"
        await store.put(quarantined, BytesIO(b"x"))
        assert await erasing(store).erase_user("bob") >= 10
        assert await held(store) == {OF_CAROL, quarantined, "bob/photo.jpg"}
        assert await erasing(store).erase_user("bob") == 0

    async def test_the_key_of_a_copy_stands_for_its_file(self, store: ObjectStore) -> None:
        await erasing(store).erase([WARM])
        assert await held(store) == {STAYS, STAYS_IN_QUARANTINE, OF_CAROL, "bob/photo.jpg"}

    async def test_what_went_meanwhile_is_no_error(self, store: ObjectStore) -> None:
        listed = [one async for one in store.held(GONE)]
        for one in [*listed, *listed]:
            await store.erase(one)
        assert GONE not in await held(store)

    async def test_a_key_without_a_file_is_gone_alone(self, store: ObjectStore) -> None:
        for key in ("bob/photo.jpg.2", "bob/photo"):
            await store.put(key, BytesIO(b"x"))
        await erasing(store).erase(["bob/photo.jpg"])
        assert {key for key in await held(store, "bob/photo")} == {"bob/photo.jpg.2", "bob/photo"}

    @pytest.mark.parametrize("root", ["", "bob/family", ".neurigraph", ".."])
    async def test_only_a_users_folder_is_erased_whole(self, store: ObjectStore, root: str) -> None:
        before = await held(store)
        with pytest.raises(InvalidInput):
            await erasing(store).erase_user(root)
        assert await held(store) == before

    async def test_many_at_once(self, store: ObjectStore) -> None:
        many = [f"bob/many/{uuid4()}/x.gz" for _ in range(30)]
        await asyncio.gather(*(store.put(key, BytesIO(b"x")) for key in many))
        assert await erasing(store).erase(many[:-1]) == 29
        assert await held(store, "bob/many/") == {many[-1]}


class TestFolder(ErasedObjectsTests):
    @pytest.fixture
    def fresh_url(self, tmp_path: Path) -> Urls:
        return lambda: (tmp_path / f"objects {uuid4().hex}").as_uri()

    async def test_folders_with_names_of_nodes_are_gone_when_they_are_empty(self, store: ObjectStore) -> None:
        for left in (f"bob/trips/{THIRD}", f"bob/family/sister/{FILE}/warm"):
            folder(store).joinpath(left).mkdir(parents=True, exist_ok=True)
        await erasing(store).erase([GONE, f"bob/trips/{THIRD}/x.gz"])
        assert not folder(store).joinpath("bob", "trips").exists()
        assert {path.name for path in folder(store).joinpath("bob", "family", "sister").iterdir()} == {OTHER}

    async def test_folders_above_one_that_is_gone_already_are_gone(self, store: ObjectStore) -> None:
        """A kill between two of them."""
        folder(store).joinpath("bob", "trips", "june").mkdir(parents=True)
        await erasing(store).erase([f"bob/trips/june/{THIRD}/x.gz"])
        assert not folder(store).joinpath("bob", "trips").exists() and folder(store).joinpath("bob").exists()

    async def test_files_of_puts_whose_writer_is_dead_are_gone(self, store: ObjectStore) -> None:
        unfinished = folder(store) / UNFINISHED
        (unfinished / "dead").write_bytes(b"dear Anna")
        (unfinished / "alive").write_bytes(b"dear Anna")
        early = (datetime.now(UTC) - SETTLED - timedelta(seconds=5)).timestamp()
        os.utime(unfinished / "dead", (early, early))
        await erasing(store).erase([GONE])
        assert [path.name for path in unfinished.iterdir()] == ["alive"]

    async def test_it_is_looked_again_until_nothing_is_listed(self, store: ObjectStore) -> None:
        class Late(Folder):
            """Lists one thing at a time."""

            async def held(self, prefix: str) -> AsyncIterator[HeldObject]:
                async for one in super().held(prefix):
                    yield one
                    return

        late = ObjectStore(Late(folder(store)), store.cold)
        await erasing(late).erase([GONE])
        assert await held(store) == {STAYS, STAYS_IN_QUARANTINE, OF_CAROL, "bob/photo.jpg"}

    async def test_what_is_stored_again_and_again_is_said(self, store: ObjectStore) -> None:
        class Busy(Folder):
            """Somebody goes on storing what is deleted."""

            async def erase(self, held: HeldObject) -> None:
                await super().erase(held)
                await self.put(held.key, BytesIO(b"again"))

        busy = ObjectStore(Busy(folder(store)), store.cold)
        with pytest.raises(NotErased, match="goes on"):
            await erasing(busy).erase_user("bobby")

    async def test_what_cannot_be_deleted_is_said_when_all_others_are_gone(self, store: ObjectStore) -> None:
        place = folder(store) / IN_QUARANTINE
        place.unlink()
        held_by = store.hot

        class Fixed(Folder):
            """A file on a disk that lets this one not be deleted."""

            def _erase(self, target: Path, *, folder: bool) -> None:
                if target.name == CLAIM:
                    target = target.parent
                super()._erase(target, folder=folder)

        fixed = ObjectStore(Fixed(cast(Folder, held_by).folder), store.cold)
        with pytest.raises(NotErased) as error:
            await erasing(fixed).erase([GONE, STAYS])
        assert error.value.keys == (WARM,) and "sister" not in str(error.value)
        assert await held(store) == {WARM, OF_CAROL, "bob/photo.jpg"}
        assert await erasing(store).erase([GONE, STAYS]) == 1

    async def test_a_store_that_is_not_there_is_said(self, tmp_path: Path) -> None:
        for place in ("missing", "file"):
            store = object_store((tmp_path / place).as_uri(), timeout=5)
            with pytest.raises(StoreUnavailable):
                await erasing(store).erase([GONE])
            with pytest.raises(StoreUnavailable):
                await erasing(store).erase_user("bob")
            (tmp_path / "file").write_bytes(b"")

    async def test_the_key_of_a_user_is_destroyed(self, store: ObjectStore, tmp_path: Path) -> None:
        keys = UserKeys(tmp_path / "user-keys", [bytes(32)])
        encrypted = ObjectStore(store.hot, store.cold, encryption=Encryption(keys, on=True))
        for key in (STAYS, OF_CAROL):
            await encrypted.put(key, BytesIO(b"x"))
        await erasing(encrypted, keys=keys).erase_user("bob")
        assert [one.user for one in keys.listing()] == ["bobby"]
        await erasing(encrypted, keys=keys).erase_user("bob")


def folder(store: ObjectStore) -> Path:
    return cast(Folder, store.hot).folder


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with s3_server(tmp_path_factory.mktemp("s3"), versions=tmp_path_factory.mktemp("versions")) as address:
        yield address


def client(s3: str) -> Minio:
    return Minio(s3, access_key=KEY, secret_key=SECRET, secure=False)


class TestS3(ErasedObjectsTests):
    """A bucket that keeps every version."""

    @pytest.fixture
    def fresh_url(self, s3: str) -> Urls:
        return lambda: f"s3://{CREDENTIALS}@{s3}/{uuid4().hex}?secure=false"

    async def keeping_versions(self, store: ObjectStore) -> None:
        for tier in store.tiers:
            assert isinstance(tier, Bucket)
            await asyncio.to_thread(tier._client.set_bucket_versioning, tier._name, VersioningConfig(ENABLED))

    async def test_versions_and_markers_are_held_and_gone(self, store: ObjectStore) -> None:
        await store.delete(GONE)
        of_file = [one async for one in store.held(GONE)]
        assert len(of_file) == 5 and all(one.version for one in of_file)  # two and one put, a marker in each tier
        assert GONE not in {one.key async for one in store.listing("")}
        assert await erasing(store).erase([GONE]) == 9
        assert [one async for one in store.held(GONE)] == []

    async def test_long_lists_of_versions_and_uploads_are_read_to_their_end(
        self, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for number in range(5):
            await asyncio.to_thread(begin_upload, store, f"bob/family/{number}")
        whole = [one async for one in store.held("")]
        monkeypatch.setattr(s3_tier, "LISTED", 2)
        assert {one async for one in store.held("")} == {*whole}  # the server gives some again at the edge of a page

    async def test_unfinished_uploads_of_the_file_are_ended_and_those_of_others_go_on(self, store: ObjectStore) -> None:
        for key in (GONE, STAYS):
            await asyncio.to_thread(begin_upload, store, key)
        await erasing(store).erase([GONE])
        assert [one.key async for one in store.held("") if one.upload] == [STAYS]

    async def test_a_version_that_is_locked_is_said_when_all_others_are_gone(self, s3: str) -> None:
        name = uuid4().hex
        minio = client(s3)
        await asyncio.to_thread(minio.make_bucket, name, object_lock=True)
        store = object_store(f"s3://{CREDENTIALS}@{s3}/{name}?secure=false", timeout=5)
        await fill(store)
        until = Retention(GOVERNANCE, datetime.now(UTC) + timedelta(hours=1))
        await asyncio.to_thread(minio.set_object_retention, name, GONE, until)
        with pytest.raises(NotErased, match="lock") as error:
            await erasing(store).erase([GONE, STAYS])
        assert error.value.keys == (GONE,)
        assert await held(store) == {GONE, OF_CAROL, "bob/photo.jpg"}

    async def test_a_store_that_does_not_answer_is_said(self, store: ObjectStore, s3: str) -> None:
        nowhere = object_store("s3://key:secret@127.0.0.1:9/bucket?secure=false", timeout=1, silence=3)
        with pytest.raises(StoreUnavailable):
            await erasing(nowhere).erase([GONE])
        missing = object_store(f"s3://{CREDENTIALS}@{s3}/{uuid4().hex}?secure=false", timeout=5)
        with pytest.raises(StoreUnavailable):
            await erasing(missing).erase([GONE])


def begin_upload(store: ObjectStore, key: str) -> None:
    bucket = store.hot
    assert isinstance(bucket, Bucket)
    upload = bucket._client._create_multipart_upload(bucket._name, key, {})
    bucket._client._upload_part(bucket._name, key, b"dear Anna", None, upload, 1)


async def test_an_upload_that_ended_meanwhile_is_no_error(s3: str) -> None:
    store = object_store(f"s3://{CREDENTIALS}@{s3}/{uuid4().hex}?secure=false", timeout=5)
    await store.check()
    await asyncio.to_thread(begin_upload, store, GONE)
    [upload] = [one async for one in store.held("")]
    for _ in range(2):
        await store.erase(upload)
    assert not await held(store)


class TestS3WithoutVersions(TestS3):
    async def keeping_versions(self, store: ObjectStore) -> None: ...

    async def test_versions_and_markers_are_held_and_gone(self, store: ObjectStore) -> None:
        assert len([one async for one in store.held(GONE)]) == 2
        assert await erasing(store).erase([GONE]) == 6
