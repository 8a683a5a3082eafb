"""A process killed while it stores a document's new version leaves the old one or the new one in all three stores."""

from __future__ import annotations

from uuid import uuid4

import pytest

from engine.commit.outbox import STEPS
from engine.domain.search import SearchRequest
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.faults import document_victim
from tests.faults.document_victim import NEW, OLD
from tests.faults.killing import all_agree, lived


async def contents(memory: Memory) -> set[str]:
    answer = await memory.search(SearchRequest("caught walleye perch", limit=50))
    return {hit.content for hit in answer.hits}


def parts(text: str) -> set[str]:
    return {line for line in text.split("\n") if line and not line.startswith("#")}


@pytest.mark.ledger("F02", "N15")
@pytest.mark.parametrize(("step", "there"), [("objects_written", False), *((step, True) for step in STEPS)])
async def test_a_new_version_is_whole_or_not_there(engine: Engine, step: str, there: bool) -> None:
    handle = f"k{uuid4().hex[:12]}"
    assert not await lived(engine, document_victim, handle, step)
    memory = engine.memory((await engine.workspace.users.find(handle)).user_id)
    text = NEW if there else OLD
    assert await contents(memory) == parts(text)  # before anybody recovered anything
    await all_agree(engine)
    document = (await memory.documents.list())[0]
    assert document.version == 1 + there
    assert (await memory.documents.read(document.document_id)).decode() == text
    assert (await memory.documents.read(document.document_id, 1)).decode() == OLD  # the sweep took no old version
    shell = await memory.nodes.shell(memory.principal.user_id)
    page = (await memory.nodes.metadata(memory.principal.user_id)).records
    title = "New title" if there else "Old title"
    assert [one.title for one in page] == [one.title for one in shell.manifest] == [title]
    assert [one.file_id for one in page] == [document.file_id]
    assert (shell.records, shell.items) == (1, 6 + there)
    assert len(await memory.resources.list()) == 1 + there
    again = await memory.records.remember_text("New title", NEW, source_id="paper")
    assert [(one.version, one.kept, one.added) for one in again.documents] == ([] if there else [(2, 5, 1)])
    assert await contents(memory) == parts(NEW)
    assert await engine.doctor.examine() == []
