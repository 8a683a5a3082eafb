"""Ingests: many sources in one request; the ingest sessions, running and ended; import and export: conversations and texts as
lines (NDJSON), streamed both ways.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse

from api.bodies import JsonRoute, Spool, answering, check_content_type
from api.context import OnceMemory, UserMemory, limited
from api.cursors import PAGE_HEADERS, APage, identity, number
from api.event_stream import documented_events, followed
from api.headers import disposition
from api.models import ExportTotals, ImportTotals, ManySources, Problem, ReportedLine
from api.problems import WRITES, answered, http_kind, replayable
from engine import errors
from engine.domain.history import Text
from engine.domain.ingest import IngestedSource, IngestSession
from engine.domain.problems import UNEXPECTED, ProblemKind, kind_of, members_of
from engine.domain.report import IngestReport
from engine.domain.written import (
    MEDIA_TYPE,
    ExportCount,
    ExportPage,
    Instant,
    Line,
    LineReport,
    LineSplitter,
    batches,
    line_of,
)
from engine.memory import Memory
from engine.turns import computed

of_ingests = APIRouter(prefix="/v1/users/{user_id}/ingests", tags=["ingests"], route_class=JsonRoute)
LONGEST_WAIT = 600
"""Seconds between two polls of a session whose events are streamed: at first, and at most."""
EVENTS = documented_events("an IngestSession")
log = logging.getLogger(__name__)

of_lines = APIRouter(prefix="/v1/users/{user_id}", tags=["bulk"])
MOST_LINES = 500
"""Lines that are stored at once."""


SAID = {
    "conversation": {
        "id": "c1",
        "turns": [{"speaker": "Bob", "text": "Dave married Ellen in 2003."}],
        "title": "Wedding",
    }
}
NOTED = {"text": "We agreed to raise the price on March 1.", "title": "Meeting notes", "source_id": "notes-7"}
GIVEN = line_of(SAID) + line_of(NOTED)
_ID = "2f1d8a52-5f4e-4f4e-9f0e-6a9d0a4b7c11"
REPORTED = line_of({"line": 1, "status": "stored", "source_id": "c1", "record_ids": [_ID]}) + line_of(
    {"line": 2, "status": "skipped", "source_id": "text:notes-7"}
)
ENDED = line_of({"done": True, "lines": 2, "stored": 1, "skipped": 1, "failed": 0})
EXPORTED = line_of({"done": True, "lines": 2, "failed": 0, "withdrawn": 0, "of_personas": 0, "waiting_turns": 0})


@of_ingests.post(
    "",
    operation_id="ingest",
    status_code=201,
    responses=replayable(answered(200, IngestReport, "Nothing was stored: every source was stored before or failed."))
    | WRITES,
)
async def ingest(body: ManySources, memory: OnceMemory, response: Response) -> IngestReport:
    """Stores many conversations and texts in one session. A source that fails is reported and does not stop the others.

    With an idempotency key the running session can be found and followed, and a repeated request resumes it.
    """
    conversations = await computed(lambda: [one.conversation for one in body.conversations])
    texts = [Text(one.source_id, one.title, one.text) for one in body.texts]
    report = (
        await limited(memory, body.limits).anew(body.again).until(body.expires_at).ingests.many(conversations, texts)
    )
    response.status_code = 201 if report.records else 200
    return report


@of_ingests.get("", operation_id="listIngests", responses=PAGE_HEADERS)
async def list_ingests(
    memory: UserMemory,
    page: APage,
    key: Annotated[
        str | None, Query(max_length=200, pattern=r"^[\x21-\x7e]+$", description="Only that of this idempotency key.")
    ] = None,
    before: Annotated[UUID | None, Query(description="The last session of the previous page.")] = None,
) -> Sequence[IngestSession]:
    """The sessions of all writes, newest first, one page."""
    start = page.start(identity, before)
    sessions = await memory.ingests.list(key=key, before=start, limit=page.limit)
    return page.of(sessions, lambda session: session.session_id)


@of_ingests.get("/{session_id}", operation_id="getIngest")
async def get_ingest(session_id: UUID, memory: UserMemory) -> IngestSession:
    """One session: counts of received, stored, skipped and failed sources, and of items that wait for their vectors."""
    return await memory.ingests.get(session_id)


@of_ingests.get("/{session_id}/sources", operation_id="listIngestedSources", responses=PAGE_HEADERS)
async def sources(
    session_id: UUID,
    memory: UserMemory,
    page: APage,
    after: Annotated[int, Query(ge=0, le=2**62, description="The last entry of the previous page.")] = 0,
) -> Sequence[IngestedSource]:
    """The result of each source: its hash and record ids, or why it failed. Sources stored before are only counted."""
    found = await memory.ingests.sources(session_id, after=page.start(number, after), limit=page.limit)
    return page.of(found, lambda source: source.entry_id)


@of_ingests.get("/{session_id}/events", operation_id="followIngest", response_class=StreamingResponse, responses=EVENTS)
async def events(
    session_id: UUID,
    memory: UserMemory,
    request: Request,
    wait: Annotated[
        float, Query(ge=0, le=LONGEST_WAIT, allow_inf_nan=False, description="Maximum number of seconds to follow it.")
    ] = 60,
) -> StreamingResponse:
    """The session as a server-sent event, and again after each of its commits; the stream ends with the session."""
    first = await memory.ingests.get(session_id)
    return followed(request, first, lambda: memory.ingests.get(session_id), lambda seen: seen.state == "running", wait)


def _documented(model: str, about: str, example: bytes) -> dict[str, Any]:
    """The OpenAPI content of lines, each of which is one of the models."""
    shape = {
        "type": "string",
        "contentMediaType": MEDIA_TYPE,
        "contentSchema": {"$ref": f"#/components/schemas/{model}"},
    }
    return {"description": about, "content": {MEDIA_TYPE: {"schema": shape, "example": example.decode()}}}


BODY = {"requestBody": {"required": True} | _documented("LineBody", "One LineBody a line, of any number.", GIVEN)}
REPORTS: dict[int | str, dict[str, Any]] = {
    200: _documented("ReportedLine", "One ReportedLine for each line, in order, then ImportTotals.", REPORTED + ENDED)
}
LINES: dict[int | str, dict[str, Any]] = {
    200: _documented(
        "LineBody", "One LineBody for each source, or LineWithoutSource, then ExportTotals.", GIVEN + EXPORTED
    )
}


@of_lines.post(
    "/import",
    operation_id="importLines",
    response_class=StreamingResponse,
    responses=REPORTS | WRITES,
    openapi_extra=BODY,
)
async def import_lines(
    request: Request,
    memory: UserMemory,
    again: Annotated[bool, Query(description="Stores anew what was forgotten; else it is left out.")] = False,
    expires_at: Annotated[Instant | None, Query(description="When all of it is forgotten by itself.")] = None,
) -> Response:
    """Stores one conversation or text a line, while the lines arrive, and reports each line.

    A line that cannot be stored stops no other. The totals that end an export are passed over. What is sent again is stored
    once: after a cut, send all of it again. Without its last line the answer was cut.
    """
    check_content_type(request, MEDIA_TYPE)
    await memory.ingests.lines(())  # refuses those who may not, before anything is read
    work = _Import(request, memory.anew(again).until(expires_at), request.app.state.settings.max_text_bytes)
    return await answering(work.run)


@of_lines.get("/export", operation_id="exportLines", response_class=StreamingResponse, responses=LINES)
async def export_lines(request: Request, memory: UserMemory) -> Response:
    """What the user stored, oldest first, as lines that an import takes back. Without its last line the answer was cut.

    What comes in after its beginning is left out.
    """
    export = _Export(request, memory, await memory.exports.page())
    headers = {"Cache-Control": "no-store", "Content-Disposition": disposition("export.ndjson")}
    return StreamingResponse(export.lines(), media_type=MEDIA_TYPE, headers=headers)


class _Import:
    """One import while it runs."""

    def __init__(self, request: Request, memory: Memory, most_bytes: int) -> None:
        self._request, self._memory, self._splitter = request, memory, LineSplitter(most_bytes)
        self._counts: Counter[str] = Counter()

    async def run(self, spool: Spool) -> None:
        """Stores the lines of the body and puts a report of each into the spool. An error before the first is raised."""
        problem = None
        try:
            async with aclosing(self._lines()) as lines:
                async for batch in lines:
                    reports = await self._memory.ingests.lines(batch)
                    spool.put(b"".join(map(self._reported, reports)))
        except ClientDisconnect:
            return
        except (errors.NeurigraphError, HTTPException) as error:
            if not self._counts:
                raise
            problem = self._problem(_kind(error), str(error.detail))
        except Exception:
            if not self._counts:
                raise
            log.exception("an import ended with an unexpected error")
            problem = self._problem(UNEXPECTED, UNEXPECTED.title)
        by = {name: self._counts[name] for name in ("stored", "skipped", "failed", "forgotten")}
        spool.put_last(line_of(ImportTotals(done=problem is None, lines=sum(by.values()), **by, problem=problem)))

    async def _lines(self) -> AsyncGenerator[list[Line]]:
        """What has arrived, in batches: the more, the longer the batch before took."""
        async for part in self._request.stream():
            for batch in batches(self._splitter.take(part), MOST_LINES):
                if not await self._request.state.stands():
                    raise HTTPException(401)
                yield batch
        if rest := self._splitter.end():
            yield rest

    def _reported(self, report: LineReport) -> bytes:
        self._counts[report.outcome] += 1
        problem = None
        if report.outcome == "failed":
            cause = getattr(errors, report.cause, errors.InvalidInput)
            fields = [{"location": location, "detail": detail} for location, detail in report.fields]
            problem = self._problem(kind_of(cause) or UNEXPECTED, report.detail, fields)
        return line_of(
            ReportedLine(
                line=report.number,
                status=report.outcome,
                source_id=report.source_id,
                record_ids=list(report.records),
                problem=problem,
            ).model_dump(exclude_defaults=True)
        )

    def _problem(self, kind: ProblemKind, detail: str, fields: list[dict[str, str]] | None = None) -> Problem:
        return _problem(self._request, kind, detail, fields)


class _Export:
    """One export while it runs."""

    def __init__(self, request: Request, memory: Memory, first: ExportPage) -> None:
        self._request, self._memory, self._page = request, memory, first
        self._count = ExportCount(memory.principal.user_id)

    async def lines(self) -> AsyncGenerator[bytes]:
        """The lines, page by page, then the totals."""
        left_out = problem = None
        try:
            async for page in self._pages():
                if lines := await computed(self._count.written, page):
                    yield lines
            left_out = await self._memory.exports.left_out(self._page.place)
        except (errors.NeurigraphError, HTTPException) as error:
            problem = _problem(self._request, _kind(error), str(error.detail))
        except Exception:
            log.exception("an export ended with an unexpected error")
            problem = _problem(self._request, UNEXPECTED, UNEXPECTED.title)
        yield line_of(ExportTotals(**self._count.totals(left_out, problem)))

    async def _pages(self) -> AsyncGenerator[ExportPage]:
        yield self._page
        while self._page.more:
            if not await self._request.state.stands():
                raise HTTPException(401)
            self._page = await self._memory.exports.page(self._page.place)
            yield self._page


def _problem(request: Request, kind: ProblemKind, detail: str, fields: list[dict[str, str]] | None = None) -> Problem:
    known = members_of(kind, request.url.path, detail)
    return Problem.model_validate(known | ({"errors": fields} if fields else {}))


def _kind(error: errors.NeurigraphError | HTTPException) -> ProblemKind:
    if isinstance(error, HTTPException):
        return http_kind(error.status_code)
    return kind_of(type(error)) or UNEXPECTED
