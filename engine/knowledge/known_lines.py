"""What is known of those whom a record names, as lines that a language model is given before it reads the record.

Made of what everyone may know who may read the record: what records of the same node say, and nothing private. What the model
then writes cannot carry words to other readers; its answer is kept for these readers alone. For the user alone: another writer's
records get no lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.domain.clock import NOW, Clock
from engine.domain.fact import subject_hash
from engine.domain.names import name_key
from engine.domain.principal import Principal
from engine.domain.prompt_lines import inline
from engine.domain.record import RecordDraft
from engine.domain.terms import words
from engine.naming.configuration import Domain
from engine.naming.mentions import texts_of
from engine.naming.names import names_in
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Jsonb, Postgres
from engine.stores.statements import cypher, sql_text
from engine.turns import computed

MOST_ENTITIES, MOST_NAMES, MOST_ASKED = 5, 12, 240
"""Entities of a record that are described, names of it that are looked up, and of all records of a call."""
RELATIONS, FACTS, FACTS_READ = 4, 3, 20
"""Most of each in a line, and facts of which these are chosen."""
NO_TEXTS: Mapping[int, frozenset[str]] = {}
LONGEST_LINE = 400
"""Characters of a line: some 100 tokens."""
HEADING = "Known already:"


@dataclass(frozen=True, slots=True)
class _Related:
    type: str
    outgoing: bool
    other: str
    since: str | None


@dataclass(frozen=True, slots=True)
class _Described:
    """An entity as the graph describes it, for the place in the list that was asked."""

    number: int
    key: str
    kind: str
    names: tuple[str, ...]
    relations: tuple[_Related, ...]


@dataclass(frozen=True, slots=True)
class _Told:
    number: int
    text: str


class KnownLines:
    """Describes entities in a line each."""

    def __init__(self, neo4j: Neo4j, postgres: Postgres, domain: Domain, clock: Clock) -> None:
        self._neo4j, self._postgres, self._domain, self._clock = neo4j, postgres, domain, clock

    async def known(self, principal: Principal, drafts: Sequence[RecordDraft]) -> list[str]:
        """Some lines for each record; empty where nothing is known. Raises StoreUnavailable."""
        if not principal.owns:
            return [""] * len(drafts)
        named = await computed(_named, drafts)
        places = [(record, name) for record, names in enumerate(named) for name in names][:MOST_ASKED]
        asked = [
            {"number": number, "name": name, "key": "", "node": _place(drafts[record])}
            for number, (record, name) in enumerate(places)
        ]
        lines: list[dict[str, str]] = [{} for _ in drafts]
        about = [frozenset(words(" ".join(one.content for one in draft.items))) for draft in drafts]
        told_by = {number: about[record] for number, (record, _) in enumerate(places)}
        for number, (key, line) in (await self._lines(principal, asked, told_by)).items():
            own = lines[places[number][0]]
            if len(own) < MOST_ENTITIES:
                own.setdefault(key, line)
        return ["\n".join([HEADING, *own.values()]) if own else "" for own in lines]

    async def of_entities(self, principal: Principal, keys: Sequence[str]) -> Mapping[str, str]:
        """A line for each of these entities of which something is known. Raises StoreUnavailable."""
        if not principal.owns:
            return {}
        asked = [{"number": number, "name": "", "key": key, "node": ""} for number, key in enumerate(keys)]
        return dict((await self._lines(principal, asked)).values())

    async def _lines(
        self,
        principal: Principal,
        asked: Sequence[Mapping[str, Any]],
        texts: Mapping[int, frozenset[str]] = NO_TEXTS,
    ) -> dict[int, tuple[str, str]]:
        """By number: the key of the entity, and its line. `texts`: by number the words of the text for which it is."""
        if not asked:
            return {}
        moment = NOW.graph_parameters(self._clock.now())
        found = await self._neo4j.read(
            cypher("entity/described"),
            row=_Described,
            **principal.parameters,
            **moment,
            asked=list(asked),
            most=RELATIONS,
        )
        if not found:
            return {}
        facts = await self._facts(principal, found, asked)
        ordered = sorted(found, key=lambda one: one.number)
        lines = {
            one.number: (one.key, self._line(one, facts.get(one.number, ()), texts.get(one.number, frozenset())))
            for one in ordered
        }
        return {number: (key, line) for number, (key, line) in lines.items() if line}

    async def _facts(
        self, principal: Principal, found: Sequence[_Described], asked: Sequence[Mapping[str, Any]]
    ) -> dict[int, list[str]]:
        lines = [
            {
                "number": one.number,
                "subject": subject_hash(principal.user_id, name_key(name)),
                "node": asked[one.number]["node"] or None,
            }
            for one in found
            for name in one.names
        ]
        given = {"lines": Jsonb(lines), "most": FACTS_READ, "now": self._clock.now()}
        told: dict[int, list[str]] = {}
        for one in await self._postgres.fetch(principal, sql_text("fact/described"), given, row=_Told):
            told.setdefault(one.number, []).append(" ".join(one.text.split()))
        return told

    def _line(self, one: _Described, known: Sequence[str], text: frozenset[str]) -> str:
        spoken_of = text - frozenset(words(" ".join(one.names)))
        shared = {fact: len(spoken_of.intersection(words(fact))) for fact in known}
        # what the text speaks of first, then what changes, then what was said most often
        facts = sorted(known, key=lambda fact: -shared[fact])[:FACTS]
        near = [fact for fact in facts if shared[fact]]
        also = f", also {', '.join(one.names[1:])}" if len(one.names) > 1 else ""
        related = [
            f"{self._domain.reading(relation.type, backwards=not relation.outgoing)} {relation.other}"
            + (f" since {relation.since}" if relation.since else "")
            for relation in one.relations
        ]
        parts = [f"{one.names[0]} ({one.kind}{also})"]
        for part in (*near, *said_else(related, facts), *(fact for fact in facts if fact not in near)):
            if sum(map(len, parts)) + len(part) <= LONGEST_LINE:
                parts.append(part.rstrip("."))
        if not parts[1:] and not also:
            return ""  # nothing is known of it but its name
        return inline(f"- {parts[0]}: {'; '.join(parts[1:])}" if parts[1:] else f"- {parts[0]}")


def said_else(relations: Sequence[str], facts: Sequence[str]) -> list[str]:
    """The relations, as words, that no fact states in the same words."""
    return [one for one in relations if not any(one.casefold() in fact.casefold() for fact in facts)]


def _place(draft: RecordDraft) -> str:
    """Of which node records may speak of it: a private record is the user's alone."""
    return "" if draft.privacy == "private" else str(draft.node.node_id)


def _named(drafts: Sequence[RecordDraft]) -> list[list[str]]:
    """The names of each record, those used most first."""
    texts = [texts_of(draft) for draft in drafts]
    found = iter(names_in([text.piece for own in texts for text in own], {}))
    named: list[list[str]] = []
    for own in texts:
        mentions = [one for _ in own for one in next(found) if one.sure and one.form != "kinship"]
        counted = Counter(name_key(one.name) for one in mentions)
        named.append([name for name, _ in counted.most_common(MOST_NAMES)])
    return named
