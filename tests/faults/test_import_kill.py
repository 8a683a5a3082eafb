"""A server killed in the middle of an import has stored every line that it called stored, and the same file again stores the rest once."""

from __future__ import annotations

from uuid import uuid4

import httpx
import pytest

from engine.commit.outbox import STEPS
from engine.neurigraph import Engine
from tests.door import new_door
from tests.faults import import_victim
from tests.faults.import_victim import AT_ONCE, FILE, PARTS
from tests.faults.killing import LIVED, all_agree, printed


@pytest.mark.parametrize("step", ["objects_written", *STEPS])
async def test_nothing_is_lost_and_nothing_stored_twice(engine: Engine, step: str) -> None:
    handle = f"k{uuid4().hex[:12]}"
    words = await printed(engine, import_victim, handle, step)
    assert LIVED not in words
    acknowledged = {int(word) for word in words}
    assert acknowledged >= set(range(AT_ONCE)) and len(acknowledged) < AT_ONCE * PARTS
    await all_agree(engine)
    memory = engine.memory((await engine.workspace.users.find(handle)).user_id)
    transport = httpx.ASGITransport(new_door(engine.settings, engine=engine))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as door:
        headers = {"Content-Type": "application/x-ndjson"}
        answer = await door.post(f"/v1/users/{memory.principal.user_id}/import", content=FILE, headers=headers)
    *reports, totals = [httpx.Response(200, text=line).json() for line in answer.text.splitlines()]
    known = {report["line"] - 1 for report in reports if report["status"] == "skipped"}
    assert totals["done"] and totals["failed"] == 0 and known >= acknowledged
    sources = [one.source_id for one in await memory.resources.list()]
    assert len(sources) == len(set(sources)) == AT_ONCE * PARTS
    await all_agree(engine)
