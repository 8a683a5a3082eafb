"""Streamed conversations: turns are durable at once, stored in pieces, and neither lost nor doubled whoever comes when."""

from __future__ import annotations

import asyncio
import itertools
import tracemalloc
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from random import Random
from uuid import uuid4

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.occasion import Occasion
from engine.domain.principal import Principal
from engine.domain.scope import MemoryScope
from engine.domain.search import SearchRequest
from engine.domain.stream import Append, StreamedTurn, WeighedTurn, first_cut
from engine.errors import Conflict, InvalidInput, InvalidText, NotFound, SettingsError
from engine.ingest.streams.streaming import Streams
from engine.lab.benchmarks.trips import counted
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.providers.tokens import ByteCounter
from engine.settings import Settings
from engine.wiring.open_engine import open_engine

WATCH, SOFT, HARD = 480, 500, 620


class Movable:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@pytest.fixture(scope="module")
def clock() -> Movable:
    return Movable()


@pytest.fixture(scope="module")
async def small(engine: Engine, settings: Settings, clock: Movable) -> AsyncIterator[Engine]:
    """A second engine on the session's servers with thresholds a thousand times smaller. Nobody works on jobs here."""
    changes = {"stream_watch_from": WATCH, "stream_soft": SOFT, "stream_hard": HARD, "stream_silence_minutes": 10}
    async with open_engine(settings.model_copy(update=changes), clock=clock) as opened:
        yield opened


@pytest.fixture
def here(small: Engine, user: User) -> Memory:
    return small.memory(user.user_id)


def dialogue(amount: int, start: int = 0) -> list[StreamedTurn]:
    """Questions and answers of some 12 tokens each."""
    return [
        StreamedTurn("Ann", f"Where did you catch the walleye number {number}?", ref=f"t{number}", role="user")
        if number % 2 == 0
        else StreamedTurn("Bot", f"It was in Loon Lake, at the dock of cabin {number}.", ref=f"t{number}", role="assistant")
        for number in range(start, start + amount)
    ]  # fmt: skip


async def hits(memory: Memory, query: str = "walleye dock cabin") -> list[str]:
    answer = await memory.search(SearchRequest(query, limit=200, widen="always"))
    return [hit.content for hit in answer.hits]


async def positions(engine: Engine, user: User) -> list[tuple[int, str, bool]]:
    """Number, words, and whether the turn before asks, of every stored turn of a user's root."""
    schema = (await engine.memory(user.user_id).nodes.shell(user.user_id)).schema_name
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            f"SELECT position, content, previous_has_question FROM \"{schema}\".memory_items WHERE kind = 'turn' ORDER BY position"
        )
        return [(row["position"], row["content"], row["previous_has_question"]) for row in await cursor.fetchall()]


# appending -----------------------------------------------------------------------------------------------


@pytest.mark.ledger("N11")
async def test_what_is_appended_waits_and_the_end_stores_it_however_short(here: Memory) -> None:
    appended = await here.conversations.append("c", *dialogue(3), title="Fishing")
    assert (appended.added, appended.repeated, appended.turns, appended.waiting) == (3, 0, 3, 3)
    assert appended.state == "open" and appended.waiting_tokens == appended.tokens > 20
    assert await hits(here) == [], "what waits is not found yet"
    assert [state.conversation_id for state in await here.conversations.list()] == ["c"]
    ended = await here.conversations.end("c")
    assert (ended.turns, len(ended.records), ended.records[0].title) == (3, 1, "Fishing")
    state = ended.conversation
    assert (state.state, state.stored, state.waiting, state.waiting_tokens, state.ended_at is None) == (
        "ended", 3, 0, 0, False,
    )  # fmt: skip
    assert len(await hits(here)) == 3 and await here.conversations.list() == ()
    again = await here.conversations.end("c")
    assert (again.turns, again.records, again.conversation.state) == (0, (), "ended")
    page = await here.nodes.metadata(here.principal.user_id)
    assert [record.trigger_type for record in page.records] == ["conversation_end"]


