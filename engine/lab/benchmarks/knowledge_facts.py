"""Facts of one user: what another thousand of them costs, where a thousand, ten thousand and more are known already.

A model that answers without a service reads each turn as one fact, so all steps are real but the call. Rules decide what a
fact does to known ones, as nothing answers that question here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import product

from engine.domain.history import Conversation, History, Turn
from engine.errors import UnusableAnswer
from engine.lab.benchmarks.ground import Ground
from engine.lab.benchmarks.report import Figure, at_most
from engine.lab.benchmarks.trips import counted
from engine.memory import Memory
from engine.progress import Progress
from engine.providers.language import Answer, Form, Prompt

FIRST, TIMES, MEASURED, BATCH = 1_000, 10, 1_000, 50
"""Facts at first, how many times more at each further size, measured ones at each, facts of a conversation."""
MOST_GROWTH, MOST_TRIPS = 1.3, 4
_TASK = "facts"
_LINE = re.compile(r"^\[(\d+)\] [^:\n]+: ((.+?)'s .*)$", re.MULTILINE)
"""A turn in the text for the model: its number, the statement, of whom."""
_ABOUT = "cabin garden boat desk bicycle kitchen violin stove orchard lantern".split()
_PARTS = "colour supplier insurance painter keeper smell price doctor neighbour plan".split()
_VALUES = "Aker Brome Celle Dorn Elverum Farsund Gimle Hamar Inde Jolster".split()


class ReadsLines:
    """A language model that returns each turn as a fact."""

    name = "bench:lines"

    async def answer(self, prompt: Prompt, text: str, form: type[Form]) -> Answer[Form]:
        """Raises UnusableAnswer for other questions."""
        if prompt.name != "extract":
            raise UnusableAnswer("Only facts are read here.")
        facts = [
            {"text": said, "subjects": [whom], "first_line": int(line), "last_line": int(line)}
            for line, said, whom in _LINE.findall(text)
        ]
        return Answer(form.model_validate({"summary": "Facts.", "facts": facts}), 0, 0)

    async def close(self) -> None:
        """Does nothing."""


async def measured(ground: Ground, people: Sequence[str], most: int, progress: Progress) -> list[Figure]:
    """The figures at each size up to `most`, and the round trips of a batch beside one of the same turns that are no facts."""
    memory, known = await ground.memory(), 0
    rates: list[float] = []
    figures: list[Figure] = []
    progress.start(_TASK, most + MEASURED, "facts")
    size = FIRST
    while size <= most:
        await _stored(memory, people, known, size - known, progress)
        before = ground.meter.read()
        await _stored(memory, people, size, MEASURED, progress)
        spent, known = ground.meter.read().since(before), size + MEASURED
        rates.append(spent.total_cpu / MEASURED)
        figures += [
            Figure(f"facts a second at {size:,}", round(MEASURED / spent.wall, 1), "facts/s"),
            Figure(f"CPU of a fact at {size:,}", round(rates[-1] * 1000, 2), "ms"),
        ]
        if len(rates) > 1:
            figures.append(at_most(f"its growth up to {size:,}", rates[-1] / rates[-2], "times", MOST_GROWTH))
        size *= TIMES
    progress.finish(_TASK)
    return [*figures, *await _trips(ground, people)]


async def _trips(ground: Ground, people: Sequence[str]) -> list[Figure]:
    """What a batch of facts costs in round trips, beyond the same turns without facts."""
    memory, found = await ground.memory(), []
    await memory.ingests.history(History("bench", "Bench", (_conversation(people, "first", 0),)))
    for name, plain in (("facts", False), ("plain", True)):
        async with counted(ground.engine) as trips:
            await memory.ingests.history(History("bench", "Bench", (_conversation(people, name, BATCH, plain=plain),)))
        found.append(trips.postgres + trips.neo4j)
    whole, without = found
    return [
        Figure(f"round trips of {BATCH} turns without facts", without, "trips"),
        at_most(f"more with {BATCH} facts", whole - without, "trips", MOST_TRIPS),
    ]


async def _stored(memory: Memory, people: Sequence[str], start: int, count: int, progress: Progress) -> None:
    conversations = tuple(
        _conversation(people, f"facts {number}", number) for number in range(start, start + count, BATCH)
    )
    await memory.ingests.history(History("bench", "Bench", conversations))
    progress.advance(_TASK, count)


def _conversation(people: Sequence[str], name: str, start: int, *, plain: bool = False) -> Conversation:
    at = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(hours=start)
    texts = [_statement(people, number) for number in range(start, start + BATCH)]
    return Conversation(
        name, tuple(Turn("Bench", text.replace("'s ", " and ") if plain else text, at) for text in texts)
    )


def _statement(people: Sequence[str], number: int) -> str:
    """One of 100 attributes of a person: each person has as many facts, however many facts there are."""
    thing, part = list(product(_ABOUT, _PARTS))[number % 100]
    return f"{people[number // 100 % len(people)]}'s {thing} {part} is {_VALUES[number * 7 % 10]} {number % 97}."
