"""The records of a memory: written, placed, moved."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal
from uuid import UUID

from engine.domain.assignment import Assignment, AssignmentFilter, Moved
from engine.domain.history import Conversation
from engine.domain.names import is_blank
from engine.domain.node import ContentType
from engine.domain.occasion import Occasion
from engine.domain.record import AssignableNode, IngestReport, TriggerType
from engine.domain.scope import Origin, Privacy, check_privacy
from engine.errors import InvalidInput
from engine.ingest.documents import note, occasion_document
from engine.ingest.drafts import Document
from engine.ingest.sources import Pending
from engine.operations import redactions
from engine.operations.caller import Caller, members, owner
from engine.operations.declaring import Subject, reads, writes
from engine.operations.redactions import redacted_later
from engine.operations.storing import named_node, stored
from engine.progress import Progress, Silent

EVERY = AssignmentFilter()
_TEXT = dict.fromkeys(("title", "text", "source_id"), redacted_later)


class Records(Subject[Caller], name="records"):
    """What is stored belongs to the scope of the memory, see `Memory.within`. A persona names the node at which it stores."""

    @writes(members, redacts={"conversation": redacted_later}, at="node_id", refusal="store", once=True)
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
        check_privacy(self.caller.principal, "private" if conversation.holds_private else privacy)
        check_privacy(self.caller.principal, privacy)
        origin = conversation.origin or self.caller.origin
        pending = self._live(conversation, await named_node(self.caller, node_id), privacy, origin)
        return await stored(self.caller, [pending], trigger, progress or Silent())

    @writes(members, redacts=_TEXT, at="node_id", refusal="store", once=True)
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

        Under the `source_id` of an earlier one it is its next version, see `engine.ingest.versions.revising`; without one the
        idempotency key is its id. What a webhook brought is an event.
        """
        check_privacy(self.caller.principal, privacy)
        if is_blank(text):
            raise InvalidInput("There is no text to store.")
        document = note(source_id or self._keyed(), title, text, content_type)
        pending = self._live(document, await named_node(self.caller, node_id), privacy, self.caller.origin)
        return await stored(self.caller, [pending], "event_boundary", Silent())

    @writes(members, redacts={"occasion": redacted_later}, at="node_id", refusal="store", once=True)
    async def remember_occasion(
        self, occasion: Occasion, *, node_id: UUID | None = None, privacy: Privacy = "org"
    ) -> IngestReport:
        """Stores something that happened (a meeting, a call, a session, a milestone) as one record; `privacy` as in `remember`.

        One whose `source_id` is known is not stored again; without one the idempotency key is its id.
        """
        check_privacy(self.caller.principal, privacy)
        document = occasion_document(replace(occasion, source_id=occasion.source_id or self._keyed()))
        pending = self._live(document, await named_node(self.caller, node_id), privacy, self.caller.origin)
        return await stored(self.caller, [pending], "event_boundary", Silent())

    @reads(owner)
    async def assignments(self, wanted: AssignmentFilter = EVERY) -> tuple[Assignment, ...]:
        """Why records lie where they lie, newest first, one page. Raises InvalidInput."""
        return await self.caller.parts.assignments.page(self.caller.principal, wanted)

    @writes(members, redacts={"reason": redactions.note}, at="target", refusal="move", once=True)
    async def move(self, record_id: UUID, source: UUID, target: UUID, *, reason: str = "") -> Moved:
        """Moves a record from one node to another of the same graph, with all that hangs on it. See `Moving.move`."""
        moving = self.caller.parts.moving
        return await moving.move(self.caller.principal, record_id, source, target, reason, self.caller.key)

    def _keyed(self) -> str | None:
        """The id of a source that has none: a repeat of an interrupted request finds what it stored."""
        return f"key:{self.caller.repeatable.key}" if self.caller.repeatable else None

    def _live(
        self, content: Conversation | Document, node: AssignableNode | None, privacy: Privacy, origin: Origin
    ) -> Pending:
        """Live input: it may create a node; without a time of its own it was said now."""
        return Pending(content, node, privacy, origin, creates=True, arrived=self.caller.parts.clock.now())
