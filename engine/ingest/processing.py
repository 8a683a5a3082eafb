"""Drafts into records that can be stored: read by the model where there is one, described, embedded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from engine.domain.record import EmbeddedRecord, RecordDraft
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

    async def process(self, model: Model, drafts: Sequence[RecordDraft]) -> list[EmbeddedRecord]:
        """Summary, keywords and vectors of the drafts; the vector of a record stands for its summary."""
        describing = asyncio.create_task(asyncio.to_thread(self._described, model, drafts))
        try:
            # a summary that quotes nothing is embedded as a text of its own, after the items
            texts = [[*(item.embedded for item in draft.items), *[draft.summary] * draft.extracted] for draft in drafts]
            vectors = await model.embed_documents([text for own in texts for text in own])
        finally:
            described = await describing
        parts = [vectors[start:end] for start, end in pairwise(accumulate(map(len, texts), initial=0))]
        return [with_whole(embedded(draft, part)) for draft, part in zip(described, parts, strict=True)]

    def _described(self, model: Model, drafts: Sequence[RecordDraft]) -> list[RecordDraft]:
        return [describe(draft, model.embedder.count_tokens, self.summary_words) for draft in drafts]
