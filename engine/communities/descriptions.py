"""What is said of communities, clusters and entities: names and summaries composed of what holds; how important an entity is, and
what it is in one line; what the texts that mention it mean: centroid, words that set them apart, drift. Pure.

    importance = 0.40 · mentions + 0.20 · nodes + 0.25 · relations + 0.15 · recency        from 0 to 1

Mentions, nodes and relations (the sum of strength × confidence) are log(1 + own) / log(1 + the largest of the user's graph);
recency halves every 90 days before the newest record of the user, so that nothing changes while nothing is stored.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np

from engine.communities.graph_read import KnownRelation, MemberEntity, UserGraph
from engine.domain.terms import folded, words, words_at
from engine.naming.configuration import Domain
from engine.providers.embedder import Vectors

TOKENS = 100
"""Of a summary."""
LONGEST_NAME = 80
NAMED, LISTED = 3, 8
"""Members in a name, and in a summary."""
Count = Callable[[str], int]
MENTIONS, NODES, RELATIONS, RECENCY = 0.40, 0.20, 0.25, 0.15
HALF_LIFE_DAYS = 90
LONGEST_LINE = 120
"""Characters of a summary."""
MOST_RELATIONS = 2
UNKNOWN = "thing"
DESCRIPTORS = 8
LEAST_ITEMS, LEAST_FOR_DRIFT = 1, 4
SHORTEST_WORD = 3
COMMON = 0.5
"""Share of a user's texts from which on a word sets nothing apart."""


def community_name(members: Sequence[str]) -> str:
    """The names of the strongest members."""
    named = ", ".join(members[:NAMED])
    return shortened(f"{named}, …" if len(members) > NAMED else named)


def community_summary(members: Sequence[str], relations: Iterable[str], count_tokens: Count) -> str:
    """Members, then the strongest relations, as far as they fit: `Dave, Ellen Harlan; Dave married to Ellen Harlan`."""
    listed = ", ".join(members[:LISTED]) + (", …" if len(members) > LISTED else "")
    return _fitting([listed, *relations], count_tokens, "; ")


def cluster_name(subjects: Iterable[Sequence[str]], texts: Sequence[str]) -> str:
    """Whom or what most of the facts are about; where they name none, the strongest fact."""
    counted = Counter(name for names in subjects for name in dict.fromkeys(names) if name)
    often = [name for name, times in sorted(counted.items(), key=lambda one: (-one[1], one[0])) if times > 1]
    return shortened(", ".join(often[:NAMED]) or (texts[0] if texts else ""))


def cluster_summary(texts: Iterable[str], count_tokens: Count) -> str:
    """The strongest facts, one a line, as far as they fit."""
    return _fitting([" ".join(text.split()) for text in texts], count_tokens, "\n")


