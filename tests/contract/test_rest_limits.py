"""How often somebody may ask, how much may be sent, and which web pages may."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import httpx
import pytest
from pydantic import SecretStr

from api.app import create_app
from api.headers import SECURITY_HEADERS
from api.limits import MOST_BUCKETS, RateLimit
from engine.errors import SettingsError
from engine.settings import Settings

if TYPE_CHECKING:
    from tests.contract.conftest import House, OpenDoor

PAGE = "https://app.example.org"
ASKS = {
    "Origin": PAGE,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type",
}


def refused(response: httpx.Response) -> int:
    """The seconds that a refused request has to wait."""
    assert response.status_code == 429, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["type"] == "urn:neurigraph:problem:too-many-requests"
    return int(response.headers["retry-after"])


class TestBuckets:
    """The arithmetic, on a clock of its own."""

    def test_a_bucket_empties_and_fills_evenly(self) -> None:
        now = 0.0
        limit = RateLimit(60, lambda: now)
        assert [limit.take("a") for _ in range(61)] == [0] * 60 + [1]
        assert limit.take("b") == 0
        now = 0.5
        assert limit.take("a") == 1
        now = 1.0
        assert [limit.take("a") for _ in range(2)] == [0, 1]
        now = 1000.0
        assert [limit.take("a") for _ in range(61)] == [0] * 60 + [1]

    def test_the_wait_is_whole_seconds_rounded_up(self) -> None:
        now = 0.0
        limit = RateLimit(1, lambda: now)
        assert limit.take("a") == 0 and limit.take("a") == 60
        now = 59.5
        assert limit.wait("a") == 1
        now = 60.0
        assert limit.wait("a") == 0

    def test_a_limit_of_0_is_none(self) -> None:
        limit = RateLimit(0)
        assert not any(limit.take("a") for _ in range(10_000)) and not limit._buckets

    def test_memory_is_bounded_and_forgets_who_asked_longest_ago(self) -> None:
        limit = RateLimit(1, lambda: 0.0)
        for number in range(MOST_BUCKETS + 100):
            limit.take(number)
        assert len(limit._buckets) == MOST_BUCKETS
        assert limit.wait(0) == 0 and limit.wait(MOST_BUCKETS) == 60


async def test_each_principal_has_a_limit_of_its_own(open_door: OpenDoor, house: House) -> None:
    changes = {"rate_limit_per_minute": 4, "api_token": SecretStr("operator-7f3a91c05be2d864")}
    path = f"/v1/users/by-handle/{house.user.handle}"
    for bearer in ("operator-7f3a91c05be2d864", house.secrets["user"], house.secrets["administrator"]):
        door = open_door(bearer, **changes)
        assert [(await door.get(path)).status_code for _ in range(4)] == [200] * 4
        assert 1 <= refused(await door.get(path)) <= 15
        assert (await door.get("/v1/health/live")).status_code == 200
    assert (await open_door(house.secrets["persona"], **changes).get(path)).status_code == 404


async def test_without_a_token_this_machine_has_a_limit_too(open_door: OpenDoor) -> None:
    door = open_door(rate_limit_per_minute=2)
    assert [(await door.get("/v1/users")).status_code for _ in range(3)] == [200, 200, 429]


async def test_failed_attempts_are_counted_for_each_address(open_door: OpenDoor, house: House) -> None:
    changes = {"rate_limit_per_minute": 60, "api_token": SecretStr("operator-7f3a91c05be2d864")}
    path = f"{house.home}/edges"
    known = open_door(house.secrets["user"], peer="10.0.0.7", **changes)
    assert (await known.get(path)).status_code == 200
    for number in range(3):
        assert (await open_door(f"ngt_{number}", peer="10.0.0.7", **changes).get(path)).status_code == 401
    assert 1 <= refused(await open_door("ngt_guess", peer="10.0.0.7", **changes).get(path)) <= 20
    refused(await open_door(None, peer="10.0.0.7", **changes).get(path))
    assert (await open_door("ngt_guess", peer="10.0.0.8", **changes).get(path)).status_code == 401
    # Who came in before, and the operator, are not kept out by a neighbour that guesses.
    assert (await known.get(path)).status_code == 200
    assert (await open_door("operator-7f3a91c05be2d864", peer="10.0.0.7", **changes).get(path)).status_code == 200


async def test_one_network_of_ipv6_is_one_client(open_door: OpenDoor) -> None:
    changes = {"rate_limit_per_minute": 20, "api_token": SecretStr("operator-7f3a91c05be2d864")}
    statuses = [
        (await open_door("guess", peer=peer, **changes).get("/v1/users")).status_code
        for peer in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")
    ]
    assert statuses == [401, 429, 401]


async def test_a_body_that_is_too_long_is_refused_before_it_is_read(open_door: OpenDoor, house: House) -> None:
    door = open_door(house.secrets["user"], max_text_bytes=2000)
    assert (await door.post(f"{house.home}/records", json={"text": "x" * 2000})).status_code == 413
    stranger = open_door("ngt_none", max_text_bytes=2000)
    assert (await stranger.post(f"{house.home}/records", json={"text": "x" * 2000})).status_code == 401


class TestOrigins:
    """Web pages of other origins."""

    async def test_a_page_may_read_every_header_that_the_document_names(self, open_door: OpenDoor) -> None:
        door = open_door(cors_origins=(PAGE,))
        exposed = (await door.get("/v1/users", headers={"Origin": PAGE})).headers["access-control-expose-headers"]
        document = create_app(Settings(_env_file=None)).openapi()
        operations = [operation for methods in document["paths"].values() for operation in methods.values()]
        answers = [answer for operation in operations for answer in operation["responses"].values()]
        answers += document["components"]["responses"].values()
        sent = {name for answer in answers for name in answer.get("headers", {})}
        assert sent - {"Content-Length"} <= set(exposed.split(", ")) and "Neurigraph-Part" in sent

    async def test_a_page_may_send_every_method_and_header_that_the_document_names(self, open_door: OpenDoor) -> None:
        door = open_door(cors_origins=(PAGE,))
        document = create_app(Settings(_env_file=None)).openapi()
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                headers = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "header"]
                wanted = ",".join(["Authorization", "Content-Type", *headers])
                asks = ASKS | {
                    "Access-Control-Request-Method": method.upper(),
                    "Access-Control-Request-Headers": wanted,
                }
                assert (await door.options(path, headers=asks)).status_code == 200, (method, path, wanted)

    async def test_none_may_ask_by_default(self, open_door: OpenDoor) -> None:
        for answer in (
            await open_door().options("/v1/users", headers=ASKS),
            await open_door().get("/v1/users", headers=ASKS),
        ):
            assert not any(name.startswith("access-control-") for name in answer.headers)

    async def test_exactly_those_of_the_settings_may_and_send_no_cookies(self, open_door: OpenDoor) -> None:
        changes = {"cors_origins": (PAGE,), "api_token": SecretStr("operator-7f3a91c05be2d864")}
        door = open_door(**changes)
        asked = await door.options("/v1/users", headers=ASKS)
        assert asked.status_code == 200 and asked.headers["access-control-allow-origin"] == PAGE
        for answer in (
            asked,
            await door.get("/v1/users", headers={"Origin": PAGE}),  # the page may read why it was refused
            await open_door("operator-7f3a91c05be2d864", **changes).get("/v1/users", headers={"Origin": PAGE}),
        ):
            assert answer.headers["access-control-allow-origin"] == PAGE
            assert "access-control-allow-credentials" not in answer.headers
            assert {name: answer.headers[name] for name in SECURITY_HEADERS} == dict(SECURITY_HEADERS)
        for origin in (
            "https://app.example.org.evil.example",
            "http://app.example.org",
            "https://app.example.org:8443",
            "null",
        ):
            for answer in (
                await door.options("/v1/users", headers=ASKS | {"Origin": origin}),
                await open_door("operator-7f3a91c05be2d864", **changes).get("/v1/users", headers={"Origin": origin}),
            ):
                assert "access-control-allow-origin" not in answer.headers

    @pytest.mark.parametrize(
        "origin", ["*", "https://*.example.org", "https://app.example.org/", "app.example.org", "null", "https://a b"]
    )
    def test_what_is_no_origin_is_refused_at_the_start(self, origin: str) -> None:
        with pytest.raises(SettingsError, match="ORIGINS"):
            create_app(Settings(_env_file=None, cors_origins=(origin,)))

    def test_the_setting_is_a_list_with_commas(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NEURIGRAPH_CORS_ORIGINS", f"{PAGE}, http://[::1]:3000,")
        assert Settings(_env_file=None).cors_origins == (PAGE, "http://[::1]:3000")
        create_app(Settings(_env_file=None))


async def test_an_unknown_user_costs_as_much_as_a_known_one(open_door: OpenDoor, house: House) -> None:
    door = open_door(house.secrets["user"], rate_limit_per_minute=2)
    answers = [
        await door.get(f"/v1/users/{who}/edges") for who in (house.neighbour.user_id, uuid4(), house.user.user_id)
    ]
    assert [answer.status_code for answer in answers] == [404, 404, 429]
