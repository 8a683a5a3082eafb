"""Files fall asleep and wake: states of files and nodes, the sweep, one restoration for all who wait, the log."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import resource
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from random import Random
from uuid import UUID, uuid4

import pytest

from engine.domain.grant import NewGrant
from engine.domain.node import NewNode
from engine.domain.object_keys import copy_of, file_of
from engine.domain.principal import Principal
from engine.domain.search import SearchRequest
from engine.errors import Conflict, DamagedFile, InvalidInput, NotFound, Rehydrating
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TEXT = "The walleye of Loon Lake rise at dusk. " * 40


@dataclass
class MovedClock:
    """A clock that stands until it is moved."""

    present: datetime = START

    def now(self) -> datetime:
        return self.present

    def move(self, **length: float) -> None:
        self.present += timedelta(**length)


@dataclass
class Library:
    """A user with a node and one text in it, on an engine whose clock the test moves."""

    engine: Engine
    clock: MovedClock
    memory: Memory
    node: UUID
    file: UUID

    async def state(self) -> str:
        return (await self.memory.file_state(self.node, self.file)).state

    async def log(self) -> list[tuple[str, str, str]]:
        """From, to and trigger of the file's entries, oldest first."""
        entries = await self.memory.file_log.page(self.memory.principal, node_id=self.node, file_id=self.file)
        return [(entry.from_state, entry.to_state, entry.trigger) for entry in reversed(entries)]

    async def problems(self) -> list[str]:
        """What the doctor finds at the library's node."""
        subject = f"node {(await self.memory.shell(self.node)).schema_name}"
        return [finding.problem for finding in await self.engine.doctor.examine() if finding.subject == subject]

    def objects(self) -> tuple[Path, list[Path]]:
        """The file's object and its restored copies."""
        folder = self.engine.settings.home / "objects"
        found = [path for path in folder.rglob("*") if path.is_file() and str(self.file) in str(path)]
        copies = [path for path in found if copy_of(path.relative_to(folder).as_posix())]
        [stored] = [path for path in found if path not in copies]
        return stored, copies


@pytest.fixture
async def clocked(settings: Settings) -> AsyncIterator[tuple[Engine, MovedClock]]:
    """An engine on the same stores with a clock of the test's own; every file of other tests sleeps."""
    clock = MovedClock(datetime.now(UTC) + timedelta(days=400))
    times = {"recompress_after_minutes": 10.0, "dormant_after_days": 30.0, "rehydrate_lease_s": 15.0}
    async with open_engine(settings.model_copy(update=times), clock=clock) as opened:
        await opened.dormancy.run()
        clock.move(days=-400)
        yield opened, clock


@pytest.fixture
async def library(clocked: tuple[Engine, MovedClock]) -> Library:
    engine, clock = clocked
    user = await engine.create_user(f"f{uuid4().hex[:12]}", "Bob")
    memory = engine.memory(user.user_id)
    node = await memory.provision(NewNode(user.user_id, "Fishing"))
    report = await memory.remember_text("Dusk", TEXT, node_id=node.node_id)
    return Library(engine, clock, memory, node.node_id, report.records[0].file_id)


@pytest.mark.ledger("N19", "N20", "N25")
async def test_a_file_wakes_when_it_is_read_and_sleeps_again(library: Library) -> None:
    memory, clock = library.memory, library.clock
    fresh = await memory.file_state(library.node, library.file)
    assert (fresh.state, fresh.since, fresh.due_at, fresh.by_hand, fresh.failure) == (
        "dormant",
        None,
        None,
        False,
        None,
    )
    assert (await memory.shell(library.node)).state == "dormant"
    assert await memory.read_file(library.node, library.file) == TEXT.encode()
    awake = await memory.file_state(library.node, library.file)
    assert (awake.state, awake.due_at) == ("active", clock.now() + timedelta(minutes=10))
    assert (await memory.shell(library.node)).state == "active"
    _, [copy] = library.objects()
    assert copy.read_bytes() == TEXT.encode()

    clock.move(minutes=9)
    assert await memory.read_file(library.node, library.file) == TEXT.encode()  # later retrievals prolong
    clock.move(minutes=9)
    assert (await library.engine.dormancy.run()).expired == 0
    clock.move(minutes=1)
    assert (await library.engine.dormancy.run()).expired == 1
    stored, copies = library.objects()
    assert copies == [] and gzip.decompress(stored.read_bytes()) == TEXT.encode()
    assert await library.state() == "dormant" and (await memory.shell(library.node)).state == "dormant"
    record = (await memory.metadata(library.node)).records[0]
    assert record.compression_state == "dormant"
    assert await library.log() == [
        ("dormant", "rehydrating", "retrieval"),
        ("rehydrating", "active", "retrieval"),
        ("active", "dormant", "ttl"),
    ]
    assert await library.problems() == []


