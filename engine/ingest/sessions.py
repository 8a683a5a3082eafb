"""One ingest from its beginning to its end, and its session: the input and its results, readable during the run and afterwards;
and the failure log.

A session's counts and ids are written in the transactions of its commits, so after a crash they match what is stored.
A repeated ingest with the same key continues its session. Where the terms are tolerant, an unavailable store is retried, and a
source that cannot be stored is skipped; else the first error ends the ingest. Commits stay, and a repeated ingest continues
after them.

The log has final failures with stage and cause, until they are replayed or dismissed:

    open       it failed; the same thing failing again is one more attempt of the same entry
    replayed   it was stored, or its job succeeded, later on
    dismissed  the user has decided that it does not matter

An entry names the source and holds none of its content: the source is read again from its path, or sent again.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4, uuid5

from engine.domain.clock import Clock
from engine.domain.document import NewVersion
from engine.domain.extraction import ExtractionReport, added
from engine.domain.history import Conversation
from engine.domain.ingest import Failure, FailureStage, FailureState, IngestedSource, IngestSession, IngestState, Terms
from engine.domain.job import pause_before
from engine.domain.node import TriggerType
from engine.domain.principal import Principal
from engine.domain.read_limits import check_page
from engine.domain.record import EmbeddedRecord, SourceAdvance
from engine.domain.report import FORGOTTEN, STORED_ALREADY, Skipped
from engine.errors import (
    Conflict,
    Forgotten,
    InvalidInput,
    NeurigraphError,
    NotFound,
    StoreFull,
    StoreUnavailable,
    WritingStopped,
)
from engine.ingest.allowance import Allowance
from engine.ingest.cleaning import fingerprint
from engine.ingest.sources import ChangedDocument, Drafted, Ingested, Pending, StoredBatch
from engine.progress import Progress
from engine.stores.postgres import Connection, Jsonb, Parameters, Postgres
from engine.stores.rows import only
from engine.stores.statements import sql_text

LONGEST_NOTE = 500

log = logging.getLogger(__name__)

MOST_LISTED = 1000
"""Skipped sources of one session that are listed; the rest is counted."""
ATTEMPTS = 4
"""Attempts of a tolerant ingest on a store that does not answer, in all."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
LAST_WORD = 2.0
"""Timeout (seconds) for marking the session of a failed ingest as failed."""


class FailureLog:
    """The failures of a graph, for its user; without a principal those of jobs, for the operator."""

    def __init__(self, postgres: Postgres, clock: Clock) -> None:
        self._postgres, self._clock = postgres, clock

    async def note(
        self, principal: Principal | None, stage: FailureStage, subject: str, error: NeurigraphError, reference: Parameters
    ) -> None:  # fmt: skip
        """Notes a failure. Raises StoreUnavailable."""
        entry = {"stage": stage, "subject": subject, "session_id": reference.get("session_id")}
        await self._log(principal, entry, error, {name: str(value) for name, value in reference.items()})

    async def again(self, principal: Principal, failure: Failure, error: NeurigraphError) -> None:
        """Notes one more attempt of a failure, with its cause now. Raises StoreUnavailable."""
        entry = {"stage": failure.stage, "subject": failure.subject, "session_id": failure.session_id}
        await self._log(principal, entry, error, dict(failure.reference))

    async def _log(
        self, principal: Principal | None, entry: Parameters, error: NeurigraphError, reference: Parameters
    ) -> None:
        cause = {"cause": type(error).__name__, "detail": error.detail}
        parameters = {**entry, **cause, "reference": Jsonb(reference), "now": self._clock.now()}
        await self._change(principal, "failure/log", parameters)

    async def page(
        self, principal: Principal | None, *, state: FailureState | None = "open", before: UUID | None = None, limit: int = 100
    ) -> tuple[Failure, ...]:  # fmt: skip
        check_page(limit)
        return await self._page(principal, {"state": state, "failure_id": None, "before": before, "limit": limit})

    async def failure(self, principal: Principal | None, failure_id: UUID) -> Failure:
        parameters = {"state": None, "failure_id": failure_id, "before": None, "limit": 1}
        return only(await self._page(principal, parameters))

    async def settle(
        self, principal: Principal | None, failure_id: UUID, state: FailureState, note: str = ""
    ) -> Failure:
        if len(note) > LONGEST_NOTE or not note.isprintable():
            raise InvalidInput(f"A note is one line of at most {LONGEST_NOTE} characters.")
        parameters = {"failure_id": failure_id, "state": state, "note": note, "now": self._clock.now()}
        await self._change(principal, "failure/settle", parameters)
        return await self.failure(principal, failure_id)

    async def _page(self, principal: Principal | None, parameters: Parameters) -> tuple[Failure, ...]:
        page, parameters = sql_text("failure/page"), {**parameters, "jobs": principal is None}
        if principal is None:
            return tuple(await self._postgres.fetch_as_service(page, parameters, row=Failure))
        return tuple(await self._postgres.fetch(principal, page, parameters, row=Failure))

    async def _change(self, principal: Principal | None, statement: str, parameters: Parameters) -> None:
        """Sends the statement, for a principal as one that may be repeated after a restart of the server."""
        if principal is None:
            await self._postgres.change_as_service(sql_text(statement), parameters)
        else:
            await self._postgres.fetch(principal, sql_text(statement), parameters, row=object, writes=True)


