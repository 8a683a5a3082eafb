"""What items lack: vectors that a write left out, their tokens, the mean of them at a node; and stems.

vectors    made as soon as the embedding service answers, so that a search finds items by meaning, too. Writes note their node.
           The rows show the progress, so two runs at once are safe
tokens     of items that were stored before there were any; the vectors beside them stay as they are. Nodes are noted when their
           tables are upgraded, when another version becomes the active one, whose vectors may be older than tokens, and when a
           record is moved from a noted node
centroids  where the meaning of a node lies: the mean of the unit vectors of its live items, of the active version
stems      of items that were stored before there were any for other languages than English; till then they are found by words.
           Nodes are noted by a migration, and when a record is moved from a noted node
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
from engine.domain.embedding import Pace
from engine.domain.scope import Privacy, ScopeKind, counted_unit
from engine.domain.terms import Unit, sparse_of, stored_words, terms_of, weights
from engine.lifecycle.canary import BATCH, CanaryBuild, Item, NodeTables, items_embedded, speakers_of
from engine.progress import Silent
from engine.providers.active import ActiveModel
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Connection, Postgres
from engine.stores.statements import sql_in, sql_text
from engine.turns import computed

STEMMED_AT_ONCE = 200
"""Items of one transaction, which writers of the node wait for."""


class Vectors:
    """Makes the vectors of the active version that a node lacks, its shell's too."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, active: ActiveModel) -> None:
        self._postgres, self._neo4j, self._active = postgres, neo4j, active

    async def page(self, node: DueNode) -> Made:
        build = CanaryBuild(self._postgres, self._neo4j, await self._active.follow(), Pace(duty=1), Silent())
        await build.of_node(NodeTables(node.node_id, node.schema_name))
        if build.filled:
            self._active.patience.answered()
        return Made({"filled": build.filled}, waits=not await due.settled_vectors(self._postgres, node))


class ItemTokens:
    """Makes the tokens that items of the active version lack; nothing where that has none."""

    def __init__(self, postgres: Postgres, active: ActiveModel) -> None:
        self._postgres, self._active = postgres, active

    async def page(self, node: DueNode) -> Made | None:
        model, schema = await self._active.follow(), node.schema_name
        if not model.has_tokens:
            return None
        version = model.version
        lacking = {"version": version.name, "after": node.after, "most": BATCH}
        rows = await self._postgres.fetch_as_service(
            sql_in("embedding/slot_tokens", schema, version.column), lacking, row=Item
        )
        if not rows:
            return Made({})
        made = await items_embedded(model, rows, await speakers_of(self._postgres, schema))
        filling = [
            {"row_id": row.row_id, "content_hash": row.content_hash, "tokens": one.tokens, "version": version.name}
            for row, one in zip(rows, made, strict=True)
        ]
        async with self._postgres.as_service() as connection, connection.cursor() as cursor:
            await connection.execute(sql_text("embedding/slot_hold"), {"version": version.name, "slot": version.slot})
            await cursor.executemany(sql_in("embedding/slot_tokens_fill", schema, version.column), filling)
            await due.advance(connection, node, rows[-1].row_id)
        return Made({"tokens": len(rows)}, rows[-1].row_id)


class Centroids:
    """Makes the centroid of a node, in one step."""

    def __init__(self, postgres: Postgres, active: ActiveModel) -> None:
        self._postgres, self._active = postgres, active

    async def page(self, node: DueNode) -> Made:
        version = (await self._active.follow()).version
        statement = sql_in("centroid/make", node.schema_name, version.column)
        asked = {"node_id": node.node_id, "version": version.name}
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_text("commit/hold_writes"), {"user_id": node.user_id})
            await connection.execute(sql_text("embedding/required"), {"version": version.name})
            await connection.execute(sql_text("centroid/alone"), {"node_id": node.node_id})
            made = await connection.fetch(statement, asked, row=int)
        return Made({"made": len(made)})


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
            page = {"after": node.after, "most": STEMMED_AT_ONCE}
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
