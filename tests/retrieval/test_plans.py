"""Every statement that reads for a principal reads by indexes, however many rows other users have: none scans a table or a label
that grows with them, none reads more rows of tables at 20,000 rows of others than at 1,000, none needs 3,000 accesses of the graph
(in the long form at 100,000).

The statements are those that the code names; one that is not sent here fails the test, until it is sent or stands below with
the reason. How long planning takes is printed, not judged.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Collection, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from psycopg import sql

import engine.memory  # noqa: F401 (declares the operations)
from engine.domain.clock import NOW, Moment
from engine.domain.context import ContextRequest
from engine.domain.delta import Change
from engine.domain.fact import FactFilter, WrittenFact
from engine.domain.forgetting import ForgettingSubject
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.occasion import NewEvent
from engine.domain.principal import Principal
from engine.domain.read_limits import ReadLimits
from engine.domain.retention import NewRetentionRule
from engine.domain.retraction import RetractionSubject
from engine.domain.search import DecayRequest, Filters, SearchRequest
from engine.domain.written import ExportPlace
from engine.errors import NotFound
from engine.ingest.pipeline import Ingest
from engine.knowledge.known_lines import KnownLines
from engine.lifecycle.large_nodes import LargeNodes
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.operations.declaring import OPERATIONS
from engine.retrieval.pipeline import LimitedSearch, Search
from engine.settings import Settings
from engine.wiring.job_catalogue import CATALOGUE
from engine.wiring.open_engine import open_engine
from tests.ingest.test_streams import dialogue
from tests.planned import Read, Recorded, Sent, declared_cypher, declared_sql, read_by, recording
from tests.retrieval.other_rows import growing
from tests.session_stores import sync_nothing

FEW, MANY, MANY_OF_LONG_FORM = 1000, 20_000, 100_000
SPARE = 200
"""Rows that a statement may read more among many: trees of indexes are higher then."""
MOST_ACCESSES = 3000
"""Accesses of the graph for a statement among many; the most is 1,287. To plan all statements among few, too, takes a minute."""

JOBS, WRITES = "a job's, for the service", "writes, by a function"
NOT_SENT = dict.fromkeys(
    ("community/clustered", "community/contradicting", "community/copy_outdated", "community/due", "community/facts",
     "community/items", "community/texts", "damage/known", "fact/behind", "fact/users_behind"), JOBS
) | dict.fromkeys(
    ("community/insights_kept", "node/archive", "node/touched", "node/upgrade", "user/provision"), WRITES
) | {"access/principal_set": "names the principal of a transaction", "commit/hold_writes": "a write waits for a forgetting",
    "fact/apart": "a step of a write of facts", "node/older": "the service's, when it starts",
    "record/holding": "a step of a retraction, at one node",
    "schema/dictionary": "the catalog of Postgres, for the operator"}  # fmt: skip
"""Statements of these packages that read nothing for a principal here, with the reason."""
NOT_CALLED = {
    "proposals.propose": "reads what the user sends", "searching.answer": "a context, then a model",
    "forgettings.verify": "looks through all stores",
}  # fmt: skip
OF_THE_WORKSPACE = {"embedding_versions", "integrations", "forgetting_key"}
"""Tables that do not grow with users."""
READ_PATH = ("retrieval", "communities", "entities", "facts", "knowledge", "relations", "hierarchy", "history")
"""The packages whose statements are looked at, with all of the graph that take a principal."""
QUESTION = "Whom is Ellen Harlan married to?"
WORKSPACE = {"embeddings", "integrations", "jobs", "tokens", "users", "workspace"}


@pytest.fixture
async def stores(settings: Settings, tmp_path: Path) -> AsyncIterator[Engine]:
    """Stores of this test's own: to end them is quicker than to take so many rows away."""
    own = settings.model_copy(update={"home": tmp_path / "home", "statement_timeout_s": 120.0})
    async with open_engine(own, warming=False) as opened:
        await sync_nothing(opened)
        yield opened


