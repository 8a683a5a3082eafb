"""A found item: what ranks it, and its contents, which are read for what is shown; one scale for all families of items; and how
well the words of a question are covered around a turn.

**Scale**: families (turns, facts, passages) are placed beside each other by how near the nearest item of each is. Most signals
are z-scores over the item's own family, so the best of a thousand unrelated passages is as far above its family as the answer
in a chat is above its own: their sums cannot be compared. What can be compared is the cosine with the question, without vectors
BM25. So the best scores are made level, and a family whose nearest item is further away is lowered by the square of that
distance: close families mix, as a question may need a chat and a document. Inside a family the order stays.

Scores of passages lie several times further apart than those of turns, so the best of unrelated ones can lead its own by more
than its distance from the question takes away ("Which car do we have?" beside an article about a car). So nothing that is further
away comes before the best of what is nearest; behind that it keeps its place.

**Coverage**: by meaning of single words. Late interaction over token vectors (ColBERT, Khattab and Zaharia 2020), with the tokens
of a turn as sign bits and with windows in place of single turns: an answer often names half of what was asked, and the turn
before it the other half.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from engine.domain.node import ContentType, FileState
from engine.domain.scope import ScopeKind, SourceKind
from engine.domain.search import ItemKind
from engine.domain.utterance import spoken_at
from engine.retrieval.weights import Family, ScaleWeights

ASKS, FOLLOWS_QUESTION, OPENS_SESSION, FIRST_PERSON = 1, 2, 4, 8
"""Bits of `flags`."""

Values = NDArray[np.float64]
_Rows = Mapping[Family, Sequence[int]]

_FITTED: Mapping[Family, str] = {"turn": "conversations", "fact": "conversations", "passage": "documents"}
"""Whose weights were fitted beside each other: facts beside the turns that they were read from."""

STEP = 0.001
"""By how much items follow each other that would come before the best hit of what is nearest."""

Floats = NDArray[np.float32]

BLOCK = 1024
"""Tokens that are unpacked at once: as floats they are 32 times as large, and stay in the processor's cache like this."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row of the statement that finds candidates; the names are those of its columns.

    words, meaning and record_words are z-scores of the item over its family, as far as that was searched, `…_previous`,
    `…_previous2` and `…_next` those of its neighbours in the session, 0 where there is none; `…_overall` are z-scores over
    everything that was searched. `cosine` is None for an
    item without a comparable vector. `number`: its place in the session, from 1. `tokens`: the sign bits of its token
    vectors, one after the other (see coverage above). Of passages: `aboutness` says of each entity whether the passage
    is about it, `passages` how many passages mention it, `weights` the sum of their edges to it (see `retrieval.walk`).
    `found_by`: for an explanation, the lists of best items on which it is, as bits: 1 words, 2 meaning, 4 entities.
    """

    node_id: UUID
    item_id: UUID
    kind: ItemKind
    family: Family
    session: UUID
    position: int
    number: int
    words: float
    words_previous: float
    words_previous2: float
    words_next: float
    meaning: float
    meaning_previous: float
    meaning_next: float
    record_words: float
    has_words: bool
    cosine: float | None
    words_overall: float
    meaning_overall: float
    speaker: str
    occurred_at: datetime | None
    dates: list[str]
    flags: int
    word_count: int
    time_expressions: int
    entities: list[int]
    aboutness: list[int] | None
    passages: list[int] | None
    weights: list[int] | None
    tokens: bytes | None
    found_by: int

    @property
    def said_at(self) -> datetime | None:
        """When it was said, by the clock of its speaker."""
        return spoken_at(self.occurred_at, self.dates)


@dataclass(frozen=True, slots=True)
class Contents:
    """What is shown of a candidate; `row_id` is the candidate's `item_id`."""

    node_id: UUID
    row_id: UUID
    item_id: UUID
    record_id: UUID
    source_ref: str | None
    content: str
    section: str
    record_title: str
    record_summary: str
    content_type: ContentType
    file_id: UUID | None
    file_name: str | None
    file_state: FileState | None
    scope: ScopeKind
    scope_id: str | None
    source: SourceKind
    path: list[str]
    passed: datetime | None


