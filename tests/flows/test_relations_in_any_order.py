"""Relations of which one holds at a time, whatever is said, denied, changed by hand, withdrawn and brought back: what is kept of
now is what a read of this moment finds, and reads of the past show what they showed then."""

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
from tests.flows.test_reworded_records import job

TOWNS = ("Oslo", "Bergen", "Narvik")
TEXTS = ("Dave Kowalski lives in {}.", "Dave Kowalski no longer lives in {}.", "Dave Kowalski came by.")
Homes = dict[str, tuple[Any, ...]]


class Story:
    """What is done, and what was read of each moment."""

    def __init__(self, engine: Engine, memory: Memory, seed: int) -> None:
        self.engine, self.memory, self.rng = engine, memory, random.Random(seed)
        self.me = memory.principal.user_id
        self.records: list[UUID] = []
        self.facts: list[UUID] = []
        self.withdrawn: dict[UUID, UUID] = {}
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
        found = await self.memory.entities.list(moment, name="kowalski")
        relations = await self.memory.entities.relations(found[0].entity_id, moment, ended=True) if found else ()
        return {one.other_name: (one.since, one.until, one.strength) for one in relations}

    def text(self) -> str:
        return self.rng.choice((TEXTS[0], *TEXTS)).format(self.rng.choice(TOWNS))

    async def say(self) -> str:
        text, at = self.text(), datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=self.rng.randrange(40) * 30)
        conversation = Conversation(str(uuid4()), (Turn("Bob", text, at),))
        report = await self.memory.records.remember(conversation, node_id=self.me)
        self.records.append(report.records[0].record_id)
        return f"{at:%Y-%m-%d} {text}"

    async def state(self) -> str:
        """A fact: one that only confirms another is no record that is withdrawn by itself here."""
        text, at = self.text(), datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=self.rng.randrange(40) * 30)
        line = await self.memory.facts.write(WrittenFact(text, ("Dave Kowalski",), at=at))
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
        *story.rng.choices(("say", "state", "reword", "retract", "undo"), (2, 2, 2, 2, 1), k=6),
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
