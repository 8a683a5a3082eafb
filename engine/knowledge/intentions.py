"""Intentions that a text states, by rules, at the mention of who has them; and what becomes of them, for the user of a graph.

A turn states those of its speaker ("I want to …", "ich möchte …"), a fact those of its subject ("Bob plans to …", "I want to …").
Doubt is silence: questions, conditions, denials, what somebody wanted once, and what is only a way of speaking ("I want to say")
are none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from engine.commit.changes import IntentionDecided
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.clock import NOW, Clock
from engine.domain.graph import EntityMention
from engine.domain.intention import LONGEST_INTENTION, Intention, IntentionDecision, IntentionState, StatedIntention
from engine.domain.names import name_key
from engine.domain.principal import Principal
from engine.domain.read_limits import check_page
from engine.entities.reads import EntityReads
from engine.knowledge.record_names import ReadRecord
from engine.language.dates import dates_in
from engine.language.tables import alternatives
from engine.naming.mentions import NamedMention, SourceText, UsedName
from engine.stores.rows import only
from engine.stores.statements import cypher

_SENTENCE = re.compile(r"[^.!?\n;…]+(?:[.](?=\d)[^.!?\n;…]+)*[.!?…]*")
_FIRST_PERSON = re.compile(alternatives("intentions", "first_person"), re.IGNORECASE)
_OF_SUBJECT = re.compile(alternatives("intentions", "of_subject"))
_HINT = re.compile(rf"\b(?:{alternatives('intentions', 'hint')})|['’]d\b", re.IGNORECASE)
_NONE = re.compile(rf"\b(?:{alternatives('intentions', 'none')})\b", re.IGNORECASE)


class IntentionLists:
    """Lists and closes them."""

    def __init__(self, reads: EntityReads, units: UnitsOfWork, clock: Clock) -> None:
        self._reads, self._units, self._clock = reads, units, clock

    async def page(
        self, principal: Principal, *, state: IntentionState | None, entity_id: UUID | None, limit: int
    ) -> tuple[Intention, ...]:
        check_page(limit)
        return await self._found(principal, state=state or "", entity_id=str(entity_id or ""), limit=limit)

    async def decide(
        self, principal: Principal, intention_id: UUID, state: IntentionState, reason: str, own_id: UUID | None = None
    ) -> Intention:
        """Gives one a state; under the `own_id` of the request it is given once. Raises NotFound."""
        if own_id and await self._units.done_before(principal, own_id):
            return only(await self._found(principal, intention_id=str(intention_id)))
        only(await self._found(principal, intention_id=str(intention_id)))
        decision = IntentionDecision(
            intention_id=intention_id,
            user_id=principal.user_id,
            state=state,
            at=self._clock.now(),
            reason=reason,
        )
        async with self._units.begin(principal) as unit:
            await unit.accept(IntentionDecided(decision), commit_id=own_id)
        return only(await self._found(principal, intention_id=str(intention_id)))

    async def _found(
        self, principal: Principal, *, state: str = "", entity_id: str = "", intention_id: str = "", limit: int = 1
    ) -> tuple[Intention, ...]:
        asked = {"state": state, "entity_id": entity_id, "intention_id": intention_id, "limit": limit}
        return tuple(await self._reads.read(principal, NOW, cypher("entity/intentions"), Intention, **asked))


@dataclass(frozen=True, slots=True)
class FoundIntention:
    """Where a text states an intention, and the date by which, if it says one."""

    text: str
    start: int
    end: int
    due: str | None


def intentions_in(text: str, said_at: datetime | None, *, of_fact: bool) -> Iterator[FoundIntention]:
    """What the speaker of a text intends; `of_fact`: also what its subject does, as the beginning of the fact names it."""
    if not _HINT.search(text):
        return
    for sentence in _SENTENCE.finditer(text):
        said = sentence[0].strip()
        if said.endswith("?"):
            continue
        found = _FIRST_PERSON.search(said) or (_OF_SUBJECT.search(said) if of_fact else None)
        if found is None or _NONE.search(said[: found.end()]):
            continue
        start = sentence.start() + len(sentence[0]) - len(sentence[0].lstrip())
        due = next(iter(dates_in(said[found.end() :], said_at)), None)
        yield FoundIntention(_line(said), start, start + len(said), due)


def _line(said: str) -> str:
    """The sentence in one line."""
    line = " ".join(said.split())
    return line if len(line) <= LONGEST_INTENTION else f"{line[: LONGEST_INTENTION - 1].rsplit(' ', 1)[0]}…"


MOST_OF_RECORD = 100


def with_intentions(
    record: ReadRecord, mentions: Sequence[EntityMention], entities: Mapping[UsedName, NamedMention]
) -> tuple[EntityMention, ...]:
    """The mentions of a record with its intentions: of its facts where it was read into facts, else of its turns."""
    facts = [text for text in record.texts if text.fact is not None]
    stated: dict[str, dict[str, StatedIntention]] = defaultdict(dict)
    for text in facts or record.texts:
        entity = entities.get(_subject(record, text) or ("?", "?"))
        if entity is None or (text.fact is not None and text.fact.private):
            continue
        for one in intentions_in(text.piece.text, text.at, of_fact=text.fact is not None):
            span = f"{one.start}-{one.end}"
            known = StatedIntention(text=one.text, item_id=text.item_id, span=span, due=one.due)
            stated[entity.key].setdefault(one.text, known)
    return tuple(
        replace(one, intentions=list(stated.pop(one.key).values())[:MOST_OF_RECORD]) if one.key in stated else one
        for one in mentions
    )


def _subject(record: ReadRecord, text: SourceText) -> UsedName | None:
    if text.fact is not None:
        return record.facts[text.item_id].subject
    return (name_key(text.piece.speaker), "") if text.piece.spoken else None
