"""A user of whom something of everything is stored, and the questions by which two homes are compared."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID

from pydantic_core import to_jsonable_python

from engine.domain.clock import NOW, Moment
from engine.domain.context import ContextRequest
from engine.domain.delta import Change
from engine.domain.fact import FactFilter, WrittenFact
from engine.domain.forgetting import ForgettingSubject
from engine.domain.grant import NewGrant
from engine.domain.node import NewNode, User
from engine.domain.occasion import NewEvent
from engine.domain.principal import Principal
from engine.domain.retraction import RetractionSubject
from engine.domain.search import SearchRequest
from engine.errors import NeurigraphError
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.contract.withdrawn import lived
from tests.forgetting.lives import LIVES, said, stated
from tests.forgetting.test_users import finished

QUERIES = (
    "Who lives in Hull?", "Where does Teresa work?", "Who is married to whom?", "cake", "boat", "the code of the gate",
    "Ellen Harlan", "What does Dave Kowalski do?", "rent", "piano on Fridays", "What is Bob's bike?", "When does the ferry leave?",
    "the pump is loud", "garden", "kayak", "chess", "Marta Kell", "walnut shelf", "What changed at Harlan Joinery?", "Lyon",
)  # fmt: skip
OF_USE = {"last_accessed_at", "access_count", "timings_ms", "entry_id", "number", "before"}
"""What reads themselves change, what the machine says of itself, numbers of lines that each installation counts."""
MARK = re.compile(r"</?memory [0-9a-f]+>")
"""Around a context: another one each time."""


@dataclass
class WholeLife:
    """A user, the moments at which things changed, the personas and integrations that may read, and what was forgotten."""

    user: User
    memory: Memory
    moments: list[Moment] = field(default_factory=lambda: [NOW])
    readers: list[Principal] = field(default_factory=list)
    forgotten: str = "Zwiebelfisk"


async def lived_wholly(engine: Engine, user: User, *, long: bool) -> WholeLife:
    """Conversations, documents with versions, facts in chains, merges, corrections, withdrawals and one that was undone, moves, edges,
    personas, rights, archived nodes, events, something forgotten."""
    memory = engine.memory(user.user_id)
    life = WholeLife(user, memory)
    root = user.user_id
    boats = await memory.nodes.provision(
        NewNode(root, "Boats", summary="What floats.", keywords=("sail",), aliases=("Ships",))
    )
    for name in ("merge", "correction", "aliases") if long else ("merge", "correction"):
        for step in LIVES[name].steps:
            await step.work(memory)
    await _chains(memory, boats.node_id)
    life.moments.append(Moment(known_at=datetime.now(UTC)))
    if long:
        await lived(user, memory)
    else:
        await _withdrawn(memory, root)
    life.moments.append(Moment(known_at=datetime.now(UTC)))
    coach = await memory.nodes.provision(NewNode(root, "Coach", "persona"))
    old = await memory.nodes.provision(NewNode(boats.node_id, "Old boats"))
    report = await memory.records.remember_text("Iltis", "The Iltis leaks at the mast.", node_id=old.node_id)
    await memory.records.move(report.records[0].record_id, old.node_id, boats.node_id)
    made = await memory.edges.make(boats.node_id, coach.node_id, "SHARED_WITH", {"since": "2024"})
    await memory.edges.make(coach.node_id, root, "rows with", {})
    await memory.history.change(Change("edge", made.edge_id, {"properties": {"since": "2025"}}, boats.node_id))
    await memory.history.change(Change("node", boats.node_id, {"name": "Yachts", "summary": "What sails."}))
    await memory.nodes.archive(old.node_id)
    shop = await engine.workspace.integrations.create(f"Shop {user.handle}")
    await memory.grants.give(NewGrant(boats.node_id, "third_party", shop.integration_id, past=True))
    given = await memory.grants.give(NewGrant(boats.node_id, "persona", coach.node_id, "read_write"))
    ended = await memory.grants.give(NewGrant(root, "persona", coach.node_id))
    await memory.grants.revoke(ended.grant_id)
    assert given.grant_id != ended.grant_id
    life.readers = [
        Principal("persona", coach.node_id, root),
        Principal("third_party", shop.integration_id, root),
    ]
    await memory.events.write(
        NewEvent("decision", "We sell the Iltis.", emotion="sadness", intensity=0.4, node_id=boats.node_id)
    )
    await memory.records.remember_text("Secret", "The safe is behind the clock.", privacy="private", node_id=root)
    gone = await memory.records.remember_text(
        "Gone", f"Mrs. {life.forgotten} sleeps in the attic.", node_id=root, source_id="gone"
    )
    life.moments.append(Moment(known_at=datetime.now(UTC)))
    await _forget(engine, memory, str(gone.records[0].record_id))
    life.moments.append(Moment(as_of=datetime(2024, 5, 11, tzinfo=UTC)))
    return life


async def _forget(engine: Engine, memory: Memory, record: str) -> None:
    one = await memory.forgettings.forget(ForgettingSubject("record", record))
    while one.state == "running":  # on a busy machine
        one = await memory.forgettings.forget(ForgettingSubject("record", record))
    assert (await finished(engine, one)).state == "done"


async def _chains(memory: Memory, node: UUID) -> None:
    steps = (
        stated("Dave Kowalski lives in Ghent."), stated("Dave Kowalski lives in Leeds.", day=3), stated("Ellen Harlan works at Acme."),
        stated("Ellen Harlan no longer works at Acme.", day=5), stated("Ellen Harlan likes sailing."), stated("Ellen Harlan likes sailing.", day=9),
        said(2, "Ellen Harlan is married to Dave Kowalski.", "The walnut shelf is 90 cm wide."), said(7, "Dave Kowalski works at Harlan Joinery."),
        said(8, "I keep the key under the mat.", privacy="private"),
    )  # fmt: skip
    for step in steps:
        await step.work(memory)
    for text in (
        "# Lease\n\nThe rent is 900.\n\n# Keys\n\nTwo keys.",
        "# Lease\n\nThe rent is 950.\n\n# Keys\n\nTwo keys.",
    ):
        await memory.records.remember_text("Lease", text, source_id="lease", node_id=node)


async def _withdrawn(memory: Memory, root: UUID) -> None:
    """A fact that is withdrawn, and one whose withdrawal is undone; a text that is corrected."""
    for text, undone in (("Marta Kell plays chess.", False), ("Marta Kell plays the harp.", True)):
        (fact,) = await memory.facts.write(WrittenFact(text), node_id=root)
        retraction = await memory.retractions.retract(RetractionSubject("fact", str(fact.fact_id)), "wrong")
        if undone:
            await memory.retractions.undo(retraction.retraction_id)
    await memory.records.remember_text("Piano", "Mr. Brandt teaches the piano on Tuesdays.", node_id=root)
    hit = next(one for one in (await memory.search(SearchRequest("piano"))).hits if "Tuesdays" in one.content)
    fields = {"content": "Mr. Brandt teaches the piano on Fridays."}
    await memory.history.change(Change("item", hit.item_id, fields, hit.node_id, correction=True))


Question = tuple[str, Callable[[], Awaitable[object]]]


async def answers(engine: Engine, life: WholeLife, *, long: bool) -> dict[str, str]:
    """The answers to all questions, by their names."""
    given = {}
    memory = life.memory
    for name, ask in [*(await _questions(memory, life.moments, long=long)), *_of_readers(engine, life)]:
        given[name] = await _answer(ask)
    return given


async def _answer(ask: Callable[[], Awaitable[object]]) -> str:
    try:
        plain = _shown(to_jsonable_python(await ask(), bytes_mode="base64"))
        if isinstance(plain, dict) and "hits" in plain:  # when it was asked
            plain = {name: one for name, one in plain.items() if name not in ("as_of", "known_at")}
        return json.dumps(plain, indent=1)
    except NeurigraphError as error:
        return f"{type(error).__name__}: {error.detail}"


def _shown(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _shown(one) for name, one in value.items() if name not in OF_USE}
    if isinstance(value, str):
        return MARK.sub("", value)
    return [_shown(one) for one in value] if isinstance(value, list) else value


def differences(before: dict[str, str], after: dict[str, str]) -> dict[str, list[str]]:
    """By question the lines of the answers that differ."""
    found = {}
    for name, one in before.items():
        lines = difflib.unified_diff(one.splitlines(), after.get(name, "").splitlines(), lineterm="", n=0)
        if differing := [line for line in lines if not line.startswith(("---", "+++", "@@"))]:
            found[name] = differing
    return found


async def _questions(memory: Memory, moments: Sequence[Moment], *, long: bool) -> list[Question]:
    root = memory.principal.user_id
    most = 40 if long else 8
    entities = [one.entity_id for one in await memory.entities.list(limit=100, everything=True)][:most]
    facts = [one.fact_id for one in await memory.facts.list(FactFilter(status=None, limit=100))][:most]
    nodes = [root, *(one.node_id for one in await memory.nodes.tree())]
    records = [
        (one.node_id, record) for one in await memory.nodes.tree() for record in await _records(memory, one.node_id)
    ]
    found = list(_timeless(memory, entities, facts))
    for number, moment in enumerate(moments):
        found += [(f"{name} at {number}", ask) for name, ask in _at(memory, moment, entities, nodes)]
        for node, record in records[: most * 2]:
            state = partial(memory.history.state, "record", record, node_id=node, moment=moment)
            found.append((f"record {record} at {number}", state))
    for node, record in records[: most * 2]:
        found.append((f"changes of {record}", partial(memory.history.deltas, "record", record, node_id=node)))
    for document in await memory.documents.list():
        found.append((f"versions {document.document_id}", partial(memory.documents.versions, document.document_id)))
        for number in (1, None):
            found.append(
                (f"read {document.document_id} {number}", partial(memory.documents.read, document.document_id, number))
            )
    for one in (await memory.resources.list(limit=100))[:most]:
        found.append((f"input {one.resource_id}", partial(memory.resources.content, one.resource_id)))
    return found


async def _records(memory: Memory, node: UUID) -> list[UUID]:
    return [one.record_id for one in (await memory.nodes.metadata(node)).records]


def _at(memory: Memory, moment: Moment, entities: Sequence[UUID], nodes: Sequence[UUID]) -> Iterator[Question]:
    for query in QUERIES:
        yield f"search {query}", partial(memory.search, SearchRequest(query, 20, moment=moment, relations=True))
    yield "tree", partial(memory.nodes.tree, moment)
    yield "edges", partial(memory.edges.list, moment)
    yield "entities", partial(memory.entities.list, moment, everything=True)
    yield "merges", partial(memory.entities.merges, moment)
    for name in ("Boats", "Yachts", "Ships"):
        yield f"anchors {name}", partial(memory.nodes.anchors, name, moment)
    for entity in entities:
        yield f"entity {entity}", partial(memory.entities.get, entity, moment)
        yield f"relations {entity}", partial(memory.entities.relations, entity, moment, ended=True)
    for node in dict.fromkeys(nodes):
        yield f"shell {node}", partial(memory.nodes.shell, node, moment)
        yield f"metadata {node}", partial(memory.nodes.metadata, node, moment=moment)


def _timeless(memory: Memory, entities: Sequence[UUID], facts: Sequence[UUID]) -> Iterator[Question]:
    yield "facts", partial(memory.facts.list, FactFilter(status=None, limit=100))
    yield "doubts", memory.facts.doubts
    yield "attributes", memory.facts.attributes
    yield "profile", memory.profiles.user
    yield "retractions", memory.retractions.list
    yield "grants", partial(memory.grants.list, ended=True)
    yield "events", memory.events.list
    yield "pairs", memory.entities.review
    yield "intentions", memory.intentions.list
    yield "assignments", memory.records.assignments
    yield "communities", memory.communities.list
    yield "insights", memory.insights.list
    yield "changes of the root", partial(memory.history.deltas, "node", memory.principal.user_id)
    for query in QUERIES[:4]:
        yield f"context {query}", partial(memory.context, ContextRequest(query, 800))
    for entity in entities:
        yield f"aliases {entity}", partial(memory.entities.aliases, entity)
        yield f"facts of {entity}", partial(memory.entities.facts, entity, ended=True)
        yield f"profile {entity}", partial(memory.profiles.entity, entity)
    for fact in facts:
        yield f"chain {fact}", partial(memory.facts.chain, fact)


def _of_readers(engine: Engine, life: WholeLife) -> Iterator[Question]:
    for reader in life.readers:
        memory = engine.memory_as(reader)
        for query in QUERIES[:6]:
            yield f"{reader.kind} {query}", partial(memory.search, SearchRequest(query, 20))
        yield f"{reader.kind} edges", memory.edges.list
