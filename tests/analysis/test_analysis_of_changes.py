"""The statements for analysts on what the bundled history has none of: what was moved, changed, archived, withdrawn, granted; and damage."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.retraction import RetractionSubject
from engine.lifecycle.definition_check import ValueCheck
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.analysis.test_analysis import known_as, rows

TODAY, SINCE = datetime.now(UTC).date().isoformat(), datetime(2025, 5, 1, tzinfo=UTC)


async def asked(engine: Engine, memory: Memory, name: str, **given: Any) -> list[dict[str, Any]]:
    """The rows of a statement, days as texts."""
    found = await rows(engine, memory, name, **given)
    return [
        {key: value.iso_format() if hasattr(value, "iso_format") else value for key, value in row.items()}
        for row in found
    ]


async def said(
    memory: Memory, *texts: str, at: datetime = SINCE, node: Any = None, privacy: Any = "org", title: str = ""
) -> Any:
    """The record of a conversation."""
    talk = Conversation(str(uuid4()), tuple(Turn("Bob", text, at) for text in texts), title, at)
    report = await memory.records.remember(talk, node_id=node or memory.principal.user_id, privacy=privacy)
    return report.records[0].record_id


@pytest.mark.ledger("U03")
async def test_nodes_that_changed(engine: Engine, memory: Memory) -> None:
    root = memory.principal.user_id
    family, lake = [await memory.nodes.provision(NewNode(root, name)) for name in ("Family", "Lake")]
    boat = await memory.nodes.provision(NewNode(family.node_id, "Boat"))
    before = datetime.now(UTC)
    await memory.history.change(Change("node", boat.node_id, {"name": "Yacht", "parent_id": lake.node_id}))
    [moved] = await asked(engine, memory, "moved_nodes")
    assert moved == {"node": "Yacht", "before": "Family", "now": "Lake", "since": None, "until": TODAY}
    was = await asked(engine, memory, "past_states", node="yacht")
    assert {(one["name"], one["valid_to"], one["known_to"]) for one in was} == {
        ("Boat", None, TODAY),  # as it was known before
        ("Boat", TODAY, None),
    }
    for moment, place in ((before, "Family/Boat"), (datetime.now(UTC), "Lake/Yacht")):
        then = await asked(engine, memory, "tree_then", as_of=moment.isoformat(), known_at=moment.isoformat())
        assert [one["node"] for one in then] == sorted(["/", "Family", "Lake", place]), then
    await memory.nodes.archive(lake.node_id)
    assert [(one["node"], one["since"]) for one in await asked(engine, memory, "archived_nodes")] == [
        ("Lake", TODAY),
        ("Lake/Yacht", TODAY),
    ]
    tree = await asked(engine, memory, "tree")
    assert [one["node"] for one in tree if one["archived"]] == ["Lake", "Lake/Yacht"]
    unused = await asked(engine, memory, "unused_nodes", days=30, at="2999-01-01")
    assert {one["node"] for one in unused} == {"/", "Family", "Lake", "Lake/Yacht"}


@pytest.mark.ledger("U03")
async def test_records_that_changed(engine: Engine, memory: Memory) -> None:
    root = memory.principal.user_id
    lake = await memory.nodes.provision(NewNode(root, "Lake"))
    moved, withdrawn, renamed = [await said(memory, f"Nora Dunn sold boat {one}.") for one in "abc"]
    await memory.records.move(moved, root, lake.node_id)
    await memory.history.change(Change("record", renamed, {"title": "A sale"}, root))
    await memory.retractions.retract(RetractionSubject("record", str(withdrawn)))
    [one] = await asked(engine, memory, "moved_records")
    assert (one["node"], one["moved"], one["items"]) == ("Lake", TODAY, 1)
    [one] = [one for one in await asked(engine, memory, "changed_records") if one["known_to"] is None]
    assert (one["record"], one["valid_to"]) == ("A sale", TODAY) and one["before"] != "A sale"
    [one] = await asked(engine, memory, "withdrawn_records")
    assert (one["happened"], one["ended"], one["mentioned"]) == ("2025-05-01", TODAY, 2)
    [nora] = [one for one in await asked(engine, memory, "mentioned") if one["entity"] == "Nora Dunn"]
    assert (nora["records"], nora["nodes"]) == (2, 2)
    assert [one["records"] for one in await asked(engine, memory, "months")] == [2]
    for _ in range(2):
        await said(memory, "It rains.", title="Weather")
    [twice] = await asked(engine, memory, "duplicate_records")
    assert (twice["record"], twice["day"], twice["records"], twice["items"]) == ("Weather", "2025-05-01", 2, [1, 1])


@pytest.mark.ledger("U03")
async def test_entities_and_relations_that_the_user_decided_of(engine: Engine, memory: Memory) -> None:
    works = await said(memory, "Walter Vang works at Harlan Joinery. Walter Vang lives in Lunenburg.")
    await said(memory, "Walter Vang lives in Galway.", at=SINCE + timedelta(days=365))
    walter = await known_as(memory, "Walter Vang")
    await memory.entities.correct(walter, name="Walter Wang", reason="misheard")
    [corrected] = await asked(engine, memory, "corrected")
    assert (corrected["entity"], corrected["names"], corrected["reason"]) == (
        "Walter Wang",
        ["Walter Vang"],
        "misheard",
    )
    [over] = await asked(engine, memory, "ended_relations")
    assert (over["target"], over["until"], over["by"]) == ("Lunenburg", "2026-05-01", "relation")
    known = datetime.now(UTC).isoformat()
    [job] = [one for one in await memory.entities.relations(walter) if one.relation_type == "WORKS_AT"]
    await memory.entities.archive_relation(job.relation_id, "another Walter")
    [aside] = await asked(engine, memory, "set_aside")
    assert (aside["source"], aside["target"], aside["reason"], aside["since"]) == (
        "Walter Wang", "Harlan Joinery", "another Walter", TODAY,
    )  # fmt: skip
    for name, given in (("relations", {"entity": "walter vang"}), ("relation_types", {}), ("unsure", {}), ("hubs", {})):
        assert "WORKS_AT" not in str(await asked(engine, memory, name, **given)), name
    await memory.retractions.retract(RetractionSubject("record", str(works)))
    assert [one["target"] for one in await asked(engine, memory, "relations", entity="Walter Vang")] == ["Galway"]
    then = await asked(engine, memory, "relations_then", entity="Walter Vang", known_at=known)
    assert {one["target"] for one in then} == {"Harlan Joinery", "Lunenburg", "Galway"}


@pytest.mark.ledger("U03")
async def test_merged_entities_are_one_in_lists(engine: Engine, memory: Memory) -> None:
    """Two who are one have one friend, one relation to her, and one line each."""
    await said(memory, "Anna Berg is a friend of Carl Moss.")
    await said(memory, "Dora Holm is a friend of Carl Moss. Anna Berg met Dora Holm.", at=SINCE + timedelta(days=40))
    await memory.entities.merge(await known_as(memory, "Anna Berg"), await known_as(memory, "Dora Holm"))
    [friends] = await asked(engine, memory, "relations", entity="Dora Holm")
    assert (friends["source"], friends["target"], friends["records"]) == ("Anna Berg", "Carl Moss", 2)
    [kind] = await asked(engine, memory, "relation_types")
    assert (kind["relation"], kind["pairs"], kind["records"]) == ("FRIEND_OF", 1, 2)
    assert await asked(engine, memory, "unsure") == []
    hubs = {one["entity"]: one["others"] for one in await asked(engine, memory, "hubs")}
    assert hubs == {"Anna Berg": 1, "Carl Moss": 1}
    mentioned = {one["entity"]: one["records"] for one in await asked(engine, memory, "mentioned")}
    assert mentioned["Anna Berg"] == 2 and "Dora Holm" not in mentioned
    assert [one["records"] for one in await asked(engine, memory, "activity", entity="Dora Holm")] == [1, 1]
    assert {one["name"] for one in await asked(engine, memory, "names", entity="Dora Holm")} >= {
        "Anna Berg",
        "Dora Holm",
    }
    assert "Holm" not in str(await asked(engine, memory, "together", entity="Carl Moss"))
    assert "Dora Holm" not in str(
        await asked(engine, memory, "newcomers", **{"from": "2025-01-01", "to": "2026-01-01"})
    )


@pytest.mark.ledger("U03")
async def test_grants_show_who_may_read_what(engine: Engine, memory: Memory) -> None:
    root = memory.principal.user_id
    family = await memory.nodes.provision(NewNode(root, "Family"))
    ellen = await memory.nodes.provision(NewNode(family.node_id, "Ellen"))
    clerk = await memory.nodes.provision(NewNode(root, "Clerk", "persona"))
    await said(memory, "Dave sold the boat.", node=ellen.node_id)
    await said(memory, "Dave is ill.", node=ellen.node_id, privacy="private")
    given = await memory.grants.give(NewGrant(family.node_id, "persona", clerk.node_id, depth=1))
    app = (await engine.workspace.integrations.create(f"app {uuid4()}")).integration_id
    await memory.grants.give(NewGrant(family.node_id, "third_party", app, fields=("records",)))
    first, second = await asked(engine, memory, "grants")
    assert {first["reader"], second["reader"]} == {"Clerk", str(app)}
    [clerks] = [one for one in (first, second) if one["reader"] == "Clerk"]
    assert (clerks["kind"], clerks["node"], clerks["layers"], clerks["mode"]) == ("persona", "Family", 1, "read")
    reach = {
        one["reader"]: (one["nodes"], one["records"], one["private"]) for one in await asked(engine, memory, "reach")
    }
    assert reach == {"Clerk": (2, 1, 1), str(app): (1, 0, 0)}
    assert [(one["reader"], one["granted"]) for one in await asked(engine, memory, "readers", node="ellen")] == [
        ("Clerk", "Family")
    ]
    await memory.grants.revoke(given.grant_id)
    assert [one["reader"] for one in await asked(engine, memory, "grants")] == [str(app)]
    [ended] = await asked(engine, memory, "ended_grants")
    assert (ended["reader"], ended["node"], ended["ended"], ended["how"]) == ("Clerk", "Family", TODAY, "revoked")


@pytest.mark.ledger("U03")
async def test_facts_by_time_and_without_a_subject(engine: Engine, memory: Memory) -> None:
    await said(memory, "Ellen Harlan and Rosa Lindqvist met.")
    berlin, galway, boat = "Ellen Harlan lives in Berlin.", "Ellen Harlan lives in Galway.", "The boat is red."
    for text, year in ((berlin, 2020), (boat, 2021)):
        await memory.facts.write(WrittenFact(text, at=datetime(year, 5, 8, tzinfo=UTC)))
    between = datetime.now(UTC).isoformat()
    [newer, _] = await memory.facts.write(WrittenFact(galway, at=datetime(2024, 5, 8, tzinfo=UTC)))

    async def held(year: int, known_at: str) -> list[str]:
        found = await asked(engine, memory, "facts_then", as_of=f"{year}-01-01", known_at=known_at)
        return [one["fact"] for one in found]

    now = datetime.now(UTC).isoformat()
    assert [await held(2023, "2020-01-01"), await held(2019, now), await held(2023, now)] == [[], [], [berlin, boat]]
    assert [await held(2025, between), await held(2025, now)] == [[berlin, boat], [boat, galway]]
    assert [one["fact"] for one in await asked(engine, memory, "facts_without_subject")] == [boat]
    [chain] = await asked(engine, memory, "chains")
    assert (chain["fact"], chain["before"]) == (galway, [berlin])
    await memory.retractions.retract(RetractionSubject("fact", str(newer.fact_id)))
    assert await held(2025, datetime.now(UTC).isoformat()) == [berlin, boat]


DAMAGE = {
    # statement: how it is inflicted, and columns of the row that shows it
    "skewed_nodes": ("MATCH (n:Node {user_id: $user, name: 'Lake'}) SET n.records = 7", {"node": "Lake", "records": 7, "held": 2}),
    "skewed_entities": ("MATCH (e:Entity {user_id: $user, name: 'Nora Dunn'}) SET e.mentions = 7", {"mentions": 7, "mentioned": 2}),
    "skewed_relations": ("MATCH (:Entity {user_id: $user})<-[v:EVIDENCE]-() DELETE v", {"records": 1, "evidence": 0}),
    "misplaced_nodes": ("MATCH (n:Node {user_id: $user, name: 'Lake'}) SET n.layer = 4", {"node": "Lake", "layer": 4}),
    "without_vectors": ("MATCH (n:Node {user_id: $user, name: 'Lake'}) REMOVE n.embedding, n.embedding_b", {"node": "Lake"}),
    "facts_without_source": ("MATCH (:Fact {user_id: $user})<-[s:STATES]-() DELETE s", {"fact": "Nora Dunn lives in Galway."}),
    "duplicate_facts": ("MATCH (f:Fact {user_id: $user}) CREATE (:Fact {user_id: $user, fact_id: randomUUID(), status: 'live', caption: f.caption, said_at: f.said_at})", {"times": 2}),
    "namesakes": ("MATCH (e:Entity {user_id: $user, name: 'Nora Dunn'})<-[:MENTIONS]-(r) WITH e, head(collect(r)) AS r CREATE (o:Entity {user_id: $user, entity_id: randomUUID(), key: 'thing:x', name: e.name, name_key: e.name_key, kind: 'thing', active: true}) CREATE (r)-[:MENTIONS {role: 'mention'}]->(o)", {"name": "Nora Dunn"}),
    "pairs": ("MATCH (e:Entity {user_id: $user, name: 'Nora Dunn'}), (o:Entity {user_id: $user, name: 'Walter Vang'}) CREATE (e)-[:POSSIBLY_SAME {pair_id: randomUUID(), score: 0.5, reason: 'alike'}]->(o)", {"entity": "Nora Dunn", "other": "Walter Vang", "score": 0.5}),
    "lost_records": ("MATCH (:Node {user_id: $user, name: 'Lake'})-[h:HOLDS]->() DELETE h", {"day": "2025-05-01"}),
}  # fmt: skip


@pytest.mark.ledger("U03")
async def test_what_is_wrong_is_found(engine: Engine, memory: Memory) -> None:
    lake = await memory.nodes.provision(NewNode(memory.principal.user_id, "Lake"))
    await said(memory, "Nora Dunn is married to Walter Vang.", node=lake.node_id)
    await memory.facts.write(WrittenFact("Nora Dunn lives in Galway.", at=SINCE), node_id=lake.node_id)
    for name, (inflict, row) in DAMAGE.items():
        assert await asked(engine, memory, name) == [], name
        await engine.neo4j.write(f"{inflict} RETURN count(*) AS done", user=str(memory.principal.user_id))
        found = await asked(engine, memory, name)
        assert any(row.items() <= one.items() for one in found), (name, found)
    values = [one async for one in ValueCheck(engine.neo4j).findings()]
    assert [one for one in values if one.node_id == memory.principal.user_id] == [], (
        "which stop the mending in other tests"
    )


COUNTED = (
    "activity", "anchors", "connections", "content_types", "empty_nodes", "gaps", "kinds", "mentioned", "months", "names", "namesakes",
    "newcomers", "speakers", "subtrees", "together", "tree",
)  # fmt: skip


@pytest.mark.ledger("U03", "F05")
async def test_counts_have_no_records_that_ended(engine: Engine, memory: Memory) -> None:
    """Whether they were ended by hand or withdrawn; what is counted is as it was before they came."""
    root = memory.principal.user_id
    lake = await memory.nodes.provision(NewNode(root, "Lake"))
    await said(memory, "Nora Dunn met Ines Moreira in Porto.", node=lake.node_id)
    given = {
        "activity": {"entity": "Nora Dunn"}, "anchors": {"entity": "Nora Dunn"}, "names": {"entity": "Nora Dunn"},
        "connections": {"entity": "Nora Dunn", "other": "Porto", "symmetric": []}, "together": {"entity": "Nora Dunn"},
        "newcomers": {"from": "2000-01-01", "to": "2100-01-01"},
    }  # fmt: skip

    async def counted() -> dict[str, Any]:
        found = {name: await asked(engine, memory, name, **given.get(name, {})) for name in COUNTED}
        return found | {"tree": [one | {"state": ""} for one in found["tree"]]}  # the root has files from then on

    before = await counted()
    texts = ("Nora Dunn met Rui Tavares.", "Rui Tavares met Ines Moreira in Porto.")
    ended, withdrawn = [await said(memory, text, at=SINCE + timedelta(days=40)) for text in texts]
    assert sum(before[name] != now for name, now in (await counted()).items()) > 10
    await memory.history.change(Change("record", ended, {"ended": True}, root))
    await memory.retractions.retract(RetractionSubject("record", str(withdrawn)))
    after = await counted()
    assert {name: after[name] for name in before if after[name] != before[name]} == {}
