"""Every statement file is known to its database, and every one that reads for a person is bound to that person."""

from __future__ import annotations

import re

import pytest
from psycopg import sql

from engine.neurigraph import Engine
from engine.stores.statements import CYPHER_FOLDER, cypher, sql_names, sql_source

CYPHER = sorted(
    path.relative_to(CYPHER_FOLDER).as_posix()
    for path in CYPHER_FOLDER.rglob("*.cypher")
    if path.parent.name != "parts"  # they stand in statements
)
OPERATORS_OWN = {"schema", "doctor", "lifecycle", "embedding", "bench", "leaks", "trace", "forget", "archive"}
WRITES_OF_THE_OUTBOX = {
    "node/provision.cypher",
    "node/revised.cypher",
    "record/revised.cypher",
    "edge/revised.cypher",
    "record/apply.cypher",
    "entity/mentioned.cypher",
    "entity/merged.cypher",
    "entity/merge_undone.cypher",
    "entity/related.cypher",
    "entity/apart.cypher",
    "entity/decided.cypher",
    "entity/corrected.cypher",
    "entity/alias_decided.cypher",
    "entity/intention_decided.cypher",
    "entity/retracted.cypher",
    "entity/reworded.cypher",
    "fact/stated.cypher",
    "access/granted.cypher",
    "access/granted_many.cypher",
    "access/revoked.cypher",
}
"""Their rows come from a commit that Postgres accepted under the principal's policies, or are the operator's."""


LOOK_ALIKES = {
    part: sql.Identifier(name)
    for part, name in (("table", "users"), ("id", "user_id"), ("name", "handle"), ("key", "handle_key"))
}
"""The columns of one of the tables that two statements serve."""
ONE_OF_THEM = {
    "forgetting_user/rows_of_nodes": "damage", "forgetting_user/rows_of_retractions": "retraction_steps", "forgetting_node/of_node": "damage",
}  # fmt: skip
"""One of the tables that a statement serves, where it is not that of users."""
ARCHIVED = {
    "archive/rows_of_user": ("engine", "grants", "grant_id"),
    "archive/rows_of_nodes": ("engine", "due", "node_id"),
    "archive/rows_of_retractions": ("engine", "retraction_steps", "place"),
    "archive/rows_of_forgettings": ("engine", "forgotten", "hash"),
    "archive/rows_of_grants": ("engine", "integrations", "integration_id"),
    "archive/rows_of_node": ("template", "memory_items", "item_id"),
    "archive/rows_of_part": ("engine", "documents", "document_id"),
    "archive/rows_of_node_part": ("template", "memory_items", "item_id"),
    "archive/import_rows": ("template", "memory_items", "item_id"),
}
"""One of the tables that a statement serves, with a column of it."""


@pytest.mark.ledger("N31")
@pytest.mark.parametrize("name", [name for name in CYPHER if name.split("/")[0] not in OPERATORS_OWN])
def test_every_statement_for_a_person_is_bound_to_a_user(name: str) -> None:
    text = cypher(name.removesuffix(".cypher"))
    body = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    assert name in WRITES_OF_THE_OUTBOX or ("$user_id" in body and "$principal" in body), name


@pytest.mark.parametrize("name", sql_names())
async def test_postgres_knows_every_statement(engine: Engine, name: str) -> None:
    text = sql_source(name)
    body = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    if not re.match(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)", body) or name.startswith("bench/"):
        return  # commands cannot be prepared; they run at every start
    user = await engine.workspace.users.create("statements")
    schema = (await engine.memory(user.user_id).nodes.shell(user.user_id)).schema_name
    place, table, column = ARCHIVED.get(name, (schema, "", ""))
    one = sql.Identifier(column or "none")
    served = {"table": sql.Identifier(table), "columns": one, "key": one, "part": one} if table else LOOK_ALIKES
    if name in ONE_OF_THEM:
        served = LOOK_ALIKES | {"table": sql.Identifier(ONE_OF_THEM[name])}
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)[sb]", body)))
    numbered = re.sub(r"%\((\w+)\)[sb]", lambda match: f"${names.index(match.group(1)) + 1}", body)
    async with engine.postgres.as_service() as connection:
        statement = sql.SQL(numbered.replace("%%", "%")).format(
            schema=sql.Identifier(place),
            embedding=sql.Identifier("embedding_b"),
            embedding_version=sql.Identifier("embedding_b_version"),
            tokens=sql.Identifier("tokens_b"),
            **served,
        )
        await connection.execute(sql.SQL("PREPARE probe AS ") + statement)
        await connection.execute("DEALLOCATE probe")
