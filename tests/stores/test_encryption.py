"""Encrypted files: what lies in the object store says nothing, what was changed is not served, and a key that is gone takes the files
of its user along, those in backups, too."""

from __future__ import annotations

import asyncio
import base64
import os
import shutil
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import settings as drawn
from hypothesis import strategies as st
from pydantic import SecretStr

from engine.errors import DamagedFile, SettingsError, StoreUnavailable
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.stores.encryption import (
    HEADER,
    MAGIC,
    PIECE,
    TAG,
    Encryption,
    UserKeys,
    operator_keys,
)
from engine.stores.objects import ObjectStore, object_store
from engine.wiring.open_engine import open_engine
from tests.commands import commands_on

OLD, NEW = (base64.b64encode(bytes([number]) * 32).decode() for number in (1, 2))
NAME = "bob/family/8f8c8f0e-6a5e-4e0f-9a43-1f3c4e5d6a7b/note.gz"


def keys(folder: Path, *operator: str) -> UserKeys:
    return UserKeys(folder / "user-keys", operator_keys(",".join(operator)))


def store(folder: Path, *, on: bool = True, operator: tuple[str, ...] = (OLD,)) -> ObjectStore:
    urls = ((folder / "hot").as_uri(), (folder / "cold").as_uri())
    return object_store(urls[0], timeout=5, cold_url=urls[1], encryption=Encryption(keys(folder, *operator), on=on))


async def content(of: ObjectStore, key: str = NAME) -> bytes:
    return b"".join([block async for block in of.read(key)])


def lying(folder: Path, key: str = NAME) -> Path:
    return next(file for tier in ("hot", "cold") if (file := folder / tier / key).exists())


