"""What the suite keeps by hand: the files that begin first, the modules whose doctor or sweep needs few nodes, short files."""

from __future__ import annotations

import re
from pathlib import Path

from tests.conftest import ORDER

TESTS = Path(__file__).resolve().parents[1]
FILES = {path.relative_to(TESTS.parent).as_posix(): path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py")}
OF_ALL_USERS = re.compile(r"\bdoctor\.(examine|compared)\(|\bsweep\.run\(")
OWN_STORES = re.compile(r"\bhome=")


def test_every_part_of_the_order_names_a_file() -> None:
    assert [part for part in ORDER if not any(part in f"{path}::" for path in FILES)] == []


def test_who_examines_all_users_begins_with_few() -> None:
    """`tests/faults` begins with few for all its modules; a home of its own has no other users."""
    examining = {path for path, text in FILES.items() if "/test_" in path and OF_ALL_USERS.search(text)}
    left = {path for path in examining if not path.startswith("tests/faults/") and not OWN_STORES.search(FILES[path])}
    assert len(left) >= 4 and [path for path in sorted(left) if '"few_nodes"' not in FILES[path]] == []


def test_no_file_of_tests_is_longer_than_500_lines() -> None:
    assert [path for path, text in FILES.items() if len(text.splitlines()) > 500] == []
