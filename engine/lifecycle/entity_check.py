"""The knowledge graph beside itself: counts, evidence of relations, names, merges, facts; and records without mentions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from engine.domain.graph import READER
from engine.domain.names import name_key
from engine.lifecycle.fact_check import Decisions, FactCheck
from engine.lifecycle.finding import FIX, Finding
from engine.progress import counted
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

PAGE = 1000
MOST_USERS = 1000
Problem = Literal[
    "counts", "relations", "lost", "kinds", "unlabelled", "merges", "names", "left_over", "nameless", "facts", "no_facts",
    "rowless", "undecided", "unread",
]  # fmt: skip
PROBLEMS: Mapping[Problem, tuple[str, str, str, str]] = {
    "counts": ("entity", "entities", "counted with other mentions, places or facts than there are", "recounts"),
    "relations": ("relation", "relations", "kept with another strength or end than the evidence has", "recounts"),
    "lost": (
        "record or relation", "records or relations", "without all mentions or evidence that were entered",
        "marks the records, and the job entities reads them again",
    ),
    "unread": (
        "record", "records", "in which no entities were looked for, though nothing is noted",
        "notes their nodes, and the job entities reads them",
    ),
    "kinds": (
        "entity", "entities", "of another kind than its key, its records or the user say",
        "gives it the right one, with its label",
    ),
    "unlabelled": ("entity", "entities", "without the label of its kind, or with another beside it", "gives it that one alone"),
    "merges": (
        "entity", "entities", "merged in a circle, twice, or not shown as it is merged",
        "ends the later merge; the user may merge again",
    ),
    "names": (
        "entity", "entities", "with a name that no record uses, or without one that a record uses",
        "lets its names follow from the records; a name that is gone comes back when the job entities reads them again",
    ),
    "left_over": ("entity", "entities", "left over: no record mentions it or ever did", "removes it"),
    "facts": (
        "fact", "facts", "missing in the graph, or there with another state, privacy, text or chain",
        "marks them, and the job fact-chains carries them there again",
    ),
    "no_facts": ("fact", "facts", "left over: no record states it", "removes it"),
    "rowless": (
        "fact", "facts", "without a row in Postgres, though the item that states it is there",
        "notes the node, and the job fact-chains enters it again",
    ),
    "undecided": (
        "decision", "decisions", "of the user missing in the graph: merges, corrections, aliases, relations, withdrawals",
        "applies them again, in their order",
    ),
    "nameless": ("name", "names", "left over: it belongs to no entity", "removes it"),
}  # fmt: skip
"""What is found in a user's graph: one of it, several, what is wrong, what the remedy does."""


@dataclass(frozen=True, slots=True)
class _Entity:
    entity_id: str
    user_id: UUID
    counts: bool
    relations: int
    lost: int
    left_over: bool
    kinds: bool
    unlabelled: bool
    merges: bool
    names: bool
    called: tuple[str, str] | None

    @property
    def problems(self) -> dict[Problem, int]:
        """How many of each; empty where all fits."""
        found: dict[Problem, int] = {
            "counts": self.counts,
            "relations": self.relations,
            "lost": self.lost,
            "kinds": self.kinds,
            "unlabelled": self.unlabelled,
            "merges": self.merges,
            "names": self.names or (self.called is not None and name_key(self.called[0]) != self.called[1]),
            "left_over": self.left_over,
        }
        return {problem: int(number) for problem, number in found.items() if number}


@dataclass(frozen=True, slots=True)
class _Record:
    record_id: str
    user_id: UUID
    unread: bool
    lost: bool


@dataclass(frozen=True, slots=True)
class _Nameless:
    user_id: UUID
    aliases: int


@dataclass(frozen=True, slots=True)
class _Built:
    user_id: UUID
    communities: int


