"""Lines of turns that cannot be read are refused in words, with their number."""

from __future__ import annotations

from io import StringIO

import pytest

from engine.errors import InvalidInput
from engine.shell.streams import turns_of

GOOD = '{"speaker": "Ann", "text": "Hello."}\n'
LINES = {
    "[" * 100_000: "Line 2 is nested too deeply.",
    '{"speaker": ' * 50_000: "Line 2 is nested too deeply.",
    f'{{"speaker": {"9" * 5000}}}': "Line 2 holds a number that cannot be read.",
    '{"speaker": 7, "text": "x"}': "Line 2 is not a turn: ",
    "[]": "Line 2 is not a turn: ",
    '{"speaker": "Ann"': "Line 2 is not JSON: ",
}


@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_a_line_that_is_no_turn_is_refused_in_words(line: str) -> None:
    read = turns_of(StringIO(GOOD + line))
    assert next(read).speaker == "Ann"
    with pytest.raises(InvalidInput) as refused:
        next(read)
    assert refused.value.detail.startswith(LINES[line])