@dataclass(frozen=True, slots=True)
class DecayRow:
    """One row of a search with decay; without an item where nothing was found. `age_days`: at the moment that is asked for."""

    nodes_searched: int
    items_searched: int
    active: str
    node_id: UUID
    item_id: UUID | None
    kind: ItemKind
    session: UUID
    position: int
    speaker: str
    occurred_at: datetime | None
    cosine: float
    confidence: float
    age_days: float
    decay: float
    score: float


def z_scores(values: Values) -> Values:
    """Zeros where all values are alike."""
    deviation = float(values.std())
    scores: Values = (values - values.mean()) / deviation if deviation > 0 else np.zeros_like(values)
    return scores


def family_offsets(
    candidates: Sequence[Candidate], scores: Values, weights: ScaleWeights, *, by_words: bool = False
) -> Values:
    """What is added to each score; 0 for the family that is nearest to the question, and where there is only one. `by_words`:
    not by the vectors."""
    offsets = np.zeros(len(candidates))
    rows: dict[Family, list[int]] = {}
    for place, one in enumerate(candidates):
        rows.setdefault(one.family, []).append(place)
    if len(rows) < 2:
        return offsets
    near, tops = _nearness(candidates, rows, weights, by_words), _tops(scores, rows, weights.best)
    nearest = max(rows, key=lambda family: near[family])
    first = float(scores[rows[nearest]].max())
    for family, places in rows.items():
        further = near[nearest] - near[family]
        level = tops[_FITTED[nearest]] - tops[_FITTED[family]] - weights.lowered * further**2
        offsets[places] = level
        if _FITTED[family] != _FITTED[nearest]:
            offsets[places] = _behind(first, scores[places] + level) - scores[places]
    return offsets


def _behind(first: float, scores: Values) -> Values:
    """The scores, in their order, none as high as the first."""
    most = np.empty_like(scores)
    most[np.argsort(-scores, kind="stable")] = first - STEP * np.arange(1, len(scores) + 1)
    return np.minimum(scores, most)


def _nearness(
    candidates: Sequence[Candidate], rows: _Rows, weights: ScaleWeights, by_words: bool
) -> dict[Family, float]:
    """How near the nearest item of each family is, in spreads of what was searched; by words where a family has no vector. Among
    few items none stands far above the others: what facts are usually nearer counts in proportion."""
    cosines = {
        name: [c.meaning_overall for place in places if (c := candidates[place]).cosine is not None]
        for name, places in rows.items()
    }
    if all(cosines.values()) and not by_words:
        usual = {"fact": weights.facts_nearer * min(1.0, len(candidates) / weights.few)}
        return {name: max(found) - usual.get(name, 0.0) for name, found in cosines.items()}
    return {name: max(candidates[place].words_overall for place in places) for name, places in rows.items()}


def _tops(scores: Values, rows: _Rows, best: int) -> dict[str, float]:
    """The mean of the best scores of a family, the greatest of those whose weights were fitted together."""
    tops: dict[str, float] = {}
    for family, places in rows.items():
        top = float(np.sort(scores[places])[-best:].mean())
        tops[_FITTED[family]] = max(tops.get(_FITTED[family], top), top)
    return tops