@dataclass(slots=True, eq=False)
class IngestRun:
    """One ingest while it runs: whose it is, what it may take of models, and what became of its sources."""

    principal: Principal
    terms: Terms
    trigger: TriggerType
    progress: Progress
    allowance: Allowance
    session_id: UUID = field(init=False)
    stored: list[StoredBatch] = field(default_factory=list)
    extractions: list[ExtractionReport] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    changed: list[ChangedDocument] = field(default_factory=list)
    """Documents that have a new version: they are stored after the batches."""
    observed: set[UUID] = field(default_factory=set)
    """Observations of the drafts so far, which may not be stored yet."""
    contended: bool = False
    """Whether another ingest was storing some of the same sources."""
    over: bool = False
    _attempts: int = 0
    _before: frozenset[str] = frozenset()

    @asynccontextmanager
    async def attempt(self) -> AsyncIterator[None]:
        """One attempt on all contents; without a further one the run is over. There is one, after a pause, where a store did not
        answer, or where another ingest was storing the same sources: what that one has stored is skipped."""
        self._attempts += 1
        self._before = frozenset(key for commit in self.stored for key in commit.sources)
        self.skipped, self.changed, self.observed = list(self.terms.refused), [], set()
        self.contended, last = False, self._attempts == ATTEMPTS
        level, why = logging.INFO, "Another ingest stores the same sources."
        try:
            yield
            self.over = last or not self.contended
        except StoreUnavailable as error:
            if not self.terms.tolerant or isinstance(error, StoreFull | WritingStopped) or last:
                raise
            level, why = logging.WARNING, error.detail
        if not self.over:
            pause = pause_before(self._attempts + 1, first=FIRST_PAUSE, longest=LONGEST_PAUSE, chance=random.random())
            log.log(level, "%s The ingest goes on in %.1f s.", why, pause)
            await asyncio.sleep(pause)

    @property
    def result(self) -> Ingested:
        """What became of its sources."""
        skipped, left_out = tuple(self.skipped), self.allowance.left_out
        return Ingested(self.session_id, tuple(self.stored), skipped, left_out, added(self.extractions))

    def skip(self, one: Skipped) -> None:
        """Reports a source as skipped, unless an earlier attempt has stored it."""
        if one.reason != STORED_ALREADY or one.source_id not in self._before:
            self.skipped.append(one)

    def refuse_forgotten(self, source_id: str) -> None:
        """Reports a source as forgotten. Raises Forgotten where the run is not tolerant."""
        if not self.terms.tolerant:
            raise Forgotten
        self.skipped.append(Skipped(source_id, FORGOTTEN))


