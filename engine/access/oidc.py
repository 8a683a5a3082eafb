"""Verifies JSON web tokens (JWT) of the operator's OpenID Connect issuer: signature, audience, expiry.

    handle_of   the claim that names the user, from a valid token; else None, without a reason
    _Keys       the issuer's public keys, found through its discovery document, kept for a while

Only asymmetric signatures are accepted: a token cannot choose `none`, nor use a public key as a shared secret.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
import jwt

from engine.errors import ProviderUnavailable

FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "EC"),
    "EdDSA": "OKP",
}
"""The signatures that are accepted, with the kind of key that each needs."""
LONGEST_TOKEN = 16_384
LONGEST_ANSWER = 1 << 20
"""Bytes of a discovery document or key set that are read at most."""
MOST_KEYS = 100
SILENT = "The token issuer does not answer."

Jwk = dict[str, Any]
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FetchPatience:
    """Seconds: timeout of a fetch, age at which keys are fetched again, least time between two fetches."""

    answer: float = 5
    keys: float = 300
    pause: float = 10


class Issuer:
    """Reads the tokens of one issuer, for one audience."""

    def __init__(
        self, url: str, audience: str, *, claim: str = "sub", skew: float = 60, patience: FetchPatience | None = None
    ) -> None:
        self._url, self._audience, self._claim, self._skew = url, audience, claim, skew
        self._keys = _Keys(url, patience or FetchPatience())

    async def handle_of(self, token: str) -> str | None:
        """The handle that a valid token names; None for any other. Raises ProviderUnavailable when the keys to
        verify it cannot be fetched."""
        header = _header(token)
        if header is None:
            return None
        key = await self._keys.find(header["alg"], header.get("kid"))
        if key is None:
            return None
        try:
            claims = jwt.decode(
                token,
                jwt.PyJWK(key, header["alg"]),
                algorithms=[header["alg"]],
                audience=self._audience,
                issuer=self._url,
                leeway=self._skew,
                options={"require": ["exp", "iss", "aud", self._claim], "enforce_minimum_key_length": True},
            )
        except (jwt.PyJWTError, ValueError, TypeError, KeyError, OverflowError):
            return None
        return _handle(claims[self._claim])


def is_token(credential: str) -> bool:
    """Whether a credential has the shape of a signed token."""
    return credential.count(".") == 2 and len(credential) <= LONGEST_TOKEN


def is_safe(url: str) -> bool:
    """Whether keys may be fetched from there: over TLS, or from this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    own = host in ("localhost", "127.0.0.1", "::1")
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and own))


class _Keys:
    """The issuer's keys. One fetch at a time; callers that waited share its result, also its failure."""

    def __init__(self, issuer: str, patience: FetchPatience) -> None:
        self._issuer, self._patience = issuer, patience
        self._keys: list[Jwk] = []
        self._fetched_at = self._looked_at = -math.inf
        self._looking = asyncio.Lock()

    async def find(self, algorithm: str, key_id: object) -> Jwk | None:
        """The key of that id for that algorithm; for an unknown one the keys are fetched once."""
        if time.monotonic() - self._fetched_at >= self._patience.keys:
            await self._look()
        found = self._held(algorithm, key_id)
        if found is None and await self._look():
            found = self._held(algorithm, key_id)
        return found

    def _held(self, algorithm: str, key_id: object) -> Jwk | None:
        fitting = [key for key in self._keys if _fits(key, algorithm)]
        if key_id is None:
            return fitting[0] if len(fitting) == 1 else None
        return next((key for key in fitting if key.get("kid") == key_id), None)

    async def _look(self) -> bool:
        """Fetches the keys; False where that was just done. Raises ProviderUnavailable, also for the last fetch."""
        asked_at = time.monotonic()
        async with self._looking:
            if time.monotonic() - self._looked_at < self._patience.pause:
                if self._looked_at > self._fetched_at:
                    raise ProviderUnavailable(SILENT)
                return self._looked_at >= asked_at
            try:
                self._keys = await _fetched(self._issuer, self._patience.answer)
            except ProviderUnavailable:
                self._looked_at = time.monotonic()
                raise
            self._fetched_at = self._looked_at = time.monotonic()
            return True


async def _fetched(issuer: str, patience: float) -> list[Jwk]:
    """The issuer's keys, by way of its discovery document; raises ProviderUnavailable."""
    try:
        async with asyncio.timeout(patience), httpx.AsyncClient(timeout=patience) as client:
            document = await _json(client, issuer.rstrip("/") + "/.well-known/openid-configuration")
            place = document.get("jwks_uri")
            if document.get("issuer") != issuer or not isinstance(place, str) or not is_safe(place):
                raise ValueError("its discovery document is invalid")
            keys = (await _json(client, place)).get("keys")
            if not isinstance(keys, list):
                raise ValueError("its key set holds no keys")
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError, RecursionError) as error:
        _log.warning("The token issuer cannot be used: %s", error or type(error).__name__)
        raise ProviderUnavailable(SILENT) from error
    return [key for key in keys if isinstance(key, dict)][:MOST_KEYS]


async def _json(client: httpx.AsyncClient, url: str) -> dict[str, Any]:
    """One JSON object. Raises httpx.HTTPError, and ValueError for any other answer."""
    content = bytearray()
    async with client.stream("GET", url, headers={"Accept": "application/json"}) as response:
        if response.status_code != 200:
            raise ValueError(f"it answered {response.status_code}")
        async for part in response.aiter_bytes():
            content += part
            if len(content) > LONGEST_ANSWER:
                raise ValueError("its answer is too long")
    value = json.loads(content)
    if not isinstance(value, dict):
        raise ValueError("its answer is no JSON object")
    return value


def _header(token: str) -> dict[str, Any] | None:
    """The unverified header of a token; it only chooses among known keys and algorithms. None for an invalid one."""
    if not is_token(token):
        return None
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError):
        return None
    algorithm = header.get("alg")
    if not isinstance(algorithm, str) or algorithm not in FAMILIES or "crit" in header:
        return None
    return header


def _fits(key: Jwk, algorithm: str) -> bool:
    own, use = key.get("alg", algorithm), key.get("use", "sig")
    return key.get("kty") == FAMILIES[algorithm] and own == algorithm and use == "sig"


def _handle(value: object) -> str | None:
    """A claim that can be a handle: text that a database can hold."""
    if not isinstance(value, str) or not 1 <= len(value) <= 200 or "\x00" in value:
        return None
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return None
    return value
