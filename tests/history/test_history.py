"""Living records on the real stores: changes as deltas, every past state, both clocks on every read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import sql

from engine.domain.clock import NOW, Moment
from engine.domain.delta import Change, Within
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import CreatedEdge, NewNode
from engine.domain.principal import Principal
from engine.domain.retraction import RetractionSubject
from engine.domain.search import SearchRequest
from engine.errors import Conflict, DepthExceeded, InvalidInput, MovedIntoItself, NameTaken, NotFound
from engine.history.reading import Past
from engine.ingest.documents import note
from engine.ingest.sources import Pending
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.statements import sql_in

TICK = timedelta(microseconds=1)
LONG_AGO = datetime(2021, 5, 1, tzinfo=UTC)


@pytest.fixture
async def node(memory: Memory) -> UUID:
    return (await memory.nodes.provision(NewNode(memory.principal.user_id, f"Harbour {uuid4().hex[:6]}"))).node_id


async def stored(memory: Memory, node: UUID, text: str) -> tuple[UUID, UUID]:
    """A text without a date at a node, which holds since ever: its record and its one item."""
    place = next(one for one in await memory.nodes.writable() if one.node_id == node)
    report = await memory.ingests.store([Pending(note(None, "Note", text, "other"), place)])
    record = report.records[0].record_id
    hits = (await memory.search(SearchRequest(text, nodes=(node,)))).hits
    return record, next(hit.item_id for hit in hits if hit.record_id == record)


async def found(memory: Memory, node: UUID, query: str, moment: Moment = NOW) -> list[str]:
    return [hit.content for hit in (await memory.search(SearchRequest(query, nodes=(node,), moment=moment))).hits]


@pytest.mark.parametrize("kind", ["item", "record"])
async def test_what_was_never_changed_is_read_by_its_key(engine: Engine, memory: Memory, node: UUID, kind: str) -> None:
    record, item = await stored(memory, node, "The mooring costs 40 a month.")
    subject, table = {"item": (item, "memory_items"), "record": (record, "metadata_records")}[kind]
    schema = (await memory.nodes.shell(node)).schema_name
    statement = sql.SQL("EXPLAIN (ANALYZE, FORMAT JSON) ") + sql_in(f"{kind}/slices", schema)

    async def scanned() -> bool:
        """Whether all rows of the table were read; the planner prefers indexes, as it does where there are many rows."""
        async with engine.postgres.as_service() as connection, connection.transaction():
            await connection.execute("SET LOCAL enable_seqscan = off")
            [plan] = await connection.fetch(statement, {"subject_id": subject, "pending": True}, row=list)
        return any(
            step["Node Type"] == "Seq Scan" and step["Relation Name"] == table and step["Actual Loops"] > 0
            for step in steps(plan[0]["Plan"])
        )

    assert not await scanned()
    changed = {"content" if kind == "item" else "title": "It costs 45."}
    await memory.history.change(Change(kind, subject, changed, node))
    assert await scanned(), "its other slices have no key"


def steps(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for step in plan.get("Plans", ()):
        yield from steps(step)


# every combination of the two times ----------------------------------------------------------------------


class Model:
    """What a subject was, kept as a plain list of changes: the latest effect wins, then the later written."""

    def __init__(self, base: dict, known_from: datetime) -> None:
        self.base, self.known_from, self.changes = base, known_from, []

    def at(self, as_of: datetime, known_at: datetime) -> dict | None:
        if known_at < self.known_from:
            return None
        state = self.base | {"ended": False}
        for _, _, fields in sorted(
            (effect, number, fields)
            for number, (effect, known, fields) in enumerate(self.changes)
            if known <= known_at and effect <= as_of
        ):
            state |= fields
        return None if state.pop("ended") else state


VALUES = {
    "record": [{"title": f"Title {n}"} for n in range(4)] + [{"summary": f"It says {n}."} for n in range(3)],
    "item": [{"content": f"The walleye weighed {n} pounds."} for n in range(2, 6)]
    + [{"confidence": 0.25}, {"tags": ["fish"]}],
    "node": [{"name": f"Pier {n}"} for n in range(4)] + [{"summary": f"Place {n}"} for n in range(3)],
    "edge": [{"properties": {"since": str(n)}} for n in range(2000, 2004)],
}
EFFECTS = [None, "beginning", LONG_AGO, LONG_AGO + timedelta(days=300), LONG_AGO + timedelta(days=600)]


@pytest.mark.ledger("N23", "X03")
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", ["record", "item", "node", "edge"])
async def test_any_history_reads_back_at_every_moment(
    engine: Engine, memory: Memory, node: UUID, kind: str, seed: int
) -> None:
    rng, past = Random(f"{kind} {seed}"), engine.parts[Past]
    subject, model = await begun(memory, node, kind)
    place = node if kind in ("record", "item") else None
    for _ in range(7):
        fields = dict(rng.choice(VALUES[kind]))
        if kind != "node" and rng.random() < 0.25:
            fields["ended"] = rng.random() < 0.6
        effect = rng.choice(EFFECTS)
        correction, time = effect == "beginning", effect if isinstance(effect, datetime) else None
        written = await memory.history.change(Change(kind, subject, fields, place, time, correction))
        if written.changed:
            began = datetime.min.replace(tzinfo=UTC) if correction else time or written.effective_at
            model.changes.append((began, written.known_at, fields))
    known = {at for _, at, _ in model.changes} | {model.known_from}
    effects = {at for at, _, _ in model.changes if at.year > 1} | {LONG_AGO}
    now = datetime.now(UTC)
    for known_at in {time + step for time in known for step in (-TICK, timedelta(0))} | {now}:
        for as_of in {time + step for time in effects for step in (-TICK, timedelta(0))} | {now}:
            moment, wanted = Moment(as_of, known_at), model.at(as_of, known_at)
            state = await memory.history.state(kind, subject, node_id=place, moment=moment)
            shown = None if state.fields is None else {name: state.fields[name] for name in model.base}
            assert shown == wanted, (as_of, known_at)
            played = await past.reconstructed(memory.principal, kind, node, subject, moment)
            assert played == state.fields  # slices and deltas tell the same
            if rng.random() < 0.2:
                await same_elsewhere(memory, node, kind, subject, moment, wanted)


async def begun(memory: Memory, node: UUID, kind: str) -> tuple[UUID, Model]:
    """A fresh subject and the model of it."""
    if kind == "node":
        state = (await memory.history.state("node", node)).fields
        return node, Model(
            {name: state[name] for name in ("name", "summary")}, (await memory.nodes.shell(node)).created_at
        )
    if kind == "edge":
        other = await memory.nodes.provision(NewNode(memory.principal.user_id, f"Other {uuid4().hex[:6]}"))
        edge = (await memory.edges.make(node, other.node_id, "near", {"since": "1999"})).edge_id
        created = (await memory.history.deltas("edge", edge))[0].known_at
        return edge, Model({"properties": {"since": "1999"}}, created)
    record, item = await stored(memory, node, "The walleye weighed 1 pounds.")
    created = (await memory.history.deltas("record", record, node_id=node))[0].known_at
    names = ("title", "summary") if kind == "record" else ("content", "confidence", "tags")
    subject = record if kind == "record" else item
    state = (await memory.history.state(kind, subject, node_id=node)).fields
    return subject, Model({name: state[name] for name in names}, created)


async def same_elsewhere(
    memory: Memory, node: UUID, kind: str, subject: UUID, moment: Moment, wanted: dict | None
) -> None:
    """The same moment through another door: search, metadata, shell with its manifest, edges."""
    if kind == "item":
        assert await found(memory, node, "walleye pounds", moment) == ([wanted["content"]] if wanted else [])
    elif kind == "record":
        page = (await memory.nodes.metadata(node, moment=moment)).records
        assert [(one.record_id, one.title) for one in page] == ([(subject, wanted["title"])] if wanted else [])
        if moment.known_at > (await memory.nodes.shell(node)).created_at:
            shell = await memory.nodes.shell(node, moment)
            assert [one.title for one in shell.manifest] == [one.title for one in page]
    elif kind == "node" and moment.known_at > (shell := await memory.nodes.shell(node)).created_at:
        then = await memory.nodes.shell(node, moment)
        assert (then.name, then.summary, then.path[-1]) == (wanted["name"], wanted["summary"], wanted["name"])
        assert [one.node_id for one in await memory.nodes.anchors(wanted["name"], moment)] == [node]
        assert shell.node_id == then.node_id
    elif kind == "edge":
        edges = [edge.edge_id for edge in await memory.edges.list(moment)]
        assert edges == ([subject] if wanted else [])


# searching what was ------------------------------------------------------------------------------------------


@pytest.mark.ledger("N23", "X03")
async def test_a_new_wording_is_found_by_its_words_and_the_old_one_in_the_past(memory: Memory, node: UUID) -> None:
    _, item = await stored(memory, node, "Dave keeps a red boat at the pier.")
    written = await memory.history.change(
        Change("item", item, {"content": "Dave keeps a blue canoe in the shed."}, node)
    )
    assert await found(memory, node, "canoe shed") == ["Dave keeps a blue canoe in the shed."]
    before = Moment(known_at=written.known_at - TICK)
    assert await found(memory, node, "red boat pier", before) == ["Dave keeps a red boat at the pier."]
    assert await found(memory, node, "red boat pier", Moment(as_of=written.effective_at - TICK)) == [
        "Dave keeps a red boat at the pier."
    ]
    answer = await memory.search(SearchRequest("canoe", nodes=(node,)))
    assert [hit.item_id for hit in answer.hits] == [item]  # the id stays


@pytest.mark.ledger("X03")
async def test_the_fact_of_a_whole_input_quotes_nothing_that_was_changed_or_ended(memory: Memory, node: UUID) -> None:
    """It is found only where facts are asked for; what holds again stands in it again."""
    turns = Turn("Bob", "The hive stands in Fez."), Turn("Bob", "Its label is Quillon."), Turn("Bob", "Honey is cheap.")
    await memory.records.remember(Conversation(uuid4().hex, turns), node_id=node)

    async def facts() -> list[str]:
        asked = SearchRequest("hive label Quillon", nodes=(node,), kinds=("fact",))
        return [hit.content for hit in (await memory.search(asked)).hits]

    async def change(item_id: UUID, **fields: Any) -> None:
        await memory.history.change(Change("item", item_id, fields, node))

    ids = {hit.position: hit.item_id for hit in (await memory.search(SearchRequest("label", nodes=(node,)))).hits}
    assert await facts() == ["The hive stands in Fez.\nIts label is Quillon.\nHoney is cheap."]
    await change(ids[1], ended=True)
    assert await facts() == ["The hive stands in Fez.\nHoney is cheap."]
    await change(ids[0], content="The hive is gone.")
    assert await facts() == ["The hive is gone.\nHoney is cheap."]
    await change(ids[1], ended=False)
    assert await facts() == ["The hive is gone.\nIts label is Quillon.\nHoney is cheap."]
    for item_id in ids.values():
        await change(item_id, ended=True)
    assert await facts() == []
    await change(ids[2], ended=False)
    assert await facts() == ["Honey is cheap."]
    hits = (await memory.search(SearchRequest("honey", nodes=(node,)))).hits
    assert [(hit.content, hit.record_summary) for hit in hits] == [("Honey is cheap.", "Honey is cheap.")]


async def test_what_was_said_later_is_not_there_yet(memory: Memory, node: UUID) -> None:
    spring, autumn = LONG_AGO, LONG_AGO + timedelta(days=180)
    turns = (Turn("Bob", "The perch moved to deep water.", spring), Turn("Bob", "The perch came back.", autumn))
    await memory.records.remember(Conversation("lake", turns), node_id=node)
    assert await found(memory, node, "perch", Moment(as_of=spring + timedelta(days=1))) == [
        "The perch moved to deep water."
    ]
    assert len(await found(memory, node, "perch")) == 2


@pytest.mark.ledger("X03")
async def test_a_turn_from_the_future_is_found_today(memory: Memory, node: UUID) -> None:
    turn = Turn("Bob", "The clock of this phone is wrong.", datetime.now(UTC) + timedelta(days=900))
    await memory.records.remember(Conversation("skew", (turn,)), node_id=node)
    assert await found(memory, node, "phone clock") == ["The clock of this phone is wrong."]


# names and places --------------------------------------------------------------------------------------------


@pytest.mark.ledger("N08", "N23")
async def test_a_moved_branch_keeps_its_schemas_and_knows_where_it_was(memory: Memory) -> None:
    root = memory.principal.user_id
    family, business = [(await memory.nodes.provision(NewNode(root, name))).node_id for name in ("Family", "Business")]
    dave = await memory.nodes.provision(NewNode(family, "Dave"))
    boat = await memory.nodes.provision(NewNode(dave.node_id, "Boat"))
    await memory.records.remember_text("Hull", "The hull of the boat leaks.", node_id=boat.node_id)
    before = datetime.now(UTC)
    await memory.history.change(Change("node", dave.node_id, {"parent_id": business, "name": "David"}))
    now, then = await memory.nodes.shell(boat.node_id), await memory.nodes.shell(boat.node_id, Moment(known_at=before))
    assert now.path[1:] == ("Business", "David", "Boat") and then.path[1:] == ("Family", "Dave", "Boat")
    assert now.schema_name == boat.schema_name
    assert [child.name for child in (await memory.nodes.shell(family)).children] == []
    assert [child.name for child in (await memory.nodes.shell(family, Moment(known_at=before))).children] == ["Dave"]
    hits = (await memory.search(SearchRequest("hull leaks", nodes=(boat.node_id,)))).hits
    assert hits[0].path[1:] == ("Business", "David", "Boat")
    past = (
        await memory.search(SearchRequest("hull leaks", nodes=(boat.node_id,), moment=Moment(known_at=before)))
    ).hits
    assert [hit.path[1:] for hit in past] == [("Family", "Dave", "Boat")]
    assert (await memory.files.read(boat.node_id, hits[0].file_id)).startswith(b"The hull")
    again = await memory.nodes.provision(NewNode(family, "Dave"))  # the name is free there again
    assert again.created


@pytest.mark.ledger("N01")
async def test_moves_that_would_break_the_tree_are_refused(memory: Memory) -> None:
    root = memory.principal.user_id
    chain = [root]
    for depth in range(5):
        chain.append((await memory.nodes.provision(NewNode(chain[-1], f"Deep {depth}"))).node_id)
    other = (await memory.nodes.provision(NewNode(root, "Other"))).node_id
    with pytest.raises(DepthExceeded):
        await memory.history.change(Change("node", chain[1], {"parent_id": other}))
    for inside in (chain[1], chain[3]):
        with pytest.raises(MovedIntoItself):
            await memory.history.change(Change("node", chain[1], {"parent_id": inside}))
    with pytest.raises(NotFound):
        await memory.history.change(Change("node", other, {"parent_id": uuid4()}))
    with pytest.raises(InvalidInput):
        await memory.history.change(Change("node", root, {"parent_id": other}))
    with pytest.raises(NameTaken):
        await memory.history.change(Change("node", other, {"name": "deep 0"}))
    assert (await memory.nodes.shell(chain[5])).layer == 5 and (await memory.nodes.shell(other)).revision == 1


async def test_renaming_the_user_renames_the_root(memory: Memory) -> None:
    root = memory.principal.user_id
    await memory.history.change(Change("node", root, {"name": "Robert"}))
    assert (await memory.nodes.shell(root)).path == ("Robert",)


@pytest.mark.ledger("N04")
async def test_an_edge_that_ended_may_hold_again(memory: Memory, node: UUID) -> None:
    other = (await memory.nodes.provision(NewNode(memory.principal.user_id, "Shore"))).node_id
    made = await memory.edges.make(node, other, "leads to", {"by": "stairs"})
    edge = made.edge_id
    assert made == CreatedEdge(edge, created=True)
    assert (await memory.history.change(Change("edge", edge, {"ended": True}))).changed
    assert await memory.edges.list() == () and (await memory.nodes.shell(node)).edges == ()
    assert await memory.edges.make(node, other, "leads to") == CreatedEdge(edge, created=False, reopened=True)
    assert await memory.edges.make(node, other, "leads to") == CreatedEdge(edge, created=False)
    assert [one.edge_id for one in await memory.edges.list()] == [edge]
    assert [delta.operation for delta in await memory.history.deltas("edge", edge)] == [
        "created",
        "ended",
        "reopened",
    ]


@pytest.mark.ledger("N04")
async def test_one_edge_comes_of_many_who_make_it_at_once(memory: Memory, node: UUID) -> None:
    other = (await memory.nodes.provision(NewNode(memory.principal.user_id, "Isle"))).node_id
    answers = await asyncio.gather(*(memory.edges.make(node, other, "sees") for _ in range(8)), return_exceptions=True)
    ids = {answer.edge_id for answer in answers if not isinstance(answer, Exception)}
    assert len(ids) == 1 and len(await memory.edges.list()) == 1


# writers at once ---------------------------------------------------------------------------------------------


@pytest.mark.ledger("N23")
@pytest.mark.parametrize("kind", ["record", "item", "node", "edge"])
async def test_of_two_writers_with_the_same_revision_one_is_told(memory: Memory, node: UUID, kind: str) -> None:
    subject, _ = await begun(memory, node, kind)
    place = node if kind in ("record", "item") else None
    revision = (await memory.history.state(kind, subject, node_id=place)).revision
    values = VALUES[kind]
    attempts = [
        memory.history.change(Change(kind, subject, values[index], place, if_revision=revision)) for index in (1, 2, 3)
    ]
    answers = await asyncio.gather(*attempts, return_exceptions=True)
    refused = [answer for answer in answers if isinstance(answer, Conflict)]
    assert len(refused) == 2, answers
    chain = await memory.history.deltas(kind, subject, node_id=place)
    assert [delta.revision for delta in chain] == list(range(chain[0].revision, chain[0].revision + len(chain)))
    assert chain[-1].revision == revision + 1


@pytest.mark.ledger("N23")
async def test_writers_without_a_revision_lose_no_update(memory: Memory, node: UUID) -> None:
    record, _ = await stored(memory, node, "Many hands change this.")
    titles = [f"By hand {number}" for number in range(12)]
    written = await asyncio.gather(
        *(memory.history.change(Change("record", record, {"title": title}, node)) for title in titles)
    )
    chain = await memory.history.deltas("record", record, node_id=node)
    assert sorted(one.revision for one in written) == list(range(2, 14))
    assert {delta.fields["title"].after for delta in chain[1:]} == set(titles)
    assert (await memory.history.state("record", record, node_id=node)).fields["title"] == chain[-1].fields[
        "title"
    ].after
    assert all(later.known_at > earlier.known_at for earlier, later in pairwise(chain))


# who may ------------------------------------------------------------------------------------------------------


@pytest.mark.ledger("N22", "N23")
async def test_nobody_changes_or_deletes_a_delta(engine: Engine, memory: Memory, node: UUID) -> None:
    record, _ = await stored(memory, node, "This stays.")
    schema = (await memory.nodes.shell(node)).schema_name
    for text in ("UPDATE {}.delta_log SET authored_by = 'x'", "DELETE FROM {}.delta_log", "TRUNCATE {}.delta_log"):
        statement = sql.SQL(text).format(sql.Identifier(schema))
        with pytest.raises((NotFound, psycopg.errors.InsufficientPrivilege)):
            async with engine.postgres.as_service() as connection:
                await connection.execute(statement)
        with pytest.raises(NotFound):
            async with engine.postgres.as_principal(memory.principal) as connection:
                await connection.execute(statement)
    assert len(await memory.history.deltas("record", record, node_id=node)) == 1


@pytest.mark.ledger("N23", "N30")
async def test_a_persona_changes_what_it_was_granted_and_nothing_else(
    engine: Engine, memory: Memory, node: UUID
) -> None:
    persona = await memory.nodes.provision(NewNode(memory.principal.user_id, "Butler", "persona"))
    acting = engine.memory_as(Principal("persona", persona.node_id, memory.principal.user_id))
    record, item = await stored(memory, node, "The key is under the mat.")
    change = Change("item", item, {"content": "The key is in the drawer."}, node)
    for refused in (change, Change("node", node, {"name": "Mine"}), Change("record", record, {"title": "Mine"}, node)):
        with pytest.raises(NotFound):
            await acting.history.change(refused)
    await memory.grants.give(NewGrant(node, "persona", persona.node_id, "read_write"))
    assert (await acting.history.change(change)).revision == 2
    with pytest.raises(NotFound):
        await acting.history.change(Change("node", node, {"name": "Mine"}))
    assert [delta.author for delta in await memory.history.deltas("item", item, node_id=node)] == [
        f"persona:{persona.node_id}"
    ]
    assert len(await acting.history.deltas("item", item, node_id=node)) == 1


@pytest.mark.ledger("N23", "F12")
async def test_the_chain_of_a_private_record_is_its_users_alone(engine: Engine, memory: Memory, node: UUID) -> None:
    persona = await memory.nodes.provision(NewNode(memory.principal.user_id, "Cook", "persona"))
    acting = engine.memory_as(Principal("persona", persona.node_id, memory.principal.user_id))
    await memory.grants.give(NewGrant(node, "persona", persona.node_id, "read_write"))
    report = await memory.records.remember_text("Diary", "A private thought.", node_id=node, privacy="private")
    record = report.records[0].record_id
    await memory.history.change(Change("record", record, {"title": "Secret"}, node))
    assert await acting.history.deltas("record", record, node_id=node) == ()
    with pytest.raises(NotFound):
        await acting.history.state("record", record, node_id=node)
    with pytest.raises(NotFound):
        await acting.history.change(Change("record", record, {"title": "Known"}, node))
    assert len(await memory.history.deltas("record", record, node_id=node)) == 2


@pytest.mark.ledger("N23", "X06")
async def test_the_chain_of_a_withdrawn_record_is_its_users_alone(engine: Engine, memory: Memory, node: UUID) -> None:
    persona = await memory.nodes.provision(NewNode(memory.principal.user_id, "Gardener", "persona"))
    acting = engine.memory_as(Principal("persona", persona.node_id, memory.principal.user_id))
    await memory.grants.give(NewGrant(node, "persona", persona.node_id, "read_write"))
    record, item = await stored(memory, node, "The gate code is 4711.")
    await acting.history.change(Change("item", item, {"content": "The gate code is 4712."}, node))
    retraction = await memory.retractions.retract(RetractionSubject("record", str(record)), "It was a joke.")
    for kind, subject in (("record", record), ("item", item)):
        assert await acting.history.deltas(kind, subject, node_id=node) == ()
        assert await memory.history.deltas(kind, subject, node_id=node)
    await memory.retractions.undo(retraction.retraction_id)
    assert [delta.operation for delta in await acting.history.deltas("item", item, node_id=node)]


@pytest.mark.parametrize("kind", ["record", "item", "node", "edge"])
async def test_what_is_not_there_is_not_found(memory: Memory, node: UUID, kind: str) -> None:
    fields = VALUES[kind][0]
    with pytest.raises(NotFound):
        await memory.history.change(Change(kind, uuid4(), fields, node))
    with pytest.raises(NotFound):
        await memory.history.state(kind, uuid4(), node_id=node)


# what differs --------------------------------------------------------------------------------------------------


@pytest.mark.ledger("X03")
async def test_the_difference_of_two_days(memory: Memory, node: UUID) -> None:
    record, item = await stored(memory, node, "The dam was built in 1931.")
    monday = datetime.now(UTC)
    await memory.history.change(Change("item", item, {"content": "The dam was built in 1932."}, node, correction=True))
    await memory.history.change(Change("record", record, {"title": "Back"}, node))
    await memory.history.change(Change("record", record, {"title": "Note"}, node))  # and back again
    late = await memory.nodes.provision(NewNode(node, "Turbine"))
    await memory.edges.make(node, late.node_id, "holds")
    friday = datetime.now(UTC)
    page = await memory.history.difference(monday, friday)
    found = {(one.subject_kind, one.operation): one for one in page.differences}
    ours = {("item", "changed"), ("record", "changed"), ("node", "created"), ("edge", "created")}
    assert set(found) == ours and page.after is None
    assert found["record", "changed"].fields["summary"].after == "The dam was built in 1932."
    assert found["item", "changed"].fields["content"].before == "The dam was built in 1931."
    assert found["node", "created"].subject_id == late.node_id
    only = await memory.history.difference(monday, friday, Within(late.node_id))
    assert [one.subject_id for one in only.differences] == [late.node_id]
    for one in found.values():
        of_one = await memory.history.difference(monday, friday, Within(subject_id=one.subject_id))
        assert of_one.differences == (one,)
    assert "title" not in found["record", "changed"].fields
    paged, after = [], None
    while True:
        page = await memory.history.difference(monday, friday, after=after, limit=1)
        paged += page.differences
        if (after := page.after) is None:
            break
    assert {one.subject_id for one in paged} == {one.subject_id for one in found.values()}
    with pytest.raises(InvalidInput):
        await memory.history.difference(friday, monday)
