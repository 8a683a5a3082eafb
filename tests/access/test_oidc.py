"""Tokens of the operator's own issuer, which is a real HTTP server here: what lets a user in, and what never does."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from pydantic import SecretStr

from api.app import create_app
from engine.access.oidc import FetchPatience, Issuer, is_safe
from engine.domain.node import User
from engine.errors import ProviderUnavailable, SettingsError
from engine.lifecycle.rehydrate import Rehydration
from engine.neurigraph import Engine
from engine.settings import Settings
from tests.door import new_door

AUDIENCE = "neurigraph"
QUICK = FetchPatience(answer=30, keys=300, pause=0.2)
HASTY = FetchPatience(answer=1, keys=300, pause=0.2)
"""For an issuer that does not answer in time: the played one answers after `SLOW` seconds."""
SLOW = 300
KEYS = {
    "RS256": rsa.generate_private_key(65537, 2048),
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate(),
}
STRANGERS = {
    "RS256": rsa.generate_private_key(65537, 2048),
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate(),
}


def public(algorithm: str, key: Any, **members: Any) -> dict[str, Any]:
    made = jwt.get_algorithm_by_name(algorithm).to_jwk(key.public_key(), as_dict=True)
    return made | {"kid": algorithm, "alg": algorithm, "use": "sig"} | members


class Server:
    """Plays an issuer: discovery document and keys, or whatever trouble a test asks for."""

    def __init__(self) -> None:
        self.url = ""
        self.keys = [public(name, key) for name, key in KEYS.items()]
        self.changes: dict[str, Any] = {}
        self.trouble = ""
        self.asked: list[str] = []

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)[1].decode()
        self.asked.append(path)
        status, body = "200 OK", self._body(path)
        if self.trouble == "slow":
            await asyncio.sleep(SLOW)
        elif self.trouble == "500":
            status = "500 Broken"
        elif self.trouble == "moved":
            status = "302 Found\r\nLocation: /elsewhere"
        elif self.trouble:
            body = {
                "garbage": b"\xff\x00<html>",
                "deep": b"[" * 100_000,
                "list": b"[]",
                "long": b"[" + b"1," * 800_000,
            }[self.trouble]
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
        writer.close()

    def _body(self, path: str) -> bytes:
        if path.endswith("/.well-known/openid-configuration"):
            return json.dumps({"issuer": self.url, "jwks_uri": f"{self.url}/keys"} | self.changes).encode()
        return json.dumps({"keys": self.keys}).encode()

    def token(
        self, algorithm: str = "RS256", key: Any = None, header: dict[str, Any] | None = None, **claims: Any
    ) -> str:
        everything = {"iss": self.url, "aud": AUDIENCE, "sub": "bob", "exp": time.time() + 60} | claims
        kept = {name: value for name, value in everything.items() if value is not None}
        headers = {"kid": algorithm} | (header or {})
        return jwt.encode(
            kept, key or KEYS[algorithm], algorithm, headers={k: v for k, v in headers.items() if v is not None}
        )


@asynccontextmanager
async def running() -> AsyncIterator[Server]:
    played = Server()
    server = await asyncio.start_server(played.answer, "127.0.0.1", 0)
    played.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield played


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with running() as played:
        yield played


@pytest.fixture
def issuer(server: Server) -> Issuer:
    return Issuer(server.url, AUDIENCE, patience=QUICK)


@pytest.mark.parametrize("algorithm", KEYS)
async def test_a_good_token_names_its_user(server: Server, issuer: Issuer, algorithm: str) -> None:
    assert await issuer.handle_of(server.token(algorithm)) == "bob"
    assert await issuer.handle_of(server.token(algorithm, aud=["other", AUDIENCE], nbf=time.time() - 5)) == "bob"
    assert len(server.asked) == 2  # the document and the keys, once for both


async def test_the_claim_is_a_setting(server: Server) -> None:
    issuer = Issuer(server.url, AUDIENCE, claim="preferred_username")
    assert await issuer.handle_of(server.token(preferred_username="Zoë/1")) == "Zoë/1"
    assert await issuer.handle_of(server.token()) is None


def unsigned(claims: dict[str, Any], **header: Any) -> str:
    parts = (json.dumps({"typ": "JWT"} | header), json.dumps(claims))
    return ".".join(base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts) + "."


WRONG: dict[str, Any] = {
    "expired": lambda s: s.token(exp=time.time() - 61),
    "without an end": lambda s: s.token(exp=None),
    "an end that is no number": lambda s: s.token(exp="soon"),
    "an endless end": lambda s: s.token(exp=float("inf")),
    "not yet": lambda s: s.token(nbf=time.time() + 62),
    "issued in the future": lambda s: s.token(iat=time.time() + 90),
    "other audience": lambda s: s.token(aud="other"),
    "no audience": lambda s: s.token(aud=None),
    "other issuer": lambda s: s.token(iss="https://issuer.example"),
    "issuer with a slash": lambda s: s.token(iss=s.url + "/"),
    "no issuer": lambda s: s.token(iss=None),
    "nobody": lambda s: s.token(sub=None),
    "an empty handle": lambda s: s.token(sub=""),
    "a handle with NUL": lambda s: s.token(sub="bob\x00"),
    "half a surrogate pair": lambda s: s.token(sub="bob\ud800"),
    "a long handle": lambda s: s.token(sub="b" * 201),
    "a handle that is no text": lambda s: s.token(sub=7),
    "signed by a stranger": lambda s: s.token(key=STRANGERS["RS256"]),
    "a stranger's curve": lambda s: s.token("ES256", STRANGERS["ES256"]),
    "another key's id": lambda s: s.token("ES256", header={"kid": "RS256"}),
    "unknown key": lambda s: s.token(header={"kid": "none such"}),
    "no key id among several": lambda s: s.token("RS512", KEYS["RS256"], header={"kid": None}),
    "another algorithm than the key's": lambda s: s.token("RS512", KEYS["RS256"], header={"kid": "RS256"}),
    "the key id is an object": lambda s: unsigned({"sub": "bob"}, alg="RS256", kid={}),
    "alg none": lambda s: unsigned({"iss": s.url, "aud": AUDIENCE, "sub": "bob", "exp": time.time() + 60}, alg="none"),
    "alg None": lambda s: unsigned({"iss": s.url, "aud": AUDIENCE, "sub": "bob", "exp": time.time() + 60}, alg="None"),
    "no alg": lambda s: unsigned({"sub": "bob"}),
    "alg is a list": lambda s: unsigned({"sub": "bob"}, alg=["RS256"]),
    "HS256 with the public key": lambda s: confused(s),
    "critical header": lambda s: s.token(header={"crit": ["b64"], "b64": True}),
    "no signature": lambda s: s.token().rpartition(".")[0] + ".",
    "another signature": lambda s: s.token()[:-8] + "AAAAAAAA",
    "other claims": lambda s: ".".join(
        s.token().split(".")[i] if i != 1 else s.token(sub="eve").split(".")[1] for i in range(3)
    ),
    "four parts": lambda s: s.token() + ".x",
    "no parts": lambda s: "bob",
    "dots": lambda s: "..",
    "too long": lambda s: s.token(padding="x" * 20_000),
}


def confused(server: Server) -> str:
    """Signed with the public key as a shared secret: an old confusion."""
    secret = KEYS["RS256"].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    head, body, _ = unsigned(
        {"iss": server.url, "aud": AUDIENCE, "sub": "bob", "exp": time.time() + 60}, alg="HS256", kid="RS256"
    ).split(".")
    signature = jwt.get_algorithm_by_name("HS256").sign(f"{head}.{body}".encode(), secret)
    return f"{head}.{body}." + base64.urlsafe_b64encode(signature).decode().rstrip("=")


@pytest.mark.parametrize("what", WRONG)
async def test_whatever_is_wrong_gives_nobody(server: Server, issuer: Issuer, what: str) -> None:
    assert await issuer.handle_of(WRONG[what](server)) is None
    assert await issuer.handle_of(server.token()) == "bob"


async def test_the_skew_of_clocks_is_forgiven_both_ways(server: Server, issuer: Issuer) -> None:
    late, early = server.token(exp=time.time() - 55), server.token(nbf=time.time() + 55)
    assert await issuer.handle_of(late) == "bob" and await issuer.handle_of(early) == "bob"
    exact = Issuer(server.url, AUDIENCE, skew=0)
    assert await exact.handle_of(late) is None and await exact.handle_of(early) is None


@pytest.mark.filterwarnings("ignore:The RSA key is 1024 bits long")
async def test_a_shared_secret_or_a_weak_key_in_the_set_is_never_used(server: Server, issuer: Issuer) -> None:
    secret = base64.urlsafe_b64encode(b"s" * 32).decode().rstrip("=")
    weak = rsa.generate_private_key(65537, 1024)
    server.keys = [
        {"kty": "oct", "kid": "HS256", "k": secret},
        public("RS256", weak),
        {"kty": "RSA"},
        "x",
        public("ES256", KEYS["ES256"], use="enc"),
    ]
    assert await issuer.handle_of(jwt.encode({"sub": "bob"}, b"s" * 32, "HS256", headers={"kid": "HS256"})) is None
    assert await issuer.handle_of(server.token(key=weak)) is None
    assert await issuer.handle_of(server.token("ES256")) is None


async def test_a_single_key_needs_no_id_and_no_algorithm(server: Server, issuer: Issuer) -> None:
    server.keys = [{k: v for k, v in public("RS256", KEYS["RS256"]).items() if k not in ("kid", "alg", "use")}]
    assert await issuer.handle_of(server.token(header={"kid": None})) == "bob"
    assert await issuer.handle_of(server.token("RS512", KEYS["RS256"], header={"kid": None})) == "bob"


async def test_a_new_key_is_found_at_once_and_an_unknown_one_asked_for_seldom(server: Server, issuer: Issuer) -> None:
    assert await issuer.handle_of(server.token()) == "bob"
    await asyncio.sleep(QUICK.pause)
    server.keys = [public("RS256", STRANGERS["RS256"], kid="new")]
    assert await issuer.handle_of(server.token(key=STRANGERS["RS256"], header={"kid": "new"})) == "bob"
    assert await issuer.handle_of(server.token()) is None  # the old key was taken away
    before = len(server.asked)
    for number in range(50):
        assert await issuer.handle_of(server.token(header={"kid": f"made up {number}"})) is None
    assert len(server.asked) - before <= 2
    server.asked.clear()
    await asyncio.sleep(QUICK.pause)
    tokens = [server.token(header={"kid": f"at once {number}"}) for number in range(50)]
    await asyncio.gather(*(issuer.handle_of(token) for token in tokens))
    assert len(server.asked) == 2


async def test_keys_are_asked_for_again_when_they_are_old(server: Server) -> None:
    issuer = Issuer(server.url, AUDIENCE, patience=FetchPatience(answer=30, keys=0.1, pause=0.05))
    assert await issuer.handle_of(server.token()) == "bob"
    server.keys = []
    await asyncio.sleep(0.15)
    assert await issuer.handle_of(server.token()) is None


@pytest.mark.parametrize("trouble", ["slow", "500", "moved", "garbage", "deep", "list", "long"])
async def test_an_issuer_in_trouble_is_said_not_guessed(server: Server, trouble: str) -> None:
    issuer = Issuer(server.url, AUDIENCE, patience=HASTY if trouble == "slow" else QUICK)
    server.trouble = trouble
    started = time.monotonic()
    answers = await asyncio.gather(*(issuer.handle_of(server.token()) for _ in range(5)), return_exceptions=True)
    assert all(isinstance(answer, ProviderUnavailable) for answer in answers), answers
    assert time.monotonic() - started < SLOW / 10 and len(server.asked) <= 2  # one look for all
    server.trouble = ""
    await asyncio.sleep(QUICK.pause)
    assert await issuer.handle_of(server.token()) == "bob"
    server.trouble = trouble  # known keys go on while the issuer is away
    assert await issuer.handle_of(server.token()) == "bob"


@pytest.mark.parametrize(
    "changes",
    [
        {"issuer": "https://other.example"},
        {"jwks_uri": None},
        {"jwks_uri": "http://issuer.example/keys"},
        {"jwks_uri": "file:///etc/passwd"},
    ],
)
async def test_a_document_that_does_not_fit_is_not_followed(
    server: Server, issuer: Issuer, changes: dict[str, Any]
) -> None:
    server.changes = changes
    with pytest.raises(ProviderUnavailable):
        await issuer.handle_of(server.token())
    assert len(server.asked) == 1


async def test_an_issuer_that_is_not_there_is_said(server: Server) -> None:
    async with running() as gone:
        issuer, token = Issuer(gone.url, AUDIENCE, patience=QUICK), gone.token()
    with pytest.raises(ProviderUnavailable):
        await issuer.handle_of(token)


def test_keys_come_over_tls_or_from_this_machine() -> None:
    assert is_safe("https://issuer.example/realm") and is_safe("http://127.0.0.1:9000") and is_safe("http://[::1]:9000")
    for url in (
        "http://issuer.example",
        "http://127.0.0.1.example",
        "ftp://localhost",
        "issuer.example",
        "https://",
        "",
    ):
        assert not is_safe(url)
    with pytest.raises(SettingsError, match="AUDIENCE"):
        create_app(Settings(_env_file=None, oidc_issuer="https://issuer.example"))
    with pytest.raises(SettingsError, match="https"):
        create_app(Settings(_env_file=None, oidc_issuer="http://issuer.example", oidc_audience="a"))


@pytest.mark.ledger("N28")
async def test_over_rest_a_signed_token_opens_the_own_memory_alone(server: Server, engine: Engine, user: User) -> None:
    changes = {
        "oidc_issuer": server.url,
        "oidc_audience": AUDIENCE,
        "api_token": SecretStr("operator-7f3a91c05be2d864"),
    }
    app = new_door(engine.settings.model_copy(update=changes), engine=engine)
    other = await engine.workspace.users.create(f"{user.handle}-other")
    own = {"Authorization": f"Bearer {server.token(sub=user.handle)}"}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as door:
        home = f"/v1/users/{user.user_id}/nodes/{user.user_id}"
        assert (await door.get(home, headers=own)).json()["node_id"] == str(user.user_id)
        assert (await door.get(f"/v1/users/{other.user_id}/nodes/{other.user_id}", headers=own)).status_code == 404
        refused = [
            await door.get(home, headers={"Authorization": f"Bearer {token}"})
            for token in (
                server.token(sub="nobody here"),
                server.token(sub=user.handle, aud="x"),
                server.token(sub=user.handle) + "x",
                "",
            )
        ]
        assert {answer.status_code for answer in refused} == {401} and len({answer.text for answer in refused}) == 1


async def test_over_rest_events_end_with_the_token(server: Server, engine: Engine, user: User) -> None:
    changes = {"oidc_issuer": server.url, "oidc_audience": AUDIENCE, "oidc_skew_s": 0}
    app = new_door(engine.settings.model_copy(update=changes), engine=engine)
    memory = engine.memory(user.user_id)
    stored = (await memory.records.remember_text("Dusk", "The walleye rise at dusk.", node_id=user.user_id)).records[0]
    found = await engine.parts[Rehydration]._located(memory.principal, user.user_id, stored.file_id)
    await engine.states.claim(memory.principal, found, by_hand=False, lost=None, waited=None)
    path = f"/v1/users/{user.user_id}/nodes/{user.user_id}/files/{stored.file_id}/events?wait=15"
    own = {"Authorization": f"Bearer {server.token(sub=user.handle, exp=int(time.time()) + 3)}"}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost", timeout=60) as door:
        followed = await door.get(path, headers=own)
        assert (await door.get(path, headers=own)).status_code == 401
    assert followed.status_code == 200 and followed.text.startswith("event: state")
    assert followed.text.rstrip().split("\n")[-2] == "event: problem"


async def test_over_rest_a_silent_issuer_is_503(server: Server, engine: Engine, user: User) -> None:
    server.trouble = "500"
    settings = engine.settings.model_copy(update={"oidc_issuer": server.url, "oidc_audience": AUDIENCE})
    transport = httpx.ASGITransport(new_door(settings, engine=engine))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        answer = await door.get("/v1/users", headers={"Authorization": f"Bearer {server.token()}"})
        assert answer.status_code == 503 and answer.json()["type"].endswith("provider-unavailable")
        assert int(answer.headers["retry-after"]) >= 1
        assert (await door.get("/v1/users")).status_code == 200
