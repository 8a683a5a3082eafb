"""Files that could not be read are read again: what was asked for them the first time holds."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from engine.domain.delta import Change
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, History, HistoryFile, Turn
from engine.domain.ingest import Failure
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.scope import MemoryScope, Origin
from engine.domain.search import SearchRequest
from engine.errors import Archived, Conflict
from engine.memory import Memory
from engine.neurigraph import Engine

LOGGED = sql.SQL("SELECT engine.log_failure(NULL, 'read', 'InvalidText', 'again', %(subject)s, %(reference)s, %(now)s)")
WHEN = datetime(2024, 5, 8, 18, tzinfo=UTC)


@pytest.mark.ledger("N16")
async def test_a_replay_is_done_only_where_its_source_is_stored(memory: Memory, tmp_path: Path) -> None:
    path, lease = tmp_path / "lease.txt", "The lease ends in June."
    history = History("bob", "Bob", (), (HistoryFile("lease", path, "text/plain"),))
    path.write_text(lease)
    document = (await memory.ingests.history(history)).records[0]

    async def broken() -> Failure:
        path.write_bytes(b"\xff")
        await memory.ingests.history(history)
        (failure,) = await memory.failures.list()
        return failure

    failure = await broken()
    path.write_text(lease)  # what is stored already is done
    assert (await memory.failures.replay(failure.failure_id)).state == "replayed"
    failure = await broken()
    ended = Change("record", document.record_id, {"ended": True}, document.node_id, correction=True)
    await memory.history.change(ended)
    path.write_text("The lease ends in May.")
    with pytest.raises(Conflict, match="ended by hand"):
        await memory.failures.replay(failure.failure_id)
    (still,) = await memory.failures.list()
    assert (still.failure_id, still.state, still.attempts) == (failure.failure_id, "open", failure.attempts + 1)
    assert still.cause == "Conflict" and "ended by hand" in still.detail
    assert (still.reference, still.session_id) == (failure.reference, failure.session_id)


@pytest.mark.ledger("N16", "F12", "L05")
async def test_a_replay_keeps_who_may_read_and_where_it_belongs(
    engine: Engine, memory: Memory, user: User, tmp_path: Path
) -> None:
    """A grant opens nothing that was asked to be private, whichever way it came in the end."""
    path, thread = tmp_path / "diary.txt", Origin(MemoryScope("thread", "t1"), "manual")
    node = await memory.nodes.provision(NewNode(user.user_id, "Diary"))
    persona = await memory.nodes.provision(NewNode(user.user_id, "Cook", "persona"))
    await memory.grants.give(NewGrant(node.node_id, "persona", persona.node_id, "read"))
    acting = engine.memory_as(Principal("persona", persona.node_id, user.user_id))
    file = HistoryFile("diary", path, "text/plain", "My diary", WHEN, ("Diary",))
    scoped = replace(file, source_id="thread", title="Of a thread", origin=thread)
    history = History(user.handle, user.display_name, (), (file, scoped))
    path.write_bytes(b"\xff")
    await memory.ingests.history(history)  # open to others, the first time
    await memory.ingests.history(history.private())
    failures = await memory.failures.list()
    assert [one.reference["privacy"] for one in failures] == ["private", "private"]
    assert [one.attempts for one in failures] == [2, 2]
    path.write_text("What nobody reads about the walleye.")
    for failure in failures:
        assert (await memory.failures.replay(failure.failure_id)).state == "replayed"
    held = (await memory.nodes.metadata(node.node_id)).records
    assert {(one.title, one.occurred_at, one.scope, one.scope_id, one.source) for one in held} == {
        ("My diary", WHEN, "user", None, "ingested"), ("Of a thread", WHEN, "thread", "t1", "manual")
    }  # fmt: skip
    assert (await acting.nodes.metadata(node.node_id)).records == ()
    assert (await acting.search(SearchRequest("walleye", nodes=(node.node_id,)))).hits == ()


@pytest.mark.ledger("N16")
async def test_a_replay_waits_for_a_node_that_takes_no_writes(memory: Memory, user: User, tmp_path: Path) -> None:
    path = tmp_path / "lease.txt"
    node = await memory.nodes.provision(NewNode(user.user_id, "Lease"))
    file = HistoryFile("lease", path, "text/plain", node=("Lease",))
    await memory.ingests.history(History(user.handle, user.display_name, (), (file,)))
    (failure,) = await memory.failures.list()
    path.write_text("The lease ends in June.")
    await memory.nodes.archive(node.node_id)
    with pytest.raises(Archived):
        await memory.failures.replay(failure.failure_id)
    (still,) = await memory.failures.list()
    assert (still.state, still.reference) == ("open", failure.reference)


@pytest.mark.ledger("N16", "N31")
async def test_a_persona_neither_settles_nor_redirects_what_failed_for_its_user(
    engine: Engine, memory: Memory, user: User, tmp_path: Path
) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(b"\xff")
    await memory.ingests.history(History("bob", "Bob", (), (HistoryFile("bad", path, "text/plain"),)))
    (before,) = await memory.failures.list()
    node = (await memory.nodes.provision(NewNode(user.user_id, "Cases"))).node_id
    lawyer = (await memory.nodes.provision(NewNode(user.user_id, "Lawyer", "persona"))).node_id
    await memory.grants.give(NewGrant(node, "persona", lawyer, "read_write"))
    persona = engine.memory_as(Principal("persona", lawyer, user.user_id))
    stored = await persona.records.remember(
        Conversation("file:bad", (Turn("Lawyer", "Of the same name."),)), node_id=node
    )
    assert stored.turns == 1
    async with engine.postgres.as_principal(persona.principal) as connection:  # statements of its own
        for subject in ("file:bad", "file:planted"):
            reference = Jsonb(dict(before.reference) | {"path": "/etc/hostname", "node_id": str(node)})
            await connection.execute(LOGGED, {"subject": subject, "reference": reference, "now": WHEN})
    after = {one.subject: one for one in await memory.failures.list()}
    assert after[before.subject] == before
    assert "path" not in after["file:planted"].reference
