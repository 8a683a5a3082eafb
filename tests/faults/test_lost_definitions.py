"""What nodes and the graph are made of is lost: the doctor names it, its remedy makes it again and destroys nothing whole."""

from __future__ import annotations

from uuid import uuid4

import pytest
from psycopg import sql

from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.search import SearchRequest
from engine.lifecycle.definition_check import KIND
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores import graph_definitions
from engine.stores.definitions import Definition
from engine.wiring.warming import warm_writes
from tests.access.losses import CHANGES, LOSSES, losing, to_lose

# of the graph, first: it plans all statements anew after each of them ------------------------------------------------


async def test_a_failed_index_and_a_key_that_two_have_are_named(engine: Engine) -> None:
    past, long = "Past {slice_id: $id, user_id: $id}", "reduce(t = 'long', i IN range(1, 12) | t + t)"
    one = str(uuid4())
    for lost in ("INDEX past_name", "CONSTRAINT past_id"):
        await engine.neo4j.write(f"DROP {lost}")
    await engine.neo4j.write(f"CREATE (p:{past}) SET p.name_key = {long}", id=one)
    await engine.neo4j.write(f"CREATE (:{past})", id=one)
    await graph_definitions.repeat(engine.neo4j)  # a start goes on without them
    found = await engine.doctor.examine()
    named = {name: one for one in found for name in ("past_name", "past_id") if name in one.problem}
    assert len(found) == 2 and {one.severity for one in found} == {"error"}
    assert "past_name of Past failed" in named["past_name"].problem
    assert any("past_id" in one.failure for one in await engine.remedies.fix(found))
    await engine.neo4j.write(f"MATCH (p:{past}) DELETE p", id=one)
    assert {one.failure for one in await engine.remedies.fix(found)} == {""}
    assert await engine.doctor.examine() == []


async def test_every_index_of_the_graph_is_missed_and_made_again(engine: Engine, memory: Memory) -> None:
    wanted = graph_definitions.expected()
    for one in wanted:
        await engine.neo4j.write(f"DROP {'CONSTRAINT' if one.unique else 'INDEX'} {one.name}")
    found = [one for one in await engine.doctor.examine() if one.store == "neo4j"]
    assert len(found) == len(wanted) and {(one.severity, one.kind) for one in found} == {("error", KIND)}
    assert [one.failure for one in await engine.remedies.fix(found)] == [""]
    assert await graph_definitions.faults(engine.neo4j) == []
    await engine.neo4j.write("DROP INDEX node_text")
    assert await graph_definitions.repeat(engine.neo4j) == ["the index node_text of Node"]  # as a start does
    assert await engine.doctor.examine() == []
    await warm_writes(engine)  # planned for longer than a statement may take
    await memory.records.remember(Conversation("talk", (Turn("Bob", "The walleye bites at dusk."),)))
    assert (await memory.search(SearchRequest("walleye"))).hits


# of nodes and shared tables -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", [*sorted(LOSSES.keys() - {"view", "schema"}), "changed policy", "changed trigger", "changed column setting"]
)
async def test_what_a_node_lacks_is_named_and_its_records_never_look_lost(
    engine: Engine, memory: Memory, kind: str
) -> None:
    lake = await memory.nodes.provision(NewNode(memory.principal.user_id, "Lake"))
    await memory.records.remember(
        Conversation("talk", (Turn("Bob", "The walleye bites at dusk."),)), node_id=lake.node_id
    )
    places, what = [lake.schema_name], kind.removeprefix("changed ")
    statement = (CHANGES if kind != what else LOSSES)[what]
    async with engine.postgres.as_service() as connection:
        query = "SELECT * FROM engine.schema_definitions(%s) WHERE kind = %s AND statement <> ''"
        lost = to_lose(
            [Definition(**row) for row in await (await connection.execute(query, [places, what])).fetchall()]
        )
        assert lost or what == "index", "nodes have no index of their own but keys"
        for one in lost:
            await connection.execute(losing(statement, one))
    found = [one for one in await engine.doctor.examine() if one.node_id == lake.node_id]
    assert [one.kind for one in found] == (["tables-damaged"] if lost else []), found
    assert all("doctor --fix" in one.remedy for one in found)
    report = await engine.mending.run(dry_run=True)
    assert not report.surplus, "a policy hides rows; they are no loss"
    assert [one.failure for one in await engine.remedies.fix(found) if one.failure] == []
    assert [one for one in await engine.doctor.examine() if one.node_id == lake.node_id] == []
    assert (await memory.search(SearchRequest("walleye", nodes=(lake.node_id,)))).hits


