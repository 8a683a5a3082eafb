"""The statements for analysts give what their headers show, on the bundled history; and find what it has none of."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.connectors import read_history
from engine.demo.script import FACTS, HISTORY
from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.memory import Memory
from engine.naming.configuration import load_domain
from engine.neurigraph import Engine
from engine.progress import Silent
from engine.settings import Settings
from engine.stores.analyses import analyses
from engine.wiring.job_catalogue import CATALOGUE
from engine.wiring.open_engine import open_engine
from tests.crowd import crowded

Row = dict[str, Any]
FOLDER = Path(__file__).resolve().parents[2] / "cypher" / "analysis"
STATEMENTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.cypher"))}
_GIVEN = re.compile(r'(\w+) ("[^"]*"|\d+|\[[^]]*])[,:]')
TYPES = load_domain().relations
DOMAIN = {
    "functional": sorted(one.name for one in TYPES if one.functional),
    "symmetric": sorted(one.name for one in TYPES if one.symmetric),
}
"""Parameters that some statements take from the domain file; here from the bundled one."""


async def rows(engine: Engine, memory: Memory, name: str, **given: Any) -> list[Row]:
    user_id = str(memory.principal.user_id)
    return await engine.neo4j.read(STATEMENTS[name], user_id=user_id, **({"limit": 1000} | DOMAIN | given))  # type: ignore[arg-type]


def shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(shown, value))
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def table(found: list[Row]) -> str:
    """As it stands in a header."""
    if not found:
        return "//   none\n"
    lines = [list(found[0]), *([shown(value) for value in row.values()] for row in found)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    padded = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    return "".join(f"//   {line.rstrip()}\n" for line in padded)


def header(text: str) -> tuple[dict[str, Any], str]:
    """The parameters of a statement's example, and the table below it."""
    before, lines, after = re.split(r"(^// Result on [^:]*:\n)", text, flags=re.MULTILINE)
    given = {name: json.loads(value) for name, value in _GIVEN.findall(re.sub(r"\n// *", " ", lines))}
    return given, "".join(one for one in after.splitlines(keepends=True) if one.startswith("//   "))


@pytest.fixture(scope="module")
async def bob(engine: Engine, settings: Settings) -> Memory:
    """Whoever has the bundled history and what the demo states, with one merge, intentions and communities."""
    [history] = await read_history(HISTORY, max_text_bytes=1 << 20, progress=Silent())
    async with open_engine(settings.model_copy(update={"intentions": True}), warming=False) as keeping:
        report = await keeping.ingest(replace(history, handle=f"bob-{uuid4().hex[:12]}"))
    memory = engine.memory(report.user_id)
    for fact in FACTS:
        await memory.facts.write(fact)
    diner, short = [(await memory.entities.list(name=name))[0] for name in ("lindy's", "lindy")]
    await memory.entities.merge(diner.entity_id, short.entity_id, "the same place")
    [job] = [one for one in CATALOGUE if one.name == "communities"]
    await job.work(engine)
    return memory


@pytest.mark.ledger("U03")
def test_each_takes_a_user_and_a_limit_and_says_all_of_itself() -> None:
    assert len(STATEMENTS) >= 40 and analyses().keys() == STATEMENTS.keys()
    for name, one in analyses().items():
        body = "\n".join(line for line in one.text.splitlines() if not line.startswith("//"))
        used, named = set(re.findall(r"\$(\w+)", body)), [parameter.name for parameter in one.parameters]
        assert used == set(named) and len(used) == len(named) and used >= {"user_id", "limit"}, name
        assert one.purpose and one.returns and one.indexes and len(body) < 4000, name
        assert header(one.text)[0].keys() <= used, name


def test_the_page_lists_each_with_its_purpose() -> None:
    page = (FOLDER.parents[1] / "docs" / "analysis.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", page, re.MULTILINE))
    assert listed == {name: one.purpose for name, one in analyses().items()}


