"""Imports over REST: each line is reported, bad ones stop no other, what comes again is stored once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx

from engine.domain.node import NewNode
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.contract.conftest import House, OpenDoor
from tests.contract.test_rest_slow_clients import HEAD, serving, until_closed

LINES = {"Content-Type": "application/x-ndjson"}


def conversation(name: str, turns: int = 2, **more: Any) -> dict[str, Any]:
    spoken = [{"speaker": "Bob", "text": f"Walleye {turn} of {name}.", "id": f"t{turn}"} for turn in range(turns)]
    return {"conversation": {"id": name, "turns": spoken, **more}}


def text(source_id: str | None, words: str, **more: Any) -> dict[str, Any]:
    return {"text": words, **({"source_id": source_id} if source_id else {}), **more}


def lines(*values: Any) -> bytes:
    return b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in values)


def answered(answer: httpx.Response) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    *reports, totals = [json.loads(line) for line in answer.text.splitlines()]
    assert totals["lines"] == len(reports)
    return reports, totals


async def imported(door: httpx.AsyncClient, home: str, *values: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    return answered(await door.post(f"{home}/import", content=lines(*values), headers=LINES))


async def test_each_line_is_reported_and_what_comes_again_is_stored_once(
    door: httpx.AsyncClient, memory: Memory, home_path: str
) -> None:
    file = [
        conversation("c1"),
        text("lease", "The lease ends in June."),
        text(None, "Walleyes bite at dusk."),
        conversation("c2", 1),
    ]
    reports, totals = await imported(door, home_path, *file)
    assert [(one["line"], one["status"], one["source_id"]) for one in reports[:2]] == [
        (1, "stored", "c1"),
        (2, "stored", "text:lease"),
    ]
    assert totals == {"done": True, "lines": 4, "stored": 4, "skipped": 0, "failed": 0, "forgotten": 0}
    found = (await door.get(f"{home_path}/assignments")).json()
    assert {one["record_id"] for one in found} == {record for report in reports for record in report["record_ids"]}
    again, totals = await imported(door, home_path, *file, conversation("c1", 3))
    assert [one["status"] for one in again] == ["skipped"] * 4 + ["stored"] and "record_ids" not in again[0]
    assert totals["stored"] == 1 and len(await memory.documents.list()) == 2


async def test_a_bad_line_stops_no_other(open_door: OpenDoor, home_path: str) -> None:
    door = open_door(max_text_bytes=20_000)
    bad = {
        2: (b"{not json\n", 422, "not JSON"),
        3: (b'{"text": "\xff"}\n', 422, "not UTF-8"),
        4: (lines(text("big", "x" * 200_000)), 413, "at most"),
        5: (lines({"text": "Two.", "conversation": conversation("c")["conversation"]}), 422, "exactly one"),
        6: (lines(text("n", "A word.", colour="red")), 422, "colour"),
        7: (b'{"text": "a\\u0000b"}\n', 422, "NUL"),
        8: (lines(text("m", "A word.", node_id=str(uuid4()))), 404, "no such node"),
        9: (b"[1]\n", 422, "A line is a JSON object."),
        11: (lines(text("s", "A word.", scope="thread")), 422, "scope"),
    }
    body = [text("first", "The first."), *(one[0] for one in bad.values())]
    body.insert(9, b"  \n")
    reports, totals = await imported(door, home_path, *body, text("last", "The last.", title="Last"))
    assert [one["line"] for one in reports] == [1, *bad, 12]
    assert (totals["stored"], totals["failed"], totals["done"]) == (2, len(bad), True)
    for report in reports[1:-1]:
        _, status, words = bad[report["line"]]
        assert (report["status"], report["problem"]["status"]) == ("failed", status), report
        assert words in report["problem"]["detail"] and report["problem"]["type"].startswith("urn:neurigraph:problem:")
    assert reports[5]["problem"]["errors"][0]["location"] == "colour"


async def test_a_line_that_is_too_long_fails_alone_where_no_more_bytes_may_be_held(
    open_door: OpenDoor, home_path: str
) -> None:
    door = open_door(max_text_bytes=20_000, bytes_at_once=20_000)

    async def pieces() -> AsyncIterator[bytes]:
        whole = lines(text("big", "x" * 60_000), text("last", "The last."))
        for start in range(0, len(whole), 1000):
            yield whole[start : start + 1000]

    reports, totals = answered(await door.post(f"{home_path}/import", content=pieces(), headers=LINES))
    assert (reports[0]["problem"]["status"], totals["stored"], totals["done"]) == (413, 1, True)


async def test_turns_that_were_changed_fail_and_the_last_line_needs_no_end(
    door: httpx.AsyncClient, home_path: str
) -> None:
    await imported(door, home_path, conversation("c1"))
    changed = conversation("c1")
    changed["conversation"]["turns"][0]["text"] = "Another fish."
    body = lines(changed, text("end", "No line feed.")).rstrip(b"\n")
    reports, _ = answered(await door.post(f"{home_path}/import", content=body, headers=LINES))
    assert [one["status"] for one in reports] == ["failed", "stored"]
    assert reports[0]["problem"]["status"] == 409


async def test_versions_of_a_document_in_one_file_are_imported_once(door: httpx.AsyncClient, home_path: str) -> None:
    file = [text("notes", f"The price is {price} dollars now.") for price in (10, 20, 30)]
    assert (await imported(door, home_path, *file))[1]["stored"] == 3
    assert (await imported(door, home_path, *file))[1]["skipped"] == 3
    [document] = (await door.get(f"{home_path}/documents")).json()
    assert document["version"] == 3
    back = {**file[0], "version": 4}  # the line says that it is the next one
    assert (await imported(door, home_path, back))[1]["stored"] == 1
    assert (await imported(door, home_path, back))[1]["skipped"] == 1


async def test_what_a_line_says_is_kept(door: httpx.AsyncClient, memory: Memory, home_path: str) -> None:
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Work"))
    sent = text("m1", "# Plan\n\nWe build two boats.", title="Plan", occurred_at="2024-05-03T10:00:00+02:00", file_name="plan.md",
                media_type="text/markdown", content_type="file_upload", node_id=str(node.node_id), privacy="private")  # fmt: skip
    reports, _ = await imported(door, home_path, sent, conversation("c", 1, started_at="2024-01-01"))
    [document] = (await door.get(f"{home_path}/documents")).json()
    assert (document["source_id"], document["title"], document["file_name"]) == ("file:m1", "Plan", "plan.md")
    assert document["node_id"] == str(node.node_id)
    records = (await door.get(f"{home_path}/nodes/{node.node_id}/metadata")).json()["records"]
    [found] = [one for one in records if [one["record_id"]] == reports[0]["record_ids"]]
    assert found["occurred_at"] == "2024-05-03T08:00:00Z"
    exported = (await door.get(f"{home_path}/export")).text.splitlines()
    assert {**sent, "occurred_at": "2024-05-03T08:00:00Z", "version": 1} in [
        {**json.loads(line), "node_id": str(node.node_id)} for line in exported
    ]


async def test_an_import_is_for_the_owner_alone(open_door: OpenDoor, house: House) -> None:
    neighbours = f"/v1/users/{house.neighbour.user_id}"
    for kind, home in (
        ("persona", house.home),
        ("third_party", house.home),
        ("administrator", house.home),
        ("user", neighbours),
    ):
        refused = await open_door(house.secrets[kind]).post(
            f"{home}/import", content=lines(text("a", "A.")), headers=LINES
        )
        unknown = await open_door(house.secrets[kind]).post(f"/v1/users/{uuid4()}/import", content=b"", headers=LINES)
        assert refused.status_code == unknown.status_code == 404
        assert refused.json()["detail"] == unknown.json()["detail"]
    own = open_door(house.secrets["user"])
    assert (
        answered(await own.post(f"{house.home}/import", content=lines(text("a", "A fish.")), headers=LINES))[1][
            "stored"
        ]
        == 1
    )
    assert (await own.post(f"{house.home}/import", json=text("a", "A fish."))).status_code == 415


async def test_lines_are_reported_before_the_body_has_ended(engine: Engine, home_path: str) -> None:
    async with serving(engine, body_timeout_s=30) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = HEAD.replace(b"/v1/users", f"{home_path}/import".encode()).replace(
            b"application/json", b"application/x-ndjson"
        )
        writer.write(head + b"Transfer-Encoding: chunked\r\n\r\n")
        for number in (1, 2):
            line = lines(text(f"n{number}", f"Walleye number {number}."))
            writer.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
            async with asyncio.timeout(30):
                await reader.readuntil(f'"line":{number},"status":"stored"'.encode())
        writer.write(b"0\r\n\r\n")
        async with asyncio.timeout(30):
            await reader.readuntil(b'"done":true')
        writer.close()


async def test_an_import_that_is_cut_is_sent_again(engine: Engine, door: httpx.AsyncClient, home_path: str) -> None:
    """What had arrived whole is stored or not; half a line never is."""
    file = lines(*(text(f"n{number}", f"Walleye number {number} of the lake.") for number in range(40)))
    async with serving(engine, body_timeout_s=30) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        head = HEAD.replace(b"/v1/users", f"{home_path}/import".encode()).replace(
            b"application/json", b"application/x-ndjson"
        )
        writer.write(head + f"Content-Length: {len(file)}\r\n\r\n".encode() + file[: len(file) // 2])
        await writer.drain()
        while not (await door.get(f"{home_path}/documents")).json():  # noqa: ASYNC110 (the server says nothing else)
            await asyncio.sleep(0.02)
        writer.transport.abort()
    _, totals = answered(await door.post(f"{home_path}/import", content=file, headers=LINES))
    assert totals["skipped"] >= 1 and totals["stored"] + totals["skipped"] == 40
    documents = (await door.get(f"{home_path}/documents")).json()
    assert sorted(one["source_id"] for one in documents) == sorted(f"text:n{number}" for number in range(40))


async def test_a_client_that_reads_nothing_before_the_end_is_no_deadlock(engine: Engine, home_path: str) -> None:
    """Reports of 4 MB: more than all buffers between server and client hold."""
    bad = b'{"colour": "%s"}\n' % (b"x" * 8)
    file = bad * 12_000
    async with serving(engine, body_timeout_s=30) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        head = HEAD.replace(b"/v1/users", f"{home_path}/import".encode()).replace(
            b"application/json", b"application/x-ndjson"
        )
        writer.write(head + b"Connection: close\r\n" + f"Content-Length: {len(file)}\r\n\r\n".encode() + file)
        async with asyncio.timeout(60):
            await writer.drain()
        await asyncio.sleep(1)
        reader._transport.resume_reading()  # type: ignore[attr-defined]
        received = await until_closed(reader)
    assert received.count(b'"status":"failed"') == 12_000 and b'"done":true,"lines":12000' in received


async def test_an_import_is_larger_than_any_other_body_and_has_a_limit(open_door: OpenDoor, home_path: str) -> None:
    door = open_door(max_text_bytes=20_000, bytes_at_once=20_000, max_import_bytes=60_000)

    async def parts() -> AsyncIterator[bytes]:
        for number in range(20):
            yield lines(text(f"n{number}", f"{number} " + "fish " * 400))

    path = f"{home_path}/import"
    _, totals = answered(await door.post(path, content=parts(), headers=LINES))
    assert totals["stored"] == 20
    refused = await door.post(path, content=b" " * 70_000, headers=LINES)
    assert refused.status_code == 413

    async def endless() -> AsyncIterator[bytes]:
        async for part in parts():
            yield part
        async for part in parts():
            yield part

    _, totals = answered(await door.post(path, content=endless(), headers=LINES))
    assert not totals["done"] and totals["problem"]["status"] == 413 and 20 < totals["skipped"] < 40
