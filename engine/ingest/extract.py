"""What a model reads out of a record: summary, keywords, facts, observations, summaries of windows.

One call reads a whole record, or a window of it where it is longer than a call may be. Nothing depends on the answer: where
there is no model, or it does not answer, or not in the form that was asked for, the record is described without it and its
whole input is kept as one fact. The report says which records that are, and why.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from engine.domain.extraction import ExtractionReport, Unextracted
from engine.domain.principal import Principal
from engine.domain.record import ItemDraft, RecordDraft
from engine.errors import ProviderUnavailable, UnusableAnswer
from engine.ingest.derived import derived_items, keywords_of
from engine.ingest.extraction_form import LONG_RECORD, PROMPT, Extracted
from engine.ingest.keywords import keywords
from engine.ingest.model_answers import FreshAnswer, ModelAnswers, answer_key
from engine.ingest.summarize import summarize
from engine.providers.language import LanguageModel
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in


@dataclass(frozen=True, slots=True)
class ExtractionLimits:
    """Characters of one call, words of a summary that is made of several, and the prices of a million tokens in and out."""

    characters: int
    summary_words: int
    prices: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """As many items of a record as one call reads, and the text that it is given."""

    record: int
    lines: tuple[ItemDraft, ...]
    text: str


@dataclass(frozen=True, slots=True)
class _Read:
    """What became of one piece: the answer, or why there is none; what it cost now."""

    piece: Piece
    answer: Extracted | None = None
    cached: bool = False
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    reason: str = ""


class Extraction:
    """Reads records with the configured model, or not at all."""

    def __init__(
        self, model: LanguageModel | None, answers: ModelAnswers, postgres: Postgres, limits: ExtractionLimits
    ) -> None:
        self._model, self._answers, self._postgres, self._limits = model, answers, postgres, limits

    async def read(
        self, principal: Principal, drafts: Sequence[RecordDraft], brought: set[UUID]
    ) -> tuple[list[RecordDraft], ExtractionReport]:
        """The drafts with what the model found in each, and the report. Raises StoreUnavailable; never for the model.

        `brought`: observations of drafts before these, which may not be stored yet; those of these are added.
        """
        if self._model is None:
            return list(drafts), ExtractionReport(whole=len(drafts))
        pieces = [
            piece for number, draft in enumerate(drafts) for piece in pieces_of(number, draft, self._limits.characters)
        ]
        reads = await self._reads(self._model, principal, pieces)
        by_record = [[read for read in reads if read.piece.record == number] for number in range(len(drafts))]
        found = [self._described(principal, draft, own) for draft, own in zip(drafts, by_record, strict=True)]
        fresh = await self._without_known(principal, found, brought)
        return fresh, self._report(self._model.name, fresh, reads)

    async def _reads(self, model: LanguageModel, principal: Principal, pieces: Sequence[Piece]) -> list[_Read]:
        """An answer for each piece: a kept one, or the model's, which is kept before anything else is done with it."""
        keys = [answer_key(model.name, PROMPT, piece.text) for piece in pieces]
        known = await self._answers.known(principal, keys)
        reads = await asyncio.gather(
            *(self._one(model, piece, known.get(key)) for piece, key in zip(pieces, keys, strict=True))
        )
        fresh = [
            FreshAnswer(key, read.answer.model_dump(mode="json"), read.input_tokens, read.output_tokens)
            for read, key in zip(reads, keys, strict=True)
            if read.answer is not None and not read.cached
        ]
        await self._answers.keep(principal, model.name, PROMPT, fresh)
        return reads

    @staticmethod
    async def _one(model: LanguageModel, piece: Piece, kept: Any) -> _Read:
        try:
            return _Read(piece, Extracted.model_validate(kept), cached=True)
        except ValidationError:
            pass  # none is kept, or one of another form
        try:
            answer = await model.answer(PROMPT, piece.text, Extracted)
        except UnusableAnswer as error:
            return _Read(piece, None, False, 1, error.input_tokens, error.output_tokens, error.detail)
        except ProviderUnavailable as error:
            return _Read(piece, calls=1, reason=error.detail)
        return _Read(piece, answer.value, False, 1, answer.input_tokens, answer.output_tokens)

    def _described(self, principal: Principal, draft: RecordDraft, reads: Sequence[_Read]) -> RecordDraft:
        """The draft with the items that were found; described by the model where it has read all of it."""
        several = len(reads) > 1
        found = {
            item.item_id: item
            for read in reads
            if read.answer is not None
            for item in derived_items(
                principal, draft, read.piece.lines, read.answer, windows=several or len(draft.items) > LONG_RECORD
            )
        }
        draft = replace(draft, items=(*draft.items, *found.values()))
        answers = [read.answer for read in reads if read.answer is not None]
        summary = " ".join(answer.summary for answer in answers if answer.summary)
        if len(answers) < len(reads) or not summary:
            return draft
        offline = keywords([item for item in draft.items if item.derived is None], draft.source_id)
        if several:
            summary = summarize(summary, target_words=self._limits.summary_words)
        return replace(draft, summary=summary, keywords=keywords_of(answers, offline), extracted=True)

    async def _without_known(
        self, principal: Principal, drafts: Sequence[RecordDraft], there: set[UUID]
    ) -> list[RecordDraft]:
        """Observations that a node has already, or that an earlier draft brings, are left out."""
        for schema in {draft.node.schema_name for draft in drafts}:
            asked = [
                item.item_id
                for draft in drafts
                if draft.node.schema_name == schema
                for item in draft.items
                if item.kind == "observation"
            ]
            if asked:
                rows = await self._postgres.fetch(principal, sql_in("items_there", schema), {"items": asked})
                there |= {row["item_id"] for row in rows}
        kept: list[RecordDraft] = []
        for draft in drafts:
            items = tuple(item for item in draft.items if item.kind != "observation" or item.item_id not in there)
            there |= {item.item_id for item in items if item.kind == "observation"}
            kept.append(replace(draft, items=items))
        return kept

    def _report(self, model: str, drafts: Sequence[RecordDraft], reads: Sequence[_Read]) -> ExtractionReport:
        kinds = [item.kind for draft in drafts for item in draft.items if item.extracted]
        spent = sum(read.input_tokens for read in reads), sum(read.output_tokens for read in reads)
        prices = self._limits.prices
        failed = {read.piece.record: read.reason for read in reads if read.answer is None}
        failures = [Unextracted(drafts[record].record_id, drafts[record].title, why) for record, why in failed.items()]
        return ExtractionReport(
            model=model,
            calls=sum(read.calls for read in reads),
            cached=sum(read.cached for read in reads),
            input_tokens=spent[0],
            output_tokens=spent[1],
            cost=round((spent[0] * prices[0] + spent[1] * prices[1]) / 1e6, 6) if prices else None,
            facts=kinds.count("fact"),
            observations=kinds.count("observation"),
            summaries=kinds.count("summary"),
            whole=sum(not draft.extracted for draft in drafts),
            failures=tuple(failures),
        )


def pieces_of(record: int, draft: RecordDraft, characters: int) -> Iterator[Piece]:
    """The record in pieces of at most about so many characters, cut between items; each line with its number in the piece."""
    lines: list[ItemDraft] = []
    size = 0
    for item in draft.items:
        if lines and size + len(item.content) > characters:
            yield Piece(record, tuple(lines), _told(draft, lines))
            lines, size = [], 0
        lines.append(item)
        size += len(item.content) + 40
    if lines:
        yield Piece(record, tuple(lines), _told(draft, lines))


def _told(draft: RecordDraft, lines: Sequence[ItemDraft]) -> str:
    """What the model reads: the title, and every item with its number, who said it, and when where that changes."""
    told = [f"# {draft.title}"]
    day = ""
    for number, item in enumerate(lines):
        said = item.occurred_at.strftime("%A, %Y-%m-%d") if item.occurred_at else ""
        if said and said != day:
            told.append(f"({said})")
            day = said
        who = f"{item.speaker}: " if item.speaker else f"{item.section}: " if item.section else ""
        told.append(f"[{number}] {who}{item.content}")
    return "\n".join(told)