def test_headers_name_what_the_bundled_domain_file_says() -> None:
    given = {name: header(text)[0] for name, text in STATEMENTS.items()}
    assert given["contradictions"]["functional"] == DOMAIN["functional"]
    assert given["strongest"]["symmetric"] == given["connections"]["symmetric"] == DOMAIN["symmetric"]


PLACED = "8164f9ab59ba"
"""Where the offline encoder places the bundled history. Its arithmetic is the processor's, and some turns lie between two nodes."""


async def placed(engine: Engine, memory: Memory) -> str:
    lines = await engine.neo4j.read(
        "MATCH (n:Node {user_id: $user})-[:HOLDS]->(r:Record) RETURN n.name + ' ' + r.title + ' ' + r.items AS line",
        row=str,
        user=str(memory.principal.user_id),
    )
    return sha256("\n".join(sorted(lines)).encode()).hexdigest()[:12]


WRITING = re.compile(r"\b(CREATE|MERGE|SET|DELETE|REMOVE|FOREACH|DROP|LOAD|CALL\s+\w+\.|IN\s+TRANSACTIONS)\b")
_INDEX = re.compile(r"(?:UNIQUE|INDEX) [^:]*:(\w+)\(([^)]*)\)")


@pytest.mark.ledger("U03")
async def test_each_only_reads_and_begins_at_its_index(engine: Engine, bob: Memory) -> None:
    """Where a store has few rows a scan of them is as cheap as a seek, and the plan may be either."""
    shown = await engine.neo4j.read(
        "SHOW INDEXES YIELD name, labelsOrTypes, properties WHERE labelsOrTypes IS NOT NULL"
    )
    names = {(one["labelsOrTypes"][0], ", ".join(one["properties"])): one["name"] for one in map(dict, shown)}  # type: ignore[call-overload]
    async with crowded(engine) as plan:
        for name, one in analyses().items():
            body = "\n".join(line for line in one.text.splitlines() if not line.startswith(("//", "CYPHER 25")))
            assert not WRITING.search(body), name
            given = {"user_id": str(bob.principal.user_id), "limit": 10} | DOMAIN | header(one.text)[0]
            steps = await plan(body, given)
            found = {names[found] for _, details, _ in steps for found in _INDEX.findall(details)}
            assert set(one.indexes) <= found, (name, found)


@pytest.mark.parametrize("name", STATEMENTS)
async def test_a_header_shows_what_comes_out(engine: Engine, bob: Memory, name: str) -> None:
    given, expected = header(STATEMENTS[name])
    found = table(await rows(engine, bob, name, **given))
    if found != expected and (there := await placed(engine, bob)) != PLACED:
        pytest.skip(f"On this processor turns are placed otherwise ({there}).")
    assert found == expected


async def test_two_homes_said_on_the_same_day_are_a_contradiction(engine: Engine, memory: Memory) -> None:
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    at = datetime(2025, 5, 1, tzinfo=UTC)
    turns = [Turn("Bob", f"Teresa Vang lives in {town}.", at) for town in ("Galway", "Lunenburg")]
    await memory.records.remember(Conversation("c1", tuple(turns)), node_id=node.node_id)
    [found] = await rows(engine, memory, "contradictions")
    assert (found["source"], {found["target"], found["other"]}) == ("Teresa Vang", {"Galway", "Lunenburg"})


async def test_two_spouses_are_a_contradiction_until_one_relation_is_set_aside(engine: Engine, memory: Memory) -> None:
    """Whichever way their relations point; a relation that is set aside connects no entities."""
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    at = datetime(2025, 5, 1, tzinfo=UTC)
    texts = ("Walter Vang is married to Teresa Brown.", "Nora Dunn is married to Walter Vang.")
    turns = tuple(Turn("Bob", text, at) for text in texts)
    await memory.records.remember(Conversation("c1", turns), node_id=node.node_id)
    [found] = await rows(engine, memory, "contradictions")
    assert (found["source"], {found["target"], found["other"]}) == ("Walter Vang", {"Teresa Brown", "Nora Dunn"})
    [nora] = await memory.entities.list(name="Nora")
    [married] = await memory.entities.relations(nora.entity_id)
    await memory.entities.archive_relation(married.relation_id, "another Walter")
    assert await rows(engine, memory, "contradictions") == []
    [strongest] = await rows(engine, memory, "strongest", limit=9)
    assert {strongest["source"], strongest["target"]} == {"Walter Vang", "Teresa Brown"}
    between = await rows(engine, memory, "connections", entity="Nora Dunn", other="Walter Vang", limit=9)
    assert "relations" not in {one["how"] for one in between}
    changed = await rows(engine, memory, "changes", entity="Nora Dunn", **{"from": "2025-05-01", "to": "2025-06-01"})
    assert [one["change"] for one in changed] == ["first mentioned at"]


