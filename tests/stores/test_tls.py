"""TLS to all three stores with an authority of one's own: a Neo4j and an S3 server that speak nothing else, and the
embedded Postgres behind a door that ends TLS for it, because its shipped program is built without OpenSSL."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from psycopg import conninfo
from pydantic import SecretStr

from engine.domain.history import Conversation, Turn
from engine.domain.search import SearchRequest
from engine.embedded import attached
from engine.embedded.downloads import NEO4J, read_lock
from engine.embedded.java import find_java
from engine.embedded.layout import Cache
from engine.embedded.neo4j_server import Neo4jServer
from engine.errors import SettingsError, StoreUnavailable
from engine.neurigraph import Engine
from engine.progress import Silent
from engine.settings import Settings
from engine.stores import postgres
from engine.stores.neo4j import Neo4j
from engine.stores.objects import object_store
from engine.wiring.addresses import request_url
from engine.wiring.open_engine import open_engine
from tests.certificates import Authority, Signed
from tests.ports import free_port
from tests.s3_server import CREDENTIALS, s3_server
from tests.stores.mirrored import one_compressed_object_a_file

LOOPBACK, PASSWORD = "127.0.0.1", "neo4j-over-tls"
SSL_REQUEST, GSS_REQUEST = 80877103, 80877104
BOLT_OVER_TLS = """\
server.bolt.tls_level=REQUIRED
dbms.ssl.policy.bolt.enabled=true
dbms.ssl.policy.bolt.base_directory={folder}
dbms.ssl.policy.bolt.private_key=server.key
dbms.ssl.policy.bolt.public_certificate=server.crt
dbms.ssl.policy.bolt.client_auth=NONE
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module")
def own(folder: Path) -> Authority:
    """The authority that signed all three servers' certificates."""
    return Authority(folder, "own")


@pytest.fixture(scope="module")
def foreign(folder: Path) -> Authority:
    """An authority that signed none of them."""
    return Authority(folder, "foreign")


@pytest.fixture(scope="module")
def signed(own: Authority) -> Signed:
    return own.signed("server")


@dataclass
class Door:
    """Ends TLS in front of a Postgres, as a pooler or a cloud's proxy does. Knocks without TLS are turned away."""

    signed: Signed
    behind: int
    port: int = 0
    encrypted: int = 0
    plain: int = 0
    pipes: set[asyncio.Task[None]] = field(default_factory=set)

    async def enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            code = struct.unpack("!II", await reader.readexactly(8))[1]
            if code == GSS_REQUEST:
                writer.write(b"N")
                code = struct.unpack("!II", await reader.readexactly(8))[1]
            if code == SSL_REQUEST:
                writer.write(b"S")
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(self.signed.certificate, self.signed.key)
                await writer.start_tls(context)
                self.encrypted += 1
                inner_reader, inner_writer = await asyncio.open_connection(LOOPBACK, self.behind)
                await asyncio.gather(_pipe(reader, inner_writer), _pipe(inner_reader, writer))
            else:
                self.plain += 1
        writer.close()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while block := await reader.read(1 << 16):
            writer.write(block)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def standing(signed: Signed, behind: int) -> AsyncIterator[Door]:
    door = Door(signed, behind)
    server = await asyncio.start_server(door.enter, LOOPBACK, 0)
    door.port = server.sockets[0].getsockname()[1]
    yield door
    server.close()


@pytest.fixture(scope="module")
async def door(signed: Signed, stack) -> AsyncIterator[Door]:
    async with standing(signed, int(conninfo.conninfo_to_dict(stack.postgres_url)["port"])) as door:
        yield door


@pytest.fixture(scope="module")
async def stack(engine: Engine, settings: Settings):
    async with attached(settings.home, settings.cache, progress=Silent()) as stack:
        yield stack


