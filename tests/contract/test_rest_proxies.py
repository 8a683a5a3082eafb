"""Whose failed attempts are counted where: the address that the connection comes from, and a proxy's word only where the
settings name the proxy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pydantic import SecretStr

from api.app import create_app
from engine.errors import SettingsError
from engine.settings import Settings

if TYPE_CHECKING:
    from tests.contract.conftest import OpenDoor

TOKEN = SecretStr("operator-7f3a91c05be2d864")


async def guesses(open_door: OpenDoor, peer: str, forwarded: list[str], trusted: tuple[str, ...] = ()) -> list[int]:
    """Answers to wrong tokens, one failure allowed in the time."""
    door = open_door("guess", peer=peer, api_token=TOKEN, rate_limit_per_minute=20, trusted_proxies=trusted)
    return [(await door.get("/v1/users", headers={"X-Forwarded-For": said})).status_code for said in forwarded]


async def test_what_a_client_says_of_itself_does_not_count(open_door: OpenDoor) -> None:
    assert await guesses(open_door, "10.0.0.7", ["1.1.1.1", "2.2.2.2", "127.0.0.1", ""]) == [401, 429, 429, 429]
    assert await guesses(open_door, "127.0.0.1", ["1.1.1.1", "2.2.2.2"]) == [401, 429]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("1.1.1.1", "2.2.2.2", False),
        ("9.9.9.1, 1.1.1.1", "9.9.9.2, 1.1.1.1", True),  # the left is what the client sent
        ("1.1.1.1, 10.1.2.3", "1.1.1.1, 10.9.9.9", True),  # proxies behind proxies
        ("1.1.1.1:4711", "1.1.1.1", True),
        ("[2001:db8::1]:80", "2001:db8::2", True),  # one /64
        ("1.1.1.1, forged", "2.2.2.2, forged", True),  # unreadable: it counts for the proxy
        ("::ffff:1.1.1.1", "1.1.1.1", True),
        ("", "not an address", True),
    ],
)
async def test_a_trusted_proxy_names_the_client(open_door: OpenDoor, first: str, second: str, same: bool) -> None:
    trusted = ("10.0.0.0/8", "2001:db8:ffff::/48")
    assert await guesses(open_door, "10.0.0.1", [first, second], trusted) == [401, 429 if same else 401]


async def test_another_peer_is_not_believed_what_a_trusted_one_is(open_door: OpenDoor) -> None:
    assert await guesses(open_door, "11.0.0.1", ["1.1.1.1", "2.2.2.2"], ("10.0.0.0/8",)) == [401, 429]


def test_networks_are_read_from_the_environment_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEURIGRAPH_TRUSTED_PROXIES", "10.0.0.0/8, ::1,")
    settings = Settings(_env_file=None, api_token=TOKEN)
    assert settings.trusted_proxies == ("10.0.0.0/8", "::1")
    create_app(settings)
    for wrong in ("proxy.example.org", "10.0.0.1/8", "*"):
        with pytest.raises(SettingsError, match="NEURIGRAPH_TRUSTED_PROXIES"):
            create_app(Settings(_env_file=None, api_token=TOKEN, trusted_proxies=(wrong,)))
    with pytest.raises(SettingsError, match="needs NEURIGRAPH_API_TOKEN"):
        create_app(Settings(_env_file=None))