async def test_whom_a_new_version_leaves_out_has_no_evidence(engine: Engine, memory: Memory) -> None:
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    for name in ("Arne Gunderson", "Teresa Vang"):
        text = f"The lease names {name}.\n\n" + "The workshop is at Mill Street. " * 40
        await memory.records.remember_text("The lease", text, source_id="lease", node_id=node.node_id)
    [found] = await rows(engine, memory, "unsupported")
    assert (found["name"], found["relations"], found["was_in"]) == ("person", 0, 1), (
        "a name that no record has any more is shown to nobody"
    )


async def known_as(memory: Memory, name: str) -> UUID:
    [found] = await memory.entities.list(name=name)
    return found.entity_id


@pytest.fixture
async def parted(memory: Memory) -> Memory:
    """Two men who are one, as the user says later, and two firms."""
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    texts = (
        "Walter Vang works at Harlan Joinery. Walter Vang is a sibling of Nora Dunn.",
        "Nestor Quill works at Harlan Joinery. Nestor Quill is a sibling of Nora Dunn. Nestor Quill lives in Galway.",
        "Walter Vang lives in Lunenburg. Ida Moss works at Brook Plumbing. Otto Lund works at Brook Plumbing.",
    )
    for number, text in enumerate(texts):
        at = datetime(2025, 5, 1, tzinfo=UTC)
        await memory.records.remember(Conversation(f"c{number}", (Turn("Bob", text, at),)), node_id=node.node_id)
    await memory.entities.merge(await known_as(memory, "Walter Vang"), await known_as(memory, "Nestor Quill"))
    await memory.entities.merge(await known_as(memory, "Harlan Joinery"), await known_as(memory, "Brook Plumbing"))
    return memory


async def test_relations_of_merged_entities_are_counted_as_of_one(engine: Engine, parted: Memory) -> None:
    found = await rows(engine, parted, "strongest", limit=9)
    works, sibling = (next(one for one in found if one["relation"] == name) for name in ("WORKS_AT", "SIBLING_OF"))
    assert (works["source"], works["target"], works["records"]) == ("Walter Vang", "Harlan Joinery", 2)
    assert ({sibling["source"], sibling["target"]}, sibling["records"]) == ({"Walter Vang", "Nora Dunn"}, 2)
    assert works["confidence"] > 0.95 and sum(one["relation"] == "SIBLING_OF" for one in found) == 1
    [homes] = await rows(engine, parted, "contradictions")
    assert (homes["source"], {homes["target"], homes["other"]}) == ("Walter Vang", {"Galway", "Lunenburg"})


async def test_ways_lead_over_merged_entities(engine: Engine, parted: Memory) -> None:
    found = await rows(engine, parted, "connections", entity="Nestor Quill", other="Otto Lund", limit=9)
    [way] = [one for one in found if one["how"] == "relations"]
    assert way["through"] == "Walter Vang WORKS_AT Harlan Joinery, Otto Lund WORKS_AT Harlan Joinery"
    assert way["steps"] == 2
    both = {one["through"]: one["records"] for one in found if one["how"] == "records"}
    assert both["Harlan Joinery"] == [3, 1] and not both.keys() & {"Walter Vang", "Nestor Quill", "Brook Plumbing"}