@pytest.mark.ledger("N11")
async def test_an_ended_conversation_goes_on_with_another_turn(here: Memory, engine: Engine, user: User) -> None:
    await here.conversations.append("c", *dialogue(3))
    await here.conversations.end("c")
    appended = await here.conversations.append("c", *dialogue(1, 3))
    assert (appended.state, appended.turns, appended.stored, appended.waiting) == ("open", 4, 3, 1)
    assert (await here.conversations.end("c")).turns == 1
    assert [number for number, _, _ in await positions(engine, user)] == [0, 1, 2, 3]
    whole = Conversation("c", tuple(Turn(turn.speaker, turn.text, turn.at, turn.ref) for turn in dialogue(5)))
    report = await here.records.remember(whole)
    assert report.turns == 1, "what was streamed is recognised in the whole conversation"


async def test_a_repeated_append_changes_nothing(here: Memory) -> None:
    turns = dialogue(4)
    await here.conversations.append("c", *turns[:2], first=0)
    for _ in range(2):
        repeated = await here.conversations.append("c", *turns[:2], first=0)
        assert (repeated.added, repeated.repeated, repeated.turns) == (0, 2, 2)
    by_id = await here.conversations.append("c", *turns[1:3])
    assert (by_id.added, by_id.repeated, by_id.turns) == (1, 1, 3)
    await here.conversations.end("c")
    after = await here.conversations.append("c", *turns, first=0)
    assert (after.added, after.repeated, after.turns, after.stored) == (1, 3, 4, 3)


async def test_gaps_and_contradictions_are_refused_whole(here: Memory) -> None:
    turns = dialogue(6)
    await here.conversations.append("c", *turns[:3], first=0)
    other = StreamedTurn("Ann", "Something else.", ref="t1")
    for attempt in (
        here.conversations.append("c", turns[4], first=4),
        here.conversations.append("c", other),
        here.conversations.append("c", StreamedTurn("Ann", "Something else."), first=1),
        here.conversations.append("c", StreamedTurn("Ann", turns[1].text, ref="t7"), first=1),
        here.conversations.append("c", turns[1], first=2),
        here.conversations.append("c", turns[3], turns[0]),
        here.conversations.append("c", turns[3], privacy="private"),
        here.within(MemoryScope("thread", "x")).conversations.append("c", turns[3]),
    ):
        with pytest.raises(Conflict, match="does not fit"):
            await attempt
    state = await here.conversations.get("c")
    assert (state.turns, state.waiting) == (3, 3)
    await here.conversations.end("c")
    with pytest.raises(Conflict):
        await here.conversations.append("c", StreamedTurn("Ann", "Something else."), first=1)


async def test_what_cannot_be_stored_is_refused_before_it_waits(here: Memory) -> None:
    for wrong in ("a\x00b", "half \ud800"):
        with pytest.raises(InvalidText):
            await here.conversations.append("c", StreamedTurn("Ann", wrong))
        with pytest.raises(InvalidText):
            await here.conversations.append("c", StreamedTurn(wrong, "x"))
    for attempt in (
        lambda: Append("", tuple(dialogue(1))),
        lambda: Append("c", ()),
        lambda: Append("c", tuple(dialogue(1)), first=-1),
        lambda: StreamedTurn("Ann", "x", ref=""),
        lambda: StreamedTurn("Ann", "x", at=datetime(2025, 3, 1)),
        lambda: StreamedTurn("Ann", "x", role="tool"),  # type: ignore[arg-type]
    ):
        with pytest.raises(InvalidInput):
            attempt()
    for missing in (here.conversations.get("c"), here.conversations.end("c")):
        with pytest.raises(NotFound):
            await missing


