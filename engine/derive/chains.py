"""Facts that stand in no chain: those of before there were chains, of readings and of changes by hand; and chains of facts that
ended or came back.

Nodes are noted by what writes there. Every page is a transaction of its own, in which facts are locked by subject as at a
commit; what was entered is not found again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np

from engine.commit.rows import facts as fact_rows
from engine.commit.rows.due import DueNode
from engine.commit.unit_of_work import UnitsOfWork
from engine.derive.derivations import Made
from engine.domain.clock import Clock
from engine.domain.fact import FactRow, subject_hash
from engine.domain.names import name_key
from engine.domain.principal import Principal
from engine.domain.scope import Privacy, ScopeKind
from engine.facts.chains import Known, attribute_of
from engine.facts.new_facts import USER, FactEntry, NewFact
from engine.providers.active import ActiveModel, Model
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in, sql_text

BATCH = 100


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

    def fact(self, node: DueNode) -> NewFact:
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
    """Enters facts into chains, in the name of each user."""

    def __init__(
        self, postgres: Postgres, units: UnitsOfWork, facts: FactEntry, active: ActiveModel, clock: Clock
    ) -> None:
        self._postgres, self._units, self._facts = postgres, units, facts
        self._active, self._clock = active, clock

    async def page(self, node: DueNode) -> Made:
        entered = confirmations = 0
        entered, confirmations = await self._batch(node, await self._active.follow())
        counts = {"entered": entered, "confirmations": confirmations}
        if entered == BATCH:
            return Made(counts, node.after)
        await self._attributed(node)
        asked = {"node_id": node.node_id, "now": self._clock.now()}
        [ended] = await self._postgres.fetch_as_service(sql_text("fact/settle"), asked, row=int)
        return Made(counts | {"ended": ended})

    async def _batch(self, node: DueNode, model: Model) -> tuple[int, int]:
        async with self._units.begin(Principal.user(node.user_id)) as unit:
            await unit.require(embeddings=model.name, whole_past=True)
            statement = sql_in("fact/unchained", node.schema_name, model.version.column)
            asked = {"version": model.name, "most": BATCH}
            found = await unit.connection.fetch(statement, asked, row=_Unchained)
            decided = await self._facts.decided(unit, [one.fact(node) for one in found], model, self._clock.now())
            if decided is None:
                return 0, 0
            await self._facts.write(unit, decided, model, in_graph=False)
            return len(found), len(decided.changes.confirming)

    async def _attributed(self, node: DueNode) -> None:
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
                await fact_rows.enter_attributes(connection, lines, in_graph=False)
            if len(found) < BATCH:
                return
            after = found[-1].fact_id
