"""All records of a user made again from what is kept, beside what is there; compared, swapped, discarded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest
from langchain_text_splitters import RecursiveCharacterTextSplitter
from psycopg import sql

from engine.domain import document
from engine.domain.clock import Moment
from engine.domain.delta import Change
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.replay import Replay
from engine.errors import Conflict, NotFound
from engine.ingest import drafts
from engine.ingest.rereading.replays import RecordReplays
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.model_server import ModelServer
from tests.reader import ANSWER, TURNS, WHEN, kinds, turns, untroubled, whole_facts

pytestmark = pytest.mark.usefixtures("few_nodes")  # the doctor looks at all users

LONG = " ".join(f"The heron number {number} nests at the bay, and nobody has seen it leave." for number in range(60))
PAPER = "# Boat\n\nThe hull leaks. It was sold.\n\n# Lease\n\nThe lease ends in May. The roof is new.\n"


async def built(memory: Memory) -> Replay:
    return await memory.replays.build((await memory.replays.begin()).replay_id)


async def unread_twin(engine: Engine, reads: Engine, user: User, **more: object) -> UUID:
    """A record that no model has read, and a twin whose answer is kept; the id of the first."""
    report = await engine.memory(user.user_id).records.remember(Conversation("a", TURNS, "A call", WHEN), **more)
    await reads.memory(user.user_id).records.remember(Conversation("b", TURNS, "A call", WHEN), **more)
    return report.records[0].record_id


@pytest.mark.ledger("X04", "F04")
async def test_an_observation_that_two_records_bring_stands_once(reads: Engine, engine: Engine, user: User) -> None:
    memory, root = reads.memory(user.user_id), user.user_id
    shed = await memory.nodes.provision(NewNode(root, "Shed"))
    for name in ("a", "b"):
        await engine.memory(root).records.remember(Conversation(name, TURNS, "A call", WHEN), node_id=root)
    await memory.records.remember(Conversation("c", TURNS, "A call", WHEN), node_id=shed.node_id)
    replay = await built(memory)
    assert replay.counts.added == 2 * 4
    await memory.replays.swap(replay.replay_id)
    assert sorted(hit.content for hit in await kinds(memory, "observation") if hit.node_id == root) == [
        "Bob keeps in touch with his sister.", "Bob misses his sister.",
    ]  # fmt: skip
    await untroubled(reads, user)
    assert (await built(memory)).counts.differing == 0


async def revisions(memory: Memory) -> dict[UUID, int]:
    return {
        record.record_id: record.revision for record in (await memory.nodes.metadata(memory.principal.user_id)).records
    }


async def ids(engine: Engine, user: User) -> set[UUID]:
    """All rows of items at the root, as they are stored."""
    schema = (await engine.memory(user.user_id).nodes.writable())[0].schema_name
    async with engine.postgres.as_service() as connection:
        query = sql.SQL("SELECT item_id FROM {}.memory_items").format(sql.Identifier(schema))
        return {row["item_id"] for row in await (await connection.execute(query)).fetchall()}


@pytest.mark.ledger("X04")
async def test_a_replay_right_after_an_ingest_changes_nothing(
    reads: Engine,
    engine: Engine,
    user: User,
    server: ModelServer,
) -> None:
    memory = reads.memory(user.user_id)
    fish = await memory.nodes.provision(NewNode(user.user_id, "Fishing", keywords=("walleye",)))
    bites = tuple(Turn("Bob", f"Fishing {number}: the walleye bit at dusk.", WHEN) for number in range(4))
    talk = (*TURNS, *bites, Turn("Iris", LONG), Turn("Bob", "Bye."))
    await memory.records.remember(Conversation("c", talk, "A call", WHEN))
    await memory.records.remember_text("Papers", PAPER, source_id="paper")
    await memory.records.remember_text("Papers", PAPER.replace("May", "June"), source_id="paper")
    await reads.derivations.run("reading")
    await engine.memory(user.user_id).records.remember(Conversation("d", (*talk, Turn("Iris", "Who?")), "Unread", WHEN))
    await engine.memory(user.user_id).records.remember_text("Unread", PAPER, source_id="other")
    asked, rows, before = len(server.requests), await ids(engine, user), await revisions(memory)
    replay = await built(memory)
    counts = replay.counts
    assert (replay.state, counts.differing, counts.added, counts.ended) == ("built", 0, 0, 0)
    assert (counts.summaries, counts.keywords, counts.records) == (0, 0, replay.total)
    assert counts.records >= 4 and counts.kept > 20 and counts.missing >= 2
    assert (await memory.replays.compare(replay.replay_id)).changed == 0
    swapped = await memory.replays.swap(replay.replay_id)
    assert (swapped.state, swapped.counts) == ("swapped", counts) and swapped.ended_at
    assert (await revisions(memory), await ids(engine, user)) == (before, rows)
    assert len(server.requests) == asked
    assert (await memory.nodes.shell(fish.node_id)).records >= 1


@pytest.mark.ledger("X04", "L02")
async def test_kept_answers_make_up_for_what_was_missed_without_a_call(
    reads: Engine,
    engine: Engine,
    user: User,
    server: ModelServer,
) -> None:
    record = await unread_twin(engine, reads, user)
    memory = reads.memory(user.user_id)
    before, asked = await turns(memory), len(server.requests)
    replay = await built(memory)
    assert (replay.counts.records, replay.counts.differing, replay.counts.added, replay.counts.ended) == (2, 1, 2, 1)
    assert (replay.counts.summaries, replay.counts.keywords, replay.counts.missing) == (1, 1, 0)
    assert len(await kinds(memory, "fact")) == 2 + 1  # beside what is there: nobody sees it
    known = datetime.now(UTC)
    await memory.replays.swap(replay.replay_id)
    assert len(await kinds(memory, "fact")) == 4 and await whole_facts(memory) == []
    assert {one.summary for one in (await memory.nodes.metadata(user.user_id)).records} == {ANSWER["summary"]}
    assert await turns(memory) == before and len(server.requests) == asked
    assert len(await whole_facts(memory, Moment(known_at=known))) == 1
    state = await memory.history.state("record", record, node_id=user.user_id, moment=Moment(known_at=known))
    assert state.fields is not None and state.fields["summary"] != ANSWER["summary"]
    await untroubled(reads, user)
    again = await built(memory)
    assert again.replay_id != replay.replay_id and again.counts.differing == 0


@pytest.mark.ledger("X04", "N23")
async def test_what_was_changed_by_hand_stays(
    reads: Engine,
    engine: Engine,
    user: User,
) -> None:
    record = await unread_twin(engine, reads, user)
    memory, root = reads.memory(user.user_id), user.user_id
    corrected = Change("record", record, {"summary": "By hand."}, root, correction=True)
    await memory.history.change(corrected)
    await memory.history.change(Change("record", record, {"kw_topics": ["hand"]}, root))
    turn = next(hit for hit in await kinds(memory, "turn") if hit.record_id == record and "sister" in hit.content)
    await memory.history.change(Change("item", turn.item_id, {"content": "My sister Ellen moved to Ely."}, root))
    whole = next(hit for hit in await kinds(memory, "fact") if hit.record_id == record)
    unread = await built(memory)
    await memory.replays.discard(unread.replay_id)
    assert (unread.counts.added, unread.counts.missing) == (0, 1), (
        "the kept answer is about Duluth, which the record no longer says"
    )
    now_said = (replace(TURNS[0], text="My sister Ellen moved to Ely."), *TURNS[1:])
    await memory.records.remember(Conversation("c", now_said, "A call", WHEN))
    replay = await built(memory)
    await memory.history.change(Change("item", whole.item_id, {"importance": 0.9}, root))  # after it was made
    swapped = await memory.replays.swap(replay.replay_id)
    assert swapped.counts.ended == 0
    state = await memory.history.state("record", record, node_id=root)
    assert state.fields is not None
    assert (state.fields["summary"], state.fields["kw_topics"]) == ("By hand.", ["hand"])
    assert "Ely" in state.fields["kw_entities"], "the keywords of what the record says now"
    found = {hit.content for hit in await kinds(memory, "turn") if hit.record_id == record}
    assert "My sister Ellen moved to Ely." in found and len(found) == 3
    assert len(await kinds(memory, "fact")) == 3 * 2 + 1
    await untroubled(reads, user)


@pytest.mark.ledger("X04")
async def test_another_splitter_splits_what_is_stored(
    engine: Engine, user: User, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = (Turn("Bob", "Short."), Turn("Iris", LONG, WHEN, "long"), Turn("Bob", "Is it?"))
    await memory.records.remember(Conversation("c", talk, "Herons", WHEN), node_id=user.user_id)
    await memory.records.remember_text("Papers", PAPER, source_id="paper", node_id=user.user_id)
    usual = await contents(memory)
    turns = RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=0)
    passages = RecursiveCharacterTextSplitter(
        chunk_size=25, chunk_overlap=0, add_start_index=True, separators=[". ", " "], keep_separator="end"
    )
    monkeypatch.setattr(drafts, "_splitter", lambda: turns)
    monkeypatch.setattr(document, "_chunker", lambda: passages)
    replay = await built(memory)
    assert replay.counts.differing == 2 and replay.counts.added > 5 and replay.counts.ended > 3
    await memory.replays.swap(replay.replay_id)
    found = await kinds(memory, "turn", "chunk", query="heron bay hull lease roof")
    assert {hit.content for hit in found} != usual and all(len(hit.content) <= 400 for hit in found)
    stored = (await memory.documents.list())[0]
    assert stored.version == 2
    chunks = await memory.documents.chunks(stored.document_id)
    assert all(PAPER[one.span[0] : one.span[1]] == one.content for one in chunks if one.span)
    assert {one.content for one in chunks} == {hit.content for hit in found if hit.kind == "chunk"}
    later = await memory.records.remember_text("Papers", PAPER.replace("May", "June"), source_id="paper")
    assert [one.version for one in later.documents] == [3] and later.documents[0].superseded >= 1
    assert (await built(memory)).counts.differing == 0
    await untroubled(engine, user)


async def contents(memory: Memory) -> set[str]:
    return {hit.content for hit in await kinds(memory, "turn", "chunk", query="heron bay hull lease roof")}


async def test_what_was_stored_before_is_made_from_its_own_turns(
    reads: Engine,
    engine: Engine,
    user: User,
    server: ModelServer,
) -> None:
    memory = reads.memory(user.user_id)
    talk = (*TURNS, Turn("Iris", LONG))
    await engine.memory(user.user_id).records.remember(Conversation("a", talk, "A call", WHEN), node_id=user.user_id)
    await memory.records.remember(Conversation("b", talk, "A call", WHEN), node_id=user.user_id)
    async with engine.postgres.as_service() as connection:
        await connection.execute("ALTER TABLE engine.raw_resources DISABLE TRIGGER append_only")
        await connection.execute("UPDATE engine.raw_resources SET layout = NULL WHERE user_id = %s", [user.user_id])
        await connection.execute("ALTER TABLE engine.raw_resources ENABLE TRIGGER append_only")
    replay = await built(memory)
    assert (replay.counts.differing, replay.counts.missing, replay.counts.added) == (1, 0, 2)


@pytest.mark.ledger("X04")
async def test_what_was_changed_or_moved_meanwhile_is_made_again_first(
    reads: Engine,
    engine: Engine,
    user: User,
) -> None:
    record = await unread_twin(engine, reads, user, node_id=user.user_id)
    memory = reads.memory(user.user_id)
    shed = await memory.nodes.provision(NewNode(user.user_id, "Shed"))
    replay = await built(memory)
    await memory.history.change(Change("record", record, {"title": "By hand"}, user.user_id))
    assert (await memory.replays.compare(replay.replay_id)).changed == 1
    await memory.records.move(record, user.user_id, shed.node_id)
    await memory.records.move(record, shed.node_id, user.user_id)
    swapped = await memory.replays.swap(replay.replay_id)
    assert (swapped.state, swapped.counts.differing) == ("swapped", 1)
    state = await memory.history.state("record", record, node_id=user.user_id)
    assert state.fields is not None
    assert (state.fields["title"], state.fields["summary"]) == ("By hand", ANSWER["summary"])
    await untroubled(reads, user)


async def test_one_replay_is_open_and_what_is_discarded_is_gone(reads: Engine, engine: Engine, user: User) -> None:
    await unread_twin(engine, reads, user)
    memory = reads.memory(user.user_id)
    first = await memory.replays.begin()
    assert (first.state, first.total, first.counts.records) == ("building", 2, 0)
    with pytest.raises(Conflict):
        await memory.replays.swap(first.replay_id)
    assert (await memory.replays.begin()).replay_id == first.replay_id
    await reads.parts[RecordReplays].run()
    assert (await memory.replays.get(first.replay_id)).state == "built"
    gone = await memory.replays.discard(first.replay_id)
    assert (gone.state, gone.counts.differing) == ("discarded", 1)
    assert await memory.replays.discard(first.replay_id) == gone
    with pytest.raises(Conflict):
        await memory.replays.swap(first.replay_id)
    second = await built(memory)
    await memory.replays.swap(second.replay_id)
    with pytest.raises(Conflict):
        await memory.replays.discard(second.replay_id)
    assert (await memory.replays.swap(second.replay_id)).state == "swapped"
    assert [one.replay_id for one in await memory.replays.list()] == [second.replay_id, first.replay_id]
    assert [one.replay_id for one in await memory.replays.list(before=second.replay_id)] == [first.replay_id]
    assert await staged(engine, [first.replay_id, second.replay_id]) == 0


async def staged(engine: Engine, replays: Sequence[UUID]) -> int:
    async with engine.postgres.as_service() as connection:
        query = "SELECT count(*) AS rows FROM engine.replayed_records WHERE replay_id = ANY (%s)"
        [row] = await (await connection.execute(query, [list(replays)])).fetchall()
        return int(row["rows"])


@pytest.mark.ledger("X04")
async def test_what_the_graph_has_lost_is_entered_again(engine: Engine, user: User, memory: Memory) -> None:
    await memory.records.remember_text("Old", PAPER, source_id="paper", node_id=user.user_id)
    known = Moment(known_at=datetime.now(UTC))
    await memory.records.remember_text("New", PAPER.replace("May", "June"), source_id="paper")
    await memory.records.remember(Conversation("c", TURNS, "A call", WHEN), node_id=user.user_id, privacy="private")
    ended = await memory.records.remember_text("Wrong", "Never was.", node_id=user.user_id)
    wrong = ended.records[0].record_id
    await memory.history.change(Change("record", wrong, {"ended": True}, user.user_id, correction=True))
    before, past = await memory.nodes.shell(user.user_id), await memory.nodes.shell(user.user_id, known)
    await engine.neo4j.write(
        "MATCH (r:Record {user_id: $user}) OPTIONAL MATCH (r)-[:WAS]->(p) DETACH DELETE r, p", user=str(user.user_id)
    )
    assert (await memory.nodes.shell(user.user_id)).manifest == ()
    replay = await built(memory)
    assert (replay.total, replay.counts.records, replay.counts.differing) == (3, 2, 0)
    after = await memory.nodes.shell(user.user_id)
    assert replace(after, last_accessed_at=before.last_accessed_at) == before
    assert (await memory.nodes.shell(user.user_id, known)).manifest == past.manifest
    # a record that was deleted by hand took its mentions with it: what was counted by them is not the replay's to mend
    assert (await engine.mending.run()).mended == {"knowledge graphs": 1}
    await untroubled(engine, user)


@pytest.mark.ledger("N31")
async def test_replays_are_the_users_alone(engine: Engine, user: User, memory: Memory) -> None:
    await memory.records.remember(Conversation("c", TURNS))
    replay = await built(memory)
    dave = await memory.nodes.provision(NewNode(user.user_id, "Dave", "persona"))
    await memory.grants.give(NewGrant(dave.node_id, "persona", dave.node_id, "read_write"))
    other = await engine.workspace.users.create(f"{user.handle}-2")
    for asker in (Principal("persona", dave.node_id, user.user_id), Principal.user(other.user_id)):
        theirs = engine.memory_as(asker)
        if theirs.principal.owns:
            assert await theirs.replays.list() == ()
        else:
            with pytest.raises(NotFound):
                await theirs.replays.list()
        for refused in (theirs.replays.get, theirs.replays.compare, theirs.replays.swap, theirs.replays.discard):
            with pytest.raises(NotFound):
                await refused(replay.replay_id)
    with pytest.raises(NotFound):
        await engine.memory_as(Principal("persona", dave.node_id, user.user_id)).replays.begin()
