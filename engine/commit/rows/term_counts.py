"""In how many documents of a node each term occurs, by unit; term 0 counts all documents of the unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from pgvector import SparseVector

from engine.domain.scope import Privacy, ScopeKind, counted_unit
from engine.domain.terms import Unit, terms_of
from engine.stores.postgres import Connection
from engine.stores.statements import sql_in, sql_text


@dataclass(frozen=True, slots=True)
class CountChange:
    """Documents that the counts of one unit gain, or lose."""

    statement: str
    unit: str
    terms: list[int]
    counts: list[int]


def moves(counts: Mapping[str, Counter[int]]) -> list[CountChange]:
    """What moves the counts of a node, in the one order of units and terms: so writers cannot lock each other out."""
    moved = []
    for unit in sorted(counts):
        for statement, sign in (("term_count/add", 1), ("term_count/take", -1)):
            terms = sorted(term for term, count in counts[unit].items() if count * sign > 0)
            if terms:
                moved.append(CountChange(statement, unit, terms, [abs(counts[unit][term]) for term in terms]))
    return moved


@dataclass(frozen=True, slots=True)
class _Words:
    terms: SparseVector
    unit: Unit
    privacy: Privacy
    scope: ScopeKind


async def move(connection: Connection, schema: str, moved: Sequence[CountChange]) -> None:
    """Moves the counts of a node."""
    for one in moved:
        parameters = {"schema": schema, "unit": one.unit, "terms": _array(one.terms), "counts": _array(one.counts)}
        await connection.execute(sql_text(one.statement), parameters)


async def of_items(connection: Connection, schema: str, items: Sequence[UUID]) -> dict[str, Counter[int]]:
    """What items that hold add to the counts of documents by term, by the words that they are stored with. Locks them."""
    counts: dict[str, Counter[int]] = {}
    if items:
        for one in await connection.fetch(sql_in("item/words", schema), {"items": list(items)}, row=_Words):
            unit = counted_unit(one.unit, one.privacy, one.scope)
            counts.setdefault(unit, Counter()).update([0, *terms_of(one.terms)])
    return counts


async def recount(
    connection: Connection, schema: str, items: Sequence[UUID], before: Mapping[str, Counter[int]]
) -> None:
    """Updates the counts of documents by term after a change of items, which added `before`."""
    moved = await of_items(connection, schema, items)
    for unit, counts in before.items():
        moved.setdefault(unit, Counter()).subtract(counts)
    await move(connection, schema, moves(moved))


def _array(numbers: Sequence[int]) -> str:
    """An array as the statement casts it: the driver takes much longer for thousands of numbers."""
    return f"{{{','.join(map(str, numbers))}}}"
