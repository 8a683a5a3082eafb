"""What a model reads out of a record: summary, keywords, facts, observations, summaries of windows.

One call reads a whole record, or a window of it where the record is too long for a call. Nothing depends on the answer:
without a model, or without a usable answer, the record is described by rules and its whole input is kept as one fact. The
report lists these records with the reasons.

Facts, observations and summaries are items that are not in the source. They have a session of their own, so that a search does
not take them for neighbours of the source's turns or chunks. `position` and `span` name the places that they are derived from:
turns of the session, or characters of a document.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol
from uuid import UUID, uuid5

from engine.domain.description import keywords, summarize
from engine.domain.extraction import (
    UNASKED,
    Derived,
    ExtractionReport,
    ModelReading,
    NamedByModel,
    StatedByModel,
    Unextracted,
)
from engine.domain.principal import Principal
from engine.domain.prompt_lines import Days, inline, numbered
from engine.domain.record import ItemDraft, Keywords, RecordDraft
from engine.domain.search import ItemKind
from engine.domain.utterance import named_dates, spoken_dates
from engine.ingest.allowance import Allowance
from engine.ingest.extraction.form import LONG_RECORD, Extracted, Statement
from engine.ingest.extraction.model_calls import AskedModel, ModelQuestion, Reply
from engine.providers.language import MOST_NAMES, Prompt
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in


def derived_items(
    principal: Principal, draft: RecordDraft, lines: Sequence[ItemDraft], answer: Extracted, *, windows: bool
) -> Iterator[ItemDraft]:
    """The items that an answer about these lines of a record makes. `windows`: with summaries of windows, the answer's own
    or, where it has none, one of all lines."""
    for fact in answer.facts:
        tags, subjects = tuple(fact.tags), tuple(fact.subjects)
        known = Derived(fact.type, fact.named_category, tags, subjects, fact.confidence, fact.importance)
        item = _item(draft, lines, "fact", fact, known)
        if fact.happened is not None:
            dates = tuple(dict.fromkeys([fact.happened.date().isoformat(), *named_dates(item.dates)]))
            item = replace(item, occurred_at=fact.happened, dates=dates)
        yield item
    for one in answer.observations:
        private = one.private and principal.owns
        known = Derived("", "", tuple(one.tags), tuple(one.subjects), 1.0, one.importance, private)
        item = _item(draft, lines, "observation", one, known)
        yield replace(item, item_id=_observation_id(principal, draft, item, private=private))
    if windows:
        whole = Statement(text=answer.summary, first_line=0, last_line=len(lines) - 1)
        for window in answer.windows or [whole]:
            if window.text:
                yield _item(draft, lines, "summary", window, Derived(category="window"))


def _item(
    draft: RecordDraft, lines: Sequence[ItemDraft], kind: ItemKind, statement: Statement, known: Derived
) -> ItemDraft:
    """One derived item at the lines that it names; a missing line is replaced by the nearest one."""
    first, last = sorted(min(number, len(lines) - 1) for number in (statement.first_line, statement.last_line))
    start, end = lines[first], lines[max(first, last)]
    digest = hashlib.sha256(statement.text.encode()).hexdigest()
    return ItemDraft(
        item_id=uuid5(start.session, f"{kind}:{lines[0].position}:{start.position}:{digest}"),
        kind=kind,
        session=draft.derived_session,
        position=start.position,
        content=statement.text,
        embedded=statement.text,
        unit="passage",
        source_ref=start.source_ref,
        occurred_at=start.occurred_at,
        dates=spoken_dates(statement.text, start.occurred_at),
        section=known.fact_type,
        span=_span(start, end),
        derived=known,
    )


def _span(first: ItemDraft, last: ItemDraft) -> tuple[int, int]:
    if first.span and last.span:
        return first.span[0], last.span[1]
    return first.position, last.position + 1


def _observation_id(principal: Principal, draft: RecordDraft, item: ItemDraft, *, private: bool) -> UUID:
    """The same observation has the same id in a node, for all who may read it."""
    digest = hashlib.sha256(item.content.encode()).hexdigest()
    readers = f"{'private' if private else draft.privacy}:{draft.origin.scope}"
    return uuid5(draft.node.node_id, principal.own_key(f"observation:{readers}:{digest}"))


def reading_of(lines: Sequence[ItemDraft], answer: Extracted) -> ModelReading:
    """Whom and what an answer names in these lines, and what it states of these; a missing line is replaced by the last one."""
    entities = tuple(NamedByModel(one.name, one.kind, tuple(one.also), one.role) for one in answer.entities if one.kind)
    relations = tuple(
        StatedByModel(
            one.source, one.type, one.target, lines[min(one.line, len(lines) - 1)].item_id,
            one.since or None, one.until or None, one.ended,
        )
        for one in answer.relations
    )  # fmt: skip
    return ModelReading(entities, relations)


def keywords_of(answers: Sequence[Extracted], offline: Keywords) -> Keywords:
    """A model's keywords by column; those found without a model where it names none."""

    def column(name: str) -> tuple[str, ...]:
        found = dict.fromkeys(
            entry for answer in answers for entry in (answer.named if name == "entities" else getattr(answer, name))
        )
        return tuple(found)[:MOST_NAMES] or tuple(getattr(offline, name))

    return Keywords(column("entities"), column("topics"), column("dates"), column("relationships"), offline.source)