@pytest.mark.ledger("N19", "N20")
async def test_woken_by_hand_it_stays_awake_until_it_is_not_used_for_long(library: Library) -> None:
    memory, clock = library.memory, library.clock
    woken = await memory.wake(library.node, library.file)
    assert (woken.state, woken.by_hand, woken.due_at) == ("active", True, None)
    clock.move(days=29)
    assert (await library.engine.dormancy.run()).asleep == 0
    await memory.read_file(library.node, library.file)
    clock.move(days=29)
    assert (await library.engine.dormancy.run()).asleep == 0
    clock.move(days=1)
    report = await library.engine.dormancy.run()
    assert (report.expired, report.unused) == (0, 1)
    assert (await library.log())[-1] == ("active", "dormant", "dormancy")

    await memory.read_file(library.node, library.file)  # a wake in the time after a retrieval ends that time
    assert (await memory.wake(library.node, library.file)).by_hand
    clock.move(days=1)
    assert (await library.engine.dormancy.run()).asleep == 0
    asleep = await memory.sleep(library.node, library.file)
    assert asleep.state == "dormant" and library.objects()[1] == []
    assert (await memory.sleep(library.node, library.file)).state == "dormant"
    assert [line for line in await library.log() if line[2] == "manual"] == [
        ("dormant", "rehydrating", "manual"), ("rehydrating", "active", "manual"), ("active", "active", "manual"),
        ("active", "dormant", "manual"),
    ]  # fmt: skip


@pytest.mark.ledger("N21")
async def test_sixty_four_readers_are_served_by_one_restoration(library: Library) -> None:
    other = library.engine.memory(library.memory.principal.user_id)
    before = len(library.objects()[1])
    contents = await asyncio.gather(
        *(memory.read_file(library.node, library.file) for memory in (library.memory, other) for _ in range(32))
    )
    assert set(contents) == {TEXT.encode()} and len(contents) == 64
    assert await library.log() == [("dormant", "rehydrating", "retrieval"), ("rehydrating", "active", "retrieval")]
    assert (before, len(library.objects()[1])) == (0, 1)


@pytest.mark.ledger("N21")
async def test_readers_of_another_process_wait_for_the_same_restoration(engine: Engine, library: Library) -> None:
    """Two engines know nothing of each other but the stores."""
    elsewhere = engine.memory(library.memory.principal.user_id)
    contents = await asyncio.gather(
        *(memory.read_file(library.node, library.file) for memory in (library.memory, elsewhere) * 8)
    )
    assert set(contents) == {TEXT.encode()}
    assert await library.log() == [("dormant", "rehydrating", "retrieval"), ("rehydrating", "active", "retrieval")]


@pytest.mark.ledger("N21")
async def test_who_does_not_wait_is_told_to_come_back(library: Library) -> None:
    with pytest.raises(Rehydrating) as told:
        async with library.memory.open_file(library.node, library.file, wait_s=0):
            pass
    assert told.value.retry_after > 0
    async with library.memory.open_file(library.node, library.file, wait_s=60) as file:
        assert file.content.read() == TEXT.encode()
    assert len(await library.log()) == 2