async def filled(engine: Engine, memory: Memory) -> tuple[UUID, list[Memory]]:
    """A graph with some of everything, and its other readers. Returns the node of most of it."""
    root = memory.principal.user_id
    family = (await memory.nodes.provision(NewNode(root, "Family", keywords=("sister",)))).node_id
    dave = (await memory.nodes.provision(NewNode(family, "Dave", "persona"))).node_id
    boat = (await memory.nodes.provision(NewNode(dave, "Boat"))).node_id
    await memory.edges.make(boat, dave, "holds", {"since": "2001"})
    talk = [Turn("Bob", f"Ellen Harlan is married to Dave Kowalski, I said on day {day}.") for day in range(20)]
    await memory.records.remember(Conversation("c", (*talk, Turn("Iris", "Then Elli Varga came by."))), node_id=family)
    works = [Turn("Iris", f"{who} works at Harlan Joinery.") for who in ("Ellen Harlan", "Dave Kowalski")]
    await memory.records.remember(Conversation("d", tuple(works)), node_id=dave)
    for text in ("The press was founded by Alma Reyes.", "The press was founded by Alma Reyes in 1931."):
        await memory.records.remember_text("Press", text, source_id="press", node_id=dave)
    for town in ("Duluth", "Bemidji"):
        await memory.facts.write(WrittenFact(f"Ellen Harlan lives in {town}.", ("Ellen Harlan",)), node_id=dave)
    await memory.events.write(NewEvent("call", "Dave called.", node_id=dave))
    await memory.conversations.append("stream", *dialogue(3))
    await memory.history.change(Change("node", boat, {"name": "Yacht"}))
    hit = (await memory.search(SearchRequest("Elli Varga"))).hits[0]
    await memory.history.change(Change("item", hit.item_id, {"content": "Then Elli Varga left."}, hit.node_id))
    later = memory.until(datetime.now(UTC) + timedelta(days=9)).records
    await later.remember_text("Ferry", "The ferry of Inga Solberg leaves at nine.", node_id=dave)
    mistake = await memory.records.remember_text("Mistake", "Inga Solberg sold the pier.", node_id=dave)
    await memory.retractions.retract(RetractionSubject("record", str(mistake.records[0].record_id)))
    integration = await engine.workspace.integrations.create(f"app {uuid4()}")
    await memory.grants.give(NewGrant(dave, "third_party", integration.integration_id))
    others = [Principal("persona", dave, root), Principal("third_party", integration.integration_id, root)]
    return dave, [engine.memory_as(one) for one in others]


async def tried(work: Awaitable[object]) -> None:
    """What this reader may not read is refused."""
    with suppress(NotFound):
        await work


async def read_at(memory: Memory, node: UUID, moment: Moment) -> None:
    """What can be read as of a moment."""
    answer = await memory.search(SearchRequest(QUESTION, moment=moment, explain=True))
    await memory.context(ContextRequest(QUESTION, moment=moment))
    listed = await memory.entities.list(moment)
    await memory.entities.relations_between([one.entity_id for one in listed], moment)
    for one in listed[:3]:
        await memory.entities.get(one.entity_id, moment)
        for relation in await memory.entities.relations(one.entity_id, moment, ended=True):
            await memory.entities.why(relation.relation_id, moment)
    await memory.nodes.anchors("Dave", moment)
    for hit in answer.hits[:2]:
        await tried(memory.history.state("item", hit.item_id, node_id=hit.node_id, moment=moment))
        await tried(memory.history.state("record", hit.record_id, node_id=hit.node_id, moment=moment))
    for edge in (await memory.edges.list(moment))[:1]:
        await tried(memory.history.state("edge", edge.edge_id, moment=moment))
    await tried(memory.history.state("node", node, moment=moment))
    nodes = memory.nodes
    for work in (
        *(nodes.shell(node, moment), nodes.children(node, moment), nodes.tree(moment)),
        *(nodes.metadata(node, moment=moment), memory.entities.merges(moment), nodes.timeline()),
    ):
        await tried(work)


