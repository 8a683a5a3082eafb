"""The records of a node and their items, as writers of records make and end them; their slices are `engine.records.slices`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pgvector import SparseVector

from engine.stores.postgres import Connection, json_rows
from engine.stores.statements import sql_in

AT_ONCE = 500
"""Items of one statement."""


@dataclass(frozen=True, slots=True)
class NamedRow:
    """A row of an item with the text in which names were found: numbers of the entities that it names, and is about."""

    item_id: UUID
    content: str
    entities: Sequence[int]
    about: Sequence[int]


@dataclass(frozen=True, slots=True)
class _There:
    item_id: UUID
    record_id: UUID


async def insert_items(connection: Connection, schema: str, vectors: str, rows: Sequence[dict[str, Any]]) -> None:
    """Writes items with their vectors in the slot whose column is `vectors`."""
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        tokens = {"tokens": [row["tokens"] for row in some]}
        await connection.execute(sql_in("item/insert", schema, vectors), with_vectors(some) | tokens)


def with_vectors(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Rows as parameters: vectors and terms beside the other columns, since JSON would take them as text."""
    vectors = [row["embedding"] for row in rows]
    apart = ("embedding", "tokens", "terms")
    columns = [{name: value for name, value in row.items() if name not in apart} for row in rows]
    return {
        "rows": json_rows(columns),
        "vectors": vectors if any(vector is not None for vector in vectors) else None,
        "terms": [row["terms"] for row in rows],
    }


async def promote_item(connection: Connection, schema: str, row: dict[str, Any]) -> SparseVector | None:
    """Writes the item of a fact that takes the place of another one; returns its terms, None where it is there already."""
    return await connection.first(sql_in("item/promote", schema), row, row=SparseVector)


async def place_items(connection: Connection, schema: str, places: Sequence[tuple[UUID, int, int, int]]) -> None:
    """Where chunks that stayed lie now: id, position, and span from and to."""
    if places:
        columns = zip(("items", "positions", "starts", "ends"), zip(*places, strict=True), strict=True)
        await connection.execute(sql_in("item/place", schema), {name: list(values) for name, values in columns})


async def name_items(connection: Connection, schema: str, rows: Sequence[NamedRow], *, bare: bool = False) -> None:
    """Which entities rows of items name now. `bare`: of those only that name none yet."""
    for start in range(0, len(rows), AT_ONCE):
        named = [
            {
                "item_id": one.item_id,
                "content_hash": hash_of(one.content),
                "entities": list(one.entities),
                "about": list(one.about),
            }
            for one in rows[start : start + AT_ONCE]
        ]
        await connection.execute(sql_in("item/name", schema), {"rows": json_rows(named), "bare": bare})


async def renumber_items(connection: Connection, schema: str, was: int, becomes: int) -> None:
    """Names an entity by another number in the rows of a node: what it is numbered by has changed."""
    await connection.execute(sql_in("item/renumber", schema), {"was": was, "becomes": becomes})


def hash_of(content: str) -> bytes:
    """What the text of an item is recognised by."""
    return hashlib.sha256(content.encode("utf-8")).digest()


async def end_items(connection: Connection, schema: str, items: Sequence[UUID], known_to: datetime) -> None:
    """Ends what is known of items; reads of the past still find them."""
    await connection.execute(sql_in("item/supersede", schema), {"items": list(items), "known_to": known_to})


async def items_there(connection: Connection, schema: str, items: Sequence[UUID]) -> set[UUID]:
    """Which of these items the node has already."""
    if not items:
        return set()
    found = await connection.fetch(sql_in("item/there", schema), {"items": list(items)}, row=_There)
    return {item.item_id for item in found}


async def items_counted(connection: Connection, schema: str, record_id: UUID) -> int:
    """How many items a record has brought, those that ended among them: what the graph counts by."""
    [found] = await connection.fetch(sql_in("item/counted", schema), {"record_id": record_id}, row=int)
    return found


async def insert(connection: Connection, schema: str, vectors: str, rows: Sequence[dict[str, Any]]) -> None:
    """Writes records with their vectors in the slot whose column is `vectors`."""
    await connection.execute(sql_in("record/insert", schema, vectors), with_vectors(rows))


async def set_version(connection: Connection, schema: str, row: dict[str, Any], slices: Sequence[UUID]) -> None:
    """Gives the slices of a document that are known from now on the file and the words of its new version."""
    await connection.execute(sql_in("record/version_set", schema), row | {"rows": list(slices)})
