"""Drafts into records that can be stored: read by the model where there is one, described, embedded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from engine.domain.record import EmbeddedRecord, RecordDraft
from engine.ingest.allowance import Allowance
from engine.ingest.derived import with_whole
from engine.ingest.describe import describe, embedded
from engine.ingest.extract import Extraction
from engine.providers.active import ActiveModel, Model


@dataclass(frozen=True, slots=True)
class Processing:
    """The steps between a draft and its commit; `summary_words`: the length of a summary without a model."""

    active: ActiveModel
    extraction: Extraction
    summary_words: int

    async def process(self, model: Model, drafts: Sequence[RecordDraft], allowance: Allowance) -> list[EmbeddedRecord]:
        """Summary, keywords and vectors of the drafts; the vector of a record stands for its summary. Without vectors where
        the embedding service is silent or a limit is reached: a job makes them later."""
        describing = asyncio.create_task(asyncio.to_thread(self._described, model, drafts))
        try:
            # a summary that quotes nothing is embedded as a text of its own, after the items
            texts = [[*(item.embedded for item in draft.items), *[draft.summary] * draft.extracted] for draft in drafts]
            vectors = await allowance.vectors(model, [text for own in texts for text in own])
        finally:
            described = await describing
        if vectors is None:
            return [with_whole(EmbeddedRecord(draft, None, None)) for draft in described]
        parts = [vectors[start:end] for start, end in pairwise(accumulate(map(len, texts), initial=0))]
        return [with_whole(embedded(draft, part)) for draft, part in zip(described, parts, strict=True)]

    def _described(self, model: Model, drafts: Sequence[RecordDraft]) -> list[RecordDraft]:
        return [describe(draft, model.embedder.count_tokens, self.summary_words) for draft in drafts]
