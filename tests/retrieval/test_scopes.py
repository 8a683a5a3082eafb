"""Scopes and sources: what belongs to a thread or workflow is found within it and read by nobody but the user."""

from __future__ import annotations

from uuid import UUID

import pytest

from engine.domain.delta import Change
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, History, Text, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.report import IngestReport
from engine.domain.scope import MemoryScope, Origin, parsed_scope
from engine.domain.search import Hit, SearchRequest
from engine.errors import InvalidInput, NotFound
from engine.hierarchy.tables import UpgradeReport
from engine.memory import Memory
from engine.neurigraph import Engine

BOAT, TAX = MemoryScope("thread", "boat"), MemoryScope("workflow", "tax 2025")


async def found(memory: Memory, query: str, **more: object) -> list[Hit]:
    return list((await memory.search(SearchRequest(query, widen="always", **more))).hits)


@pytest.fixture
async def reports(memory: Memory, user: User) -> dict[str, IngestReport]:
    """A sentence about the harbour of the user, of a thread and of a workflow, at the root."""
    reports = {}
    for name, place in {
        "user": memory, "boat": memory.within(BOAT), "tax": memory.within(TAX, source="manual")
    }.items():  # fmt: skip
        text = f"The harbour is what we spoke of: the {name} word is zander{name}."
        reports[name] = await place.records.remember_text(f"About {name}", text, node_id=user.user_id)
    return reports


@pytest.mark.ledger("L05", "L06")
async def test_a_thread_does_not_surface_outside_of_it(memory: Memory, reports: dict[str, IngestReport]) -> None:
    assert {hit.scope for hit in await found(memory, "harbour")} == {"user"}
    assert await found(memory, "zanderboat") == await found(memory, "zanderboat", scopes=(MemoryScope("thread", "x"),))
    inside = await found(memory, "harbour", scopes=(BOAT,))
    assert {(hit.scope, hit.scope_id) for hit in inside} == {("user", None), ("thread", "boat")}
    assert "zanderboat" in (await found(memory, "zanderboat", scopes=(BOAT,)))[0].content
    both = await found(memory, "harbour", scopes=(BOAT, TAX))
    assert {str(hit.scope) for hit in both} == {"user", "thread", "workflow"}
    bound = await found(memory.within(BOAT), "harbour")
    assert {(hit.scope, hit.scope_id) for hit in bound} == {("user", None), ("thread", "boat")}
    thread_of_that_name = MemoryScope("thread", "tax 2025")
    assert {hit.scope for hit in await found(memory, "harbour", scopes=(thread_of_that_name,))} == {"user"}


@pytest.mark.ledger("L05")
async def test_sources_narrow_a_search(memory: Memory, reports: dict[str, IngestReport]) -> None:
    manual = await found(memory, "harbour", scopes=(TAX,), sources=("manual",))
    assert [(hit.scope_id, hit.source) for hit in manual] == [("tax 2025", "manual")]
    assert await found(memory, "harbour", sources=("manual", "extracted")) == []
    assert [hit.source for hit in await found(memory, "harbour", sources=("ingested",))] == ["ingested"]


@pytest.mark.ledger("L05")
async def test_words_of_a_scope_do_not_move_scores_outside_of_it(memory: Memory, user: User) -> None:
    for number in range(6):
        await memory.records.remember_text(f"Note {number}", f"The walleye of note {number}.", node_id=user.user_id)
    before = [(hit.item_id, hit.score, dict(hit.signals)) for hit in await found(memory, "walleye note 3")]
    thread = memory.within(BOAT)
    for number in range(6):
        await thread.records.remember_text(f"T {number}", "The walleye, walleye, note and note.", node_id=user.user_id)
    answer = await memory.search(SearchRequest("walleye note 3", widen="always"))
    assert [(hit.item_id, hit.score, dict(hit.signals)) for hit in answer.hits] == before
    assert answer.items_searched == 6
    within = await thread.search(SearchRequest("walleye note 3", widen="always"))
    assert within.items_searched == 12
    found_again = [(hit.item_id, hit.score) for hit in within.hits if hit.scope == "user"]
    assert found_again and found_again != [(item, score) for item, score, _ in before]


