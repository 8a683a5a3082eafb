"""The decisions that placed the records of a graph: written with the records, read by the user of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from engine.domain.assignment import Assignment, AssignmentFilter
from engine.domain.page import check_page
from engine.domain.principal import Principal
from engine.domain.record import RecordDraft
from engine.errors import InvalidInput
from engine.stores.postgres import Connection, Jsonb, Postgres
from engine.stores.statements import sql_text


class Assignments:
    """Assignment decisions: why each record is at its node. The table is append-only."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def page(self, principal: Principal, wanted: AssignmentFilter) -> tuple[Assignment, ...]:
        """The decisions in force, newest first, one page. Empty for all but the user. Raises InvalidInput."""
        check_page(wanted.limit)
        if wanted.below is not None and not 0 <= wanted.below <= 1:
            raise InvalidInput("A confidence lies between 0 and 1.")
        parameters = {"user_id": principal.user_id, **asdict(wanted)}
        return tuple(await self._postgres.fetch(principal, sql_text("assignment/page"), parameters, row=Assignment))


async def keep_decisions(
    connection: Connection, principal: Principal, now: datetime, drafts: Sequence[RecordDraft]
) -> None:
    """Stores the decision of each record, in the transaction that writes the records."""
    lines = [
        {"record_id": str(draft.record_id), "node_id": str(draft.node.node_id), "title": draft.title}
        | asdict(draft.decision)
        for draft in drafts
    ]
    parameters = {"user_id": principal.user_id, "author": principal.name, "now": now, "lines": Jsonb(lines)}
    await connection.execute(sql_text("assignment/insert"), parameters)
