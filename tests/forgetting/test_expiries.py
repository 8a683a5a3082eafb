"""What is stored with an expiry says so, and is forgotten at its time, however it came in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from psycopg import sql

from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.occasion import Occasion
from engine.domain.principal import Principal
from engine.domain.stream import StreamedTurn
from engine.errors import IdempotencyMismatch, InvalidInput
from engine.forgetting.retention_runs import RetentionRuns
from engine.lifecycle.late_expiries import late_expiries
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.conftest import MovedClock
from tests.forgetting.searched import found

pytestmark = pytest.mark.usefixtures("few_nodes")


@dataclass
class Expiring:
    """A memory, and a time in ten days."""

    engine: Engine
    clock: MovedClock
    memory: Memory
    at: datetime

    @property
    def root(self) -> UUID:
        return self.memory.principal.user_id

    async def run(self) -> int:
        return (await self.engine.parts[RetentionRuns].expired()).records

    async def shown(self) -> dict[str, datetime | None]:
        """By title when the records at the root expire."""
        page = await self.memory.nodes.metadata(self.root)
        return {one.title: one.expires_at for one in page.records}


@pytest.fixture
async def expiring(clocked: tuple[Engine, MovedClock]) -> AsyncIterator[Expiring]:
    engine, clock = clocked
    user = await engine.workspace.users.create(f"e{uuid4().hex[:12]}", "Bob")
    yield Expiring(engine, clock, engine.memory(user.user_id), clock.now() + timedelta(days=10))
    async with engine.postgres.as_service() as connection:
        await connection.execute(sql.SQL("DELETE FROM engine.expiries"))


@pytest.mark.ledger("I08")
async def test_each_way_in_keeps_when_it_expires(expiring: Expiring) -> None:
    memory, root, tag = expiring.memory, expiring.root, uuid4().hex[:8]
    short = memory.until(expiring.at).records
    made = [
        await short.remember(Conversation(f"c-{tag}", (Turn("user", "It rains."),), "Talk"), node_id=root),
        await short.remember_text("Note", "The price rises.", node_id=root),
        await short.remember_occasion(Occasion("call", "Call", "Ada called."), node_id=root),
    ]
    [fact] = await memory.until(expiring.at).facts.write(WrittenFact("Dave lives in Galway."), node_id=root)
    stream = memory.until(expiring.at).conversations
    await stream.append(f"s-{tag}", StreamedTurn("user", "I am off to Hull."), title="Stream", node_id=root)
    ended = await memory.conversations.end(f"s-{tag}")
    kept = await memory.records.remember_text("Kept", "This stays.", node_id=root)
    shown = await expiring.shown()
    assert shown.pop("Kept") is None and len(shown) == 5 and {*shown.values()} == {expiring.at}

    expiring.clock.move(days=9)
    assert await expiring.run() == 0
    expiring.clock.move(days=2)
    [preview] = await memory.retention.preview()
    assert preview.expired and preview.records == 5
    assert await expiring.run() == 5
    gone = [str(one.record_id) for report in made for one in report.records]
    gone += [str(fact.record_id), *(str(one.record_id) for one in ended.records)]
    assert len(gone) == 5 and await found(expiring.engine, gone) == set()
    assert [*await expiring.shown()] == ["Kept"] and kept.records
    assert await memory.retention.preview() == ()


async def test_a_new_version_says_another_time_or_none(expiring: Expiring) -> None:
    memory, root = expiring.memory, expiring.root
    later = expiring.at + timedelta(days=10)
    await memory.until(expiring.at).records.remember_text("Plan", "We go to Hull.", source_id="plan", node_id=root)
    await memory.records.remember_text("Plan", "We go to Leeds.", source_id="plan", node_id=root)
    assert await expiring.shown() == {"Plan": expiring.at}
    await memory.until(later).records.remember_text("Plan", "We go to York.", source_id="plan", node_id=root)
    assert await expiring.shown() == {"Plan": later}
    expiring.clock.move(days=15)
    assert await expiring.run() == 0
    expiring.clock.move(days=6)
    assert await expiring.run() == 1


async def test_a_conversation_that_goes_on_may_say_another_time(expiring: Expiring) -> None:
    memory, root, name = expiring.memory, expiring.root, f"s-{uuid4().hex[:8]}"
    later = expiring.at + timedelta(days=10)
    turn = StreamedTurn("user", "I am off to Hull.")
    await memory.until(expiring.at).conversations.append(name, turn, title="Stream", node_id=root)
    await memory.until(later).conversations.append(name, StreamedTurn("user", "I am back."), first=1, node_id=root)
    await memory.conversations.end(name)
    assert {*(await expiring.shown()).values()} == {later}


async def test_what_would_expire_in_the_past_is_refused(expiring: Expiring) -> None:
    with pytest.raises(InvalidInput, match="in the past"):
        expiring.memory.until(expiring.clock.now() - timedelta(seconds=1))
    with pytest.raises(InvalidInput, match="offset from UTC"):
        expiring.memory.until(datetime(2100, 1, 1))
    assert expiring.memory.until(None).principal == expiring.memory.principal
    persona = expiring.engine.memory_as(Principal("persona", uuid4(), expiring.root))
    with pytest.raises(InvalidInput, match="Only the user"):
        persona.until(expiring.at)
    assert persona.until(None).principal == persona.principal


async def test_a_request_is_no_repeat_of_one_with_another_expiry(expiring: Expiring) -> None:
    memory, root = expiring.memory, expiring.root
    once = memory.once("k")
    await once.until(expiring.at).records.remember_text("Plan", "We go to Hull.", node_id=root)
    await once.until(expiring.at).records.remember_text("Plan", "We go to Hull.", node_id=root)
    with pytest.raises(IdempotencyMismatch):
        await once.until(datetime(2200, 1, 1, tzinfo=UTC)).records.remember_text("Plan", "We go to Hull.", node_id=root)


async def test_what_is_late_is_counted_for_the_doctor(expiring: Expiring) -> None:
    await expiring.memory.until(expiring.at).records.remember_text("Plan", "We go to Hull.", node_id=expiring.root)
    found = [one async for one in late_expiries(expiring.engine.postgres, expiring.clock)]
    assert found == []
    expiring.clock.move(days=10, minutes=30)
    assert [one async for one in late_expiries(expiring.engine.postgres, expiring.clock)] == []
    expiring.clock.move(hours=1)
    [late] = [one async for one in late_expiries(expiring.engine.postgres, expiring.clock)]
    assert late in await expiring.engine.doctor.examine() and late.subject == "1 record"
    assert await expiring.run() == 1
    assert [one async for one in late_expiries(expiring.engine.postgres, expiring.clock)] == []
