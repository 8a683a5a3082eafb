"""The relations that a question asks for: those of the entities that it names, of a type whose words stand in it, and those
between two of these entities; and quotes: the words of records that state a relation, the sentence in which an item says it, of
what the principal may read.

    words of the question → types → relations of the named entities → what states them → what the request covers, in its words

The words of a type are those by which it is found in texts. A question without any costs nothing; else it is read beside the
scan of items: a Cypher statement for each of at most four entities, one for the user as an entity, one for what states the
relations, and two SQL statements, which are repeated where a node is damaged.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from uuid import UUID

from engine.domain.clock import NOW, Clock
from engine.domain.entity import Relation, Why
from engine.domain.names import name_key
from engine.domain.principal import Principal
from engine.domain.search import AskedRelation, SearchRequest
from engine.domain.terms import folded, term_id, words
from engine.entities.reads import EntityReads, KnownAs, Named, Stated
from engine.errors import NotFound
from engine.hierarchy.tables import Damage
from engine.language.detection import STEMMED, stem, stop_words
from engine.language.tables import all_listed
from engine.naming.configuration import Domain, RelationType
from engine.retrieval.anchors import NamedEntity, Navigation
from engine.retrieval.candidate import Contents
from engine.retrieval.context.about import allowed_records, longest
from engine.retrieval.query import Question
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

LONGEST = 300
"""Characters of a quote; a longer sentence is cut around the place."""
_END = re.compile(r"(?<![.!?。！？])[.!?。！？]+[\"”’)\]]*\s+|\n+")

ENTITIES, READ, LOOKED_AT, SHOWN = 4, 200, 20, 5
"""Most entities whose relations are read, relations of each, those whose sources are looked at, and those of an answer."""
SAYS_ENOUGH = 7
"""Letters of a stop word in a phrase that says what it is about: "trabajo en"."""
_NO_WORDS = re.compile(r"\{\w+\}|\*")
_PARTICLES = frozenset(all_listed("relations", "verb_particles"))
"""Words of phrases that say as much as the verb: "lives with" is not "lives in"."""

Sides = Mapping[str, set[bool | None]]
"""By type on which side of the relation the named entity stands: True for the source, None for either."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item says it: `start-end`, characters. Without an item or a place nothing can be quoted."""

    node_id: UUID
    item_id: UUID | None
    span: str | None


class Quotes:
    """Reads items that are named by the evidence of relations."""

    def __init__(self, postgres: Postgres, clock: Clock) -> None:
        self._postgres, self._clock, self._damage = postgres, clock, Damage(postgres)

    async def quoted(self, principal: Principal, why: Why) -> Why:
        """The same evidence, of now, with its words. Without them stays what may not be read, and what a damaged node holds."""
        places = [Place(one.node_id, one.item_id, one.span) for one in why.evidence]
        texts = await self.of(principal, places)
        evidence = (replace(one, text=texts.get(place)) for one, place in zip(why.evidence, places, strict=True))
        return replace(why, evidence=tuple(evidence))

    async def of(self, principal: Principal, places: Sequence[Place]) -> dict[Place, str]:
        """The sentences at these places, of now; without those that may not be read, and those of damaged nodes."""
        known = [(one, one.item_id, one.span) for one in places if one.item_id is not None and one.span]

        async def read(nodes: list[UUID]) -> list[Contents]:
            asked = {
                "nodes": [one.node_id for one, _, _ in known if one.node_id in nodes],
                "items": [item for one, item, _ in known if one.node_id in nodes],
                "as_of": None,
                "known_at": None,
                "now": self._clock.now(),
            }
            return await self._postgres.fetch(principal, sql_text("search/contents"), asked, row=Contents)

        rows = await self._damage.without(principal, (one.node_id for one, _, _ in known), read)
        texts = {(one.node_id, one.row_id): one.content for one in rows}
        return {
            one: sentence(texts[one.node_id, item], *map(int, span.split("-")))
            for one, item, span in known
            if (one.node_id, item) in texts
        }