@pytest.mark.ledger("N21")
async def test_a_reader_that_leaves_does_not_end_the_restoration(library: Library) -> None:
    reading = asyncio.create_task(library.memory.read_file(library.node, library.file))
    while await library.state() == "dormant":  # noqa: ASYNC110 (the state is in the database)
        await asyncio.sleep(0.005)
    reading.cancel()
    assert await library.memory.read_file(library.node, library.file) == TEXT.encode()
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
        *(library.memory.read_file(library.node, library.file) for _ in range(8)), return_exceptions=True
    )
    assert {type(answer) for answer in answers} == {DamagedFile}
    status = await library.memory.file_state(library.node, library.file)
    assert status.state == "dormant" and status.failure
    assert library.objects()[1] == [] if damage != "missing" else True
    memory = library.memory
    waiting = await memory.file_log.page(memory.principal, to_review=True)
    assert waiting and {(entry.trigger, entry.file_id) for entry in waiting} == {("error", library.file)}

    stored.write_bytes(whole)
    assert await memory.read_file(library.node, library.file) == TEXT.encode()
    for entry in waiting:
        reviewed = await memory.file_log.review(memory.principal, entry.entry_id, "restored from the backup")
        assert await memory.file_log.review(memory.principal, entry.entry_id) == reviewed
    assert await memory.file_log.page(memory.principal, to_review=True) == ()
    [line] = [e for e in await memory.file_log.page(memory.principal) if e.entry_id == waiting[0].entry_id]
    assert line.reviewed_by and line.needs_review


@pytest.mark.ledger("N21")
@pytest.mark.parametrize("damage", ["flipped", "missing"])
async def test_a_damaged_copy_is_made_anew_from_the_file(library: Library, damage: str) -> None:
    await library.memory.read_file(library.node, library.file)
    _, [copy] = library.objects()
    copy.unlink() if damage == "missing" else copy.write_bytes(b"x" + copy.read_bytes()[1:])
    assert await library.memory.read_file(library.node, library.file) == TEXT.encode()
    assert (await library.log())[2:] == [("active", "rehydrating", "recovery"), ("rehydrating", "active", "recovery")]
    library.clock.move(minutes=5)  # past the moment at which the copies were written, by the machine's clock
    await library.engine.sweep.run(grace=timedelta(0))
    _, copies = library.objects()
    assert len(copies) == 1 and copies[0].read_bytes() == TEXT.encode()
    entry = (await library.memory.file_log.page(library.memory.principal, to_review=True))[0]
    with pytest.raises(InvalidInput):
        await library.memory.file_log.review(library.memory.principal, entry.entry_id, "two\nlines")


@pytest.mark.ledger("N10", "N19")
async def test_files_that_are_compressed_already_are_never_copied(library: Library) -> None:
    picture = b"\x89PNG\r\n" + bytes(range(256)) * 50
    native = await stored_by_hand(library, picture, "image/png")
    assert await library.memory.read_file(library.node, native) == picture
    assert (await library.memory.file_state(library.node, native)).state == "active"
    folder = library.engine.settings.home / "objects"
    assert len([path for path in folder.rglob("*") if path.is_file() and str(native) in str(path)]) == 1
    library.clock.move(minutes=10)
    assert (await library.engine.dormancy.run()).expired == 1
    assert await library.memory.read_file(library.node, native) == picture
    [stored] = [path for path in folder.rglob("*") if path.is_file() and str(native) in str(path)]
    stored.write_bytes(picture[:-1])
    with pytest.raises(DamagedFile):  # though it is awake
        await library.memory.read_file(library.node, native)
    assert (await library.memory.file_state(library.node, native)).state == "dormant"


async def stored_by_hand(library: Library, content: bytes, content_type: str) -> UUID:
    """A file more in the library's record, put there past the ingest."""
    file = uuid4()
    record = (await library.memory.metadata(library.node)).records[0]
    shell = await library.memory.shell(library.node)
    native = content_type.startswith("image/")
    key = f"{(await library.memory.shell(library.memory.principal.user_id)).schema_name}/fishing/{file}/file"
    packed = content if native else gzip.compress(content)
    await library.engine.objects.put(key, BytesIO(packed))
    async with library.engine.postgres.as_service() as connection:
        await connection.execute(
            f'INSERT INTO "{shell.schema_name}".file_manifest (file_id, record_id, file_name, file_type, content_type, storage_path,'
            " compression_format, size_bytes, stored_bytes, sha256) VALUES (%s, %s, 'file', 'other', %s, %s, %s, %s, %s, %s)",
            [file, record.record_id, content_type, key, "native" if native else "gzip", len(content), len(packed),
             hashlib.sha256(content).digest()],
        )  # fmt: skip
    return file


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
        async with library.memory.open_file(library.node, file) as opened:
            while block := opened.content.read(1 << 16):
                found.update(block)
        assert (opened.size_bytes, found.digest()) == (size, digest)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * 2**20
    await library.memory.sleep(library.node, file)


