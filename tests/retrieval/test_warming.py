"""The statement of a search is planned before a service is ready: no question of any shape makes the server plan again.

The server counts: what its caches of plans held when they were emptied.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from neo4j import AsyncGraphDatabase

from engine.commit.changes import OF_KIND, FactsStated, GraphChange, RecordRetracted, to_json
from engine.commit.graph import TOGETHER, apply, rehearse
from engine.domain.clock import Moment
from engine.domain.entity import EntityFilter
from engine.domain.grant import NewGrant
from engine.domain.graph import RecordFacts
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.principal import Principal
from engine.domain.retraction import RecordRetraction
from engine.domain.search import SearchAnswer, SearchRequest
from engine.embedded import Stack, attached
from engine.embedded.readiness import STATEMENTS
from engine.entities.reads import EntityReads
from engine.errors import StoreTimeout
from engine.neurigraph import Engine
from engine.progress import Silent
from engine.settings import Settings
from engine.stores.neo4j import Neo4j
from engine.stores.statements import cypher
from engine.wiring.open_engine import open_engine
from engine.wiring.warming import ALONE, warm, warm_others, warm_writes
from tests.faults.servers import until_settled
from tests.retrieval.test_search import search_with

NOW = datetime.now(UTC)
LONG = (
    "What did Ellen say of the lease and of Dave? " + "Think of many different important words about everything. " * 20
)
SHAPES = {
    "now": SearchRequest("What of Dave?"),
    "one word": SearchRequest("Dave"),
    "as of": SearchRequest("What of Dave?", moment=Moment(as_of=NOW + timedelta(hours=1))),
    "known at": SearchRequest("What of Dave?", moment=Moment(known_at=NOW + timedelta(hours=1))),
    "both": SearchRequest("What of Dave?", moment=Moment(NOW + timedelta(hours=1), NOW + timedelta(hours=1))),
    "long": SearchRequest(LONG),
}


MARKS = {cypher("schema/installation"), cypher("schema/installation_marked")}
USES = 12
"""After its tenth use a Neo4j with its own defaults compiles the expressions of a plan, which it counts as another plan."""


async def planned(engine: Engine, stack: Stack) -> int:
    """How many plans the server has made since the last call, which emptied its caches; without those of marks.

    The supervisor of the servers looks at any time, and a login is planned, too: a look is made here, so that it counts always.
    Engines mark their stores every ten seconds after a write; the server's list of statements says whether one did.
    """
    async with AsyncGraphDatabase.driver(stack.neo4j_url, auth=(stack.neo4j_user, stack.neo4j_password)) as driver:
        await driver.execute_query((STATEMENTS / "ping.cypher").read_text(), database_="neo4j")
    await engine.neo4j.read("CALL db.stats.stop('QUERIES')")
    asked: list[Any] = await engine.neo4j.read("CALL db.stats.retrieve('QUERIES', {maxInvocations: 0})")
    await engine.neo4j.read("CALL db.stats.clear('QUERIES')")
    [row] = await engine.neo4j.read("CALL db.clearQueryCaches()")
    await engine.neo4j.read("CALL db.stats.collect('QUERIES')")
    made = int("".join(letter for letter in row["value"] if letter.isdigit()) or 0)
    return made - len(MARKS & {one["data"]["query"] for one in asked})


@dataclass(frozen=True)
class Family:
    """A graph with two namesakes, and who may read what of it."""

    user_id: UUID
    nodes: dict[str, UUID]
    readers: dict[str, tuple[Principal, set[str]]]


@pytest.fixture(scope="module")
async def family(engine: Engine) -> Family:
    user = await engine.workspace.users.create(f"w{uuid4().hex[:12]}", "Bob")
    memory, nodes = engine.memory(user.user_id), {}
    for path, kind in (
        ("Work", "persona"), ("Work/Dave", "concept"), ("Work/Dave/Boat", "concept"), ("Family", "concept"),
        ("Family/Dave", "concept"), ("Coach", "persona"),
    ):  # fmt: skip
        above, _, name = path.rpartition("/")
        node = await memory.nodes.provision(NewNode(nodes.get(above, user.user_id), name, kind, f"About {name}."))
        nodes[path] = node.node_id
    await memory.edges.make(nodes["Work/Dave"], nodes["Family/Dave"], "SAME_NAME")
    readers = {"owner": (memory.principal, set(nodes))}
    for path, depth, seen in (
        ("Family", 5, {"Family", "Family/Dave"}),
        ("Work/Dave", 0, {"Work/Dave"}),
        ("Work/Dave", 1, {"Work/Dave", "Work/Dave/Boat"}),
    ):
        reader = await engine.workspace.integrations.create(f"w{uuid4().hex[:12]}")
        await memory.grants.give(NewGrant(nodes[path], "third_party", reader.integration_id, depth=depth))
        readers[f"integration at {path}, {depth}"] = (
            Principal("third_party", reader.integration_id, user.user_id),
            seen,
        )
    for path, seen in (("Work", {"Work", "Work/Dave", "Work/Dave/Boat"}), ("Coach", {"Coach"})):
        readers[f"persona {path}"] = (Principal("persona", nodes[path], user.user_id), seen)
    return Family(user.user_id, nodes, readers)


# what empties the server's caches, first ---------------------------------------------------------------------------------


async def test_no_first_search_is_planned_after_the_warming(engine: Engine, settings: Settings, family: Family) -> None:
    await until_settled(engine)  # whatever else is asked meanwhile is planned, too
    await engine.installation.advance()
    quiet = settings.model_copy(update={"touch_interval_s": 3600})
    async with (
        attached(settings.home, settings.cache, progress=Silent()) as stack,
        open_engine(quiet, warming=False) as fresh,  # connections that no question has been asked on
    ):
        await planned(fresh, stack)
        for _ in range(USES):
            await warm(fresh)
        warmed = await planned(fresh, stack)
        for _ in range(USES):
            await warm(fresh)
        for principal, readable in family.readers.values():
            for request in SHAPES.values():
                await fresh.memory_as(principal).search(request)
                await fresh.memory_as(principal).nodes.shell(family.nodes[min(readable)], moment=request.moment)
        assert len({len(principal.parameters["kind"]) for principal, _ in family.readers.values()}) == 1, (
            "one size class"
        )
        without_vector = await search_with(fresh, None).search(Principal.user(family.user_id), SHAPES["now"])
        assert without_vector.embeddings == ""
        assert await planned(fresh, stack) == warmed


async def test_the_first_write_needs_the_plans_of_the_warming(
    engine: Engine, settings: Settings, family: Family, long: bool
) -> None:
    await until_settled(engine)
    await engine.installation.advance()
    quiet = settings.model_copy(update={"touch_interval_s": 3600})
    async with (
        attached(settings.home, settings.cache, progress=Silent()) as stack,
        open_engine(quiet, warming=False) as fresh,
    ):
        memory, turn = fresh.memory(family.user_id), Turn("Bob", "My sister Ellen Harlan is married to Dave Kowalski.")

        async def warmed_alone() -> int:
            await planned(fresh, stack)
            await warm_writes(fresh)
            return await planned(fresh, stack)

        async def plans(source: str, *, warmed: bool) -> int:
            await planned(fresh, stack)
            if warmed:
                await warm_writes(fresh)
            await memory.records.remember(Conversation(source, (turn,)))
            return await planned(fresh, stack)

        await memory.records.remember(Conversation("before", (turn,)))
        # what runs beside it only adds plans: of several looks the smallest counts
        cold, warm_first, alone = [], [], []
        for number in range(10):
            if long:  # each look plans for ten seconds
                cold.append(await plans(f"cold {number}", warmed=False))
            warm_first.append(await plans(f"warm {number}", warmed=True))
            alone.append(await warmed_alone())
            if number >= (3 if long else 0) and min(warm_first) == min(alone) == min(cold or alone):
                break
        assert min(warm_first) == min(alone), "it plans all that the write needs"
        if long:
            assert min(warm_first) == min(cold), "it plans nothing that the write does not need"


async def test_a_change_needs_the_plans_of_its_rehearsal(engine: Engine, settings: Settings, long: bool) -> None:
    await until_settled(engine)
    await engine.installation.advance()
    one, node, user = uuid4(), uuid4(), uuid4()
    facts = RecordFacts(record_id=one, user_id=user, node_id=node, commit_id=one, stated=())
    withdrawal = RecordRetraction(record_id=one, user_id=user, node_id=node, revision=1, at=NOW, undone=False)
    async with attached(settings.home, settings.cache, progress=Silent()) as stack:

        async def plans(change: GraphChange, *, rehearsed: bool, applied: bool = True) -> int:
            await planned(engine, stack)
            if rehearsed:
                await rehearse(engine.neo4j, [type(change)], 120)
            if applied:
                await apply(engine.neo4j, [to_json(change)], partly=True)
            return await planned(engine, stack)

        for change in (FactsStated([facts]), RecordRetracted(withdrawal)):
            # what runs beside it only adds plans: of several looks the smallest counts
            cold, after, alone = [], [], []
            for _ in range(5):
                if long:  # each look plans for seconds
                    cold.append(await plans(change, rehearsed=False))
                after.append(await plans(change, rehearsed=True))
                alone.append(await plans(change, rehearsed=True, applied=False))
                if min(after) == min(alone) == min(cold or alone):
                    break
            assert min(after) == min(alone), "it plans all that the change needs"
            if long:
                assert min(after) == min(cold), "it plans nothing that the change does not need"


async def test_parameters_of_any_size_take_one_plan(engine: Engine, settings: Settings, family: Family) -> None:
    await until_settled(engine)
    await engine.installation.advance()
    usual, others = (
        [EntityFilter()],
        [
            EntityFilter(kinds=("person", "place")),
            EntityFilter(name="e"),
            EntityFilter(name="ellen harlan of the lake"),
        ],
    )
    async with attached(settings.home, settings.cache, progress=Silent()) as stack:

        async def plans(filters: list[EntityFilter]) -> int:
            await planned(engine, stack)
            for one in filters:
                await engine.parts[EntityReads].page(
                    Principal.user(family.user_id), Moment(), one, after=None, limit=10
                )
            return await planned(engine, stack)

        one, every = [], []
        for _ in range(5):  # what runs beside it only adds plans
            one.append(await plans(usual))
            every.append(await plans(usual + others))
            if min(one) == min(every):
                break
        assert min(one) == min(every)


# with the plans that are there, which others need as well ---------------------------------------------------------------


async def graph_size(engine: Engine) -> list[object]:
    nodes = await engine.neo4j.read("MATCH (n) RETURN count(n) AS nodes")
    return nodes + await engine.neo4j.read("MATCH ()-[r]->() RETURN count(r) AS relationships")


async def test_a_rehearsal_of_any_change_leaves_nothing(engine: Engine) -> None:
    await until_settled(engine)
    before = await graph_size(engine)
    await engine.neo4j.rehearse("CREATE (made:Rehearsed) RETURN 1 AS made", {}, 120)
    for kind in OF_KIND.values():
        await rehearse(engine.neo4j, [kind], 120)
    assert await graph_size(engine) == before


def seen(answer: SearchAnswer) -> set[UUID]:
    """Every node that an answer tells of as an anchor or at the end of an edge."""
    edges = {edge.other_id for anchor in answer.anchors for edge in anchor.edges}
    return {anchor.node_id for anchor in answer.anchors} | edges


@pytest.mark.ledger("N31", "X01")
async def test_every_reader_finds_its_own_anchors_in_every_shape(engine: Engine, family: Family) -> None:
    names = {node: path for path, node in family.nodes.items()}
    for name, (principal, readable) in family.readers.items():
        for shape, request in SHAPES.items():
            answer = await engine.memory_as(principal).search(request)
            found = {names[node] for node in seen(answer) if node in names}
            assert found <= readable, (name, shape)
            named = {names[anchor.node_id] for anchor in answer.anchors if "name" in anchor.reasons}
            assert named == {path for path in readable if path.endswith("/Dave")}, (name, shape)
            for anchor in answer.anchors:
                known = {path.rpartition("/")[2] for path in readable} | ({"Bob"} if principal.owns else set())
                assert set(anchor.path) <= known and anchor.path[-1] == anchor.name, (name, shape)


async def test_what_is_asked_less_often_is_planned_too_and_nothing_is_written(engine: Engine, family: Family) -> None:
    counted = "MATCH (n) WITH count(n) AS nodes RETURN nodes + COUNT { ()-->() }"
    before = await engine.neo4j.read(counted, row=int)
    await warm_others(engine)
    assert await engine.neo4j.read(counted, row=int) == before


@pytest.mark.parametrize("broken", ["_run", "_run_all"])
async def test_what_is_read_for_a_write_and_its_rehearsal_do_not_end_each_other(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """Where one of them fails, the other one has been carried out before the error comes."""
    ended: list[object] = []
    others = "_run_all" if broken == "_run" else "_run"
    run = getattr(Neo4j, others)

    async def noted(self: Neo4j, *given: Any) -> Any:
        answer = await run(self, *given)
        ended.append(given[0])
        return answer

    async def failing(self: Neo4j, *given: Any) -> Any:
        raise StoreTimeout("graph")

    monkeypatch.setattr(Neo4j, others, noted)
    await warm_writes(engine)
    whole = [*ended]
    ended.clear()
    monkeypatch.setattr(Neo4j, broken, failing)
    with pytest.raises(StoreTimeout):
        await warm_writes(engine)
    assert whole and len(ended) == len(whole)


async def test_a_statement_that_is_never_planned_in_time_does_not_keep_others_from_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    run, run_all, longest = Neo4j._run, Neo4j._run_all, cypher("entity/page")

    async def late(self: Neo4j, statement: Any, *given: Any) -> Any:
        sent.append(statement)
        if statement == longest:
            raise StoreTimeout("graph")
        return await run(self, statement, *given)

    async def rehearsed(self: Neo4j, statements: Any, *given: Any) -> Any:
        sent.extend(statement for statement, _ in statements)
        return await run_all(self, statements, *given)

    await warm_others(engine)
    monkeypatch.setattr(Neo4j, "_run_all", rehearsed)
    monkeypatch.setattr(Neo4j, "_run", late)
    with pytest.raises(StoreTimeout):
        await warm_others(engine)
    assert sent.count(longest) > 1 and {cypher("node/timeline"), cypher(ALONE[-1].statement)} <= {*sent}


async def test_what_a_record_changes_in_part_takes_the_statement_of_the_whole(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent, run = [], Neo4j._run

    async def noted(self: Neo4j, statement: Any, *others: Any) -> Any:
        sent.append(statement)
        return await run(self, statement, *others)

    monkeypatch.setattr(Neo4j, "_run", noted)
    changes = [to_json(kind([])) for kind in TOGETHER]
    for some in (changes, changes[:2], changes[1:3], changes[::3]):
        await apply(engine.neo4j, some)
    assert len(sent) == 4 and len(set(sent)) == 1


async def test_a_write_waits_for_the_rehearsal_of_its_statement(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server would plan it twice. Another one does not wait, nor does any after a rehearsal that failed."""
    order: list[str] = []
    run, run_all, goes_on = Neo4j._run, Neo4j._run_all, asyncio.Event()
    same, another = "CREATE (made:Rehearsed) RETURN 1 AS made", "MATCH (made:Rehearsed {none: true}) DELETE made"

    async def slow(self: Neo4j, *given: Any) -> bool:
        await goes_on.wait()
        await run_all(self, *given)
        order.append("rehearsed")
        raise StoreTimeout("graph")

    async def noted(self: Neo4j, statement: Any, *given: Any) -> Any:
        order.append(statement)
        return await run(self, statement, *given)

    monkeypatch.setattr(Neo4j, "_run_all", slow)
    monkeypatch.setattr(Neo4j, "_run", noted)
    rehearsal = asyncio.create_task(engine.neo4j.rehearse(same, {}, 60))
    await asyncio.sleep(0)
    waits = asyncio.create_task(engine.neo4j.write(same))
    await engine.neo4j.write(another)
    goes_on.set()
    with pytest.raises(StoreTimeout):
        await rehearsal
    await waits
    assert order == [another, "rehearsed", same]
    await engine.neo4j.write("MATCH (made:Rehearsed) DELETE made")