async def test_a_stored_conversation_goes_on_only_where_the_client_knows_how_far_it_is(here: Memory) -> None:
    await here.records.remember(Conversation("c", (Turn("Ann", "Where is it?"), Turn("Bob", "In the boat."))))
    with pytest.raises(Conflict):
        await here.conversations.append("c", *dialogue(1))
    assert (await here.conversations.append("c", *dialogue(2), first=2)).turns == 4
    assert (await here.conversations.end("c")).turns == 2


async def test_other_turns_stored_under_the_same_id_are_told_and_nothing_is_lost(here: Memory, small: Engine) -> None:
    await here.conversations.append("c", *dialogue(2))
    await here.records.remember(Conversation("c", (Turn("Ann", "Something else."),)))
    with pytest.raises(Conflict, match="stay where they are"):
        await here.conversations.end("c")
    report = await small.parts[Streams].run()
    assert report.failed >= 1
    state = await here.conversations.get("c")
    assert (state.state, state.waiting) == ("ending", 2) and state.failure is not None


async def test_an_append_is_one_round_trip_without_the_graph(here: Memory, small: Engine) -> None:
    await here.conversations.append("c", *dialogue(1))
    async with counted(small) as trips:
        await here.conversations.append("c", *dialogue(1, 1))
        await here.conversations.append("c", *dialogue(8, 2), first=2)
    assert (trips.postgres, trips.neo4j) == (2, 0)


@pytest.mark.ledger("N11")
async def test_an_end_beside_the_job_leaves_no_file_that_no_record_has(
    here: Memory, small: Engine, engine: Engine, user: User
) -> None:
    """Two processes store the same turns: the files of the one that comes second are taken back."""
    others = engine.memory(user.user_id)
    for number in range(4):
        await here.conversations.append(
            f"c{number}", StreamedTurn("Ellen", f"The piano goes to Duluth, part {number}.")
        )
        await asyncio.gather(
            here.conversations.end(f"c{number}"), others.conversations.end(f"c{number}"), small.parts[Streams].run()
        )
    shell = await here.nodes.shell(user.user_id)
    files = [entry.key async for entry in engine.objects.listing(f"{shell.schema_name}/")]
    assert len(files) == shell.records == 4


@pytest.mark.ledger("N11")
async def test_sixteen_writers_lose_and_double_nothing(here: Memory, small: Engine, engine: Engine, user: User) -> None:
    others = [small.memory(user.user_id) if number % 2 else engine.memory(user.user_id) for number in range(16)]

    async def write(number: int, memory: Memory) -> None:
        rng = Random(number)
        for turn in range(12):
            said = StreamedTurn(f"W{number}", f"Writer {number} says walleye {turn}.", ref=f"{number}-{turn}")
            for _ in range(rng.choice((1, 1, 2))):
                await memory.conversations.append("c", said)

    async def store() -> None:
        for _ in range(4):
            await asyncio.gather(small.parts[Streams].run(), small.parts[Streams].run())

    await asyncio.gather(store(), *(write(number, memory) for number, memory in enumerate(others)))
    await asyncio.gather(
        here.conversations.end("c"), engine.memory(user.user_id).conversations.end("c"), small.parts[Streams].run()
    )
    await here.conversations.end("c")
    state = await here.conversations.get("c")
    assert (state.state, state.turns, state.stored) == ("ended", 192, 192)
    stored = await positions(engine, user)
    assert [number for number, _, _ in stored] == list(range(192))
    said = {(number, turn): content for number, turn in itertools.product(range(16), range(12))
            if (content := f"Writer {number} says walleye {turn}.")}  # fmt: skip
    assert sorted(content for _, content, _ in stored) == sorted(said.values())
    order = {content: number for number, content, _ in stored}
    for writer in range(16):
        own = [order[said[writer, turn]] for turn in range(12)]
        assert own == sorted(own), "each writer's turns are in its order"


# thresholds ----------------------------------------------------------------------------------------------