async def test_a_merge_is_no_step_when_ways_are_compared(engine: Engine, memory: Memory) -> None:
    """Ann, Nora and Peter (both are Martin), Emma: two relations; over Carl and Dora three."""
    pairs = [
        ("Ann Berg", "Nora Vold"),
        ("Peter Falk", "Emma Holm"),
        ("Ann Berg", "Carl Moss"),
        ("Carl Moss", "Dora Nilsson"),
    ]
    texts = [f"{one} is a friend of {other}." for one, other in (*pairs, ("Dora Nilsson", "Emma Holm"))]
    turns = tuple(Turn("Bob", text) for text in (*texts, "Martin Lund came by."))
    await memory.records.remember(Conversation("c1", turns), node_id=memory.principal.user_id)
    for name in ("Nora Vold", "Peter Falk"):
        await memory.entities.merge(await known_as(memory, "Martin Lund"), await known_as(memory, name))
    found = await rows(engine, memory, "connections", entity="Ann Berg", other="Emma Holm", limit=5)
    ways = [(one["through"], one["steps"]) for one in found if one["how"] == "relations"]
    assert ways == [("Ann Berg FRIEND_OF Martin Lund, Emma Holm FRIEND_OF Martin Lund", 2)]


async def test_a_symmetric_relation_of_two_that_are_one_is_one_way(engine: Engine, memory: Memory) -> None:
    """Relations point from the first name in the alphabet to the other."""
    texts = ("Anna Berg is a friend of Carl Moss.", "Dora Holm is a friend of Carl Moss.")
    turns = tuple(Turn("Bob", text) for text in texts)
    await memory.records.remember(Conversation("c1", turns), node_id=memory.principal.user_id)
    await memory.entities.merge(await known_as(memory, "Anna Berg"), await known_as(memory, "Dora Holm"))
    found = await rows(engine, memory, "connections", entity="Dora Holm", other="Carl Moss", limit=9)
    assert [one["through"] for one in found] == ["Anna Berg FRIEND_OF Carl Moss"]


async def test_the_life_of_merged_entities_is_told_once_by_the_name_of_the_whole(
    engine: Engine, parted: Memory
) -> None:
    between = {"from": "2025-05-01", "to": "2025-06-01"}
    changed = await rows(engine, parted, "changes", entity="Nestor Quill", **between)
    stated = [one["what"] for one in changed if one["change"] == "first stated"]
    assert stated.count("Walter Vang WORKS_AT Harlan Joinery") == 1 and "Quill" not in str(changed)
    why = await rows(engine, parted, "why", entity="Walter Vang", other="Brook Plumbing")
    assert [(one["source"], one["target"]) for one in why] == [("Walter Vang", "Harlan Joinery")] * 2


async def test_a_relation_between_two_that_are_one_connects_nobody(engine: Engine, parted: Memory) -> None:
    await parted.entities.merge(await known_as(parted, "Walter Vang"), await known_as(parted, "Nora Dunn"))
    found = await rows(engine, parted, "strongest", limit=9)
    assert found and all(one["source"] != one["target"] for one in found)
    assert await rows(engine, parted, "connections", entity="Nora Dunn", other="Nestor Quill", limit=9) == []


async def test_whoever_is_part_of_somebody_mentioned_has_evidence(engine: Engine, memory: Memory) -> None:
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    lessees: list[UUID] = []
    for name in ("Arne Gunderson", "Teresa Vang"):
        text = f"The lease names {name}.\n\n" + "The workshop is at Mill Street. " * 40
        await memory.records.remember_text("The lease", text, source_id="lease", node_id=node.node_id)
        lessees.append(await known_as(memory, name))
    await memory.entities.merge(lessees[1], lessees[0])
    assert await rows(engine, memory, "unsupported") == []


async def test_a_day_is_in_utc_before_and_after_a_record_changes(engine: Engine, memory: Memory) -> None:
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    late = datetime(2024, 3, 9, 22, 30, tzinfo=timezone(timedelta(hours=-6)))
    talk = Conversation("c1", (Turn("Bob", "Nora Dunn is married to Walter Vang.", late),), started_at=late)
    report = await memory.records.remember(talk, node_id=node.node_id)
    [why] = await rows(engine, memory, "why", entity="Nora Dunn", other="Walter Vang")
    assert str(why["day"]) == "2024-03-10"
    await memory.history.change(Change("record", report.records[0].record_id, {"title": "A wedding"}, node.node_id))
    [why] = await rows(engine, memory, "why", entity="Nora Dunn", other="Walter Vang")
    assert (why["record"], str(why["day"])) == ("A wedding", "2024-03-10")