HALVINGS = 4
"""How often what a model was to read at once is halved where its answer was cut."""
LEFT_OUT = "A limit of the write left it to be read later."


@dataclass(frozen=True, slots=True)
class ExtractionLimits:
    """Characters of one call, and words of a summary that is made of several."""

    characters: int
    summary_words: int


@dataclass(frozen=True, slots=True)
class ReadPiece:
    """As many items of a record as one call reads, and the text that it is given."""

    record: int
    lines: tuple[ItemDraft, ...]
    text: str


@dataclass(frozen=True, slots=True)
class HeldItemId:
    """An item that a node has, and the record that has it."""

    item_id: UUID
    record_id: UUID


@dataclass(frozen=True, slots=True)
class _Read:
    """The result of one piece."""

    piece: ReadPiece
    reply: Reply[Extracted]


class RecordContext(Protocol):
    """Says what is known of those whom records name."""

    async def known(self, principal: Principal, drafts: Sequence[RecordDraft]) -> list[str]:
        """Some lines for each record, or nothing. Raises StoreUnavailable."""

    async def of_entities(self, principal: Principal, keys: Sequence[str]) -> Mapping[str, str]:
        """A line for each of these entities of which something is known. Raises StoreUnavailable."""


class Extraction:
    """Reads records with the configured model, or not at all."""

    def __init__(
        self,
        model: AskedModel | None,
        postgres: Postgres,
        limits: ExtractionLimits,
        prompts: Sequence[Prompt],
        context: RecordContext | None = None,
    ) -> None:
        """`prompts`: the one that is asked, and those of before whose kept answers are used, too. `context`: says what is known
        of those whom a record names; None: nothing."""
        self._model, self._postgres, self.limits = model, postgres, limits
        self._prompts, self.context = prompts, context

    @property
    def asks(self) -> bool:
        """Whether there is a model."""
        return self._model is not None

    async def read(
        self, principal: Principal, drafts: Sequence[RecordDraft], brought: set[UUID], allowance: Allowance
    ) -> tuple[list[RecordDraft], ExtractionReport]:
        """The drafts with what the model found in each, and the report. Raises StoreUnavailable; model failures are not raised.

        `brought`: observations of drafts before these, which may not be stored yet; those of these are added. A kept answer takes
        nothing of the allowance; what that leaves out stays as it is.
        """
        if self._model is None:
            return list(drafts), ExtractionReport(whole=sum(not draft.extracted for draft in drafts))
        most = self.limits.characters
        unread = [(number, draft) for number, draft in enumerate(drafts) if not draft.extracted]
        pieces = [piece for number, draft in unread for piece in pieces_of(number, draft, most)]
        known = await self.context.known(principal, drafts) if self.context else [""] * len(drafts)
        reads, cut = await self._in_windows(self._model, principal, drafts, pieces, known, allowance)
        by_record = [[read for read in reads if read.piece.record == number] for number in range(len(drafts))]
        found = [self._described(principal, draft, own) for draft, own in zip(drafts, by_record, strict=True)]
        fresh = await self._without_known(principal, found, brought)
        return fresh, self._report(self._model, fresh, reads, cut)

    async def _in_windows(
        self,
        model: AskedModel,
        principal: Principal,
        drafts: Sequence[RecordDraft],
        pieces: Sequence[ReadPiece],
        known: Sequence[str],
        allowance: Allowance,
    ) -> tuple[list[_Read], list[Reply[Extracted]]]:
        """Each piece read; one whose answer was cut in two halves, as often as HALVINGS and lines allow. Also the cut replies."""
        prompt, *earlier = self._prompts
        reads: list[_Read] = []
        cut: list[Reply[Extracted]] = []
        asked = list(pieces)
        for left in range(HALVINGS, -1, -1):
            questions = [
                ModelQuestion(
                    one.text,
                    len(one.lines),
                    context=known[one.record],
                    readers=readers_of(drafts[one.record]),
                    halved=left > 0 and len(one.lines) > 1,
                )
                for one in asked
            ]
            replies = await model.answers(principal, prompt, questions, Extracted, allowance, earlier)
            halves: list[ReadPiece] = []
            for piece, question, reply in zip(asked, questions, replies, strict=True):
                if reply.cut and question.halved:
                    cut.append(reply)
                    halves += halves_of(piece, drafts[piece.record])
                else:
                    reads.append(_Read(piece, reply))
            asked = halves
        reads.sort(key=lambda read: (read.piece.record, read.piece.lines[0].position))
        return reads, cut

    def _described(self, principal: Principal, draft: RecordDraft, reads: Sequence[_Read]) -> RecordDraft:
        """The draft with the items that were found; described by the model where it has read all of it."""
        if draft.extracted:
            return draft
        several = len(reads) > 1
        found = {
            item.item_id: item
            for read in reads
            if read.reply.value is not None
            for item in derived_items(
                principal, draft, read.piece.lines, read.reply.value, windows=several or len(draft.items) > LONG_RECORD
            )
        }
        reading = UNASKED
        for read in reads:
            if read.reply.value is not None:
                reading = reading.with_more(reading_of(read.piece.lines, read.reply.value))
        draft = replace(draft, items=(*draft.items, *found.values()), reading=reading)
        answers = [read.reply.value for read in reads if read.reply.value is not None]
        summary = " ".join(answer.summary for answer in answers if answer.summary)
        if len(answers) < len(reads):
            why = next(read.reply.reason for read in reads if read.reply.value is None)
            return replace(draft, unread=why or LEFT_OUT)
        offline = keywords([item for item in draft.items if item.derived is None], draft.source_id)
        if several:
            summary = summarize(summary, target_words=self.limits.summary_words)
        return replace(draft, summary=summary or draft.summary, keywords=keywords_of(answers, offline), extracted=True)

    async def _without_known(
        self, principal: Principal, drafts: Sequence[RecordDraft], there: set[UUID]
    ) -> list[RecordDraft]:
        """Observations that a node has already of another record, or that an earlier draft brings, are left out."""
        there |= await self.there(principal, drafts)
        kept: list[RecordDraft] = []
        for draft in drafts:
            items = tuple(item for item in draft.items if item.kind != "observation" or item.item_id not in there)
            there |= {item.item_id for item in items if item.kind == "observation"}
            kept.append(replace(draft, items=items))
        return kept

    async def there(self, principal: Principal, drafts: Sequence[RecordDraft]) -> set[UUID]:
        """The observations of these drafts that their nodes have already, of other records. Raises StoreUnavailable."""
        there: set[UUID] = set()
        own = {draft.record_id for draft in drafts}
        for schema in {draft.node.schema_name for draft in drafts}:
            here = [draft for draft in drafts if draft.node.schema_name == schema]
            asked = [item.item_id for draft in here for item in draft.items if item.kind == "observation"]
            if asked:
                held = sql_in("item/there", schema)
                found = await self._postgres.fetch(principal, held, {"items": asked}, row=HeldItemId)
                there |= {item.item_id for item in found if item.record_id not in own}
        return there

    @staticmethod
    def _report(
        model: AskedModel, drafts: Sequence[RecordDraft], reads: Sequence[_Read], cut: Sequence[Reply[Extracted]]
    ) -> ExtractionReport:
        kinds = [item.kind for draft in drafts for item in draft.items if item.extracted]
        failed = {read.piece.record: read.reply.reason for read in reads if read.reply.reason}
        failures = [Unextracted(drafts[record].record_id, drafts[record].title, why) for record, why in failed.items()]
        return replace(
            model.report([*cut, *(read.reply for read in reads)]),
            facts=kinds.count("fact"),
            observations=kinds.count("observation"),
            summaries=kinds.count("summary"),
            whole=sum(not draft.extracted for draft in drafts),
            failures=tuple(failures),
        )