@pytest.mark.ledger("N12", "N33")
async def test_a_long_conversation_is_cut_by_the_rules_while_it_goes_on(
    here: Memory, small: Engine, engine: Engine, user: User
) -> None:
    turns = dialogue(120)
    for start in range(0, 120, 5):
        await here.conversations.append("c", *turns[start : start + 5], node_id=user.user_id)
        await small.parts[Streams].run()
    state = await here.conversations.get("c")
    weights = [
        WeighedTurn(tokens, turn.speaker, turn.role)
        for tokens, turn in zip(await tokens_of(small, turns), turns, strict=True)
    ]
    expected, rest = [], weights
    while (cut := first_cut(rest, small.parts[Streams]._pieces.limits.cuts)) is not None:
        assert WATCH <= cut.tokens <= HARD
        expected.append(cut.turns)
        rest = rest[cut.turns :]
    assert len(expected) >= 2 and (state.stored, state.waiting) == (sum(expected), len(rest))
    page = await here.nodes.metadata(user.user_id, limit=100)
    assert {record.trigger_type for record in page.records} == {"chunk_threshold"}
    assert len(page.records) == len(expected)
    ended = await here.conversations.end("c")
    assert ended.turns == 120 - sum(expected)
    stored = await positions(engine, user)
    assert [content for _, content, _ in stored] == [turn.text for turn in turns]
    assert [asked for _, _, asked in stored] == [number % 2 == 1 for number in range(120)], (
        "pieces know their neighbours"
    )
    report = await here.records.remember(Conversation("c", tuple(Turn(t.speaker, t.text, t.at, t.ref) for t in turns)))
    assert [skip.reason for skip in report.skipped] == ["Stored already."]


@pytest.mark.ledger("N12")
async def test_a_conversation_of_many_pieces_is_streamed_with_flat_memory(
    here: Memory, small: Engine, engine: Engine, user: User
) -> None:
    sentence = "The walleye of Loon Lake was weighed at the dock of the cabin number"
    peaks, done = [], 0
    while done < 25 * SOFT // 60:  # the 1,200,000 tokens of the benchmark, and twice as many, by these thresholds
        turns = [
            StreamedTurn("Ann" if number % 2 == 0 else "Bot", " ".join(f"{sentence} {number}." for _ in range(4)))
            for number in range(done, done + 10)
        ]
        tracemalloc.start()
        done = (await here.conversations.append("c", *turns, first=done, node_id=user.user_id)).turns
        await small.parts[Streams].run()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        async with engine.postgres.as_service() as connection:
            cursor = await connection.execute(
                "SELECT count(*) AS waiting FROM engine.conversation_turns WHERE user_id = %s AND content IS NOT NULL",
                [user.user_id],
            )
            assert (await cursor.fetchone())["waiting"] <= HARD // 60 + 10, "words of stored turns are let go"
    state = await here.conversations.get("c")
    assert state.tokens > 24 * SOFT and state.waiting_tokens < HARD
    assert len((await here.nodes.metadata(user.user_id, limit=100)).records) >= 20
    third = len(peaks) // 3
    assert max(peaks[-third:]) < 1.5 * max(peaks[third : 2 * third])
    assert (await here.conversations.end("c")).conversation.stored == done


async def tokens_of(engine: Engine, turns: list[StreamedTurn]) -> list[int]:
    return await engine.parts[Streams]._appending._counter.count([turn.text for turn in turns])


@pytest.mark.ledger("N12")
async def test_a_turn_larger_than_the_hard_threshold_is_stored_whole_and_reported(
    here: Memory, small: Engine, engine: Engine, user: User
) -> None:
    long = " ".join(f"The walleye number {number} was caught at the dock." for number in range(100))
    await here.conversations.append("c", *dialogue(3), StreamedTurn("Bot", long, role="assistant"), *dialogue(2, 4))
    report = await small.parts[Streams].run()
    assert report.turns >= 4
    state = await here.conversations.get("c")
    assert (state.stored, state.waiting, state.oversized) == (4, 2, 1)
    assert len([number for number, _, _ in await positions(engine, user) if number == 3]) > 1
    records = (await here.nodes.metadata(user.user_id)).records
    files = [(await here.files.read(user.user_id, record.file_id)).decode() for record in records]
    assert len(files) == 2, "what was answered before, then the question with its long answer"
    assert [f"Bot: {long}\n" in file for file in files].count(True) == 1, "whole, in one file"


