"""Ingests: many sources, or a whole history, in one session; the sessions to read; exports of the own graph; and its replays: all
records rebuilt beside the present ones, then swapped in or discarded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal
from uuid import UUID

from engine.domain.history import Conversation, History, NodePath, Text
from engine.domain.ingest import IngestedSource, IngestSession
from engine.domain.node import NewNode
from engine.domain.record import AssignableNode
from engine.domain.replay import Replay, ReplayComparison
from engine.domain.report import STORED_ALREADY, IngestReport, Skipped
from engine.domain.written import ExportPage, ExportPlace, LeftOutOfExport, Line, LineBody, LineReport
from engine.errors import Archived, Conflict, InvalidInput
from engine.hierarchy.shells import Shells
from engine.ingest.documents import note, read_document, reference_of
from engine.ingest.importing import Importing
from engine.ingest.pipeline import Ingest
from engine.ingest.rereading.replays import RecordReplays
from engine.ingest.sessions import Sessions
from engine.ingest.sources import Pending, failed
from engine.jobs.jobs import JobCatalogue
from engine.lifecycle.exporting import Exporting
from engine.operations import redactions
from engine.operations.caller import Caller, Part, owner
from engine.operations.declaring import OfGraph, reads, writes
from engine.operations.nodes import Edges, Nodes
from engine.operations.records import stored
from engine.privacy.redact import redacted_origin
from engine.progress import Progress, Silent, counted
from engine.turns import computed


class Ingests(OfGraph, name="ingests"):
    """Ingests of the own graph; for its user alone."""

    _exporting = Part(Exporting)
    _ingest = Part(Ingest)
    _sessions = Part(Sessions)

    @reads(owner)
    async def list(
        self, *, key: str | None = None, before: UUID | None = None, limit: int = 50
    ) -> tuple[IngestSession, ...]:
        """Sessions, newest first, one page; with `key` the one that was started with it."""
        key = redactions.identifier(key, self.caller.redactor, None)
        return await self._sessions.page(self._principal, key=key, before=before, limit=limit)

    @reads(owner)
    async def get(self, session_id: UUID) -> IngestSession:
        """One session as it stands. Raises NotFound."""
        return await self._sessions.session(self._principal, session_id)

    @reads(owner)
    async def sources(self, session_id: UUID, *, after: int = 0, limit: int = 100) -> tuple[IngestedSource, ...]:
        """The outcome of each source of a session: hash, ids, reasons; one page. Raises NotFound."""
        return await self._sessions.sources(self._principal, session_id, after=after, limit=limit)

    @writes(owner, redacts=dict.fromkeys(("conversations", "texts"), redactions.redacted_later), once=True, spends=True)
    async def many(self, conversations: Sequence[Conversation] = (), texts: Sequence[Text] = ()) -> IngestReport:
        """Stores conversations and texts, each where its content belongs; otherwise as `store`. Raises InvalidInput for none."""
        if not conversations and not texts:
            raise InvalidInput("There is nothing to store: send conversations or texts.")
        documents = await computed(lambda: [note(one.source_id, one.title, one.text, "other") for one in texts])
        origin = self.caller.origin
        pending = [Pending(one, origin=one.origin or origin) for one in conversations]
        pending += [Pending(one, origin=origin) for one in documents]
        terms = replace(self.caller.terms, tolerant=True)
        return await stored(self.caller, pending, "conversation_end", Silent(), terms)

    @writes(owner, redacts={"lines": redactions.redacted_later}, spends=True)
    async def lines(self, lines: Sequence[Line]) -> tuple[LineReport, ...]:
        """Stores a batch of lines of an import, each as `engine.domain.written.LineBody` says. One report for each, in
        their order; what it calls stored is durable, and a bad line stops no other. A line that comes again is `skipped`; the
        totals that end an export have no report."""
        terms = replace(self.caller.terms, tolerant=True)
        parts = self.caller.parts
        importing = Importing(self._ingest, parts.redactor, parts.max_text_bytes, self._principal, terms)
        reports = await importing.stored(lines)
        by_number = {line.number: line for line in lines}
        return tuple([await self._as_known(by_number[report.number], report) for report in reports])

    async def _as_known(self, line: Line, report: LineReport) -> LineReport:
        """The report of a line; `skipped` where a conversation that seems to be another is as an export gives it. A streamed turn
        is recognised by what its client sent, which may have had no time, or one with an offset."""
        if report.cause != Conflict.__name__ or line.content is None:
            return report
        written = LineBody.model_validate_json(line.content).conversation
        held = await self._exporting.conversation(self._principal, report.source_id) if written else None
        if written is None or held is None or not held.begins_with(written):
            return report
        return LineReport(report.number, "skipped", report.source_id)

    @writes(owner, redacts={"pending": redactions.redacted_later}, spends=True)
    async def store(self, pending: Sequence[Pending], progress: Progress | None = None) -> IngestReport:
        """Stores conversations and documents that are placed already, or are to be; what is stored already is skipped.

        Waits some seconds for an unavailable store. One source that cannot be stored stops no other: it is reported,
        and noted in the failure log.
        """
        terms = replace(self.caller.terms, tolerant=True)
        return await stored(self.caller, pending, "conversation_end", progress or Silent(), terms)

    @writes(owner, redacts={"history": redactions.redacted_later}, spends=True)
    async def history(self, history: History, progress: Progress | None = None) -> IngestReport:
        """Stores a whole history: its nodes and edges, then its conversations and files, with progress.

        What is stored already is skipped, so an ingest that was ended may simply be started again.
        """
        return await _Plan(self.caller, progress or Silent()).stored(history)


class _Plan:
    """The nodes and edges of a history first, then its conversations and files."""

    def __init__(self, caller: Caller, progress: Progress) -> None:
        self._caller, self._progress = caller, progress
        self._redacted: Counter[str] = Counter()

    async def stored(self, history: History) -> IngestReport:
        progress, parts, origin = self._progress, self._caller.parts, self._caller.origin
        places, created = await self._nodes(history)
        edges = await self._edges(history, places)
        pending: list[Pending] = [
            Pending(one, places.get(one.node) if one.node else None, one.privacy, origin=one.origin or origin)
            for one in history.conversations
        ]
        refused: list[Skipped] = []
        for file in history.files:
            node, of_file = places.get(file.node) if file.node else None, file.origin or origin
            try:
                document = await read_document(file, max_text_bytes=parts.max_text_bytes)
            except InvalidInput as error:
                cleaned = replace(file, title=parts.redactor.text(file.title, Counter()))
                source_id = parts.redactor.identifier(f"file:{file.source_id}"[:500])
                reference = reference_of(cleaned, node, redacted_origin(of_file, parts.redactor))
                refused.append(failed(source_id, error, "read", reference))
                continue
            pending.append(Pending(document, node, file.privacy, of_file))
        turns, files = sum(len(one.turns) for one in history.conversations), len(history.files)
        units = " and ".join(unit for number, unit in ((turns, "turns"), (files, "files")) if number)
        progress.start("ingest", turns + files, units)
        terms = replace(self._caller.terms, tolerant=True, refused=tuple(refused))
        report = await stored(self._caller, pending, "conversation_end", progress, terms)
        given = f"{counted(report.turns, 'turn')} and {counted(report.files, 'file')}"
        known = sum(one.reason == STORED_ALREADY for one in report.skipped)
        before = f", {counted(known, 'source')} stored before" if known else ""
        progress.finish("ingest", f"{given} into {counted(len(report.records), 'record')}{before}")
        self._redacted.update(report.redacted)
        return replace(report, nodes_created=created, edges_created=edges, redacted=dict(self._redacted))

    async def _nodes(self, history: History) -> tuple[dict[NodePath, AssignableNode], int]:
        """Provisions what the history asks for; every node by its path below the root, and how many are new."""
        root, created = self._caller.principal.user_id, 0
        ids: dict[NodePath, UUID] = {(): root}
        if history.nodes:
            self._progress.start("nodes", len(history.nodes), "nodes")
        for planned in history.nodes:
            kind: Literal["concept", "persona"] = "persona" if planned.node_type == "persona" else "concept"
            parent, name = ids[planned.path[:-1]], planned.path[-1]
            new = NewNode(parent, name, kind, planned.summary, planned.keywords, planned.aliases)
            counts: Counter[str] = Counter()
            node = await Nodes(replace(self._caller.inner, counts=counts)).provision(new)
            ids[planned.path] = node.node_id
            created += node.created
            self._redacted.update(counts if node.created else ())
            self._progress.advance("nodes")
        if history.nodes:
            self._progress.finish("nodes", f"{created} created")
        nodes, inner = Nodes(self._caller.inner), self._caller.inner
        named = {conversation.node for conversation in history.conversations} | {file.node for file in history.files}
        for path in sorted(path for path in named if path):
            if path not in ids:
                deepest = await nodes.provision_path(path)
                ids[path] = deepest.node_id if deepest else root
        by_id = {node.node_id: node for node in await nodes.writable()}
        for path, node_id in ids.items():
            if node_id not in by_id and (await inner.parts[Shells].shell(inner.principal, node_id)).archived:
                raise Archived(f"{'/'.join(path)} is archived: it takes no writes until it is taken back.")
        return {path: by_id[node_id] for path, node_id in ids.items() if node_id in by_id}, created

    async def _edges(self, history: History, places: Mapping[NodePath, AssignableNode]) -> int:
        edges, created = Edges(self._caller.inner), 0
        for edge in history.edges:
            ends = places[edge.source].node_id, places[edge.target].node_id
            created += (await edges.make(*ends, edge.edge_type, edge.properties)).created
        return created


class Exports(OfGraph, name="exports"):
    """What the user stored, as lines that an import takes back; for the user of the graph alone."""

    _exporting = Part(Exporting)

    @reads(owner, limited=False)
    async def page(self, place: ExportPlace | None = None) -> ExportPage:
        """Conversations and texts, oldest first, some at a time: from the beginning, or from the place of the page before on.

        What comes in after the first page is left out. A source that cannot be read is a line that says so.
        """
        return await self._exporting.page(self._principal, place)

    @reads(owner)
    async def left_out(self, place: ExportPlace) -> LeftOutOfExport:
        """What such an export does not give."""
        return await self._exporting.left_out(self._principal, place)


class Replays(OfGraph, name="replays"):
    """For the user of the graph alone. See `engine.ingest.rereading.replays`."""

    _jobs = Part(JobCatalogue)
    _replays = Part(RecordReplays)

    @writes(owner)
    async def begin(self, *, job: bool = False) -> Replay:
        """A new replay, or the one that is open. It is built by `build`, or by a background `job`. Raises NotFound."""
        replay = await self._replays.begin(self._principal)
        if job:
            await self._jobs.ask("replay-build")
        return replay

    @writes(owner, spends=True)
    async def build(self, replay_id: UUID, progress: Progress | None = None) -> Replay:
        """Rebuilds what is not rebuilt yet, beside the present records; asks no language model. Raises NotFound, Conflict."""
        return await self._replays.build(self._principal, replay_id, progress)

    @reads(owner)
    async def list(self, *, before: UUID | None = None, limit: int = 50) -> tuple[Replay, ...]:
        """Replays, newest first, one page; `before` is the last of the page before."""
        return await self._replays.page(self._principal, before=before, limit=limit)

    @reads(owner)
    async def get(self, replay_id: UUID) -> Replay:
        """One replay as it stands. Raises NotFound."""
        return await self._replays.replay(self._principal, replay_id)

    @reads(owner, limited=False)
    async def compare(self, replay_id: UUID) -> ReplayComparison:
        """What a swap would do. Raises NotFound."""
        return await self._replays.compare(self._principal, replay_id)

    @writes(owner, spends=True)
    async def swap(self, replay_id: UUID) -> Replay:
        """Renews all records that come out otherwise, in one step. Raises NotFound, Conflict."""
        return await self._replays.swap(self._principal, replay_id)

    @writes(owner)
    async def discard(self, replay_id: UUID) -> Replay:
        """Drops what was made. Raises NotFound, Conflict where it was swapped."""
        return await self._replays.discard(self._principal, replay_id)
