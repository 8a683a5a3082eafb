"""The records of a node, as they are stored and stored again; their slices are `engine.records.slices`'."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from engine.commit.rows.items import with_vectors
from engine.stores.postgres import Connection
from engine.stores.statements import sql_in


async def insert(connection: Connection, schema: str, vectors: str, rows: Sequence[dict[str, Any]]) -> None:
    """Writes records with their vectors in the slot whose column is `vectors`."""
    await connection.execute(sql_in("record/insert", schema, vectors), with_vectors(rows))


async def set_version(connection: Connection, schema: str, row: dict[str, Any], slices: Sequence[UUID]) -> None:
    """Gives the slices of a document that are known from now on the file and the words of its new version."""
    await connection.execute(sql_in("record/version_set", schema), row | {"rows": list(slices)})
