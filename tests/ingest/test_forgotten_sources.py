"""What was forgotten is refused when it is sent again, by its own key, and is stored anew where that is asked for."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from engine.access.idempotency import MOST_KEY, Idempotency
from engine.commit.rows import sources
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.fact import WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Text, Turn
from engine.domain.ingest import Terms
from engine.domain.node import NewNode, User
from engine.domain.occasion import Occasion
from engine.domain.principal import Principal
from engine.domain.record import SourceAdvance
from engine.domain.report import FORGOTTEN
from engine.domain.stream import StreamedTurn
from engine.domain.written import Line
from engine.errors import Conflict, Forgotten, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.commands import typed
from tests.tombstones import forgotten

SAID = Conversation("c1", (Turn("Bob", "Dave and I took the boat out to Loon Lake."),), "Fishing")
Write = Callable[[Memory], Awaitable[Any]]

DOORS: dict[str, tuple[str, Write]] = {
    "a conversation": ("conversation:c1", lambda memory: memory.records.remember(SAID)),
    "a text": ("text:t1", lambda memory: memory.records.remember_text("Lease", "It ends in June.", source_id="t1")),
    "an occasion": (
        "text:o1",
        lambda memory: memory.records.remember_occasion(
            Occasion("meeting", "Price", "We raise the price on March 1.", source_id="o1")
        ),
    ),
    "a fact": (
        "fact:key:k1",
        lambda memory: memory.once("k1").facts.write(WrittenFact("Dave lives in Galway.", ("Dave",))),
    ),
    "appended turns": (
        "conversation:c1",
        lambda memory: memory.conversations.append("c1", StreamedTurn("Bob", "Dave caught a walleye.")),
    ),
}
"""Writes of one source, with the key that the source has."""


async def rows(engine: Engine, user: User, table: str) -> int:
    text = f"SELECT count(*) FROM engine.{table} WHERE user_id = %s"
    async with engine.postgres.as_service() as connection:
        row = await (await connection.execute(text, [user.user_id])).fetchone()  # type: ignore[call-overload]
    return int(row["count"])  # type: ignore[index]


@pytest.mark.parametrize("door", DOORS)
async def test_a_source_that_was_forgotten_is_stored_only_where_that_is_asked_for(
    engine: Engine, user: User, memory: Memory, door: str
) -> None:
    key, write = DOORS[door]
    await forgotten(engine, user.user_id, "source", key)
    with pytest.raises(Forgotten, match="again"):
        await write(memory)
    for table in ("sources", "conversations", "ingest_sources", "raw_resources", "failure_log"):
        assert await rows(engine, user, table) == 0, table
    assert await write(memory.anew())
    stored = await rows(engine, user, "sources") + await rows(engine, user, "conversations")
    assert stored == 1
    await write(memory)  # it is no longer forgotten
    assert await rows(engine, user, "sources") + await rows(engine, user, "conversations") == stored


@pytest.mark.parametrize("door", DOORS)
async def test_nothing_is_stored_anew_while_its_forgetting_goes_on(
    engine: Engine, user: User, memory: Memory, door: str
) -> None:
    key, write = DOORS[door]
    await forgotten(engine, user.user_id, "source", key, state="settling")
    with pytest.raises(Forgotten, match="done"):
        await write(memory.anew())
    assert await rows(engine, user, "sources") == 0


async def test_of_many_sources_the_others_are_stored_and_nothing_names_the_forgotten_one(
    engine: Engine, user: User, memory: Memory
) -> None:
    await forgotten(engine, user.user_id, "source", "conversation:c1", "text:t1")
    texts = [Text("t1", "Lease", "It ends in June."), Text("t2", "Elm", "Elm is a hard wood.")]
    report = await memory.ingests.many([SAID], texts)
    assert report.forgotten == 2 and report.files == 1 and report.turns == 0
    assert {(one.source_id, one.reason) for one in report.skipped} == {("c1", FORGOTTEN), ("text:t1", FORGOTTEN)}
    assert report.session_id is not None
    session = await memory.ingests.get(report.session_id)
    assert (session.state, session.skipped, session.failed) == ("done", 2, 0)
    listed = await memory.ingests.sources(report.session_id)
    assert [one.source_id for one in listed] == ["text:t2"]
    again = await memory.anew().ingests.many([SAID], texts)
    assert again.forgotten == 0 and again.files == 1 and again.turns == 1


async def test_lines_of_an_import_say_which_were_forgotten(engine: Engine, user: User, memory: Memory) -> None:
    await forgotten(engine, user.user_id, "source", "text:t1")
    lines = [
        Line(number, json.dumps({"text": f"Text {number}.", "source_id": f"t{number}"}).encode()) for number in (1, 2)
    ]
    reports = await memory.ingests.lines(lines)
    assert [(one.outcome, one.source_id) for one in reports] == [("forgotten", "text:t1"), ("stored", "text:t2")]
    assert [one.outcome for one in await memory.anew().ingests.lines(lines)] == ["stored", "skipped"]


async def test_a_source_that_is_forgotten_between_its_check_and_its_commit_is_refused(
    engine: Engine, user: User, memory: Memory
) -> None:
    await forgotten(engine, user.user_id, "source", "conversation:c1")
    units = UnitsOfWork(engine.postgres, engine.outbox)
    for key, again in (("conversation:c1", False), ("conversation:c1#again2", False), ("conversation:c1", True)):
        advance = SourceAdvance(key, 0, 1, bytes(32), again)
        if again:
            async with units.begin(memory.principal) as unit:
                await sources.advance(unit.connection, [advance], uuid4())
        else:
            with pytest.raises(Forgotten):
                async with units.begin(memory.principal) as unit:
                    await sources.advance(unit.connection, [advance], uuid4())


async def test_a_request_whose_result_was_forgotten_gets_no_answer(engine: Engine, user: User, memory: Memory) -> None:
    once = memory.once("k1")
    first = await once.records.remember_text("Lease", "It ends in June.", source_id="t1")
    assert await once.records.remember_text("Lease", "It ends in June.", source_id="t1") == first
    async with engine.postgres.as_service() as connection:
        await connection.execute(
            "UPDATE engine.idempotency SET forgotten = true, answer = NULL WHERE user_id = %s", [user.user_id]
        )
    with pytest.raises(Forgotten):
        await once.records.remember_text("Lease", "It ends in June.", source_id="t1")
    report = await once.anew().records.remember_text("Lease", "It ends in July.", source_id="t1")
    assert len(report.documents) == 1
    assert await once.records.remember_text("Lease", "It ends in July.", source_id="t1") == report


async def test_a_key_whose_row_is_gone_is_known_by_its_tombstone(engine: Engine, user: User, memory: Memory) -> None:
    await forgotten(engine, user.user_id, "key", memory.principal.own_key("k1", MOST_KEY))
    once = memory.once("k1")
    with pytest.raises(Forgotten):
        await once.records.remember_text("Lease", "It ends in June.")
    assert await rows(engine, user, "idempotency") == 0
    assert (await memory.records.remember_text("Lease", "It ends in June.")).records
    assert (await once.anew().records.remember_text("Lease", "It ends in June.")).records
    assert (await once.records.remember_text("Lease", "It ends in June.")).records


async def test_a_late_answer_is_not_kept_where_its_request_was_forgotten_meanwhile(
    engine: Engine, user: User, memory: Memory
) -> None:
    async def action() -> dict[str, Any]:
        async with engine.postgres.as_service() as connection:
            await connection.execute(
                "UPDATE engine.idempotency SET forgotten = true WHERE user_id = %s", [user.user_id]
            )
        return {"value": "Dave"}

    asked = Idempotency(engine.postgres)
    assert await asked.once(memory.principal, "k1", b"a", action) == ({"value": "Dave"}, False)
    with pytest.raises(Forgotten):
        await asked.once(memory.principal, "k1", b"a", action)


async def test_a_session_that_was_forgotten_begins_only_anew(engine: Engine, user: User, memory: Memory) -> None:
    await forgotten(engine, user.user_id, "session", "monday")
    text = [Text("t1", "Lease", "It ends in June.")]
    with pytest.raises(Forgotten):
        await memory.on_terms(Terms(key="monday")).ingests.many(texts=text)
    assert await rows(engine, user, "ingest_sessions") == 0
    assert (await memory.on_terms(Terms(key="monday", again=True)).ingests.many(texts=text)).records
    assert (await memory.on_terms(Terms(key="monday")).ingests.many(texts=text)).forgotten == 0


async def test_the_end_of_a_forgotten_conversation_is_refused(engine: Engine, user: User, memory: Memory) -> None:
    with pytest.raises(NotFound):
        await memory.conversations.end("c1")
    await forgotten(engine, user.user_id, "source", "conversation:c1")
    with pytest.raises(Forgotten):
        await memory.conversations.end("c1")


async def test_a_gap_in_a_conversation_is_no_forgotten_one(memory: Memory) -> None:
    await memory.conversations.append("c1", StreamedTurn("Bob", "Dave caught a walleye."))
    with pytest.raises(Conflict) as raised:
        await memory.conversations.append("c1", StreamedTurn("Bob", "He did."), first=5)
    assert not isinstance(raised.value, Forgotten)


async def test_a_persona_and_its_owner_forget_apart(engine: Engine, user: User, memory: Memory) -> None:
    node = await memory.nodes.provision(NewNode(user.user_id, "Coach", "persona"))
    await memory.grants.give(NewGrant(node.node_id, "persona", node.node_id, "read_write"))
    coach = engine.memory_as(Principal("persona", node.node_id, user.user_id))
    await forgotten(engine, user.user_id, "source", "text:t1", coach.principal.own_key("text:t2"))
    stored = await coach.records.remember_text("Lease", "It ends in June.", source_id="t1", node_id=node.node_id)
    assert len(stored.records) == 1
    with pytest.raises(Forgotten):
        await coach.records.remember_text("Elm", "Elm is hard.", source_id="t2", node_id=node.node_id)
    assert (await memory.records.remember_text("Elm", "Elm is hard.", source_id="t2")).records
    await coach.anew().records.remember_text("Lease", "It ends in July.", source_id="t1", node_id=node.node_id)
    with pytest.raises(Forgotten):
        await memory.records.remember_text("Lease", "It ends in June.", source_id="t1")
    assert (
        await coach.anew().records.remember_text("Elm", "Elm is hard.", source_id="t2", node_id=node.node_id)
    ).records


async def test_no_principal_takes_back_what_another_forgot(engine: Engine, user: User, memory: Memory) -> None:
    """The function itself: what a persona names does not begin with another's keys."""
    node = await memory.nodes.provision(NewNode(user.user_id, "Coach", "persona"))
    coach = Principal("persona", node.node_id, user.user_id)
    stranger = Principal.user((await engine.workspace.users.create(f"{user.handle}-2")).user_id)
    await forgotten(engine, user.user_id, "source", "text:t1")
    await forgotten(engine, user.user_id, "record", str(user.user_id))
    for principal in (coach, stranger):
        async with engine.postgres.as_principal(principal) as connection:
            await connection.execute("SELECT engine.store_again('source', ARRAY['text:t1'])")
    async with engine.postgres.as_principal(memory.principal) as connection:
        await connection.execute("SELECT engine.store_again('record', %s)", [[str(user.user_id)]])
        kept = await connection.execute(
            "SELECT (SELECT count(*) FROM engine.is_forgotten('source', ARRAY['text:t1']))"
            " + (SELECT count(*) FROM engine.is_forgotten('record', %s)) AS kept",
            [[str(user.user_id)]],
        )
        row = await kept.fetchone()
    assert row["kept"] == 2  # type: ignore[index]


