"""Lives of users: what is stored, changed and withdrawn step by step, of which some is forgotten."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.retraction import RetractionSubject
from engine.domain.search import SearchRequest
from engine.memory import Memory

START = datetime(2024, 5, 8, 18, tzinfo=UTC)


# what a user does --------------------------------------------------------------------------------------------

Work = Callable[[Memory], Awaitable[object]]


@dataclass(frozen=True)
class Step:
    """Something that a user does. `gone`: what it stores is forgotten, or it decides something of that alone."""

    work: Work
    gone: bool = False


def said(day: int, *texts: str, gone: bool = False, privacy: Any = "org", speaker: str = "Bob") -> Step:
    async def work(memory: Memory) -> None:
        turns = tuple(Turn(speaker, text) for text in texts)
        title = f"Gone {day}" if gone else f"Call {day}"
        talk = Conversation(f"{title} {uuid4()}", turns, title, START + timedelta(days=day), privacy=privacy)
        await memory.records.remember(talk, node_id=memory.principal.user_id)

    return Step(work, gone)


def wrote(title: str, text: str, *, gone: bool = False) -> Step:
    return Step(lambda memory: memory.records.remember_text(title, text, node_id=memory.principal.user_id), gone)


def stated(text: str, *, gone: bool = False, day: int = 0) -> Step:
    fact = WrittenFact(text, at=START + timedelta(days=day))
    return Step(lambda memory: memory.facts.write(fact, node_id=memory.principal.user_id), gone)


async def entity(memory: Memory, name: str) -> UUID:
    [found] = [one for one in await memory.entities.list(limit=500, everything=True) if name in (one.name, *one.names)]
    return found.entity_id


def merged(name: str, part: str, *, gone: bool = False) -> Step:
    async def work(memory: Memory) -> None:
        await memory.entities.merge(await entity(memory, name), await entity(memory, part), "they are one")

    return Step(work, gone)


def renamed(name: str, to: str) -> Step:
    async def work(memory: Memory) -> None:
        await memory.entities.correct(await entity(memory, name), name=to)

    return Step(work)


def alias(name: str, kind: Any, value: str, *, taken: bool = False, gone: bool = False) -> Step:
    async def work(memory: Memory) -> None:
        change = memory.entities.remove_alias if taken else memory.entities.add_alias
        await change(await entity(memory, name), kind, value)

    return Step(work, gone)


def changed(kind: Any, word: str, fields: Mapping[str, Any]) -> Step:
    """A change of a record or an item of what is forgotten."""

    async def work(memory: Memory) -> None:
        hit = next(one for one in (await memory.search(SearchRequest(word))).hits if word in one.content)
        subject = hit.record_id if kind == "record" else hit.item_id
        await memory.history.change(Change(kind, subject, fields, hit.node_id))

    return Step(work, gone=True)


def withdrew(title: str) -> Step:
    async def work(memory: Memory) -> None:
        [record] = [
            one for one in (await memory.nodes.metadata(memory.principal.user_id)).records if one.title == title
        ]
        await memory.retractions.retract(RetractionSubject("record", str(record.record_id)))

    return Step(work)


def moved(text: str) -> Step:
    """A record of what is forgotten is moved to a node of its own."""

    async def work(memory: Memory) -> None:
        root = memory.principal.user_id
        [hit] = [one for one in (await memory.search(SearchRequest(text))).hits if one.content == text]
        boats = next(one.node_id for one in await memory.nodes.children(root) if one.name == "Boats")
        await memory.records.move(hit.record_id, root, boats)

    return Step(work, gone=True)


# what is looked at --------------------------------------------------------------------------------------------


CAKE = said(1, "Teresa came by with a cake.")
COUPLE = said(5, "Ellen Harlan is married to Dave Kowalski.", "Dave Kowalski works at Harlan Joinery.")
CUP = said(6, "Teresa has a cup. Ellen Harlan works at Harlan Joinery.")
SOLD = said(
    3,
    "Teresa Vangorsk sold her boat to Zelmira Quimble.",
    "Teresa Vangorsk is married to Oskar Prill since 2003.",
    gone=True,
)


@dataclass(frozen=True)
class Life:
    """Steps of a user; `words` that only the forgotten has."""

    words: tuple[str, ...]
    steps: tuple[Step, ...]
    chains: bool = False
    """Whether only a withdrawal makes what is left right: chains of facts are Postgres's."""