def readers_of(draft: RecordDraft) -> str:
    """Who may read what is written of a record: readers of its node, or the user alone."""
    return "user" if draft.privacy == "private" else str(draft.node.node_id)


def pieces_of(record: int, draft: RecordDraft, characters: int) -> Iterator[ReadPiece]:
    """The record in pieces of at most about so many characters, cut between items; each line with its number in the piece."""
    lines: list[ItemDraft] = []
    size = 0
    for item in draft.items:
        if lines and size + len(item.content) > characters:
            yield ReadPiece(record, tuple(lines), _numbered(draft, lines))
            lines, size = [], 0
        lines.append(item)
        size += len(item.content) + 40
    if lines:
        yield ReadPiece(record, tuple(lines), _numbered(draft, lines))


def halves_of(piece: ReadPiece, draft: RecordDraft) -> list[ReadPiece]:
    """The two halves of a piece of several lines."""
    half = len(piece.lines) // 2
    return [
        ReadPiece(piece.record, lines, _numbered(draft, lines)) for lines in (piece.lines[:half], piece.lines[half:])
    ]


def _numbered(draft: RecordDraft, lines: Sequence[ItemDraft]) -> str:
    """What the model reads: the title, and every item with its number, who said it, and when where that changes."""
    text = [f"# {inline(draft.title)}"]
    days = Days()
    for number, item in enumerate(lines):
        text += days.before(item.occurred_at)
        who = inline(item.speaker or item.section or "")
        text.append(numbered(number, item.content, f"{who}: " if who else ""))
    return "\n".join(text)
