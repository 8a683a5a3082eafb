"""Facts that stand in no chain: those of before there were chains, of readings and of changes by hand. A job enters them.

Nodes are noted by what writes there. Every batch is a transaction of its own, in which facts are locked by subject as at a
commit; what was entered is not found again, so an interrupted run is simply started again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import numpy as np

from engine.commit.rows import attributes, due
from engine.commit.rows.due import DueNode
from engine.commit.unit_of_work import UnitsOfWork, attempts
from engine.domain.clock import Clock
from engine.domain.fact import FactRow, subject_hash
from engine.domain.names import name_key
from engine.domain.principal import Principal
from engine.domain.scope import Privacy, ScopeKind
from engine.ingest.facts import USER, FactEntry, NewFact
from engine.knowledge.facts.attributes import attribute_of
from engine.knowledge.facts.carried import CarriedFacts
from engine.knowledge.facts.chains import Known
from engine.providers.active import ActiveModel, Model
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in, sql_text

BATCH = 100


@dataclass(frozen=True, slots=True)
class ChainReport:
    """The result of a run: facts entered, of which so many only confirmed others, chains settled, nodes looked at, facts carried
    into the graph."""

    entered: int
    confirmations: int
    settled: int
    nodes: int
    carried: int


@dataclass(frozen=True, slots=True)
class _Place:
    node_id: UUID
    user_id: UUID
    schema_name: str


@dataclass(frozen=True, slots=True)
class _Unchained:
    item_id: UUID
    record_id: UUID
    content: str
    subject: str
    position: int
    valid_from: datetime | None
    said_at: datetime | None
    known_from: datetime
    privacy: Privacy
    scope: ScopeKind
    scope_id: str | None
    fact_type: str
    category: str
    vector: str | None

    def fact(self, node: _Place) -> NewFact:
        """The fact on its way into the chains."""
        key = name_key(self.subject) or USER
        row = FactRow(
            fact_id=self.item_id,
            user_id=node.user_id,
            node_id=node.node_id,
            record_id=self.record_id,
            chain_id=self.item_id,
            subject=subject_hash(node.user_id, key),
            known_from=self.known_from,
            privacy=self.privacy,
            scope=self.scope,
            scope_id=self.scope_id,
            valid_from=self.valid_from,
            said_at=self.said_at,
            fact_type=self.fact_type,
            category=self.category,
        )
        vector = None if self.vector is None else np.array(json.loads(self.vector), dtype=np.float32)
        return NewFact(Known(row, self.content, True, self.position), key, node.schema_name, vector)


@dataclass(frozen=True, slots=True)
class _Unattributed:
    fact_id: UUID
    content: str
    subject: str
    said_at: datetime | None
    text_from: datetime


class UnchainedFacts:
    """Enters facts into chains; for the service, in the name of each user."""

    def __init__(  # noqa: PLR0913 (wired in one place)
        self,
        postgres: Postgres,
        units: UnitsOfWork,
        facts: FactEntry,
        carried: CarriedFacts,
        active: ActiveModel,
        clock: Clock,
        stale_days: int,
    ) -> None:
        self._postgres, self._units, self._facts, self._carried, self._active = postgres, units, facts, carried, active
        self._clock, self._stale = clock, timedelta(days=stale_days)

    async def run(self) -> ChainReport:
        """One pass over the nodes that were noted. Raises EmbeddingsChanged, StoreUnavailable; what was entered stays."""
        entered = confirmations = settled = nodes = 0
        async for node in due.due_nodes(self._postgres, "chains"):
            if node.closed or node.user_id is None or node.schema_name is None:
                continue
            place = _Place(node.node_id, node.user_id, node.schema_name)
            more, same = await self._of_node(place)
            entered, confirmations, nodes = entered + more, confirmations + same, nodes + 1
            await self._attributed(place)
            settled += await self._settled(node)
        since = {"since": self._clock.now() - self._stale}
        await self._postgres.change_as_service(sql_text("fact/stale"), since)
        return ChainReport(entered, confirmations, settled, nodes, await self._carried.run())

    async def _of_node(self, node: _Place) -> tuple[int, int]:
        entered = confirmations = 0
        while True:
            async for attempt in attempts(self._postgres, [node.node_id]):
                with attempt:
                    more, same = await self._batch(node, await self._active.follow())
            entered, confirmations = entered + more, confirmations + same
            if more < BATCH:
                return entered, confirmations

    async def _batch(self, node: _Place, model: Model) -> tuple[int, int]:
        async with self._units.begin(Principal.user(node.user_id)) as unit:
            await unit.require(embeddings=model.name, current=[node.node_id], whole_past=True)
            statement = sql_in("fact/unchained", node.schema_name, model.version.column)
            asked = {"version": model.name, "most": BATCH}
            found = await unit.connection.fetch(statement, asked, row=_Unchained)
            decided = await self._facts.decided(unit, [one.fact(node) for one in found], model, self._clock.now())
            if decided is None:
                return 0, 0
            await self._facts.write(unit, decided, model, in_graph=False)
            return len(found), len(decided.changes.confirming)

    async def _attributed(self, node: _Place) -> None:
        """Enters what rules read of facts of before, and of those whose text was changed by hand."""
        statement, after = sql_in("fact/unattributed", node.schema_name), UUID(int=0)
        while True:
            asked = {"node_id": node.node_id, "after": after, "most": BATCH}
            found = await self._postgres.fetch_as_service(statement, asked, row=_Unattributed)
            lines = [
                attribute_of(one.fact_id, one.content, name_key(one.subject) or USER, one.said_at, one.text_from)
                for one in found
            ]
            async with self._postgres.as_principal(Principal.user(node.user_id)) as connection:
                await attributes.enter(connection, lines)
            if len(found) < BATCH:
                return
            after = found[-1].fact_id

    async def _settled(self, node: DueNode) -> int:
        """Makes the chains agree with what ended or came back at the node, and strikes it off; how many facts that concerned."""
        asked = {"node_id": node.node_id, "now": self._clock.now()}
        async with self._postgres.as_service() as connection:
            await due.settle(connection, "chains", node, node.after)
            [settled] = await connection.fetch(sql_text("fact/settle"), asked, row=int)
        return settled