LIVES = {
    "first": Life(("vangorsk", "quimble", "prill", "since 2003", "'2003'"), (SOLD, CAKE, COUPLE, CUP)),
    "between": Life(("vangorsk", "quimble", "prill", "since 2003", "'2003'"), (CAKE, SOLD, COUPLE, CUP)),
    "last": Life(("vangorsk", "quimble", "prill", "since 2003", "'2003'"), (CAKE, COUPLE, CUP, SOLD)),
    "two sources": Life(
        ("vangorsk", "quimble", "prill", "tulpenstern"),
        (SOLD, CAKE, said(4, "Teresa Vangorsk met Igor Tulpenstern.", gone=True), COUPLE, CUP),
    ),
    "relation that others state": Life(
        ("since 1987", "'1987'", "until 1991", "'1991'"),
        (
            said(1, "Ellen Harlan has worked at Harlan Joinery since 1987.", gone=True),
            said(2, "Ellen Harlan has worked at Harlan Joinery since 1995."),
            said(3, "Ellen Harlan works at Harlan Joinery."),
            said(4, "Ellen Harlan worked at Harlan Joinery until 1991.", gone=True),
        ),
    ),
    "marriage that ended another": Life(
        ("prill",),
        (
            said(1, "Marta Kell is married to Tomas Rook."),
            said(2, "Marta Kell is married to Oskar Prill.", gone=True),
            said(3, "Jonas Brandt is married to Ellen Sorby."),
        ),
    ),
    "marriage that was ended by two": Life(
        ("prill",),
        (
            said(2, "Marta Kell is married to Oskar Prill.", gone=True),
            said(1, "Marta Kell is married to Tomas Rook."),
            said(3, "Jonas Brandt is married to Marta Kell."),
        ),
    ),
    "marriage of a name that others shorten": Life(
        ("aadlerquist",),
        (
            said(1, "Marta Aadlerquist is married to Lena Kell.", gone=True),
            said(2, "Marta is married to Lena Kell."),
            said(3, "Lena Kell has a cup.", "Marta has a cup."),
        ),
    ),
    "merge": Life(
        ("vangorsk",),
        (
            said(1, "Teresa Vangorsk wrote a play.", gone=True),
            said(2, "Marianne Kuhn wrote a play."),
            said(3, "Teresa came by with a cake."),
            merged("Teresa", "Marianne Kuhn"),
        ),
    ),
    "correction": Life(
        ("vangorsk",),
        (said(1, "Teresa Vangorsk wrote a play.", gone=True), said(2, "Teresa came by with a cake."), renamed("Teresa", "Irene Whitcomb")),
    ),
    "aliases": Life(
        ("vangorsk",),
        (
            said(1, "Teresa Vangorsk wrote a play.", gone=True),
            said(2, "Teresa came by with a cake."),
            alias("Teresa", "name", "Whit"),
            alias("Teresa", "email", "iris@example.org"),
        ),
    ),
    "names of two": Life(
        ("vangorsk",),
        (
            said(1, "Teresa Vangorsk has a boat.", "Teresa Vangorsk and Teresa sold it.", gone=True),
            said(2, "Teresa Brown has a kayak.", "Teresa came by."),
        ),
    ),
    "intentions": Life(
        ("telescope", "vangorsk"),
        (
            said(1, "I want to sell the telescope of Teresa Vangorsk by 12 June 2024.", gone=True),
            said(2, "I want to sell the boat by 12 June 2024."),
        ),
    ),
    "facts": Life(
        ("duluthia", "vangorsk"),
        (
            stated("Ellen Harlan lives in Bemidji.", day=1),
            stated("Ellen Harlan lives in Duluthia.", day=2, gone=True),
            stated("Teresa Vangorsk works at Brightline.", day=3, gone=True),
            stated("Dave Kowalski works at Brightline.", day=4),
        ),
        chains=True,
    ),
    "facts about the same": Life(
        ("vangorsk",),
        (
            stated("Teresa Vangorsk works at Brightline.", day=3, gone=True),
            stated("Dave Kowalski works at Brightline.", day=4),
        ),
    ),
    "named in one document": Life(
        ("vangorsk",),
        (
            wrote("Press", "The press was founded by Alma Reyes in 1931."),
            wrote("Lease", "Mrs. Vangorsk pays Alma Reyes.", gone=True),
        ),
    ),
    "whole that was withdrawn": Life(
        ("quimble",),
        (
            said(1, "Marianne Kuhn wrote a play."),
            said(2, "Zelmira Quimble wrote a play.", gone=True),
            merged("Marianne Kuhn", "Zelmira Quimble", gone=True),
            withdrew("Call 1"),
        ),
    ),
    "fact that others confirm": Life(
        (),
        (
            stated("Ellen Harlan lives in Bemidji.", day=1, gone=True),
            stated("Ellen Harlan lives in Bemidji.", day=2),
            stated("Dave Kowalski lives in Duluth.", day=3),
            stated("Dave Kowalski lives in Duluth.", day=4, gone=True),
        ),
        chains=True,
    ),
    "key of another": Life(
        ("vangorsk", "quimble"),
        (
            said(1, "Zelmira Vangorsk and Teresa Quimble have a boat.", gone=True),
            said(2, "Teresa Brown has a cup.", "Teresa came by."),
            said(3, "Zelmira came by."),
        ),
    ),
    "pairs": Life(
        ("grohlander",),
        (
            said(1, "We met Dave Kowalski."),
            said(2, "Dave Grohlander plays tonight.", gone=True),
            said(3, "Then Dave came by.", gone=True),
        ),
    ),
    "moved": Life(
        ("vangorsk",),
        (
            said(1, "Teresa Vangorsk has a boat.", gone=True),
            said(2, "Teresa came by with a cake."),
            Step(lambda memory: memory.nodes.provision(NewNode(memory.principal.user_id, "Boats"))),
            moved("Teresa Vangorsk has a boat."),
        ),
    ),
    "private": Life(
        ("vangorsk",),
        (said(1, "Teresa Vangorsk has a secret.", privacy="private", gone=True), said(2, "Teresa has a secret.", privacy="private")),
    ),
    "document": Life(
        ("vangorsk", "quimble"),
        (
            wrote("Lease", "# Rent\n\nMrs. Vangorsk pays 900 to Zelmira Quimble.", gone=True),
            wrote("Press", "The press was founded by Alma Reyes in 1931."),
        ),
    ),
    "changed": Life(
        ("vangorsk", "quimble", "tulpenstern"),
        (
            wrote("Lease of Tulpenstern", "Mrs. Vangorsk pays 900.", gone=True),
            changed("record", "Vangorsk", {"title": "Lease of Quimble"}),
            wrote("Press", "The press was founded by Alma Reyes in 1931."),
        ),
    ),
    "merged into what goes": Life(
        ("quimble",),
        (
            said(1, "Zelmira Quimble wrote a play.", gone=True),
            said(2, "Marianne Kuhn is married to Dave Kowalski."),
            merged("Zelmira Quimble", "Marianne Kuhn", gone=True),
        ),
    ),
    "two that were one by what goes": Life(
        ("quimble",),
        (
            said(1, "Zelmira Quimble wrote a play.", gone=True),
            said(2, "Marianne Kuhn is married to Dave Kowalski."),
            said(3, "Ellen Sorby is married to Jonas Brandt."),
            merged("Zelmira Quimble", "Marianne Kuhn", gone=True),
            merged("Ellen Sorby", "Zelmira Quimble", gone=True),
        ),
    ),
    "name of the whole": Life(
        ("vangorsk", "quimble"),
        (
            said(1, "Teresa Vangorsk wrote a play.", gone=True),
            said(2, "Marianne Kuhn wrote a play."),
            said(3, "Teresa came by with a cake."),
            said(4, "Zelmira Quimble wrote a play.", gone=True),
            merged("Zelmira Quimble", "Teresa", gone=True),
            merged("Marianne Kuhn", "Zelmira Quimble", gone=True),
        ),
    ),
    "names that were taken": Life(
        ("vangorsk", "quimble", "zq@example.org"),
        (
            said(1, "Teresa Vangorsk has a boat.", "Zelmira Quimble has one.", gone=True),
            said(2, "Teresa came by with a cake."),
            renamed("Teresa", "Irene Whitcomb"),
            alias("Teresa", "name", "Teresa Vangorsk", taken=True, gone=True),
            alias("Zelmira Quimble", "email", "zq@example.org", gone=True),
            alias("Zelmira Quimble", "email", "zq@example.org", taken=True, gone=True),
            alias("Zelmira Quimble", "phone", "0470 99 12 34", gone=True),
        ),
    ),
    "summaries": Life(
        ("vangorsk", "prill"),
        (
            said(1, "Teresa Vangorsk has a cup.", "Ellen Sorby is married to Oskar Prill.", gone=True),
            said(2, "Teresa is married to Lena Kell.", "Lena Kell works at Harlan Joinery.", "Ellen Sorby has a cup."),
        ),
    ),
    "speaker": Life(
        ("vangorsk",),
        (said(1, "My sister Ellen has a cup.", speaker="Teresa Vangorsk", gone=True), said(2, "My sister has a cup.", "Ellen Harlan came by.")),
    ),
}  # fmt: skip
