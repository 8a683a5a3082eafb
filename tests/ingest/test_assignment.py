"""Content goes where it belongs, every decision is kept with its confidence and reasons, and is corrected by hand."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.domain.assignment import AssignmentFilter
from engine.domain.clock import NOW, Moment
from engine.domain.delta import Change
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.search import SearchRequest
from engine.errors import Conflict, InvalidInput, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.statements import sql_in
from tests.reader import untroubled

pytestmark = pytest.mark.usefixtures("few_nodes")  # the doctor looks at all users

WHEN = datetime(2025, 3, 1, 18, 0, tzinfo=UTC)
FISHING = (
    Turn("Bob", "Dave and I took the boat out to Loon Lake for walleye."),
    Turn("Iris", "How was the fishing?"),
    Turn("Bob", "Two walleye, and Dave lost his lure in the reeds."),
)
PAYROLL = (
    Turn("Bob", "I have to run payroll before Friday, the invoices are late."),
    Turn("Iris", "Which invoices are still unpaid?"),
)
BEES = "\n\n".join(
    f"The {number}. inspection at Quillfeather Meadow. " + "The hives stand well and the honey is capped. " * 15
    for number in range(9)
)


@pytest.fixture
async def places(memory: Memory, user: User) -> dict[str, UUID]:
    """Two concepts that the contents of these tests belong to."""
    found = {}
    for name, keywords in (("Fishing", ("boat", "walleye", "lake")), ("Finances", ("payroll", "invoice", "invoices"))):
        found[name] = (await memory.nodes.provision(NewNode(user.user_id, name, keywords=keywords))).node_id
    return found


async def agree(engine: Engine, memory: Memory) -> None:
    await engine.outbox.recover()
    await engine.sweep.run(grace=timedelta(0))
    await untroubled(engine, memory.principal)


# decisions -----------------------------------------------------------------------------------------------


@pytest.mark.ledger("N07", "N14")
async def test_every_decision_is_kept_with_its_confidence_and_reasons(
    memory: Memory, places: dict[str, UUID], user: User
) -> None:
    report = await memory.records.remember(Conversation("c1", FISHING + PAYROLL, "A busy evening", WHEN))
    by_hand = await memory.records.remember(Conversation("c2", FISHING), node_id=places["Finances"])
    await memory.records.remember(Conversation("c3", (Turn("Bob", "Hello there."),)))
    lines = await memory.records.assignments()
    assert [line.node_id for line in lines[:2]] == [user.user_id, places["Finances"]]
    first = {line.record_id: line for line in lines}[report.records[0].record_id]
    assert (first.node_id, first.decided_by, first.title) == (places["Fishing"], "engine", "A busy evening")
    assert first.reasons["words"]["walleye"] == 2 and first.reasons["units"] == 3
    assert report.records[0].confidence == first.confidence > 0.7
    hand = {line.record_id: line for line in lines}[by_hand.records[0].record_id]
    assert (hand.decided_by, hand.confidence) == ("hand", 1.0)
    unsure = await memory.records.assignments(AssignmentFilter(below=0.5))
    assert [line.title for line in unsure] == ["c3"] and "nothing speaks" in unsure[0].reasons["rule"]
    there = await memory.records.assignments(AssignmentFilter(node_id=places["Finances"], decided_by="engine"))
    assert [line.title for line in there] == ["A busy evening"]
    pages = [await memory.records.assignments(AssignmentFilter(limit=2))]
    pages.append(await memory.records.assignments(AssignmentFilter(limit=2, before=pages[0][-1].entry_id)))
    assert (*pages[0], *pages[1]) == lines
    for wrong in (AssignmentFilter(below=2), AssignmentFilter(limit=0)):
        with pytest.raises(InvalidInput):
            await memory.records.assignments(wrong)


async def test_decisions_are_the_users_alone_and_what_a_persona_stores_leaves_one(
    engine: Engine, memory: Memory, places: dict[str, UUID], user: User
) -> None:
    persona = await memory.nodes.provision(NewNode(user.user_id, "Clerk", "persona"))
    await memory.grants.give(NewGrant(places["Finances"], "persona", persona.node_id, "read_write"))
    clerk = engine.memory_as(Principal("persona", persona.node_id, user.user_id))
    await clerk.records.remember(Conversation("p", PAYROLL), node_id=places["Finances"])
    with pytest.raises(NotFound):
        await clerk.records.assignments()
    [line] = await memory.records.assignments()
    assert line.author == f"persona:{persona.node_id}"
    stranger = await engine.workspace.users.create(f"s{uuid4().hex[:12]}")
    assert await engine.memory(stranger.user_id).records.assignments() == ()
    with pytest.raises(NotFound):
        await engine.memory_as(Principal("user", stranger.user_id, user.user_id)).records.assignments()


# several records from one document -----------------------------------------------------------------------


@pytest.mark.ledger("N14")
async def test_a_document_over_two_concepts_gives_two_records_that_share_its_file(
    engine: Engine, memory: Memory, places: dict[str, UUID]
) -> None:
    fishing = "We took the boat to the lake for walleye. " * 18
    money = "The payroll waits for the invoice of the library. " * 16
    text = f"# Lake\n\n{fishing}\n\n{fishing}\n\n# Money\n\n{money}\n\n{money}"
    report = await memory.records.remember_text("A week", text, source_id="week")
    assert {record.node_id for record in report.records} == set(places.values()) and report.files == 1
    assert len({record.file_id for record in report.records}) == 1
    for record in report.records:
        assert await memory.files.read(record.node_id, record.file_id) == text.encode()
    states = [await memory.files.state(record.node_id, record.file_id) for record in report.records]
    assert {state.state for state in states} == {"active"}
    await memory.files.sleep(report.records[0].node_id, report.records[0].file_id)
    assert (await memory.files.state(report.records[1].node_id, report.records[1].file_id)).state == "active"
    found = await memory.search(SearchRequest("payroll invoice library", limit=50, widen="always"))
    assert sum(hit.path[-1] == "Finances" for hit in found.hits) == next(
        record.items for record in report.records if record.node_id == places["Finances"]
    )
    stored = [entry.key async for entry in engine.objects.listing("") if str(report.records[0].file_id) in entry.key]
    assert sum(".copies" not in key for key in stored) >= 1
    await agree(engine, memory)
    assert (await memory.records.remember_text("A week", text, source_id="week")).records == ()
    with pytest.raises(Conflict):  # the other node holds the other part
        one, other = report.records
        await memory.records.move(one.record_id, one.node_id, other.node_id)
    await agree(engine, memory)


@pytest.mark.ledger("F02", "N14")
async def test_versions_of_a_document_at_several_nodes_keep_every_part_where_it_is(
    engine: Engine, memory: Memory, places: dict[str, UUID], user: User
) -> None:
    def passage(kind: str, number: int) -> str:
        words = {"Lake": "We took the boat to the lake for walleye.", "Money": "The payroll waits for the invoice."}
        return f"{kind} number {number}. " + f"{words[kind]} " * 18

    def text(lake: list[int], money: list[int]) -> str:
        parts = [("Lake", lake), ("Money", money)]
        return "\n\n".join(f"# {kind}\n\n" + "\n\n".join(passage(kind, n) for n in own) for kind, own in parts if own)

    async def held(known_at: datetime | None = None) -> dict[str, set[str]]:
        wanted = SearchRequest(
            "number lake payroll", limit=100, widen="always", kinds=("chunk",), moment=Moment(known_at=known_at)
        )
        found: dict[str, set[str]] = {}
        for hit in (await memory.search(wanted)).hits:
            found.setdefault(hit.path[-1], set()).add(" ".join(hit.content.split()[:3]).rstrip("."))
        return found

    def sentences(kind: str, *numbers: int) -> set[str]:
        return {f"{kind} number {number}" for number in numbers}

    other = (await memory.nodes.provision(NewNode(user.user_id, "Outdoors"))).node_id
    first = await memory.records.remember_text("Week", text([1, 2], [3, 4]), source_id="week")
    assert {change.version for change in first.documents} == {1} and len(first.documents) == 2
    assert await held() == {"Fishing": sentences("Lake", 1, 2), "Finances": sentences("Money", 3, 4)}
    ids = {change.node_id: change.document_id for change in first.documents}

    second = await memory.records.remember_text("Week", text([1, 5, 2], [4, 6]), source_id="week")
    assert second.files == 1 and {change.document_id for change in second.documents} == set(ids.values())
    changes = {
        change.node_id: (change.version, change.kept, change.added, change.superseded) for change in second.documents
    }
    assert changes == {places["Fishing"]: (2, 2, 1, 0), places["Finances"]: (2, 1, 1, 1)}
    assert await held() == {"Fishing": sentences("Lake", 1, 5, 2), "Finances": sentences("Money", 4, 6)}
    session = await memory.ingests.get(second.session_id)
    assert (session.files, session.records) == (1, 2)

    lake = ids[places["Fishing"]]
    await memory.records.move(lake, places["Fishing"], other)
    third = await memory.records.remember_text("Week", text([1, 2, 7], []), source_id="week")
    assert {change.node_id: change.kept + change.added for change in third.documents} == {
        other: 3,
        places["Finances"]: 0,
    }
    assert await held() == {"Outdoors": sentences("Lake", 1, 2, 7)}
    assert await memory.documents.read(ids[places["Finances"]], 2) == text([1, 5, 2], [4, 6]).encode()
    before = (await memory.documents.versions(lake))[1].known_at
    assert await held(before) == {"Outdoors": sentences("Lake", 1, 5, 2), "Finances": sentences("Money", 4, 6)}
    assert (await memory.records.remember_text("Week", text([1, 2, 7], []), source_id="week")).documents == ()
    await agree(engine, memory)


# creation ------------------------------------------------------------------------------------------------


@pytest.mark.ledger("N07", "N33")
async def test_a_clear_topic_without_a_node_gets_one_and_the_next_content_goes_there(
    engine: Engine, memory: Memory, places: dict[str, UUID], user: User
) -> None:
    report = await memory.records.remember_text("Quillfeather Meadow", BEES, source_id="bees")
    assert report.nodes_created == 1 and [record.node_created for record in report.records] == [True]
    shell = await memory.nodes.shell(report.records[0].node_id)
    assert shell.path[1:] == ("Quillfeather Meadow",) and shell.node_type == "concept" and shell.summary
    assert {"quillfeather", "meadow"} <= set(shell.keywords)
    [line] = await memory.records.assignments(AssignmentFilter(node_id=shell.node_id))
    assert (
        line.created_node and line.confidence == report.records[0].confidence >= engine.settings.auto_create_confidence
    )
    assert line.reasons["name"] == "Quillfeather Meadow"
    later = await memory.records.remember(Conversation("c", (Turn("Bob", "Quillfeather Meadow needs new frames."),)))
    assert later.nodes_created == 0 and later.records[0].node_id == shell.node_id
    await agree(engine, memory)


@pytest.mark.ledger("N07")
async def test_what_is_not_sure_private_or_told_where_to_go_creates_nothing(
    engine: Engine, memory: Memory, places: dict[str, UUID], user: User
) -> None:
    short = "\n\n".join(BEES.split("\n\n")[:3])
    assert (await memory.records.remember_text("Notes", short)).nodes_created == 0
    assert (await memory.records.remember_text("Quillfeather Meadow", BEES, privacy="private")).nodes_created == 0
    report = await memory.records.remember_text("Quillfeather Meadow", BEES, node_id=places["Finances"])
    assert report.nodes_created == 0 and report.records[0].node_id == places["Finances"]
    assert {child.name for child in (await memory.nodes.shell(user.user_id)).children} == set(places)


@pytest.mark.ledger("N07")
async def test_many_at_once_that_want_the_same_node_get_one(memory: Memory, user: User) -> None:
    reports = await asyncio.gather(
        *(memory.records.remember_text("Quillfeather Meadow", BEES, source_id=f"bees-{number}") for number in range(6))
    )
    assert len({report.records[0].node_id for report in reports}) == 1
    assert sum(report.nodes_created for report in reports) == 1
    assert [child.name for child in (await memory.nodes.shell(user.user_id)).children] == ["Quillfeather Meadow"]


@pytest.mark.ledger("N06", "N07")
async def test_below_layer_five_nothing_is_created_and_that_is_logged(
    engine: Engine, memory: Memory, user: User
) -> None:
    deepest = await memory.nodes.provision_path(("A", "B", "C", "D"))
    leaf = await memory.nodes.provision(NewNode(deepest.node_id, "Apiary", keywords=("honey",)))
    await memory.nodes.provision(NewNode(user.user_id, "Larder", keywords=("honey",)))  # half a hit covers nothing
    assert leaf.layer == 5
    turns = tuple(
        Turn(
            "Bob",
            f"The {n}. honey of Quillfeather Meadow, the Apiary's best."
            if n == 0
            else f"{n} jars of honey from Quillfeather Meadow.",
        )
        for n in range(12)
    )
    report = await memory.records.remember(Conversation("bees", turns, "At the Apiary"))
    assert report.nodes_created == 0 and [record.node_id for record in report.records] == [leaf.node_id]
    assert (await memory.nodes.shell(leaf.node_id)).children == ()
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT node_id, event, detail FROM engine.hierarchy_log WHERE user_id = %s", [user.user_id]
        )
        [event] = await cursor.fetchall()
    assert (event["node_id"], event["event"], event["detail"]["name"]) == (
        leaf.node_id,
        "too_deep",
        "Quillfeather Meadow",
    )


# moving --------------------------------------------------------------------------------------------------


VOLATILE = {"access_count", "last_accessed_at", "moved_at"}
"""Columns that searches and moves change by themselves."""


async def picture(engine: Engine, memory: Memory, nodes: list[UUID]) -> dict[str, Any]:
    """All that search and metadata show of nodes, and the counts that search weighs by."""
    shown: dict[str, Any] = {}
    for node_id in nodes:
        shell, page = await memory.nodes.shell(node_id), await memory.nodes.metadata(node_id)
        schema = shell.schema_name
        shown[str(node_id)] = (
            shell.records, shell.items, shell.manifest,
            [(one.record_id, one.title, one.summary, one.file_id, one.created_at, one.compression_state) for one in page.records],
        )  # fmt: skip
        async with engine.postgres.as_service() as connection:
            for table in ("memory_items", "term_counts", "file_manifest"):
                rows = f"SELECT * FROM {schema}.{table}"
                if table == "term_counts":
                    rows = f"SELECT * FROM engine.term_counts WHERE documents > 0 AND node_id = '{node_id}'"
                cursor = await connection.execute(rows)
                kept = [
                    {name: value for name, value in row.items() if name not in VOLATILE}
                    for row in await cursor.fetchall()
                ]
                shown[f"{node_id} {table}"] = sorted(map(str, kept))
    for question in ("Who lost a lure?", "payroll", "walleye in the reeds"):
        answer = await memory.search(SearchRequest(question, limit=20, widen="always"))
        shown[question] = [(hit.item_id, hit.path, round(hit.score, 6)) for hit in answer.hits]
    return shown


@pytest.mark.ledger("X03")
async def test_what_was_moved_to_a_younger_node_is_found_in_the_past(
    memory: Memory, user: User, places: dict[str, UUID]
) -> None:
    source = places["Fishing"]
    report = await memory.records.remember(Conversation("c1", FISHING, "An evening", WHEN), node_id=source)
    [record] = report.records
    before = Moment(known_at=datetime.now(UTC))
    younger = (await memory.nodes.provision(NewNode(user.user_id, "Lakes"))).node_id

    async def found(*nodes: UUID, moment: Moment = before) -> set[UUID]:
        request = SearchRequest("Who lost a lure?", nodes=nodes or None, moment=moment)
        return {hit.node_id for hit in (await memory.search(request)).hits}

    assert (await found(), await found(source), await found(younger)) == ({source}, {source}, set())
    await memory.records.remember(Conversation("c2", FISHING, "Another evening", WHEN), node_id=younger)
    assert (await found(), await found(source), await found(younger)) == ({source}, {source}, set())
    await memory.records.move(record.record_id, source, younger)
    assert (await found(), await found(source), await found(younger)) == ({younger}, {younger}, {younger})
    assert await found(places["Finances"]) == set() and await found(source, moment=NOW) == set()
    answer = await memory.search(SearchRequest("Who lost a lure?", moment=before))
    assert {hit.record_id for hit in answer.hits} == {record.record_id}, "not what the younger node got for itself"
    youngest = (await memory.nodes.provision(NewNode(user.user_id, "Bays"))).node_id
    await memory.records.move(record.record_id, younger, youngest)
    assert (await found(), await found(source)) == ({youngest}, {youngest})


@pytest.mark.ledger("X13")
async def test_a_record_moves_with_all_that_hangs_on_it_and_back_again(
    engine: Engine, memory: Memory, places: dict[str, UUID]
) -> None:
    report = await memory.records.remember(Conversation("c1", FISHING + PAYROLL, "A busy evening", WHEN))
    record = report.records[0]
    source, target = places["Fishing"], places["Finances"]
    changed = await memory.history.change(Change("record", record.record_id, {"title": "The lake"}, source))
    item = (await memory.search(SearchRequest("Who lost a lure?", limit=1))).hits[0].item_id
    await memory.history.change(Change("item", item, {"content": "Dave lost his spoon in the reeds."}, source))
    await agree(engine, memory)  # the new text is read for names
    before = await picture(engine, memory, list(places.values()))
    moved = await memory.records.move(record.record_id, source, target, reason="about money")
    assert (moved.revision, moved.node_id, moved.moved_from) == (4, target, source)
    assert (await memory.nodes.metadata(source)).records == () and (await memory.nodes.shell(source)).records == 0
    hit = (await memory.search(SearchRequest("Who lost a spoon?", limit=1))).hits[0]
    assert (hit.item_id, hit.path[-1], hit.record_id) == (item, "Finances", record.record_id)
    assert b"lost his spoon" in await memory.files.read(target, record.file_id)
    with pytest.raises(NotFound):
        await memory.files.read(source, record.file_id)
    past = Moment(known_at=changed.known_at - timedelta(microseconds=1))
    assert (await memory.history.state("record", record.record_id, node_id=target, moment=past)).fields[
        "title"
    ] == "A busy evening"
    chain = await memory.history.deltas("record", record.record_id, node_id=target)
    assert [delta.operation for delta in chain] == ["created", "changed", "changed", "moved"]  # also its summary
    assert chain[-1].fields["node_id"].after == str(target) and chain[-1].reason == "about money"
    assert len(await memory.history.deltas("item", item, node_id=target)) == 1
    newest, *_ = lines = await memory.records.assignments(AssignmentFilter(record_id=record.record_id))
    assert (newest.node_id, newest.moved_from, newest.decided_by) == (target, source, "hand") and len(lines) == 2
    await agree(engine, memory)
    again = await memory.history.change(Change("record", record.record_id, {"title": "The books"}, target))
    assert again.revision == 5 and (await memory.nodes.shell(target)).manifest[0].title in (
        "The books",
        "A busy evening",
    )
    await memory.history.change(Change("record", record.record_id, {"title": "The lake"}, target))
    page = await memory.history.difference(WHEN, datetime.now(UTC) + timedelta(hours=1))
    assert {one.node_id for one in page.differences if one.subject_id == record.record_id} == {target}
    await memory.files.sleep(target, record.file_id)
    await memory.records.move(record.record_id, target, source)
    await agree(engine, memory)
    after = await picture(engine, memory, list(places.values()))
    volatile = f"{source} file_manifest"
    assert before.pop(volatile)[0][:200] == after.pop(volatile)[0][:200]
    assert after == before
    assert [delta.revision for delta in await memory.history.deltas("record", record.record_id, node_id=source)] == [
        1,
        2,
        3,
        4,
        5,
        6,
        7,
    ]
    assert (await memory.records.remember(Conversation("c1", FISHING + PAYROLL, started_at=WHEN))).turns == 0


async def test_what_is_private_moves_with_its_counts_and_an_awake_file_falls_asleep(
    engine: Engine, memory: Memory, places: dict[str, UUID]
) -> None:
    report = await memory.records.remember_text(
        "Secret", "The boat was paid in cash.", node_id=places["Fishing"], privacy="private"
    )
    record = report.records[0]
    await memory.files.read(record.node_id, record.file_id)
    await memory.records.move(record.record_id, record.node_id, places["Finances"])
    async with engine.postgres.as_service() as connection:
        counted = "SELECT DISTINCT unit FROM engine.term_counts WHERE node_id = %s"
        cursor = await connection.execute(counted, [places["Finances"]])
        assert {row["unit"] for row in await cursor.fetchall()} == {"private passage", "private record"}
    state = await memory.files.state(places["Finances"], record.file_id)
    assert state.state == "dormant"
    await agree(engine, memory)
    assert await memory.files.read(places["Finances"], record.file_id) == b"The boat was paid in cash."


async def test_who_may_not_write_at_both_nodes_moves_nothing(
    engine: Engine, memory: Memory, places: dict[str, UUID], user: User
) -> None:
    report = await memory.records.remember(Conversation("c", FISHING))
    record, source, target = report.records[0], places["Fishing"], places["Finances"]
    secret = await memory.records.remember_text("Secret", "The boat.", node_id=source, privacy="private")
    persona = await memory.nodes.provision(NewNode(user.user_id, "Clerk", "persona"))
    clerk = engine.memory_as(Principal("persona", persona.node_id, user.user_id))
    stranger = await engine.workspace.users.create(f"s{uuid4().hex[:12]}")

    async def give(node_id: UUID, mode: str) -> None:
        await memory.grants.give(NewGrant(node_id, "persona", persona.node_id, mode))

    async def refused(who: Memory, one: UUID = record.record_id, to: UUID = target) -> None:
        with pytest.raises(NotFound):
            await who.records.move(one, source, to)

    for who in (
        engine.memory(stranger.user_id),
        clerk,
        engine.memory_as(Principal("third_party", uuid4(), user.user_id)),
    ):
        await refused(who)
    await refused(memory, to=stranger.user_id)
    await refused(memory, one=uuid4())
    await refused(memory, to=uuid4())
    await give(source, "read_write")
    await give(target, "read")
    await refused(clerk)
    with pytest.raises(InvalidInput):
        await memory.records.move(record.record_id, source, source)
    assert (await memory.nodes.shell(target)).records == 0
    await give(target, "read_write")
    await refused(clerk, one=secret.records[0].record_id)
    await memory.files.read(source, secret.records[0].file_id)
    now_is = (
        "UPDATE engine.awake_files SET state = %s, claimed_until = %s, due_at = %s WHERE file_id = %s RETURNING file_id"
    )
    async with engine.postgres.as_service() as connection:
        later = datetime.now(UTC) + timedelta(hours=1)
        restoring = ["rehydrating", later, None, secret.records[0].file_id]
        assert await (await connection.execute(now_is, restoring)).fetchone()
    await refused(clerk, one=secret.records[0].record_id)  # that its file is being restored is not for others to know
    with pytest.raises(Conflict):
        await memory.records.move(secret.records[0].record_id, source, target)
    async with engine.postgres.as_service() as connection:
        await connection.execute(now_is, ["active", None, later, secret.records[0].file_id])
    moved = await clerk.records.move(record.record_id, source, target)
    assert (await memory.records.assignments(AssignmentFilter(record_id=record.record_id)))[
        0
    ].author == clerk.principal.name
    assert moved.revision == 2 and (await memory.nodes.shell(target)).records == 1
    await agree(engine, memory)


async def test_of_many_who_move_a_record_at_once_one_wins(memory: Memory, places: dict[str, UUID], user: User) -> None:
    others = [(await memory.nodes.provision(NewNode(user.user_id, f"Place {number}"))).node_id for number in range(4)]
    record = (await memory.records.remember(Conversation("c", FISHING))).records[0]
    answers = await asyncio.gather(
        *(memory.records.move(record.record_id, places["Fishing"], other) for other in others), return_exceptions=True
    )
    assert sum(not isinstance(answer, BaseException) for answer in answers) == 1
    assert {type(answer) for answer in answers if isinstance(answer, BaseException)} == {NotFound}
    held = [(await memory.nodes.shell(node_id)).records for node_id in (places["Fishing"], *others)]
    assert sorted(held) == [0, 0, 0, 0, 1]


async def test_old_slices_and_vectors_move_too(engine: Engine, memory: Memory, places: dict[str, UUID]) -> None:
    record = (await memory.records.remember(Conversation("c", FISHING))).records[0]
    await memory.history.change(
        Change("record", record.record_id, {"summary": "A day on the lake."}, places["Fishing"])
    )
    await memory.records.move(record.record_id, places["Fishing"], places["Finances"])
    schema = (await memory.nodes.shell(places["Finances"])).schema_name
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(sql_in("leaks/node_rows", schema), {"node_id": places["Finances"]})
        rows = await cursor.fetchall()
        cursor = await connection.execute(f"SELECT count(*) AS bare FROM {schema}.memory_items WHERE embedding IS NULL")
        assert (await cursor.fetchone())["bare"] == 0
    assert sum(row["place"] == "metadata_records" for row in rows) == 3  # two states that hold, one no longer known
    assert sum(row["place"] == "memory_items" for row in rows) == record.items + 1  # with the fact that is the whole
