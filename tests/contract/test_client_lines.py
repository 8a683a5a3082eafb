"""Import and export of lines by the clients."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from api.client import AsyncClient, Client, NotFound, NotReached, bulk
from engine.domain.written import ConversationBody, LineBody, TurnBody
from engine.neurigraph import Engine


async def test_lines_are_imported_and_exported_by_both_clients(engine: Engine, address: str) -> None:
    async with AsyncClient(address) as client:
        ann, bob = [await client.create_user(handle=f"b{uuid4().hex[:12]}") for _ in range(2)]
        turn = TurnBody(speaker="Ann", text="A line\u2028of two parts.", at=datetime(2024, 3, 9, tzinfo=UTC))
        file: list[Any] = [
            LineBody(conversation=ConversationBody(id="c1", turns=[turn])),
            {"text": "The lease ends in June.", "source_id": "lease"},
            '{"text": "Elm is hard."}\n',
            b"{not json",
        ]
        reports = [one async for one in client.import_lines(ann.user_id, file)]
        assert [(one.line, one.status) for one in reports] == [
            (1, "stored"),
            (2, "stored"),
            (3, "stored"),
            (4, "failed"),
        ]
        assert reports[3].problem is not None and reports[3].problem.status == 422
        exported = [one async for one in client.export_lines(ann.user_id)]
        assert exported[-1]["done"] and len(exported) == 4
        assert exported[0]["conversation"]["turns"][0]["text"] == turn.text
        with pytest.raises(NotFound):
            _ = [one async for one in client.export_lines(uuid4())]
    again = await asyncio.to_thread(_imported_in_parts, address, bob.user_id, exported)
    assert again == [(1, "stored"), (2, "stored"), (3, "stored")]


def _imported_in_parts(address: str, user_id: UUID, file: list[Any]) -> list[tuple[int, str]]:
    with Client(address) as client, pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk, "MOST_LINES", 2)
        reports = [(one.line, one.status) for one in client.import_lines(user_id, file)]
        assert list(client.export_lines(user_id))[:3] == file[:3]
        return reports


async def test_an_export_that_is_cut_is_no_answer() -> None:
    reply = httpx2.MockTransport(
        lambda _: httpx2.Response(200, text='{"text":"a"}\n', headers={"Content-Type": "application/x-ndjson"})
    )
    async with AsyncClient("http://localhost") as client:
        client._http = httpx2.AsyncClient(base_url="http://localhost", transport=reply)
        with pytest.raises(NotReached, match="was cut"):
            _ = [one async for one in client.export_lines("x")]
        with pytest.raises(NotReached, match="was cut"):
            _ = [one async for one in client.import_lines("x", ['{"text": "a"}'])]