async def test_a_policy_that_no_migration_makes_is_named_and_dropped(engine: Engine) -> None:
    async with engine.postgres.as_service() as connection:
        await connection.execute("CREATE POLICY everybody ON engine.facts AS RESTRICTIVE TO PUBLIC USING (false)")
    [found] = await engine.doctor.examine()
    assert (found.kind, found.severity) == (KIND, "error") and "the policy everybody of engine.facts" in found.problem
    assert [one.failure for one in await engine.remedies.fix([found])] == [""]
    assert await engine.doctor.examine() == []


async def test_a_trigger_that_no_migration_makes_is_named_and_left(engine: Engine) -> None:
    """It may be the operator's own, as one that logs for another program: only its owner knows."""
    trigger = "own_log BEFORE UPDATE ON engine.facts FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()"
    async with engine.postgres.as_service() as connection:
        await connection.execute(f"CREATE TRIGGER {trigger}")
    [found] = await engine.doctor.examine()
    assert (found.kind, found.severity) == ("", "warning") and "the trigger own_log of engine.facts" in found.problem
    assert "DROP TRIGGER own_log ON engine.facts" in found.remedy
    async with engine.postgres.as_service() as connection:
        await connection.execute("DROP TRIGGER own_log ON engine.facts")
    assert await engine.doctor.examine() == []


async def test_mend_makes_policies_again_before_it_compares(engine: Engine, memory: Memory) -> None:
    lake = await memory.nodes.provision(NewNode(memory.principal.user_id, "Lake"))
    await memory.records.remember(
        Conversation("talk", (Turn("Bob", "The walleye bites at dusk."),)), node_id=lake.node_id
    )
    drop = "DROP POLICY {} ON {}.{}"
    async with engine.postgres.as_service() as connection:
        for table in ("metadata_records", "memory_items", "file_manifest"):
            for policy in ("service", "readable"):
                names = (sql.Identifier(one) for one in (policy, lake.schema_name, table))
                await connection.execute(sql.SQL(drop).format(*names))
    report = await engine.mending.run(accept_loss=True)
    assert not report.surplus and report.mended == {"definitions of nodes": 1}
    assert len((await memory.search(SearchRequest("walleye", nodes=(lake.node_id,)))).hits) == 1
    assert await engine.doctor.examine() == []


async def test_a_sequence_that_was_set_back_goes_on_after_the_largest(engine: Engine, memory: Memory) -> None:
    await memory.nodes.provision(NewNode(memory.principal.user_id, "Lake", summary="A cold lake."))
    talk = Conversation("talk", (Turn("Bob", "The lake is cold and the walleye bites."),))
    await memory.records.remember(talk)
    back = "SELECT setval(pg_get_serial_sequence('engine.assignments', 'entry_id'), 1, false)"
    async with engine.postgres.as_service() as connection:
        await connection.execute("SELECT count(*) FROM engine.assignments")
        await connection.execute(back)
    [found] = await engine.doctor.examine()
    assert "engine.assignments.entry_id" in found.problem and found.kind == KIND
    assert [one.failure for one in await engine.remedies.fix([found])] == [""]
    assert await engine.doctor.examine() == []
    await memory.records.remember(Conversation("more", talk.turns))
