"""What is on legal hold cannot be erased: refused before anything is changed, and by Postgres where something tries all the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import sql

from engine.domain.forgetting import ForgettingSubject
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.retention import HoldKind, HoldSubject, NewRetentionRule
from engine.errors import Conflict, InvalidInput, NotFound, OnHold, StoreFailed
from engine.forgetting.erasure import Erasure
from engine.forgetting.retention_runs import RetentionRuns
from engine.lifecycle.late_expiries import late_expiries
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.conftest import MovedClock
from tests.forgetting.searched import found

pytestmark = pytest.mark.usefixtures("few_nodes")
WHY = "Case 12 of 2026"


@dataclass
class Held:
    """A memory with a conversation at a node below another one, and a text at the root."""

    engine: Engine
    clock: MovedClock
    memory: Memory
    work: UUID
    trips: UUID
    chat: UUID
    text: UUID
    tag: str

    @property
    def user(self) -> UUID:
        return self.memory.principal.user_id

    @property
    def source(self) -> ForgettingSubject:
        return ForgettingSubject("source", f"chat-{self.tag}")

    async def hold(self, kind: HoldKind) -> UUID:
        named = {"user": "", "node": str(self.work), "source": f"chat-{self.tag}", "record": str(self.chat)}[kind]
        return (await self.engine.workspace.holds.set(self.user, HoldSubject(kind, named), WHY)).hold_id

    async def release(self, hold: UUID) -> None:
        await self.engine.workspace.holds.release(hold, "Closed")

    async def there(self, record: UUID) -> bool:
        return await found(self.engine, [str(record)]) != set()


@pytest.fixture
async def held(clocked: tuple[Engine, MovedClock]) -> AsyncIterator[Held]:
    engine, clock = clocked
    user = await engine.workspace.users.create(f"h{uuid4().hex[:12]}", "Bob")
    memory, tag = engine.memory(user.user_id), uuid4().hex[:8]
    work = (await memory.nodes.provision(NewNode(user.user_id, "Work"))).node_id
    trips = (await memory.nodes.provision(NewNode(work, "Trips"))).node_id
    talk = Conversation(f"chat-{tag}", (Turn("user", "The boat lies in Galway."),), "Boats")
    chat = (await memory.records.remember(talk, node_id=trips)).records[0].record_id
    text = (await memory.records.remember_text("Note", "It rains.", node_id=user.user_id)).records[0].record_id
    clock.move(hours=1)  # late writers are not waited for
    yield Held(engine, clock, memory, work, trips, chat, text, tag)
    async with engine.postgres.as_service() as connection:
        await connection.execute(_statement("DELETE FROM engine.retention_rules"))
        await connection.execute(_statement("DELETE FROM engine.expiries"))


def _statement(text: str) -> Any:
    return sql.SQL(text)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["user", "node", "source", "record"])
async def test_what_is_held_is_not_forgotten_before_it_is_released(held: Held, kind: HoldKind) -> None:
    memory, other = held.memory, ForgettingSubject("record", str(held.text))
    hold = await held.hold(kind)
    assert await held.hold(kind) == hold, "the one that is in force"
    for subject in (held.source, ForgettingSubject("record", str(held.chat))):
        with pytest.raises(OnHold):
            await memory.forgettings.forget(subject)
    with pytest.raises(OnHold):
        await held.engine.workspace.users.forget(held.user)
    assert await memory.forgettings.list() == () and await held.there(held.chat)
    assert (await held.engine.workspace.users.get(held.user)).user_id == held.user
    if kind == "user":
        with pytest.raises(OnHold):
            await memory.forgettings.forget(other)
    else:
        await memory.forgettings.forget(other)
        assert not await held.there(held.text)
    await held.release(hold)
    await memory.forgettings.forget(held.source)
    assert not await held.there(held.chat)


@pytest.mark.parametrize("kind", ["user", "node", "source", "record"])
async def test_rules_and_expiries_pass_over_what_is_held(held: Held, kind: HoldKind) -> None:
    memory, runs = held.memory, held.engine.parts[RetentionRuns]
    hold = await held.hold(kind)
    await memory.retention.set(NewRetentionRule(90, everything=True))
    short = memory.until(held.clock.now().replace(year=held.clock.now().year + 1)).records
    await short.remember(
        Conversation(f"chat-{held.tag}", (Turn("user", "The boat lies in Galway."), Turn("user", "It sank."))),
        node_id=held.trips,
    )
    held.clock.move(days=400)
    rule, expired = await memory.retention.preview()
    free = 0 if kind == "user" else 1
    later = 1 if kind in ("record",) else 0
    assert (rule.records, rule.held) == (free + later, 3 - free - later)
    assert (expired.records, expired.held) == (later, 1 - later)
    assert [one.held for one in expired.examples] == [not later]
    report = await runs.by_rules()
    assert (report.records, report.held, report.waiting) == (free + later, 3 - free - later, 0)
    if not later:
        assert (await runs.expired()).held == 1
        assert [one async for one in late_expiries(held.engine.postgres, held.clock)] == []
    assert await held.there(held.chat)
    await held.release(hold)
    assert (await runs.by_rules()).records == 3 - free - later and not await held.there(held.chat)


async def test_the_database_refuses_to_erase_what_came_on_hold_meanwhile(held: Held) -> None:
    """A hold that is set between the plan of a forgetting and its erasure; nothing in Python asks any more."""
    erasure, log = held.engine.parts[Erasure], held.engine.parts[Erasure].forgettings
    one = await log.ask(held.user, ForgettingSubject("record", str(held.chat)), "", "test")
    await log.move(one, "running", "withdraw")
    hold = await held.hold("node")
    async with held.engine.postgres.as_service() as connection:
        one = await log.get(one.forgetting_id)
        schema = (await connection.fetch(
            _statement("SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = %(node)s"), {"node": held.trips}, row=str,
        ))[0]  # fmt: skip
        await log.enter(connection, one, "place", [f"{held.chat} {held.trips} {schema}"], known=False)
    with pytest.raises(OnHold):
        async with held.engine.postgres.as_service() as connection:
            await connection.execute(
                _statement("SELECT neurigraph_erasure.permit(%(one)s, 'test')"), {"one": one.forgetting_id}
            )
    await held.release(hold)
    done = await erasure.carry_on(await log.get(one.forgetting_id), within_s=120)
    assert done.state == "done" and not await held.there(held.chat)


async def test_the_database_refuses_a_forgetting_of_who_is_held(held: Held) -> None:
    await held.hold("record")
    log = held.engine.parts[Erasure].forgettings
    with pytest.raises(OnHold):
        await log.ask(held.user, ForgettingSubject("user", str(held.user)), "", "test")


@pytest.mark.ledger("I08")
async def test_no_hold_is_set_on_what_is_being_erased(held: Held) -> None:
    log = held.engine.parts[Erasure].forgettings
    one = await log.ask(held.user, ForgettingSubject("user", str(held.user)), "", "test")
    await log.move(one, "running", "rows")
    with pytest.raises(Conflict):
        await held.hold("user")
    await log.fail(one.forgetting_id, "test")
    await held.hold("user")


async def test_a_hold_is_a_log(held: Held) -> None:
    holds = held.engine.workspace.holds
    with pytest.raises(InvalidInput):
        await holds.set(held.user, HoldSubject("user", ""), " ")
    for kind, named in (("source", "none"), ("record", str(uuid4())), ("node", str(uuid4()))):
        with pytest.raises(NotFound):
            await holds.set(held.user, HoldSubject(kind, named), WHY)  # type: ignore[arg-type]
    hold = await held.hold("source")
    [shown] = await holds.list(user_id=held.user)
    assert (shown.kind, shown.subject, shown.reason) == ("source", f"conversation:chat-{held.tag}", WHY)
    for change in (
        "UPDATE engine.holds SET reason = 'x' WHERE hold_id = %(hold)s",
        "UPDATE engine.holds SET subject = 'x' WHERE hold_id = %(hold)s",
        "DELETE FROM engine.holds WHERE hold_id = %(hold)s",
    ):
        with pytest.raises((NotFound, StoreFailed)):
            async with held.engine.postgres.as_service() as connection:
                await connection.execute(_statement(change), {"hold": hold})
    done = await holds.release(hold, "Closed")
    assert (done.subject, done.release_reason) == ("", "Closed") and done.released_at
    assert await holds.release(hold, "Again") == done
    assert await holds.list(user_id=held.user) == () and await holds.list(user_id=held.user, released=True) == (done,)
    with pytest.raises((NotFound, StoreFailed)):
        async with held.engine.postgres.as_service() as connection:
            text = "UPDATE engine.holds SET released_at = NULL, released_by = NULL, release_reason = NULL, subject = 'x' WHERE hold_id = %(hold)s"
            await connection.execute(_statement(text), {"hold": hold})


async def test_released_holds_and_rules_go_with_their_user(held: Held) -> None:
    await held.release(await held.hold("record"))
    await held.memory.retention.set(NewRetentionRule(90, kind="text", note=f"note {held.tag}"))
    await held.engine.workspace.users.forget(held.user)
    for table in ("holds", "retention_rules", "expiries"):
        text = f"SELECT count(*) FROM engine.{table} WHERE user_id = %(user)s"
        assert await held.engine.postgres.fetch_as_service(_statement(text), {"user": held.user}, row=int) == [0]
