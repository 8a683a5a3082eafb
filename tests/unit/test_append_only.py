"""Nothing but a migration takes the guard of an append-only table off, and nothing enters a permit but what erases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUARD_OFF = re.compile(
    r"(?:DISABLE|DROP)\s+TRIGGER|session_replication_role|NO FORCE ROW LEVEL|DISABLE ROW LEVEL",
    re.IGNORECASE,
)
UPGRADES = {"migrations/postgres/functions/template/upgrade_node_to_8.sql"}
"""Files that a migration or an upgrade of tables runs."""
SHOWN = {
    "engine/lifecycle/definition_check.py": "tells an operator how to drop a trigger that is of no migration",
    "migrations/postgres/functions/doctor/schema_definitions.sql": "describes triggers and policies, and makes them again",
}
"""Files that speak of it: why."""
PERMIT = re.compile(r"neurigraph_erasure\.permit|INSERT\s+INTO\s+engine\.erasures", re.IGNORECASE)
PERMITS = {
    "engine/sql/schema.sql",
    "engine/sql/forgetting.sql",
    "engine/stores/erasure.py",
    "migrations/postgres/functions/forgetting/erasing.sql",
}
"""What makes the function of permits, or speaks of it. The last are those that erase."""


def sources() -> Iterator[tuple[str, str]]:
    """All code that runs, by its path; without migrations, which run once."""
    for folder in ("engine", "api", "migrations/postgres/functions"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".sql"):
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def test_no_code_takes_the_guard_of_a_table_off() -> None:
    assert {path for path, text in sources() if GUARD_OFF.search(text)} == UPGRADES | SHOWN.keys()


def test_only_what_erases_enters_permits() -> None:
    assert {path for path, text in sources() if PERMIT.search(text)} == PERMITS
