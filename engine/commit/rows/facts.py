"""Facts in their chains, and of which attributes they speak; what decides about them is `engine.facts.chains`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.domain.delta import BEGINNING
from engine.domain.fact import FactAttribute, FactRow
from engine.stores.postgres import Connection, Jsonb
from engine.stores.statements import sql_text


async def enter(connection: Connection, rows: Iterable[FactRow], *, in_graph: bool) -> None:
    """Writes facts as they were decided; `in_graph`: a commit of this transaction has them, else a job carries them into the
    graph. Raises Conflict where one was changed meanwhile."""
    lines = [line_of(row) | {"graph_revision": row.revision if in_graph else 0} for row in rows]
    if lines:
        await connection.execute(sql_text("fact/enter"), {"rows": Jsonb(lines)})


async def restate(connection: Connection, rows: Iterable[FactRow]) -> None:
    """Writes what became of known facts when a source was withdrawn or came back; a commit of this transaction carries them into
    the graph. Raises Conflict where one is not there."""
    lines = [line_of(row) for row in rows]
    if lines:
        await connection.execute(sql_text("fact/restate"), {"rows": Jsonb(lines)})


@dataclass(frozen=True, slots=True)
class FollowedFact:
    """A fact after its item or record was changed by hand, and its text of now."""

    row: FactRow
    text: str


async def follow(
    connection: Connection, node_id: UUID, facts: Sequence[UUID], records: Sequence[UUID], now: datetime
) -> list[FollowedFact]:
    """Has facts, or those that records state, follow a change of their items or records; a commit of this transaction carries
    them into the graph."""
    asked = {"node_id": node_id, "facts": list(facts), "records": list(records), "now": now}
    return await connection.fetch(sql_text("fact/follow"), asked, row=FollowedFact)


def line_of(row: FactRow) -> dict[str, Any]:
    """A fact as the table of facts takes it."""
    line: dict[str, Any] = _json(asdict(row))
    return line | {"valid_from": line["valid_from"] or "-infinity"}


def _json(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _json(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return [_json(one) for one in value]
    if isinstance(value, datetime):
        return "-infinity" if value == BEGINNING else value.isoformat()
    return str(value) if isinstance(value, UUID) else value


async def enter_attributes(connection: Connection, rows: Sequence[FactAttribute], *, in_graph: bool) -> None:
    """Writes them, after their facts; `in_graph`: a commit of this transaction has their plans, else a job carries these into the
    graph."""
    lines = [_line(row) | {"in_graph": in_graph} for row in rows]
    if lines:
        await connection.execute(sql_text("fact/attributes_enter"), {"rows": Jsonb(lines)})


def _line(row: FactAttribute) -> dict[str, Any]:
    times = {"holds_until": row.holds_until, "text_from": row.text_from}
    return asdict(row) | {"fact_id": str(row.fact_id)} | {name: at and at.isoformat() for name, at in times.items()}
