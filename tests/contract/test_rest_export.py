"""Exports over REST: everything that the user stored, as lines that an import takes back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from engine.domain.document import StoredDocument
from engine.domain.fact import FactFilter, WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, History, HistoryFile, Turn
from engine.domain.node import NewNode, User
from engine.domain.occasion import Occasion
from engine.domain.retraction import RetractionSubject
from engine.domain.scope import MemoryScope
from engine.domain.search import SearchRequest
from engine.domain.stream import StreamedTurn
from engine.lifecycle import exporting
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.commands import typed
from tests.contract.conftest import House, OpenDoor
from tests.contract.test_rest_import import LINES, answered

TEXAS = timezone(timedelta(hours=-6))
DAY = datetime(2024, 3, 9, 19, 10, tzinfo=TEXAS)


async def exported(door: httpx.AsyncClient, home: str) -> tuple[list[dict[str, Any]], dict[str, Any], bytes]:
    answer = await door.get(f"{home}/export")
    assert answer.status_code == 200 and answer.headers["content-type"] == "application/x-ndjson"
    *found, totals = [json.loads(line) for line in answer.text.splitlines()]
    return found, totals, answer.content


async def filled(memory: Memory, folder: Any) -> None:
    """Something of every kind that comes in."""
    user, notes = memory.principal.user_id, folder / "lease.md"
    notes.write_text("# Lease\n\nThe lease of the workshop ends in June.\r\n")
    work = await memory.nodes.provision(NewNode(user, "Work"))
    turns = [Turn("Bob", "Dave caught a walleye today.", DAY, "t1"), Turn("Ann", "How big was it?"), Turn("Bob", "My knee hurts.", privacy="private")]  # fmt: skip
    opening = Conversation("opening", tuple(turns), "Opening day", DAY)
    await memory.ingests.history(
        History("x", "X", (opening,), (HistoryFile("lease", notes, "text/markdown", occurred_at=DAY),))
    )
    more = replace(opening, turns=(*turns, Turn("Ann", "See a doctor then.")))
    await memory.records.remember(more, node_id=work.node_id)
    await memory.records.remember_text("Price", "A boat costs 10 dollars.", source_id="price")
    await memory.records.remember_text("", "Elm is a hard wood.", privacy="private")
    await memory.records.remember_text("Price", "A boat costs 20 dollars.", source_id="price")
    await memory.records.remember_text("Price", "A boat costs 10 dollars.", source_id="price")
    meeting = Occasion(
        "meeting", "Planning", "We build two boats.", DAY, DAY + timedelta(hours=1), ("Ann", "Bob"), "m-1"
    )
    await memory.records.remember_occasion(meeting)
    thread = memory.within(MemoryScope("thread", "t-9"), source="manual")
    await thread.records.remember_text("Thread", "Only in this thread: the code is blue.", source_id="thread")
    await memory.records.remember_text("Order", '{"order": 17}', source_id="order", content_type="webhook")
    await memory.conversations.append(
        "live",
        StreamedTurn("Bob", "Where is the boat?", DAY.astimezone(UTC), "s1", "user"),
        StreamedTurn("Bot", "At the pier."),
    )
    await memory.conversations.end("live")
    for place, day in (("Cork", DAY), ("Galway", DAY + timedelta(days=9))):
        await memory.facts.write(
            WrittenFact(f"Dave lives in {place}.", ("Dave",), category="home", at=day, confidence=0.75)
        )


def shown(documents: Sequence[StoredDocument]) -> list[Any]:
    return sorted((one.source_id, one.title, one.version, one.content_hash, one.file_name) for one in documents)


async def facts(memory: Memory) -> list[Any]:
    found = [*await memory.facts.list(), *await memory.facts.list(FactFilter(status="superseded"))]
    return sorted(
        (one.text, one.status, one.category, one.confidence, str(one.valid_from), str(one.valid_to)) for one in found
    )


def in_any_order(found: list[dict[str, Any]]) -> list[str]:
    """What was imported together came in at one time."""
    return sorted(json.dumps(one, sort_keys=True) for one in found)


async def answers(memory: Memory) -> list[Any]:
    found = []
    for question in ("walleye", "boat", "lease workshop", "price dollars", "knee"):
        hits = (await memory.search(SearchRequest(question, limit=20, scopes=(MemoryScope("thread", "t-9"),)))).hits
        found.append(sorted((hit.kind, hit.content, str(hit.occurred_at), hit.speaker or "") for hit in hits))
    return found


@pytest.mark.ledger("F13")
async def test_what_is_exported_is_imported_as_the_same(
    door: httpx.AsyncClient,
    engine: Engine,
    memory: Memory,
    home_path: str,
    tmp_path: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exporting, "SOURCES", 3)
    monkeypatch.setattr(exporting, "PARTS", 1)
    await filled(memory, tmp_path)
    found, totals, content = await exported(door, home_path)
    assert totals == {"done": True, "lines": 12, "failed": 0, "withdrawn": 0, "of_personas": 0, "waiting_turns": 0}
    opening = next(one["conversation"] for one in found if one.get("conversation", {}).get("id") == "opening")
    assert [turn["text"] for turn in opening["turns"]] == [
        "Dave caught a walleye today.",
        "How big was it?",
        "My knee hurts.",
        "See a doctor then.",
    ]
    assert opening["turns"][0] == {
        "speaker": "Bob",
        "text": "Dave caught a walleye today.",
        "at": "2024-03-09T19:10:00-06:00",
        "id": "t1",
    }
    assert [turn.get("privacy", "org") for turn in opening["turns"]] == ["org", "org", "private", "org"]
    again, its_totals = answered(await door.post(f"{home_path}/import", content=content, headers=LINES))
    assert its_totals["skipped"] == 12, [one for one in again if one["status"] != "skipped"]

    other = engine.memory((await engine.workspace.users.create(f"u{uuid4().hex[:12]}")).user_id)
    home = f"/v1/users/{other.principal.user_id}"
    reports, its_totals = answered(await door.post(f"{home}/import", content=content, headers=LINES))
    assert (its_totals["stored"], its_totals["skipped"], its_totals["failed"]) == (12, 0, 0), reports
    documents, others = await memory.documents.list(), await other.documents.list()
    assert shown(documents) == shown(others)
    assert await answers(memory) == await answers(other)
    assert await facts(memory) == await facts(other) and len(await facts(memory)) == 2
    assert in_any_order((await exported(door, home))[0]) == in_any_order(found)


async def test_what_was_withdrawn_is_left_out_and_what_waits_is_counted(
    door: httpx.AsyncClient, memory: Memory, home_path: str
) -> None:
    await memory.records.remember_text("A", "The first text.", source_id="a")
    await memory.records.remember_text("B", "The second text.", source_id="b")
    await memory.conversations.append("live", StreamedTurn("Bob", "Where is the boat?"))
    await memory.retractions.retract(RetractionSubject("source", "text:a"))
    found, totals, _ = await exported(door, home_path)
    assert [one["source_id"] for one in found] == ["b"]
    assert (totals["withdrawn"], totals["waiting_turns"]) == (1, 1)


async def test_a_damaged_file_is_a_line_that_says_so(
    door: httpx.AsyncClient, engine: Engine, user: User, memory: Memory, home_path: str, tmp_path: Path
) -> None:
    report = await memory.records.remember_text("A", "The first text.", source_id="a")
    await memory.records.remember_text("B", "The second text.", source_id="b")
    [gone] = [one for one in await memory.resources.list() if one.record_id == report.records[0].record_id]
    key = await _object_of(engine, gone.resource_id)
    await engine.objects.delete(key)
    found, totals, content = await exported(door, home_path)
    assert found[0]["source_id"] == "a" and found[0]["problem"]["type"].startswith("urn:neurigraph:problem:")
    assert found[1]["source_id"] == "b" and (totals["lines"], totals["failed"], totals["done"]) == (1, 1, True)
    typed_in = await typed(engine, tmp_path, user.handle, "export", "-")
    assert (typed_in.returncode, typed_in.stdout.encode()) == (1, content), "both doors write the same lines"
    reports, _ = answered(await door.post(f"{home_path}/import", content=content, headers=LINES))
    assert [one["status"] for one in reports] == ["failed", "skipped"]


async def _object_of(engine: Engine, resource_id: UUID) -> str:
    [key] = await engine.postgres.fetch_as_service(
        "SELECT object_key FROM engine.raw_resources WHERE resource_id = %(id)s", {"id": resource_id}, row=str
    )
    return key


async def test_an_export_is_for_the_owner_alone(open_door: OpenDoor, house: House) -> None:
    for kind in ("persona", "third_party", "administrator"):
        refused = await open_door(house.secrets[kind]).get(f"{house.home}/export")
        unknown = await open_door(house.secrets[kind]).get(f"/v1/users/{uuid4()}/export")
        assert refused.status_code == unknown.status_code == 404
        assert refused.json()["detail"] == unknown.json()["detail"]
    own = open_door(house.secrets["user"])
    assert (await own.get(f"/v1/users/{house.neighbour.user_id}/export")).status_code == 404
    found, _, _ = await exported(own, house.home)
    assert {one["title"] for one in found} == {"root", "Work", "Lawyer", "Cases", "Family"}


async def test_what_a_persona_stored_is_counted(
    door: httpx.AsyncClient, open_door: OpenDoor, own_house: House, engine: Engine
) -> None:
    persona, nodes = open_door(own_house.secrets["persona"]), own_house.nodes
    grant = NewGrant(nodes["Family"], "persona", nodes["Lawyer"], "read_write")
    await engine.memory(own_house.user.user_id).grants.give(grant)
    body = {"text": "A word of the lawyer.", "node_id": str(nodes["Family"])}
    assert (await persona.post(f"{own_house.home}/records", json=body)).status_code == 201
    _, totals, _ = await exported(door, own_house.home)
    assert (totals["lines"], totals["of_personas"]) == (5, 1)


async def test_an_unknown_user_is_not_found_and_a_new_one_has_nothing(door: httpx.AsyncClient, user: User) -> None:
    assert (await door.get(f"/v1/users/{uuid4()}/export")).status_code == 404
    found, totals, _ = await exported(door, f"/v1/users/{user.user_id}")
    assert found == [] and totals["done"]