@pytest.mark.ledger("N12")
async def test_a_job_stores_what_is_due_without_being_asked(settings: Settings, user: User) -> None:
    changes = {"stream_watch_from": WATCH, "stream_soft": SOFT, "stream_hard": HARD, "job_schedules": {"*": "off"}}
    async with open_engine(settings.model_copy(update=changes)) as working, working.working(only="conversations"):
        memory = working.memory(user.user_id)
        await memory.conversations.append("c", *dialogue(60))
        async with asyncio.timeout(60):
            while not (await memory.conversations.get("c")).stored:  # noqa: ASYNC110 (a worker of the queue stores it)
                await asyncio.sleep(0.1)
        state = await memory.conversations.get("c")
        assert state.state == "open" and state.waiting_tokens < WATCH
        assert len(await hits(memory)) > 10


@pytest.mark.ledger("N11", "N33", "N34")
async def test_a_silent_conversation_is_ended_by_the_job(here: Memory, small: Engine, clock: Movable) -> None:
    await here.conversations.append("c", *dialogue(2))
    clock.ahead += timedelta(minutes=9)
    await small.parts[Streams].run()
    assert (await here.conversations.get("c")).state == "open"
    await here.conversations.append("c", *dialogue(1, 2))
    clock.ahead += timedelta(minutes=9)
    await small.parts[Streams].run()
    assert (await here.conversations.get("c")).state == "open", "it was not silent for so long"
    clock.ahead += timedelta(minutes=2)
    report = await small.parts[Streams].run()
    state = await here.conversations.get("c")
    assert (state.state, state.stored, report.ended >= 1) == ("ended", 3, True)
    clock.ahead += timedelta(days=small.settings.idempotency_days, minutes=1)
    await small.retention.run()
    with pytest.raises(NotFound):
        await here.conversations.get("c")
    with pytest.raises(Conflict):
        await here.conversations.append("c", *dialogue(1, 3))  # nobody knows any more whether it is new
    assert (await here.conversations.append("c", *dialogue(1, 3), first=3)).turns == 4


async def test_thresholds_in_no_order_start_nothing(settings: Settings) -> None:
    with pytest.raises(SettingsError, match="STREAM"):
        async with open_engine(settings.model_copy(update={"stream_soft": 1})):
            pass


# who -----------------------------------------------------------------------------------------------------


async def test_a_persona_streams_apart_from_its_owner_and_where_it_may_write(
    here: Memory, small: Engine, user: User
) -> None:
    persona = await here.nodes.provision(NewNode(user.user_id, "Coach", "persona"))
    diary = await here.nodes.provision(NewNode(user.user_id, "Diary"))
    coach = small.memory_as(Principal("persona", persona.node_id, user.user_id))
    await here.conversations.append("c", *dialogue(2))
    with pytest.raises(InvalidInput):
        await coach.conversations.append("c", *dialogue(2))
    with pytest.raises(NotFound):
        await coach.conversations.append("c", *dialogue(2), node_id=diary.node_id)
    with pytest.raises(NotFound):
        await coach.conversations.get("c")
    assert await coach.conversations.list() == ()
    stranger = small.memory_as(Principal("third_party", uuid4(), user.user_id))
    with pytest.raises(NotFound):
        await stranger.conversations.append("c", *dialogue(2), node_id=diary.node_id)
    assert await stranger.conversations.list() == ()
    unknown = small.memory(uuid4())
    with pytest.raises(NotFound):
        await unknown.conversations.append("c", *dialogue(2))


