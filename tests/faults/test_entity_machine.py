"""Random histories of what records say, of merges and of writes that fail: the doctor finds nothing, and what is read is what was said."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from uuid import UUID

import pytest

from engine.commit.set_aside import SetAside
from engine.domain.delta import Change
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.faults.half_way import Leaving, left, set_aside, spoil
from tests.faults.killing import all_agree
from tests.readings import read_again

Relation = tuple[str, str, str]
SENTENCES: dict[str, tuple[set[str], Relation | None]] = {
    # what is said: whom it names, and a relation between them
    "We met Arne Gunderson.": ({"Arne Gunderson"}, None),
    "Luis Ortega called.": ({"Luis Ortega"}, None),
    "Ellen Harlan works at Mill Bakery Inc.": (
        {"Ellen Harlan", "Mill Bakery Inc."}, ("Ellen Harlan", "WORKS_AT", "Mill Bakery Inc."),
    ),
    "Teresa Vang is married to Arne Gunderson.": (
        {"Teresa Vang", "Arne Gunderson"}, ("Teresa Vang", "MARRIED_TO", "Arne Gunderson"),
    ),
    "Luis Ortega works at Mill Bakery Inc.": (
        {"Luis Ortega", "Mill Bakery Inc."}, ("Luis Ortega", "WORKS_AT", "Mill Bakery Inc."),
    ),
    "Teresa Vang lives in Galway.": ({"Teresa Vang", "Galway"}, ("Teresa Vang", "LIVES_IN", "Galway")),
    "Teresa Vang lives in Lunenburg.": ({"Teresa Vang", "Lunenburg"}, ("Teresa Vang", "LIVES_IN", "Lunenburg")),
}  # fmt: skip
ALIKE = ("We met Dave Kowalski.", "Dave Grohl plays tonight.", "Then Dave came by.")
"""Said at the beginning, in this order: two pairs that may be one are left for the user."""
NAMES = {"Dave Kowalski", "Dave Grohl", "Dave"} | {name for names, _ in SENTENCES.values() for name in names}
FILLER = "\n\n" + "It rained all day, and the gasket of the boat leaks. " * 30
STEPS = 16


@dataclass
class Said:
    """A record: where it lies, and what it says now."""

    record: UUID
    node: UUID
    sentences: tuple[str, ...]


@dataclass
class Machine:
    """The engine and the model of it, changed alike. `parts`: merges that hold, by the name of what was merged."""

    engine: Engine
    leaver: Engine
    leaving: Leaving
    memory: Memory
    nodes: list[UUID]
    rng: Random
    said: dict[str, Said] = field(default_factory=dict)
    parts: dict[str, tuple[str, UUID]] = field(default_factory=dict)
    ids: dict[str, UUID] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    numbers: Iterable[int] = field(default_factory=count)

    # steps -------------------------------------------------------------------------------------------

    def some(self) -> tuple[str, ...]:
        return tuple(self.rng.sample(sorted(SENTENCES), self.rng.randint(1, 3)))

    async def talk(self) -> None:
        source, said, node = f"talk {next(self.numbers)}", self.some(), self.rng.choice(self.nodes)
        report = await self.memory.records.remember(conversation(source, said), node_id=node)
        self.said[source] = Said(report.records[0].record_id, node, said)

    async def document(self) -> None:
        """A new one, or a new version of one."""
        known = [source for source in self.said if source.startswith("note")]
        source = self.rng.choice([*known, f"note {next(self.numbers)}"])
        node = self.said[source].node if source in self.said else self.rng.choice(self.nodes)
        said = self.some()
        text = " ".join(said) + FILLER
        report = await self.memory.records.remember_text("A note", text, source_id=source, node_id=node)
        if report.records:
            self.said[source] = Said(report.records[0].record_id, node, said)
        elif self.said[source].sentences != said:
            raise AssertionError(f"{source} was not renewed")

    async def at_once(self) -> None:
        await asyncio.gather(*(self.talk() for _ in range(4)), self.document())

    async def move(self) -> None:
        if not self.said:
            return
        said = self.said[self.rng.choice(sorted(self.said))]
        target = self.rng.choice([node for node in self.nodes if node != said.node])
        await self.memory.records.move(said.record, said.node, target)
        said.node = target

    async def reword(self) -> None:
        """A turn says something else: once, or twice before it is read again."""
        talks = [said for source, said in sorted(self.said.items()) if source.startswith("talk")]
        if not talks:
            return
        said = self.rng.choice(talks)
        old = self.rng.choice(said.sentences)
        item = await self.item_of(said, old)
        for new in self.rng.sample(sorted(SENTENCES.keys() - set(said.sentences)), self.rng.randint(1, 2)):
            await self.memory.history.change(Change("item", item, {"content": new}, said.node, correction=True))
            said.sentences = tuple(new if one == old else one for one in said.sentences)
            old = new
        await self.engine.derivations.run("entities")

    async def item_of(self, said: Said, sentence: str) -> UUID:
        name = self.whole(min(names_of(sentence)))
        [entity] = [one for one in await self.memory.entities.list(limit=500) if one.name == name]
        mentions = [
            one for one in (await self.memory.entities.get(entity.entity_id)).latest if one.record_id == said.record
        ]
        for item in {UUID(span.partition(":")[0]) for one in mentions for span in one.spans}:
            state = await self.memory.history.state("item", item, node_id=said.node)
            if state.fields is not None and state.fields["content"] == sentence:
                return item
        raise AssertionError(f"no turn of {said} says {sentence}")

    async def discard(self) -> None:
        """A write that failed before or after the graph had it, and is discarded."""
        said, step = self.some(), self.rng.choice(("accepted", "graph_written"))
        write = self.leaver.memory(self.memory.principal.user_id).records.remember(
            conversation(f"lost {next(self.numbers)}", said), node_id=self.rng.choice(self.nodes)
        )
        commit = await left(self.leaver, self.leaving, self.memory.principal.user_id, write, step)
        await spoil(self.engine, commit, "{changes,0,records,0,occurred_at}", '"no time"')
        await set_aside(self.engine, commit)
        await self.engine.parts[SetAside].discard(commit, "operator")
        await self.engine.sweep.run(grace=timedelta(0))

    async def merge(self) -> None:
        whole = sorted({self.whole(name) for name in self.ids if name in self.counts()})
        if len(whole) > 1:
            first, second = self.rng.sample(whole, 2)
            merge = await self.memory.entities.merge(self.ids[first], self.ids[second])
            self.parts[second] = (first, merge.merge_id)

    async def undo(self) -> None:
        if self.parts:
            _, merge_id = self.parts.pop(self.rng.choice(sorted(self.parts)))
            await self.memory.entities.undo_merge(merge_id)

    async def apart(self) -> None:
        for pair in await self.memory.entities.review():
            await self.memory.entities.tell_apart(pair.pair_id)
            assert pair.pair_id not in {one.pair_id for one in await self.memory.entities.review()}
            return

    async def read_again(self) -> None:
        await self.engine.neo4j.write(
            "MATCH (r:Record {user_id: $user}) REMOVE r.mentions_reader, r.relations_reader RETURN count(*) AS done",
            user=str(self.memory.principal.user_id),
        )
        await read_again(self.engine, self.memory.principal.user_id)

    # the model ---------------------------------------------------------------------------------------

    def whole(self, name: str) -> str:
        while name in self.parts:
            name = self.parts[name][0]
        return name

    def counts(self) -> dict[str, tuple[int, int]]:
        """Of each entity that is read: how many records mention it or its parts, and how many nodes hold these."""
        records: dict[str, set[UUID]] = {}
        nodes: dict[str, set[UUID]] = {}
        for said in self.said.values():
            for name in {self.whole(name) for sentence in said.sentences for name in names_of(sentence)}:
                records.setdefault(name, set()).add(said.record)
                nodes.setdefault(name, set()).add(said.node)
        return {name: (len(records[name]), len(nodes[name])) for name in records}

    def related(self, whole: str) -> Counter[tuple[str, str, int]]:
        """Relations of an entity and its parts: type, the other end, strength."""
        stated = Counter(
            relation
            for said in self.said.values()
            for sentence in said.sentences
            if (relation := SENTENCES.get(sentence, ((), None))[1])
        )
        found: Counter[tuple[str, str, int]] = Counter()
        for (source, kind, target), strength in stated.items():
            for end, other in ((source, target), (target, source)):
                if self.whole(end) == whole:
                    found[kind, other, strength] += 1
        return found

    async def check(self) -> None:
        assert await self.engine.doctor.examine() == [], self.log
        shown = {
            one.name: one for one in await self.memory.entities.list(limit=500, everything=True) if one.name in NAMES
        }
        assert {name: (one.mentions, one.nodes) for name, one in shown.items()} == self.counts(), self.log
        for name, one in shown.items():
            assert self.ids.setdefault(name, one.entity_id) == one.entity_id, (name, self.log)
            found = await self.memory.entities.relations(one.entity_id, ended=True)
            assert Counter((it.relation_type, it.other_name, it.strength) for it in found) == self.related(name), (
                name,
                self.log,
            )
            entity = await self.memory.entities.get(one.entity_id)
            assert sum(place.mentions for place in entity.anchors) == one.mentions, (name, self.log)


def conversation(source: str, said: tuple[str, ...]) -> Conversation:
    return Conversation(source, tuple(Turn("Bob", sentence) for sentence in said))


def names_of(sentence: str) -> set[str]:
    if sentence in SENTENCES:
        return SENTENCES[sentence][0]
    return {next(name for name in ("Dave Kowalski", "Dave Grohl", "Dave") if name in sentence)}


@pytest.fixture
async def machine(
    engine: Engine, leaver: Engine, leaving: Leaving, user: User, request: pytest.FixtureRequest
) -> Machine:
    memory = engine.memory(user.user_id)
    nodes = [user.user_id]
    for name in ("Family", "Work"):
        nodes.append((await memory.nodes.provision(NewNode(user.user_id, name))).node_id)
    made = Machine(engine, leaver, leaving, memory, nodes, Random(request.param))
    for number, sentence in enumerate(ALIKE):
        report = await memory.records.remember(conversation(f"c{number}", (sentence,)), node_id=nodes[1])
        made.said[f"c{number}"] = Said(report.records[0].record_id, nodes[1], (sentence,))
    assert len(await memory.entities.review()) == 2
    return made


STEPS_OF = (
    "talk",
    "talk",
    "document",
    "document",
    "at_once",
    "move",
    "move",
    "reword",
    "reword",
    "discard",
    "merge",
    "merge",
    "undo",
    "apart",
    "read_again",
)


@pytest.mark.ledger("A09", "X05", "F08")
@pytest.mark.parametrize("machine", range(2), indirect=True)
async def test_any_history_of_a_knowledge_graph_fits_what_was_said(machine: Machine) -> None:
    steps = [*dict.fromkeys(STEPS_OF), *machine.rng.choices(STEPS_OF, k=STEPS)]
    await machine.check()
    for number, step in enumerate(steps):
        machine.log.append(step)
        await getattr(machine, step)()
        if number % 6 == 5 or step == "discard":
            await machine.check()
    await machine.check()


async def state_of(memory: Memory) -> list[object]:
    """All entities with their names, counts and relations."""
    found = await memory.entities.list(limit=500, everything=True)
    related = [await memory.entities.relations(one.entity_id, ended=True) for one in found]
    return [
        (replace(await memory.entities.get(one.entity_id), access_count=0, last_accessed_at=None), one, relations)
        for one, relations in zip(found, related, strict=True)
    ]


@pytest.mark.ledger("A09")
@pytest.mark.parametrize("step", ["accepted", "graph_written"])
async def test_a_discarded_write_takes_away_what_it_said_and_nothing_else(
    engine: Engine, leaver: Engine, leaving: Leaving, user: User, step: str
) -> None:
    """It ended a relation, made another, named known and new entities, and stated again what a note no longer states."""
    memory = engine.memory(user.user_id)
    first = Turn("Bob", "Teresa Vang lives in Galway. Luis Ortega called.", datetime(2024, 5, 1, tzinfo=UTC))
    await memory.records.remember(Conversation("c1", (first,)))
    for text in ("Ellen Harlan works at Mill Bakery Inc.", "We met Ellen Harlan at Mill Bakery Inc."):
        await memory.records.remember_text("A note", text + FILLER, source_id="note")
    before = await state_of(memory)
    lost = (
        "Teresa Vang lives in Lunenburg with Vern Tamarack. Ellen Harlan works at Mill Bakery Inc. We met Luis Ortega."
    )
    turn = Turn("Bob", lost, datetime(2025, 5, 1, tzinfo=UTC))
    write = leaver.memory(user.user_id).records.remember(Conversation("lost", (turn,)))
    commit = await left(leaver, leaving, user.user_id, write, step)
    assert (await state_of(memory) != before) == (step == "graph_written")
    await spoil(engine, commit, "{changes,0,records,0,occurred_at}", '"no time"')
    await set_aside(engine, commit)
    await engine.parts[SetAside].discard(commit, "operator")
    assert await state_of(memory) == before
    await all_agree(engine)
