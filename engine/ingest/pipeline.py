"""The write path, read from top to bottom:

    clean → trigger → assign → ((read by a model → entities) ∥ embed) → (summarize ∥ keywords ∥ embed what was read)
          → what new facts do to known ones → commit

A history is taken in batches of some turns. Nothing is written before a batch's commit; while one batch is assigned, read
and committed the next is cleaned and embedded, so the encoder waits for nothing. The stored part of a source is skipped,
so a repeated history changes nothing, and an interrupted ingest continues where it ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from uuid import UUID

from engine import errors
from engine.domain.clock import NOW
from engine.domain.extraction import ExtractionReport, added
from engine.domain.ingest import PLAIN, Terms
from engine.domain.node import TriggerType
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode, EmbeddedRecord, RecordDraft
from engine.domain.report import STORED_ALREADY, Skipped
from engine.ingest.allowance import Allowance
from engine.ingest.assignment.evidence import NodeVocabulary
from engine.ingest.assignment.placing import Assigner
from engine.ingest.cleaning import key_of
from engine.ingest.commit import RecordCommit
from engine.ingest.drafts import describe, embedded, named, texts_of, without_whole
from engine.ingest.extraction.extract import Extraction
from engine.ingest.fresh import FreshDocument, FreshTurns, IngestLimits, fresh, texts_ahead
from engine.ingest.model_verdicts import JudgedFacts, JudgedNames
from engine.ingest.revising import Revisions
from engine.ingest.sessions import FailureLog, IngestRun, Sessions
from engine.ingest.sources import ChangedDocument, Drafted, Ingested, Pending, Placed, SourceSeen, StoredBatch, failed
from engine.knowledge.entity_finder import EntityFinder
from engine.naming.mentions import texts_of as texts_in
from engine.privacy.redact import Redactor, total
from engine.progress import Progress
from engine.providers.active import ActiveModel, Model
from engine.stores.neo4j import Neo4j
from engine.stores.statements import cypher, sql_text
from engine.telemetry.stages import Pipeline, counted
from engine.turns import computed


class Committing:
    """The commit under way, beside which the next batch is read and embedded. It is never abandoned."""

    task: asyncio.Task[None] | None = None

    async def ended(self) -> None:
        """Waits for it. Raises its error."""
        if self.task is not None:
            await self.task

    async def __aenter__(self) -> None:
        self.task = None

    async def __aexit__(self, *error: object) -> None:
        if self.task is not None:
            await asyncio.wait([self.task])


stage = Pipeline("ingest")

PAGE = 1000
"""Sources that are looked up at once."""
REFUSED = (errors.Conflict, errors.InvalidInput, errors.StoreDamaged)
"""Errors of a commit that concern one source of it, or the node of one."""


class Ingest:
    """The pipeline over the stores."""

    def __init__(  # noqa: PLR0913 (wired in one place)
        self,
        neo4j: Neo4j,
        commit: RecordCommit,
        revisions: Revisions,
        assigner: Assigner,
        extraction: Extraction,
        judged_facts: JudgedFacts,
        judged_names: Callable[[Principal, Allowance], JudgedNames] | None,
        entities: EntityFinder,
        active: ActiveModel,
        redactor: Redactor,
        limits: IngestLimits,
    ) -> None:
        """`active`: the embeddings that are written with; `judged_names`: a model for one write, None where there is none."""
        self._postgres, self._neo4j, self.commit, self.revisions = commit.postgres, neo4j, commit, revisions
        self._assigner, self.extraction, self.entities, self.active = assigner, extraction, entities, active
        self.judged_facts, self.judged_names = judged_facts, judged_names
        self._redactor, self._limits = redactor, limits
        self.failures = FailureLog(self._postgres, commit.clock)
        self.sessions = Sessions(self._postgres, commit.clock, self.failures)

    async def nodes(self, principal: Principal) -> list[AssignableNode]:
        """The nodes that the principal may write to, the root first. Raises NotFound where there is none, Archived."""
        times = NOW.graph_parameters(self.commit.clock.now())
        found = await self._neo4j.read(cypher("node/of_user"), row=AssignableNode, **principal.parameters, **times)
        if not found:
            raise errors.NotFound  # no such user, or nothing there that the principal may write to
        nodes = [node for node in found if not node.archived]
        if not nodes:
            raise errors.Archived
        return nodes

    async def node(self, principal: Principal, node_id: UUID) -> AssignableNode | None:
        """The node of that id among them; None where there is none."""
        return next((node for node in await self.nodes(principal) if node.node_id == node_id), None)

    @stage.run
    async def store(
        self,
        principal: Principal,
        contents: Sequence[Pending],
        progress: Progress,
        trigger: TriggerType = "conversation_end",
        terms: Terms = PLAIN,
    ) -> Ingested:
        """Runs the pipeline over conversations and documents, in order. Returns what was stored, skipped and left for later.

        Raises StoreUnavailable, StoreFull; earlier commits stay, and a second call continues after them.
        """
        run, committing = IngestRun(principal, terms, trigger, progress, Allowance(self.active)), Committing()
        async with self.sessions.running(run, contents):
            while not run.over:
                ahead = run.allowance.each_ahead(self._cleaned(run, contents), texts_ahead)
                async with run.attempt(), committing, aclosing(ahead) as batches:
                    vocabulary = NodeVocabulary(await self.nodes(principal))
                    async for new in batches:
                        unplaced = [one.unplaced for one in new]
                        with stage("assign"):
                            placed, vocabulary = await self._assigner.place(
                                principal, unplaced, vocabulary, run.allowance
                            )
                        batch = await computed(_drafted, new, placed)
                        model = self.active.current
                        records = await self._read_and_embedded(run, batch, model, committing)
                        await committing.ended()
                        committing.task = asyncio.create_task(self._commit(run, batch, model, records))
                    await committing.ended()
                    await self._new_versions(run)
        counted(turns=sum(one.turns for one in run.stored), records=sum(len(one.records) for one in run.stored))
        return run.result

    # clean → trigger -------------------------------------------------------------------------------------

    @stage.each("clean")
    async def _cleaned(
        self, run: IngestRun, contents: Sequence[Pending]
    ) -> AsyncGenerator[list[FreshTurns | FreshDocument]]:
        """The new parts of the sources, in batches."""
        new: list[FreshTurns | FreshDocument] = []
        taken, left = 0, sum(pending.characters for pending in contents)
        for start in range(0, len(contents), PAGE):
            page = contents[start : start + PAGE]
            keys = [run.principal.own_key(key_of(pending.content, self._redactor)) for pending in page]
            asked = {"sources": keys}
            known = await self._postgres.fetch(run.principal, sql_text("ingest/sources_held"), asked, row=SourceSeen)
            seen = {source.source_id: source for source in known if source.units}
            refused = set() if run.terms.again else {source.source_id for source in known if source.forgotten}
            for pending, key in zip(page, keys, strict=True):
                left -= pending.characters
                if key in refused:
                    run.refuse_forgotten(self._redactor.identifier(pending.content.source_id))
                    continue
                one = await self._new_part(run, pending, seen)
                if one is None:
                    continue
                new.append(one)
                taken += pending.characters
                if self._limits.enough(sum(one.units for one in new), taken, left):
                    yield new
                    new, taken = [], 0
        if new:
            yield new

    async def _new_part(
        self, run: IngestRun, pending: Pending, seen: Mapping[str, SourceSeen]
    ) -> FreshTurns | FreshDocument | None:
        """The new part of a source. None where it is skipped (in a tolerant run also where it cannot be drafted), and for a new
        version of a document, which is stored after the batches."""
        most = self._limits.max_text_bytes
        new: FreshTurns | FreshDocument | ChangedDocument | Skipped
        try:
            new = await computed(fresh, run.principal, pending, seen, run.trigger, self._redactor, most)
        except (errors.InvalidInput, errors.CommitSetAside) as error:
            if not run.terms.tolerant:
                raise
            new = failed(self._redactor.identifier(pending.content.source_id), error, "draft")
        if isinstance(new, FreshTurns | FreshDocument):
            return new
        if isinstance(new, Skipped):
            run.skip(new)
        else:
            run.changed.append(new)
        return None

    # ((read by a model → entities) ∥ embed) → (summarize ∥ keywords ∥ embed what was read) → what new facts do ---------

    async def _read_and_embedded(
        self, run: IngestRun, batch: Sequence[Drafted], model: Model, committing: Committing
    ) -> list[EmbeddedRecord]:
        """The batch's records with summary, keywords, items, vectors, and the entities that they mention.

        Where a limit is reached or a service does not answer, parts are missing: jobs add them. Raises StoreUnavailable.
        """
        drafts = [record for drafted in batch for record in drafted.records]
        embedding, reading = run.allowance.vectors(model, texts_of(drafts)), self._read(run, drafts, model, committing)
        came_in, (read, report) = await asyncio.gather(embedding, reading)
        found = await run.allowance.vectors(model, texts_of(read, derived=True))
        ready = await computed(embedded, read, came_in, found)
        with stage("judge"):
            now = self.commit.clock.now()
            records, asked = await self.judged_facts.judged(run.principal, ready, model, run.allowance, now)
        run.extractions += [report, asked, *(drafted.placing for drafted in batch)]
        return records

    async def _read(
        self, run: IngestRun, drafts: Sequence[RecordDraft], model: Model, committing: Committing
    ) -> tuple[list[RecordDraft], ExtractionReport]:
        """What a model reads out of the records, then whom they speak of: what it says of that counts, and its facts, too."""
        with stage("read"):
            read, report = await self.extraction.read(run.principal, drafts, run.observed, run.allowance)
        judge = self.judged_names(run.principal, run.allowance) if self.judged_names else None
        texts, readings = [texts_in(draft) for draft in read], [draft.reading for draft in read]
        with stage("entities"):
            # else it would depend on chance whether entities of the batch before are known
            spoken = await self.entities.spoken(run.principal, texts, readings, judge, committing.ended)
        read = [
            replace(named(draft, one), relations=one.relations, about=one.about)
            for draft, one in zip(read, spoken, strict=True)
        ]
        words, count_tokens = self.extraction.limits.summary_words, model.embedder.count_tokens
        with stage("describe"):
            described = await computed(lambda: [describe(draft, count_tokens, words) for draft in read])
        return described, added([report, judge.report]) if judge else report

    async def _embedded_again(
        self, run: IngestRun, drafts: Sequence[RecordDraft], model: Model
    ) -> list[EmbeddedRecord]:
        """Drafts that were read, with the vectors of another model."""
        came_in, found = texts_of(drafts), texts_of(drafts, derived=True)
        vectors = [await run.allowance.vectors(model, texts) for texts in (came_in, found)]
        return await computed(embedded, drafts, *vectors)

    # commit ----------------------------------------------------------------------------------------------

    async def _commit(
        self, run: IngestRun, batch: Sequence[Drafted], model: Model, records: Sequence[EmbeddedRecord]
    ) -> None:
        """One commit. A refused one is repeated where it can be mended; in a tolerant ingest source by source."""
        versions = [version for drafted in batch for version in drafted.versions]
        note = self.sessions.commit_noted(run, batch, records)
        advances = [replace(drafted.advance, again=run.terms.again) for drafted in batch]
        try:
            with stage("commit"):
                stored = await self.commit.commit(run.principal, records, advances, model, note, versions)
        except REFUSED as error:
            again = await self._mended(run, batch, model, records, error)
            if again is None:
                raise
        else:
            turns, documents = sum(one.turns for one in batch), sum(one.turns == 0 for one in batch)
            redacted = total(one.redacted for one in batch)
            sources = {one.source_id: tuple(record.record_id for record in one.records) for one in batch}
            changes = tuple(version.change for version in versions)
            run.stored.append(StoredBatch(tuple(stored), turns, documents, redacted, sources, changes))
            run.progress.advance("ingest", turns + documents)
            return
        for one in again:
            await self._commit(run, *one)

    async def _mended(
        self, run: IngestRun, batch: Sequence[Drafted], model: Model, records: Sequence[EmbeddedRecord],
        error: errors.NeurigraphError,
    ) -> list[tuple[Sequence[Drafted], Model, Sequence[EmbeddedRecord]]] | None:  # fmt: skip
        """The commits to make in place of a refused one; None where it is refused for good."""
        drafts = [record.draft for record in records]
        if isinstance(error, errors.EmbeddingsChanged):
            now = await self.active.follow()
            if now.name == model.name:
                return None
            return [(batch, now, await self._embedded_again(run, [without_whole(draft) for draft in drafts], now))]
        if isinstance(error, errors.Conflict) and (there := await self.extraction.there(run.principal, drafts)):
            return [(batch, model, [record.without(there) for record in records])]  # a concurrent ingest stored them
        if not run.terms.tolerant:
            return None
        if len(batch) == 1 and isinstance(error, errors.Forgotten):
            run.refuse_forgotten(batch[0].source_id)
            return []
        if len(batch) == 1:
            run.contended |= isinstance(error, errors.Conflict)
            run.skip(failed(batch[0].source_id, error, "commit"))
            return []
        left = iter(records)
        return [([drafted], model, [next(left) for _ in drafted.records]) for drafted in batch]

    async def _new_versions(self, run: IngestRun) -> None:
        """The next versions of documents, one commit each; in a tolerant ingest a refused one is skipped."""
        nodes = await self.nodes(run.principal) if run.changed else []
        outcome: StoredBatch | Skipped
        for changed in run.changed:
            if await self.sessions.stored_before(run, changed):
                run.skip(Skipped(changed.document.source_id, STORED_ALREADY))
                continue
            note = self.sessions.version_noted(run, changed.document.source_id)
            try:
                with stage("version"):
                    outcome = await self.revisions.store(run.principal, changed, nodes, run.allowance, note)
            except (*REFUSED, errors.ProviderUnavailable) as error:
                if not run.terms.tolerant:
                    raise
                if isinstance(error, errors.Forgotten):
                    run.refuse_forgotten(changed.document.source_id)
                    continue
                run.contended |= isinstance(error, errors.Conflict)
                outcome = failed(changed.document.source_id, error, "commit")
            if isinstance(outcome, Skipped):
                run.skip(outcome)
            else:
                run.stored.append(outcome)
                run.progress.advance("ingest", 1)


def _drafted(new: Sequence[FreshTurns | FreshDocument], placed: Sequence[Placed]) -> list[Drafted]:
    return [one.drafted(where) for one, where in zip(new, placed, strict=True)]
