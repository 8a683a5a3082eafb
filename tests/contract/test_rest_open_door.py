"""The door without a token answers this machine, and no web page of another origin: by request or by a name of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import httpx
import pytest
from pydantic import SecretStr

from api.app import create_app
from engine.errors import SettingsError
from engine.settings import Settings

if TYPE_CHECKING:
    from tests.contract.conftest import OpenDoor

PAGE = "https://app.example.org"
ASKED = (
    ("GET", "/v1/users"),
    ("POST", "/v1/users"),
    ("GET", "/v1/users/{user}/ingests/{id}/events"),
    ("GET", "/v1/nothing"),
)
STRONG = "operator-7f3a91c05be2d864"


async def statuses(door: httpx.AsyncClient, headers: dict[str, str]) -> list[int]:
    statuses = []
    for method, path in ASKED:
        body: dict[str, Any] = {"json": {"handle": f"o{uuid4().hex[:12]}"}} if method == "POST" else {}
        there = path.format(user=uuid4(), id=uuid4())
        statuses.append((await door.request(method, there, headers=headers, **body)).status_code)
    return statuses


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": "http://localhost:3000"}, {"Origin": "http://localhost.evil.example"},
        {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
        {"Host": "rebound.example.com"}, {"Host": "rebound"}, {"Host": "127.0.0.1.evil.example"}, {"Host": "localhost.evil.example:8420"},
        {"Host": "192.168.1.2"}, {"Host": ""}, {"Host": "[::1"},
        {"Host": "rebound.example.com", "Origin": "http://rebound.example.com"},
        {"X-Forwarded-For": "127.0.0.1"}, {"Forwarded": "for=127.0.0.1"}, {"Via": "1.1 proxy"},
    ],
    ids=str,
)  # fmt: skip
async def test_foreign_pages_names_and_proxies_are_refused(open_door: OpenDoor, headers: dict[str, str]) -> None:
    door = open_door(rate_limit_per_minute=0)
    assert set(await statuses(door, headers)) == {403}
    answer = await door.get("/v1/users", headers=headers)
    assert answer.json()["type"] == "urn:neurigraph:problem:local-only"
    assert not any(name.startswith("access-control-") for name in answer.headers)


@pytest.mark.parametrize(
    "headers",
    [
        {}, {"Origin": "http://localhost"}, {"Host": "127.0.0.1:8420", "Origin": "http://127.0.0.1:8420"},
        {"Host": "app.localhost", "Sec-Fetch-Site": "same-origin"}, {"Host": "[::1]:8420"}, {"Sec-Fetch-Site": "none"},
    ],
    ids=str,
)  # fmt: skip
async def test_programs_and_own_pages_come_in(open_door: OpenDoor, headers: dict[str, str]) -> None:
    assert await statuses(open_door(rate_limit_per_minute=0), headers) == [200, 201, 404, 404]


async def test_an_origin_of_the_settings_comes_in(open_door: OpenDoor) -> None:
    door = open_door(rate_limit_per_minute=0, cors_origins=(PAGE,))
    fetched = {"Origin": PAGE, "Sec-Fetch-Site": "cross-site"}
    assert await statuses(door, fetched) == [200, 201, 404, 404]
    assert (await door.get("/v1/users", headers=fetched)).headers["access-control-allow-origin"] == PAGE
    assert set(await statuses(door, {"Origin": "https://evil.example"})) == {403}


@pytest.mark.parametrize(
    "token",
    ["x", "short", "twenty-three-characters", "a" * 64, "abcdefgh" * 8, "0123456789abcdefghijklmnop", "abababababababababababab1", "        x"],
)  # fmt: skip
@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])
def test_a_token_that_can_be_guessed_is_refused_at_the_start(token: str, host: str) -> None:
    with pytest.raises(SettingsError, match="NEURIGRAPH_API_TOKEN can be guessed: it needs at least 24"):
        create_app(Settings(_env_file=None, host=host, api_token=SecretStr(token)))


@pytest.mark.parametrize(
    "token", [STRONG, "4fd0c1b29a6e8573bb04e1d7", "correct horse battery staple", "Zm9vYmFyYmF6cXV4cXV1eA=="]
)
def test_a_token_that_cannot_is_accepted(token: str) -> None:
    create_app(Settings(_env_file=None, host="0.0.0.0", api_token=SecretStr(token)))
