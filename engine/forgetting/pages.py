"""Pages of Postgres that held deleted rows: those of the tables of a node are written anew, those of tables of all users give
deleted rows up. What a disk still holds after that, and for how long, stands in docs/forgetting.md.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from engine.errors import NotFound, StoreDamaged
from engine.forgetting.personal_data import personal_data
from engine.stores.limited import Connection, Statement, translating
from engine.stores.limits import MARGIN
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_of, sql_text

log = logging.getLogger(__name__)
LONGEST_S = 600.0
"""Seconds that one table may take."""
OF_NODE, OF_ALL = "template.", "engine."


class TablePages:
    """Writes pages anew; for the service alone."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def write_anew(self, schemas: Sequence[str]) -> None:
        """The tables of these nodes, and those of all users. A node that is gone is passed over; a table that cannot be had is
        named in the log: its pages are taken by the server's own vacuum. Raises StoreUnavailable."""
        places = [place.name for place in personal_data().gone_with("user") if place.store == "tables"]
        async with self._postgres.alone(LONGEST_S + MARGIN) as connection:
            await connection.execute(sql_text("large_node/settings"))
            try:
                for schema in schemas:
                    for table in (one.removeprefix(OF_NODE) for one in places if one.startswith(OF_NODE)):
                        await self._one(connection, sql_of("forgettings/rewrite", schema=schema, table=table))
                for table in (one.removeprefix(OF_ALL) for one in places if one.startswith(OF_ALL)):
                    await self._one(connection, sql_of("forgettings/vacuum", table=table))
            finally:
                if not connection.broken:
                    await connection.execute(sql_text("large_node/release"))

    async def _one(self, connection: Connection, statement: Statement) -> None:
        try:
            with translating():
                await connection.execute(statement)
        except (StoreDamaged, NotFound):  # the node is gone, or the role may not: both leave the connection as it is
            log.warning("pages were not written anew: %s", statement.as_string(connection))