def shortened(text: str, longest: int = LONGEST_NAME) -> str:
    """The text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def _fitting(parts: Sequence[str], count_tokens: Count, between: str) -> str:
    """The parts that fit, in their order; the first one is cut to fit if it must be."""
    taken = [shortened(parts[0], TOKENS * 3)] if parts else []
    while taken and count_tokens(taken[0]) > TOKENS:
        taken[0] = shortened(taken[0], len(taken[0]) * 3 // 4)
    for part in parts[1:]:
        if part and count_tokens(between.join([*taken, part])) <= TOKENS:
            taken.append(part)
    return between.join(taken)


@dataclass(frozen=True, slots=True)
class DerivedEntity:
    """What is derived of an entity; `summary_of`: the relations that the summary names."""

    entity_id: str
    importance: float
    summary: str
    summary_of: tuple[UUID, ...]


def derived(graph: UserGraph, domain: Domain) -> list[DerivedEntity]:
    """Importance and summary of all entities of a user."""
    importance = importances(graph)
    return [
        DerivedEntity(one.entity_id, importance[one.entity_id], *summary(one, graph, domain))
        for one in graph.entities.values()
    ]


def importances(graph: UserGraph) -> Mapping[str, float]:
    """The importance of each entity, as the formula above gives it."""
    entities = graph.entities.values()
    weights = {one.entity_id: sum(r.weight for r in graph.relations_of.get(one.entity_id, ())) for one in entities}
    most_mentions = max((one.mentions for one in entities), default=0)
    most_nodes, most_weight = max((one.nodes for one in entities), default=0), max(weights.values(), default=0.0)
    newest = max((one.last_mentioned_at for one in entities), default=None)
    return {
        one.entity_id: round(
            MENTIONS * _share(one.mentions, most_mentions)
            + NODES * _share(one.nodes, most_nodes)
            + RELATIONS * _share(weights[one.entity_id], most_weight)
            + RECENCY * _recency(one.last_mentioned_at, newest),
            4,
        )
        for one in entities
    }


def _share(own: float, largest: float) -> float:
    return math.log1p(own) / math.log1p(largest) if largest > 0 else 0.0


def _recency(at: datetime, newest: datetime | None) -> float:
    days = (newest - at).total_seconds() / 86400 if newest else 0.0
    return float(0.5 ** (max(0.0, days) / HALF_LIFE_DAYS))


def summary(one: MemberEntity, graph: UserGraph, domain: Domain) -> tuple[str, tuple[UUID, ...]]:
    """The kind and up to two of the strongest relations on one line, as far as they fit; empty where neither says anything."""
    parts, named = [one.kind] if one.kind != UNKNOWN else [], list[UUID]()
    for relation, text in _relations(one, graph, domain):
        if len(named) < MOST_RELATIONS and len("; ".join([*parts, text])) <= LONGEST_LINE:
            parts.append(text)
            named.append(relation.relation_id)
    return "; ".join(parts), tuple(named)


def _relations(one: MemberEntity, graph: UserGraph, domain: Domain) -> Iterator[tuple[KnownRelation, str]]:
    """Its relations with their words without the first "is", each sort once."""
    seen: set[tuple[str, bool]] = set()
    for relation in graph.relations_of.get(one.entity_id, ()):
        outgoing = relation.source_id == one.entity_id
        if (relation.relation_type, outgoing) in seen:
            continue
        seen.add((relation.relation_type, outgoing))
        other = graph.entities[relation.target_id if outgoing else relation.source_id]
        yield relation, f"{reading(relation.relation_type, domain, outgoing=outgoing)} {other.name}"


def reading(relation_type: str, domain: Domain, *, outgoing: bool = True) -> str:
    """The words of a relation for a list: "married to", "works at"."""
    return domain.reading(relation_type, backwards=not outgoing).removeprefix("is ")


@dataclass(frozen=True, slots=True)
class ReadItem:
    """A text with its meaning."""

    item_id: str
    content: str
    vector: Vectors


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is kept of an entity for one embedding version."""

    entity_id: str
    centroid: Vectors
    descriptors: tuple[str, ...]
    drift: float | None
    items: int


def meanings(
    mentioned: Mapping[str, Sequence[str]], names: Mapping[str, str], items: Mapping[str, ReadItem]
) -> list[Meaning]:
    """The meaning of each entity; `mentioned`: the items that mention it, the oldest first."""
    counted = {item_id: Counter(words(item.content)) for item_id, item in items.items()}
    often = Counter(word for words_of in counted.values() for word in words_of)
    shown = _as_written(items.values())
    made = []
    for entity_id, ids in mentioned.items():
        there = [one for one in dict.fromkeys(ids) if one in items]
        if len(there) >= LEAST_ITEMS:
            vectors = np.stack([items[one].vector for one in there])
            own = set(words(names[entity_id]))
            described = _descriptors([counted[one] for one in there], own, often, len(items))
            listed = tuple(shown[word] for word in described)
            made.append(Meaning(entity_id, _unit(vectors.mean(axis=0)), listed, drift(vectors), len(there)))
    return made


def drift(vectors: Vectors) -> float | None:
    """The cosine distance between the centroids of the older and the newer half; None for fewer than four."""
    if len(vectors) < LEAST_FOR_DRIFT:
        return None
    half = len(vectors) // 2
    older, newer = _unit(vectors[:half].mean(axis=0)), _unit(vectors[half:].mean(axis=0))
    return round(max(0.0, 1 - float(older @ newer)), 4)


def _unit(vector: Vectors) -> Vectors:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


def _descriptors(own: Sequence[Counter[str]], names: set[str], often: Counter[str], total: int) -> list[str]:
    """Words of several of its texts that others have seldom, the weightiest first."""
    within = Counter(word for words_of in own for word in words_of)
    weights = {
        word: times * math.log(1 + total / often[word])
        for word, times in within.items()
        if word not in names
        and len(word) >= SHORTEST_WORD
        and not word.isdigit()
        and (often[word] <= COMMON * total or total <= 2 * len(own))
        and times > 1
    }
    return sorted(weights, key=lambda word: (-weights[word], word))[:DESCRIPTORS]


def _as_written(items: Iterable[ReadItem]) -> dict[str, str]:
    """A word as texts write it, by its stem: the form that is most common."""
    forms: dict[str, Counter[str]] = {}
    for item in items:
        text = folded(item.content)
        for word, start in words_at(text):
            end = start
            while end < len(text) and (text[end].isalnum()):
                end += 1
            forms.setdefault(word, Counter())[text[start:end] or word] += 1
    return {word: min(counts, key=lambda one: (-counts[one], one)) for word, counts in forms.items()}
