"""Files fall asleep and wake: states of files and nodes, the sweep, the log."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest

from engine.domain.grant import NewGrant
from engine.domain.node import NewNode
from engine.domain.principal import Principal
from engine.domain.search import SearchRequest
from engine.errors import Conflict, NotFound, Rehydrating
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.stores.objects import copy_of, file_of
from engine.wiring.open_engine import open_engine
from tests.library import START, TEXT, Library, leave_a_claim, stored_by_hand

pytestmark = pytest.mark.usefixtures("few_nodes")  # the doctor looks at all users


@pytest.mark.ledger("N19", "N20", "N25")
async def test_a_file_wakes_when_it_is_read_and_sleeps_again(library: Library) -> None:
    memory, clock = library.memory, library.clock
    fresh = await memory.files.state(library.node, library.file)
    assert (fresh.state, fresh.since, fresh.due_at, fresh.by_hand, fresh.failure) == (
        "dormant",
        None,
        None,
        False,
        None,
    )
    assert (await memory.nodes.shell(library.node)).state == "dormant"
    assert await memory.files.read(library.node, library.file) == TEXT.encode()
    awake = await memory.files.state(library.node, library.file)
    assert (awake.state, awake.due_at) == ("active", clock.now() + timedelta(minutes=10))
    assert (await memory.nodes.shell(library.node)).state == "active"
    _, [copy] = library.objects()
    assert copy.read_bytes() == TEXT.encode()

    clock.move(minutes=9)
    assert await memory.files.read(library.node, library.file) == TEXT.encode()  # later retrievals prolong
    clock.move(minutes=9)
    assert (await library.engine.dormancy.run()).expired == 0
    clock.move(minutes=1)
    assert (await library.engine.dormancy.run()).expired == 1
    stored, copies = library.objects()
    assert copies == [] and gzip.decompress(stored.read_bytes()) == TEXT.encode()
    assert await library.state() == "dormant" and (await memory.nodes.shell(library.node)).state == "dormant"
    record = (await memory.nodes.metadata(library.node)).records[0]
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
    woken = await memory.files.wake(library.node, library.file)
    assert (woken.state, woken.by_hand, woken.due_at) == ("active", True, None)
    clock.move(days=29)
    assert (await library.engine.dormancy.run()).asleep == 0
    await memory.files.read(library.node, library.file)
    clock.move(days=29)
    assert (await library.engine.dormancy.run()).asleep == 0
    clock.move(days=1)
    report = await library.engine.dormancy.run()
    assert (report.expired, report.unused) == (0, 1)
    assert (await library.log())[-1] == ("active", "dormant", "dormancy")

    await memory.files.read(library.node, library.file)  # a wake in the time after a retrieval ends that time
    assert (await memory.files.wake(library.node, library.file)).by_hand
    clock.move(days=1)
    assert (await library.engine.dormancy.run()).asleep == 0
    asleep = await memory.files.sleep(library.node, library.file)
    assert asleep.state == "dormant" and library.objects()[1] == []
    assert (await memory.files.sleep(library.node, library.file)).state == "dormant"
    assert [line for line in await library.log() if line[2] == "manual"] == [
        ("dormant", "rehydrating", "manual"), ("rehydrating", "active", "manual"), ("active", "active", "manual"),
        ("active", "dormant", "manual"),
    ]  # fmt: skip


@pytest.mark.ledger("N20")
@pytest.mark.long
async def test_thousands_of_files_fall_asleep_in_flat_memory_by_two_sweeps_at_once(
    library: Library, long: bool
) -> None:
    schema, peaks = (await library.memory.nodes.shell(library.node)).schema_name, []
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
    assert (await library.memory.nodes.shell(library.node)).state == "dormant"


async def awake_in_masses(library: Library, amount: int) -> None:
    """Awake files with their copies, put there past everything."""
    shell = await library.memory.nodes.shell(library.node)
    record = (await library.memory.nodes.metadata(library.node)).records[0]
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
    work = await memory.nodes.provision(NewNode(root, "Work"))
    await memory.edges.make(work.node_id, library.node, "same_person")
    before = await library.log()
    for state in ("dormant", "active"):
        [edge] = (await memory.nodes.shell(work.node_id)).edges
        assert (edge.other_id, edge.other_state) == (library.node, state)
        children = {child.name: child.state for child in (await memory.nodes.shell(root)).children}
        assert children == {"Fishing": state, "Work": "active"}
        [anchor] = await memory.nodes.anchors("Work")
        assert anchor.edges[0].other_state == state
        [line] = await memory.edges.list()
        assert (line.source_state, line.target_state) == ("active", state)
        answer = await memory.search(SearchRequest("What does Work know of the walleye at dusk?", widen="always"))
        assert answer.hits and await library.state() == state
        assert (await memory.nodes.metadata(library.node)).records[0].compression_state == state
        if state == "dormant":
            assert await library.log() == before == []
            await memory.files.wake(library.node, library.file)
    await memory.records.remember_text("Dawn", TEXT, node_id=library.node)  # what is stored meanwhile changes no state
    assert (await memory.nodes.shell(library.node)).state == "active"
    await memory.files.sleep(library.node, library.file)
    assert (await memory.nodes.shell(library.node)).state == "dormant"


@pytest.mark.ledger("N19")
async def test_a_late_message_cannot_bring_an_old_state_back(library: Library) -> None:
    memory = library.memory
    await memory.files.wake(library.node, library.file)
    await memory.files.sleep(library.node, library.file)
    late = {"node_id": str(library.node), "state": "active", "seq": 0, "changed_at": START.isoformat()}
    statement = (Path(__file__).parents[2] / "cypher/engine/lifecycle/states.cypher").read_text(encoding="utf-8")
    rows = await library.engine.neo4j.write(statement, states=[late])
    assert rows == [{"changed": 0}]
    assert (await memory.nodes.shell(library.node)).state == "dormant"


@pytest.mark.ledger("N19", "N21")
async def test_whatever_happens_at_once_all_states_agree_in_the_end(engine: Engine, library: Library) -> None:
    files = [library.file] + [await stored_by_hand(library, TEXT.encode(), "text/plain") for _ in range(3)]
    memories = (library.memory, engine.memory(library.memory.principal.user_id))
    random = Random(5)

    async def act() -> None:
        memory, file = random.choice(memories), random.choice(files)
        match random.choice(("read", "wake", "sleep", "sleep", "sweep")):
            case "read":
                assert await memory.files.read(library.node, file) == TEXT.encode()
            case "wake":
                await memory.files.wake(library.node, file)
            case "sleep":
                with suppress(Conflict):  # it is being restored at this moment
                    await memory.files.sleep(library.node, file)
            case _:
                await library.engine.dormancy.run()

    for _ in range(6):
        await asyncio.gather(*(act() for _ in range(20)))
    await library.engine.nodes.apply()
    states = {(await library.memory.files.state(library.node, file)).state for file in files}
    assert (await library.memory.nodes.shell(library.node)).state == ("active" if "active" in states else "dormant")
    assert states <= {"active", "dormant"} and await library.problems() == []
    for file in files:  # each line of the log begins where the one before it ended
        entries = await library.memory.files.log(file_id=file, limit=500)
        moves = [(entry.from_state, entry.to_state) for entry in reversed(entries)]
        assert [move[1] for move in moves[:-1]] == [move[0] for move in moves[1:]]
        assert not [entry for entry in entries if entry.needs_review and entry.trigger == "error"]


@pytest.mark.ledger("N19")
@pytest.mark.parametrize("awake", [False, True])
async def test_the_doctor_notices_a_shell_with_a_wrong_state(library: Library, awake: bool) -> None:
    if awake:
        await library.memory.files.wake(library.node, library.file)
    right, wrong = ("active", "dormant") if awake else ("dormant", "rehydrating")
    await show(library, wrong)
    [problem] = await library.problems()
    assert f"shows its files as {wrong}, they are {right}" in problem
    await show(library, right)
    assert await library.problems() == []


@pytest.mark.ledger("N19")
async def test_the_doctor_notices_a_manifest_with_a_wrong_state(library: Library) -> None:
    schema = (await library.memory.nodes.shell(library.node)).schema_name
    for state in ("active", "dormant"):
        async with library.engine.postgres.as_service() as connection:
            await connection.execute(f'UPDATE "{schema}".file_manifest SET compression_state = %s', [state])
        found = await library.problems()
        assert ["1 file in another state" in problem for problem in found] == ([True] if state == "active" else [])


async def show(library: Library, state: str) -> None:
    await library.engine.neo4j.write(
        "MATCH (n:Node {node_id: $node}) SET n.state = $state RETURN n.state", node=str(library.node), state=state
    )


@pytest.mark.ledger("N19")
async def test_the_state_of_a_node_follows_from_all_its_files(library: Library) -> None:
    memory = library.memory
    other = (await memory.records.remember_text("Dawn", TEXT + "At dawn too.", node_id=library.node)).records[0].file_id
    await asyncio.gather(memory.files.wake(library.node, library.file), memory.files.wake(library.node, other))
    await memory.files.sleep(library.node, library.file)
    assert (await memory.nodes.shell(library.node)).state == "active"
    await leave_a_claim(library)
    assert (await memory.nodes.shell(library.node)).state == "rehydrating"
    library.clock.move(seconds=16)
    await library.engine.dormancy.run()
    assert (await memory.nodes.shell(library.node)).state == "active"
    await memory.files.sleep(library.node, other)
    assert (await memory.nodes.shell(library.node)).state == "dormant"


@pytest.mark.ledger("N19", "N31")
async def test_who_may_read_may_wake_and_only_who_may_write_may_put_to_sleep(library: Library) -> None:
    engine, memory = library.engine, library.memory
    root = memory.principal.user_id
    lawyer = (await memory.nodes.provision(NewNode(root, "Lawyer", "persona"))).node_id
    persona = engine.memory_as(Principal("persona", lawyer, root))
    stranger = engine.memory((await engine.workspace.users.create(f"s{uuid4().hex[:12]}")).user_id)
    private = (
        (await memory.records.remember_text("Diary", TEXT + "Private.", node_id=library.node, privacy="private"))
        .records[0]
        .file_id
    )
    for someone in (persona, stranger):
        for asked in (someone.files.state, someone.files.wake, someone.files.sleep):
            with pytest.raises(NotFound) as denied:
                await asked(library.node, library.file)
            with pytest.raises(NotFound) as missing:
                await asked(uuid4(), library.file)
            assert denied.value.detail == missing.value.detail
    await memory.grants.give(NewGrant(library.node, "persona", lawyer))
    assert (await persona.files.wake(library.node, library.file)).state == "active"
    entry = (await memory.files.log())[-1]
    assert (entry.actor_kind, entry.actor_id) == ("persona", lawyer)
    with pytest.raises(NotFound):
        await persona.files.log()
    with pytest.raises(NotFound):
        await persona.files.sleep(library.node, library.file)
    for asked in (persona.files.state, persona.files.wake, persona.files.sleep):
        with pytest.raises(NotFound):
            await asked(library.node, private)
    await memory.grants.give(NewGrant(library.node, "persona", lawyer, "read_write"))
    assert (await persona.files.sleep(library.node, library.file)).state == "dormant"
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
            await memory.files.read(library.node, library.file)
        async with memory.files.open(library.node, library.file, wait_s=60) as file:
            assert file.content.read() == TEXT.encode()
        assert (await memory.files.state(library.node, library.file)).due_at == clock.now() + timedelta(minutes=3)
        await memory.files.wake(library.node, library.file)
        clock.move(days=1.9)
        assert (await engine.dormancy.run()).asleep == 0
        clock.move(days=0.2)
        assert (await engine.dormancy.run()).unused == 1
        await leave_a_claim(replace(library, engine=engine))
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
    await library.memory.files.wake(library.node, library.file)
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