@pytest.fixture(scope="module")
async def postgres_url(door: Door, stack) -> str:
    """A database of this module's own, through the door."""
    async with await psycopg.AsyncConnection.connect(stack.postgres_admin_url, autocommit=True) as connection:
        await connection.execute("CREATE DATABASE over_tls OWNER neurigraph_owner")
    url = conninfo.make_conninfo(stack.postgres_admin_url, dbname="over_tls")
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute("CREATE EXTENSION vector")
    return conninfo.make_conninfo(stack.postgres_url, dbname="over_tls", port=str(door.port))


@pytest.fixture(scope="module")
async def neo4j_port(folder: Path, signed: Signed, own: Authority, settings: Settings) -> AsyncIterator[int]:
    """A second Neo4j, whose Bolt speaks TLS only."""
    cache, home = Cache(settings.cache), folder / "neo4j"
    home.mkdir(mode=0o700)
    java = find_java(cache, read_lock(NEO4J).paths(cache.jars))
    server = Neo4jServer(java, home, folder / "neo4j.log", free_port(), None, PASSWORD)
    await server.initialise()
    certificates = home / "certificates"
    certificates.mkdir()
    for file in (signed.certificate, signed.key):
        shutil.copy(file, certificates)
    with (home / "conf" / "neo4j.conf").open("a") as configuration:
        configuration.write(BOLT_OVER_TLS.format(folder=certificates))
    process = await server.start()
    try:
        async with asyncio.timeout(180):
            await _until_answering(server.bolt, own, process)
        yield server.bolt
    finally:
        await server.stop(process)


async def _until_answering(port: int, own: Authority, process: asyncio.subprocess.Process) -> None:
    while True:
        assert process.returncode is None
        graph = graph_store(f"bolt://{LOOPBACK}:{port}", own.file)
        try:
            return await graph.open()
        except StoreUnavailable:
            await asyncio.sleep(0.2)
        finally:
            await graph.close()


def graph_store(url: str, authority: Path | None) -> Neo4j:
    return Neo4j(url, ("neo4j", PASSWORD), database="neo4j", pool=2, timeout=5, connect_timeout=5, authority=authority)


@pytest.fixture(scope="module")
def s3(folder: Path, signed: Signed) -> Iterator[str]:
    with s3_server(folder / "s3", signed) as address:
        yield address


@pytest.fixture(scope="module")
def encrypted(settings: Settings, neo4j_port: int, postgres_url: str, own: Authority, folder: Path) -> Settings:
    """Settings that reach the databases over TLS; the objects lie in a folder."""
    return settings.model_copy(
        update={
            "home": folder / "unused",
            "neo4j_url": f"bolt://{LOOPBACK}:{neo4j_port}",
            "neo4j_password": SecretStr(PASSWORD),
            "neo4j_ca": own.file,
            "postgres_url": SecretStr(postgres_url),
            "postgres_ca": own.file,
            "objects_url": SecretStr((folder / "objects").as_uri()),
            "connect_timeout_s": 3.0,
        }
    )


def with_s3(encrypted: Settings, s3: str, own: Authority) -> Settings:
    hot, cold = (SecretStr(f"s3://{CREDENTIALS}@{s3}/{bucket}") for bucket in ("memories", "old-memories"))
    return encrypted.model_copy(update={"objects_url": hot, "objects_cold_url": cold, "objects_ca": own.file})


@pytest.mark.ledger("N10", "U07")
async def test_a_memory_lives_on_three_stores_over_tls(
    encrypted: Settings, s3: str, own: Authority, door: Door
) -> None:
    async with open_engine(with_s3(encrypted, s3, own), warming=False) as engine:
        user = await engine.workspace.users.create("tls")
        memory = engine.memory(user.user_id)
        await memory.records.remember(Conversation("c", (Turn("Ann", "The walleye of Loon Lake."),)))
        assert len((await memory.search(SearchRequest("walleye"))).hits) == 1
        record = (await memory.nodes.metadata(user.user_id)).records[0]
        for cold in (False, True):
            kept = [entry async for entry in engine.objects.listing("") if "/warm/" not in entry.key]
            assert [entry.cold for entry in kept] == [cold]
            assert record.file_id and b"walleye" in await memory.files.read(user.user_id, record.file_id)
            assert await engine.doctor.examine() == []
            async for entry in engine.objects.listing(""):
                await engine.objects.move(entry.key, cold=True)
        await one_compressed_object_a_file(engine, await engine.workspace.users.create("mirrored"))
    assert door.encrypted >= 2 and door.plain == 0


