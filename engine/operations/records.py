"""The records of a memory: written, placed, moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal
from uuid import UUID

from engine.domain.assignment import Assignment, AssignmentFilter, Moved
from engine.domain.history import Conversation
from engine.domain.ingest import Terms
from engine.domain.names import is_blank
from engine.domain.node import ContentType, TriggerType
from engine.domain.occasion import Occasion
from engine.domain.record import AssignableNode
from engine.domain.report import FORGOTTEN, IngestReport
from engine.domain.scope import Origin, Privacy, check_privacy, check_scopes
from engine.errors import InvalidInput, NotFound
from engine.hierarchy.shells import Shells
from engine.ingest.assignment.placing import Assignments
from engine.ingest.documents import note, occasion_document
from engine.ingest.drafts import Document
from engine.ingest.pipeline import Ingest
from engine.ingest.repeats import stored_earlier, was_stored, with_earlier
from engine.ingest.sources import Ingested, Pending
from engine.lifecycle.moving import Moving
from engine.operations import redactions
from engine.operations.caller import Caller, Part, members, owner
from engine.operations.declaring import OfGraph, reads, writes
from engine.operations.redactions import redacted_later
from engine.privacy.redact import total
from engine.progress import Progress, Silent

EVERY = AssignmentFilter()
_TEXT = dict.fromkeys(("title", "text", "source_id"), redacted_later)


class Records(OfGraph, name="records"):
    """What is stored belongs to the scope of the memory, see `Memory.within`. A persona names the node at which it stores."""

    _assignments = Part(Assignments)
    _moving = Part(Moving)

    @writes(members, redacts={"conversation": redacted_later}, at="node_id", refusal="store", once=True, spends=True)
    async def remember(
        self,
        conversation: Conversation,
        *,
        node_id: UUID | None = None,
        trigger: TriggerType = "conversation_end",
        privacy: Privacy = "org",
        progress: Progress | None = None,
    ) -> IngestReport:
        """Stores what is not yet stored of a conversation, at the given node or where its content belongs.

        What is `private` is read by the user alone, whatever was granted.
        """
        check_privacy(self._principal, "private" if conversation.holds_private else privacy)
        check_privacy(self._principal, privacy)
        origin = conversation.origin or self.caller.origin
        pending = self._live(conversation, await named_node(self.caller, node_id), privacy, origin)
        return await stored(self.caller, [pending], trigger, progress or Silent())

    @writes(members, redacts=_TEXT, at="node_id", refusal="store", once=True, spends=True)
    async def remember_text(
        self,
        title: str,
        text: str,
        *,
        source_id: str | None = None,
        node_id: UUID | None = None,
        content_type: ContentType | Literal["webhook"] = "other",
        privacy: Privacy = "org",
    ) -> IngestReport:
        """Stores one text (a note, a meeting, a document) as a record with its own file; `privacy` as in `remember`.

        Under the `source_id` of an earlier one it is its next version, see `engine.ingest.revising`; without one the
        idempotency key is its id. What a webhook brought is an event.
        """
        check_privacy(self._principal, privacy)
        if is_blank(text):
            raise InvalidInput("There is no text to store.")
        if title and is_blank(title):
            raise InvalidInput("The title is empty. Without a title, the beginning of the text is shown.")
        document = note(source_id or self._keyed(), title, text, content_type)
        pending = self._live(document, await named_node(self.caller, node_id), privacy, self.caller.origin)
        return await stored(self.caller, [pending], "event_boundary", Silent())

    @writes(members, redacts={"occasion": redacted_later}, at="node_id", refusal="store", once=True, spends=True)
    async def remember_occasion(
        self, occasion: Occasion, *, node_id: UUID | None = None, privacy: Privacy = "org"
    ) -> IngestReport:
        """Stores something that happened (a meeting, a call, a session, a milestone) as one record; `privacy` as in `remember`.

        One whose `source_id` is known is not stored again; without one the idempotency key is its id.
        """
        check_privacy(self._principal, privacy)
        document = occasion_document(replace(occasion, source_id=occasion.source_id or self._keyed()))
        pending = self._live(document, await named_node(self.caller, node_id), privacy, self.caller.origin)
        return await stored(self.caller, [pending], "event_boundary", Silent())

    @reads(owner)
    async def assignments(self, wanted: AssignmentFilter = EVERY) -> tuple[Assignment, ...]:
        """Why records lie where they lie, newest first, one page. Raises InvalidInput."""
        return await self._assignments.page(self._principal, wanted)

    @writes(members, redacts={"reason": redactions.note}, at="target", refusal="move", once=True)
    async def move(self, record_id: UUID, source: UUID, target: UUID, *, reason: str = "") -> Moved:
        """Moves a record from one node to another of the same graph, with all that hangs on it. See `Moving.move`."""
        return await self._moving.move(self._principal, record_id, source, target, reason, self.caller.key)

    def _keyed(self) -> str | None:
        """The id of a source that has none: a repeat of an interrupted request finds what it stored."""
        return f"key:{self.caller.repeatable.key}" if self.caller.repeatable else None

    def _live(
        self, content: Conversation | Document, node: AssignableNode | None, privacy: Privacy, origin: Origin
    ) -> Pending:
        """Live input: it may create a node; without a time of its own it was said now."""
        return Pending(content, node, privacy, origin, creates=True, arrived=self.caller.parts.clock.now())


async def stored(
    caller: Caller, pending: Sequence[Pending], trigger: TriggerType, progress: Progress, terms: Terms | None = None
) -> IngestReport:
    """Runs the pipeline over these sources. The caller's key is that of the session."""
    for one in pending:
        check_scopes(caller.principal, [one.origin.scope])
    terms = terms or caller.terms
    terms = replace(terms, key=caller.key or terms.key)
    node = pending[0].node if pending else None
    async with caller.naming(node.node_id if node else None):
        done = await caller.parts[Ingest].store(caller.principal, pending, progress, trigger, terms)
    report = _report(caller.principal.user_id, done)
    if not was_stored(report):
        return report  # else perhaps by an attempt of this session whose answer was lost
    return with_earlier(
        report, await stored_earlier(caller.parts[Ingest], caller.principal, done.session_id, report.records)
    )


async def named_node(caller: Caller, node_id: UUID | None) -> AssignableNode | None:
    """The node that a writer names; None lets the content decide. Raises NotFound, Archived, InvalidInput."""
    if node_id is None:
        if not caller.principal.owns:
            raise InvalidInput("Only the user of a memory may store without naming a node.")
        return None
    if node := await caller.parts[Ingest].node(caller.principal, node_id):
        return node
    await caller.parts[Shells].writable_schema_of(caller.principal, node_id)
    raise NotFound


def _report(user_id: UUID, done: Ingested) -> IngestReport:
    records = tuple(record for commit in done.stored for record in commit.records)
    return IngestReport(
        user_id=user_id,
        turns=sum(commit.turns for commit in done.stored),
        files=sum(commit.documents for commit in done.stored),
        items=sum(record.items for record in records),
        records=records,
        nodes_created=len({record.node_id for record in records if record.node_created}),
        edges_created=0,
        skipped=done.skipped,
        redacted=dict(total(commit.redacted for commit in done.stored)),
        extraction=done.extraction,
        session_id=done.session_id,
        embeddings_pending=sum(record.embedding_pending for record in records),
        readings_pending=sum(record.reading_pending for record in records),
        left_out=done.left_out,
        documents=tuple(version for commit in done.stored for version in commit.versions),
        forgotten=sum(one.reason == FORGOTTEN for one in done.skipped),
    )
