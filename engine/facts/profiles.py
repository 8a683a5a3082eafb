"""Profiles of entities and of the user, composed when they are read: never older than what they say, and for each reader made of
what this reader may read.

    who it is → its strongest relations → its strongest facts → what was said of it last, up to 300 tokens
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from engine.domain.clock import NOW
from engine.domain.entity import Entity, FactGroup, KnownFact, Profile, RecordMention, Relation
from engine.domain.principal import Principal
from engine.entities.reads import EntityReads
from engine.facts.about import EntityFacts
from engine.knowledge.known_lines import said_else
from engine.progress import counted
from engine.providers.active import ActiveModel
from engine.stores.postgres import Jsonb, Postgres
from engine.stores.statements import sql_text
from engine.turns import computed

TOKENS, GROUP_TOKENS = 300, 100
"""Of a profile, and of the summary of a group of facts."""
RELATIONS, FACTS, EXCERPTS = 12, 20, 4
"""Most of each in a profile."""
GROUPS = 100
AROUND, LONGEST = 200, 240
"""Characters read around a mention, and shown of its sentence."""
_SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+|\n+")


@dataclass(frozen=True, slots=True)
class _Excerpt:
    item_id: UUID
    text: str
    begins: int
    speaker: str
    occurred_at: datetime | None


@dataclass(frozen=True, slots=True)
class _Group:
    name: str
    facts: int
    changed_at: datetime
    strongest: list[UUID]


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a profile, and what it comes from."""

    text: str
    facts: tuple[UUID, ...] = ()
    relations: tuple[UUID, ...] = ()
    records: tuple[UUID, ...] = ()


class ProfileComposer:
    """Composes profiles."""

    def __init__(self, postgres: Postgres, entities: EntityReads, facts: EntityFacts, active: ActiveModel) -> None:
        self._postgres, self._entities, self._facts, self._active = postgres, entities, facts, active

    async def entity(self, principal: Principal, entity_id: UUID) -> Profile:
        """The profile of an entity, of what the principal may read. Raises NotFound."""
        one = await self._entities.entity(principal, entity_id, NOW)
        relations = await self._entities.relations(principal, entity_id, NOW, ended=False, limit=RELATIONS)
        facts = await self._facts.known(principal, one.entity_id, limit=FACTS)
        excerpts = await self._excerpts(principal, one)
        lines = [_who(one), *_related(relations, facts), *_known(facts), *excerpts]
        return await computed(_composed, one, lines, self._active.current.embedder.count_tokens)

    async def groups(
        self, principal: Principal, by: Literal["type", "category"], *, limit: int
    ) -> tuple[FactGroup, ...]:
        """The live facts of the user by type or category, without plans whose day has passed, the largest groups first; for the
        user alone."""
        now = self._entities.now()
        asked = {"by": by, "groups": GROUPS, "most": limit, "now": now}
        found = await self._postgres.fetch(principal, sql_text("profile/groups"), asked, row=_Group)
        ids = {"facts": [fact for group in found for fact in group.strongest], "now": now}
        texts = await self._postgres.fetch(principal, sql_text("profile/texts"), ids, row=KnownFact) if found else []
        known = {fact.fact_id: fact for fact in texts}
        return await computed(_summed_up, found, known, self._active.current.embedder.count_tokens)

    async def _excerpts(self, principal: Principal, one: Entity) -> list[_Line]:
        """What was said of it last: of each record the sentence of its first mention."""
        places = {item: (mention, start, end) for mention, item, start, end in _places(one.latest)}
        lines = [
            {"node_id": str(mention.node_id), "item_id": str(item), "start": start, "end": end}
            for item, (mention, start, end) in places.items()
        ]
        asked = {"places": Jsonb(lines), "around": AROUND}
        found = (
            await self._postgres.fetch(principal, sql_text("profile/excerpts"), asked, row=_Excerpt) if lines else []
        )
        read = {excerpt.item_id: excerpt for excerpt in found}
        return [_said(mention, read[item]) for item, (mention, _, _) in places.items() if item in read]


