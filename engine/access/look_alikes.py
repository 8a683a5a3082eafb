"""Adds the normal form by which names are compared to users and integrations that are older than it.

Where two look alike already, both stay: the older has the form, the other a unique one. No third one can be created.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from engine.domain.look_alikes import look_alike_key
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_of, sql_text

TABLES = (("users", "user_id", "handle", "handle_key"), ("integrations", "integration_id", "name", "name_key"))
PAGE = 500

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Unkeyed:
    id: UUID
    name: str


@dataclass(frozen=True, slots=True)
class _LookAlikes:
    name: str
    other: str


async def complete_keys(postgres: Postgres) -> None:
    """Adds what is missing; idempotent, also in several processes at the same time."""
    for table, id_column, name, key in TABLES:
        columns = {"table": table, "id": id_column, "name": name, "key": key}
        while await _completed(postgres, table, columns) == PAGE:
            pass


async def _completed(postgres: Postgres, table: str, columns: Mapping[str, str]) -> int:
    unkeyed, keyed = sql_of("look_alike/unkeyed", **columns), sql_of("look_alike/keyed", **columns)
    async with postgres.as_service() as connection:
        await connection.execute(sql_text("look_alike/lock"))
        found = await connection.fetch(unkeyed, {"limit": PAGE}, row=_Unkeyed)
        if not found:
            return 0
        keys = {"ids": [one.id for one in found], "keys": [look_alike_key(one.name) for one in found]}
        for pair in await connection.fetch(keyed, keys, row=_LookAlikes):
            _log.warning("%s: %r looks like %r. Both stay as they are.", table.capitalize(), pair.name, pair.other)
    return len(found)
