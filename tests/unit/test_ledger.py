"""The ledger says what is done, and no row claims more or less than the marked tests."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = re.findall(
    r"^\| ([A-Z]\d\d) \| (.+?) \| (done|partly|not)(.*?) \|$",
    (ROOT / "docs" / "ledger.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)
MARKED = {
    row
    for path in (ROOT / "tests").rglob("test_*.py")
    for mark in re.findall(r"^\s*@pytest\.mark\.ledger\((.+?)\)", path.read_text(encoding="utf-8"), re.MULTILINE)
    for row in re.findall(r'"(\w+)"', mark)
}


def test_every_line_of_the_table_is_a_row_with_a_state() -> None:
    lines = re.findall(r"^\| ([A-Z]\d\d) ", (ROOT / "docs" / "ledger.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [row for row, *_ in ROWS] == lines and len(set(lines)) == len(lines)
    assert [row for row, _, state, reason in ROWS if state == "partly" and not reason.startswith(": ")] == []


def test_what_is_done_or_partly_done_has_a_test_and_what_is_not_has_none() -> None:
    states = {row: state for row, _, state, _ in ROWS}
    assert states.keys() >= MARKED
    assert [row for row, state in states.items() if (state == "not") == (row in MARKED)] == []
