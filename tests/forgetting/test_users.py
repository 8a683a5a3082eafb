"""A user who is forgotten: nothing of the user is left in any store, and other users have all of theirs."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from engine.domain.fact import WrittenFact
from engine.domain.forgetting import Forgetting
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.occasion import NewEvent
from engine.domain.principal import NewToken
from engine.domain.retraction import RetractionSubject
from engine.domain.search import SearchRequest
from engine.errors import NotFound
from engine.forgetting.erasure import Erasure
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.statements import sql_text
from tests.access.test_writes_wait import WRITES, held_alone, waiting
from tests.forgetting.searched import found

AT = datetime(2026, 5, 1, tzinfo=UTC)


async def lived(engine: Engine, memory: Memory) -> list[str]:
    """A life through many doors, with words of its own; ids and words by which it is found."""
    root, tag = memory.principal.user_id, uuid4().hex[:8]
    farm, shop, stone, town, sister = (
        f"{word}{tag}" for word in ("Quillfeather", "Zanderbrook", "Marmolite", "Vexhollow", "Trundlewick")
    )
    node = await memory.nodes.provision(NewNode(root, f"{farm} Farm", keywords=(stone,)))
    persona = await memory.nodes.provision(NewNode(root, shop, node_type="persona"))
    turns = (
        Turn("user", f"My sister {sister} lives in {town} since March.", AT),
        Turn("assistant", f"Noted: {sister} lives in {town}.", AT),
    )
    talk = await memory.records.remember(Conversation(f"{town}-chat", turns, town), node_id=node.node_id)
    notes = memory.once(f"{stone}-key").records
    text = await notes.remember_text(stone, f"{stone} is mined near {town}.", node_id=node.node_id)
    await memory.facts.write(WrittenFact(f"I live in {town}."))
    subject = RetractionSubject("record", str(text.records[0].record_id))
    await memory.retractions.retract(subject, f"{town} was wrong")
    await memory.events.write(NewEvent("call", f"{sister} called."))
    await memory.grants.give(NewGrant(node.node_id, "persona", persona.node_id, purpose=stone))
    await engine.workspace.tokens.create(NewToken("user", root, f"{sister} phone"))
    ids = [root, node.node_id, persona.node_id, *(one.record_id for one in (*talk.records, *text.records))]
    return [farm, shop, stone, town, sister, *map(str, ids)]


async def finished(engine: Engine, one: Forgetting) -> Forgetting:
    """The forgetting at its end: late writers are not waited for."""
    erasure = engine.parts[Erasure]
    await erasure.carry_on(one, within_s=120)
    async with engine.postgres.as_service() as connection:
        await connection.execute(
            "UPDATE engine.forgettings SET settles_at = clock_timestamp() WHERE forgetting_id = %s AND state = 'settling'",  # type: ignore[arg-type]
            [one.forgetting_id],  # type: ignore[arg-type]
        )
    return await erasure.carry_on(await erasure.forgettings.get(one.forgetting_id), within_s=120)


@pytest.mark.ledger("F13", "X07")
async def test_nothing_of_a_forgotten_user_is_left(engine: Engine, memory: Memory, user: User) -> None:
    words = [*await lived(engine, memory), user.handle]
    other = engine.memory((await engine.workspace.users.create(f"o{uuid4().hex[:12]}", "Ada")).user_id)
    report = await other.records.remember_text("Tides", "The tide was high at noon.")
    before = await found(engine, words)
    assert {place.split()[0] for place in before} == {"table", "graph", "object"}

    preview = await engine.workspace.users.forgetting_preview(user.user_id)
    assert preview.nodes >= 3 and preview.sources >= 2 and preview.files >= 2
    one = await engine.workspace.users.forget(user.user_id, "asked for by quillfeather")
    with pytest.raises(NotFound):
        await engine.workspace.users.find(user.handle)

    done = await finished(engine, one)
    assert (done.state, done.user_id, done.subject, done.reason) == ("done", None, "", "")
    assert await found(engine, words) == set()
    check = await engine.workspace.users.verify(await engine.workspace.users.receipt(one.forgetting_id))
    assert check.found == () and check.ids >= 3 and check.words >= 5
    answer = await other.search(SearchRequest("When was the tide high?"))
    assert [hit.record_id for hit in answer.hits] == [report.records[0].record_id]


@pytest.mark.ledger("F13")
@pytest.mark.parametrize("write", ["a record", "turns", "a node", "a request"])
async def test_a_write_that_waited_while_its_user_was_hidden_is_refused(
    engine: Engine, memory: Memory, user: User, write: str
) -> None:
    """As in another process, which knew the user before."""
    async with held_alone(engine, user) as connection:
        task = asyncio.ensure_future(WRITES[write](memory))
        await waiting(engine, task)
        assert not task.done()
        await connection.execute(sql_text("forgetting_user/hidden"), {"user_id": user.user_id})
    with pytest.raises(NotFound):
        await task
    with pytest.raises(NotFound):
        await WRITES[write](memory)
