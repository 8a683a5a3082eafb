"""A relation of which one can hold at a time is over when its source has another one; of a symmetric one, when either end has."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from engine.commit import graph
from engine.domain.clock import NOW, Moment
from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.retraction import RetractionSubject
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.migrations import migrations, statements
from engine.stores.statements import CYPHER_FOLDER, cypher
from tests.profiled import work

COUPLES = (
    "Marta Kell, Tomas Rook",
    "Jonas Brandt, Ellen Sorby",
    "Marta Kell, Jonas Brandt",
    "Tomas Rook, Ellen Sorby",
    "Ellen Sorby, Marta Kell",
)
RELATIONS = """
MATCH (a:Entity {user_id: $user_id})-[relation:MARRIED_TO]->(b) OPTIONAL MATCH (ender:Entity)-[by {relation_id: relation.ended_by}]->()
RETURN a.name AS source, b.name AS target, ender.name AS ender, relation.until AS until ORDER BY relation.last_at
"""


async def married(memory: Memory, engine: Engine) -> list[tuple[str, str, str | None, str | None]]:
    rows = await engine.neo4j.read(RELATIONS, user_id=str(memory.principal.user_id))
    return [(row["source"], row["target"], row["ender"], row["until"]) for row in rows]


async def say(memory: Memory, text: str) -> RetractionSubject:
    report = await memory.records.remember_text(f"Note {len(text)}", text, node_id=memory.principal.user_id)
    return RetractionSubject("record", str(report.records[0].record_id))


@pytest.mark.ledger("A09")
async def test_a_marriage_ends_those_of_both_and_no_others(
    engine: Engine, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From whichever side each is stored; keys sort Ellen, Jonas, Marta, Tomas."""
    # A plan that is made for few relationships is another one: under another name of its column the statement is planned here.
    together = graph.cypher_together
    monkeypatch.setattr(graph, "cypher_together", lambda names: together(names).removesuffix("applied") + "entered")
    for couple in COUPLES:
        first, second = couple.split(", ")
        await say(memory, f"{first} is married to {second}.")
    found = await married(memory, engine)
    assert len(found) == len(COUPLES)
    for number, (source, target, ender, until) in enumerate(found):
        later = [one for one in found[number + 1 :] if {source, target} & set(one[:2])]
        assert (ender, until is None) == (later[0][0] if later else None, not later), (source, target)


@pytest.mark.ledger("A09")
async def test_of_a_marriage_that_is_withdrawn_both_hold_those_before(engine: Engine, memory: Memory) -> None:
    for couple in ("Anna Berg is married to Ben Falk.", "Carl Moss is married to Dora Nilsson."):
        await say(memory, couple)
    third = await say(memory, "Ben Falk is married to Dora Nilsson.")

    async def over() -> list[bool]:
        return [until is not None for *_, until in await married(memory, engine)]

    assert await over() == [True, True, False]
    withdrawn = await memory.retractions.retract(third)
    assert await over() == [False, False, False]
    await memory.retractions.undo(withdrawn.retraction_id)
    assert await over() == [True, True, False]


@pytest.mark.ledger("A09")
async def test_a_relation_with_a_direction_ends_those_of_its_source_alone(engine: Engine, memory: Memory) -> None:
    for text in ("Anna Berg lives in Galway.", "Ben Falk lives in Galway.", "Anna Berg lives in Lunenburg."):
        await say(memory, text)
    [galway] = await memory.entities.list(name="galway")
    open_ones = await memory.entities.relations(galway.entity_id)
    assert [one.other_name for one in open_ones] == ["Ben Falk"]


@pytest.mark.ledger("A09")
@pytest.mark.parametrize(
    "order", ["Oslo Bergen Narvik", "Narvik Bergen Oslo", "Bergen Narvik Oslo", "Oslo Narvik Bergen"]
)
async def test_what_is_stored_late_ended_when_the_next_one_was_said(memory: Memory, order: str) -> None:
    """In whatever order texts are stored, also where an old one says once more what was over since."""
    years = {"Oslo": 2020, "Bergen": 2022, "Narvik": 2024}

    async def tell(town: str, year: int) -> None:
        said = Turn("Bob", f"Dave Kowalski lives in {town}.", datetime(year, 5, 1, tzinfo=UTC))
        await memory.records.remember(Conversation(str(uuid4()), (said,)), node_id=memory.principal.user_id)

    for town in order.split():
        await tell(town, years[town])
    await tell("Oslo", 2021)
    [dave] = await memory.entities.list(name="kowalski")
    homes = await memory.entities.relations(dave.entity_id, ended=True)
    expected = {"Oslo": "2022-05-01", "Bergen": "2024-05-01", "Narvik": None}
    assert {one.other_name: one.until for one in homes} == expected
    then = Moment(known_at=datetime.now(UTC))
    homes = await memory.entities.relations(dave.entity_id, then, ended=True)
    assert {one.other_name: one.until for one in homes} == expected


