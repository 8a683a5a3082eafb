"""What is done where a reader may not read changes no answer that the reader gets, and a fact ends only by what its readers read."""

from __future__ import annotations

import inspect
import re
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from engine.domain.context import ContextRequest
from engine.domain.fact import Fact, WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.retraction import RetractionSubject
from engine.domain.search import SearchRequest
from engine.lab.leaks import hidden
from engine.lab.leaks.interference import NOT_ASKED, WORKSPACE, interferences, reads_of_others
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.operations.declaring import OPERATIONS
from tests.access.mutations import as_service

PORT, MILL = "Iris lives in Porto.", "Iris lives in Millau."
BEGAN, SAID = datetime(2020, 4, 1, tzinfo=UTC), datetime(2022, 9, 1, tzinfo=UTC)


@pytest.mark.ledger("N29", "N30", "X15")
async def test_a_hidden_change_changes_no_read(engine: Engine) -> None:
    found = await interferences(engine, at_once=6)
    assert not found, "\n".join(f"{one.change}: {one.read} by {one.reader}" for one in found)


@pytest.mark.ledger("N29", "N30", "X15")
async def test_an_end_by_what_is_hidden_is_noticed(engine: Engine) -> None:
    """By searches, contexts, entities, what is stored of the item and its history: with a rule that keeps no nodes apart."""
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT pg_get_functiondef('engine.nodes_apart(uuid[])'::regprocedure) AS text"
        )
        whole = (await cursor.fetchone())["text"]  # type: ignore[index,call-overload]
    condition = "o.node_id <> r.node_id"
    assert condition in whole
    await as_service(engine, whole.replace(condition, f"{condition} AND false"))
    try:
        found = await interferences(engine, ["a fact that replaces"])
    finally:
        await as_service(engine, whole)
    told = {one.read.split(" ")[0] for one in found}
    assert told >= {"searching.search", "searching.context", "entities.facts", "history.state"}, told
    assert "history.deltas" in {one.read.split(" ")[0] for one in found if one.reader == "persona with read_write"}


def test_every_read_of_others_is_asked_or_has_a_reason() -> None:
    """One without values for its arguments is an error of the run above."""
    assert NOT_ASKED.keys() <= reads_of_others()


NOT_HIDDEN = dict.fromkeys(
    "ingests.history ingests.lines ingests.many ingests.store".split(), "store as `records` do"
) | dict.fromkeys("nodes.provision_path nodes.provision_whole".split(), "make nodes as `nodes.provision` does") | {
    "commits.discard": "of commits that were set aside, of which there are none",
    "commits.retry": "of commits that were set aside, of which there are none",
    "failures.dismiss": "of failures, of which there are none",
    "failures.replay": "of failures, of which there are none",
    "files.review": "marks an entry of the log, which the user alone reads",
    "forgettings.forget": "withdraws, as `retractions.retract` does, and erases",
    "intentions.decide": "of intentions, which are kept only where a setting says so",
    "proposals.make": "makes nodes, and moves what the user stored at the root",
    "proposals.undo": "takes back what is not made here",
    "retention.remove": "sets a rule, which a job follows, and no read shows",
    "retention.set": "sets a rule, which a job follows, and no read shows",
    "replays.begin": "reads all nodes again, also those of the readers",
    "replays.build": "of a replay",
    "replays.discard": "of a replay",
    "replays.swap": "of a replay",
}  # fmt: skip


def test_every_write_is_a_hidden_change_or_has_a_reason() -> None:
    made = set(re.findall(r"\.owner\.(\w+\.\w+)\(", inspect.getsource(hidden)))
    writes = {name for name, one in OPERATIONS.items() if one.writes and name.partition(".")[0] not in WORKSPACE}
    assert writes - made == NOT_HIDDEN.keys()


class Places:
    """A memory with nodes to which others have rights."""

    def __init__(self, engine: Engine, user: User) -> None:
        self.engine, self.user, self.memory = engine, user, engine.memory(user.user_id)

    async def node(self, name: str, above: UUID | None = None, *, persona: bool = False) -> UUID:
        made = NewNode(above or self.user.user_id, name, "persona" if persona else "concept")
        return (await self.memory.nodes.provision(made)).node_id

    async def grant(self, node: UUID, **more: Any) -> Memory:
        app = (await self.engine.workspace.integrations.create(f"diary {node}")).integration_id
        await self.memory.grants.give(NewGrant(node, "third_party", app, **more))
        return self.engine.memory_as(Principal("third_party", app, self.user.user_id))

    async def say(self, text: str, node: UUID, at: datetime = SAID) -> Fact:
        return (await self.memory.facts.write(WrittenFact(text, at=at), node_id=node))[0]

    async def live(self) -> set[str]:
        return {one.text for one in await self.memory.facts.list()}


@pytest.fixture
def places(engine: Engine, user: User) -> Places:
    return Places(engine, user)


async def told(memory: Memory) -> set[str]:
    found = await memory.search(SearchRequest("Where does Iris live?", kinds=("fact",), widen="always"))
    return {hit.content for hit in found.hits}


