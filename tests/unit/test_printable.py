"""What others wrote cannot command the terminal of who reads it."""

from __future__ import annotations

import io
import json

import pytest
from rich.table import Table
from rich.text import Text

from engine.shell.plain_json import print_json
from engine.shell.session import console, failed

EVIL = "a\x1b]0;owned\x07\x1b[2J\x1b[31mb\x9b1mc\u202ed\re"


@pytest.mark.parametrize("terminal", [True, False])
def test_no_control_character_of_a_text_reaches_the_terminal(terminal: bool) -> None:
    out = console()
    out.file, out._force_terminal = io.StringIO(), terminal
    table = Table(title=Text(EVIL))
    table.add_column(EVIL)
    table.add_row(Text(EVIL, style="red"), EVIL)
    out.print(table)
    out.print(Text(EVIL))
    written = out.file.getvalue()
    for sequence in ("\x1b]", "\x1b[2J", "\x07", "\x9b", "\u202e", "\r"):
        assert sequence not in written
    assert "owned" in written and "\n" in written


def test_json_holds_the_same_text_with_nothing_raw() -> None:
    out = console()
    out.file = io.StringIO()
    print_json(out, {"text": EVIL, "name": "Zoë ש"})
    assert "\u202e" not in out.file.getvalue() and "\x9b" not in out.file.getvalue() and "Zoë ש" in out.file.getvalue()
    assert json.loads(out.file.getvalue()) == {"text": EVIL, "name": "Zoë ש"}


def test_an_error_about_a_very_long_argument_is_one_short_line() -> None:
    out = console()
    out.file = io.StringIO()
    failed(out, f"There is no user {'x' * 70_000} in the workspace /home/{'y' * 200}.")
    written = out.file.getvalue()
    assert len(written) < 500 and "x…" in written and written.endswith(f"in the workspace /home/{'y' * 200}.\n")