@pytest.mark.ledger("A09")
async def test_when_the_newest_of_several_texts_is_withdrawn_what_it_had_ended_holds_again(memory: Memory) -> None:
    """Also where an older text still states the same: both clocks say so."""

    async def homes(moment: Moment = NOW) -> dict[str, str | None]:
        [dave] = await memory.entities.list(name="kowalski")
        found = await memory.entities.relations(dave.entity_id, moment, ended=True)
        return {one.other_name: one.until for one in found}

    for year, town in ((2020, "Oslo"), (2022, "Bergen"), (2023, "Oslo")):
        said = Turn("Bob", f"Dave Kowalski lives in {town}.", datetime(year, 5, 1, tzinfo=UTC))
        report = await memory.records.remember(Conversation(str(uuid4()), (said,)), node_id=memory.principal.user_id)
    before = await homes()
    assert before == {"Oslo": None, "Bergen": "2023-05-01"}
    withdrawn = await memory.retractions.retract(RetractionSubject("record", str(report.records[0].record_id)))
    assert await homes() == {"Oslo": "2022-05-01", "Bergen": None} == await homes(Moment(known_at=datetime.now(UTC)))
    await memory.retractions.undo(withdrawn.retraction_id)
    assert await homes() == before


@pytest.mark.ledger("A09")
async def test_when_the_commit_of_the_newest_of_several_texts_is_discarded_what_it_had_ended_holds_again(
    engine: Engine, memory: Memory
) -> None:
    for year, town in ((2020, "Oslo"), (2022, "Bergen"), (2023, "Oslo")):
        said = Turn("Bob", f"Dave Kowalski lives in {town}.", datetime(year, 5, 1, tzinfo=UTC))
        report = await memory.records.remember(Conversation(str(uuid4()), (said,)), node_id=memory.principal.user_id)
    record = str(report.records[0].record_id)
    [evidence] = await engine.neo4j.read(
        "MATCH (:Record {record_id: $id})-[v:EVIDENCE]->() RETURN v.commit_id AS id", id=record
    )
    row = {"record_id": record, "user_id": str(memory.principal.user_id), "commit_id": evidence["id"]}
    for _ in range(2):
        await engine.neo4j.write(cypher("lifecycle/relations_withdrawn"), relations=[row])
        [dave] = await memory.entities.list(name="kowalski")
        homes = await memory.entities.relations(dave.entity_id, ended=True)
        assert {one.other_name: one.until for one in homes} == {"Oslo": "2022-05-01", "Bergen": None}


@pytest.mark.ledger("A09", "X03")
async def test_a_read_of_the_past_shows_the_ends_that_were_known_then(engine: Engine, memory: Memory) -> None:
    """Whatever is stored late, denied, or withdrawn since; and what is kept of now is what a read of this moment finds."""
    seen: list[tuple[Moment, dict[str, str | None]]] = []

    async def homes(moment: Moment = NOW) -> dict[str, str | None]:
        [dave] = await memory.entities.list(name="kowalski")
        found = await memory.entities.relations(dave.entity_id, moment, ended=True)
        return {one.other_name: one.until for one in found}

    async def tell(month: int, town: str, verb: str = "lives") -> RetractionSubject:
        said = Turn("Bob", f"Dave Kowalski {verb} in {town}.", datetime(2024, month, 5, tzinfo=UTC))
        report = await memory.records.remember(Conversation(str(uuid4()), (said,)), node_id=memory.principal.user_id)
        await look()
        return RetractionSubject("record", str(report.records[0].record_id))

    async def look() -> None:
        seen.append((Moment(known_at=engine.parts.clock.now()), await homes()))

    await tell(2, "Oslo")
    bergen = await tell(9, "Bergen")
    assert seen[-1][1] == {"Oslo": "2024-09-05", "Bergen": None}
    await tell(6, "Bergen")
    await tell(7, "Bergen", "no longer lives")
    await tell(3, "Narvik")
    assert seen[-1][1] == {"Oslo": "2024-03-05", "Bergen": None, "Narvik": "2024-06-05"}
    withdrawn = await memory.retractions.retract(bergen)
    await look()
    await memory.retractions.undo(withdrawn.retraction_id)
    await look()
    assert [await homes(moment) for moment, _ in seen] == [then for _, then in seen]


