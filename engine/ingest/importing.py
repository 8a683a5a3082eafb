"""A batch of lines of an import, stored: each line is reported by what became of it.

What a version of its document holds already is known, also where the document has a later version: a file with several versions
of one document, imported twice, would otherwise bring the earlier ones back as the next.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from engine.domain.ingest import Terms
from engine.domain.lines import Line, LineReport
from engine.domain.principal import Principal
from engine.domain.record import AssignableNode
from engine.domain.report import STORED_ALREADY, Skipped
from engine.domain.scope import check_privacy
from engine.errors import Conflict, NotFound
from engine.ingest.cleaning import Cleaned, cleaned, key_of
from engine.ingest.drafts import Document
from engine.ingest.pipeline import Ingest
from engine.ingest.sources import HeldVersion, Ingested, Pending
from engine.ingest.written_lines import WrittenLine, failed_line, read_lines
from engine.privacy.redact import Redactor
from engine.progress import Silent
from engine.stores.statements import sql_text
from engine.turns import computed


class Importing:
    """Stores lines for one principal."""

    def __init__(self, ingest: Ingest, redactor: Redactor, most_bytes: int, principal: Principal, terms: Terms) -> None:
        self._ingest, self._redactor, self._most = ingest, redactor, most_bytes
        self._principal, self._terms = principal, terms

    async def stored(self, lines: Sequence[Line]) -> tuple[LineReport, ...]:
        """One report for each line, in order, but for the totals of an export; what it calls stored is durable. Raises
        StoreUnavailable: what was stored until then stays, and is known when the lines come again."""
        read = await computed(read_lines, lines, self._most, self._redactor)
        written = [line for line in read if isinstance(line, WrittenLine)]
        reports = {line.number: line for line in read if isinstance(line, LineReport)}
        nodes = await self._named_nodes(written)
        for line in written:
            if line.node_id is not None and line.node_id not in nodes:
                reports[line.number] = failed_line(
                    line.number, NotFound("There is no such node."), source_id=self._id(line)
                )
        for number, source_id in await self._known(written):
            reports[number] = LineReport(number, "skipped", source_id)
        for group in self._groups([line for line in written if line.number not in reports]):
            pending = [
                Pending(line.content, nodes.get(line.node_id) if line.node_id else None, line.privacy, line.origin)
                for line in group
            ]
            done = await self._ingest.store(self._principal, pending, Silent(), terms=self._terms)
            reports |= {line.number: report for line, report in zip(group, self._reported(group, done), strict=True)}
        return tuple(reports[line.number] for line in lines if line.number in reports)

    def _id(self, line: WrittenLine) -> str:
        """The id of the source as reports of ingests have it."""
        return self._redactor.identifier(line.content.source_id)

    async def _named_nodes(self, lines: Sequence[WrittenLine]) -> Mapping[UUID, AssignableNode]:
        for line in lines:
            check_privacy(self._principal, line.privacy)
        if all(line.node_id is None for line in lines):
            return {}
        return {node.node_id: node for node in await self._ingest.nodes(self._principal)}

    async def _known(self, lines: Sequence[WrittenLine]) -> list[tuple[int, str]]:
        """Numbers and ids of the lines whose text a version of its document holds already, or the one that the line names."""
        documents = [(line, line.content) for line in lines if isinstance(line.content, Document)]
        keys = [self._principal.own_key(key_of(document, self._redactor)) for _, document in documents]
        held: dict[str, list[HeldVersion]] = defaultdict(list)
        parameters = {"user_id": self._principal.user_id, "sources": keys}
        postgres, statement = self._ingest.commit.postgres, sql_text("document/versions_held")
        for one in await postgres.fetch(self._principal, statement, parameters, row=HeldVersion) if keys else ():
            held[one.source_id].append(one)
        return [
            (line.number, self._id(line))
            for (line, document), key in zip(documents, keys, strict=True)
            if key in held
            and await computed(
                _holds, [one for one in held[key] if line.version in (None, one.version)], document, self._redactor
            )
        ]

    def _groups(self, lines: Sequence[WrittenLine]) -> Iterator[list[WrittenLine]]:
        """The lines in groups in which no source comes twice: the second one builds on the first."""
        group: dict[str, WrittenLine] = {}
        for line in lines:
            if self._id(line) in group:
                yield list(group.values())
                group = {}
            group[self._id(line)] = line
        if group:
            yield list(group.values())

    def _reported(self, lines: Sequence[WrittenLine], done: Ingested) -> Iterator[LineReport]:
        stored = {source_id: records for commit in done.stored for source_id, records in commit.sources.items()}
        skipped = {one.source_id: one for one in done.skipped}
        for line in lines:
            source_id = self._id(line)
            if source_id in stored:
                yield LineReport(line.number, "stored", source_id, stored[source_id])
            else:
                yield _skipped(line.number, skipped[source_id])


def _holds(versions: Sequence[HeldVersion], document: Document, redactor: Redactor) -> bool:
    clean = cleaned(document, redactor)
    return isinstance(clean, Cleaned) and any(clean.knows(one.content_hash, 1) for one in versions)


def _skipped(number: int, one: Skipped) -> LineReport:
    if one.reason == STORED_ALREADY:
        return LineReport(number, "skipped", one.source_id)
    return LineReport(number, "failed", one.source_id, cause=one.cause or Conflict.__name__, detail=one.reason)
