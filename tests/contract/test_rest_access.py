"""Who may come in, and what every answer carries."""

from __future__ import annotations

import httpx
import pytest
from pydantic import SecretStr

from api.app import create_app
from api.headers import SECURITY_HEADERS, disposition
from engine.errors import SettingsError
from engine.neurigraph import Engine
from engine.settings import Settings
from tests.door import new_door

TOKEN = "t0ken-of-the-door-4b81d6"


def client(
    engine: Engine, *, token: str | None = None, peer: str = "127.0.0.1", host: str = "localhost:8420"
) -> httpx.AsyncClient:
    settings = engine.settings.model_copy(update={"api_token": SecretStr(token) if token else None})
    transport = httpx.ASGITransport(new_door(settings, engine=engine), client=(peer, 50000))
    return httpx.AsyncClient(transport=transport, base_url=f"http://{host}")


@pytest.mark.ledger("U02")
@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        (None, 401),
        ("", 401),
        ("Bearer", 401),
        ("Bearer ", 401),
        (f"Basic {TOKEN}", 401),
        (f"Bearer {TOKEN}x", 401),
        (f"Bearer {TOKEN[:-1]}", 401),
        ("Bearer \xfcml\xe4ut", 401),
        (f"Bearer {TOKEN}", 200),
        (f"bearer  {TOKEN}", 200),
    ],
)
async def test_with_a_token_everyone_needs_it(engine: Engine, authorization: str | None, status: int) -> None:
    async with client(engine, token=TOKEN) as door:
        headers = {"Authorization": authorization.encode("latin-1")} if authorization is not None else {}
        response = await door.get("/v1/users", headers=headers)
    assert response.status_code == status
    if status == 401:
        assert response.headers["www-authenticate"].startswith("Bearer")
        assert response.headers["content-type"] == "application/problem+json"
        assert response.headers["x-content-type-options"] == "nosniff"


async def test_without_the_token_unknown_paths_look_like_known_ones(engine: Engine) -> None:
    async with client(engine, token=TOKEN) as door:
        for path in ("/v1/users", "/v1/nothing", "/nothing"):  # "/" is the page for browsers, which has no data
            assert (await door.get(path)).status_code == 401
        for path in ("/v1/health/live", "/v1/health/ready", "/v1/openapi.json"):
            assert (await door.get(path)).status_code == 200


@pytest.mark.parametrize(
    ("peer", "host", "status"),
    [
        ("127.0.0.1", "localhost", 200),
        ("127.0.0.1", "127.0.0.1:8420", 200),
        ("::1", "[::1]:8420", 200),
        ("::ffff:127.0.0.1", "localhost", 200),
        ("10.0.0.7", "localhost", 403),
        ("2001:db8::1", "localhost", 403),
        ("127.0.0.1", "rebound.example.com", 403),
        ("127.0.0.1", "192.168.1.2:8420", 403),
        ("127.0.0.1", "[2001:db8::1]", 403),
    ],
)
async def test_without_a_configured_token_only_this_machine_comes_in(
    engine: Engine, peer: str, host: str, status: int
) -> None:
    async with client(engine, peer=peer, host=host) as door:
        assert (await door.get("/v1/users")).status_code == status
        assert (await door.get("/v1/health/live")).status_code == 200


def test_a_door_to_the_network_needs_a_token() -> None:
    with pytest.raises(SettingsError, match="NEURIGRAPH_API_TOKEN"):
        create_app(Settings(_env_file=None, host="0.0.0.0"))
    with pytest.raises(SettingsError, match="empty"):
        create_app(Settings(_env_file=None, api_token=SecretStr(" ")))
    create_app(Settings(_env_file=None, host="0.0.0.0", api_token=SecretStr(TOKEN)))


async def test_every_answer_carries_the_security_headers_and_none_for_other_origins(door: httpx.AsyncClient) -> None:
    origin = {"Origin": "https://example.com", "Access-Control-Request-Method": "POST"}
    for response in (
        await door.get("/v1/users", headers=origin),
        await door.get("/v1/nothing", headers=origin),
        await door.options("/v1/users", headers=origin),
    ):
        assert {name: response.headers[name] for name in SECURITY_HEADERS} == dict(SECURITY_HEADERS)
        assert not any(name.startswith("access-control-") for name in response.headers)


@pytest.mark.parametrize(
    "name",
    ["plain.txt", 'quo"te\\.txt', "línea\r\nSet-Cookie: x.txt", "日本語 😀.md", "../../etc/passwd", "\ud800.txt", ""],
)
def test_a_file_name_never_breaks_its_header(name: str) -> None:
    header = disposition(name)
    assert header.isascii() and header.isprintable()
    assert header.count('"') == 2 and "/" not in header
