"""A node that is forgotten with all below it: nothing of it is left in any store, and what lies elsewhere is as if it had never been."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.forgetting import ForgettingSubject
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.occasion import NewEvent
from engine.domain.principal import NewToken, Principal
from engine.domain.search import SearchRequest
from engine.domain.stream import StreamedTurn
from engine.errors import Conflict, Forgotten, InvalidInput, NotFound
from engine.forgetting.erasure import Erasure
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.communities.test_communities import build
from tests.forgetting.lives import START, Step, said
from tests.forgetting.searched import found
from tests.forgetting.test_erased_graph import lived, new_memory, seen, shown
from tests.forgetting.test_users import finished

pytestmark = pytest.mark.usefixtures("few_nodes")  # the doctor looks at all users
WORDS = (
    "Quillfeather",
    "Zanderbrook",
    "Marmolite",
    "Vexhollow",
    "Trundlewick",
    "Ostrimund",
    "Skarnhythe",
    "Pellumbra",
    "Humbergast",
)


@dataclass(frozen=True)
class Planted:
    """A node that goes (`farm`), with a child and a persona, and what lies beside it."""

    farm: UUID
    gone: list[str]
    kept: UUID
    moved: UUID
    former: UUID


async def plant(engine: Engine, memory: Memory) -> Planted:
    """A life with a node whose words nobody else has, through many doors."""
    root = memory.principal.user_id
    boats = (await memory.nodes.provision(NewNode(root, "Boats", keywords=("boat", "walleye", "lake")))).node_id
    farm = (await memory.nodes.provision(NewNode(root, "Quillfeather", keywords=("payroll", "invoice")))).node_id
    barn = (await memory.nodes.provision(NewNode(farm, "Zanderbrook", summary="The barn of Marmolite."))).node_id
    guide = (await memory.nodes.provision(NewNode(farm, "Vexhollow", "persona"))).node_id
    former = (await memory.nodes.provision(NewNode(farm, "Orchard"))).node_id
    await memory.history.change(Change("node", farm, {"name": "Trundlewick"}))
    await memory.edges.make(barn, boats, "belongs to", {"since": "Ostrimund"})
    await memory.edges.make(boats, farm, "paid by", {"since": "Ostrimund"})
    await memory.grants.give(NewGrant(barn, "persona", guide, "read_write", purpose="Ostrimund"))
    await memory.grants.give(NewGrant(boats, "persona", guide, purpose="Ostrimund"))
    app = await engine.workspace.integrations.create(f"app {uuid4()}")
    await memory.grants.give(NewGrant(farm, "third_party", app.integration_id))
    await engine.workspace.tokens.create(NewToken("persona", guide, "Ostrimund"))
    ids = [farm, barn, guide]
    talk = (Turn("Bob", "Dave Kowalski met Skarnhythe Pellumbra.", START), Turn("Bob", "Ellen lives in Berlin.", START))
    for node in (farm, barn):
        report = await memory.records.remember(Conversation(f"Humbergast {node}", talk, "Humbergast"), node_id=node)
        ids += [one.record_id for one in report.records]
    await memory.facts.write(WrittenFact("Skarnhythe lives in Humbergast."), node_id=barn)
    await memory.events.write(NewEvent("call", "Skarnhythe called.", node_id=farm))
    butler = engine.memory_as(Principal("persona", guide, root))
    await butler.records.remember_text("Note", "Skarnhythe drinks sherry.", node_id=barn, source_id="Humbergast note")
    await memory.conversations.append("Humbergast stream", StreamedTurn("Bob", "I met Pellumbra."), node_id=farm)
    later = await memory.records.remember_text("Shed", "The shed opens with 1111.", node_id=farm, source_id="shed")
    await memory.records.move(later.records[0].record_id, farm, boats, reason="it is no farm")
    await memory.history.change(Change("node", former, {"parent_id": str(root)}))
    lake, money = (
        "We took the boat to the lake for walleye. " * 18,
        "The payroll of Wexfarrow waits for the invoice. " * 18,
    )
    week = f"# Lake\n\n{lake}\n\n{lake}\n\n# Money\n\n{money}\n\n{money}"
    shared = await memory.records.remember_text("A week", week, source_id="week")
    assert {one.node_id for one in shared.records} == {boats, farm}
    kept = await memory.records.remember_text("Kayak", "The kayak of Dave Kowalski is red.", node_id=boats)
    return Planted(farm, [*map(str, ids)], kept.records[0].record_id, later.records[0].record_id, former)


@pytest.mark.ledger("F13", "X07")
async def test_nothing_of_a_forgotten_node_is_left(engine: Engine, memory: Memory) -> None:
    planted, root = await plant(engine, memory), memory.principal.user_id
    await build(engine)
    words = [*WORDS, *planted.gone]
    before = {word: await found(engine, [word]) for word in words}
    assert all(before.values()), before

    subject = ForgettingSubject("node", str(planted.farm))
    preview = await memory.forgettings.preview(subject)
    assert (
        (preview.nodes, preview.sources) == (3, 5)
        and preview.records >= 5
        and preview.items >= 6
        and preview.files >= 5
    )
    one = await memory.forgettings.forget(subject, "Trundlewick was sold")
    with pytest.raises(NotFound):
        await memory.nodes.shell(planted.farm)
    done = await finished(engine, one)
    receipt = await memory.forgettings.receipt(one.forgetting_id)
    assert (done.state, done.subject) == ("done", ""), receipt["receipt"]["found"]
    assert await found(engine, [word for word in words if word not in PLACES]) == set()
    # what was moved away keeps the folder, and the schema, that it came in; the file of a document of two nodes stays whole
    left = {place for place in await found(engine, [*PLACES, "Wexfarrow"]) if not re.search(KEPT, place)}
    assert left == set()
    check = await memory.forgettings.verify(receipt)
    assert check.found == () and check.ids >= 8 and check.words >= 5

    for question, record in (("What colour is the kayak?", planted.kept), ("What opens the shed?", planted.moved)):
        hits = (await memory.search(SearchRequest(question))).hits
        assert hits[0].record_id == record
    assert [one.name for one in await memory.nodes.children(root)] == ["Boats", "Orchard"]
    boats = next(one.node_id for one in await memory.nodes.children(root) if one.name == "Boats")
    chain = await memory.history.deltas("record", planted.moved, node_id=boats)
    assert [one.operation for one in chain] == ["created", "forgotten"]
    findings = await engine.doctor.examine()
    assert [one for one in findings if one.node_id in {boats, planted.former, root}] == []
    with pytest.raises(Forgotten):
        await memory.records.remember(
            Conversation(f"Humbergast {planted.farm}", (Turn("Bob", "Again."),)), node_id=boats
        )


PLACES = ("Quillfeather", "Trundlewick")
"""What the node was called."""
KEPT = r"quillfeather_orchard|_boats\.(file_manifest|metadata_records)|/boats/.*text\.txt|/trundlewick(/|$)|engine\.(raw_resources|nodes|outbox)|graph .*schema_name|graph .*Record.file"


def at(path: str, title: str, *texts: str, gone: bool = False) -> Step:
    """Something that is said at a node below the root, which is made where it is missing."""

    async def work(memory: Memory) -> None:
        node = memory.principal.user_id
        for name in path.split("/"):
            node = (await memory.nodes.provision(NewNode(node, name))).node_id
        turns = tuple(Turn("Bob", text) for text in texts)
        await memory.records.remember(
            Conversation(f"{title} {uuid4()}", turns, title, START + timedelta(days=2)), node_id=node
        )

    return Step(work, gone)


LIFE = (
    said(1, "Teresa came by with a cake.", "Ellen Harlan works at Harlan Joinery."),
    at("Family", "Ours", "Ellen Harlan is married to Dave Kowalski.", "Teresa Brown has a cup."),
    at(
        "Work",
        "Gone one",
        "Teresa Vangorsk sold her boat to Zelmira Quimble.",
        "Ellen Harlan works at Harlan Joinery.",
        gone=True,
    ),
    at(
        "Work/Cases",
        "Gone two",
        "Teresa Vangorsk is married to Oskar Prill since 2003.",
        "Dave Kowalski has a case.",
        gone=True,
    ),
    said(6, "Teresa has a cup. Dave Kowalski works at Harlan Joinery."),
)


@pytest.mark.ledger("F13", "X07")
async def test_the_graph_says_what_one_says_that_never_had_the_node(engine: Engine) -> None:
    memory, others = await new_memory(engine), await new_memory(engine)
    erased = await lived(engine, memory, LIFE)
    await lived(engine, others, [step for step in LIFE if not step.gone])
    assert await seen(engine, memory) != await seen(engine, others)
    [node] = [one for one in await memory.nodes.children(memory.principal.user_id) if one.name == "Work"]
    one = await memory.forgettings.forget(ForgettingSubject("node", str(node.node_id)))
    assert (await finished(engine, one)).state == "done"
    words = ["vangorsk", "quimble", "prill", *map(str, (*erased.records, *erased.facts))]
    assert await found(engine, words) == set()
    await engine.derivations.run("entities")
    assert await seen(engine, memory) == await seen(engine, others)
    assert await shown(memory) == await shown(others)


async def test_what_comes_to_the_node_meanwhile_goes_too(
    engine: Engine, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record that is moved there, after its records were looked at."""
    root = memory.principal.user_id
    farm = (await memory.nodes.provision(NewNode(root, "Farm"))).node_id
    tag = f"Marmolite{uuid4().hex[:8]}"
    stored = await memory.records.remember_text("Shed", f"The shed of {tag}.", node_id=root)
    erasure = engine.parts[Erasure]
    withdraw = Erasure._withdraw_places

    async def moving(self: Erasure, one: object) -> None:
        monkeypatch.setattr(Erasure, "_withdraw_places", withdraw)
        async with engine.postgres.as_service() as connection:  # as one that had looked at it before
            await connection.execute(
                "UPDATE engine.nodes SET archived = false, archivings = '{}' WHERE node_id = %s",  # type: ignore[arg-type]
                [farm],  # type: ignore[arg-type]
            )
        await memory.records.move(stored.records[0].record_id, root, farm)
        await withdraw(self, one)  # type: ignore[arg-type]

    monkeypatch.setattr(Erasure, "_withdraw_places", moving)
    one = await erasure.forget(root, ForgettingSubject("node", str(farm)), "", "user:x", within_s=60)
    assert (await finished(engine, one)).state == "done"
    assert await found(engine, [tag, str(farm)]) == set()


async def test_what_cannot_be_forgotten_as_a_node_is_said(engine: Engine, memory: Memory) -> None:
    root = memory.principal.user_id
    with pytest.raises(InvalidInput, match="users forget"):
        await memory.forgettings.forget(ForgettingSubject("node", str(root)))
    for missing in (uuid4(), (await new_memory(engine)).principal.user_id):
        with pytest.raises(NotFound):
            await memory.forgettings.forget(ForgettingSubject("node", str(missing)))
    guide = (await memory.nodes.provision(NewNode(root, "Guide", "persona"))).node_id
    await memory.grants.give(NewGrant(root, "persona", guide, "read_write"))
    butler = engine.memory_as(Principal("persona", guide, root))
    await butler.records.remember_text("Note", "The silver is in the cellar.", node_id=root)
    with pytest.raises(Conflict, match="persona"):
        await memory.forgettings.forget(ForgettingSubject("node", str(guide)))
