"""A plan whose day has passed is not ended, as nobody knows whether it happened: every read says that its day has passed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from engine.domain.clock import NOW, Moment
from engine.domain.context import ContextRequest
from engine.domain.delta import Change
from engine.domain.fact import DAY_PASSED, FactFilter, WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import User
from engine.domain.principal import Principal
from engine.domain.search import SearchRequest
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.migrations import migrations
from tests.door import new_door
from tests.hierarchy.test_graph_commands import Shell

pytestmark = [pytest.mark.usefixtures("few_nodes"), pytest.mark.ledger("I10")]
SAID = datetime(2021, 4, 1, 9, tzinfo=UTC)
PLANS = (
    "Lena flies to Oslo on May 3.",
    "Lenas Prüfung ist am 3. Mai.",
    "El examen de Lena es el 3 de mayo.",
    "A consulta da Lena é no dia 3 de maio.",
    "Le mariage de Lena est le 3 mai.",
)
STATES = ("Lena lives in Oslo.", "Lena's birthday is May 3.", "Lena's rent is 900 euros.")
ROOT = Path(__file__).resolve().parents[2] / "cypher"
DURING, AFTER = datetime(2021, 5, 3, 20, tzinfo=UTC), datetime(2021, 5, 4, tzinfo=UTC)
ABOUT = "What about Lena in Oslo?"


async def write(memory: Memory, *texts: str, at: datetime = SAID) -> None:
    for text in texts:
        await memory.facts.write(WrittenFact(text, ("Lena",), at=at))


async def found(memory: Memory, moment: Moment = NOW) -> dict[str, datetime | None]:
    request = SearchRequest(ABOUT, limit=50, kinds=("fact",), widen="always", moment=moment)
    return {hit.content: hit.passed for hit in (await memory.search(request)).hits}


async def test_every_read_says_that_the_day_has_passed(
    engine: Engine, memory: Memory, user: User, tmp_path: Path
) -> None:
    await write(memory, *PLANS, *STATES)
    passed = dict.fromkeys(PLANS, AFTER) | dict.fromkeys(STATES, None)
    assert {one.text: one.passed for one in await memory.facts.list()} == passed
    assert {one.status for one in await memory.facts.list(FactFilter(status=None))} == {"live"}
    assert await found(memory) == passed
    [lena] = await memory.entities.list(name="lena")
    told = {one.text: one.passed for one in await memory.entities.facts(lena.entity_id) if one.fact_id}
    assert told == passed
    context = await memory.context(ContextRequest(ABOUT, tokens=2000))
    marks = {one.text: one.passed for one in context.pieces if one.kind == "fact"}
    assert marks == passed
    assert context.text.count(DAY_PASSED) == len(PLANS)
    ids = {one.fact_id: one.text for one in await memory.facts.list()}
    profile = {ids[one] for one in (await memory.profiles.entity(lena.entity_id)).facts}
    groups = "\n".join(one.summary for one in await memory.profiles.user())
    assert not any(text in profile or text in groups for text in PLANS)
    assert all(text in profile and text in groups for text in STATES)
    shell = Shell(engine, tmp_path, user.handle)
    assert (await shell.prints("fact", "list")).count("passed") >= 1
    transport = httpx.ASGITransport(new_door(engine.settings, engine=engine), client=("127.0.0.1", 50000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        listed = (await door.get(f"/v1/users/{user.user_id}/facts")).json()
        assert sum(one["passed"] is not None for one in listed) == len(PLANS)


async def test_at_a_moment_before_the_end_of_its_day_a_plan_holds(engine: Engine, memory: Memory, user: User) -> None:
    await write(memory, PLANS[0])
    assert await found(memory, Moment(as_of=DURING)) == {PLANS[0]: None}
    assert await found(memory, Moment(as_of=AFTER)) == {PLANS[0]: AFTER}
    assert await found(memory, Moment(known_at=datetime.now(UTC))) == {PLANS[0]: AFTER}
    context = await memory.context(ContextRequest(ABOUT, tokens=400, moment=Moment(as_of=DURING)))
    assert DAY_PASSED not in context.text and PLANS[0] in context.text
    reader = await engine.workspace.integrations.create(f"r {user.user_id.hex[:12]}")
    await memory.grants.give(NewGrant(user.user_id, "third_party", reader.integration_id))
    other = engine.memory_as(Principal("third_party", reader.integration_id, user.user_id))
    assert await found(other) == {PLANS[0]: AFTER}


async def test_a_plan_to_come_is_shown_as_before_and_a_cancelled_one_is_over(memory: Memory) -> None:
    today = datetime.now(UTC)
    to_come = f"Lena flies to Bergen on {today + timedelta(days=90):%Y-%m-%d}."
    await write(memory, to_come, at=today - timedelta(days=1))
    assert await found(memory) == {to_come: None}
    await write(memory, "Lena's flight to Bergen is cancelled.", at=today)
    assert to_come not in await found(memory)


async def test_a_text_that_is_changed_and_facts_of_before_are_read_again(engine: Engine, memory: Memory) -> None:
    await write(memory, PLANS[0])
    [fact] = await memory.facts.list()
    later = f"Lena flies to Oslo on {datetime.now(UTC) + timedelta(days=90):%Y-%m-%d}."
    await memory.history.change(Change("item", fact.fact_id, {"content": later}, fact.node_id))
    await engine.derivations.of_job("fact-chains")
    assert [one.passed for one in await memory.facts.list()] == [None]
    await memory.history.change(Change("item", fact.fact_id, {"content": PLANS[0]}, fact.node_id))
    async with engine.postgres.as_service() as connection:
        await connection.execute("UPDATE engine.fact_attributes SET holds_until = NULL, text_from = '-infinity'")
    await engine.derivations.of_job("fact-chains")
    assert [one.passed for one in await memory.facts.list()] == [AFTER]


async def test_the_graph_says_until_when_a_plan_can_hold(engine: Engine, memory: Memory, user: User) -> None:
    """Statements for analysts and phrases of Bloom that list what holds leave it out then."""
    await write(memory, PLANS[0], STATES[0])
    assert await graph(engine, memory) == {PLANS[0]: AFTER, STATES[0]: None}
    shown = await listed(engine, user)
    assert {PLANS[0], STATES[0]} == shown.pop("facts")
    assert all(facts == {STATES[0]} for facts in shown.values()), shown
    [plan] = [one for one in await memory.facts.list() if one.text == PLANS[0]]
    to_come = datetime.now(UTC).date() + timedelta(days=90)
    later = f"Lena flies to Oslo on {to_come}."
    await memory.history.change(Change("item", plan.fact_id, {"content": later}, plan.node_id))
    await engine.derivations.of_job("fact-chains")
    await engine.derivations.of_job("entities")
    end = datetime.combine(to_come + timedelta(days=1), datetime.min.time(), UTC)
    assert await graph(engine, memory) == {later: end, STATES[0]: None}
    shown = await listed(engine, user)
    assert all(facts == {later, STATES[0]} for facts in shown.values()), shown


async def test_plans_of_an_older_release_are_carried_into_the_graph(engine: Engine, memory: Memory) -> None:
    """What the migration marks, the job carries: plans alone."""
    await write(memory, PLANS[0], STATES[0])
    mine = "MATCH (f:Fact {user_id: $user}) REMOVE f.holds_until"
    await engine.neo4j.write(mine, user=str(memory.principal.user_id))
    assert await graph(engine, memory) == {PLANS[0]: None, STATES[0]: None}
    [migration] = [one for one in migrations("postgres") if one.name.startswith("V0065")]
    async with engine.postgres.as_service() as connection:
        await connection.execute(migration.text)
        behind = "SELECT fact_id FROM engine.facts WHERE user_id = %s AND revision > graph_revision"
        rows = await (await connection.execute(behind, [memory.principal.user_id])).fetchall()
    plans = [one.fact_id for one in await memory.facts.list() if one.text == PLANS[0]]
    assert [row["fact_id"] for row in rows] == plans
    await engine.derivations.of_job("fact-chains")
    assert await graph(engine, memory) == {PLANS[0]: AFTER, STATES[0]: None}


async def graph(engine: Engine, memory: Memory) -> dict[str, datetime | None]:
    query = "MATCH (f:Fact {user_id: $user}) RETURN f.caption AS caption, f.holds_until AS until"
    rows = await engine.neo4j.read(query, row=Kept, user=str(memory.principal.user_id))
    return {one.caption: one.until for one in rows}


@dataclass(frozen=True, slots=True)
class Kept:
    caption: str
    until: datetime | None


async def listed(engine: Engine, user: User) -> dict[str, set[str]]:
    """The facts that each statement lists which lists live facts."""
    asked = {"user_id": str(user.user_id), "entity": "Lena", "limit": 100, "days": 1}
    asked |= {"at": "2026-01-01", "as_of": f"{AFTER:%Y-%m-%d}T12:00:00Z", "known_at": "9999-12-31"}
    found = {}
    for name in ("confirmed", "facts", "facts_then", "stale"):
        text = (ROOT / "analysis" / f"{name}.cypher").read_text()
        columns, rows = await engine.neo4j.table(text, **asked)
        found[name] = {str(row[list(columns).index("fact")]) for row in rows}
    for name in ("facts", "everything", "unconfirmed"):
        text = (ROOT / "bloom" / "phrases" / f"{name}.cypher").read_text()
        body, _, way = text.rpartition("RETURN ")
        text = f"{body} WITH * UNWIND [one IN nodes(way) WHERE one:Fact | one.caption] AS fact RETURN DISTINCT fact"
        found[f"phrase {name}"] = set(await engine.neo4j.read(text, row=str, **asked))
    return found


async def test_no_relation_is_drawn_from_a_plan(memory: Memory) -> None:
    turns = (Turn("Bob", "Lena marries Tom Berg on May 3."), Turn("Bob", "Lena is married to Jan Aas since May 2019."))
    await memory.records.remember(Conversation("c", turns, started_at=SAID))
    [lena] = await memory.entities.list(name="lena")
    for moment in (NOW, Moment(as_of=DURING)):
        names = {one.other_name for one in await memory.entities.relations(lena.entity_id, moment)}
        assert names == {"Jan Aas"}
