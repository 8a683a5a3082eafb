"""Until when a planned statement holds: the end of its day, where it names one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engine.statements.statement import holds_until

SAID = datetime(2026, 4, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("Lena will fly to Oslo on May 3.", datetime(2026, 5, 4, tzinfo=UTC)),
        ("The workshop is on 2026-05-03.", datetime(2026, 5, 4, tzinfo=UTC)),
        ("Der Workshop ist am 3. Mai.", datetime(2026, 5, 4, tzinfo=UTC)),
        ("El taller es el 3 de mayo.", datetime(2026, 5, 4, tzinfo=UTC)),
        ("A oficina é no dia 3 de maio.", datetime(2026, 5, 4, tzinfo=UTC)),
        ("L'atelier est le 3 mai.", datetime(2026, 5, 4, tzinfo=UTC)),
        ("The concert was moved to May 10.", datetime(2026, 5, 11, tzinfo=UTC)),
        ("Lena flew to Oslo in 2019.", None),
        ("Lena will move to Oslo.", None),
        ("Lena lives in Oslo.", None),
        ("Lena's birthday is May 3.", None),
        ("The workshop on May 3 is cancelled.", None),
        ("The festival is from May 3 to May 5.", None),
        ("Lena might fly to Oslo on May 3.", None),
        ("The exam was on 2026-03-01.", None),
    ],
)
def test_a_plan_holds_until_the_end_of_its_day(text: str, until: datetime | None) -> None:
    assert holds_until(text, "lena", SAID) == until