async def opened(settings: Settings) -> None:
    async with open_engine(settings):
        raise AssertionError("opened")


async def test_postgres_is_refused_by_another_authority_for_another_host_and_without_tls(
    encrypted: Settings, own: Authority, foreign: Authority, stack, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "OPENING", 3.0)
    url = encrypted.postgres_url.get_secret_value()
    async with (
        standing(own.signed("elsewhere", host="db.example.org"), door.behind) as elsewhere,
        standing(foreign.signed("impostor"), door.behind) as impostor,
    ):
        # at once, because each waits a while for a better answer
        await asyncio.gather(
            refused(encrypted, postgres_ca=foreign.file),
            refused(encrypted, postgres_url=conninfo.make_conninfo(url, port=str(elsewhere.port))),
            refused(encrypted, postgres_request_url=conninfo.make_conninfo(request_url(url), port=str(impostor.port))),
            refused(encrypted, postgres_url=stack.postgres_url),
        )
        assert (elsewhere.plain, impostor.plain, door.plain) == (0, 0, 0)


async def refused(settings: Settings, **change: str | Path) -> None:
    wrapped = {name: value if isinstance(value, Path) else SecretStr(value) for name, value in change.items()}
    with pytest.raises(StoreUnavailable, match="metadata store"):
        await opened(settings.model_copy(update=wrapped))


@pytest.mark.parametrize("scheme", ["bolt", "bolt+s", "neo4j", "neo4j+s"])
async def test_each_scheme_of_neo4j_takes_the_authority(
    neo4j_port: int, own: Authority, foreign: Authority, scheme: str
) -> None:
    url = f"{scheme}://{LOOPBACK}:{neo4j_port}"
    trusting, wary = graph_store(url, own.file), graph_store(url, foreign.file)
    try:
        await trusting.open()
        with pytest.raises(StoreUnavailable, match="NEURIGRAPH_NEO4J_CA"):
            await wary.open()
    finally:
        await trusting.close()
        await wary.close()


async def test_neo4j_is_refused_for_another_host_name_without_tls_and_without_the_authority(
    neo4j_port: int, own: Authority, stack
) -> None:
    for url, authority, says in (
        (f"bolt://localhost:{neo4j_port}", own.file, "certificate"),
        (stack.neo4j_url, own.file, "ask for TLS.*speaks none"),
        (f"bolt+s://{LOOPBACK}:{neo4j_port}", None, "certificate"),
    ):
        graph = graph_store(url, authority)
        try:
            with pytest.raises(StoreUnavailable, match=says):
                await graph.open()
        finally:
            await graph.close()


@pytest.mark.parametrize("scheme", ["bolt+s", "bolt+ssc", "neo4j+s"])
async def test_a_neo4j_without_tls_is_told_from_one_that_does_not_answer(stack, scheme: str) -> None:
    """One that is not there, or accepts a connection and says nothing, may speak it."""
    there = stack.neo4j_url.rpartition(":")[2]
    with socket.create_server((LOOPBACK, 0)) as silent:
        for port, says in (
            (there, "ask for TLS"),
            (1, "does not answer"),
            (silent.getsockname()[1], "answer"),
        ):
            graph = Neo4j(
                f"{scheme}://{LOOPBACK}:{port}",
                ("neo4j", PASSWORD),
                database="neo4j",
                pool=2,
                timeout=2,
                connect_timeout=2,
            )
            try:
                with pytest.raises(StoreUnavailable, match=says):
                    await graph.open()
            finally:
                await graph.close()


