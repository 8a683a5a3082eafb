"""Facts about entities: ids from the graph, texts from where they lie, as far as the reader may read both; and marks of facts in
doubt.

A relation that no fact states is shown to the user as a fact, too, inferred from it. Nothing of that is stored: it holds as long
as the relation does.
Of a pair in doubt, the newer stands before the older, which says by what it may have been replaced; of two that contradict each
other both say so. Only pairs of which the reader may read both facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from engine.domain.clock import NOW, Moment
from engine.domain.entity import EntityFact, KnownFact, Relation
from engine.domain.fact import DoubtKind, DoubtMark, ShownStatus
from engine.domain.principal import Principal
from engine.domain.read_limits import check_page
from engine.entities.reads import EntityReads
from engine.relations.rules import first_day
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

One = TypeVar("One")
LONGEST_LINE = 160
"""Characters of the other fact that a mark shows."""
MOST = 1000


@dataclass(frozen=True, slots=True)
class DoubtShown:
    """Two live facts in doubt, with their texts."""

    newer: UUID
    older: UUID
    kind: DoubtKind
    newer_text: str
    older_text: str


async def doubts_among(
    postgres: Postgres, principal: Principal, moment: Moment, facts: Iterable[UUID]
) -> Sequence[DoubtShown]:
    """The pairs in doubt of these facts; none at a moment of the past."""
    asked = list(facts)
    if moment != NOW or not asked:
        return ()
    return await postgres.fetch(principal, sql_text("fact/in_doubt"), {"facts": asked}, row=DoubtShown)


def marks_of(doubts: Iterable[DoubtShown]) -> Mapping[UUID, DoubtMark]:
    """The mark of each fact that has one, by its id."""
    marks: dict[UUID, DoubtMark] = {}
    for one in doubts:
        marks.setdefault(one.older, DoubtMark(one.kind, one.newer, _short(one.newer_text)))
        if one.kind == "contradicts":
            marks.setdefault(one.newer, DoubtMark(one.kind, one.older, _short(one.older_text)))
    return marks


def newer_first(found: Sequence[One], doubts: Iterable[DoubtShown], key: Callable[[One], UUID | None]) -> list[One]:
    """The same, with the newer fact of each pair before the older one, at the place of the first of both."""
    line = list(found)
    for one in doubts:
        places: dict[UUID | None, int] = {key(each): place for place, each in enumerate(line)}
        newer, older = places.get(one.newer), places.get(one.older)
        if newer is not None and older is not None and older < newer:
            line.insert(older, line.pop(newer))
    return line


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"


@dataclass(frozen=True, slots=True)
class FactAbout:
    """A fact about an entity, as the graph knows it."""

    fact_id: UUID
    node_id: UUID
    record_id: UUID
    status: ShownStatus
    subject: bool
    stale: bool
    valid_from: datetime | None
    valid_to: datetime | None
    confirmations: int


class EntityFacts:
    """Reads facts of entities."""

    def __init__(self, postgres: Postgres, entities: EntityReads) -> None:
        self._postgres, self._entities = postgres, entities

    async def page(self, principal: Principal, entity_id: UUID, *, ended: bool, limit: int) -> tuple[EntityFact, ...]:
        """Facts about an entity, the strongest first; for the user then inferred ones. Raises NotFound, InvalidInput."""
        check_page(limit, MOST)
        stored = await self._stored(principal, entity_id, ended=ended, limit=limit)
        if principal.owns and len(stored) < limit:
            return (*stored, *await self._inferred(principal, entity_id, ended=ended))[:limit]
        if not stored:
            await self._entities.entity(principal, entity_id, NOW)  # one that may not be read is not found
        return stored

    async def _stored(
        self, principal: Principal, entity_id: UUID, *, ended: bool, limit: int
    ) -> tuple[EntityFact, ...]:
        asked = {"entity_id": str(entity_id), "ended": ended, "scoped": True, "limit": limit}
        found = await self._entities.read(principal, NOW, cypher("entity/facts"), FactAbout, **asked)
        ids = [one.fact_id for one in found]
        texts = {one.fact_id: one for one in await self._texts(principal, ids)}
        doubts = await doubts_among(self._postgres, principal, NOW, ids)
        marks = marks_of(doubts)
        shown = (
            EntityFact(
                one.fact_id, one.node_id, one.record_id, texts[one.fact_id].text, one.status, one.subject, one.stale,
                one.valid_from, one.valid_to, one.confirmations, doubt=marks.get(one.fact_id),
                passed=texts[one.fact_id].passed,
            )
            for one in found
            if one.fact_id in texts
        )  # fmt: skip
        return tuple(newer_first(list(shown), doubts, lambda one: one.fact_id or one.relation_id))

    async def _inferred(self, principal: Principal, entity_id: UUID, *, ended: bool) -> tuple[EntityFact, ...]:
        """What the relations of an entity say that no fact states. Raises NotFound."""
        relations = await self._entities.relations(principal, entity_id, NOW, ended=ended, limit=MOST)
        if not relations:
            return ()
        one = await self._entities.entity(principal, entity_id, NOW)
        asked = {"relations": [str(relation.relation_id) for relation in relations], "ended": ended}
        stated = set(await self._entities.read(principal, NOW, cypher("entity/stated_by_facts"), UUID, **asked))
        now = self._entities.now()
        kept = [one for one in relations if one.relation_id not in stated and not one.archived]
        return tuple(_said(one.name, relation, now) for relation in kept)

    async def about(
        self, principal: Principal, entity_id: UUID, moment: Moment, *, ended: bool, limit: int
    ) -> list[FactAbout]:
        """The strongest facts about an entity in the memory as a whole, without their texts: the live ones; `ended`: for the user
        also those that are over."""
        asked = {"entity_id": str(entity_id), "ended": ended and principal.owns, "scoped": False, "limit": limit}
        return await self._entities.read(principal, moment, cypher("entity/facts"), FactAbout, **asked)

    async def known(self, principal: Principal, entity_id: UUID, *, limit: int) -> list[KnownFact]:
        """The strongest live facts about an entity in the memory as a whole, of no thread or workflow; no plans whose
        day has passed."""
        found = await self.about(principal, entity_id, NOW, ended=False, limit=limit)
        read = await self._texts(principal, [one.fact_id for one in found])
        texts = {one.fact_id: one for one in read if not one.passed}
        return [texts[one.fact_id] for one in found if one.fact_id in texts]

    async def _texts(self, principal: Principal, facts: list[UUID]) -> list[KnownFact]:
        statement = sql_text("profile/texts") if principal.owns else sql_text("fact/read")
        asked = {"facts": facts, "now": self._entities.now()}
        return await self._postgres.fetch(principal, statement, asked, row=KnownFact) if facts else []


def _said(name: str, one: Relation, now: datetime) -> EntityFact:
    """A relation, read from one of its ends, as a fact."""
    text, end = f"{name} {one.reads} {one.other_name}.", first_day(one.until)
    status: ShownStatus = "live" if end is None or end > now else "superseded"
    return EntityFact(
        fact_id=None, node_id=None, record_id=None, text=text, status=status, subject=True, stale=False,
        valid_from=first_day(one.since), valid_to=end, confirmations=one.strength - 1, relation_id=one.relation_id,
    )  # fmt: skip
