"""Relations of which one holds at a time, whatever is said, denied, changed by hand, withdrawn, brought back, and of whomever
merged: what is kept of now is what a read of this moment finds, and reads of the past show what they showed then."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from engine.domain.clock import NOW, Moment
from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.retraction import RetractionSubject
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.entities.test_reworded_records import job

TOWNS = ("Oslo", "Bergen", "Narvik")
PEOPLE = ("Dave Kowalski", "Mick Tolan")
TEXTS = ("{} lives in {}.", "{} no longer lives in {}.", "{} came by.")
Homes = dict[str, tuple[Any, ...]]


class Story:
    """What is done, and what was read of each moment."""

    def __init__(self, engine: Engine, memory: Memory, seed: int) -> None:
        self.engine, self.memory, self.rng = engine, memory, random.Random(seed)
        self.me = memory.principal.user_id
        self.records: list[UUID] = []
        self.facts: list[UUID] = []
        self.withdrawn: dict[UUID, UUID] = {}
        self.merge_id: UUID | None = None
        self.done: list[str] = []
        self.seen: list[tuple[Moment, Homes]] = []

    @property
    def stated(self) -> list[UUID]:
        return self.records + self.facts

    async def step(self, kind: str) -> None:
        done = await getattr(self, kind)()
        moment = Moment(known_at=self.engine.parts.clock.now())
        homes = await self.homes(moment)
        self.done.append(f"{kind} {done}: {homes}")
        assert await self.homes() == homes, "\n".join(self.done)
        self.seen.append((moment, homes))

    async def homes(self, moment: Moment = NOW) -> Homes:
        """By person, as it is read alone or merged, and relation."""
        homes: Homes = {}
        for name in PEOPLE:
            for one in await self.memory.entities.list(moment, name=name.lower()):
                for home in await self.memory.entities.relations(one.entity_id, moment, ended=True):
                    key = f"{one.name} {home.other_name} {home.relation_id}"
                    homes[key] = (home.since, home.until, home.strength)
        return homes

    def text(self) -> str:
        person = self.rng.choice((PEOPLE[0], *PEOPLE))
        return self.rng.choice((TEXTS[0], *TEXTS)).format(person, self.rng.choice(TOWNS))

    async def merge(self) -> str:
        """Makes one of the two, or ends that."""
        if self.merge_id:
            await self.memory.entities.undo_merge(self.merge_id)
            self.merge_id = None
            return "undone"
        found = [await self.memory.entities.list(name=name.lower(), everything=True) for name in PEOPLE]
        if not all(found):
            return "nothing"
        self.merge_id = (await self.memory.entities.merge(found[0][0].entity_id, found[1][0].entity_id)).merge_id
        return "done"

    async def say(self) -> str:
        text, at = self.text(), datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=self.rng.randrange(40) * 30)
        conversation = Conversation(str(uuid4()), (Turn("Bob", text, at),))
        report = await self.memory.records.remember(conversation, node_id=self.me)
        self.records.append(report.records[0].record_id)
        return f"{at:%Y-%m-%d} {text}"

    async def state(self) -> str:
        """A fact: one that only confirms another is no record that is withdrawn by itself here."""
        text, at = self.text(), datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=self.rng.randrange(40) * 30)
        line = await self.memory.facts.write(WrittenFact(text, tuple(one for one in PEOPLE if one in text), at=at))
        self.facts += [one.record_id for one in line if one.record_id not in self.facts]
        return f"{at:%Y-%m-%d} {text}"

    async def reword(self) -> str:
        record, text = self.rng.choice(self.records), self.text()
        place = "MATCH (:Record {record_id: $id})-[m:MENTIONS]->() RETURN left(m.spans[0], 36) AS item LIMIT 1"
        [row] = await self.engine.neo4j.read(place, id=str(record))
        change = Change("item", UUID(row["item"]), {"content": text}, self.me, correction=True)
        await self.memory.history.change(change)
        await job(self.engine)
        return f"{self.records.index(record)} {text}"

    async def retract(self) -> str:
        held = [one for one in self.stated if one not in self.withdrawn]
        if not held:
            return "nothing"
        record = self.rng.choice(held)
        gone = await self.memory.retractions.retract(RetractionSubject("record", str(record)))
        self.withdrawn[record] = gone.retraction_id
        return str(self.stated.index(record))

    async def undo(self) -> str:
        if not self.withdrawn:
            return "nothing"
        record = self.rng.choice(list(self.withdrawn))
        await self.memory.retractions.undo(self.withdrawn.pop(record))
        return str(self.stated.index(record))


async def run_story(engine: Engine, memory: Memory, seed: int) -> None:
    story = Story(engine, memory, seed)
    for kind in (
        "say",
        "state",
        *story.rng.choices(("say", "state", "reword", "retract", "undo", "merge"), (2, 2, 2, 2, 1, 2), k=7),
    ):
        await story.step(kind)
    for (moment, homes), done in zip(story.seen, story.done, strict=True):
        assert await story.homes(moment) == homes, "\n".join([*story.done, f"after {done}"])


@pytest.mark.ledger("A09", "X03", "N23")
@pytest.mark.parametrize("seed", range(4))
async def test_both_clocks_agree_whatever_is_done(engine: Engine, memory: Memory, seed: int) -> None:
    await run_story(engine, memory, seed)


@pytest.mark.long
@pytest.mark.ledger("A09", "X03", "N23")
@pytest.mark.parametrize("seed", range(4, 304))
async def test_both_clocks_agree_whatever_is_done_in_hundreds_of_orders(
    engine: Engine, memory: Memory, seed: int
) -> None:
    await run_story(engine, memory, seed)