def _places(latest: Sequence[RecordMention]) -> Iterator[tuple[RecordMention, UUID, int, int]]:
    """The first place in a text of each of the newest mentions; who only speaks has none."""
    shown = 0
    for mention in latest:
        for span in mention.spans:
            item, _, place = span.partition(":")
            start, end = map(int, place.split("-"))
            if end > start and shown < EXCERPTS:
                yield mention, UUID(item), start, end
                shown += 1
                break


def _who(one: Entity) -> _Line:
    others = ", ".join(name for name in one.names if name != one.name)
    period = f"{one.first_mentioned_at:%Y-%m-%d} to {one.last_mentioned_at:%Y-%m-%d}"
    places = ", ".join("/".join(anchor.path[1:]) or "/" for anchor in one.anchors[:3])
    also = f"; also called {others}" if others else ""
    records = counted(one.mentions, "record")
    return _Line(f"{one.name}: {one.kind}{also}. Mentioned in {records}, {period}, at {places}.")


def _related(relations: Sequence[Relation], facts: Sequence[KnownFact]) -> Iterator[_Line]:
    """The relations that none of these facts states in the same words."""
    texts = [fact.text for fact in facts]
    for one in relations:
        if said_else([f"{one.reads} {one.other_name}"], texts):
            since = f" since {one.since}" if one.since else ""
            yield _Line(f"{one.reads} {one.other_name}{since}", relations=(one.relation_id,))


def _known(facts: Sequence[KnownFact]) -> Iterator[_Line]:
    for fact in facts:
        yield _Line(" ".join(fact.text.split()), facts=(fact.fact_id,), records=(fact.record_id,))


def _said(mention: RecordMention, excerpt: _Excerpt) -> _Line:
    speaker = f"{excerpt.speaker}: " if excerpt.speaker else ""
    at = excerpt.occurred_at or mention.at
    return _Line(f"{at:%Y-%m-%d}, {mention.title}: {speaker}“{_sentence(excerpt)}”", records=(mention.record_id,))


def _sentence(excerpt: _Excerpt) -> str:
    """The sentence in which the place begins, on one line; cut where it is long."""
    ends = [0, *(match.end() for match in _SENTENCE.finditer(excerpt.text)), len(excerpt.text)]
    at = max(number for number, end in enumerate(ends[:-1]) if end <= excerpt.begins)
    sentence = " ".join(excerpt.text[ends[at] : ends[at + 1]].split())
    return sentence if len(sentence) <= LONGEST else f"{sentence[: LONGEST - 1]}…"


def _composed(one: Entity, lines: Sequence[_Line], count_tokens: Callable[[str], int]) -> Profile:
    """The lines that fit, in their order; one that does not fit is left out, and shorter ones after it may fit."""
    taken, tokens = _fitting(lines, count_tokens, TOKENS)
    return Profile(
        entity_id=one.entity_id,
        name=one.name,
        kind=one.kind,
        text="\n".join(line.text for line in taken),
        tokens=tokens,
        facts=tuple(fact for line in taken for fact in line.facts),
        relations=tuple(relation for line in taken for relation in line.relations),
        records=tuple(dict.fromkeys(record for line in taken for record in line.records)),
    )


def _fitting(lines: Sequence[_Line], count_tokens: Callable[[str], int], most: int) -> tuple[list[_Line], int]:
    taken: list[_Line] = []
    tokens = 0
    for line in lines:
        more = count_tokens(line.text)
        if tokens + more <= most:
            taken, tokens = [*taken, line], tokens + more
    return taken, tokens


def _summed_up(
    groups: Sequence[_Group], known: dict[UUID, KnownFact], count_tokens: Callable[[str], int]
) -> tuple[FactGroup, ...]:
    summed = []
    for group in groups:
        strongest = tuple(known[fact] for fact in group.strongest if fact in known)
        taken, _ = _fitting(list(_known(strongest)), count_tokens, GROUP_TOKENS)
        summary = "\n".join(line.text for line in taken)
        summed.append(FactGroup(group.name, group.facts, group.changed_at, summary, strongest))
    return tuple(summed)
