"""One ingest from its beginning to its end: batches through the pipeline, one commit each, and its session.

While one batch is being committed the next is read and embedded. Where the terms are tolerant, an unavailable store is
retried, and a source that cannot be stored is skipped; else the first error ends the ingest. Commits stay, and a repeated
ingest continues after them.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from engine.domain.backoff import pause_before
from engine.domain.document import NewVersion
from engine.domain.extraction import ExtractionReport, added
from engine.domain.history import Conversation
from engine.domain.ingest import Terms
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode, EmbeddedRecord, LeftOut, Skipped, StoredRecord, TriggerType
from engine.errors import (
    Conflict,
    EmbeddingsChanged,
    InvalidInput,
    NeurigraphError,
    NotFound,
    ProviderUnavailable,
    StoreFull,
    StoreUnavailable,
    WritingStopped,
)
from engine.ingest.allowance import Allowance
from engine.ingest.extraction.derived import without, without_whole
from engine.ingest.sessions import STORED_ALREADY
from engine.ingest.sources import ChangedDocument, Drafted, Pending, Run, Stored
from engine.ingest.versions.entered import change_of
from engine.privacy.redact import total
from engine.progress import Progress
from engine.providers.active import Model

if TYPE_CHECKING:
    from engine.ingest.pipeline import Ingest

log = logging.getLogger(__name__)

ATTEMPTS = 4
"""Attempts of a tolerant ingest on a store that does not answer, in all."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
LAST_WORD = 2.0
"""Timeout (seconds) for marking the session of a failed ingest as failed."""


@dataclass(frozen=True, slots=True)
class Ingested:
    """What an ingest stored, what it skipped, what it left for later, its session, and what models read."""

    session_id: UUID
    stored: tuple[Stored, ...]
    skipped: tuple[Skipped, ...]
    left_out: tuple[LeftOut, ...]
    extraction: ExtractionReport


