"""Context for a model: what a memory holds that matters to a question, within a number of tokens; and answers from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from engine.domain.clock import NOW, Moment
from engine.domain.fact import DoubtMark
from engine.domain.read_limits import MOST_TOKENS, ReadLimits
from engine.domain.scope import MemoryScope, SourceKind
from engine.domain.search import ALL, Filters, ItemKind, SearchRequest
from engine.errors import InvalidInput

PieceKind = Literal["profile", "fact", "turn", "chunk", "observation", "summary"]
"""`profile`: a line about the user or about an entity that the question names."""

NOTHING_STORED = "Nothing stored answers that."


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """A question that a model is to answer. `tokens` that the context may have; `limit`: hits of the search that it is made of;
    the others as in `SearchRequest` and `ReadLimits`. Raises InvalidInput."""

    question: str
    tokens: int = 2000
    limit: int = 30
    nodes: tuple[UUID, ...] | None = None
    widen: Literal["auto", "always", "never"] = "auto"
    moment: Moment = NOW
    scopes: tuple[MemoryScope, ...] = ()
    sources: tuple[SourceKind, ...] | None = None
    max_ms: int | None = None
    partial: bool = False
    kinds: tuple[ItemKind, ...] | None = None
    filters: Filters = ALL

    def __post_init__(self) -> None:
        if not 1 <= self.tokens <= MOST_TOKENS:
            raise InvalidInput(f"A context has 1 to {MOST_TOKENS:,} tokens.")
        self.limits  # noqa: B018 (checks them)

    @property
    def limits(self) -> ReadLimits:
        return ReadLimits(self.max_ms, None, self.partial)

    @property
    def filtered(self) -> bool:
        """Whether it is made of what passes filters alone, and so without a profile or facts from elsewhere."""
        return self.search.filtered

    @property
    def search(self) -> SearchRequest:
        """The search that it is made of."""
        return SearchRequest(
            self.question,
            self.limit,
            self.kinds,
            self.nodes,
            self.widen,
            self.moment,
            self.scopes,
            self.sources,
            self.filters,
            relations=True,
        )


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a context, cited as `[mark]`, and its source.

    `item_id` None: a line of a profile, which `record_id` states, about `entity_id`. `also`: items whose place it takes, such
    as the turn that a fact was read from, with the same words or fewer. `valid_from`, `valid_to`: when a fact holds, None is
    unknown. `score`: the hit's; 0 for what comes from elsewhere. `neighbour`: not found, but stands beside a hit. `cut`: not
    all of its text. `doubt`: another fact that may have replaced it, or contradicts it.
    `passed`: when the day was over for which it was planned.
    """

    mark: int
    kind: PieceKind
    text: str
    record_id: UUID
    node_id: UUID
    item_id: UUID | None = None
    title: str = ""
    section: str = ""
    speaker: str = ""
    occurred_at: datetime | None = None
    entity_id: UUID | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    also: tuple[UUID, ...] = ()
    score: float = 0.0
    neighbour: bool = False
    cut: bool = False
    doubt: DoubtMark | None = None
    passed: datetime | None = None


@dataclass(frozen=True, slots=True)
class OmittedPiece:
    """A piece that did not fit into the tokens, and how many it takes."""

    kind: PieceKind
    record_id: UUID
    item_id: UUID | None
    tokens: int


@dataclass(frozen=True, slots=True)
class Context:
    """Context for a model: `text` to put into a prompt, at most `tokens` of the embedding model's tokenizer; `pieces` are what
    it is made of, in the same order.

    The text stands between two lines with one `key`, which no stored text can hold; lines of stored texts never begin at the
    left edge. It is empty where nothing was found or fits. `left_out` for want of tokens; `partial`: why something was not
    looked at; empty where all was.
    """

    question: str
    text: str
    tokens: int
    pieces: tuple[Piece, ...]
    left_out: tuple[OmittedPiece, ...] = ()
    partial: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    key: str = ""
    nodes_searched: int = 0
    items_searched: int = 0
    timings_ms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """The answer of the language model from a context alone. `citations`: marks of pieces that support it, also in the text as
    [n].

    `refused`: no piece supports an answer; then `answer` says so and nothing is cited. `model` is empty where none was
    called."""

    question: str
    answer: str
    refused: bool
    citations: tuple[int, ...]
    context: Context
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ContextItem:
    """An item as it was at the moment of a context. `last_position`: of the turns that it is derived from."""

    item_id: UUID
    record_id: UUID
    node_id: UUID
    kind: ItemKind
    session: UUID
    position: int
    last_position: int
    speaker: str
    content: str
    occurred_at: datetime | None
    dates: list[str]
    section: str
    title: str
    is_question: bool
    follows_question: bool
    word_count: int
    valid_from: datetime | None
    valid_to: datetime | None
    passed: datetime | None = None
