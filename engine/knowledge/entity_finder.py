"""What records speak of: names are found in their texts, looked up in the graph in one trip, and each is decided; then relations.
What was found enters the graph as a change of it.

texts → names → entities of the graph that they may belong to → the entity of each → relations between these

Facts that were read out of a record are texts of it, too: it mentions whom only they name, each says what it is about, and a
relation that one states is noted with it, and ends with it. Private facts of other records state nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from uuid import UUID, uuid4

from engine.commit.changes import EntitiesMentioned, RelationsStated
from engine.domain.clock import NOW, Clock
from engine.domain.entity import Mention
from engine.domain.extraction import UNASKED, ModelReading
from engine.domain.graph import (
    AboutEntity,
    EntityMention,
    RecordMentions,
    RecordRelations,
    RewordedFact,
    StatedRelation,
)
from engine.domain.names import name_key
from engine.domain.principal import Principal
from engine.domain.record import RecordDraft
from engine.domain.relation import RelationDraft
from engine.entities.resolution.resolution import (
    FoundName,
    KnownCandidate,
    NameJudge,
    Resolution,
    doubts_of,
    effective_name,
    joined,
    resolve,
)
from engine.entities.resolution.romanized import canonical_key
from engine.knowledge.intentions import with_intentions
from engine.knowledge.item_entities import (
    NO_NAMES,
    ItemEntities,
    KnownEntity,
    RecordNames,
    Titles,
    items_of,
    names_of_titles,
)
from engine.knowledge.record_names import WEIGHT, ReadRecord, add_contacts, over, read_records, stated, times
from engine.naming.configuration import Domain
from engine.naming.mentions import USER, FactNames, NamedMention, SourceText, UsedName, entity_mentions, used_name
from engine.relations.rules import Relating
from engine.stores.neo4j import Neo4j
from engine.stores.statements import cypher
from engine.turns import computed

NAMED_PERSON = "person"
MOST_WORDS = 800
"""Words of a full-text query; the server takes 1,024 clauses."""


def candidates(known: Sequence[KnownEntity]) -> list[KnownCandidate]:
    """The entities of the graph as names are compared with them. The user is one of them from the first record on, under the
    full name of the memory and the first word of it."""
    entities = {one.key: one for one in known if one.key is not None}
    found = [
        KnownCandidate(
            key, one.name, one.kind, one.names, corrected=one.corrected, verified=frozenset(one.verified), said=one.said
        )
        for key, one in entities.items()
    ]
    for user in (one for one in known if one.key is None):
        key = canonical_key(NAMED_PERSON, user.name)
        if key not in entities:
            found.append(KnownCandidate(key, user.name, NAMED_PERSON, (user.name.split()[0],)))
    return found


def lucene_query(keys: Sequence[str], user_key: str) -> str:
    """A full-text query for aliases in one user's graph that share a word with one of the names.

    The words are letters and digits in quotes, and so cannot be operators. Without words it finds nothing.
    """
    words = {word for key in keys for word in "".join(c if c.isalnum() else " " for c in key).split()}
    choices = " ".join(f'key:"{word}"' for word in sorted(words)[:MOST_WORDS] or (user_key,))
    return f"+user_key:{user_key} +({choices})"


MOST_KNOWN, KNOWN_FOR_A_NAME = 1000, 30
"""Entities of the graph that the names of a batch are compared with, and for each of them."""
SAID, MOST_SAID = 12, 2000
"""Records whose words around the name of an entity are read; none of one that more records mention than these."""
FEWEST_KEYS, SHORTEST_TEXT = 101, 1100
"""One size class of each parameter for most batches: for another one the server plans again, for seconds."""
NO_TITLES: Mapping[str, Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class _Candidates:
    entities: tuple[KnownEntity, ...]


@dataclass(frozen=True, slots=True)
class Spoken:
    """What one record speaks of: entities, and relations between them."""

    entities: tuple[EntityMention, ...] = ()
    relations: tuple[StatedRelation, ...] = ()
    about: Mapping[UUID, tuple[AboutEntity, ...]] = field(default_factory=dict)
    """By the facts that were read out of it."""
    items: Mapping[UUID, ItemEntities] = field(default_factory=dict)
    """What each of its texts names, as the rows of items hold it."""
    names: RecordNames = NO_NAMES


class EntityFinder:
    """Finds the entities of records."""

    def __init__(self, neo4j: Neo4j, clock: Clock, domain: Domain, *, intentions: bool = False) -> None:
        """`intentions`: whether they are looked for, too."""
        self._neo4j, self._clock, self.domain, self._intentions = neo4j, clock, domain, intentions

    @cached_property
    def _relating(self) -> Relating:
        """Made at the first use: its patterns take a quarter of a second."""
        return Relating(self.domain)

    async def spoken(
        self,
        principal: Principal,
        records: Sequence[Sequence[SourceText]],
        readings: Sequence[ModelReading] = (),
        judge: NameJudge | None = None,
        before: Callable[[], Awaitable[None]] | None = None,
    ) -> list[Spoken]:
        """What each of these records speaks of; those of one call are read as one context. Raises StoreUnavailable.

        `readings`: what a model says of each record; `judge`: a model that is asked where a name may be a known entity's;
        `before`: waited for before the graph is asked, as for the commit of earlier records.
        """
        read = await computed(read_records, records, readings or [UNASKED] * len(records), self.domain)
        titles = await computed(names_of_titles, {text.piece.title for record in records for text in record})
        names = {name_key(effective_name(found)) for record in read for found in record.names.values()}
        names |= {name for named in titles.values() for name in named}
        contacts = {one.name for record in read for found in record.contacts for one in found}
        if not names and not contacts and not any(record.of_user for record in read):
            return [Spoken(about=dict.fromkeys(record.facts, ())) for record in read]
        if before is not None:
            await before()
        known = await self.known(principal, names, contacts)
        resolved = await computed(_resolved, read, known)
        if judge is not None and (doubts := doubts_of(resolved, candidates(known))):
            resolved = joined(resolved, doubts, await judge.verdicts(doubts))
        return await computed(self._decided, read, resolved, titles, known)

    async def known(
        self, principal: Principal, names: Iterable[str], contacts: Iterable[str] = ()
    ) -> Sequence[KnownEntity]:
        """The entities that these names (normal forms) may belong to, or have these addresses, and the user; one trip. Raises
        StoreUnavailable."""
        keys, moment = sorted(names), NOW.graph_parameters(self._clock.now())
        text = lucene_query(keys, principal.user_id.hex).ljust(SHORTEST_TEXT)
        keys += sorted(contacts)[:MOST_KNOWN]
        most = min(MOST_KNOWN, KNOWN_FOR_A_NAME * max(1, len(keys)))  # the user is there without any name
        asked = {"keys": [*keys, *[""] * (FEWEST_KEYS - len(keys))], "text": text, "most": most}
        asked |= {"said": SAID, "most_said": MOST_SAID}
        [found] = await self._neo4j.read(
            cypher("entity/known"), row=_Candidates, **principal.parameters, **moment, **asked
        )
        return found.entities

    def _decided(
        self,
        records: Sequence[ReadRecord],
        resolved: Mapping[FoundName, Resolution],
        titles: Mapping[str, Mapping[str, str]] = NO_TITLES,
        known: Sequence[KnownEntity] = (),
    ) -> list[Spoken]:
        stated = self._stated(records, resolved)
        found = [
            {used: entity for used in record.names if (entity := _entity(record, used, resolved))} for record in records
        ]
        titled = Titles(titles, found, known)
        spoken = []
        for record, entities in zip(records, found, strict=True):
            mentions = self._mentions(record, entities)
            if self._intentions:
                mentions = with_intentions(record, mentions, entities)
            there = {one.key for one in mentions}
            about = {fact: _about(names, entities, there) for fact, names in record.facts.items()}
            items = items_of(record, entities, titled.keys(record, entities))
            keys = {name: entity.key for (name, speaker), entity in entities.items() if name and not speaker}
            spoken.append(Spoken(mentions, tuple(stated[record.number]), about, items, RecordNames(keys)))
        return spoken

    def _mentions(self, record: ReadRecord, entities: Mapping[UsedName, NamedMention]) -> tuple[EntityMention, ...]:
        """What the source of a record mentions, and whom or what only its facts name."""
        pairs = list(zip(record.texts, record.mentions, strict=True))
        mentions = entity_mentions([one for one in pairs if one[0].fact is None], entities, self.domain)
        there = {one.key for one in mentions}
        others = {used: one for used, one in entities.items() if one.key not in there}
        facts = [one for one in pairs if one[0].fact is not None and not one[0].fact.private]
        return mentions + entity_mentions(facts, others, self.domain) if others and facts else mentions

    def _stated(
        self, records: Sequence[ReadRecord], resolved: Mapping[FoundName, Resolution]
    ) -> dict[str, list[StatedRelation]]:
        """The relations of each record, by its number; each once, the surest of those that say the same."""
        pieces = [
            (record, number)
            for record in records
            for number, text in enumerate(record.texts)
            if text.fact is None or not text.fact.private
        ]
        texts = [record.texts[number].piece for record, number in pieces]
        mentions = [_placed(record.mentions[number], record.texts[number]) for record, number in pieces]
        times: list[datetime | None] = [record.texts[number].at for record, number in pieces]
        best: dict[tuple[str, str, str, str], StatedRelation] = {}
        for draft in self._relating.drafts(texts, mentions, times):
            record, number = pieces[draft.piece]
            text = record.texts[number]
            ends = [_key(record, used_name(one, text.piece), resolved) for one in (draft.source, draft.target)]
            _keep_surest(best, record, self._relation(draft, text, ends))
        for record in records:
            for relation in self._by_model(record, resolved):
                _keep_surest(best, record, relation)
        found: dict[str, list[StatedRelation]] = defaultdict(list)
        for place in sorted(best):
            found[place[0]].append(best[place])
        return found

    def _by_model(self, record: ReadRecord, resolved: Mapping[FoundName, Resolution]) -> Iterator[StatedRelation]:
        """The relations that a model draws between entities of a record, where the domain allows them."""
        kinds = {entity.key: entity.kind for used in record.names if (entity := _entity(record, used, resolved))}
        for said in stated(record.texts, record.mentions, record.reading, self.domain):
            source, target = (_key(record, end, resolved) for end in (said.source, said.target))
            if not source or not target or source == target:
                continue
            if not self.domain.allows(kinds[source], said.type, kinds[target]):
                continue
            listed = self.domain.types.get(said.type)
            if listed is not None and listed.symmetric:
                source, target = sorted((source, target))
            since, until = times(said.one)
            yield StatedRelation(
                relation_id=uuid4(),
                type=self.domain.stored_as(said.type),
                name=said.type,
                functional=listed is not None and listed.functional,
                symmetric=listed is not None and listed.functional and listed.symmetric,
                source=source,
                target=target,
                weight=WEIGHT,
                item_id=said.text.item_id,
                span=said.span,
                since=since,
                until=until,
                ended=over(said.one, said.text, lasting=listed is not None and listed.lasting),
            )

    def _relation(self, draft: RelationDraft, text: SourceText, ends: Sequence[str]) -> StatedRelation | None:
        """A relation between two entities; None where one of them is none, or both are one."""
        source, target = ends
        if not source or not target or source == target:
            return None
        listed = self.domain.types.get(draft.type)
        if listed is not None and listed.symmetric:  # one direction, whoever says it
            source, target = sorted(ends)
        return StatedRelation(
            relation_id=uuid4(),
            type=self.domain.stored_as(draft.type),
            name=draft.type,
            functional=listed is not None and listed.functional and draft.sole,
            symmetric=listed is not None and listed.functional and listed.symmetric and draft.sole,
            source=source,
            target=target,
            weight=min(draft.confidence, 0.99),
            item_id=text.item_id,
            span=f"{draft.start}-{draft.end}",
            since=draft.since,
            until=draft.until,
            ended=draft.ended,
            fact_id=text.item_id if text.fact is not None else None,
        )


def _placed(mentions: Sequence[Mention], text: SourceText) -> Sequence[Mention]:
    """The mentions of a text that a relation can be drawn between: subjects of a fact stand nowhere in it."""
    return mentions if text.fact is None else [one for one in mentions if one.end > one.start]


def _keep_surest(
    best: dict[tuple[str, str, str, str], StatedRelation], record: ReadRecord, relation: StatedRelation | None
) -> None:
    if relation is not None:
        place = (record.number, relation.source, relation.name, relation.target)
        known = best.get(place, relation)
        surer = relation if known.weight < relation.weight else known
        best[place] = replace(surer, fact_id=known.fact_id or relation.fact_id)


def _resolved(records: Sequence[ReadRecord], known: Sequence[KnownEntity]) -> dict[FoundName, Resolution]:
    user = next((one.name for one in known if one.key is None), "")
    for record in records:
        if record.of_user and user:
            record.names[USER] = FoundName(user, record.number, NAMED_PERSON, "speaker")
    owned = {key: one.kind for one in known for key in one.verified}
    for record in records:
        add_contacts(record, owned)
    names = (found for record in records for found in record.names.values())
    said = [text.piece for record in records for text in record.texts]
    return resolve(names, candidates(known), repr([(one.title, one.speaker, one.text) for one in said]))


def _about(fact: FactNames, entities: Mapping[UsedName, NamedMention], mentioned: set[str]) -> tuple[AboutEntity, ...]:
    """The entities that a fact names, of those that its record mentions; its subject is the primary one."""
    keys = {entities[used].key for used in fact.names if used in entities} & mentioned
    subject = entities.get(fact.subject) if fact.subject else None
    return tuple(AboutEntity(key=key, primary=subject is not None and key == subject.key) for key in sorted(keys))


def _entity(record: ReadRecord, used: UsedName, resolved: Mapping[FoundName, Resolution]) -> NamedMention | None:
    """The entity of a name in a record. None where no entity is known by what may be an ordinary word, or is described by words
    of kinship alone, as `my sister`."""
    found = record.names[used]
    one = resolved[found]
    if one.new and (found.form == "kinship" or used in record.unsure):
        return None
    return NamedMention(
        one.key, one.name, one.kind, tuple((review.candidate, review.score, review.reason) for review in one.reviews)
    )


def _key(record: ReadRecord, used: UsedName, resolved: Mapping[FoundName, Resolution]) -> str:
    """The key of the entity that a name is of; empty where it is of none."""
    entity = _entity(record, used, resolved) if used in record.names else None
    return entity.key if entity else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSpoken:
    """What a record speaks of at a revision of it. `at`: when it was said; `rewordings`: changes of its texts that were known."""

    record_id: UUID
    user_id: UUID
    node_id: UUID
    commit_id: UUID
    revision: int
    known_from: datetime
    at: datetime
    entities: Sequence[EntityMention]
    relations: Sequence[StatedRelation]
    rewordings: int = 0
    facts: Sequence[RewordedFact] = ()


def spoken_of(
    draft: RecordDraft, *, user_id: UUID, commit_id: UUID, revision: int, known_from: datetime
) -> RecordSpoken:
    """The same of a draft."""
    return RecordSpoken(
        record_id=draft.record_id,
        user_id=user_id,
        node_id=draft.node.node_id,
        commit_id=commit_id,
        revision=revision,
        known_from=known_from,
        at=draft.occurred_at or known_from,
        entities=draft.entities,
        relations=draft.relations,
    )


def entered(records: Sequence[RecordSpoken]) -> tuple[EntitiesMentioned, RelationsStated]:
    """The changes that enter all of it: first the entities, then what holds between them."""
    return EntitiesMentioned([_mentions(one) for one in records]), RelationsStated([_relations(one) for one in records])


def _mentions(one: RecordSpoken) -> RecordMentions:
    return RecordMentions(
        record_id=one.record_id,
        user_id=one.user_id,
        node_id=one.node_id,
        commit_id=one.commit_id,
        revision=one.revision,
        known_from=one.known_from,
        at=one.at,
        entities=one.entities,
        rewordings=one.rewordings,
        facts=one.facts,
    )


def _relations(one: RecordSpoken) -> RecordRelations:
    return RecordRelations(
        record_id=one.record_id,
        user_id=one.user_id,
        node_id=one.node_id,
        commit_id=one.commit_id,
        revision=one.revision,
        known_from=one.known_from,
        at=one.at,
        stated=one.relations,
        rewordings=one.rewordings,
    )
