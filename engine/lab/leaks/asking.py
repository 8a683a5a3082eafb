"""One operation of the fuzzer: its principal, its call, and the judge of its outcome."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

import psycopg

from engine.domain.clock import NOW, Moment
from engine.errors import NeurigraphError
from engine.lab.leaks.model import World
from engine.lab.leaks.things import Asker, tokens

if TYPE_CHECKING:
    from engine.memory import Memory
    from engine.neurigraph import Engine

Judge = Callable[[object], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Operation:
    """One question: principal, subject, call, and a judge that returns what is wrong with the answer or error."""

    asker: Asker
    about: str
    ask: Callable[[Engine], Awaitable[object]]
    judge: Judge
    kind: str = ""

    def __str__(self) -> str:
        return f"{self.kind} by {self.asker}: {self.about}"


Draw = Callable[[World, Random], Operation]
"""Makes one operation of its kind."""


class Draws(dict[str, tuple[Draw, int]]):
    """Kinds of operations with their weights."""

    def of(self, kind: str, weight: int) -> Callable[[Draw], Draw]:
        """Enters a function that makes operations of a kind; it is drawn in proportion to its weight."""

        def enter(draw: Draw) -> Draw:
            self[kind] = (lambda world, rng: replace(draw(world, rng), kind=kind)), weight
            return draw

        return enter


def any_principal(world: World, rng: Random) -> Asker:
    """A user, a persona or an integration; sometimes unknown or in a graph that is not its own."""
    graph = rng.choice(world.users)
    draw = rng.random()
    elsewhere = rng.choice(world.users) if rng.random() < 0.1 else graph
    if draw < 0.2:
        return Asker("user", graph, elsewhere)
    if draw < 0.62:
        personas = [place for place in world.places.values() if place.user_id == graph and place.node_type == "persona"]
        return Asker("persona", rng.choice(personas).node_id, elsewhere)
    if draw < 0.96:
        return Asker("third_party", rng.choice([*world.integrations, world.stranger]), graph)
    concepts = [place for place in world.places.values() if place.user_id == graph and place.node_type == "concept"]
    return Asker("persona", rng.choice(concepts).node_id if draw < 0.98 else uuid4(), graph)


def some_node(world: World, asker: Asker, rng: Random) -> UUID:
    """Any node, most often of the asker's graph, often a readable one, sometimes an unknown one."""
    draw = rng.random()
    if draw < 0.35:
        readable = world.readable(asker, asker.graph)
        if readable:
            return rng.choice(readable).node_id
    if draw < 0.85:
        return rng.choice([place for place in world.places.values() if place.user_id == asker.graph]).node_id
    return rng.choice(list(world.places)) if draw < 0.96 else uuid4()


async def outcome_of(work: Awaitable[object]) -> object:
    """The answer, or the error as a value: the engine's own, or an unexpected one, which no judge accepts."""
    try:
        return await work
    except (NeurigraphError, psycopg.Error, LookupError, ValueError, TypeError) as error:
        return error


def question(
    world: World, asker: Asker, about: str, ask: Callable[[Memory], Awaitable[object]], judge: Judge,
    moment: Moment = NOW,
) -> Operation:  # fmt: skip
    """An operation of the public API. Besides the judge's own checks the answer must not name anything that the asker
    may not read at the requested time."""

    async def asked(engine: Engine) -> object:
        return await outcome_of(ask(engine.memory_as(asker.principal)))

    def judged(outcome: object) -> Iterator[str]:
        yield from judge(outcome)
        known = tokens(about) if moment != NOW else frozenset()
        yield from world.foreign(asker, (outcome, getattr(outcome, "detail", "")), known, moment.earliest)

    return Operation(asker, f"{about} {moment}" if moment != NOW else about, asked, judged)