@pytest.mark.ledger("A09", "A04")
async def test_a_denial_that_is_stored_late_does_not_end_what_was_said_again_since(
    engine: Engine, memory: Memory
) -> None:
    for month, text in ((1, "lives in Narvik"), (9, "lives in Narvik"), (4, "no longer lives in Narvik")):
        at = datetime(2022, month, 1, tzinfo=UTC)
        await memory.facts.write(WrittenFact(f"Dave Kowalski {text}.", ("Dave Kowalski",), at=at))
    [dave] = await memory.entities.list(name="kowalski")
    for moment in (NOW, Moment(known_at=engine.parts.clock.now())):
        found = await memory.entities.relations(dave.entity_id, moment, ended=True)
        assert [(one.other_name, one.until) for one in found] == [("Narvik", None)]
    assert [one.text for one in await memory.entities.facts(dave.entity_id)] == ["Dave Kowalski lives in Narvik."]


MANY = 2_000


@pytest.mark.ledger("A09")
async def test_what_mentions_the_two_is_not_read_to_end_a_marriage(engine: Engine, memory: Memory) -> None:
    """Neither where one is stated, nor withdrawn, nor brought back, nor discarded, whatever names them in many records."""
    user = str(memory.principal.user_id)
    for text in ("Anna Berg is married to Zoe Quist.", "Carl Moss is married to Dora Nilsson."):
        await say(memory, text)
    records = [str(uuid4()) for _ in range(2)]
    await engine.neo4j.write(
        "MATCH (n:Node {node_id: $user}) UNWIND $records AS id CREATE (n)-[:HOLDS]->(:Record {record_id: id, user_id: $user, known_from: datetime()})",
        user=user, records=records,
    )  # fmt: skip
    hits = []
    for record, hub in zip(records, ("Dora Nilsson", "Zoe Quist"), strict=True):
        other = {"Dora Nilsson": "Anna Berg", "Zoe Quist": "Carl Moss"}[hub]
        mentions = MANY if hub == "Zoe Quist" else 0
        await engine.neo4j.write(
            """
            MATCH (n:Node {node_id: $user}), (e:Entity {user_id: $user, name: $hub}) UNWIND range(1, $mentions) AS _
            CREATE (n)-[:HOLDS]->(r:Record {record_id: randomUUID()})-[:MENTIONS {known_to: datetime()}]->(e), (r)-[:EVIDENCE {known_to: datetime()}]->(e)
            """,
            user=user, hub=hub, mentions=mentions,
        )  # fmt: skip
        keys = await engine.neo4j.read(
            "MATCH (e:Entity {user_id: $user}) WHERE e.name IN $names RETURN e.key AS key ORDER BY key",
            user=user, names=[hub, other],
        )  # fmt: skip
        source, target = (row["key"] for row in keys)
        stated = {
            "relation_id": str(uuid4()), "type": "MARRIED_TO", "name": "MARRIED_TO", "functional": True, "symmetric": True, "source": source,
            "target": target, "weight": 0.9, "item_id": None, "span": None, "since": None, "until": None, "ended": False, "fact_id": None,
        }  # fmt: skip
        at = datetime.now(UTC).isoformat()
        row = {
            "record_id": record,
            "user_id": user,
            "commit_id": record,
            "revision": None,
            "reader": 1,
            "known_from": at,
            "at": at,
        }
        withdrawn = {"record_id": record, "user_id": user, "node_id": user, "at": at}
        before = await married(memory, engine)
        hits.append(
            [
                await work(engine, "entity/related", relations=[row | {"stated": [stated]}]),
                await work(engine, "entity/retracted", retraction=withdrawn | {"revision": 1, "undone": False}),
                await work(engine, "entity/retracted", retraction=withdrawn | {"revision": 2, "undone": True}),
                await work(engine, "lifecycle/relations_withdrawn", relations=[row]),
            ]
        )
        assert await married(memory, engine) == before
    await engine.neo4j.write(
        "MATCH (r:Record) WHERE r.user_id IS NULL DETACH DELETE r"
    )  # jobs of other tests read them
    assert all(many < few + MANY / 10 for few, many in zip(*hits, strict=True)), hits


