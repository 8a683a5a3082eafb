"""The knowledge graph beside itself: counts, evidence of relations, names, merges, facts; and records without mentions. And
beside Postgres: facts that it lacks or has otherwise than they are, and those that it has and there are not; what the user
decided of entities, relations and intentions, and what was withdrawn.

Such decisions are commits in Postgres, which keeps them, beside the graph, where alone they show. An older graph lacks the last
of them; they are applied to it again, in their order. What records mention and relate is kept for a while, too
(`NEURIGRAPH_OUTBOX_DAYS`). It is applied first: with it entities get the ids again that decisions name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID

from engine.commit.graph import apply
from engine.domain.fact import FactStatus
from engine.domain.graph import READER
from engine.domain.names import name_key
from engine.facts.graph_entries import LONGEST_CAPTION, caption
from engine.lifecycle.finding import FIX, Finding
from engine.progress import counted
from engine.stores.limited import TABLES_LOST
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_in, sql_text

FACTS_OF_PAGE = 1000
READ = 1000
"""Characters of a text that make its caption; only one of blanks needs more."""
COMMITS_OF_PAGE = 500
DECISIONS = (
    "entities_merged", "merge_undone", "told_apart", "relation_decided", "entity_corrected", "alias_decided",
    "intention_decided", "record_retracted",
)  # fmt: skip
FOUND = ("mentions", "relations")
"""What was found in records when they were stored."""

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
class _Row:
    fact_id: UUID
    user_id: UUID
    revision: int
    status: FactStatus
    privacy: str
    scope: str
    supersedes: UUID | None
    confirms: UUID | None


@dataclass(frozen=True, slots=True)
class _Beginning:
    fact_id: UUID
    text: str
    whole: bool


@dataclass(frozen=True, slots=True)
class _InGraph:
    fact_id: UUID
    user_id: UUID


@dataclass(frozen=True, slots=True)
class _Place:
    node_id: UUID
    schema_name: str
    revision: int
    readable: bool


@dataclass(frozen=True, slots=True)
class _Placed:
    fact_id: UUID
    user_id: UUID
    node_id: UUID | None


class FactCheck:
    """Compares facts in both stores; for the operator. What a job still has to carry into the graph is none of its matters."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def otherwise(self) -> dict[UUID, list[UUID]]:
        """By user the facts that the graph lacks, or has otherwise. Raises StoreUnavailable."""
        found: dict[UUID, list[UUID]] = defaultdict(list)
        after = UUID(int=0)
        while page := await self._page(after):
            for one in await self._compared(page, after):
                found[one.user_id].append(one.fact_id)
            after = page[-1].fact_id
        return found

    async def surplus(self) -> dict[UUID, list[UUID]]:
        """By user the facts that only the graph has. Raises StoreUnavailable."""
        found: dict[UUID, list[UUID]] = defaultdict(list)
        async for page in self._rowless():
            stated = await self._stated(page)
            for one in page:
                if one.fact_id not in stated:
                    found[one.user_id].append(one.fact_id)
        return found

    async def rowless(self) -> dict[UUID, list[UUID]]:
        """By user the nodes of facts that have no row in Postgres, while the item that states each is there: the row is lost,
        and the graph is right. A node that the job is to look at is left out. Raises StoreUnavailable."""
        found: dict[UUID, list[UUID]] = defaultdict(list)
        async for page in self._rowless():
            waiting = set(await self._postgres.fetch_as_service(sql_text("doctor/facts_awaited"), row=UUID))
            stated = await self._stated(page)
            for one in page:
                if one.node_id and one.fact_id in stated and one.node_id not in waiting:
                    found[one.user_id].append(one.node_id)
        return found

    async def _rowless(self) -> AsyncIterator[list[_Placed]]:
        """Facts of the graph without a row in Postgres, of users without a commit under way."""
        async for page in self._in_graph():
            asked = {"facts": [one.fact_id for one in page]}
            there = set(await self._postgres.fetch_as_service(sql_text("doctor/facts_there"), asked, row=UUID))
            gone = [one for one in page if one.fact_id not in there]
            quiet = await self.quiet({one.user_id for one in gone}) if gone else set()
            if left := [one for one in gone if one.user_id in quiet]:
                yield left

    async def _stated(self, facts: Collection[_Placed]) -> set[UUID]:
        """Those of the facts whose item is there, or may be: nothing is known of a node whose tables are lost."""
        by_node: dict[UUID, list[UUID]] = defaultdict(list)
        for one in facts:
            if one.node_id:
                by_node[one.node_id].append(one.fact_id)
        found: set[UUID] = set()
        asked = {"nodes": list(by_node)}
        for place in await self._postgres.fetch_as_service(sql_text("mend/surplus_nodes"), asked, row=_Place):
            items, statement = by_node[place.node_id], sql_in("doctor/items_there", place.schema_name)
            if not place.readable:
                found |= set(items)
                continue
            with suppress(*TABLES_LOST):
                items = await self._postgres.fetch_as_service(statement, {"items": items}, row=UUID)
            found |= set(items)
        return found

    async def quiet(self, users: Collection[UUID]) -> set[UUID]:
        """Those of the users without a commit under way."""
        asked = {"users": list(users)}
        return set(users) - set(await self._postgres.fetch_as_service(sql_text("doctor/busy_users"), asked, row=UUID))

    async def _page(self, after: UUID) -> list[_Row]:
        asked = {"after": after, "most": FACTS_OF_PAGE}
        return await self._postgres.fetch_as_service(sql_text("doctor/facts"), asked, row=_Row)

    async def _compared(self, page: list[_Row], after: UUID) -> list[_InGraph]:
        """Who writes just now may be between the two, so what is wrong is looked at again."""
        wrong = await self._wrong(page)
        if not wrong:
            return []
        quiet, ids = await self.quiet({one.user_id for one in wrong}), {one.fact_id for one in wrong}
        again = [one for one in await self._page(after) if one.user_id in quiet and one.fact_id in ids]
        return await self._wrong(again)

    async def _wrong(self, rows: Collection[_Row]) -> list[_InGraph]:
        captions = await self._captions([one.fact_id for one in rows]) if rows else {}
        asked = [
            {
                "fact_id": str(one.fact_id),
                "user_id": str(one.user_id),
                "revision": one.revision,
                "status": one.status,
                "privacy": one.privacy,
                "scope": one.scope,
                "caption": captions.get(one.fact_id),
                "supersedes": str(one.supersedes) if one.supersedes else None,
                "confirms": str(one.confirms) if one.confirms else None,
            }
            for one in rows
        ]
        return await self._neo4j.read(cypher("doctor/facts"), row=_InGraph, facts=asked) if asked else []

    async def _captions(self, facts: list[UUID]) -> dict[UUID, str]:
        """What the graph is to show of the texts of facts, where Postgres has them."""
        asked = {"facts": facts, "length": READ}
        found = await self._postgres.fetch_as_service(sql_text("doctor/fact_beginnings"), asked, row=_Beginning)
        texts = {one.fact_id: (caption(one.text), one.whole) for one in found}
        return {fact: line for fact, (line, whole) in texts.items() if whole or len(line) == LONGEST_CAPTION}

    async def _in_graph(self) -> AsyncIterator[list[_Placed]]:
        statement, after = cypher("doctor/facts_page"), ""
        while page := await self._neo4j.read(statement, row=_Placed, after=after, limit=FACTS_OF_PAGE):
            yield page
            after = str(page[-1].fact_id)