@pytest.mark.ledger("L05", "N29")
async def test_nobody_but_the_user_reads_what_is_scoped(
    engine: Engine, memory: Memory, user: User, reports: dict[str, IngestReport]
) -> None:
    persona = await memory.nodes.provision(NewNode(user.user_id, "Lawyer", "persona"))
    mine = await memory.within(BOAT).records.remember_text("Below", "zanderbelow", node_id=persona.node_id)
    mailbox = await engine.workspace.integrations.create(f"mailbox of {user.handle}")
    grants = [
        NewGrant(user.user_id, "persona", persona.node_id, "read_write", depth=5),
        NewGrant(user.user_id, "third_party", mailbox.integration_id, depth=5),
    ]
    for grant in grants:
        await memory.grants.give(grant)
    for kind, subject in (("persona", persona.node_id), ("third_party", mailbox.integration_id)):
        other = engine.memory_as(Principal(kind, subject, user.user_id))
        await sees_the_users_alone(other, user.user_id, reports)
        assert [hit for hit in await found(other, "zanderbelow") if hit.node_id == persona.node_id] == []
        with pytest.raises(NotFound):
            await other.files.read(persona.node_id, mine.records[0].file_id)
        for scope in (BOAT, TAX):
            with pytest.raises(InvalidInput):
                other.within(scope)
            with pytest.raises(InvalidInput):
                await other.search(SearchRequest("harbour", scopes=(scope,)))
            smuggled = Conversation("smuggled", (Turn("Eve", "zandersmuggled"),), origin=Origin(scope))
            with pytest.raises(InvalidInput if kind == "persona" else NotFound):
                await other.records.remember(smuggled, node_id=user.user_id)
    writer = engine.memory_as(Principal("persona", persona.node_id, user.user_id)).within(source="manual")
    assert (await writer.records.remember_text("By hand", "zanderhand", node_id=user.user_id)).records
    assert (await found(memory, "zanderhand"))[0].source == "manual"


async def sees_the_users_alone(other: Memory, node: UUID, reports: dict[str, IngestReport]) -> None:
    assert {hit.record_id for hit in await found(other, "harbour")} == {reports["user"].records[0].record_id}
    page = await other.nodes.metadata(node)
    assert [(record.title, record.scope, record.source) for record in page.records] == [
        ("About user", "user", "ingested")
    ]
    shell = await other.nodes.shell(node)
    assert (shell.records, shell.items, [line.title for line in shell.manifest]) == (1, 1, ["About user"])
    for name in ("boat", "tax"):
        record = reports[name].records[0]
        for reading in (
            other.files.read(node, record.file_id),
            other.history.state("record", record.record_id, node_id=node),
        ):
            with pytest.raises(NotFound):
                await reading


@pytest.mark.ledger("L05")
async def test_pages_and_states_show_scope_and_source(
    memory: Memory, user: User, reports: dict[str, IngestReport]
) -> None:
    shown = {record.title: record for record in (await memory.nodes.metadata(user.user_id)).records}
    tax = shown["About tax"]
    assert (tax.scope, tax.scope_id, tax.source) == ("workflow", "tax 2025", "manual")
    state = await memory.history.state("record", tax.record_id, node_id=user.user_id)
    assert state.fields is not None
    assert [state.fields[name] for name in ("scope", "scope_id", "source")] == ["workflow", "tax 2025", "manual"]
    hit = (await found(memory, "zandertax", scopes=(TAX,)))[0]
    item = await memory.history.state("item", hit.item_id, node_id=user.user_id)
    assert item.fields is not None and item.fields["scope_id"] == "tax 2025"
    assert (await memory.nodes.shell(user.user_id)).records == 3
    assert await memory.files.read(user.user_id, tax.file_id)