@pytest.mark.ledger("A09")
async def test_marriages_that_were_stored_before_end_at_both_ends_after_the_migration(
    engine: Engine, memory: Memory
) -> None:
    for text in ("Anna Berg is married to Ben Falk.", "Carl Moss is married to Dora Nilsson."):
        await say(memory, text)
    await engine.neo4j.write(
        "MATCH (a:Entity {user_id: $user})-[r:MARRIED_TO]->(b) REMOVE r.symmetric, b.paired",
        user=str(memory.principal.user_id),
    )
    [mending] = [one for one in migrations("neo4j") if one.version == 17]
    for _ in range(2):
        for statement in statements(mending.script):
            await engine.neo4j.write(statement)
    await say(memory, "Ben Falk is married to Dora Nilsson.")
    assert [until is not None for *_, until in await married(memory, engine)] == [True, True, False]


@pytest.mark.ledger("A09")
async def test_what_a_text_had_ended_before_stays_over_after_the_migration(engine: Engine, memory: Memory) -> None:
    """An older release kept what had ended it first, and let it hold again when that was withdrawn."""
    for text in ("Dave Kowalski lives in Oslo.", "Dave Kowalski lives in Galway."):
        galway = await say(memory, text)
    await say(memory, "Dave Kowalski no longer lives in Oslo.")
    await engine.neo4j.write(
        """
        MATCH (a:Entity {user_id: $user})-[r:LIVES_IN]->(b) REMOVE r.functional
        WITH r, b WHERE b.name = 'Oslo' SET r.ended_by = r.enders[0], r.enders = null
        """,
        user=str(memory.principal.user_id),
    )
    [mending] = [one for one in migrations("neo4j") if one.version == 18]
    for _ in range(2):
        for statement in statements(mending.script):
            await engine.neo4j.write(statement)
    await memory.retractions.retract(galway)
    [oslo] = await memory.entities.list(name="oslo")
    assert await memory.entities.relations(oslo.entity_id) == ()
    [over] = await memory.entities.relations(oslo.entity_id, ended=True)
    assert over.until is not None


async def test_no_statement_looks_for_a_relationship_by_a_type_that_is_computed() -> None:
    """Neo4j plans that as a read of all relationships of the type in small graphs, and returns wrong ones. Those of the schema and of the doctor want
    all of a type, and name no end."""
    looking = re.compile(r"(?:MATCH|MERGE|EXISTS|COUNT|COLLECT)\b[^\n]*-\[\w*:\$")
    found = {path.name for path in CYPHER_FOLDER.rglob("*.cypher") if looking.search(path.read_text())}
    assert found == {"dictionary_relationships.cypher", "values_of_relationships.cypher"}


@pytest.mark.ledger("U03")
async def test_relations_that_another_entity_had_ended_hold_again(engine: Engine, memory: Memory) -> None:
    user = str(memory.principal.user_id)
    lines = [  # source, target, when it was said, until, ended by
        ("a", "b", 1, None, None), ("a", "c", 2, None, None), ("d", "a", 1, "2026-01-03", "bc"), ("b", "c", 3, None, None),
        ("b", "d", 2, "2026-01-03", "bc"), ("c", "a", 2, "2025-12-31", None), ("c", "b", 1, None, None),
        ("e", "a", 1, "2026-01-02", "ec"), ("e", "c", 2, "2026-01-03", None),  # the second one is over, too
    ]  # fmt: skip
    await engine.neo4j.write(
        "UNWIND ['a', 'b', 'c', 'd', 'e'] AS key CREATE (:Entity {user_id: $user_id, key: key, name: key, entity_id: randomUUID()})",
        user_id=user,
    )
    for source, target, day, until, ender in lines:
        await engine.neo4j.write(
            """
            MATCH (a:Entity {user_id: $user_id, key: $source}), (b:Entity {user_id: $user_id, key: $target})
            CREATE (a)-[:MARRIED_TO {name: 'MARRIED_TO', user_id: $user_id, relation_id: left($user_id, 34) + $source + $target, strength: 1, until: $until,
                                     ended_by: left($user_id, 34) + $ender, last_at: datetime({year: 2026, month: 1, day: $day})}]->(b)
            """,
            user_id=user, source=source, target=target, day=day, until=until, ender=ender,
        )  # fmt: skip
    [mending] = [one for one in migrations("neo4j") if one.version == 16]
    for statement in statements(mending.script):
        await engine.neo4j.write(statement)
    found = {(source, target): (ender, until) for source, target, ender, until in await married(memory, engine)}
    assert found == {
        ("a", "b"): ("a", "2026-01-02"),
        ("a", "c"): (None, None),
        ("d", "a"): (None, None),
        ("b", "c"): (None, None),
        ("b", "d"): ("b", "2026-01-03"),
        ("c", "a"): (None, "2025-12-31"),
        ("c", "b"): (None, None),
        ("e", "a"): ("e", "2026-01-02"),
        ("e", "c"): (None, "2026-01-03"),
    }
