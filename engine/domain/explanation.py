"""How a search came to its answer, as data: what was read, what found the candidates, what each signal added to a score, what was
left out and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

FoundBy = Literal["words", "meaning", "entities"]
SearchedNodes = Literal["asked", "anchors", "all"]
"""Those that the request names, those that the anchors lead to, or all that may be read."""
WidenedBy = Literal["no_anchor", "few_items", "rare_words", "weak_hit", "nothing_found"]
"""Why other nodes are searched than those that the anchors lead to: no anchor is strong; all that may be read is little; others
hold a rare word of the question, and are added; the best hit at the anchors was weak; they held nothing."""


@dataclass(frozen=True, slots=True)
class SignalShare:
    """A signal of a hit: its `value`, the `weight` of the ranking file, and their product, the `share` of the score."""

    value: float
    weight: float
    share: float


@dataclass(frozen=True, slots=True)
class HitExplanation:
    """Why a hit has its score: `offset` and all shares together. `found_by`: the lists of best items on which it was; none: it
    stands beside one of them in a conversation. `weights`: the section of the ranking file. Signals of value 0 are left out."""

    found_by: tuple[FoundBy, ...]
    weights: str
    offset: float
    signals: Mapping[str, SignalShare]


@dataclass(frozen=True, slots=True)
class FoundCandidates:
    """How many items were ranked, and how many of them each list gave: one may be on several. `neighbours` are on none."""

    total: int
    words: int
    meaning: int
    entities: int
    neighbours: int


@dataclass(frozen=True, slots=True)
class NotShown:
    """Candidates that are no hits, by the reason: the limit of hits, the limit of tokens, an earlier page, a damaged node, gone
    since the search began. And nodes: damaged ones, and those that may be read and were not searched."""

    limit: int
    tokens: int
    earlier_pages: int
    damaged: int
    gone: int
    damaged_nodes: int
    other_nodes: int


@dataclass(frozen=True, slots=True)
class Recall:
    """Of the best hits that an exact search has (`exact`), how many the search by indexes has, too (`found`), and the `share`."""

    exact: int
    found: int
    share: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """How an answer was made. `nodes_exact`: how many nodes were read as a whole; `nodes_by_index`: large ones, of which only
    what indexes gave was read. `items_read`: rows that were compared. `recall` None: not asked for, or no node was searched by
    index."""

    searched: SearchedNodes
    nodes_exact: int
    nodes_by_index: tuple[UUID, ...]
    items_read: int
    candidates: FoundCandidates
    not_shown: NotShown
    recall: Recall | None = None
    widened_by: WidenedBy | None = None
