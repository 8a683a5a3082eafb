"""What was said is stored at the right nodes, once, and its file can be opened."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from uuid import uuid4

import pytest

from engine.domain import fact, occasion
from engine.domain.clock import END_OF_TIME, Moment
from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, History, HistoryFile, PlannedNode, Turn
from engine.domain.node import NewNode, User
from engine.domain.occasion import NewEvent
from engine.domain.search import SearchRequest
from engine.errors import Conflict, DamagedFile, InvalidInput, InvalidText, NotFound, TooLarge
from engine.ingest import fresh
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.rows import BEGIN_OF_TIME

WHEN = datetime(2025, 3, 1, 18, 0, tzinfo=UTC)
FISHING = (
    Turn("Bob", "Dave and I took the boat out to Loon Lake for walleye."),
    Turn("Iris", "How was the fishing?"),
    Turn("Bob", "Two walleye, and Dave lost his lure in the reeds."),
)
PAYROLL = (
    Turn("Bob", "I have to run payroll before Friday, the invoices are late."),
    Turn("Iris", "Which invoices are still unpaid?"),
    Turn("Bob", "The library owes us for the shelves, invoice 118."),
)


async def plan(memory: Memory, user: User) -> dict[str, NewNode]:
    for name, keywords in (("Fishing", ("boat", "walleye", "lake")), ("Finances", ("payroll", "invoice", "invoices"))):
        await memory.nodes.provision(NewNode(user.user_id, name, keywords=keywords))
    return {}


@pytest.mark.parametrize(
    "time",
    [
        datetime.max.replace(tzinfo=timezone(-timedelta(hours=1))),
        datetime.min.replace(tzinfo=timezone(timedelta(hours=1))),
        datetime(2024, 5, 1, tzinfo=timezone(timedelta(hours=16))),
        datetime(2024, 5, 1, tzinfo=timezone(-timedelta(hours=23, minutes=59))),
    ],
)
async def test_a_time_that_no_driver_can_read_back_is_refused(memory: Memory, time: datetime) -> None:
    turn = Turn("Bob", "The party is at the end of time.")
    for conversation in (Conversation("c1", (replace(turn, at=time),)), Conversation("c1", (turn,), started_at=time)):
        with pytest.raises(InvalidInput, match=r"outside of the years 1 to 9999|more than 15:59 hours"):
            await memory.records.remember(conversation)
    with pytest.raises(InvalidInput, match=r"outside of the years 1 to 9999|more than 15:59 hours"):
        await memory.facts.write(WrittenFact("The party is at the end of time.", ("Bob",), at=time))
    with pytest.raises(InvalidInput):
        await memory.search(SearchRequest("When is the party?", moment=Moment(time)))
    assert (await memory.search(SearchRequest("When is the party?"))).hits == ()


@pytest.mark.ledger("N09", "N10", "N11", "N14", "N24", "N25")
async def test_a_conversation_over_two_concepts_gives_two_records_and_each_opens(memory: Memory, user: User) -> None:
    await plan(memory, user)
    report = await memory.records.remember(Conversation("c1", FISHING + PAYROLL, "A busy evening", WHEN))
    assert (report.turns, [record.path[-1] for record in report.records]) == (6, ["Fishing", "Finances"])
    for record, said in zip(report.records, (FISHING, PAYROLL), strict=True):
        metadata = (await memory.nodes.metadata(record.node_id)).records[0]
        assert (metadata.trigger_type, metadata.compression_state, metadata.occurred_at) == (
            "conversation_end",
            "dormant",
            WHEN,
        )
        assert not metadata.embedding_pending and "Bob" in metadata.kw_entities and metadata.summary
        assert (metadata.content_type, metadata.file_id) == ("conversation", record.file_id) and metadata.kw_topics
        assert metadata.created_at <= datetime.now(UTC) and metadata.last_accessed_at
        transcript = (await memory.files.read(record.node_id, record.file_id)).decode()
        assert all(turn.text in transcript for turn in said)
        assert len(transcript.encode()) == metadata.size_bytes
        opened = (await memory.nodes.metadata(record.node_id)).records[0]
        assert opened.compression_state == "active"
    answer = await memory.search(SearchRequest("Who lost a lure?", limit=1))
    assert answer.hits[0].content == FISHING[2].text
    assert answer.hits[0].path == ("Bob Harlan", "Fishing")


@pytest.mark.ledger("N11")
async def test_the_same_conversation_twice_changes_nothing_and_a_longer_one_adds_its_rest(
    memory: Memory, user: User
) -> None:
    first = await memory.records.remember(Conversation("c1", FISHING, started_at=WHEN))
    again = await memory.records.remember(Conversation("c1", FISHING, started_at=WHEN))
    assert (first.turns, again.turns, again.records) == (3, 0, ())
    assert again.skipped[0].reason == "Stored already."
    more = await memory.records.remember(Conversation("c1", FISHING + PAYROLL, started_at=WHEN))
    assert more.turns == 3
    changed = await memory.records.remember(
        Conversation("c1", (Turn("Bob", "Something else"), *FISHING[1:]), started_at=WHEN)
    )
    assert changed.turns == 0 and "changed" in changed.skipped[0].reason
    shell = await memory.nodes.shell(user.user_id)
    assert (shell.records, shell.items, len(shell.manifest)) == (2, 6, 2)


async def test_sixteen_at_once_store_a_conversation_once(memory: Memory, user: User) -> None:
    answers = await asyncio.gather(
        *(memory.records.remember(Conversation("c", FISHING)) for _ in range(16)), return_exceptions=True
    )
    assert sum(not isinstance(answer, BaseException) and answer.turns == 3 for answer in answers) == 1
    assert {type(answer) for answer in answers if isinstance(answer, BaseException)} <= {Conflict}
    assert (await memory.nodes.shell(user.user_id)).items == 3


async def test_content_can_be_bound_to_a_node_and_unknown_nodes_are_refused(
    engine: Engine, memory: Memory, user: User
) -> None:
    node = await memory.nodes.provision(NewNode(user.user_id, "Misc"))
    report = await memory.records.remember(Conversation("c", FISHING), node_id=node.node_id)
    assert {record.node_id for record in report.records} == {node.node_id}
    stranger = await engine.workspace.users.create(f"s{uuid4().hex[:12]}")
    for unknown in (uuid4(), stranger.user_id):
        with pytest.raises(NotFound):
            await memory.records.remember(Conversation("d", FISHING), node_id=unknown)
        with pytest.raises(NotFound):
            await memory.files.read(unknown, report.records[0].file_id)
    with pytest.raises(NotFound):
        await memory.files.read(node.node_id, uuid4())


@pytest.mark.parametrize(
    ("text", "error"), [("nul \x00", InvalidText), ("half \ud83d", InvalidText)], ids=["nul", "surrogate"]
)
async def test_text_that_cannot_be_stored_writes_nothing(
    memory: Memory, user: User, text: str, error: type[Exception]
) -> None:
    with pytest.raises(error, match="turn 1"):
        await memory.records.remember(Conversation("c", (FISHING[0], Turn("Bob", text))))
    assert (await memory.nodes.shell(user.user_id)).records == 0


@pytest.mark.parametrize("part", ["a\x00", "a\ud83d"], ids=["nul", "surrogate"])
async def test_names_that_cannot_be_stored_write_nothing(memory: Memory, user: User, part: str) -> None:
    said = Turn("Bob", "The walleye bite.")
    for odd in (replace(said, speaker=part), replace(said, ref=part)):
        with pytest.raises(InvalidText, match="turn 1"):
            await memory.records.remember(Conversation("c", (FISHING[0], odd)))
    with pytest.raises(InvalidText, match="title"):
        await memory.records.remember(Conversation("c", (said,), title=part))
    with pytest.raises(InvalidInput):
        await memory.records.remember(Conversation(part, (said,)))
    with pytest.raises(InvalidInput):
        await memory.records.remember_text(part, "The walleye bite.")
    with pytest.raises(InvalidInput):
        await memory.records.remember_text("Fishing", "The walleye bite.", source_id=part)
    assert (await memory.nodes.shell(user.user_id)).records == 0


async def test_too_large_a_text_is_refused_and_a_huge_turn_is_kept_whole(
    engine: Engine, memory: Memory, user: User
) -> None:
    limit = engine.settings.max_text_bytes
    with pytest.raises(TooLarge):
        await memory.records.remember(Conversation("c", (Turn("Bob", "x" * (limit + 1)),)))
    long = "The walleye ran deep that day. " * 700
    report = await memory.records.remember(Conversation("long", (Turn("Bob", long),)))
    assert report.turns == 1 and report.items > 10
    assert long in (await memory.files.read(user.user_id, report.records[0].file_id)).decode()


async def test_odd_texts_are_remembered(memory: Memory, user: User) -> None:
    turns = tuple(
        Turn("Bob", text)
        for text in ("", " ", "the and of", "🙂🙂", "魚を釣りに行きました", "שלום עולם", "a" * 5000, "?!", "\n\n")
    )
    report = await memory.records.remember(Conversation("odd", turns))
    assert report.turns == len(turns)
    answer = await memory.search(SearchRequest("釣りに行き", limit=1))
    assert answer.hits[0].content == "魚を釣りに行きました"


async def test_an_empty_conversation_is_skipped_and_an_empty_text_refused(memory: Memory) -> None:
    report = await memory.records.remember(Conversation("none", ()))
    assert (report.records, report.skipped[0].reason) == ((), "It has no turns.")
    with pytest.raises(InvalidInput):
        await memory.records.remember_text("Title", "  ")


async def test_turns_without_dates_and_out_of_order_keep_their_order(memory: Memory, user: User) -> None:
    turns = (
        Turn("Bob", "second day", WHEN),
        Turn("Bob", "first day", WHEN.replace(day=2, year=2020)),
        Turn("Bob", "no day"),
    )
    report = await memory.records.remember(Conversation("c", turns))
    transcript = (await memory.files.read(user.user_id, report.records[0].file_id)).decode()
    assert transcript.index("second day") < transcript.index("first day") < transcript.index("no day")


@pytest.mark.ledger("N14")
async def test_a_history_brings_its_nodes_and_files(engine: Engine, memory: Memory, tmp_path: Path) -> None:
    lease = tmp_path / "lease.md"
    lease.write_text("# Lease\n\n## Notice\n\nEither side may end it with 150 days of notice.\n", encoding="utf-8")
    history = History(
        "unused", "unused",
        (Conversation("c", FISHING, node=("Hobbies", "Fishing", "A", "B", "C", "D", "E")),),
        (HistoryFile("lease", lease, "text/markdown", "The lease", WHEN, ("Business",)),),
        (PlannedNode(("Business",)),),
    )  # fmt: skip
    report = await memory.ingests.history(history)
    assert (report.files, report.turns, report.nodes_created) == (1, 3, 1)
    assert [record.path[1:] for record in report.records] == [("Hobbies", "Fishing", "A", "B", "C"), ("Business",)]
    answer = await memory.search(SearchRequest("How many days of notice?", limit=1))
    hit = answer.hits[0]
    assert (hit.section, hit.file_name) == ("Lease > Notice", "lease.md") and hit.file_id
    assert await memory.files.read(hit.node_id, hit.file_id) == lease.read_bytes()
    lease.unlink()
    without = await memory.ingests.history(history)
    assert "is missing" in next(one.reason for one in without.skipped if one.cause)


async def test_an_unknown_user_cannot_be_remembered(engine: Engine) -> None:
    stranger = engine.memory(uuid4())
    with pytest.raises(NotFound):
        await stranger.records.remember(Conversation("c", FISHING))
    with pytest.raises(NotFound):
        await stranger.records.remember_text("Note", "The walleye of Loon Lake.")


async def test_a_damaged_file_is_never_served(engine: Engine, memory: Memory, user: User) -> None:
    report = await memory.records.remember(Conversation("c", FISHING))
    stored = next((engine.settings.home / "objects").rglob(f"{report.records[0].file_id}/*"))
    whole = stored.read_bytes()
    for damaged in (whole[:-9], whole[:20] + bytes([whole[20] ^ 255]) + whole[21:], b"", b"not a gzip"):
        stored.write_bytes(damaged)
        with pytest.raises(DamagedFile):
            await memory.files.read(user.user_id, report.records[0].file_id)
    stored.write_bytes(whole)
    assert await memory.files.read(user.user_id, report.records[0].file_id)


@pytest.mark.ledger("N09")
async def test_metadata_comes_in_pages(memory: Memory, user: User) -> None:
    for number in range(5):
        await memory.records.remember(Conversation(f"c{number}", FISHING))
    seen, cursor = [], None
    while True:
        page = await memory.nodes.metadata(user.user_id, limit=2, cursor=cursor)
        seen += [record.title for record in page.records]
        if (cursor := page.cursor) is None:
            break
    assert seen == ["c4", "c3", "c2", "c1", "c0"]
    for bad in ("zzz", "e30=", "\u2603"):
        with pytest.raises(InvalidInput):
            await memory.nodes.metadata(user.user_id, cursor=bad)


@pytest.mark.parametrize("text", ["", " \n", " \u200b ", "\u200b\u200c\u2060", "\u3164"])
async def test_a_text_with_nothing_to_see_is_refused(memory: Memory, text: str) -> None:
    with pytest.raises(InvalidInput, match="no text to store"):
        await memory.records.remember_text("blank", text)


async def test_a_time_that_was_stored_before_it_was_refused_fails_no_read(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (fresh, fact, occasion):
        monkeypatch.setattr(module, "check_time", lambda *_: None)
    end = datetime.max.replace(tzinfo=timezone(-timedelta(hours=1)))
    begin = datetime.min.replace(tzinfo=timezone(timedelta(hours=1)))
    for time in (end, begin):
        turn = Turn("Bob", "My sister Ellen Harlan married Dave Kowalski.", time)
        await memory.records.remember(Conversation(f"c{time.year}", (turn,), started_at=time))
        await memory.facts.write(WrittenFact(f"Ellen lives at Pier {time.year}.", ("Ellen Harlan",), at=time))
        await memory.events.write(NewEvent("meeting", occurred_at=time))
    hits = (await memory.search(SearchRequest("Who is Dave Kowalski?"))).hits
    assert {hit.occurred_at for hit in hits} >= {END_OF_TIME, BEGIN_OF_TIME}
    assert "Dave" in (await memory.context("Who is Dave Kowalski?")).text
    assert {one.occurred_at for one in await memory.events.list()} == {END_OF_TIME, BEGIN_OF_TIME}
    entities = await memory.entities.list()
    assert entities
    for one in entities:
        await memory.entities.get(one.entity_id)
        await memory.entities.facts(one.entity_id, ended=True)
        await memory.entities.relations(one.entity_id, ended=True)
        await memory.profiles.entity(one.entity_id)
    for hit in hits:
        assert (await memory.history.state("record", hit.record_id, node_id=hit.node_id)).fields
        assert await memory.history.deltas("record", hit.record_id, node_id=hit.node_id)
    assert (await memory.nodes.metadata(memory.principal.user_id)).records
    assert (await memory.nodes.shell(memory.principal.user_id)).items