async def read_now(memory: Memory, node: UUID) -> None:
    """What any reader may ask for."""
    hit = (await memory.search(SearchRequest("Ellen Harlan", widen="always"))).hits[0]
    ellen = await named(memory, "Ellen Harlan")
    filters = Filters(entities=(ellen,), below=(node,))
    await memory.search(SearchRequest(QUESTION, kinds=("chunk", "fact", "turn"), filters=filters))
    await memory.search(SearchRequest("the press", kinds=("chunk",)), ReadLimits(partial=True))
    await memory.search_decayed(DecayRequest(QUESTION))
    await memory.entities.facts(ellen)
    await memory.profiles.entity(ellen)
    for work in (
        memory.nodes.touch(hit.node_id, [hit.item_id]), memory.nodes.writable(),
        memory.history.deltas("item", hit.item_id, node_id=hit.node_id),
        memory.commits.list(), memory.conversations.list(), memory.conversations.get("stream"),
    ):  # fmt: skip
        await tried(work)
    assert hit.file_id is not None
    await tried(memory.files.state(hit.node_id, hit.file_id))
    await tried(memory.files.wake(hit.node_id, hit.file_id))
    await memory.files.read(hit.node_id, hit.file_id)
    with suppress(NotFound):
        for document in await memory.documents.list():
            await memory.documents.versions(document.document_id)
            await tried(memory.documents.chunks(document.document_id))
            await tried(memory.documents.read(document.document_id))


async def named(memory: Memory, name: str) -> UUID:
    return next(one.entity_id for one in await memory.entities.list() if name in one.names)


async def read_as_owner(memory: Memory, node: UUID, before: datetime) -> None:
    """What only the user may ask for."""
    ellen = await named(memory, "Ellen Harlan")
    await memory.entities.review()
    await memory.search(SearchRequest("Who is my brother?", relations=True))
    await memory.entities.mentioned_together([ellen, await named(memory, "Dave Kowalski")])
    await memory.facts.doubts()
    merge = await memory.entities.merge(ellen, await named(memory, "Dave Kowalski"))
    await memory.entities.undo_merge(merge.merge_id)
    facts = await memory.facts.list(FactFilter(status=None))
    await memory.facts.chain(facts[0].fact_id)
    await memory.ingests.get(session := (await memory.ingests.list())[0].session_id)
    await memory.ingests.sources(session)
    await memory.resources.content((await memory.resources.list())[0].resource_id)
    replay = await memory.replays.build((await memory.replays.begin()).replay_id)
    await memory.replays.get(replay.replay_id)
    await memory.replays.compare(replay.replay_id)
    record = (await memory.nodes.metadata(node)).records[0].record_id
    subjects = [RetractionSubject("source", "c"), RetractionSubject("record", str(record))]
    for subject in (*subjects, *(RetractionSubject("fact", str(fact.fact_id)) for fact in facts)):
        await memory.retractions.preview(subject)
    for work in (
        memory.entities.facts(ellen, ended=True), memory.entities.aliases(ellen), memory.entities.meaning(ellen),
        memory.profiles.user(), memory.facts.attributes(), memory.events.list(), memory.records.assignments(),
        memory.failures.list(), memory.intentions.list(), memory.insights.list(), memory.communities.list(),
        memory.communities.list("facts"), memory.communities.get(uuid4()), memory.grants.list(), memory.grants.audience(node),
        memory.grants.preview(node), memory.grants.log(), memory.files.log(), memory.replays.list(), memory.retractions.list(),
        memory.forgettings.list(), memory.forgettings.preview(ForgettingSubject("source", "c")),
        memory.forgettings.get(uuid4()), memory.forgettings.receipt(uuid4()),
        memory.retention.list(), memory.retention.preview(NewRetentionRule(1, kind="text")),
        memory.history.difference(before, datetime.now(UTC)), memory.exports.page(), memory.exports.left_out(ExportPlace(before)),
    ):  # fmt: skip
        await tried(work)


async def read_for_others(engine: Engine, memory: Memory) -> None:
    """What no operation leads to here: searches without the graph, damaged nodes, what a language model is told."""
    principal, request = memory.principal, SearchRequest("Ellen Harlan")
    await engine.parts[LimitedSearch]._without_graph(principal, request, ReadLimits(), 10)
    await engine.parts[Search].damage.found(principal, None)
    domain = engine.parts[Ingest].entities.domain
    known = KnownLines(engine.neo4j, engine.postgres, domain, engine.parts.clock)
    assert await known.of_entities(principal, ["person:ellen-harlan"])


