"""The catalogue of archives names every table and every part of the graph once, and the page every member."""

from __future__ import annotations

from engine.archive.catalogue import catalogue
from engine.knowledge.dictionary import described
from tests.contract.archive_page import PAGE, columns, page


def test_every_table_is_a_member_or_says_why_not() -> None:
    held, known = catalogue(), columns()
    members = [f"{'template' if row.of_nodes else 'engine'}.{row.table}" for row in held.rows]
    named = members + [f"engine.{name}" for name in held.left_out if name != "template_tables"]
    assert sorted(named) == sorted(known)
    for row in held.rows:
        table = known[f"{'template' if row.of_nodes else 'engine'}.{row.table}"]
        assert {*row.key, *row.left, *row.apart} <= set(table), row.name
        assert row.whose != "user" or row.of_nodes or "user_id" in table, row.name


def test_every_part_of_the_graph_is_a_member() -> None:
    labels, types = described()
    held = catalogue()
    assert {one.label for one in held.elements} == {one.name for one in labels.values() if not one.of} - {
        "Migration",
        "Installation",
    }
    ends = {f"{one.source} → {one.target}": set() for one in held.links}
    for one in held.links:
        ends[f"{one.source} → {one.target}"] |= set(one.types)
    wanted = {(end, one.name) for one in types.values() for end in one.ends}
    assert {(end, name) for end, names in ends.items() for name in names} == wanted


def test_the_page_names_all_members_and_columns() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.contract.archive_page"