@dataclass(frozen=True, slots=True, eq=False)
class Signs:
    """The signs of the tokens of some texts, packed as bits, one row a token. `sizes`: how many tokens each text has."""

    packed: NDArray[np.uint8]
    sizes: NDArray[np.intp]
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, tokens: Sequence[bytes], dimension: int) -> Signs:
        """Of the bits of their tokens."""
        sizes = np.array([len(one) // (dimension // 8) for one in tokens], dtype=np.intp)
        packed = np.frombuffer(b"".join(tokens), dtype=np.uint8).reshape(-1, dimension // 8)
        return cls(packed, sizes, np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.intp))

    def cosines(self, others: Floats) -> Floats:
        """Of each of these vectors with each token; the lengths of both are taken for the root of the dimension."""
        dimension = others.shape[1]
        found = np.empty((len(others), len(self.packed)), dtype=np.float32)
        for start in range(0, len(self.packed), BLOCK):
            bits = np.unpackbits(self.packed[start : start + BLOCK], axis=1).astype(np.float32)
            found[:, start : start + BLOCK] = others @ bits.T
        # A sign is twice the bit less one.
        return (2 * found - others.sum(axis=1, keepdims=True)) / np.float32(dimension)  # type: ignore[no-any-return]

    def alike(self, one: int) -> NDArray[np.float64]:
        """By text how well its tokens and those of one cover each other: of each token the cosine with the nearest, their mean,
        both ways; 0 for a text without tokens. `one` has tokens."""
        own = np.unpackbits(self.packed[self.starts[one] : self.starts[one] + self.sizes[one]], axis=1)
        cosines = self.cosines(2 * own.astype(np.float32) - 1)
        filled = np.flatnonzero(self.sizes)
        covered = np.maximum.reduceat(cosines, self.starts[filled], axis=1).mean(axis=0)
        covering = np.add.reduceat(cosines.max(axis=0), self.starts[filled]) / self.sizes[filled]
        alike = np.zeros(len(self.sizes))
        alike[filled] = (covered + covering) / 2
        return alike


@dataclass(frozen=True, slots=True)
class Coverage:
    """For each candidate, as z-scores over the turns among them, 0 for others: `window` of the turn with the two before it,
    `next` of the turn with the one after it. `signs`: of the tokens of the turns; None where there is nothing to compare."""

    window: NDArray[np.float64]
    next: NDArray[np.float64]
    signs: Signs | None


def coverage(candidates: Sequence[Candidate], question: Floats | None) -> Coverage:
    """`question`: its token vectors, shape (tokens, dimension); None or empty where the encoder gives none."""
    count = len(candidates)
    none = Coverage(np.zeros(count), np.zeros(count), None)
    if question is None or not len(question):
        return none
    dimension = question.shape[1]
    turns = [place for place, one in enumerate(candidates) if one.family == "turn" and _fits(one.tokens, dimension)]
    if not turns:
        return none
    kept = set(turns)
    signs = Signs.of([one.tokens or b"" if place in kept else b"" for place, one in enumerate(candidates)], dimension)
    best = _best(signs, question)[turns]
    row = {(candidates[place].session, candidates[place].number): number for number, place in enumerate(turns)}
    window, following = np.zeros(count), np.zeros(count)
    window[turns] = z_scores(_joined(best, [_near(candidates[place], row, (-1, -2)) for place in turns]))
    following[turns] = z_scores(_joined(best, [_near(candidates[place], row, (1,)) for place in turns]))
    return Coverage(window, following, signs)


def _fits(tokens: bytes | None, dimension: int) -> bool:
    return tokens is not None and len(tokens) % (dimension // 8) == 0


def _best(signs: Signs, question: Floats) -> Floats:
    """By text and token of the question the greatest cosine of one of the text's tokens, -1 for a text without any."""
    best = np.full((len(signs.sizes), len(question)), -1.0, dtype=np.float32)
    filled = np.flatnonzero(signs.sizes)
    if len(filled):
        cosines = signs.cosines(question * np.sqrt(np.float32(question.shape[1])))
        best[filled] = np.maximum.reduceat(cosines, signs.starts[filled], axis=1).T
    return best


def _near(turn: Candidate, row: dict[tuple[UUID, int], int], steps: Sequence[int]) -> list[int]:
    """The rows of the turn's neighbours that are among the candidates."""
    return [row[near] for step in steps if (near := (turn.session, turn.number + step)) in row]


def _joined(best: Floats, neighbours: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """The mean over the question's tokens of the best of a turn and its neighbours."""
    joined = best.copy()
    for number, near in enumerate(neighbours):
        for other in near:
            np.maximum(joined[number], best[other], out=joined[number])
    means: NDArray[np.float64] = joined.mean(axis=1).astype(np.float64)
    return means
