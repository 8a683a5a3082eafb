"""No statement of an analyst shows what was withdrawn, ended or changed, unless it is there for what was."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest

from engine.naming.configuration import load_domain
from engine.neurigraph import Engine
from engine.stores.analyses import Analysis, analyses
from tests.contract.withdrawn import NAMED, Leaks, Life, lived

OF_THE_PAST = {
    "changed_records": "what records were called before",
    "withdrawn_records": "what was withdrawn",
    "unsupported": "entities that only reads of the past meet",
}
AT = "2100-01-01T00:00:00Z"
"""When all of it is over."""


@pytest.fixture(scope="module")
async def life(engine: Engine) -> Life:
    user = await engine.workspace.users.create(f"w{uuid4().hex[:12]}", "Bob Harlan")
    one = await lived(user, engine.memory(user.user_id))
    await engine.derivations.run("communities")
    return one


def _given(life: Life, statement: Analysis) -> list[dict[str, Any]]:
    """The parameters of a statement: of one about an entity, for all that there were."""
    types, named = load_domain().relations, {one.name for one in statement.parameters}
    plain = {
        "user_id": str(life.user.user_id), "limit": 10_000, "days": 0, "node": "Bob Harlan", "from": "2000-01-01", "to": AT[:10],
        "at": AT[:10], "as_of": AT, "known_at": AT, "other": "Bob Harlan",
        "functional": [one.name for one in types if one.functional], "symmetric": [one.name for one in types if one.symmetric],
    }  # fmt: skip
    entities = ["Bob Harlan", life.stays, *NAMED, *life.gone.values()] if "entity" in named else [""]
    return [{name: (plain | {"entity": one})[name] for name in named} for one in entities]


@pytest.mark.ledger("U03")
async def test_no_statement_of_the_graph_shows_it(engine: Engine, life: Life) -> None:
    leaks = Leaks()
    for name, one in analyses().items():
        for given in _given(life, one) if name not in OF_THE_PAST else ():
            found = await engine.neo4j.read(one.text, **given)
            leaks.look(life, name, json.dumps([dict(row) for row in found], default=str, ensure_ascii=False))
    assert leaks == {}
