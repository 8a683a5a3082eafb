"""A user who is imported from an archive gives the same answers, of now and of the past, to all who may ask."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from engine.domain.node import User
from engine.domain.retraction import RetractionSubject
from engine.domain.search import SearchRequest
from engine.neurigraph import Engine
from tests.archive.asked import answers, differences, lived_wholly
from tests.session_stores import empty

pytestmark = [pytest.mark.usefixtures("few_nodes"), pytest.mark.ledger("F13", "U05")]


async def test_an_imported_user_answers_as_before(engine: Engine, user: User, tmp_path: Path, long: bool) -> None:
    life = await lived_wholly(engine, user, long=long)
    before = await answers(engine, life, long=long)
    assert len(before) >= 200 and len(life.moments) == 5
    path = tmp_path / "bob.zip"
    made = await engine.archives.export(user.user_id, path)
    assert made.counts["records"] and not made.missing and path.stat().st_mode & 0o777 == 0o600
    assert not _members_with(path, life.forgotten)

    await empty(engine)
    report = await engine.archives.restore(path)
    assert report.counts == made.counts
    after = await answers(engine, life, long=long)
    assert differences(before, after) == {}
    assert [one.problem for one in await engine.doctor.examine()] == []

    memory = life.memory
    retractions = await memory.retractions.list()
    undone = next(one for one in retractions if one.state == "done")
    await memory.retractions.undo(undone.retraction_id)
    [merge] = [one for one in await memory.entities.merges() if one.reason == "they are one"][:1]
    await memory.entities.undo_merge(merge.merge_id)
    stored = await memory.records.remember_text("New", "The new shed is yellow.", node_id=user.user_id)
    assert "yellow" in (await memory.search(SearchRequest("shed"))).hits[0].content
    await memory.retractions.retract(RetractionSubject("record", str(stored.records[0].record_id)))
    assert [one.problem for one in await engine.doctor.examine()] == []


def _members_with(path: Path, word: str) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        texts = {name: archive.read(name).lower() for name in archive.namelist()}
    return [name for name, text in texts.items() if word.lower().encode() in name.encode() + text]
