"""The structure of the code is counted by `neurigraph bench structure`."""

from __future__ import annotations

import pytest

from engine.lab.benchmarks import structure
from engine.progress import Silent
from engine.settings import Settings


async def test_the_structure_of_the_code_is_counted(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    monkeypatch.setattr(structure, "IMPORTED", ("api.client", "engine.operations.events"))
    monkeypatch.setattr(structure, "REPEATS", 1)
    report = await structure.measure(settings, None, Silent())
    figures = {one.name: one.value for one in report.figures}
    assert len(figures) == len(report.figures) and all(value > 0 for value in figures.values())
    assert figures["Python"] > figures["Python files"] > 100 > figures["import of api.client"]
    assert figures["class names with several meanings"] == len(report.details["meanings"])
    assert all(len(places) > 1 for places in report.details["meanings"].values())
    assert figures["class names with several meanings"] <= 15
    assert figures["import of engine.operations.events"] <= 60, (
        "a subject names the parts it uses, and loads these alone"
    )


DEFINITIONS = {
    "doctor/mend_node_tables": "columns, keys and rights as the catalog has them",
    "doctor/pin_search_paths": "the names of schemas",
    "embedding/reset_slot": "the type of a column",
    "embedding/shape_slots": "how a column is stored",
    "node/apply_node_policies": "the conditions of policies",
    "node/create_node_schema": "columns, keys and rights as the catalog has them",
    "record/copy_rows": "the names of columns",
}
"""What functions put into a statement beside identifiers: parts of definitions, which take no parameters."""


def test_functions_put_only_identifiers_into_statements_that_read_or_write() -> None:
    """A statement with conditions put in cannot be reviewed as a whole, and is open to values of a user."""
    assert structure.puts_in_texts() == sorted(DEFINITIONS)