async def test_a_node_and_a_scope_are_those_of_its_opening(here: Memory, user: User) -> None:
    boats = await here.nodes.provision(NewNode(user.user_id, "Boats"))
    inside = here.within(MemoryScope("thread", "t1"))
    await inside.conversations.append("c", *dialogue(2), node_id=boats.node_id)
    await inside.conversations.append("c", *dialogue(1, 2))
    [record] = (await inside.conversations.end("c")).records
    assert record.node_id == boats.node_id
    assert await hits(here) == [] and len(await hits(inside)) == 3


@pytest.mark.ledger("F12")
async def test_personal_data_never_reach_the_buffer(settings: Settings, engine: Engine, user: User) -> None:
    async with open_engine(settings.model_copy(update={"redact": ("all",)})) as redacting:
        memory = redacting.memory(user.user_id)
        said = StreamedTurn("zq@vorplex.example", "Write to zyxquill@vorplex.example.", ref="id-a@vorplex.example")
        opened, repeated = [
            await memory.conversations.append("conv-b@vorplex.example", said, title="For c@vorplex.example")
            for _ in range(2)
        ]
        assert (opened.turns, opened.redacted) == (1, {"email": 3}) and "vorplex" not in opened.conversation_id
        assert (repeated.added, repeated.turns, repeated.redacted) == (0, 1, {})
        async with engine.postgres.as_service() as connection:
            for table in ("conversations", "conversation_turns"):
                cursor = await connection.execute(
                    f"SELECT t::text AS line FROM engine.{table} AS t WHERE user_id = %s",
                    [user.user_id],
                )
                lines = "\n".join(row["line"] for row in await cursor.fetchall())
                assert lines and "vorplex" not in lines
        assert (await memory.conversations.get("conv-b@vorplex.example")).title == "For [email]"
        assert (await memory.conversations.end("conv-b@vorplex.example")).turns == 1
        assert await hits(memory, "write") == ["Write to [email]."]


# occasions -----------------------------------------------------------------------------------------------


@pytest.mark.ledger("N13")
async def test_an_occasion_is_one_record_with_its_time_and_who_was_there(here: Memory, user: User) -> None:
    start = datetime(2025, 3, 1, 18, 0, tzinfo=UTC)
    occasion = Occasion(
        "meeting",
        "Price of boats",
        "We agreed to raise the price.",
        start,
        start + timedelta(hours=1),
        ("Ann", "Bob"),
        "m1",
    )
    report = await here.records.remember_occasion(occasion)
    [record] = report.records
    assert record.title == "Price of boats" and (await here.records.remember_occasion(occasion)).records == ()
    [entry] = (await here.nodes.metadata(user.user_id)).records
    assert (entry.content_type, entry.trigger_type, entry.occurred_at) == ("event", "event_boundary", start)
    text = (await here.files.read(record.node_id, record.file_id)).decode()
    assert text == (
        "Meeting from 2025-03-01 18:00 UTC to 2025-03-01 19:00 UTC with Ann, Bob.\n\nWe agreed to raise the price."
    )
    assert (await hits(here, "Who met about the price of boats?")) != []


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "party"}, {"text": " "}, {"title": " "}, {"started_at": datetime(2025, 3, 1)}, {"participants": ("",)},
        {"started_at": datetime(2025, 3, 2, tzinfo=UTC), "ended_at": datetime(2025, 3, 1, tzinfo=UTC)},
    ],
)  # fmt: skip
def test_an_occasion_that_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        Occasion(**({"kind": "call", "title": "", "text": "x"} | wrong))  # type: ignore[arg-type]


# counting ------------------------------------------------------------------------------------------------


async def test_tokens_are_counted_by_a_vocabulary_alike_in_one_piece_and_in_many(engine: Engine) -> None:
    counter = engine.parts[Streams]._appending._counter
    text = "The walleye was caught near the dock of Loon Lake. "
    [one, many, none, blank] = await counter.count([text, text * 4000, "", "x" * 30_000])
    assert one == 13 and abs(many - 4000 * one) <= 40 and none == 1 and blank >= 1
    assert await ByteCounter().count(["", "abcd", "abcde"]) == [1, 1, 2]
