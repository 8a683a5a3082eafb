"""The graph's part of a commit: all its changes in one transaction, in their order, or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import LiteralString
from uuid import uuid4

from engine.commit.changes import OF_KIND, GraphChange, Json, is_change, parameters
from engine.errors import CommitWaits, Conflict, InvalidInput, StoreFailed
from engine.stores.neo4j import STORE, Complete, Neo4j
from engine.stores.statements import cypher, cypher_together

TOGETHER = tuple(kind for kind in OF_KIND.values() if kind.of_records)
"""What the commit of a record changes, in one statement. What changes some of these takes the same, with nothing for the others:
the graph plans a statement of this size for seconds."""


async def apply(neo4j: Neo4j, changes: Sequence[Json], *, partly: bool = False) -> None:
    """Applies stored changes; `partly`: those whose shells are there, too, where others are missing.

    Raises StoreUnavailable, CommitWaits where a shell is missing, StoreFailed for what is refused.
    """
    if not changes or not all(map(is_change, changes)):
        raise StoreFailed(STORE, "The changes of this commit are damaged, or a newer release wrote them.")

    def complete(rows: Sequence[list[object]]) -> bool:
        return partly or all(_applied(own) >= _wanted(change) for own, change in zip(rows, changes, strict=True))

    try:
        whole = await _written(neo4j, changes, complete)
    except (Conflict, InvalidInput) as error:
        # The content is accepted: an error of the graph is not one of the request.
        raise StoreFailed(STORE, f"The {STORE} refused this write; it is tried again. ({error.detail})") from error
    if not whole:
        raise CommitWaits(STORE)


async def _written(neo4j: Neo4j, changes: Sequence[Json], complete: Complete) -> bool:
    """Writes them: what a record's commit changes in one statement, anything else in a transaction."""
    kinds = [OF_KIND[change["kind"]] for change in changes]
    given = dict(zip(kinds, map(parameters, changes), strict=True))
    if len(changes) == 1 or kinds != [kind for kind in TOGETHER if kind in given]:
        statements = [(cypher(kind.statement), parameters(change)) for kind, change in zip(kinds, changes, strict=True)]
        return await neo4j.write_all(statements, complete)
    filled = [given.get(kind, {fields(kind)[0].name: []}) for kind in TOGETHER]
    [applied] = await neo4j.write(_together(TOGETHER), row=list, changes=filled)
    return complete([[one] for kind, one in zip(TOGETHER, applied, strict=True) if kind in given])


async def rehearse(neo4j: Neo4j, kinds: Sequence[type[GraphChange]], limit: float) -> None:
    """Has the graph plan what applies changes of these kinds, of a user who does not exist; nothing is written. A list has one
    entry: the graph plans again for another size, by powers of ten. Raises StoreUnavailable."""
    unknown = dict.fromkeys(("user_id", "parent_id"), str(uuid4()))
    changes = [{fields(kind)[0].name: [unknown] if kind.of_records else unknown} for kind in kinds]
    if len(kinds) == 1:
        await neo4j.rehearse(cypher(kinds[0].statement), changes[0], limit)
    else:
        await neo4j.rehearse(_together(kinds), {"changes": changes}, limit)


def _together(kinds: Sequence[type[GraphChange]]) -> LiteralString:
    return cypher_together(tuple((kind.statement, fields(kind)[0].name) for kind in kinds))


def _applied(rows: list[object]) -> int:
    """How many rows a statement applied: the id of each, or their number in one row."""
    return rows[0] if rows and isinstance(rows[0], int) else len(rows)


def _wanted(change: Json) -> int:
    [value] = parameters(change).values()
    return len(value) if isinstance(value, list) else 1
