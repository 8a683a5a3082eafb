"""From what was said to a hierarchy: people below the group that they belong to, and matters. Pure; vectors are given.

A group (family, work, friends, people) becomes a node where at least two people belong to it; else its one person lies at
layer 1. The proposal errs on the side of few nodes: what it leaves out stays at the root, where only its user reads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.domain.history import Conversation
from engine.domain.proposal import MOST_NODES, Proposal, ProposedNode
from engine.domain.scope import INGESTED, Origin
from engine.ingest.proposal.matters import Floats, Matter, matters
from engine.ingest.proposal.people import Person, people
from engine.language.detection import language_of
from engine.language.tables import LANGUAGES, table
from engine.progress import counted

MOST_PEOPLE, MOST_OTHERS, MOST_MATTERS = 12, 6, 12
LEAST_OF_OTHERS = 6
"""Turns that speak of a person of whom nothing else is known."""


@dataclass(frozen=True, slots=True)
class SaidTurns:
    """The turns of some conversations in order, each with the number of its conversation."""

    texts: tuple[str, ...]
    conversations: tuple[int, ...]
    speakers: frozenset[str]

    @classmethod
    def of(cls, conversations: Sequence[Conversation], most: int, origin: Origin = INGESTED) -> SaidTurns:
        """The newest `most` turns of those that may name a node: others read names, so what is private, or belongs to a thread
        or workflow, is left out. `origin`: of conversations that bring none."""
        shared = [
            (turn, number)
            for number, one in enumerate(conversations)
            if one.privacy != "private" and not (one.origin or origin).scope.narrow
            for turn in one.turns
            if turn.privacy != "private"
        ]
        turns = shared[-most:]
        texts, speakers = tuple(turn.text for turn, _ in turns), frozenset(turn.speaker for turn, _ in turns)
        return cls(texts, tuple(number for _, number in turns), speakers)


def proposed(said: SaidTurns, vectors: Floats | None, existing: frozenset[str] = frozenset()) -> Proposal:
    """The hierarchy for what was said, `vectors` of its texts as unit rows, or None: then no matters; `existing` names (folded)
    are left out."""
    found = [one for one in _chosen(people(said.texts, said.speakers), said) if one.name.casefold() not in existing]
    taken = frozenset(one.name.casefold() for one in found) | existing | {name.casefold() for name in said.speakers}
    found_matters = [] if vectors is None else matters(said.texts, vectors, said.conversations, taken)
    subjects = found_matters[:MOST_MATTERS]
    names = table(language_of(said.texts), "groups") or table(LANGUAGES[0], "groups")
    nodes = [*_people_nodes(found, names, said), *(_matter_node(one, said) for one in subjects)][:MOST_NODES]
    covered = {turn for one in found for turn in one.turns} | {turn for one in subjects for turn in one.turns}
    return Proposal(tuple(nodes), len(said.texts), len(covered))


def _chosen(found: Sequence[Person], said: SaidTurns) -> list[Person]:
    """Those with a relation first; of the others few, and only such as come up in more than one conversation."""
    known = [one for one in found if one.relations][:MOST_PEOPLE]
    others = [
        one for one in found if not one.relations and len(one.turns) >= LEAST_OF_OTHERS and _spread(one.turns, said) > 1
    ]
    return known + others[:MOST_OTHERS]


def _people_nodes(found: Sequence[Person], names: Mapping[str, str], said: SaidTurns) -> list[ProposedNode]:
    nodes = []
    for group in names:
        members = [one for one in found if one.group == group]
        above: tuple[str, ...] = ()
        if len(members) > 1:
            above = (names[group],)
            turns = set().union(*(one.turns for one in members))
            summary = f"{names[group]}: {', '.join(one.name for one in members)}"
            relations = tuple(dict.fromkeys(one.relation for one in members if one.relation))
            spread = _spread(turns, said)
            nodes.append(ProposedNode(above, "concept", summary, relations, (), len(turns), spread, "people"))
        nodes += [_person_node(one, above, said) for one in members]
    return nodes


def _person_node(person: Person, above: tuple[str, ...], said: SaidTurns) -> ProposedNode:
    full = tuple(name for name, _ in person.full.most_common(2) if name != person.name)
    summary = f"{person.name}, {person.relation}" if person.relation else person.name
    reason = f"named in {counted(len(person.turns), 'turn')}" + (
        f", called {person.relation}" if person.relation else ""
    )
    size, spread = len(person.turns), _spread(person.turns, said)
    return ProposedNode((*above, person.name), "persona", summary, (), full, size, spread, reason)


def _matter_node(matter: Matter, said: SaidTurns) -> ProposedNode:
    words = ", ".join(matter.keywords[:4])
    size, spread, reason = len(matter.turns), _spread(matter.turns, said), f"turns alike in meaning: {words}"
    return ProposedNode((matter.name,), "concept", words, matter.keywords, (), size, spread, reason)


def _spread(turns: Sequence[int] | set[int], said: SaidTurns) -> int:
    return len({said.conversations[turn] for turn in turns})