async def test_s3_is_refused_by_another_authority_without_tls_and_without_the_authority(
    s3: str, own: Authority, foreign: Authority, folder: Path
) -> None:
    with s3_server(folder / "plain") as plain:
        port = s3.rpartition(":")[2]
        own_file, by_name = own.file, f"localhost:{port}"
        wrong = [
            (one, authority, "certificate") for one, authority in ((s3, foreign.file), (s3, None), (by_name, own_file))
        ]
        await asyncio.gather(*(unchecked(*one) for one in (*wrong, (plain, own_file, "object store"))))


async def unchecked(address: str, authority: Path | None, says: str) -> None:
    store = object_store(f"s3://{CREDENTIALS}@{address}/memories", timeout=3, authority=authority)
    with pytest.raises(StoreUnavailable, match=says):
        await store.check()


@pytest.mark.parametrize("credentials", ["tester:guessed", "unknown:guessed"])
async def test_s3_says_that_it_refuses_the_key(s3: str, own: Authority, credentials: str) -> None:
    store = object_store(f"s3://{credentials}@{s3}/memories", timeout=3, authority=own.file)
    with pytest.raises(StoreUnavailable, match="refuses the key or the secret") as refused:
        await store.check()
    assert "guessed" not in str(refused.value)


async def test_neo4j_says_what_it_refuses(stack) -> None:
    """The password, the user, the database; in the end any password, for some seconds."""
    for user, password, database, says in (
        ("neo4j", "guessed", "neo4j", "refuses the user or the password"),
        ("nobody", "guessed", "neo4j", "refuses the user or the password"),
        ("neo4j", stack.neo4j_password, "nowhere", "no database of the name"),
    ):
        graph = Neo4j(stack.neo4j_url, (user, password), database=database, pool=2, timeout=5, connect_timeout=5)
        try:
            with pytest.raises(StoreUnavailable, match=says) as refused:
                await graph.open()
                await graph.table("RETURN 1")
            assert password not in str(refused.value)
        finally:
            await graph.close()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"neo4j_ca": "missing.pem"}, "NEURIGRAPH_NEO4J_CA: .*missing.pem cannot be read"),
        ({"postgres_ca": "missing.pem"}, "NEURIGRAPH_POSTGRES_CA: .*missing.pem cannot be read"),
        ({"objects_ca": "missing.pem"}, "NEURIGRAPH_OBJECTS_CA: .*missing.pem cannot be read"),
        ({"postgres_ca": "empty.pem"}, "NEURIGRAPH_POSTGRES_CA: .*empty.pem holds no certificate"),
        ({"neo4j_ca": "server.key"}, "NEURIGRAPH_NEO4J_CA: .*server.key holds no certificate"),
        ({"objects_ca": "own.pem"}, "NEURIGRAPH_OBJECTS_CA is for an S3 service"),
        ({"objects_ca": "own.pem", "objects_url": "s3://a:b@127.0.0.1:1/bucket?secure=false"}, "secure=false"),
        ({"objects_url": "s3://a@127.0.0.1:1/bucket"}, "a key and a secret"),
        ({"postgres_url": "postgresql://a@127.0.0.1/b?sslmode=require"}, "sslmode=require"),
        ({"neo4j_url": "neo4j+ssc://127.0.0.1:1"}, r"neo4j\+ssc"),
        ({"neo4j_url": None, "postgres_url": None}, "for managed stores"),
    ],
)
async def test_settings_of_tls_that_do_not_fit_are_one_sentence(
    folder: Path, own: Authority, signed: Signed, settings: Settings, change: dict[str, str | None], says: str
) -> None:
    (folder / "empty.pem").touch()
    whole = {"neo4j_url": "bolt://127.0.0.1:1", "postgres_url": "postgresql://a@127.0.0.1:1/b"}
    whole |= {"neo4j_ca": "own.pem", "postgres_ca": "own.pem", "neo4j_password": "x"} | change
    given = {name: folder / value if name.endswith("_ca") and value else value for name, value in whole.items()}
    with pytest.raises(SettingsError, match=says):
        await opened(Settings(_env_file=None, home=folder / "unused", cache=settings.cache, **given))
    assert not (folder / "unused").exists()