class EntityCheck:
    """Examines the knowledge graphs of all users; for the operator. `labels`: of Neo4j, by the kind of entity."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, labels: Mapping[str, str]) -> None:
        self._postgres, self._neo4j, self._labels = postgres, neo4j, labels
        self.facts, self.decisions = FactCheck(postgres, neo4j), Decisions(postgres, neo4j)

    async def findings(self) -> AsyncIterator[Finding]:
        """One for each user and problem. Raises StoreUnavailable."""
        problems = await self._records()
        for user_id, more in (await self._entities()).items():
            problems[user_id].update(more)
        for nameless in await self._neo4j.read(cypher("doctor/aliases"), row=_Nameless, limit=MOST_USERS):
            problems[nameless.user_id]["nameless"] += nameless.aliases
        for user_id, lacking in (await self.decisions.lacking()).items():
            problems[user_id]["undecided"] += lacking
        for wrong, asked in self._of_facts.items():
            for user_id, facts in (await asked()).items():
                problems[user_id][wrong] += len(facts)
        for user_id in sorted(problems):
            for kind, number in problems[user_id].items():
                one, several, what, mended = PROBLEMS[kind]
                subject, problem = f"user {user_id}", f"{counted(number, one, several)} {what}"
                yield Finding("error", "neo4j", subject, problem, f"{FIX} {mended}", "knowledge-off", user_id)
        async for user_id in self._communities():
            problem = "its communities are missing, empty or mixed with those of others"
            remedy = "run the job communities, which builds them anew: `neurigraph job run communities`"
            yield Finding("warning", "neo4j", f"user {user_id}", problem, remedy)

    @property
    def _of_facts(self) -> Mapping[Problem, Callable[[], Awaitable[dict[UUID, list[UUID]]]]]:
        return {"facts": self.facts.otherwise, "no_facts": self.facts.surplus, "rowless": self.facts.rowless}

    async def _communities(self) -> AsyncIterator[UUID]:
        """Users whose communities are not those that the last build entered."""
        after = UUID(int=0)
        while True:
            asked = {"after": after, "most": PAGE}
            page = await self._postgres.fetch_as_service(sql_text("community/builds"), asked, row=_Built)
            users = [{"user_id": str(one.user_id), "communities": one.communities} for one in page]
            for user_id in await self._neo4j.read(cypher("doctor/communities"), row=UUID, users=users) if users else ():
                yield user_id
            if len(page) < PAGE:
                return
            after = page[-1].user_id

    async def _records(self) -> dict[UUID, Counter[Problem]]:
        """Records that mention less than they say, or that were not read though nothing is due for their user."""
        found: dict[UUID, Counter[Problem]] = defaultdict(Counter)
        after = ""
        while page := await self._read(after, PAGE):
            wrong = {one.user_id for one in page if one.lost or one.unread}
            if wrong and (quiet := await self._quiet(wrong)):
                asked = {"derivation": "entities", "users": list(quiet)}
                due = await self._postgres.fetch_as_service(sql_text("due/users"), asked, row=UUID)
                for one in await self._read(after, PAGE):
                    if one.user_id in quiet and (one.lost or (one.unread and one.user_id not in due)):
                        found[one.user_id]["lost" if one.lost else "unread"] += 1
            after = page[-1].record_id
        return found

    async def _read(self, after: str, limit: int) -> list[_Record]:
        return await self._neo4j.read(
            cypher("doctor/records_read"), row=_Record, reader=READER, after=after, limit=limit
        )

    async def _entities(self) -> dict[UUID, Counter[Problem]]:
        """What does not fit, by user. Who writes just now may be between two counts, so what is wrong is looked at again."""
        found: dict[UUID, Counter[Problem]] = defaultdict(Counter)
        after, statement = "", cypher("doctor/entities_page")
        while page := await self._neo4j.read(statement, row=str, after=after, limit=PAGE):
            after = page[-1]
            wrong = [one for one in await self._facts(page) if one.problems]
            quiet = await self._quiet({one.user_id for one in wrong}) if wrong else set()
            again = [one.entity_id for one in wrong if one.user_id in quiet]
            for one in await self._facts(again) if again else ():
                found[one.user_id].update(one.problems)
        return {user_id: problems for user_id, problems in found.items() if problems}

    async def _facts(self, entities: Collection[str]) -> list[_Entity]:
        asked = {"entities": list(entities), "labels": dict(self._labels), "reader": READER}
        return await self._neo4j.read(cypher("doctor/entities"), row=_Entity, **asked)

    async def _quiet(self, users: Collection[UUID]) -> set[UUID]:
        """Those of the users without a commit under way."""
        parameters = {"users": list(users)}
        busy = await self._postgres.fetch_as_service(sql_text("doctor/busy_users"), parameters, row=UUID)
        return set(users) - set(busy)
