"""Rules of retention: they take what is old enough and fits, nothing else, and the job forgets it in all stores."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import sql

from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.retention import NewRetentionRule
from engine.domain.scope import MemoryScope
from engine.errors import Forgotten, InvalidInput, NotFound
from engine.forgetting.retention import RetentionRules
from engine.forgetting.retention_runs import RetentionRuns
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.conftest import MovedClock
from tests.forgetting.searched import found

pytestmark = pytest.mark.usefixtures("few_nodes")
DAYS = 100


@dataclass
class Kept:
    """A memory with records of all kinds, a hundred days old, and a record of today."""

    engine: Engine
    clock: MovedClock
    memory: Memory
    records: dict[str, UUID]
    work: UUID
    below: UUID
    tag: str

    async def taken(self, **named: Any) -> set[str]:
        """Which of them a rule would take."""
        [preview] = await self.memory.retention.preview(NewRetentionRule(**{"older_than_days": 90, **named}), limit=100)
        names = {record: name for name, record in self.records.items()}
        assert preview.records == len(preview.examples) and preview.in_all == len(self.records)
        return {names[one.record_id] for one in preview.examples}

    async def run(self) -> dict[str, int]:
        report = await self.engine.parts[RetentionRuns].by_rules()
        return {"records": report.records, "forgettings": report.forgettings, "waiting": report.waiting}


@pytest.fixture
async def kept(clocked: tuple[Engine, MovedClock]) -> AsyncIterator[Kept]:
    engine, clock = clocked
    user = await engine.workspace.users.create(f"r{uuid4().hex[:12]}", "Bob")
    memory, tag = engine.memory(user.user_id), f"marmolite{uuid4().hex[:8]}"
    work = (await memory.nodes.provision(NewNode(user.user_id, "Work"))).node_id
    below = (await memory.nodes.provision(NewNode(work, "Trips"))).node_id
    root = user.user_id
    chat = Conversation(f"chat-{tag}", (Turn("user", f"The {tag} lies in Galway."),), "Boats")
    thread = memory.within(MemoryScope("thread", "t1"))
    made = {
        "chat": await memory.records.remember(chat, node_id=below),
        "text": await memory.records.remember_text("Slack", "The price rises.", source_id="slack-7", node_id=work),
        "slack": await memory.records.remember_text("Slack", "It rains.", source_id="slack-8", node_id=root),
        "event": await memory.records.remember_text("Call", "Ada called.", content_type="event", node_id=root),
        "thread": await thread.records.remember_text("Draft", "A draft of a poem.", node_id=root),
    }
    records = {name: report.records[0].record_id for name, report in made.items()}
    [fact] = await memory.facts.write(WrittenFact("Dave lives in Galway."), node_id=root)
    records["fact"] = fact.record_id
    clock.move(days=DAYS)
    today = await memory.records.remember_text("Today", f"The {tag} lies here.", source_id="today", node_id=work)
    records["today"] = today.records[0].record_id
    yield Kept(engine, clock, memory, records, work, below, tag)
    async with engine.postgres.as_service() as connection:
        await connection.execute(_statement("DELETE FROM engine.retention_rules"))


async def test_a_rule_takes_what_fits_all_that_it_names(kept: Kept) -> None:
    old = {*kept.records} - {"today"}
    assert await kept.taken(everything=True) == old
    assert await kept.taken(older_than_days=DAYS + 1, everything=True) == set()
    by_kind = {kind: await kept.taken(kind=kind) for kind in ("conversation", "text", "event", "fact", "file")}
    assert by_kind == {
        "conversation": {"chat"}, "text": {"text", "slack", "thread"}, "event": {"event"}, "fact": {"fact"}, "file": set(),
    }  # fmt: skip
    assert await kept.taken(source="slack-7") == {"text"}
    assert await kept.taken(source=f"chat-{kept.tag}") == {"chat"}
    assert await kept.taken(source_prefix="slack-") == {"text", "slack"}
    assert await kept.taken(source_prefix="text:slack-") == {"text", "slack"}
    assert await kept.taken(source="slack-") == set()
    assert await kept.taken(scope="thread") == {"thread"} == await kept.taken(scope="thread", scope_id="t1")
    assert await kept.taken(scope="thread", scope_id="t2") == set()
    assert await kept.taken(scope="user") == old - {"thread"}
    assert await kept.taken(node_id=kept.work) == {"chat", "text"}
    assert await kept.taken(node_id=kept.below) == {"chat"}
    assert await kept.taken(node_id=kept.work, kind="conversation") == {"chat"}
    assert await kept.taken(node_id=kept.work, kind="fact") == set()
    tags = await _tags(kept)
    assert await kept.taken(tag=tags[0]) == {"text"} and await kept.taken(tag="none of them") == set()


async def _tags(kept: Kept) -> list[str]:
    """The tags of the text at the node `Work`."""
    schema = (await kept.engine.postgres.fetch_as_service(
        _statement("SELECT n.schema_name FROM engine.nodes AS n WHERE n.node_id = %(node)s"), {"node": kept.work}, row=str,
    ))[0]  # fmt: skip
    text = f"SELECT DISTINCT unnest(i.tags) FROM {schema}.memory_items AS i WHERE i.record_id = %(record)s"
    return await kept.engine.postgres.fetch_as_service(_statement(text), {"record": kept.records["text"]}, row=str)


def _statement(text: str) -> Any:
    return sql.SQL(text)  # type: ignore[arg-type]


async def test_a_new_version_begins_the_age_anew(kept: Kept) -> None:
    await kept.memory.records.remember_text("Slack", "The price falls.", source_id="slack-7", node_id=kept.work)
    assert await kept.taken(source_prefix="slack-") == {"slack"}


@pytest.mark.ledger("I08")
async def test_the_job_forgets_what_is_due_and_nothing_else(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept.engine.parts[RetentionRules], "group", 1)
    memory = kept.memory
    rule = await memory.retention.set(NewRetentionRule(90, source_prefix="slack-", note="chatter"))
    chats = await memory.retention.set(NewRetentionRule(90, kind="conversation"))
    assert [one.rule_id for one in await memory.retention.list()] == [rule.rule_id, chats.rule_id]
    previews = await memory.retention.preview()
    assert [(one.rule and one.rule.rule_id, one.records) for one in previews] == [(rule.rule_id, 2), (chats.rule_id, 1)]
    assert await kept.run() == {"records": 3, "forgettings": 3, "waiting": 0}
    gone = [str(kept.records[name]) for name in ("text", "slack", "chat")]
    assert await found(kept.engine, gone) == set()
    assert await found(kept.engine, [str(kept.records["today"])])
    assert [one.records for one in await memory.retention.preview()] == [0, 0]
    assert await kept.run() == {"records": 0, "forgettings": 0, "waiting": 0}
    forgotten = await memory.forgettings.list()
    assert [(one.kind, one.state, one.subject) for one in forgotten] == [("retention", "done", "")] * 3
    receipt = await memory.forgettings.receipt(forgotten[0].forgetting_id)
    assert receipt["receipt"]["asked_by"] == "retention" and (await memory.forgettings.verify(receipt)).found == ()
    with pytest.raises(Forgotten):
        await memory.records.remember_text("Slack", "The price rises.", source_id="slack-7")


async def test_a_part_of_a_source_goes_alone(kept: Kept) -> None:
    """What came later of a conversation stays, and goes on."""
    turns = (Turn("user", f"The {kept.tag} lies in Galway."), Turn("user", "It was sold in June."))
    later = await kept.memory.records.remember(Conversation(f"chat-{kept.tag}", turns, "Boats"), node_id=kept.below)
    await kept.memory.retention.set(NewRetentionRule(90, kind="conversation"))
    assert (await kept.run())["records"] == 1
    kept.records["later"] = later.records[0].record_id
    del kept.records["chat"]
    assert await kept.taken(older_than_days=1 / 24, kind="conversation") == set()
    assert await found(kept.engine, [str(later.records[0].record_id)])
    again = Conversation(f"chat-{kept.tag}", (*turns, Turn("user", "I miss it.")), "Boats")
    assert (await kept.memory.records.remember(again, node_id=kept.below)).records


async def test_a_rule_says_what_it_means(kept: Kept) -> None:
    memory, root = kept.memory, kept.memory.principal.user_id
    with pytest.raises(InvalidInput, match="nothing but an age"):
        NewRetentionRule(90)
    with pytest.raises(InvalidInput, match="nothing but an age"):
        await memory.retention.set(NewRetentionRule(90, node_id=root))
    kept.clock.move(days=DAYS)
    for kind in ("conversation", "event", "fact"):
        await memory.retention.set(NewRetentionRule(90, kind=kind))
    other = kept.engine.memory((await kept.engine.workspace.users.create(f"o{uuid4().hex[:12]}", "Ada")).user_id)
    await other.records.remember_text("Tides", "The tide was high.")
    kept.clock.move(days=DAYS)
    with pytest.raises(InvalidInput, match="all 1 records"):
        await other.retention.set(NewRetentionRule(90, kind="text"))
    await other.retention.set(NewRetentionRule(90, kind="text", everything=True))
    for wrong in ({"older_than_days": 0}, {"source": "a", "source_prefix": "b"}, {"scope_id": "t"}, {"kind": "poem"}):
        with pytest.raises(InvalidInput):
            NewRetentionRule(**{"older_than_days": 90, "everything": True, **wrong})  # type: ignore[arg-type]
    with pytest.raises(NotFound):
        await memory.retention.set(NewRetentionRule(90, node_id=other.principal.user_id, kind="fact"))
    assert len(await memory.retention.list()) == 3


async def test_a_rule_is_removed_by_its_user_alone(kept: Kept) -> None:
    rule = await kept.memory.retention.set(NewRetentionRule(90, kind="conversation"))
    other = kept.engine.memory((await kept.engine.workspace.users.create(f"o{uuid4().hex[:12]}", "Ada")).user_id)
    assert await other.retention.list() == ()
    with pytest.raises(NotFound):
        await other.retention.remove(rule.rule_id)
    await kept.memory.retention.remove(rule.rule_id)
    with pytest.raises(NotFound):
        await kept.memory.retention.remove(rule.rule_id)
    assert (await kept.run())["records"] == 0


async def test_the_database_refuses_a_rule_without_a_condition(kept: Kept) -> None:
    rule = await kept.memory.retention.set(NewRetentionRule(90, kind="conversation"))
    async with kept.engine.postgres.as_service() as connection:
        with pytest.raises(Exception, match="retention_rules_name_something"):
            await connection.execute(
                _statement("UPDATE engine.retention_rules SET kind = NULL WHERE rule_id = %(rule)s"),
                {"rule": rule.rule_id},
            )
