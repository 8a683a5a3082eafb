"""Every operation that recognises a repeat by its key gives the first answer, or goes on, where the process was killed before the
answer was kept: between the commit and its answer, and between the commit and the graph's part of it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.access.idempotency import MOST_KEY
from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Text, Turn
from engine.domain.node import NewNode
from engine.domain.occasion import NewEvent, Occasion
from engine.domain.principal import Principal, PrincipalKind
from engine.domain.proposal import Proposal, ProposedNode
from engine.domain.retraction import RetractionSubject
from engine.domain.stream import StreamedTurn
from engine.errors import NeurigraphError, StoreUnavailable
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.operations.declaring import OPERATIONS
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.facts.test_fact_doubts import in_doubt
from tests.faults.half_way import Leaving, Left

ROUNDED = 1e-6
"""A confidence is kept in four bytes."""
LAUNCHED = datetime(2024, 5, 1, tzinfo=UTC)
Request = Callable[[Memory], Awaitable[object]]
SAID = (
    "My sister Ellen Harlan met Dave Kowalski. Dave Kowalski lives in Oslo. Ines Moreira lives in Porto.",
    "Arne Gunderson wrote to Marta Lopez. Pavel Novak called Greta Lindholm.",
)
LOST = "UPDATE engine.idempotency SET answer = NULL, claimed_until = '-infinity' WHERE user_id = %s AND key = %s"
"""What a killed process leaves: a claim that nobody renews, without an answer."""


@pytest.fixture
async def leaving() -> Leaving:
    return Leaving()


@pytest.fixture
async def leaver(engine: Engine, settings: Settings, leaving: Leaving) -> AsyncIterator[Engine]:
    """A process that leaves where it is told."""
    async with open_engine(settings, on_step=leaving, warming=False) as opened:
        yield opened


async def requests(engine: Engine, memory: Memory) -> Mapping[str, Request]:
    """An example of each operation, with all that it needs."""
    made = await _memory(memory)
    lake, town, root, entity = made["lake"], made["town"], memory.principal.user_id, made["entity"]
    merge = await memory.entities.merge(entity["Arne Gunderson"], entity["Marta Lopez"])
    apart, intention = await _pair_and_intention(engine, entity["Pavel Novak"], entity["Greta Lindholm"])
    dave, ines = entity["Dave Kowalski"], entity["Ines Moreira"]
    (lives, *_), (other, *_) = [await memory.entities.relations(one) for one in (dave, ines)]
    await memory.entities.archive_relation(other.relation_id)
    await memory.entities.add_alias(dave, "email", "dave@example.org")
    await memory.conversations.append("ending", StreamedTurn("Bob", "The boat leaks at the stern."))
    withdrawn, moved, changed, taken = [
        (await memory.records.remember_text(f"Note {n}", f"The {n}th buoy.", node_id=lake)).records[0].record_id
        for n in range(4)
    ]
    doubtful, _ = await in_doubt(engine, memory)
    gone = await memory.retractions.retract(RetractionSubject("record", str(taken)))
    coach = (await memory.nodes.provision(NewNode(root, "Coach", "persona"))).node_id
    proposal = Proposal(
        (ProposedNode(("Garden",), "concept", "Apple trees", ("apple", "tree"), (), 2, 1, "said twice"),), 2, 2
    )
    said = Conversation("said", (Turn("Bob", "A heron stood there."), Turn("Ann", "It flew away.")))
    return {
        "conversations.append": lambda m: m.conversations.append("open", StreamedTurn("Bob", "Good morning.")),
        "conversations.end": lambda m: m.conversations.end("ending"),
        "edges.make": lambda m: m.edges.make(lake, town, "near", {"by": "boat"}),
        "entities.correct": lambda m: m.entities.correct(ines, name="Inês Moreira"),
        "entities.add_alias": lambda m: m.entities.add_alias(ines, "email", "ines@example.org"),
        "entities.verify_alias": lambda m: m.entities.verify_alias(dave, "name", "Dave Kowalski"),
        "entities.remove_alias": lambda m: m.entities.remove_alias(dave, "email", "dave@example.org"),
        "entities.archive_relation": lambda m: m.entities.archive_relation(lives.relation_id, "no"),
        "entities.restore_relation": lambda m: m.entities.restore_relation(other.relation_id, "yes"),
        "entities.describe_relation": lambda m: m.entities.describe_relation(lives.relation_id, {"since_when": "school"}),
        "entities.tell_apart": lambda m: m.entities.tell_apart(apart),
        "entities.merge": lambda m: m.entities.merge(entity["Ellen Harlan"], ines, "one"),
        "entities.undo_merge": lambda m: m.entities.undo_merge(merge.merge_id),
        "events.write": lambda m: m.events.write(NewEvent("launch", "The boat was launched.", occurred_at=LAUNCHED)),
        "facts.decide": lambda m: m.facts.decide(doubtful.fact_id, "replaced"),
        "facts.write": lambda m: m.facts.write(WrittenFact("Ellen Harlan owns a canoe.")),
        "grants.give": lambda m: m.grants.give(NewGrant(town, "persona", coach)),
        "history.change": lambda m: m.history.change(Change("record", changed, {"title": "Buoys"}, lake)),
        "ingests.many": lambda m: m.ingests.many([said], [Text("chart", "Chart", "The chart shows a reef.")]),
        "intentions.decide": lambda m: m.intentions.decide(intention, "done"),
        "nodes.provision": lambda m: m.nodes.provision(NewNode(lake, "Pier")),
        "proposals.make": lambda m: m.proposals.make(proposal),
        "records.remember": lambda m: m.records.remember(Conversation("c", (Turn("Bob", "The walleye weighed eleven pounds."),))),
        "records.remember_text": lambda m: m.records.remember_text("Chart", "The reef lies to the north."),
        "records.remember_occasion": lambda m: m.records.remember_occasion(Occasion("meeting", "Crew", "We chose the route.")),
        "records.move": lambda m: m.records.move(moved, lake, town, reason="there"),
        "retractions.retract": lambda m: m.retractions.retract(RetractionSubject("record", str(withdrawn))),
        "retractions.undo": lambda m: m.retractions.undo(gone.retraction_id),
    }  # fmt: skip


async def _memory(memory: Memory) -> dict[str, Any]:
    root = memory.principal.user_id
    lake, town = [(await memory.nodes.provision(NewNode(root, name))).node_id for name in ("Lake", "Town")]
    await memory.records.remember(Conversation("met", tuple(Turn("Bob", text) for text in SAID)), node_id=lake)
    found = await memory.entities.list(limit=500, everything=True)
    return {"lake": lake, "town": town, "entity": {one.name: one.entity_id for one in found}}


async def _pair_and_intention(engine: Engine, one: UUID, other: UUID) -> tuple[UUID, UUID]:
    pair, intention = uuid4(), uuid4()
    await engine.neo4j.write(
        """
        MATCH (a:Entity {entity_id: $one})<-[m:MENTIONS]-(r:Record), (b:Entity {entity_id: $other})
        CREATE (a)-[:POSSIBLY_SAME {pair_id: $pair, score: 0.5, reason: 'alike', known_from: a.known_from}]->(b),
               (r)-[:INTENDS {intention_id: $intention, user_id: a.user_id, text: 'To sail.', name: 'To sail.', state: 'open', item_id: r.record_id, span: '0-8',
                              known_from: m.known_from}]->(a)
        """,
        one=str(one), other=str(other), pair=str(pair), intention=str(intention),
    )  # fmt: skip
    return pair, intention


async def lose(engine: Engine, memory: Memory, key: str) -> None:
    """The answer of the request with that key was not kept."""
    async with engine.postgres.as_service() as connection:
        lost = await connection.execute(LOST, [memory.principal.user_id, memory.principal.own_key(key, MOST_KEY)])
        assert lost.rowcount == 1


async def repeated(engine: Engine, memory: Memory, key: str, request: Request) -> object:
    """The answer of a repeat after a kill, or its error."""
    await lose(engine, memory, key)
    try:
        with suppress(StoreUnavailable):  # a client tries again; meanwhile the commit is finished
            return await request(memory.once(key))
        await engine.outbox.recover()
        return await request(memory.once(key))
    except NeurigraphError as error:
        return error


def differences(first: object, other: object) -> list[str]:
    """What one answer says otherwise than another one, part by part; an error says it as a whole."""
    if isinstance(other, NeurigraphError):
        return [repr(other)]
    if isinstance(first, float) and isinstance(other, float) and abs(first - other) < ROUNDED:
        return []
    if is_dataclass(first) and type(first) is type(other):
        names = [field.name for field in fields(first) if field.name != "extraction"]  # what models were asked then
        return [f"{name}: {one}" for name in names for one in differences(getattr(first, name), getattr(other, name))]
    if isinstance(first, tuple) and isinstance(other, tuple) and len(first) == len(other):
        return [one for pair in zip(first, other, strict=True) for one in differences(*pair)]
    return [] if first == other else [f"{first!r} is {other!r}"]


@pytest.mark.ledger("U02")
@pytest.mark.parametrize("step", ["", "accepted"])
async def test_a_repeat_gives_the_first_answer_where_it_was_lost(
    engine: Engine, leaver: Engine, leaving: Leaving, memory: Memory, step: str
) -> None:
    asked = await requests(engine, memory)
    assert asked.keys() == {name for name, operation in OPERATIONS.items() if operation.once}
    killed, wrong = leaver.memory(memory.principal.user_id), {}
    for name, request in asked.items():
        first: object = None
        leaving.step = step
        with suppress(Left):
            first = await request(killed.once(name))
        leaving.step = ""
        second = await repeated(engine, memory, name, request)
        third = await repeated(engine, memory, name, request)
        answers = [answer for answer in (first, second, third) if answer is not None]
        if other := [shown for answer in answers for shown in differences(answers[0], answer)]:
            wrong[name] = other
    assert not wrong, "\n".join(f"{name}: {other}" for name, other in wrong.items())


@pytest.mark.ledger("U02")
@pytest.mark.parametrize("kind", ["user", "persona"])
async def test_a_lost_version_comes_back_with_its_ids_and_replaces_no_later_one(
    engine: Engine, memory: Memory, kind: PrincipalKind
) -> None:
    """Of the user, or of a persona, beside the user's own under the same keys and names."""
    root = memory.principal.user_id
    lake = (await memory.nodes.provision(NewNode(root, "Lake"))).node_id
    coach = (await memory.nodes.provision(NewNode(root, "Coach", "persona"))).node_id
    await memory.grants.give(NewGrant(lake, "persona", coach, "read_write"))
    users, hers = memory, engine.memory_as(Principal("persona", coach, root))
    memory, other = (users, hers) if kind == "user" else (hers, users)
    texts = ("The reef lies to the north.", "The reef lies to the south.", "The reef lies to the east.")

    def sent(text: str) -> Request:
        return lambda m: m.records.remember_text("Chart", text, source_id="chart", node_id=lake)

    firsts = [await sent(text)(memory.once(text)) for text in texts]
    others = [await sent(text)(other.once(text)) for text in texts]
    for text, first in zip(texts, firsts, strict=True):
        assert not differences(first, await repeated(engine, memory, text, sent(text)))
    [document] = firsts[-1].documents
    versions = await memory.documents.versions(document.document_id)
    assert [one.version for one in versions] == [1, 2, 3] and document.version == 3
    assert document.document_id != others[-1].documents[0].document_id