def sentence(text: str, start: int, end: int) -> str:
    """The sentences around a place, at most 300 characters; `…` where they are cut."""
    # what is further away is cut off anyway, and a long row of dots takes the pattern minutes
    begin = max((match.end() for match in _END.finditer(text, max(0, start - LONGEST), start)), default=0)
    after = _END.search(text, max(start, end - 1), end + LONGEST)
    stop = after.end() if after else len(text)
    spare = max(0, LONGEST - (end - start)) // 2
    first, last = max(begin, start - spare), min(stop, max(start, min(end, start + LONGEST)) + spare)
    cut = "…" if first > begin else "", "…" if last < stop else ""
    return f"{cut[0]}{' '.join(text[first:last].split())}{cut[1]}"


@dataclass(frozen=True, slots=True)
class _Wording:
    """A way to name a type: of each of its words the terms that it may have in a question."""

    relation_type: str
    outgoing: bool | None
    language: str
    terms: tuple[frozenset[int], ...]

    def stands_in(self, asked: Set[int]) -> bool:
        """Whether all of its words are among the terms of a question."""
        return all(not asked.isdisjoint(word) for word in self.terms)


class AskedRelations:
    """Reads relations that questions ask for, as far as the principal may."""

    def __init__(self, postgres: Postgres, entities: EntityReads, domain: Domain, quotes: Quotes) -> None:
        self._postgres, self.entities, self._quotes, self.domain = postgres, entities, quotes, domain

    @cached_property
    def _by_term(self) -> Mapping[int, Sequence[_Wording]]:
        """Made at the first question: it takes as long as all other wiring of an engine."""
        by_term = defaultdict[int, list[_Wording]](list)
        for wording in _wordings(self.domain.relations):
            for term in wording.terms[0]:
                by_term[term].append(wording)
        return by_term

    @cached_property
    def _languages(self) -> frozenset[str]:
        return frozenset(one.language for wordings in self._by_term.values() for one in wordings)

    async def asked(
        self, principal: Principal, question: Question, navigation: Navigation, request: SearchRequest
    ) -> tuple[AskedRelation, ...]:
        """Those between named entities, then the strongest, where the request wants them; none on later pages, and where
        filters say what is searched."""
        if not request.relations or request.cursor or request.filtered:
            return ()
        sides = self._sides(question)
        named = _named(question, navigation.entities)[:ENTITIES]
        if not (sides or len(named) > 1):
            return ()
        if sides and principal.owns and question.of_self:
            named = [*named, *await self.entities.of_user(principal, request.moment)]
        found = await self._found(principal, question, named, sides, request)
        stated = await self.entities.best_evidence(principal, [one.relation_id for _, one in found], request.moment)
        return await self._allowed(principal, found, {one.relation_id: one for one in stated}, request)

    def _sides(self, question: Question) -> Sides:
        """The types that the question names, in its language: "son" is no son in French, "die" nothing of death in German."""
        asked, sides = {*question.terms, *map(term_id, question.tokens)}, defaultdict[str, set[bool | None]](set)
        spoken = self._languages.intersection(question.languages) or self._languages
        found = [
            one
            for term in asked
            for one in self._by_term.get(term, ())
            if one.language in spoken and one.stands_in(asked)
        ]
        for one in found:
            if not any(set(one.terms) < set(other.terms) for other in found):  # a brother-in-law is no brother
                sides[one.relation_type].add(one.outgoing)
        return sides

    async def _found(
        self,
        principal: Principal,
        question: Question,
        named: Sequence[KnownAs],
        sides: Sides,
        request: SearchRequest,
    ) -> list[tuple[KnownAs, Relation]]:
        ended = question.asked_time == "past" and request.moment == NOW
        others = {one.entity_id for one in named}
        wanted: list[str | UUID] = [*sides, *others]

        async def of(one: KnownAs) -> tuple[Relation, ...]:
            with suppress(NotFound):
                return await self.entities.relations(
                    principal, one.entity_id, request.moment, ended=ended, limit=READ, wanted=wanted
                )
            return ()

        known = await asyncio.gather(*map(of, named))
        by_id = {
            relation.relation_id: (one, relation)
            for one, relations in reversed(list(zip(named, known, strict=True)))
            for relation in _chosen(relations, sides, others)
        }

        def rank(found: tuple[KnownAs, Relation]) -> tuple[bool, int, float]:
            return found[1].other_id not in others, -found[1].strength, -found[1].confidence

        return sorted(by_id.values(), key=rank)[:LOOKED_AT]

    async def _allowed(
        self,
        principal: Principal,
        found: Sequence[tuple[KnownAs, Relation]],
        stated: Mapping[UUID, Stated],
        request: SearchRequest,
    ) -> tuple[AskedRelation, ...]:
        """Those that a record states which belongs to the scopes and sources of the request: the graph does not know them."""
        allowed = await allowed_records(self._postgres, principal, stated.values(), request, self.entities.now())
        sourced = [(*one, stated[one[1].relation_id]) for one in found if one[1].relation_id in stated]
        shown = [one for one in sourced if one[2].record_id in allowed][:SHOWN]
        places = [Place(one.node_id, one.item_id, one.span) for _, _, one in shown]
        quoted = await self._quotes.of(principal, places) if request.moment == NOW else {}
        return tuple(
            AskedRelation(
                entity_id=named.entity_id,
                entity_name=named.name,
                relation=relation,
                record_id=source.record_id,
                node_id=source.node_id,
                title=source.title,
                at=source.at,
                text=quoted.get(Place(source.node_id, source.item_id, source.span)),
            )
            for named, relation, source in shown
        )


