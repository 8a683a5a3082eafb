"""Of which attributes facts speak; what tells them is `engine.facts.chains`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from engine.domain.attribute import FactAttribute
from engine.stores.postgres import Connection, Jsonb
from engine.stores.statements import sql_text


async def enter(connection: Connection, rows: Sequence[FactAttribute], *, in_graph: bool) -> None:
    """Writes them, after their facts; `in_graph`: a commit of this transaction has their plans, else a job carries these into the
    graph."""
    lines = [_line(row) | {"in_graph": in_graph} for row in rows]
    if lines:
        await connection.execute(sql_text("fact/attributes_enter"), {"rows": Jsonb(lines)})


def _line(row: FactAttribute) -> dict[str, Any]:
    times = {"holds_until": row.holds_until, "text_from": row.text_from}
    return asdict(row) | {"fact_id": str(row.fact_id)} | {name: at and at.isoformat() for name, at in times.items()}