@pytest.mark.ledger("N29", "X15")
async def test_who_is_merged_into_somebody_hidden_is_met_as_before(engine: Engine, memory: Memory) -> None:
    shared, secret = [
        (await memory.nodes.provision(NewNode(memory.principal.user_id, name))).node_id for name in ("Shared", "Secret")
    ]
    for text, node in (("Ronja Lind called Ada Ferris.", shared), ("Rolle Vandermeer sang.", secret)):
        await memory.records.remember_text("Note", text, node_id=node)
    app = (await engine.workspace.integrations.create(f"diary {shared}")).integration_id
    await memory.grants.give(NewGrant(shared, "third_party", app))
    reader = engine.memory_as(Principal("third_party", app, memory.principal.user_id))
    ids = {one.name: one.entity_id for one in await memory.entities.list(everything=True)}

    async def met() -> list[Any]:
        pages = [await reader.entities.list(everything=True), await reader.entities.list(name="ronja")]
        return [*pages, await reader.entities.get(ids["Ronja Lind"])]

    before = await met()
    assert [one.entity_id for one in before[1]] == [ids["Ronja Lind"]]
    await memory.entities.merge(ids["Rolle Vandermeer"], ids["Ronja Lind"])
    assert await met() == before
    assert (await memory.entities.get(ids["Ronja Lind"])).entity_id == ids["Rolle Vandermeer"]


@pytest.mark.ledger("N29", "A04", "X15")
async def test_what_a_reader_may_not_read_ends_nothing_and_waits_for_the_user(places: Places) -> None:
    travel, diary = await places.node("Travel"), await places.node("Diary")
    reader = await places.grant(travel)
    older, newer = await places.say(PORT, travel, BEGAN), await places.say(MILL, diary)
    assert await places.live() == {PORT, MILL} and await told(reader) == {PORT}
    [pair] = await places.memory.facts.doubts()
    assert (pair.kind, pair.older.fact_id, pair.newer.fact_id) == ("maybe", older.fact_id, newer.fact_id)
    context = (await places.memory.context(ContextRequest("Where does Iris live?", tokens=400))).text
    assert f"maybe replaced by: {MILL}" in context and context.index(f"] {MILL}") < context.index(f"] {PORT}")
    theirs = (await reader.context(ContextRequest("Where does Iris live?", tokens=400))).text
    assert PORT in theirs and "replaced" not in theirs
    later = await places.say("Iris lives in Ghent.", travel, datetime(2023, 1, 1, tzinfo=UTC))
    assert (later.supersedes, await told(reader)) == (older.fact_id, {"Iris lives in Ghent."})
    await places.memory.retractions.retract(RetractionSubject("fact", str(newer.fact_id)))
    assert await told(reader) == {"Iris lives in Ghent."}


@pytest.mark.ledger("N29", "A04")
async def test_the_user_decides_for_all_readers(places: Places) -> None:
    travel, diary = await places.node("Travel"), await places.node("Diary")
    reader = await places.grant(travel)
    older = await places.say(PORT, travel, BEGAN)
    await places.say(MILL, diary)
    await places.memory.facts.decide(older.fact_id, "replaced")
    assert await places.live() == {MILL} and await told(reader) == set()
    await places.memory.facts.decide(older.fact_id, None)
    assert await told(reader) == {PORT}


@pytest.mark.ledger("N29", "A04")
@pytest.mark.parametrize(
    "case", ["no grant", "of both", "of the newer one", "without records", "ended", "a persona above"]
)
async def test_what_all_readers_read_ends_a_fact_at_another_node(places: Places, case: str) -> None:
    above = await places.node("House", persona=True) if case == "a persona above" else None
    travel, diary = await places.node("Travel", above), await places.node("Diary", above)
    if case == "of both":
        await places.grant(places.user.user_id, depth=1)
    elif case == "of the newer one":
        await places.grant(diary)
    elif case == "without records":
        await places.grant(travel, fields=())
    elif case == "ended":
        await places.grant(travel)
        [given] = await places.memory.grants.list()
        await places.memory.grants.revoke(given.grant_id)
    await places.say(PORT, travel, BEGAN)
    await places.say(MILL, diary)
    assert await places.live() == {MILL}


@pytest.mark.ledger("N29", "A04")
@pytest.mark.parametrize("case", ["records alone", "a persona", "not as deep", "one of two readers", "said before"])
async def test_one_reader_who_may_not_read_it_keeps_a_fact(places: Places, case: str) -> None:
    above = await places.node("House", persona=case == "a persona")
    travel, diary = await places.node("Travel", above), await places.node("Diary")
    if case == "records alone":
        await places.grant(places.user.user_id, depth=2, fields=("records",))
    elif case == "not as deep":
        await places.grant(above, depth=1)
    elif case == "one of two readers":
        await places.grant(places.user.user_id, depth=2)
        await places.grant(travel)
    elif case == "said before":
        await places.grant(diary)
    if case == "said before":  # then the one at the diary is the older one
        await places.say(MILL, travel)
        await places.say(PORT, diary, BEGAN)
    else:
        await places.say(PORT, travel, BEGAN)
        await places.say(MILL, diary)
    assert await places.live() == {PORT, MILL}
    [pair] = await places.memory.facts.doubts()
    assert (pair.kind, pair.newer.text) == ("maybe", MILL)
