"""The data dictionary says what the stores hold: the committed page is what the command prints of them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from engine.connectors import read_history
from engine.demo.script import FACTS, HISTORY
from engine.domain.delta import Change
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.knowledge.dictionary import described
from engine.lifecycle.definition_check import ValueCheck
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.progress import Silent
from engine.settings import Settings
from engine.stores.statements import CYPHER_FOLDER, ROOT
from engine.wiring.job_catalogue import CATALOGUE
from engine.wiring.open_engine import open_engine
from tests.commands import typed

OLD = {"held"}
"""Of older releases: a statement takes it away where it finds it."""
PAGE = Path(__file__).resolve().parents[2] / "docs" / "data-dictionary.md"


@pytest.mark.ledger("U03")
async def test_the_page_is_that_of_the_live_stores(engine: Engine, tmp_path: Path) -> None:
    committed = PAGE.read_text(encoding="utf-8")
    assert committed == await engine.analysts.dictionary()
    printed = await typed(engine, tmp_path, None, "dictionary")
    assert printed.returncode == 0 and printed.stdout == committed


def test_everything_has_a_meaning() -> None:
    committed = PAGE.read_text(encoding="utf-8")
    parts = re.split(r"^### ", committed, flags=re.MULTILINE)[1:]
    assert len(parts) > 70
    for part in parts:
        name, _, rest = part.partition("\n")
        assert re.match(r"\n[A-Z].+\.\n", rest), name
        rows = [line.split(" | ") for line in rest.splitlines() if line.startswith("| `")]
        assert all(row[-1].strip(" |") for row in rows), name


@pytest.mark.usefixtures("few_nodes")
async def test_the_graph_has_nothing_that_is_not_described(engine: Engine, settings: Settings) -> None:
    """After the bundled history, and after what else users and jobs do."""
    [history] = await read_history(HISTORY, max_text_bytes=1 << 20, progress=Silent())
    async with open_engine(settings.model_copy(update={"intentions": True}), warming=False) as keeping:
        report = await keeping.ingest(replace(history, handle=f"bob-{uuid4().hex[:12]}"))
        memory = keeping.memory(report.user_id)
        for fact in FACTS:
            await memory.facts.write(fact)
        await _decide(memory)
        await _change(keeping, memory)
        [job] = [one for one in CATALOGUE if one.name == "communities"]
        await job.work(keeping)
    found = await engine.analysts.undescribed()
    assert not found, "\n".join(found)
    assert [one async for one in ValueCheck(engine.neo4j).findings()] == []


async def _decide(memory: Memory) -> None:
    """What a user says of entities, relations and intentions."""
    diner, short = [(await memory.entities.list(name=name))[0] for name in ("lindy's", "lindy")]
    [pair, *_] = await memory.entities.review()
    await memory.entities.tell_apart(pair.pair_id)
    await memory.entities.merge(diner.entity_id, short.entity_id, "the same place")
    await memory.entities.correct(diner.entity_id, name="Lindy's Old Diner", reason="so it is called")
    await memory.entities.add_alias(diner.entity_id, "name", "The Diner")
    await memory.entities.remove_alias(diner.entity_id, "name", "The Diner")
    [dave] = await memory.entities.list(name="dave kowalski")
    [relation, *_] = await memory.entities.relations(dave.entity_id)
    await memory.entities.archive_relation(relation.relation_id, "not so")
    await memory.entities.describe_relation(relation.relation_id, {"place": "the lake"})
    [intention, *_] = await memory.intentions.list()
    await memory.intentions.decide(intention.intention_id, "done", "it is")


async def _change(engine: Engine, memory: Memory) -> None:
    """Nodes, records and edges that become others, and grants."""
    user = memory.principal.user_id
    one, two, below = [
        await memory.nodes.provision(NewNode(user, "One")),
        await memory.nodes.provision(NewNode(user, "Two")),
        await memory.nodes.provision(NewNode(user, "Below")),
    ]
    said = Conversation("moving", (Turn("Bob", "Nora Dunn sold the boat to Walter Vang."),))
    [record] = (await memory.records.remember(said, node_id=one.node_id)).records
    await memory.history.change(Change("record", record.record_id, {"title": "Another"}, one.node_id))
    await memory.history.change(Change("node", one.node_id, {"name": "Once"}))
    await memory.records.move(record.record_id, one.node_id, two.node_id)
    await memory.history.change(Change("node", below.node_id, {"parent_id": str(one.node_id)}))
    edge = await memory.edges.make(one.node_id, two.node_id, "beside", {"since": "2003"})
    await memory.history.change(Change("edge", edge.edge_id, {"properties": {"since": "2004"}}))
    calendar = await engine.workspace.integrations.create(f"calendar-{uuid4().hex[:8]}")
    given = await memory.grants.give(NewGrant(one.node_id, "third_party", calendar.integration_id))
    await memory.grants.revoke(given.grant_id)


async def test_what_is_not_described_is_found(engine: Engine) -> None:
    """A label, an end, a property and a type that the dictionary does not know."""
    await engine.neo4j.write(
        "CREATE (o:Odd {a: 1}), (n:Past {slice_id: 'odd', title: 1, other: true}), (o)-[:WAS]->(n), (o)-[:ODD_TIE {a: 1}]->(n)"
    )
    try:
        found = await engine.analysts.undescribed()
    finally:
        await engine.neo4j.write("MATCH (n) WHERE n:Odd OR n:Past AND n.slice_id = 'odd' DETACH DELETE n")
    assert {
        "Odd is not described.",
        "ODD_TIE is not described.",
        "Past: other is not described.",
        "Past: title is INTEGER.",
        "WAS stands between Odd → Past, too.",
    } <= {*found}


def test_every_property_that_a_statement_sets_is_described() -> None:
    labels, types = described()
    known = {key for one in (*labels.values(), *types.values()) for key in one.properties}
    clause = re.compile(
        r"\bSET\b(.*?)(?=\b(?:MATCH|WITH|RETURN|MERGE|CREATE|CALL|FOREACH|WHERE|UNWIND|REMOVE|DELETE|ON)\b|\Z)",
        re.DOTALL,
    )
    found = set()
    for file in CYPHER_FOLDER.rglob("*.cypher"):
        text = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
        found |= {key for part in clause.findall(text) for key in re.findall(r"\b[a-z]\w*\.(\w+)\s*=(?![=~])", part)}
    assert len(found) > 80
    assert found - known == OLD


def test_what_is_described_stands_in_a_statement_of_the_engine() -> None:
    """So a label or a property that no release has any longer leaves the page."""
    labels, types = described()
    files = [*CYPHER_FOLDER.rglob("*.cypher"), *(ROOT / "migrations" / "neo4j").glob("*.cypher")]
    texts = [one.read_text(encoding="utf-8") for one in files if not one.name.startswith("dictionary")]
    said = {*re.findall(r"\w+", "\n".join(texts))}
    every = (*labels.values(), *types.values())
    names = {key for one in every for key in one.properties} | {one.name for one in every if not one.of}
    assert names <= said
