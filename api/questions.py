"""Bodies of searches, contexts and answers."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, Strict

from engine.domain.read_limits import LEAST_MS, MOST_MS, MOST_TOKENS
from engine.domain.scope import LONGEST_SCOPE_ID, MOST_SCOPES, SourceKind
from engine.domain.search import LEAST_DAYS, MOST_DAYS, MOST_VALUES, ItemKind
from engine.domain.written import Body, Instant


class ScopeBody(Body):
    """A thread or a workflow."""

    scope: Literal["thread", "workflow"] = Field(examples=["thread"])
    id: str = Field(min_length=1, max_length=LONGEST_SCOPE_ID, examples=["t-42"])


class FiltersBody(Body):
    """An item is searched that passes every filter; of several values of one filter any is enough."""

    below: list[UUID] = Field(
        default=[],
        max_length=MOST_VALUES,
        description="Nodes: at these and below them; together with `nodes`, at any of them.",
    )
    categories: list[str] = Field(default=[], max_length=MOST_VALUES, examples=[["travel"]])
    tags: list[str] = Field(default=[], max_length=MOST_VALUES, examples=[["boat"]])
    entities: list[UUID] = Field(
        default=[], max_length=MOST_VALUES, description="Entities that the item names, or those merged with them."
    )
    since: Instant | None = Field(default=None, description="When it occurred; undated items do not pass.")
    until: Instant | None = Field(default=None, description="This time itself is no longer in.")


class NarrowedQuestion(Body):
    """What all searches have in common: what is searched."""

    nodes: list[UUID] | None = Field(default=None, min_length=1, max_length=1000)
    scopes: list[ScopeBody] = Field(
        default=[],
        max_length=MOST_SCOPES,
        description="Scopes to search too, besides the user's memory; only the user may name them.",
    )
    sources: list[SourceKind] | None = Field(
        default=None, min_length=1, description="How the items came in; without it, all."
    )
    kinds: list[ItemKind] | None = Field(default=None, min_length=1)
    filters: FiltersBody | None = None
    as_of: Instant | None = Field(default=None, description="When it was true; without it, now.")
    known_at: Instant | None = Field(default=None, description="When the engine knew it; without it, now.")


class Asked(NarrowedQuestion):
    """What searches and contexts have in common: where to look, and within what limits."""

    widen: Literal["auto", "always", "never"] = "auto"
    max_ms: Annotated[int, Strict()] | None = Field(
        default=None, ge=LEAST_MS, le=MOST_MS, description="Milliseconds that it may take in all.", examples=[800]
    )
    model_calls: Annotated[int, Strict()] | None = Field(
        default=None,
        ge=0,
        le=10**6,
        description="Requests to models that it may make; without one for its vector a search is by words only.",
    )
    partial: Annotated[bool, Strict()] = Field(
        default=False,
        description="Where the graph or the embedding service does not answer in time, the answer is a part and says so.",
    )


class Question(Asked):
    """A search query."""

    query: str = Field(min_length=1, examples=["Who is Dave?"])
    limit: Annotated[int, Strict()] = Field(default=10, ge=1, le=200)
    max_tokens: Annotated[int, Strict()] | None = Field(
        default=None, ge=1, le=MOST_TOKENS, description="Tokens that the contents of all hits have together at most."
    )
    relations: Annotated[bool, Strict()] = Field(
        default=False, description="Whether the answer has the relations that the query asks for, too."
    )
    explain: Annotated[bool, Strict()] = Field(
        default=False, description="Whether the answer says how it was made, and each hit what its score is made of."
    )
    recall: Annotated[bool, Strict()] = Field(
        default=False,
        description="The same, and how much an exact search finds beside this one, where large nodes were searched by index.",
    )


class DecayQuestion(NarrowedQuestion):
    """A search query whose hits count less with age."""

    query: str = Field(min_length=1, examples=["Who is Dave?"])
    limit: Annotated[int, Strict()] = Field(default=10, ge=1, le=200)
    days: Annotated[float, Strict()] | None = Field(
        default=None,
        ge=LEAST_DAYS,
        le=MOST_DAYS,
        description="Age in days at which an item counts half; without it, the setting.",
    )
    least_confidence: Annotated[float, Strict()] = Field(
        default=0, ge=0, le=1, description="Less sure items are left out."
    )


class ContextQuestion(Asked):
    """A question that a model is to answer."""

    question: str = Field(min_length=1, examples=["Where does Ellen live?"])
    tokens: Annotated[int, Strict()] = Field(
        default=2000, ge=1, le=MOST_TOKENS, description="Tokens that the text may have.", examples=[1000]
    )
    limit: Annotated[int, Strict()] = Field(
        default=30, ge=1, le=200, description="Hits of the search that it is made of."
    )
