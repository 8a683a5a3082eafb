"""Stems of items that were stored before there were any for other languages than English; till then they are found by words.

Nodes are noted by a migration, and when a record is moved from a noted node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from engine.commit.rows import due, term_counts
from engine.commit.rows.due import DueNode
from engine.derive.derivations import Made
from engine.domain.scope import Privacy, ScopeKind, counted_unit
from engine.domain.terms import Unit, sparse_of, stored_words, terms_of, weights
from engine.stores.postgres import Connection, Postgres
from engine.stores.statements import sql_in
from engine.turns import computed

BATCH = 200
"""Items of one transaction, which writers of the node wait for."""


@dataclass(frozen=True, slots=True)
class _Worded:
    row_id: UUID
    content: str
    terms: Any
    unit: Unit
    privacy: Privacy
    scope: ScopeKind
    current: bool


class Stems:
    """Adds the stems that stored items lack."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def page(self, node: DueNode) -> Made:
        async with self._postgres.as_service() as connection:
            page = {"after": node.after, "most": BATCH}
            rows = await connection.fetch(sql_in("item/worded", node.schema_name), page, row=_Worded)
            if not rows:
                return Made({})
            stems = await _add(connection, node.schema_name, rows)
            await due.advance(connection, node, rows[-1].row_id)
        return Made({"stems": stems}, rows[-1].row_id)


async def _add(connection: Connection, schema: str, rows: Sequence[_Worded]) -> int:
    """Gives rows their stems and counts them; how many lacked some."""
    setting, counts = await computed(_missing, rows)
    for one in setting:
        await connection.execute(sql_in("item/terms_set", schema), one)
    await term_counts.move(connection, schema, term_counts.moves(counts))
    return len(setting)


def _missing(rows: Sequence[_Worded]) -> tuple[list[dict[str, Any]], dict[str, Counter[int]]]:
    setting: list[dict[str, Any]] = []
    counts: dict[str, Counter[int]] = {}
    for row in rows:
        terms, before = weights(stored_words(row.content), row.unit), terms_of(row.terms)
        if terms.keys() == set(before):
            continue
        setting.append({"row_id": row.row_id, "terms": sparse_of(terms)})
        if row.current:
            unit = counted_unit(row.unit, row.privacy, row.scope)
            counts.setdefault(unit, Counter()).update(terms.keys())
            counts[unit].subtract(before)
    return setting, counts