@pytest.mark.ledger("N21")
async def test_a_reader_that_waited_for_a_restoration_without_room_restores_for_itself(library: Library) -> None:
    """Another process had no room for a copy, which says nothing of the file."""
    rehydration, states = library.engine.parts.rehydration, library.engine.states
    file = await rehydration._located(library.memory.principal, library.node, library.file)
    claim = await states.claim(library.memory.principal, file, by_hand=False, lost=None, waited=None)
    assert claim.mine
    reading = asyncio.create_task(library.memory.read_file(library.node, library.file))
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
        read = await asyncio.gather(*(library.memory.read_file(library.node, file) for _ in range(4)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    assert set(read) == {content}
    status = await library.memory.file_state(library.node, file)
    assert status.state == "dormant" and status.failure
    waiting = await library.memory.file_log.page(library.memory.principal, file_id=file, to_review=True)
    assert waiting and {entry.trigger for entry in waiting} == {"error"}
    assert await library.memory.read_file(library.node, file) == content
    assert (await library.memory.file_state(library.node, file)).state == "active"


@pytest.mark.ledger("N20")
async def test_a_claim_whose_holder_is_gone_is_taken_over_in_time(library: Library) -> None:
    memory, clock = library.memory, library.clock
    await claimed_by_nobody(library)
    with pytest.raises(Rehydrating):
        async with memory.open_file(library.node, library.file, wait_s=0.05):
            pass
    with pytest.raises(Conflict):
        await memory.sleep(library.node, library.file)
    assert (await memory.shell(library.node)).state == "rehydrating"
    clock.move(seconds=16)
    assert await memory.read_file(library.node, library.file) == TEXT.encode()
    assert await library.log() == [
        ("dormant", "rehydrating", "retrieval"), ("rehydrating", "rehydrating", "recovery"),
        ("rehydrating", "active", "recovery"),
    ]  # fmt: skip
    await memory.sleep(library.node, library.file)
    await claimed_by_nobody(library)
    clock.move(seconds=16)
    assert (await library.engine.dormancy.run()).recovered == 1
    assert await library.state() == "dormant" and (await memory.shell(library.node)).state == "dormant"


async def claimed_by_nobody(library: Library) -> None:
    """As a process leaves it that died right after its claim."""
    rehydration = library.engine.parts.rehydration
    file = await rehydration._located(library.memory.principal, library.node, library.file)
    claim = await library.engine.states.claim(library.memory.principal, file, by_hand=False, lost=None, waited=None)
    assert claim.mine
    await library.engine.nodes.apply()


@pytest.mark.ledger("N20")
@pytest.mark.long
async def test_thousands_of_files_fall_asleep_in_flat_memory_by_two_sweeps_at_once(
    library: Library, long: bool
) -> None:
    schema, peaks = (await library.memory.shell(library.node)).schema_name, []
    few, many = (1_000, 10_000) if long else (400, 4_000)
    for amount in (few, many):
        await awake_in_masses(library, amount)
        library.clock.move(minutes=11)
        tracemalloc.start()
        reports = await asyncio.gather(library.engine.dormancy.run(), library.engine.dormancy.run())
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert sum(report.asleep for report in reports) >= amount  # other tests leave files awake, too
    assert (
        peaks[1] < peaks[0] + 6 * 2**20
    )  # what else this process does meanwhile is in it; all tasks at once are far more
    async with library.engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT count(*) AS n, count(DISTINCT file_id) AS files FROM engine.compression_state_log"
            " WHERE node_id = %s AND trigger = 'ttl'",
            [library.node],
        )
        assert (await cursor.fetchone()) == {"n": few + many, "files": few + many}
    folder = library.engine.settings.home / "objects"
    assert not [path for path in folder.rglob("*/warm/*") if "masses" in str(path)]
    # they have no objects, which the doctor would report
    async with library.engine.postgres.as_service() as connection:
        await connection.execute(f"DELETE FROM \"{schema}\".file_manifest WHERE storage_path LIKE 'masses/%'")
    assert await library.problems() == []
    assert (await library.memory.shell(library.node)).state == "dormant"


async def awake_in_masses(library: Library, amount: int) -> None:
    """Awake files with their copies, put there past everything."""
    shell = await library.memory.shell(library.node)
    record = (await library.memory.metadata(library.node)).records[0]
    ids = [(uuid4(), uuid4()) for _ in range(amount)]
    folder = library.engine.settings.home / "objects"
    for file, claim in ids:
        copy = folder / f"masses/{file}/warm/{claim}"
        copy.parent.mkdir(parents=True)
        copy.write_bytes(b"x")
    async with library.engine.postgres.as_service() as connection:
        parameters = {"files": [file for file, _ in ids], "claims": [claim for _, claim in ids], "node": library.node}
        parameters |= {"record": record.record_id, "user": library.memory.principal.user_id, "now": library.clock.now()}
        await connection.execute(
            f'INSERT INTO "{shell.schema_name}".file_manifest (file_id, record_id, file_name, file_type, content_type, storage_path,'
            " compression_state, compression_format, size_bytes, stored_bytes, sha256)"
            " SELECT f, %(record)s, 'f', 'other', 'text/plain', 'masses/' || f || '/f.gz', 'active', 'gzip', 1, 1, sha256('x')"
            " FROM unnest(%(files)s::uuid[]) AS f",
            parameters,
        )
        await connection.execute(
            "INSERT INTO engine.awake_files (node_id, file_id, user_id, state, since, accessed_at, woken_by, by_hand, due_at, claim_id)"
            " SELECT %(node)s, f, %(user)s, 'active', %(now)s, %(now)s, 'retrieval', false, %(now)s + interval '10 min', c"
            " FROM unnest(%(files)s::uuid[], %(claims)s::uuid[]) AS m (f, c)",
            parameters,
        )


@pytest.mark.ledger("N03", "N19", "N24", "N26")
async def test_states_are_shown_at_shells_children_and_edges_and_nothing_wakes(library: Library) -> None:
    memory, root = library.memory, library.memory.principal.user_id
    work = await memory.provision(NewNode(root, "Work"))
    await memory.relate(work.node_id, library.node, "same_person")
    before = await library.log()
    for state in ("dormant", "active"):
        [edge] = (await memory.shell(work.node_id)).edges
        assert (edge.other_id, edge.other_state) == (library.node, state)
        children = {child.name: child.state for child in (await memory.shell(root)).children}
        assert children == {"Fishing": state, "Work": "active"}
        [anchor] = await memory.anchors("Work")
        assert anchor.edges[0].other_state == state
        [line] = await memory.edges()
        assert (line.source_state, line.target_state) == ("active", state)
        answer = await memory.search(SearchRequest("What does Work know of the walleye at dusk?", widen="always"))
        assert answer.hits and await library.state() == state
        assert (await memory.metadata(library.node)).records[0].compression_state == state
        if state == "dormant":
            assert await library.log() == before == []
            await memory.wake(library.node, library.file)
    await memory.remember_text("Dawn", TEXT, node_id=library.node)  # what is stored meanwhile changes no state
    assert (await memory.shell(library.node)).state == "active"
    await memory.sleep(library.node, library.file)
    assert (await memory.shell(library.node)).state == "dormant"


@pytest.mark.ledger("N19")
async def test_a_late_message_cannot_bring_an_old_state_back(library: Library) -> None:
    memory = library.memory
    await memory.wake(library.node, library.file)
    await memory.sleep(library.node, library.file)
    late = {"node_id": str(library.node), "state": "active", "seq": 0, "changed_at": START.isoformat()}
    statement = (Path(__file__).parents[2] / "cypher/engine/lifecycle/states.cypher").read_text(encoding="utf-8")
    rows = await library.engine.neo4j.write(statement, states=[late])
    assert rows == [{"changed": 0}]
    assert (await memory.shell(library.node)).state == "dormant"


@pytest.mark.ledger("N19", "N21")
async def test_whatever_happens_at_once_all_states_agree_in_the_end(engine: Engine, library: Library) -> None:
    files = [library.file] + [await stored_by_hand(library, TEXT.encode(), "text/plain") for _ in range(3)]
    memories = (library.memory, engine.memory(library.memory.principal.user_id))
    random = Random(5)

    async def act() -> None:
        memory, file = random.choice(memories), random.choice(files)
        match random.choice(("read", "wake", "sleep", "sleep", "sweep")):
            case "read":
                assert await memory.read_file(library.node, file) == TEXT.encode()
            case "wake":
                await memory.wake(library.node, file)
            case "sleep":
                with suppress(Conflict):  # it is being restored at this moment
                    await memory.sleep(library.node, file)
            case _:
                await library.engine.dormancy.run()

    for _ in range(6):
        await asyncio.gather(*(act() for _ in range(20)))
    await library.engine.nodes.apply()
    states = {(await library.memory.file_state(library.node, file)).state for file in files}
    assert (await library.memory.shell(library.node)).state == ("active" if "active" in states else "dormant")
    assert states <= {"active", "dormant"} and await library.problems() == []
    for file in files:  # each line of the log begins where the one before it ended
        entries = await library.memory.file_log.page(library.memory.principal, file_id=file, limit=500)
        moves = [(entry.from_state, entry.to_state) for entry in reversed(entries)]
        assert [move[1] for move in moves[:-1]] == [move[0] for move in moves[1:]]
        assert not [entry for entry in entries if entry.needs_review and entry.trigger == "error"]


@pytest.mark.ledger("N19")
@pytest.mark.parametrize("awake", [False, True])
async def test_the_doctor_notices_a_shell_with_a_wrong_state(library: Library, awake: bool) -> None:
    if awake:
        await library.memory.wake(library.node, library.file)
    right, wrong = ("active", "dormant") if awake else ("dormant", "rehydrating")
    await show(library, wrong)
    [problem] = await library.problems()
    assert f"shows its files as {wrong}, they are {right}" in problem
    await show(library, right)
    assert await library.problems() == []


@pytest.mark.ledger("N19")
async def test_the_doctor_notices_a_manifest_with_a_wrong_state(library: Library) -> None:
    schema = (await library.memory.shell(library.node)).schema_name
    for state in ("active", "dormant"):
        async with library.engine.postgres.as_service() as connection:
            await connection.execute(f'UPDATE "{schema}".file_manifest SET compression_state = %s', [state])
        found = await library.problems()
        assert ["1 files have another state" in problem for problem in found] == ([True] if state == "active" else [])


async def show(library: Library, state: str) -> None:
    await library.engine.neo4j.write(
        "MATCH (n:Node {node_id: $node}) SET n.state = $state RETURN n.state", node=str(library.node), state=state
    )


@pytest.mark.ledger("N19")
async def test_the_state_of_a_node_follows_from_all_its_files(library: Library) -> None:
    memory = library.memory
    other = (await memory.remember_text("Dawn", TEXT + "At dawn too.", node_id=library.node)).records[0].file_id
    await asyncio.gather(memory.wake(library.node, library.file), memory.wake(library.node, other))
    await memory.sleep(library.node, library.file)
    assert (await memory.shell(library.node)).state == "active"
    await claimed_by_nobody(library)
    assert (await memory.shell(library.node)).state == "rehydrating"
    library.clock.move(seconds=16)
    await library.engine.dormancy.run()
    assert (await memory.shell(library.node)).state == "active"
    await memory.sleep(library.node, other)
    assert (await memory.shell(library.node)).state == "dormant"


@pytest.mark.ledger("N19", "N31")
async def test_who_may_read_may_wake_and_only_who_may_write_may_put_to_sleep(library: Library) -> None:
    engine, memory = library.engine, library.memory
    root = memory.principal.user_id
    lawyer = (await memory.provision(NewNode(root, "Lawyer", "persona"))).node_id
    persona = engine.memory_as(Principal("persona", lawyer, root))
    stranger = engine.memory((await engine.create_user(f"s{uuid4().hex[:12]}")).user_id)
    private = (
        (await memory.remember_text("Diary", TEXT + "Private.", node_id=library.node, privacy="private"))
        .records[0]
        .file_id
    )
    for someone in (persona, stranger):
        for asked in (someone.file_state, someone.wake, someone.sleep):
            with pytest.raises(NotFound) as denied:
                await asked(library.node, library.file)
            with pytest.raises(NotFound) as missing:
                await asked(uuid4(), library.file)
            assert denied.value.detail == missing.value.detail
    await memory.grants.give(memory.principal, NewGrant(library.node, "persona", lawyer))
    assert (await persona.wake(library.node, library.file)).state == "active"
    entry = (await memory.file_log.page(memory.principal))[-1]
    assert (entry.actor_kind, entry.actor_id) == ("persona", lawyer)
    assert await persona.file_log.page(persona.principal) == ()
    with pytest.raises(NotFound):
        await persona.sleep(library.node, library.file)
    for asked in (persona.file_state, persona.wake, persona.sleep):
        with pytest.raises(NotFound):
            await asked(library.node, private)
    await memory.grants.give(memory.principal, NewGrant(library.node, "persona", lawyer, "read_write"))
    assert (await persona.sleep(library.node, library.file)).state == "dormant"
    assert await library.state() == "dormant"


@pytest.mark.ledger("N20", "N21", "N33")
async def test_every_length_of_time_is_a_setting(library: Library, settings: Settings) -> None:
    times = {
        "recompress_after_minutes": 3.0,
        "dormant_after_days": 2.0,
        "rehydrate_lease_s": 5.0,
        "rehydrate_wait_s": 0.0,
    }
    clock = library.clock
    async with open_engine(settings.model_copy(update=times), clock=clock) as engine:
        memory = engine.memory(library.memory.principal.user_id)
        with pytest.raises(Rehydrating):
            await memory.read_file(library.node, library.file)
        async with memory.open_file(library.node, library.file, wait_s=60) as file:
            assert file.content.read() == TEXT.encode()
        assert (await memory.file_state(library.node, library.file)).due_at == clock.now() + timedelta(minutes=3)
        await memory.wake(library.node, library.file)
        clock.move(days=1.9)
        assert (await engine.dormancy.run()).asleep == 0
        clock.move(days=0.2)
        assert (await engine.dormancy.run()).unused == 1
        await claimed_by_nobody(replace(library, engine=engine))
        clock.move(seconds=4)
        assert (await engine.dormancy.run()).recovered == 0
        clock.move(seconds=2)
        assert (await engine.dormancy.run()).recovered == 1


@pytest.mark.ledger("N22")
@pytest.mark.parametrize("role", ["service", "request"])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE engine.compression_state_log SET detail = 'x'",
        "DELETE FROM engine.compression_state_log",
        "TRUNCATE engine.compression_state_log",
        "TRUNCATE engine.compression_state_log CASCADE",
    ],
)
async def test_the_state_log_only_grows(library: Library, role: str, statement: str) -> None:
    await library.memory.wake(library.node, library.file)
    before = await library.log()
    postgres = library.engine.postgres
    with pytest.raises(NotFound):  # what a refusal by the database looks like
        if role == "service":
            async with postgres.as_service() as connection:
                await connection.execute(statement)
        else:
            async with postgres.as_principal(library.memory.principal) as connection:
                await connection.execute(statement)
    assert await library.log() == before


async def test_the_keys_of_files_and_copies_are_told_apart() -> None:
    file, claim = uuid4(), uuid4()
    assert copy_of(f"bob/fishing/{file}/warm/{claim}") == (file, claim) and file_of(f"bob/{file}/warm/{claim}") is None
    for key in (f"bob/warm/{file}/text.gz", f"bob/{file}/text.gz", f"bob/{file}/warm/text.gz", f"{file}/warm/{claim}"):
        assert copy_of(key) is None
    assert file_of(f"bob/warm/{file}/text.gz") == file
