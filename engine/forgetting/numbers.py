"""Rows of items name entities by numbers, which are made of their keys: an entity that gets another key gets another number."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from engine.commit.rows import due
from engine.commit.rows.records import renumber_items
from engine.domain.entity import entity_number
from engine.stores.postgres import Postgres


class EntityNumbers:
    """Changes numbers of entities in rows of items; for the service."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def change(self, user_id: UUID, schemas: Iterable[str], was: str, key: str) -> None:
        """Names the entity that had the key `was` by the number of its new key, in all rows of these nodes, and
        notes that records of the user are to be read again. Idempotent. Raises StoreUnavailable."""
        for schema in schemas:
            async with self._postgres.as_service() as connection:
                await renumber_items(connection, schema, entity_number(was), entity_number(key))
        async with self._postgres.as_service() as connection:
            await due.note_user(connection, "entities", user_id)
