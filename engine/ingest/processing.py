"""Drafts into records that can be stored: read by a language model where there is one, described, embedded.

While the model reads, the input is embedded; then the model's items and summary are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from engine.domain.extraction import ExtractionReport
from engine.domain.principal import Principal
from engine.domain.record import EmbeddedRecord, RecordDraft
from engine.ingest.allowance import Allowance
from engine.ingest.describe import describe, embedded
from engine.ingest.extraction.derived import with_whole
from engine.ingest.extraction.extract import Extraction
from engine.providers.active import ActiveModel, Model
from engine.providers.embedder import Vectors
from engine.turns import computed


@dataclass(frozen=True, slots=True)
class Processing:
    """The steps between a draft and its commit; `summary_words`: the length of a summary without a model."""

    active: ActiveModel
    extraction: Extraction
    summary_words: int

    async def process(
        self,
        principal: Principal,
        model: Model,
        drafts: Sequence[RecordDraft],
        brought: set[UUID],
        allowance: Allowance,
    ) -> tuple[list[EmbeddedRecord], ExtractionReport]:
        """Summary, keywords, items and vectors of the drafts, and the model's report; `brought`: see `Extraction.read`.

        Where a limit is reached or a service does not answer, parts are missing: jobs add them. Raises StoreUnavailable.
        """
        came_in, (read, report) = await asyncio.gather(
            allowance.vectors(model, _texts(drafts)), self._read(principal, model, drafts, brought, allowance)
        )
        return await self._complete(model, read, came_in, allowance), report

    async def embed(self, model: Model, drafts: Sequence[RecordDraft], allowance: Allowance) -> list[EmbeddedRecord]:
        """The same drafts once they were read, with the vectors of another model."""
        return await self._complete(model, drafts, await allowance.vectors(model, _texts(drafts)), allowance)

    async def _read(
        self,
        principal: Principal,
        model: Model,
        drafts: Sequence[RecordDraft],
        brought: set[UUID],
        allowance: Allowance,
    ) -> tuple[list[RecordDraft], ExtractionReport]:
        read, report = await self.extraction.read(principal, drafts, brought, allowance)
        return await computed(self._described, model, read), report

    def _described(self, model: Model, drafts: Sequence[RecordDraft]) -> list[RecordDraft]:
        return [describe(draft, model.embedder.count_tokens, self.summary_words) for draft in drafts]

    async def _complete(
        self, model: Model, drafts: Sequence[RecordDraft], came_in: Sequence[Vectors | None], allowance: Allowance
    ) -> list[EmbeddedRecord]:
        """The drafts with the vectors of the input, and those of derived items."""
        found = await allowance.vectors(model, _texts(drafts, derived=True))
        return await computed(_completed, drafts, iter(came_in), iter(found))


def _completed(
    drafts: Sequence[RecordDraft], own: Iterator[Vectors | None], found: Iterator[Vectors | None]
) -> list[EmbeddedRecord]:
    records: list[EmbeddedRecord] = []
    for draft in drafts:
        vectors = [next(own if item.derived is None else found) for item in draft.items]
        records.append(with_whole(embedded(draft, vectors, next(found) if draft.extracted else None)))
    return records


def _texts(drafts: Sequence[RecordDraft], *, derived: bool = False) -> list[str]:
    """The texts to embed: the items of the input, or the derived ones, each draft's followed by a summary that quotes no
    item."""
    return [
        text
        for draft in drafts
        for text in (
            *(item.embedded for item in draft.items if (item.derived is not None) is derived),
            *[draft.summary] * (derived and draft.extracted),
        )
    ]
