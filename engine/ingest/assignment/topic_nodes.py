"""Finds a topic that no node covers: a name that recurs, or a title that the text is about, and that no node claims. Its node is
committed before content goes to it.

Kept narrow on purpose: a node too few costs a search some precision, a node too many annoys a person. What counts is in how
many pieces (turns, passages) the name stands, their share of all pieces that no node covers, how far it is ahead of the next
name, and whether the title says it, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from engine.domain.description import names, plain_words, relationships, summarize
from engine.domain.node import NewNode
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode
from engine.domain.terms import STOP_WORDS, words
from engine.errors import Archived, DepthExceeded, InvalidName
from engine.hierarchy.provisioning import Provisioning
from engine.ingest.assignment.evidence import NodeVocabulary
from engine.language.tables import all_listed, alternatives
from engine.privacy.redact import Redactor, redacted_node

COVERED = 1.0
"""The evidence for one node, in plain keyword hits, from which on a piece is covered by it."""
LEAST_PIECES, LEAST_TITLED = 5, 3
"""In how many pieces a name must stand, and a title."""
ENOUGH_SHARE = 0.5
LONGEST_TITLE_WORDS = 4
MOST_KEYWORDS = 5
SUMMARY_WORDS = 40
_NO_TOPIC = frozenset(all_listed("names", "no_topic"))


@dataclass(frozen=True, slots=True)
class Topic:
    """A missing node: its parent, its description, the confidence, and the reasons."""

    parent: AssignableNode
    name: str
    node_type: Literal["concept", "persona"]
    keywords: tuple[str, ...]
    summary: str
    confidence: float
    reasons: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A name with the pieces (by number) in which it stands, among those that no node covers."""

    name: str
    pieces: tuple[int, ...]
    titled: bool


def missing_topic(
    title: str, texts: Sequence[str], speakers: frozenset[str], nodes: Sequence[AssignableNode], vocabulary: NodeVocabulary
) -> Topic | None:  # fmt: skip
    """The one topic of these texts that no node covers, or None. `nodes`: where the texts would go."""
    if not vocabulary.nodes or vocabulary.nodes[0].layer != 0:
        return None
    free = [number for number, text in enumerate(texts) if not _covered(text, vocabulary)]
    ranked = _ranked(title, texts, speakers, free, vocabulary)
    if not ranked:
        return None
    best, second = ranked[0], next((len(other.pieces) for other in ranked[1:] if _apart(ranked[0], other)), 0)
    if len(best.pieces) < (LEAST_TITLED if best.titled else LEAST_PIECES):
        return None
    sure = sureness(len(best.pieces), len(free), second, titled=best.titled)
    said = [texts[number] for number in best.pieces]
    counts = {"pieces": len(best.pieces), "uncovered": len(free), "next_name": second}
    reasons = {"rule": "a topic that no node covers", "name": best.name, **counts, "in_title": best.titled}
    parent = _parent([nodes[number] for number in best.pieces], vocabulary.nodes[0])
    summary = summarize("\n".join(said), target_words=SUMMARY_WORDS)[:600]
    kind, found = _type(best.name, said), _keywords(best.name, said, vocabulary)
    return Topic(parent, best.name, kind, found, summary, sure, reasons)


def sureness(pieces: int, uncovered: int, second: int, *, titled: bool) -> float:
    """How sure it is that a name is a topic of its own; never 1."""
    support = pieces / (pieces + 1)
    share = min(1.0, pieces / max(1, uncovered) / ENOUGH_SHARE)
    ahead = 1 - 0.5 * second / pieces
    sure = support * share * ahead
    return round(1 - (1 - sure) * 0.5 if titled else sure, 3)


def _covered(text: str, vocabulary: NodeVocabulary) -> bool:
    hits = vocabulary.evidence(text)
    return any(vocabulary.inherited(hits, number) >= COVERED for number in hits)


def _ranked(
    title: str, texts: Sequence[str], speakers: frozenset[str], free: Sequence[int], vocabulary: NodeVocabulary
) -> list[_Candidate]:
    """Names that no node claims, those in most pieces first."""
    said = {part.casefold() for speaker in speakers for part in speaker.split()}
    places: dict[str, set[int]] = {}
    for number in free:
        for name in names(texts[number]):
            if _may_name(name, said) and not vocabulary.evidence(name):
                places.setdefault(name, set()).add(number)
    titled = _titled(title, texts, free, said, vocabulary)
    in_title = set(words(title))
    found = [_Candidate(name, tuple(sorted(at)), set(words(name)) <= in_title) for name, at in _joined(places).items()]
    return sorted([*titled, *found], key=lambda one: (-len(one.pieces), not one.titled, one.name))


