"""The facts of a memory, with what was known before and what does not agree."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from engine.domain.fact import Attribute, DoubtPlace, Fact, FactDecision, FactDoubt, FactFilter, WrittenFact
from engine.domain.scope import Privacy, check_privacy
from engine.errors import InvalidInput
from engine.facts.decisions import FactDecisions
from engine.facts.reads import KnownFacts
from engine.ingest.documents import fact_document
from engine.ingest.drafts import fact_id_of
from engine.ingest.sources import Pending
from engine.naming.mentions import leading_subject
from engine.operations import redactions
from engine.operations.caller import Part, owner
from engine.operations.declaring import OfGraph, reads, writes
from engine.operations.records import named_node, stored
from engine.progress import Silent
from engine.retrieval.touches import Touches
from engine.turns import computed

EVERY = FactFilter()


class Facts(OfGraph, name="facts"):
    """Facts that the user states or a model found, in chains; for the user of the graph alone."""

    _fact_decisions = Part(FactDecisions)
    _facts = Part(KnownFacts)
    _touches = Part(Touches)

    @writes(owner, redacts={"new": redactions.fact}, at="node_id", refusal="store", once=True, spends=True)
    async def write(
        self, new: WrittenFact, *, node_id: UUID | None = None, privacy: Privacy = "org"
    ) -> tuple[Fact, ...]:
        """Stores a fact that the user states, as a record with its own file, at the given node or where it belongs.

        It ends what it replaces, as every fact does. Returns its chain, the newest first; that of a known fact where it only says
        that again.

        What is `private` is read by the user alone. Raises InvalidInput, NotFound for a node, Archived.
        """
        check_privacy(self._principal, privacy)
        about = new.about or tuple(filter(None, [await computed(leading_subject, new.text)]))
        key = f"key:{self.caller.repeatable.key}" if self.caller.repeatable else None
        document = fact_document(key, replace(new, about=about))
        origin = replace(self.caller.origin, source="manual")
        node = await named_node(self.caller, node_id)
        pending = Pending(document, node, privacy, origin, arrived=self.caller.parts.clock.now())
        report = await stored(self.caller, [pending], "event_boundary", Silent())
        if report.skipped and not report.records and key is None:
            raise InvalidInput(report.skipped[0].reason)
        source = self._principal.own_key(self.caller.redactor.identifier(document.source_id))
        return await self._facts.chain(self._principal, fact_id_of(self._principal.user_id, source))

    @reads(owner)
    async def list(self, wanted: FactFilter = EVERY) -> tuple[Fact, ...]:
        """Live facts, or those asked for, one page. Raises InvalidInput."""
        return await self._facts.page(self._principal, wanted)

    @reads(owner)
    async def chain(self, fact_id: UUID) -> tuple[Fact, ...]:
        """A fact with those before and after it, the newest first. Counts as a read of that fact. Raises NotFound."""
        chain = await self._facts.chain(self._principal, fact_id)
        opened = next((one for one in chain if one.fact_id == fact_id), chain[0])
        self._touches.note(opened.node_id, items=[opened.fact_id], records=[opened.record_id])
        return chain

    @reads(owner)
    async def doubts(self, *, after: DoubtPlace | None = None, limit: int = 100) -> tuple[FactDoubt, ...]:
        """Pairs of live facts of which the newer may replace the older, or says the opposite, and nobody decided: the newest
        pairs first, one page; `after`: the place of the last one of the page before. Raises InvalidInput."""
        return await self._facts.doubts(self._principal, after, limit)

    @writes(owner, once=True, spends=True)
    async def decide(self, fact_id: UUID, decision: FactDecision | None) -> tuple[Fact, ...]:
        """Decides about a fact in doubt: `replaced` ends it where the newest fact begins that may replace it, `both`: it holds
        beside the others; None takes back what was decided. Returns its chain. Raises NotFound, Conflict where it is in no such
        pair."""
        own_id = self.caller.own_id("decide", fact_id, decision)
        await self._fact_decisions.decide(self._principal, fact_id, decision, own_id)
        return await self._facts.chain(self._principal, fact_id)

    @reads(owner)
    async def attributes(self, *, after: str = "", limit: int = 100) -> tuple[Attribute, ...]:
        """The attributes of which live facts speak, by their keys, one page; `after`: the key of the last one before.
        Facts within threads and workflows are left out. Raises InvalidInput."""
        return await self._facts.attributes(self._principal, after, limit)
