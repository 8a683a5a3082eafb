"""Restoration of a file: one for all who wait, with damage, without room, by several processes."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import resource
import tracemalloc
from datetime import timedelta

import pytest

from engine.errors import Conflict, DamagedFile, InvalidInput, Rehydrating
from engine.lifecycle.rehydrate import Rehydration
from engine.neurigraph import Engine
from tests.library import TEXT, Library, leave_a_claim, stored_by_hand

pytestmark = pytest.mark.usefixtures("few_nodes")  # the doctor looks at all users


@pytest.mark.ledger("N21")
async def test_sixty_four_readers_are_served_by_one_restoration(library: Library) -> None:
    other = library.engine.memory(library.memory.principal.user_id)
    before = len(library.objects()[1])
    contents = await asyncio.gather(
        *(memory.files.read(library.node, library.file) for memory in (library.memory, other) for _ in range(32))
    )
    assert set(contents) == {TEXT.encode()} and len(contents) == 64
    assert await library.log() == [("dormant", "rehydrating", "retrieval"), ("rehydrating", "active", "retrieval")]
    assert (before, len(library.objects()[1])) == (0, 1)


@pytest.mark.ledger("N21")
async def test_readers_of_another_process_wait_for_the_same_restoration(engine: Engine, library: Library) -> None:
    """Two engines know nothing of each other but the stores."""
    elsewhere = engine.memory(library.memory.principal.user_id)
    contents = await asyncio.gather(
        *(memory.files.read(library.node, library.file) for memory in (library.memory, elsewhere) * 8)
    )
    assert set(contents) == {TEXT.encode()}
    assert await library.log() == [("dormant", "rehydrating", "retrieval"), ("rehydrating", "active", "retrieval")]


@pytest.mark.ledger("N21")
async def test_who_does_not_wait_is_told_to_come_back(library: Library) -> None:
    with pytest.raises(Rehydrating) as raised:
        async with library.memory.files.open(library.node, library.file, wait_s=0):
            pass
    assert raised.value.retry_after > 0
    async with library.memory.files.open(library.node, library.file, wait_s=60) as file:
        assert file.content.read() == TEXT.encode()
    assert len(await library.log()) == 2


@pytest.mark.ledger("N21")
async def test_a_reader_that_leaves_does_not_end_the_restoration(library: Library) -> None:
    reading = asyncio.create_task(library.memory.files.read(library.node, library.file))
    while await library.state() == "dormant":  # noqa: ASYNC110 (the state is in the database)
        await asyncio.sleep(0.005)
    reading.cancel()
    assert await library.memory.files.read(library.node, library.file) == TEXT.encode()
    assert len(await library.log()) == 2


@pytest.mark.ledger("N20", "N21")
@pytest.mark.parametrize("damage", ["flipped", "cut", "empty", "missing", "another file"])
async def test_a_damaged_file_is_reported_to_all_who_wait_and_never_served(library: Library, damage: str) -> None:
    stored, _ = library.objects()
    whole = stored.read_bytes()
    spoiled = {
        "flipped": whole[:40] + bytes([whole[40] ^ 1]) + whole[41:], "cut": whole[:-9], "empty": b"",
        "another file": gzip.compress(b"something else"),
    }  # fmt: skip
    stored.unlink() if damage == "missing" else stored.write_bytes(spoiled[damage])
    answers = await asyncio.gather(
        *(library.memory.files.read(library.node, library.file) for _ in range(8)), return_exceptions=True
    )
    assert {type(answer) for answer in answers} == {DamagedFile}
    status = await library.memory.files.state(library.node, library.file)
    assert status.state == "dormant" and status.failure
    assert library.objects()[1] == [] if damage != "missing" else True
    memory = library.memory
    waiting = await memory.files.log(to_review=True)
    assert waiting and {(entry.trigger, entry.file_id) for entry in waiting} == {("error", library.file)}

    stored.write_bytes(whole)
    assert await memory.files.read(library.node, library.file) == TEXT.encode()
    for entry in waiting:
        reviewed = await memory.files.review(entry.entry_id, "restored from the backup")
        assert await memory.files.review(entry.entry_id) == reviewed
    assert await memory.files.log(to_review=True) == ()
    [line] = [e for e in await memory.files.log() if e.entry_id == waiting[0].entry_id]
    assert line.reviewed_by and line.needs_review


@pytest.mark.ledger("N21")
@pytest.mark.parametrize("damage", ["flipped", "missing"])
async def test_a_damaged_copy_is_made_anew_from_the_file(library: Library, damage: str) -> None:
    await library.memory.files.read(library.node, library.file)
    _, [copy] = library.objects()
    copy.unlink() if damage == "missing" else copy.write_bytes(b"x" + copy.read_bytes()[1:])
    assert await library.memory.files.read(library.node, library.file) == TEXT.encode()
    assert (await library.log())[2:] == [("active", "rehydrating", "recovery"), ("rehydrating", "active", "recovery")]
    library.clock.move(minutes=5)  # past the moment at which the copies were written, by the machine's clock
    await library.engine.sweep.run(grace=timedelta(0))
    _, copies = library.objects()
    assert len(copies) == 1 and copies[0].read_bytes() == TEXT.encode()
    entry = (await library.memory.files.log(to_review=True))[0]
    with pytest.raises(InvalidInput):
        await library.memory.files.review(entry.entry_id, "two\nlines")


@pytest.mark.ledger("N10", "N19")
async def test_files_that_are_compressed_already_are_never_copied(library: Library) -> None:
    picture = b"\x89PNG\r\n" + bytes(range(256)) * 50
    native = await stored_by_hand(library, picture, "image/png")
    assert await library.memory.files.read(library.node, native) == picture
    assert (await library.memory.files.state(library.node, native)).state == "active"
    folder = library.engine.settings.home / "objects"
    assert len([path for path in folder.rglob("*") if path.is_file() and str(native) in str(path)]) == 1
    library.clock.move(minutes=10)
    assert (await library.engine.dormancy.run()).expired == 1
    assert await library.memory.files.read(library.node, native) == picture
    [stored] = [path for path in folder.rglob("*") if path.is_file() and str(native) in str(path)]
    stored.write_bytes(picture[:-1])
    with pytest.raises(DamagedFile):  # though it is awake
        await library.memory.files.read(library.node, native)
    assert (await library.memory.files.state(library.node, native)).state == "dormant"


@pytest.mark.ledger("N21")
async def test_a_large_file_is_restored_and_served_in_flat_memory(library: Library) -> None:
    content = b"The walleye rise at dusk.\n" * 2_500_000  # 65 MB, which pack to almost nothing
    size, digest, file = (
        len(content),
        hashlib.sha256(content).digest(),
        await stored_by_hand(library, content, "text/plain"),
    )
    del content
    tracemalloc.start()
    for _ in ("asleep", "awake"):
        found = hashlib.sha256()
        async with library.memory.files.open(library.node, file) as opened:
            while block := opened.content.read(1 << 16):
                found.update(block)
        assert (opened.size_bytes, found.digest()) == (size, digest)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * 2**20
    await library.memory.files.sleep(library.node, file)


@pytest.mark.ledger("N21")
async def test_a_reader_that_waited_for_a_restoration_without_room_restores_for_itself(library: Library) -> None:
    """Another process had no room for a copy, which says nothing of the file."""
    rehydration, states = library.engine.parts[Rehydration], library.engine.states
    file = await rehydration._located(library.memory.principal, library.node, library.file)
    claim = await states.claim(library.memory.principal, file, by_hand=False, lost=None, waited=None)
    assert claim.mine
    reading = asyncio.create_task(library.memory.files.read(library.node, library.file))
    await asyncio.sleep(1)  # it waits for that claim
    assert await states.failed(file, claim.claim_id, "There is no room.", review=True)
    assert await reading == TEXT.encode()


@pytest.mark.ledger("N21", "N25")
async def test_without_room_for_a_copy_the_file_is_read_all_the_same(library: Library) -> None:
    content = bytes(range(256)) * 2_400  # in memory while it is restored
    file = await stored_by_hand(library, content, "text/plain")
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, unlimited[1]))  # no file of this process may be larger
        read = await asyncio.gather(*(library.memory.files.read(library.node, file) for _ in range(4)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    assert set(read) == {content}
    status = await library.memory.files.state(library.node, file)
    assert status.state == "dormant" and status.failure
    waiting = await library.memory.files.log(file_id=file, to_review=True)
    assert waiting and {entry.trigger for entry in waiting} == {"error"}
    assert await library.memory.files.read(library.node, file) == content
    assert (await library.memory.files.state(library.node, file)).state == "active"


@pytest.mark.ledger("N20")
async def test_a_claim_whose_holder_is_gone_is_taken_over_in_time(library: Library) -> None:
    memory, clock = library.memory, library.clock
    await leave_a_claim(library)
    with pytest.raises(Rehydrating):
        async with memory.files.open(library.node, library.file, wait_s=0.05):
            pass
    with pytest.raises(Conflict):
        await memory.files.sleep(library.node, library.file)
    assert (await memory.nodes.shell(library.node)).state == "rehydrating"
    clock.move(seconds=16)
    assert await memory.files.read(library.node, library.file) == TEXT.encode()
    assert await library.log() == [
        ("dormant", "rehydrating", "retrieval"), ("rehydrating", "rehydrating", "recovery"),
        ("rehydrating", "active", "recovery"),
    ]  # fmt: skip
    await memory.files.sleep(library.node, library.file)
    await leave_a_claim(library)
    clock.move(seconds=16)
    assert (await library.engine.dormancy.run()).recovered == 1
    assert await library.state() == "dormant" and (await memory.nodes.shell(library.node)).state == "dormant"
