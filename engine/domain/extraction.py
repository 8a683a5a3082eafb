"""What was taken out of stored content beyond its own words: how it is described, and what that cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from engine.domain.entity import MentionRole

WHOLE = "whole"
"""The category of a fact that is a whole input as it came: kept where no model has read it."""
LONGEST_WHOLE = 20_000
"""Characters up to which it is the input itself; of a longer one it holds the summary."""


@dataclass(frozen=True, slots=True)
class Derived:
    """What is known of a fact, observation or summary beyond its text. `fact_type` is fact, preference, event, profile or
    system, for facts alone; `confidence` and `importance` from 0 to 1; `private`: read by the user alone."""

    fact_type: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    confidence: float = 1.0
    importance: float = 0.5
    private: bool = False


PLAIN = Derived()
"""For content that stands in the source itself."""


@dataclass(frozen=True, slots=True)
class NamedByModel:
    """Whom or what a record names, as a language model says: by which other names it goes there, and its role in it."""

    name: str
    kind: str
    also: tuple[str, ...] = ()
    role: MentionRole = "mention"


@dataclass(frozen=True, slots=True)
class StatedByModel:
    """What a record states of two of these, as a language model says, and in which item. Dates are as exact as the text."""

    source: str
    type: str
    target: str
    item_id: UUID
    since: str | None = None
    until: str | None = None
    ended: bool = False


@dataclass(frozen=True, slots=True)
class ModelReading:
    """All that a language model says of whom and what a record speaks. Nothing of it is checked yet."""

    entities: tuple[NamedByModel, ...] = ()
    relations: tuple[StatedByModel, ...] = ()

    def with_more(self, other: ModelReading) -> ModelReading:
        """Both as one."""
        return ModelReading(self.entities + other.entities, self.relations + other.relations)


UNASKED = ModelReading()
"""Where no model has read."""


@dataclass(frozen=True, slots=True)
class Unextracted:
    """A record that a model was to read and could not: it holds its whole input as one fact."""

    record_id: UUID
    title: str
    reason: str


@dataclass(frozen=True, slots=True)
class ExtractionReport:
    """What models did for an ingest: `model` is empty where none is configured. `calls` were paid for, `cached` answers were
    known already. `cost` is None without prices. `whole`: records whose whole input is one fact; `failures` say why, where a
    model was to read them."""

    model: str = ""
    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    facts: int = 0
    observations: int = 0
    summaries: int = 0
    whole: int = 0
    failures: tuple[Unextracted, ...] = ()


NOTHING = ExtractionReport()


def added(reports: Iterable[ExtractionReport]) -> ExtractionReport:
    """The reports of several commits as one."""
    parts = tuple(reports)
    costs = [part.cost for part in parts if part.cost is not None]
    return ExtractionReport(
        model=next((part.model for part in parts if part.model), ""),
        calls=sum(part.calls for part in parts),
        cached=sum(part.cached for part in parts),
        input_tokens=sum(part.input_tokens for part in parts),
        output_tokens=sum(part.output_tokens for part in parts),
        cost=round(sum(costs), 6) if costs else None,
        facts=sum(part.facts for part in parts),
        observations=sum(part.observations for part in parts),
        summaries=sum(part.summaries for part in parts),
        whole=sum(part.whole for part in parts),
        failures=tuple(failure for part in parts for failure in part.failures),
    )