@pytest.mark.ledger("L05")
async def test_a_changed_item_stays_in_its_scope(memory: Memory, user: User, reports: dict[str, IngestReport]) -> None:
    hit = (await found(memory, "zanderboat", scopes=(BOAT,)))[0]
    change = Change("item", hit.item_id, {"content": "Now it is perchboat."}, node_id=user.user_id)
    await memory.history.change(change)
    assert [one.scope for one in await found(memory, "perchboat")] == ["user"]
    inside = (await found(memory, "perchboat", scopes=(BOAT,)))[0]
    assert (inside.item_id, inside.scope, inside.content) == (hit.item_id, "thread", "Now it is perchboat.")


@pytest.mark.ledger("L05")
async def test_a_whole_history_goes_into_a_scope(engine: Engine, user: User) -> None:
    turns = (Turn("Bob", "The zander of the history."),)
    history = History(
        user.handle, "Bob",
        (Conversation("a", turns), Conversation("b", turns, origin=Origin(TAX, "manual"))),
    )  # fmt: skip
    await engine.ingest(history, origin=Origin(BOAT))
    memory = engine.memory(user.user_id)
    assert await found(memory, "zander") == []
    assert [(hit.scope_id, hit.source) for hit in await found(memory, "zander", scopes=(BOAT,))] == [
        ("boat", "ingested")
    ]
    assert [(hit.scope_id, hit.source) for hit in await found(memory, "zander", scopes=(TAX,))] == [
        ("tax 2025", "manual")
    ]


@pytest.mark.ledger("L05")
async def test_what_lies_in_upgraded_tables_belongs_to_the_user(engine: Engine, memory: Memory, user: User) -> None:
    node = await memory.nodes.provision(NewNode(user.user_id, "Old"))
    await memory.records.remember_text("Old", "The zander of old.", node_id=node.node_id)
    await made_older(engine, node.node_id, node.schema_name)
    assert await engine.upgrades.run() == UpgradeReport(1, 0)
    assert [(hit.scope, hit.source) for hit in await found(memory, "zander")] == [("user", "ingested")]
    assert await found(memory, "zander", sources=("manual",)) == []
    await memory.records.remember_text("Older", "The zander of then.", node_id=node.node_id)
    assert {hit.record_title for hit in await found(memory, "zander", sources=("ingested",))} == {"Old", "Older"}
    await memory.within(BOAT, source="manual").records.remember_text("New", "The zander of now.", node_id=node.node_id)
    assert {hit.record_title for hit in await found(memory, "zander")} == {"Old", "Older"}
    assert {hit.record_title for hit in await found(memory, "zander", scopes=(BOAT,))} == {"Old", "Older", "New"}
    assert [hit.record_title for hit in await found(memory, "zander", scopes=(BOAT,), sources=("manual",))] == ["New"]


async def made_older(engine: Engine, node_id: UUID, schema: str) -> None:
    """Takes away what template 5 brought."""
    async with engine.postgres.as_service() as connection:
        for table in ("metadata_records", "memory_items"):
            await connection.execute(
                f'ALTER TABLE "{schema}".{table} DROP COLUMN scope, DROP COLUMN scope_id, DROP COLUMN source'
            )
        await connection.execute("UPDATE engine.nodes SET template_version = 4 WHERE node_id = %s", [node_id])


@pytest.mark.parametrize(
    "wrong", ["thread", "thread:", "user:1", "team:1", "", "thread:a\x00", "workflow:" + "x" * 201]
)
def test_a_scope_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidInput):
        parsed_scope(wrong)


@pytest.mark.parametrize("text", ["user", "thread:a", "thread:a:b", "workflow:" + "x" * 200])
def test_a_scope_is_written_as_it_is_read(text: str) -> None:
    assert str(parsed_scope(text)) == text


async def test_many_sources_of_a_thread_belong_to_it(memory: Memory) -> None:
    thread = memory.within(MemoryScope("thread", "t1"))
    await thread.ingests.many(
        [Conversation("c", (Turn("Bob", "The walleye bites."),))], [Text("t", "Lake", "A walleye.")]
    )
    page = await memory.nodes.metadata(memory.principal.user_id)
    assert {(one.scope, one.scope_id) for one in page.records} == {("thread", "t1")}
