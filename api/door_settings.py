"""Checks the settings before the REST API starts."""

from __future__ import annotations

import re
from itertools import pairwise

from api.peer import is_loopback, networks
from engine.errors import SettingsError
from engine.operations.authenticating import Authentication
from engine.settings import Settings

SHORTEST_TOKEN = 24
FEWEST_CHARACTERS = 8
"""Different characters in a token; 24 random hexadecimal digits have fewer once in 10,000 tokens."""
FEWEST_STEPS = 5
"""Different distances between neighbouring characters: `abcdef…` has one."""

_ORIGIN = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?")


def check_settings(settings: Settings) -> None:
    """Raises SettingsError if a network or any web page could use the API, or credentials could be guessed or forged."""
    _check_token(settings)
    networks(settings.trusted_proxies)
    for origin in settings.cors_origins:
        if not _ORIGIN.fullmatch(origin):
            raise SettingsError(f"NEURIGRAPH_CORS_ORIGINS: {origin} is not an origin like https://app.example.org.")
    Authentication(settings)


def _check_token(settings: Settings) -> None:
    if settings.api_token is None:
        if not is_loopback(settings.host):
            raise SettingsError(
                f"NEURIGRAPH_HOST {settings.host} can be reached from other machines: set NEURIGRAPH_API_TOKEN, "
                "or listen on 127.0.0.1."
            )
        if settings.trusted_proxies:
            raise SettingsError("NEURIGRAPH_TRUSTED_PROXIES needs NEURIGRAPH_API_TOKEN: proxies bring remote clients.")
        return
    token = settings.api_token.get_secret_value().strip()
    if not token:
        raise SettingsError("NEURIGRAPH_API_TOKEN is empty.")
    if len(token) < SHORTEST_TOKEN or not _is_varied(token):
        raise SettingsError(
            f"NEURIGRAPH_API_TOKEN can be guessed: it needs at least {SHORTEST_TOKEN} characters that do not repeat "
            "themselves. `openssl rand -hex 32` makes one."
        )


def _is_varied(token: str) -> bool:
    steps = {ord(right) - ord(left) for left, right in pairwise(token)}
    repeated = token in (token + token)[1:-1]
    return len(set(token)) >= FEWEST_CHARACTERS and len(steps) >= FEWEST_STEPS and not repeated
