"""Retractions, their steps, and the facts that each step changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from engine.commit.rows.facts import line_of
from engine.domain.principal import Principal
from engine.domain.retraction import LoggedFact, RetractionSubject
from engine.errors import Conflict
from engine.stores.postgres import Connection, Jsonb
from engine.stores.statements import sql_text


@dataclass(frozen=True, slots=True)
class RetractionStep:
    """A record or a fact that is withdrawn, or whose withdrawal is undone. `logged`: the facts that it changed."""

    place: int
    node_id: UUID
    schema_name: str
    record_id: UUID
    fact_id: UUID | None
    undone: bool
    reason: str
    logged: tuple[LoggedFact, ...]


@dataclass(frozen=True, slots=True)
class WithdrawnSource:
    """A record, or one fact of it, that is to be withdrawn."""

    node_id: UUID
    record_id: UUID
    fact_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class _Begun:
    retraction_id: UUID | None
    refused: str | None


REFUSED = {
    "undoing": "Its retraction is being undone: undo it again to finish that.",
    "elsewhere": "Another retraction has withdrawn it: `retractions list` shows which.",
}


async def begin(
    connection: Connection,
    principal: Principal,
    subject: RetractionSubject,
    reason: str,
    sources: Sequence[WithdrawnSource],
    now: datetime,
) -> UUID:
    """Begins a retraction, or goes on with that of the same subject. Returns its id. Raises NotFound, Conflict."""
    steps = [
        {"node_id": str(one.node_id), "record_id": str(one.record_id), "fact_id": one.fact_id and str(one.fact_id)}
        for one in sources
    ]
    row = {
        "retraction_id": uuid4(),
        "kind": subject.kind,
        "subject": subject.id,
        "reason": reason,
        "author": principal.name,
        "now": now,
        "steps": Jsonb(steps),
    }
    [begun] = await connection.fetch(sql_text("retraction/begin"), row, row=_Begun)
    if begun.retraction_id is None:
        raise Conflict(REFUSED.get(begun.refused or ""))
    return begun.retraction_id


async def begin_undo(connection: Connection, retraction_id: UUID, now: datetime) -> None:
    """Says that a retraction is to be undone. Raises NotFound, Conflict."""
    asked = {"retraction_id": retraction_id, "now": now}
    [later] = await connection.fetch(sql_text("retraction/undo"), asked, row=UUID)
    if later is not None:
        raise Conflict(f"A later retraction changed the same facts: undo {later} first.")


async def next_step(connection: Connection, retraction_id: UUID) -> RetractionStep | None:
    """The next step, held until the end of the transaction; None where nothing is left to do."""
    return await connection.first(sql_text("retraction/step"), {"retraction_id": retraction_id}, row=RetractionStep)


async def end_step(
    connection: Connection, retraction_id: UUID, step: RetractionStep, changed: Sequence[LoggedFact], now: datetime
) -> None:
    """Ends a step that is held, with the facts that it changed as they were before."""
    facts = [
        {"fact_id": str(one.before.fact_id), "role": one.role, "before": line_of(one.before)}
        for one in ([] if step.undone else changed)
    ]
    row = {"retraction_id": retraction_id, "place": step.place, "facts": Jsonb(facts), "now": now}
    await connection.execute(sql_text("retraction/step_end"), row)
