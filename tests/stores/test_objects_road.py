"""What the S3 store does when the road to a real service breaks: it tries again, goes on, or says that it cannot."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from uuid import uuid4

import pytest

from engine.errors import NotFound, StoreUnavailable
from engine.stores.objects import ObjectStore, object_store
from tests.s3_server import CREDENTIALS, s3_server
from tests.stores.faulty_road import Fault, Hang, Refuse, Reset, Road, road_to

LARGE = os.urandom(17 << 20)
"""Three parts."""
SLOW_DOWN = Refuse(503, "SlowDown")


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with s3_server(tmp_path_factory.mktemp("s3")) as address:
        yield address


@pytest.fixture
async def road(s3: str) -> AsyncIterator[Road]:
    async with road_to(s3) as road:
        yield road


async def store_at(road: Road, *, silence: float = 30, options: str = "") -> ObjectStore:
    url = f"s3://{CREDENTIALS}@127.0.0.1:{road.port}/{uuid4().hex}?secure=false{options}"
    store = object_store(url, timeout=5, silence=silence)
    await store.check()
    return store


@pytest.fixture
async def store(road: Road) -> ObjectStore:
    return await store_at(road)


async def content(store: ObjectStore, key: str) -> bytes:
    return b"".join([block async for block in store.read(key)])


@pytest.mark.parametrize(
    "fault", [Reset(at_once=True), Reset(), SLOW_DOWN, Refuse(500, "InternalError"), Refuse(429, "TooManyRequests")]
)
@pytest.mark.parametrize(
    "step", [r"^POST \S+\?uploads", r"^PUT \S+partNumber=2", r"^POST \S+\?uploadId", r"^GET \S+/large"]
)
async def test_a_fault_that_passes_is_not_noticed(store: ObjectStore, road: Road, step: str, fault: Fault) -> None:
    await store.put("large", BytesIO(b"old"))
    road.faults = [(step, fault), (step, fault)]
    await store.put("large", BytesIO(LARGE))
    assert await content(store, "large") == LARGE
    assert not road.faults
    assert [(entry.key, entry.size) async for entry in store.listing("")] == [("large", len(LARGE))]


@pytest.mark.parametrize(
    "fault", [Refuse(404, "NoSuchUpload"), Refuse(200, "InternalError"), Refuse(400, "RequestTimeout")]
)
async def test_a_put_whose_last_step_fails_begins_anew(store: ObjectStore, road: Road, fault: Fault) -> None:
    """A repeated last step may find its upload ended; and a success may hold an error."""
    road.faults = [(r"^POST \S+\?uploadId", fault)]
    await store.put("large", BytesIO(LARGE))
    assert await content(store, "large") == LARGE
    assert not road.faults and len([head for head in road.seen if "?uploads" in head]) == 2


@pytest.mark.parametrize("fault", [Reset(at_once=True), SLOW_DOWN])
async def test_every_call_is_repeated(store: ObjectStore, road: Road, fault: Fault) -> None:
    await store.put("a/1/x", BytesIO(b"x"))
    for step in ("^PUT", "^HEAD", r"^GET \S+list-type", "^DELETE", r"^GET \S+\?.*uploads"):
        road.faults.append((step, fault))
    await store.put("a/1/x", BytesIO(b"y"))
    assert (await store.find("a/1/x")).size == 1
    assert [entry.key async for entry in store.listing("")] == ["a/1/x"]
    await store.delete("a/1/x")
    assert await store.discard_unfinished(datetime.now(UTC)) == 0
    assert not road.faults


async def test_a_download_that_breaks_goes_on_where_it_was(store: ObjectStore, road: Road) -> None:
    await store.put("large", BytesIO(LARGE))
    road.faults = [(r"^GET \S+/large", Reset(after=size)) for size in (9_000_000, 5_000_000, 1000)]
    assert await content(store, "large") == LARGE
    ranges = [line for head in road.seen for line in head.splitlines() if line.lower().startswith("range:")]
    assert not road.faults and len(ranges) >= 2


async def test_a_download_that_breaks_does_not_go_on_with_another_object(store: ObjectStore, road: Road) -> None:
    for change in ("replaced", "deleted"):
        await store.put("large", BytesIO(LARGE))
        road.faults = [(r"^GET \S+/large", Reset(after=9_000_000))]
        reading = store.read("large")
        await anext(reading)
        if change == "replaced":
            await store.put("large", BytesIO(LARGE[::-1]))
        else:
            await store.delete("large")
        with pytest.raises(StoreUnavailable):
            _ = [block async for block in reading]


@pytest.mark.parametrize("fault", [Reset(at_once=True), SLOW_DOWN, Hang()])
async def test_a_fault_that_lasts_is_said_and_leaves_what_was(road: Road, fault: Fault) -> None:
    store = await store_at(road, silence=0.5)
    await store.put("large", BytesIO(b"old"))
    road.faults = [(r"^PUT \S+partNumber=2", fault)] * 100
    with pytest.raises(StoreUnavailable):
        await asyncio.wait_for(store.put("large", BytesIO(LARGE)), 120)
    road.faults = []
    assert await content(store, "large") == b"old"
    road.faults = [("", fault)] * 200
    calls = (store.put("a", BytesIO(b"x")), store.find("a"), store.delete("a"), content(store, "a"), store.check())
    failures = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 120)
    assert all(isinstance(failure, StoreUnavailable) for failure in failures) and len(failures) == 5
    road.faults = []
    with pytest.raises(NotFound):
        await store.find("a")


async def test_uploads_that_never_ended_are_discarded_and_others_not(store: ObjectStore, road: Road) -> None:
    road.faults = [(r"^PUT \S+partNumber=2", Refuse(403, "AccessDenied")), (r"^DELETE", Refuse(403, "AccessDenied"))]
    with pytest.raises(StoreUnavailable):
        await store.put("large", BytesIO(LARGE))
    now = datetime.now(UTC)
    assert await store.discard_unfinished(now - timedelta(hours=1)) == 0
    road.faults = [(r"^GET \S+\?.*uploads", Refuse(403, "AccessDenied"))]
    assert await store.discard_unfinished(now + timedelta(hours=1)) == 0 and not road.faults
    assert await store.discard_unfinished(now + timedelta(hours=1)) == 1
    assert await store.discard_unfinished(now + timedelta(hours=1)) == 0


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        ("&sse=s3", {"x-amz-server-side-encryption: aes256"}),
        ("&sse=kms:our-key", {"x-amz-server-side-encryption: aws:kms", "x-amz-server-side-encryption-aws-kms-key-id: our-key"}),
        ("&class=STANDARD_IA", {"x-amz-storage-class: standard_ia"}),
    ],
)  # fmt: skip
async def test_encryption_and_storage_class_are_asked_for_with_every_object(
    road: Road, options: str, sent: set[str]
) -> None:
    store = await store_at(road, options=options)
    road.seen.clear()
    # what the service makes of it is its own matter: some refuse what they do not have
    for text in (b"small", LARGE):
        try:
            await store.put("large", BytesIO(text))
        except StoreUnavailable:
            pass
        else:
            assert await content(store, "large") == text
    begun = [
        head.lower()
        for head in road.seen
        if (head.startswith("PUT") and "partNumber" not in head) or "?uploads" in head
    ]
    assert len(begun) >= 2 and all(sent <= set(head.splitlines()) for head in begun)