async def test_commands_refuse_it_and_take_it_with_again(engine: Engine, user: User, tmp_path: Path) -> None:
    await forgotten(engine, user.user_id, "source", "text:t1", "conversation:c1")
    (tmp_path / "lines.ndjson").write_text(json.dumps({"text": "It ends in June.", "source_id": "t1"}))
    written = await typed(
        engine, tmp_path, user.handle, "record", "write", "Lease", "--id", "t1", stdin="It ends in June."
    )
    assert written.returncode == 1 and "forgotten" in written.stderr, written.stderr
    imported = await typed(engine, tmp_path, user.handle, "import", "lines.ndjson")
    assert imported.returncode == 0 and "1 forgotten" in imported.stdout, imported.stderr
    imported = await typed(engine, tmp_path, user.handle, "import", "lines.ndjson", "--again")
    assert "1 stored" in imported.stdout, imported.stderr
    turns = json.dumps({"speaker": "Bob", "text": "Dave caught a walleye."})
    appended = await typed(engine, tmp_path, user.handle, "conversation", "append", "c1", stdin=turns)
    assert appended.returncode == 1 and "forgotten" in appended.stderr
    appended = await typed(engine, tmp_path, user.handle, "conversation", "append", "c1", "--again", stdin=turns)
    assert appended.returncode == 0, appended.stderr


async def test_an_ingest_counts_what_was_forgotten(engine: Engine, user: User, tmp_path: Path) -> None:
    (tmp_path / "elm.txt").write_text("Elm is a hard wood.")
    (tmp_path / "lease.txt").write_text("The lease ends in June.")
    await forgotten(engine, user.user_id, "source", "file:elm.txt")
    out = await typed(engine, tmp_path, user.handle, "ingest", ".", "--nodes", "no")
    assert out.returncode == 0 and "1 conversation or file forgotten" in out.stdout, out.stdout + out.stderr
    out = await typed(engine, tmp_path, user.handle, "ingest", ".", "--nodes", "no", "--again")
    assert "1 file" in out.stdout and "forgotten" not in out.stdout, out.stdout + out.stderr