@dataclass(frozen=True, slots=True)
class _Change:
    commit_id: UUID
    user_id: UUID
    created_at: datetime
    kind: str
    change: dict[str, Any]

    @property
    def said(self) -> dict[str, Any]:
        """What it says, for the comparison with the graph."""
        [value] = (value for name, value in self.change.items() if name != "kind")
        if isinstance(value, list):  # of mentions the record is enough
            return {"record_id": value[0]["record_id"]} if value else {}
        return dict(value)


class Decisions:
    """Compares decisions with the graph, and applies those that it lacks; for the service."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def lacking(self) -> Counter[UUID]:
        """How many decisions of each user the graph lacks. Raises StoreUnavailable."""
        found: Counter[UUID] = Counter()
        async for page in self._pages(DECISIONS):
            found.update(one.user_id for one in await self._lacking(page))
        return found

    async def mend(self, user_id: UUID | None = None, *, dry: bool = False) -> int:
        """Applies what the graph lacks, of a user or of all; how many decisions. Raises StoreUnavailable, StoreFailed."""
        mended = 0
        async for page in self._pages((*FOUND, *DECISIONS)):
            own = [one for one in page if user_id in (None, one.user_id)]
            before: set[int] = set()
            # One that is applied lets others show that they lack: the end of a merge follows the merge.
            while (lacking := await self._lacking(own)) and (numbers := {*map(id, lacking)}) != before:
                mended += sum(one.kind in DECISIONS for one in lacking if id(one) not in before)
                before = numbers
                if dry:
                    break
                for one in lacking:
                    await apply(self._neo4j, [one.change], partly=True)
        return mended

    async def _lacking(self, page: Sequence[_Change]) -> list[_Change]:
        asked = [{"number": number, "kind": one.kind, "said": one.said} for number, one in enumerate(page)]
        numbers = await self._neo4j.read(cypher("doctor/undecided"), row=int, changes=asked) if asked else []
        return [page[number] for number in numbers]

    async def _pages(self, kinds: Sequence[str]) -> AsyncIterator[list[_Change]]:
        at, after = datetime.min.replace(tzinfo=UTC), UUID(int=0)
        statement = sql_text("mend/decisions")
        while True:
            asked = {"kinds": list(kinds), "after_time": at, "after": after, "limit": COMMITS_OF_PAGE}
            page = await self._postgres.fetch_as_service(statement, asked, row=_Change)
            if not page:
                return
            yield page
            at, after = page[-1].created_at, page[-1].commit_id


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
