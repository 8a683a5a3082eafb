"""What an answer to an assistant keeps where it is cut. Pure."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

from api.mcp.budget import answer, tokens


@pytest.mark.ledger("U04")
@pytest.mark.parametrize("most", [150, 300, 600])
def test_a_context_that_is_cut_keeps_text_and_the_first_sources(most: int) -> None:
    lines = [f"[{number}] Nadia said that she runs by the river on day {number}." for number in range(40)]
    sources = {f"[{number}]": f"item/{uuid4()}/{uuid4()}" for number in range(40)}
    told = answer({"context": "\n".join(lines), "sources": sources, "notes": ["One node was left out."]}, most)
    kept = json.loads(told)
    assert tokens(told) <= most and kept["cut"]
    assert len(kept["context"]) >= most / 2 and kept["context"].startswith(lines[0][:20])
    assert list(kept["sources"]) == list(sources)[: len(kept["sources"])] and kept["sources"]