def _joined(places: Mapping[str, set[int]]) -> dict[str, set[int]]:
    """A short name counts for the one longer name that it is part of: Carl for Carl Meyer."""
    joined = {name: set(at) for name, at in places.items()}
    for name in places:
        longer = [other for other in places if other != name and name in other.split() and len(places[other]) > 1]
        if " " not in name and len(longer) == 1:
            joined[longer[0]] |= joined.pop(name)
    return joined


def _titled(
    title: str, texts: Sequence[str], free: Sequence[int], said: set[str], vocabulary: NodeVocabulary
) -> list[_Candidate]:
    """The title as a name, where it is short and the text keeps saying it."""
    name = " ".join(title.split()).rstrip(".:!?")
    key = words(name)
    short = 0 < len(name.split()) <= LONGEST_TITLE_WORDS and len(key) == len(name.split())
    if not short or not _may_name(name, said) or vocabulary.evidence(name):
        return []
    pieces = tuple(number for number in free if set(key) <= set(words(texts[number])))
    return [_Candidate(name, pieces, True)] if pieces else []


def _may_name(name: str, said: set[str]) -> bool:
    """Whether a name can be a topic: no speaker's, no weekday, nothing generic, letters."""
    parts = [part.casefold() for part in name.split()]
    barred = said | _NO_TOPIC | STOP_WORDS
    short = any(speaker.startswith(part) for speaker in said for part in parts)  # Mel is Melanie
    fits = len(name) >= 3 and name[0].isalpha() and not short
    return fits and not any(part in barred or part.isdigit() for part in parts)


def _apart(one: _Candidate, other: _Candidate) -> bool:
    return not set(words(one.name)) & set(words(other.name))


def _parent(places: Sequence[AssignableNode], root: AssignableNode) -> AssignableNode:
    """The node to which most of the pieces would go; the root where they are scattered."""
    [(most, count)] = Counter(place.node_id for place in places).most_common(1)
    return next(place for place in places if place.node_id == most) if 2 * count > len(places) else root


def _type(name: str, texts: Sequence[str]) -> Literal["concept", "persona"]:
    """A persona where the text calls it a person's relation, twice."""
    relation = "|".join(map(re.escape, sorted(relationships(), key=len, reverse=True)))
    called = re.compile(
        rf"\b(?:{relation})\s+{re.escape(name)}\b"
        rf"|\b{re.escape(name)}(?:,|{alternatives('relations', 'named_is')})"
        rf"\s+(?:{alternatives('relations', 'owner_after')})\s+(?:{relation})\b"
    )
    return "persona" if sum(called.search(text) is not None for text in texts) >= 2 else "concept"


def _keywords(name: str, texts: Sequence[str], vocabulary: NodeVocabulary) -> tuple[str, ...]:
    """The name's own words, and the few others that are in most of its pieces and that no node claims."""
    own = tuple(dict.fromkeys(part.casefold() for part in name.split()))
    counts = Counter(word for text in texts for word in dict.fromkeys(plain_words(text)))
    often = [
        word
        for word, count in counts.most_common(50)
        if 2 * count >= len(texts) and word not in STOP_WORDS and word not in own and not vocabulary.evidence(word)
    ]
    return (*own, *often[:MOST_KEYWORDS])


class TopicNodes:
    """Creates nodes for topics whose confidence is above `threshold`."""

    def __init__(self, provisioning: Provisioning, redactor: Redactor, threshold: float) -> None:
        self._provisioning, self._redactor, self._threshold = provisioning, redactor, threshold

    def wanted(self, principal: Principal, topic: Topic) -> bool:
        """Whether a node is created for it: its confidence is high enough, and the content is the user's own."""
        return principal.owns and topic.confidence >= self._threshold

    async def made(self, principal: Principal, topic: Topic) -> tuple[AssignableNode, bool] | None:
        """The node of a topic below its parent, and whether it is new: a concurrent request may have created it.

        None where it must not be created: a parent at layer 5 takes the content itself, which the provisioning logs; a name
        with personal data is refused, and so is an archived parent. Raises StoreUnavailable.
        """
        new = NewNode(topic.parent.node_id, topic.name, topic.node_type, topic.summary, topic.keywords)
        try:
            node = await self._provisioning.node(principal, redacted_node(new, self._redactor))
            if not node.created:
                await self._provisioning.require_unarchived(principal, node.node_id)
        except (DepthExceeded, InvalidName, Archived):
            return None
        return node_of(topic, node.node_id, node.schema_name), node.created


def node_of(topic: Topic, node_id: UUID, schema_name: str) -> AssignableNode:
    """The node that a topic would be, or is."""
    above = topic.parent
    path, place = (*above.path, topic.name), (*above.place, topic.name)
    return AssignableNode(
        node_id, schema_name, path, above.layer + 1, above.root_schema, topic.keywords, (), place, topic.summary
    )