def told(reads: Mapping[object, list[Read]], names: Mapping[object, str]) -> str:
    """How long each statement took to plan, the longest first: milliseconds among few and among many rows."""
    longest = sorted(reads, key=lambda key: -reads[key][-1].took)[:12]
    lines = [f"{names[key]} {reads[key][0].took:.0f} {reads[key][-1].took:.0f}" for key in longest]
    return "Planning, ms, among few and many (of the graph, among many, with its run): " + "; ".join(lines)


@pytest.mark.ledger("X02", "X01")
async def test_nothing_that_is_read_grows_with_what_other_users_have(
    stores: Engine, capsys: pytest.CaptureFixture[str], long: bool
) -> None:
    most = MANY_OF_LONG_FORM if long else MANY
    memory = stores.memory((await stores.workspace.users.create("bob")).user_id)
    before = datetime.now(UTC) - timedelta(days=1)
    async with growing(stores) as others:
        await others.graph_to(most)
        with recording() as found:
            node, readers = await filled(stores, memory)
            await LargeNodes(stores.postgres, 20).run()
            [communities] = [one for one in CATALOGUE if one.name == "communities"]
            await communities.work(stores)
            await others.rows_of(memory.principal.user_id)
            for reader in (memory, *readers):
                await read_now(reader, node)
                for moment in (NOW, Moment(known_at=datetime.now(UTC)), Moment(as_of=before)):
                    await read_at(reader, node, moment)
            await read_as_owner(memory, node, before)
            await read_for_others(stores, memory)
        assert declared_sql(*READ_PATH) - found.names == NOT_SENT.keys()
        assert declared_cypher() - found.names == set()
        reads = {name for name, one in OPERATIONS.items() if not one.writes and name.split(".")[0] not in WORKSPACE}
        assert reads - found.operations == NOT_CALLED.keys()

        await others.tables_to(FEW, others.tables.keys())
        few = await read_again(stores, found)
        read = {table for one in few.values() if one.in_tables for table in one.rows}
        await others.tables_to(most, read)
        many = few | await read_again(stores, found, only=[key for key, one in few.items() if one.in_tables])
        grown = {name for name, rows in others.rows.items() if rows == most}
        for bad in bad_ones(memory.principal):
            seen = await read_by(stores, bad)
            assert seen and [*faults_of(seen, seen, grown)], "a bad plan is seen"
    with capsys.disabled():
        print(
            "\n"
            + told({key: [few[key], many[key]] for key in many}, {key: one.name for key, one in found.sent.items()})
        )
    assert read - others.rows.keys() <= OF_THE_WORKSPACE, "tables of which others have no rows"
    faults = [f"{found.sent[key].name} {fault}" for key in many for fault in faults_of(few[key], many[key], grown)]
    assert sorted(faults) == []


def bad_ones(principal: Principal) -> Iterator[Sent]:
    """Statements that no index helps."""
    yield Sent(
        "tables", sql.SQL("SELECT count(*) FROM engine.nodes WHERE name = 'Dave'"), {}, ("user", str(principal.user_id))
    )
    yield Sent("graph", "MATCH (n:Node {name: $name}) RETURN count(n)", {"name": "Dave"})


async def read_again(engine: Engine, found: Recorded, *, only: Collection[object] | None = None) -> dict[object, Read]:
    """What recorded statements read, all or some; those that write are left out."""
    some = {key: one for key, one in found.sent.items() if only is None or key in only}
    return {key: read for key, one in some.items() if (read := await read_by(engine, one))}


def faults_of(few: Read, many: Read, grown: set[str]) -> Iterator[str]:
    """What is wrong with the plan of a statement. Tables that did not grow may be read as a whole."""
    yield from (f"scans {one}" for one in many.scanned if not many.in_tables or one in grown)
    for place, rows in many.rows.items():
        if rows > (2 * few.rows.get(place, 0) + SPARE if many.in_tables else MOST_ACCESSES):
            yield f"reads {rows:,} rows of {place} among many, {few.rows.get(place, 0):,} among few"