class Storing:
    """One ingest of a principal."""

    def __init__(self, ingest: Ingest, principal: Principal, terms: Terms, progress: Progress) -> None:
        self._ingest, self._principal, self._terms, self._progress = ingest, principal, terms, progress
        self.allowance = Allowance(terms.limits, ingest.active)
        self._stored: list[Stored] = []
        self._extractions: list[ExtractionReport] = []
        self._skipped: list[Skipped] = list(terms.refused)
        self._session = UUID(int=0)
        self._contended = False  # whether another ingest was storing some of the same sources

    async def run(self, contents: Sequence[Pending], trigger: TriggerType) -> Ingested:
        """Stores the contents in order; raises the error that ends the whole ingest."""
        sessions = self._ingest.sessions
        came = {
            "sources": len(contents) + len(self._skipped),
            "turns": sum(len(one.content.turns) for one in contents if isinstance(one.content, Conversation)),
            "files": sum(not isinstance(one.content, Conversation) for one in contents),
        }
        self._session = await sessions.begin(self._principal, self._terms.key, came)
        try:
            await self._patiently(contents, trigger)
            await sessions.end(self._principal, self._session, "done", self._skipped, None)
        except BaseException as error:
            await self._last_word(error)
            raise
        return Ingested(
            self._session, tuple(self._stored), tuple(self._skipped), self.allowance.left_out, added(self._extractions)
        )

    async def _patiently(self, contents: Sequence[Pending], trigger: TriggerType) -> None:
        """Stores the batches. Retries the rest after a pause where a store did not answer, or where another ingest was storing
        the same sources: what that one has stored is skipped."""
        before = list(self._skipped)
        for attempt in range(1, ATTEMPTS + 1):
            self._contended = False
            pause = pause_before(attempt + 1, first=FIRST_PAUSE, longest=LONGEST_PAUSE, chance=random.random())
            try:
                await self._batches(contents, trigger)
            except StoreUnavailable as error:
                if not self._terms.tolerant or isinstance(error, StoreFull | WritingStopped) or attempt == ATTEMPTS:
                    raise
                log.warning("%s The ingest goes on in %.1f s.", error.detail, pause)
            else:
                if not self._contended or attempt == ATTEMPTS:
                    return
                log.info("Another ingest stores the same sources; they are looked at again in %.1f s.", pause)
            self._skipped = list(before)
            await asyncio.sleep(pause)

    async def _batches(self, contents: Sequence[Pending], trigger: TriggerType) -> None:
        ingest, mine = self._ingest, {key for commit in self._stored for key in commit.sources}
        run = Run(self.allowance, self._terms.tolerant, trigger)
        observed: set[UUID] = set()
        committing: asyncio.Task[None] | None = None
        try:
            async for batch in ingest.batches(self._principal, contents, run):
                drafts = [record for drafted in batch for record in drafted.records]
                model = ingest.active.current
                records, extraction = await ingest.processing.process(
                    self._principal, model, drafts, observed, self.allowance
                )
                self._extractions += [extraction, *(drafted.placing for drafted in batch)]
                if committing is not None:
                    await committing
                committing = asyncio.create_task(self._commit(batch, model, records))
            if committing is not None:
                await committing
        finally:
            if committing is not None and not committing.done():
                await asyncio.wait([committing])  # a commit under way is never abandoned
        if run.changed:
            nodes = await ingest.nodes(self._principal)
            for one in run.changed:
                await self._renewed(one, nodes, run)
        self._skipped += [one for one in run.skipped if one.reason != STORED_ALREADY or one.source_id not in mine]

    async def _renewed(self, changed: ChangedDocument, nodes: Sequence[AssignableNode], run: Run) -> None:
        """The next version of a document; in a tolerant ingest a refused one is skipped."""

        async def note(
            connection: Any, commit_id: UUID, versions: Sequence[NewVersion], gone: Sequence[UUID], pending: int
        ) -> None:
            items = sum(version.added for version in versions)
            counts = {"turns": 0, "files": 1, "records": len(versions), "items": items, "pending": pending}
            sources = [renewed_source(versions, gone)]
            await self._ingest.sessions.note(connection, self._session, commit_id, counts, sources)

        try:
            outcome = await self._ingest.revisions.store(self._principal, changed, nodes, self.allowance, note)
        except (Conflict, InvalidInput, ProviderUnavailable) as error:
            if not self._terms.tolerant:
                raise
            self._contended |= isinstance(error, Conflict)
            outcome = failed(changed.document.source_id, error, "commit")
        if isinstance(outcome, Skipped):
            run.skipped.append(outcome)
        else:
            self._stored.append(outcome)
            self._progress.advance("ingest", 1)

    async def _commit(self, batch: Sequence[Drafted], model: Model, records: Sequence[EmbeddedRecord]) -> None:
        """One commit; in a tolerant ingest a refused one is repeated source by source."""
        try:
            await self._committed(batch, model, records)
        except (Conflict, InvalidInput) as error:
            if not self._terms.tolerant or isinstance(error, EmbeddingsChanged):
                raise
            if len(batch) == 1:
                self._contended |= isinstance(error, Conflict)
                self._skipped.append(failed(batch[0].source_id, error, "commit"))
                return
            start = 0
            for drafted in batch:
                end = start + len(drafted.records)
                await self._commit([drafted], model, records[start:end])
                start = end

    async def _committed(self, batch: Sequence[Drafted], model: Model, records: Sequence[EmbeddedRecord]) -> None:
        try:
            stored = await self._write(batch, model, records)
        except EmbeddingsChanged:
            model = await self._ingest.active.follow()
            drafts = [without_whole(record.draft) for record in records]
            records = await self._ingest.processing.embed(model, drafts, self.allowance)
            stored = await self._write(batch, model, records)
        except Conflict:  # a concurrent ingest may have stored the same observations
            drafts = [record.draft for record in records]
            there = await self._ingest.processing.extraction.there(self._principal, drafts)
            if not there:
                raise
            return await self._committed(batch, model, [without(record, there) for record in records])
        turns, documents = _units(batch)
        self._progress.advance("ingest", turns + documents)
        redacted = total(drafted.redacted for drafted in batch)
        sources = tuple(drafted.source_id for drafted in batch)
        versions = tuple(change_of(version) for drafted in batch for version in drafted.versions)
        self._stored.append(Stored(tuple(stored), turns, documents, redacted, sources, versions))

    async def _write(
        self, batch: Sequence[Drafted], model: Model, records: Sequence[EmbeddedRecord]
    ) -> list[StoredRecord]:
        turns, documents = _units(batch)
        counts = {
            "turns": turns,
            "files": documents,
            "records": len(records),
            "items": sum(record.draft.counted for record in records),
            "pending": sum(record.pending for record in records),
        }
        sources = [_source(drafted) for drafted in batch]

        async def note(connection: Any, commit_id: UUID) -> None:
            await self._ingest.sessions.note(connection, self._session, commit_id, counts, sources)

        advances = [drafted.advance for drafted in batch]
        versions = [version for drafted in batch for version in drafted.versions]
        return await self._ingest.commit.commit(self._principal, records, advances, model, note, versions)

    async def _last_word(self, error: BaseException) -> None:
        """Marks the session as failed, and logs a failure that is not an error of the request. Ignores an unavailable store."""
        ours = isinstance(error, NeurigraphError)
        words = f"{type(error).__name__}: {error.detail if isinstance(error, NeurigraphError) else 'it was aborted'}"
        try:
            async with asyncio.timeout(LAST_WORD):
                await self._ingest.sessions.end(self._principal, self._session, "failed", self._skipped, words)
                if isinstance(error, NeurigraphError) and not isinstance(error, InvalidInput | NotFound | Conflict):
                    reference = {"session_id": self._session} | ({"key": self._terms.key} if self._terms.key else {})
                    await self._ingest.failures.note(self._principal, "ingest", str(self._session), error, reference)
        except (NeurigraphError, TimeoutError):
            log.warning(
                "the session %s could not be marked as failed (%s)", self._session, words if ours else "aborted"
            )


def _units(batch: Sequence[Drafted]) -> tuple[int, int]:
    return sum(drafted.turns for drafted in batch), sum(drafted.turns == 0 for drafted in batch)


def _source(drafted: Drafted) -> dict[str, Any]:
    advance = drafted.advance
    return {
        "source_id": drafted.source_id,
        "content_hash": advance.content_hash.hex(),
        "first_unit": advance.seen,
        "units": advance.units,
        "records": [str(record.record_id) for record in drafted.records],
        "superseded": [],
    }


def renewed_source(versions: Sequence[NewVersion], gone: Sequence[UUID]) -> dict[str, Any]:
    """A document's new version, part by part, as a session lists it."""
    version = versions[0]
    return {
        "source_id": version.source_id,
        "content_hash": version.content_hash.hex(),
        "first_unit": version.version - 1,
        "units": version.version,
        "records": [str(one.document_id) for one in versions],
        "superseded": [str(item) for item in gone],
    }


def failed(source_id: str, error: NeurigraphError, stage: str, reference: Mapping[str, str] | None = None) -> Skipped:
    """A source that was put aside because of an error; `reference` says where it can be found again."""
    return Skipped(source_id, error.detail, type(error).__name__, stage, reference or {})
