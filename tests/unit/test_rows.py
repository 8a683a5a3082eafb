"""Columns become fields; a statement with other columns than its row class fails by name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from neo4j.time import DateTime

from engine.domain.clock import END_OF_TIME
from engine.stores.rows import BEGIN_OF_TIME, RowMismatch, row_maker


@dataclass(frozen=True, slots=True)
class Inner:
    at: datetime | None
    name: str


@dataclass(frozen=True, slots=True)
class Outer:
    node_id: UUID
    names: tuple[str, ...]
    inner: tuple[Inner, ...]
    ids: frozenset[UUID] | None = None


NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def test_values_become_what_the_fields_say() -> None:
    node = uuid4()
    inner = [
        {"name": "a", "at": DateTime.from_native(NOON)},
        {"at": NOON.isoformat(), "name": "b"},
        {"at": None, "name": "c"},
    ]
    made = row_maker(Outer, ["names", "inner", "node_id", "ids"], "")([["x"], inner, str(node), [str(node), node]])
    listed = row_maker(tuple[Outer, ...], ["all"], "")([[[str(node), ["x"], [], None]]])
    assert listed == (Outer(node, ("x",), ()),)
    assert made == Outer(node, ("x",), (Inner(NOON, "a"), Inner(NOON, "b"), Inner(None, "c")), frozenset({node}))
    assert row_maker(Outer, ["node_id", "names", "inner", "ids"], "")((node, [], [], None)) == Outer(node, (), ())


def test_the_only_column_needs_no_class() -> None:
    assert row_maker(int, ["nodes"], "")((7,)) == 7
    node = uuid4()
    assert row_maker(UUID, ["node_id"], "")((str(node),)) == node


@pytest.mark.parametrize(
    ("kind", "columns", "words"),
    [
        (Inner, ["at", "names"], r"without a column \['name'\], columns without a field \['names'\] in: -- Purpose"),
        (Inner, ["at"], r"without a column \['name'\]"),
        (Outer, ["node_id", "names", "inner"], r"without a column \['ids'\]"),  # a default hides no renamed column
        (int, ["a", "b"], "is one column"),
    ],
)
def test_other_columns_than_fields_fail_by_name(kind: type[object], columns: list[str], words: str) -> None:
    with pytest.raises(RowMismatch, match=words):
        row_maker(kind, columns, "-- Purpose: a statement")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("10000-01-01T00:59:59.999999+00:00", END_OF_TIME),
        ("infinity", END_OF_TIME),
        ("0001-12-31T23:00:00+00:00 BC", BEGIN_OF_TIME),
        ("-infinity", BEGIN_OF_TIME),
    ],
)
def test_a_time_that_python_cannot_hold_is_read_as_the_nearest(text: str, read: datetime) -> None:
    assert row_maker(datetime, ["at"], "")((text,)) == read
    with pytest.raises(ValueError, match="is not a time"):
        row_maker(datetime, ["at"], "")(("yesterday",))