def _named(question: Question, entities: Sequence[NamedEntity]) -> list[KnownAs]:
    """The entities by the longest names, in the order of the question."""
    names = {one.entity_id: one.name for one in entities}
    found = longest([Named(one.entity_id, name_key(one.name)) for one in entities])
    known = [KnownAs(one.entity_id, names[one.entity_id]) for one in found]
    return sorted(known, key=lambda one: question.text.casefold().find(one.name.casefold()))


def _chosen(relations: Sequence[Relation], sides: Sides, named: Collection[UUID]) -> list[Relation]:
    """Those to another named entity, and of each asked type those on the asked side, if there are any."""
    shown = [one for one in relations if not one.archived]
    right = [one for one in shown if not {None, one.outgoing}.isdisjoint(sides.get(one.relation_type, ()))]
    answered = {one.relation_type for one in right}
    return [
        one
        for one in shown
        if one in right or one.other_id in named or (one.relation_type in sides and one.relation_type not in answered)
    ]


def _wordings(relations: Sequence[RelationType]) -> Iterator[_Wording]:
    for one in relations:
        either: list[Mapping[str, Collection[str]]] = [
            {"en": (one.reads, one.inverse)}, one.phrases, one.inverse_phrases, one.past_phrases, one.inverse_past_phrases,
            one.own_phrases, one.together, one.asked,
        ]  # fmt: skip
        sided = [(one.nouns, None if one.symmetric else False), (one.inverse_nouns, True)]
        for by_language, outgoing in [*sided, *((phrases, None) for phrases in either)]:
            for language, listed in by_language.items():
                for terms in {_terms(phrase, language) for phrase in listed} - {()}:
                    yield _Wording(one.name, outgoing, language, terms)


def _terms(phrase: str, language: str) -> tuple[frozenset[int], ...]:
    """Of each word of a phrase that carries meaning the terms by which a question may have it; none where they say too little."""
    plain = folded(_NO_WORDS.sub(" ", phrase))
    if language == "en":
        known = words(plain) and [*words(plain), *_PARTICLES.intersection(plain.split())]
        # "runs {organization}": only what comes next shows it; `reads` names each type in English
        return () if "{" in phrase and len(known) == 1 else tuple(frozenset({term_id(word)}) for word in known)
    listed = plain.split()
    kept = [
        word
        for word in listed  # "mann" and "trabajo" are among the stop words
        if len(listed) == 1 or word not in stop_words(language) or len(word) >= SAYS_ENOUGH
    ]
    stems = language in STEMMED  # Chinese words are pairs of signs
    return tuple(
        frozenset(map(term_id, (word, *words(word), *([stem(word, language)] if stems else ())))) for word in kept
    )