@pytest.mark.parametrize("cold", [False, True])
@pytest.mark.parametrize("size", [0, 1, 100, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, (1 << 20) + 7, 9 << 20])
async def test_what_is_put_is_read_and_does_not_lie_there(tmp_path: Path, size: int, cold: bool) -> None:
    given, made = os.urandom(size // 2) + b"boat" * (size // 8), store(tmp_path)
    reader = BytesIO(b"before" + given)
    reader.seek(6)
    stored = await made.put(NAME, reader, cold=cold)
    there = lying(tmp_path).read_bytes()
    assert await content(made) == given
    assert there.startswith(MAGIC) and b"boatboat" not in there and stored == len(there)
    await made.move(NAME, cold=not cold)
    assert await content(made) == given and lying(tmp_path).read_bytes() == there


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encrypted")
    text = bytes(range(256)) * 1024  # four whole pieces
    asyncio.run(store(folder).put(NAME, BytesIO(text)))
    return folder


async def given_out(folder: Path, changed: bytes) -> bytes:
    """What a reader gets of a changed object until it is refused."""
    place, made, got = folder / "hot" / NAME, store(folder), b""
    whole = place.read_bytes()
    place.write_bytes(changed)
    try:
        with pytest.raises(DamagedFile):
            async for block in made.read(NAME):
                got += block
    finally:
        place.write_bytes(whole)
    return got


@given(data=st.data())
@drawn(deadline=None, max_examples=60)
def test_what_was_changed_is_not_served(folder: Path, data: st.DataObject) -> None:
    whole = (folder / "hot" / NAME).read_bytes()
    at = data.draw(st.integers(len(MAGIC), len(whole) - 1))
    flipped = whole[:at] + bytes([whole[at] ^ 1 << data.draw(st.integers(0, 7))]) + whole[at + 1 :]
    got = asyncio.run(given_out(folder, flipped))
    assert (bytes(range(256)) * 1024).startswith(got) and len(got) <= max(0, at - HEADER)


@pytest.mark.parametrize("end", [HEADER, HEADER + 5, HEADER + PIECE + TAG, HEADER + 2 * (PIECE + TAG), -1])
async def test_what_was_cut_off_is_not_served_as_whole(folder: Path, end: int) -> None:
    await given_out(folder, (folder / "hot" / NAME).read_bytes()[:end])


async def test_pieces_cannot_be_exchanged_repeated_or_appended(folder: Path) -> None:
    whole, piece = (folder / "hot" / NAME).read_bytes(), PIECE + TAG
    header, pieces = whole[:HEADER], [whole[at : at + piece] for at in range(HEADER, len(whole), piece)]
    for others in ([pieces[1], pieces[0], *pieces[2:]], [pieces[0], *pieces], [*pieces, pieces[-1]], pieces[1:]):
        await given_out(folder, header + b"".join(others))


async def test_an_object_of_another_user_is_not_served_as_ones_own(tmp_path: Path) -> None:
    made, other = store(tmp_path), NAME.replace("bob", "ann")
    await made.put(NAME, BytesIO(b"Bob's"))
    await made.put(other, BytesIO(b"Ann's"))
    shutil.copy(lying(tmp_path), lying(tmp_path, other))
    with pytest.raises(DamagedFile, match="another key"):
        await content(made, other)
    shutil.copy(tmp_path / "user-keys" / "bob.key", tmp_path / "user-keys" / "ann.key")
    with pytest.raises(DamagedFile):  # the wrapped key says whose it is
        await content(made, other)


@pytest.mark.parametrize("text", [MAGIC, MAGIC + b"x", MAGIC * 30, MAGIC[:-1], b""])
async def test_without_encryption_every_content_is_read_as_it_was_put(tmp_path: Path, text: bytes) -> None:
    made = store(tmp_path, on=False, operator=())
    await made.put(NAME, BytesIO(text))
    assert await content(made) == text and not (tmp_path / "user-keys").exists()
    assert await content(store(tmp_path)) == text  # where it is switched on later


async def test_what_is_encrypted_is_read_where_encryption_is_off_again(tmp_path: Path) -> None:
    await store(tmp_path).put(NAME, BytesIO(b"A boat."))
    assert await content(store(tmp_path, on=False)) == b"A boat."
    with pytest.raises(DamagedFile, match="NEURIGRAPH_ENCRYPTION_KEYS"):
        await content(store(tmp_path, on=False, operator=(NEW,)))


async def test_marks_of_the_engine_are_not_encrypted(tmp_path: Path) -> None:
    await store(tmp_path).put(".neurigraph/mark", BytesIO(b"A mark."))
    assert lying(tmp_path, ".neurigraph/mark").read_bytes() == b"A mark."


def test_processes_that_make_a_key_at_once_get_one(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as threads:
        made = set(threads.map(lambda _: keys(tmp_path, OLD).key_for_writing("bob"), range(64)))
    assert len(made) == 1
    [file] = (tmp_path / "user-keys").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600 and (tmp_path / "user-keys").stat().st_mode & 0o777 == 0o700


async def test_where_the_folder_of_the_keys_cannot_be_written_nothing_is_stored(tmp_path: Path) -> None:
    (tmp_path / "user-keys").write_text("no folder")
    with pytest.raises(StoreUnavailable, match="folder of the keys"):
        await store(tmp_path).put(NAME, BytesIO(b"A boat."))
    assert not (tmp_path / "hot").exists() or not list((tmp_path / "hot").rglob("*.gz"))


async def test_the_operators_key_is_changed_without_touching_a_file(tmp_path: Path) -> None:
    await store(tmp_path).put(NAME, BytesIO(b"A boat."))
    before = lying(tmp_path).read_bytes()
    assert keys(tmp_path, NEW, OLD).rewrap() == 1 and keys(tmp_path, NEW, OLD).rewrap() == 0
    assert lying(tmp_path).read_bytes() == before
    assert await content(store(tmp_path, operator=(NEW,))) == b"A boat."
    with pytest.raises(DamagedFile, match="NEURIGRAPH_ENCRYPTION_KEYS"):
        await content(store(tmp_path, operator=(OLD,)))
    with pytest.raises(DamagedFile, match="NEURIGRAPH_ENCRYPTION_KEYS"):
        keys(tmp_path, OLD).rewrap()


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"user": "bob", "operator": 1, "nonce": "x", "wrapped": "y"}'])
async def test_a_damaged_key_is_told(tmp_path: Path, damage: bytes) -> None:
    await store(tmp_path).put(NAME, BytesIO(b"A boat."))
    (tmp_path / "user-keys" / "bob.key").write_bytes(damage)
    with pytest.raises(DamagedFile, match="damaged"):
        await content(store(tmp_path))
    with pytest.raises(DamagedFile, match="damaged"):  # and it is not replaced by a new one
        await store(tmp_path).put(NAME, BytesIO(b"Another boat."))


@pytest.mark.parametrize("given", ["short", "AAAA", OLD[:-4], OLD + ";" + NEW, "ü"])
def test_what_is_no_operators_key_is_refused(given: str) -> None:
    with pytest.raises(SettingsError, match="32 bytes in base64"):
        operator_keys(given)


@pytest.fixture
async def encrypting(engine: Engine, settings: Settings, tmp_path: Path) -> AsyncIterator[Engine]:
    """An engine on the same stores, which encrypts."""
    own = settings.model_copy(
        update={"encrypt": True, "encryption_keys": SecretStr(OLD), "user_keys": tmp_path / "user-keys"}
    )
    async with open_engine(own, warming=False) as opened:
        yield opened


@pytest.mark.ledger("X07")
@pytest.mark.usefixtures("few_nodes")  # the doctor looks at all users
async def test_a_destroyed_key_makes_the_files_of_its_user_unreadable_in_a_backup_too(
    encrypting: Engine, settings: Settings, tmp_path: Path
) -> None:
    """A backup copies the objects as they lie there, and never the keys."""
    users, files = [], []
    for _ in range(2):
        user = await encrypting.workspace.users.create(f"u{uuid4().hex[:12]}", "Bob")
        memory = encrypting.memory(user.user_id)
        await memory.records.remember_text("Boat", "Ellen has sold the boat to Dave.")
        users.append(user)
        [record] = (await memory.nodes.metadata(user.user_id)).records
        files.append(record.file_id)

    async def read(number: int) -> bytes:
        memory = encrypting.memory(users[number].user_id)
        return bytes(await memory.files.read(users[number].user_id, files[number]))

    roots = [next((settings.home / "objects").glob(f"*/{file}")).parent for file in files]
    assert [b"Ellen" in await read(number) for number in (0, 1)] == [True, True]
    assert all(b"Ellen" not in file.read_bytes() for root in roots for file in root.rglob("*") if file.is_file())
    assert not [one for one in await encrypting.doctor.examine(read_files=1000) if str(files[0]) in str(one)]

    shutil.copytree(roots[0], tmp_path / "backup")
    assert keys(tmp_path, OLD).destroy(roots[0].name) and not keys(tmp_path, OLD).destroy(roots[0].name)
    shutil.rmtree(roots[0])
    shutil.copytree(tmp_path / "backup", roots[0])
    with pytest.raises(DamagedFile, match="destroyed"):
        await read(0)
    assert b"Ellen" in await read(1)


def test_keys_by_the_command(tmp_path: Path, cache: Path) -> None:
    run = commands_on(tmp_path / "home", cache, tmp_path)
    made = run("encryption-key", "new").stdout.strip()
    assert operator_keys(made) and run("encryption-key", "new").stdout.strip() != made
    UserKeys(tmp_path / "home" / "user-keys", operator_keys(OLD)).key_for_writing("bob")
    (tmp_path / "operator.keys").write_text(f"{made}\n{OLD}\n")
    there = {"NEURIGRAPH_ENCRYPTION_KEY_FILE": str(tmp_path / "operator.keys")}
    assert "bob" in run("encryption-key", "list", **there).stdout
    assert run("encryption-key", "rewrap", **there).stdout == "1 key wrapped anew.\n"
    refused = run("user", "list", NEURIGRAPH_ENCRYPT="1")
    assert refused.returncode == 1 and "encryption-key new" in refused.stderr
    missing = run("encryption-key", "list", NEURIGRAPH_ENCRYPTION_KEY_FILE=str(tmp_path / "none"))
    assert missing.returncode == 1 and "cannot be read" in missing.stderr
