"""Statements for analysts take what is typed, and say in one sentence what is wrong with it."""

from __future__ import annotations

import pytest

from engine.errors import InvalidInput
from engine.stores.analyses import analyses

pytestmark = pytest.mark.ledger("U03")


def test_values_are_as_typed_else_as_usual() -> None:
    of = analyses()
    assert of["timeline"].filled({"entity": "Ellen"}) == {"entity": "Ellen", "limit": 100}
    assert of["stale"].filled({"days": "30", "at": "2025-03-01"}) == {"days": 30, "at": "2025-03-01", "limit": 100}
    assert of["contradictions"].filled({"functional": "LIVES_IN, MARRIED_TO"})["functional"] == [
        "LIVES_IN",
        "MARRIED_TO",
    ]
    then = of["facts_then"].filled({"as_of": "2025-03-01"})
    assert then["as_of"] == "2025-03-01T00:00:00+00:00" and then["known_at"] > then["as_of"]


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("why", {"entity": "Bob"}, "why needs --param other=… (other: a name of the other one)."),
        ("why", {"entry": "Bob"}, "why has no parameter entry; it has entity, other, limit."),
        ("tree", {"user_id": "x"}, "tree has no parameter user_id; it has limit."),
        ("stale", {"days": "many"}, "The parameter days (at least so many) is a whole number, not 'many'."),
        ("stale", {"days": "1", "at": "May"}, "The parameter at (to which they are counted) is a day like 2025-03-01, not 'May'."),
        ("tree_then", {"as_of": "May"}, "The parameter as_of (what was true then) is a time like 2025-03-01T18:00:00Z, not 'May'."),
        ("stale", {"days": "9" * 19}, f"The parameter days (at least so many) is a whole number, not '{'9' * 19}'."),
        ("stale", {"days": "9" * 5000}, f"The parameter days (at least so many) is a whole number, not '{'9' * 60}'."),
        ("tree", {"limit": "0"}, "The parameter limit is between 1 and 10,000, not 0."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence(name: str, typed: dict[str, str], said: str) -> None:
    with pytest.raises(InvalidInput) as error:
        analyses()[name].filled(typed)
    assert error.value.detail == said