class Sessions:
    """The sessions of graphs, as `engine.operations.ingests` says. All raise StoreUnavailable."""

    def __init__(self, postgres: Postgres, clock: Clock, failures: FailureLog) -> None:
        self._postgres, self._clock, self._failures = postgres, clock, failures

    @asynccontextmanager
    async def running(self, run: IngestRun, contents: Sequence[Pending]) -> AsyncIterator[None]:
        """The session of a run: begun, then done, or failed with the error that ends the block."""
        conversations = [one.content for one in contents if isinstance(one.content, Conversation)]
        came = {
            "sources": len(contents) + len(run.terms.refused),
            "turns": sum(len(conversation.turns) for conversation in conversations),
            "files": len(contents) - len(conversations),
        }
        run.session_id = await self.begin(run.principal, run.terms.key, came, again=run.terms.again)
        try:
            yield
            await self._end(run, "done", None)
        except BaseException as error:
            await self._last_word(run, error)
            raise

    async def begin(
        self, principal: Principal, key: str | None, came: Mapping[str, int], *, again: bool = False
    ) -> UUID:
        """The id of a new session, or of this principal's session with that key. `came`: sources, turns, files. Raises Forgotten
        for a key whose session was forgotten, unless it is to begin `again`."""
        own_key = principal.own_key(key) if key else None
        session_id = self.id_of(principal, key) if key else uuid4()
        sources = Jsonb({**came, "again": again})
        parameters = {"session_id": session_id, "key": own_key, "came": sources, "now": self._clock.now()}
        await self._postgres.change(principal, sql_text("ingest/begin"), parameters)
        return session_id

    async def stored_before(self, run: IngestRun, changed: ChangedDocument) -> bool:
        """Whether an attempt of the same request has stored this version: its answer was lost, and a late repeat does not replace
        a version that another request has stored since."""
        if run.terms.key is None:
            return False
        asked = {
            "user_id": run.principal.user_id,
            "session_id": run.session_id,
            "sources": [changed.source.key, changed.document.source_id],
            "content_hash": fingerprint(changed.document),
        }
        [stored] = await self._postgres.fetch_as_service(sql_text("ingest/stored_before"), asked, row=bool)
        return stored

    @staticmethod
    def id_of(principal: Principal, key: str) -> UUID:
        """The id of this principal's session with that key."""
        return uuid5(principal.user_id, f"ingest {principal.own_key(key)}")

    def commit_noted(
        self, run: IngestRun, batch: Sequence[Drafted], records: Sequence[EmbeddedRecord]
    ) -> Callable[[Connection, UUID], Awaitable[None]]:
        """Adds the commit of a batch to the session, in its transaction."""
        counts = {
            "turns": sum(drafted.turns for drafted in batch),
            "files": sum(drafted.turns == 0 for drafted in batch),
            "records": len(records),
            "items": sum(record.draft.counted for record in records),
            "pending": sum(record.pending for record in records),
        }
        sources = [
            _source(drafted.source_id, drafted.advance, [record.record_id for record in drafted.records])
            for drafted in batch
        ]
        places = [(record.draft.record_id, record.draft.node.node_id) for record in records]

        async def note(connection: Connection, commit_id: UUID) -> None:
            await self._note(connection, run, commit_id, counts, sources)
            await self._expire(connection, run, places)

        return note

    def version_noted(
        self, run: IngestRun, source_id: str
    ) -> Callable[[Connection, UUID, Sequence[NewVersion], Sequence[UUID], int], Awaitable[None]]:
        """The same for a document's new version, part by part. `source_id`: as its user, or the persona, knows it."""

        async def note(
            connection: Connection, commit_id: UUID, parts: Sequence[NewVersion], gone: Sequence[UUID], pending: int
        ) -> None:
            version, items = parts[0], sum(part.added for part in parts)
            counts = {"turns": 0, "files": 1, "records": len(parts), "items": items, "pending": pending}
            advance = SourceAdvance.to_version(version)
            source = _source(source_id, advance, [part.document_id for part in parts], gone)
            await self._note(connection, run, commit_id, counts, [source])
            await self._expire(connection, run, [(part.document_id, part.node_id) for part in parts])

        return note

    async def _expire(self, connection: Connection, run: IngestRun, places: Sequence[tuple[UUID, UUID]]) -> None:
        """Keeps when these records (with their nodes) expire, where that was said."""
        if run.terms.expires_at is None or not places:
            return
        records, nodes = zip(*places, strict=True)
        row = {"user_id": run.principal.user_id, "records": list(records), "nodes": list(nodes)}
        row |= {"expires_at": run.terms.expires_at, "now": self._clock.now()}
        await connection.execute(sql_text("ingest/expire"), row)

    async def _note(
        self, connection: Connection, run: IngestRun, commit_id: UUID, counts: Mapping[str, int], sources: Sequence[Any]
    ) -> None:
        """See `engine.note_ingested` for the contents of the last two."""
        parameters = {
            "session_id": run.session_id,
            "commit_id": commit_id,
            "now": self._clock.now(),
            "counts": Jsonb(dict(counts)),
            "sources": Jsonb(list(sources)),
        }
        await connection.execute(sql_text("ingest/noted"), parameters)

    async def _end(self, run: IngestRun, state: IngestState, failure: str | None) -> None:
        """Ends a session; its failed sources are written to the failure log in the same transaction. What was forgotten is only
        counted: nothing keeps its id."""
        listed = [one for one in run.skipped if one.reason not in (STORED_ALREADY, FORGOTTEN)][:MOST_LISTED]
        entries = [
            {
                "source_id": one.source_id[:500] or "?",
                "reason": one.reason,
                "cause": one.cause,
                "stage": one.stage,
                "reference": {"source_id": one.source_id, **one.reference},
            }
            for one in listed
        ]
        parameters = {
            "session_id": run.session_id,
            "state": state,
            "failure": failure,
            "now": self._clock.now(),
            "skipped_count": len(run.skipped),
            "skipped": Jsonb(entries),
        }
        await self._postgres.change(run.principal, sql_text("ingest/end"), parameters)

    async def _last_word(self, run: IngestRun, error: BaseException) -> None:
        """Marks the session as failed, and logs a failure that is not an error of the request. Ignores an unavailable store."""
        words = _cause(error)
        try:
            async with asyncio.timeout(LAST_WORD):
                await self._end(run, "failed", words)
                if isinstance(error, NeurigraphError) and not isinstance(error, InvalidInput | NotFound | Conflict):
                    reference = {"session_id": run.session_id} | ({"key": run.terms.key} if run.terms.key else {})
                    await self._failures.note(run.principal, "ingest", str(run.session_id), error, reference)
        except (NeurigraphError, TimeoutError):
            log.warning("the session %s could not be marked as failed (%s)", run.session_id, words)

    # reading ---------------------------------------------------------------------------------------------

    async def page(
        self, principal: Principal, *, before: UUID | None = None, key: str | None = None, limit: int = 50
    ) -> tuple[IngestSession, ...]:
        check_page(limit)
        parameters = {"before": before, "key": key, "session_id": None, "limit": limit}
        return tuple(await self._sessions(principal, parameters))

    async def session(self, principal: Principal, session_id: UUID) -> IngestSession:
        parameters = {"before": None, "key": None, "session_id": session_id, "limit": 1}
        return only(await self._sessions(principal, parameters))

    async def sources(
        self, principal: Principal, session_id: UUID, *, after: int = 0, limit: int = 100
    ) -> tuple[IngestedSource, ...]:
        check_page(limit)
        await self.session(principal, session_id)
        parameters = {"session_id": session_id, "after": after, "limit": limit}
        found = await self._postgres.fetch(principal, sql_text("ingest/sources_page"), parameters, row=IngestedSource)
        return tuple(found)

    async def _sessions(self, principal: Principal, parameters: Parameters) -> list[IngestSession]:
        return await self._postgres.fetch(principal, sql_text("ingest/sessions_page"), parameters, row=IngestSession)


def _source(source_id: str, to: SourceAdvance, records: Sequence[UUID], gone: Sequence[UUID] = ()) -> dict[str, Any]:
    ids = {"records": [str(one) for one in records], "superseded": [str(one) for one in gone]}
    units = {"first_unit": to.seen, "units": to.units, "content_hash": to.content_hash.hex()}
    return {"source_id": source_id, **units, **ids}


def _cause(error: BaseException) -> str:
    """Why a session failed, as its user reads it."""
    if isinstance(error, NeurigraphError):
        return f"{type(error).__name__}: {error.detail}"
    if isinstance(error, asyncio.CancelledError | KeyboardInterrupt | SystemExit):
        return "It was stopped before its end; the same request stores what is missing."
    return f"An unexpected error ended it ({type(error).__name__})."
