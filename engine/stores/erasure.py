"""The Postgres role of erasures: it alone may enter permits to erase from append-only tables, and nobody can be it.

The role has no login and no member. It owns one function, `neurigraph_erasure.permit`, which the service calls: it enters a line
in `engine.erasures`, and with that line the triggers of append-only tables let this transaction take away what the forgetting
names. So every use is logged, by construction.

An administrator makes both, with the other roles. Where they lack, everything but forgetting works.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache

from psycopg import sql

from engine.stores.limited import Connection
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

REMEDY = "Run `neurigraph prepare` once, as an administrator (docs/stores.md)."
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _State:
    there: bool
    strong: bool
    used: bool
    function_there: bool


async def erasure_faults(postgres: Postgres) -> list[str]:
    """Why nothing can be forgotten here, as sentences; none where the role is as it should be. Raises StoreUnavailable."""
    [state] = await postgres.fetch_as_service(sql_text("schema/erasure_state"), {"body": _body()}, row=_State)
    if not state.there:
        return ["There is no role neurigraph_erasure."]
    found = {
        "The role neurigraph_erasure may log in, or do more than own its function.": state.strong,
        "A role is a member of neurigraph_erasure.": state.used,
        "The function neurigraph_erasure.permit is missing, another, or for others than the service.": (
            not state.function_there
        ),
    }
    return [sentence for sentence, holds in found.items() if holds]


async def prepare_erasure(connection: Connection, service: str) -> None:
    """Makes the role and its function, as an administrator in a transaction."""
    await connection.execute(sql_text("schema/erasure_prepare").format(service=sql.Literal(service)))


async def grant_erasure(postgres: Postgres) -> None:
    """Lets the role enter permits, and warns where it is not as it should be: after migrations, which make the table.

    Raises StoreUnavailable.
    """
    await postgres.change_as_service(sql_text("schema/erasure_grant"))
    if faults := await erasure_faults(postgres):
        log.warning("nothing can be forgotten here: %s %s", " ".join(faults), REMEDY)


@cache
def _body() -> str:
    """The body of the function, as Postgres keeps it."""
    return sql_text("schema/erasure_prepare").as_string().split("$permit$")[1]