async def test_facts_that_nothing_confirmed_for_long_are_stale(engine: Engine, memory: Memory) -> None:
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    talk = Conversation("c1", (Turn("Bob", "Rosa Lindqvist and Ellen Harlan met."),))
    await memory.records.remember(talk, node_id=node.node_id)
    told = (
        ("Rosa Lindqvist lives in Berlin.", 5),
        ("Ellen Harlan lives in Galway.", 6),
        ("Ellen Harlan lives in Galway.", 7),
        ("Dave Kowalski lives in Rome.", 5),
        ("Dave Kowalski lives in Oslo.", 7),
    )
    for text, month in told:
        await memory.facts.write(WrittenFact(text, at=datetime(2024, month, 8, tzinfo=UTC)))
    await memory.entities.merge(await known_as(memory, "Ellen Harlan"), await known_as(memory, "Rosa Lindqvist"))
    of_rosa = ("Ellen Harlan", "Rosa Lindqvist lives in Berlin.", "2024-05-08", 100)
    later = [
        ("Dave Kowalski", "Dave Kowalski lives in Oslo.", "2024-07-08", 39),
        ("Ellen Harlan", "Ellen Harlan lives in Galway.", "2024-07-08", 39),
    ]
    for days, expected in ((101, []), (40, [of_rosa]), (39, [of_rosa, *later])):
        found = await rows(engine, memory, "stale", days=days, at="2024-08-16")
        assert [(one["subject"], one["fact"], str(one["last"]), one["days"]) for one in found] == expected


async def test_a_stale_fact_without_a_subject_shows_whom_it_names(engine: Engine, memory: Memory) -> None:
    turn = Turn("Bob", "Rosa Lindqvist and Ellen Harlan met.")
    await memory.records.remember(Conversation("c1", (turn,)), node_id=memory.principal.user_id)
    for text in ("The boat is red.", "The lease that Rosa Lindqvist signed is over."):
        await memory.facts.write(WrittenFact(text, at=datetime(2024, 5, 8, tzinfo=UTC)))
    await memory.entities.merge(await known_as(memory, "Ellen Harlan"), await known_as(memory, "Rosa Lindqvist"))
    found = await rows(engine, memory, "stale", days=1, at="2024-08-16")
    shown = [(None, "The boat is red."), ("Ellen Harlan", "The lease that Rosa Lindqvist signed is over.")]
    assert [(one["subject"], one["fact"]) for one in found] == shown


async def test_a_marriage_that_is_stated_of_two_parts_in_two_directions_is_one(engine: Engine, memory: Memory) -> None:
    """The one that was said first ended with the other: of the whole it holds."""
    texts = ("Dave Kowalski is married to Ellen Sorby.", "Mick Tolan is married to Ellen Sorby.")
    for year, text in enumerate(texts, 2022):
        turn = Turn("Bob", text, datetime(year, 1, 1, tzinfo=UTC))
        await memory.records.remember(Conversation(f"c{year}", (turn,)), node_id=memory.principal.user_id)
    dave, mick = [(await memory.entities.list(name=name))[0] for name in ("dave", "mick")]

    async def ended() -> list[str]:
        found = await rows(engine, memory, "timeline", entity="Dave Kowalski")
        during = {"from": "2020-01-01", "to": "2026-01-01"}
        changed = await rows(engine, memory, "changes", entity="Dave Kowalski", **during)
        return [one["day"] for one in found if one["what"] == "ends"] + [
            one["day"] for one in changed if one["change"] == "ended"
        ]

    assert await ended() == ["2023-01-01", "2023-01-01"]
    await memory.entities.merge(dave.entity_id, mick.entity_id, "one man")
    assert await ended() == []
