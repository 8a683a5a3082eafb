"""Archives: refused where the user is there, when damaged, of another release; taken back when interrupted; for readers."""

from __future__ import annotations

import asyncio
import json
import shutil
import struct
import zipfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from engine.archive.archives import Archives
from engine.domain.archive import ArchiveManifest
from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.search import SearchRequest
from engine.errors import (
    ArchiveDamaged,
    ArchiveError,
    ArchiveOfOtherRelease,
    Conflict,
    Forgotten,
    InvalidInput,
    NotFound,
    WritingStopped,
)
from engine.hierarchy.shells import Shells
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.progress import Silent
from engine.stores.statements import sql_text
from tests.commands import typed
from tests.forgetting.searched import found
from tests.session_stores import empty

pytestmark = [pytest.mark.usefixtures("few_nodes"), pytest.mark.ledger("F13", "U05")]
Members = dict[str, bytes]


@pytest.fixture
async def archive(engine: Engine, user: User, memory: Memory, tmp_path: Path) -> Path:
    """The archive of a user with a text, a fact, a node, who is then gone."""
    node = await memory.nodes.provision(NewNode(user.user_id, "Boats"))
    await memory.records.remember_text("Iltis", "The Iltis leaks at the mast.", node_id=node.node_id, source_id="iltis")
    await memory.facts.write(WrittenFact("Dave lives in Ghent."))
    await engine.archives.export(user.user_id, tmp_path / "whole.zip")
    return tmp_path / "whole.zip"


def changed(archive: Path, change: Callable[[Members], None], *, said: bool = False) -> Path:
    """A copy of an archive with other members. `said`: the manifest says of them what they are."""
    with zipfile.ZipFile(archive) as old:
        members = {name: old.read(name) for name in old.namelist()}
    change(members)
    if said:
        _say(members)
    path = archive.with_name("changed.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for name, content in members.items():
            new.writestr(name, content)
    return path


def _say(members: Members) -> None:
    from hashlib import sha256  # noqa: PLC0415

    manifest = json.loads(members["manifest.json"])
    manifest["members"] = {
        name: {"size": len(one), "sha256": sha256(one).hexdigest(), "lines": one.count(b"\n")}
        for name, one in members.items()
        if name != "manifest.json"
    }
    members["manifest.json"] = json.dumps(manifest).encode()


def manifest_with(**fields: Any) -> Callable[[Members], None]:
    def change(members: Members) -> None:
        members["manifest.json"] = json.dumps(json.loads(members["manifest.json"]) | fields).encode()

    return change


def replaced(name: str, old: bytes, new: bytes) -> Callable[[Members], None]:
    def change(members: Members) -> None:
        assert old in members[name], name
        members[name] = members[name].replace(old, new)

    return change


def a_byte(members: Members) -> None:
    members["items.jsonl"] = members["items.jsonl"].replace(b"leaks", b"leeks")


DAMAGES: dict[str, tuple[Callable[[Members], None], bool, type[Exception], str]] = {
    "a changed byte": (a_byte, False, ArchiveDamaged, "items.jsonl is not as it was written"),
    "a member less": (lambda members: members.pop("facts.jsonl"), False, ArchiveDamaged, "facts.jsonl is missing"),
    "a member more": (lambda members: members.update({"files/a/b": b"x"}), False, ArchiveDamaged, "does not stand in the manifest"),
    "no manifest": (lambda members: members.pop("manifest.json"), False, ArchiveDamaged, "has no manifest.json"),
    "a way out": (lambda members: members.update({"files/../../etc/passwd": b"x"}), True, ArchiveDamaged, "no member of the name"),
    "a root": (lambda members: members.update({"/etc/passwd": b"x"}), True, ArchiveDamaged, "no member of the name"),
    "another format": (manifest_with(format="zip of mine"), False, ArchiveDamaged, "its format is"),
    "a later version": (manifest_with(version=2), False, ArchiveOfOtherRelease, "version 2"),
    "other tables": (manifest_with(migrations={"postgres": 1, "neo4j": 1}), False, ArchiveOfOtherRelease, "upgrade"),
    "a reader's": (manifest_with(whole=False), False, ArchiveError, "not imported"),
    "no JSON": (replaced("records.jsonl", b"{", b"["), True, ArchiveDamaged, "is no JSON"),
    "no time": (replaced("graph/entities.jsonl", b'"created_at":"2', b'"created_at":"x'), True, ArchiveDamaged, "time that is none"),
    "a link to nothing": (replaced("graph/names.jsonl", b'"from":"name:', b'"from":"name:x'), True, ArchiveDamaged, "ends are missing"),
    "a commit that is not finished": (replaced("commits.jsonl", b'"state":"done"', b'"state":"pending"'), True, ArchiveDamaged, "not as it has to be"),
    "labels of the engine": (replaced("graph/entities.jsonl", b'"Entity"', b'"Entity","Installation"'), True, ArchiveDamaged, "has no labels"),
    "no file": (lambda members: [members.pop(name) for name in list(members) if name.startswith("files/")], True, ArchiveDamaged, "is missing"),
}  # fmt: skip


async def test_a_damaged_archive_imports_nothing(engine: Engine, user: User, archive: Path) -> None:
    await empty(engine)
    for name, (change, said, error, text) in DAMAGES.items():
        path = changed(archive, change, said=said)
        with pytest.raises(error) as raised:
            await engine.archives.restore(path)
        assert text in str(raised.value), name
        assert await found(engine, ["Iltis"]) == set(), name
    whole = archive.read_bytes()  # noqa: ASYNC240
    for cut in (0, 10, len(whole) // 2, len(whole) - 5):
        (short := archive.with_name("cut.zip")).write_bytes(whole[:cut])
        with pytest.raises(ArchiveDamaged):
            await engine.archives.check(short)
    middle = _inside(archive, "items_computed.jsonl")
    (bent := archive.with_name("bent.zip")).write_bytes(
        whole[:middle] + bytes([whole[middle] ^ 64]) + whole[middle + 1 :]
    )
    with pytest.raises(ArchiveDamaged):
        await engine.archives.check(bent)
    with pytest.raises(InvalidInput):
        await engine.archives.check(archive.with_name("none.zip"))
    assert (await engine.archives.restore(archive)).counts["records"] == 2
    assert await _dave(engine.memory(user.user_id))


def _inside(archive: Path, name: str) -> int:
    """A place in the packed bytes of a member."""
    with zipfile.ZipFile(archive) as members:
        info = members.getinfo(name)
    names, extra = struct.unpack("<HH", archive.read_bytes()[info.header_offset + 26 : info.header_offset + 30])
    return info.header_offset + 30 + names + extra + info.compress_size // 2


async def test_an_archive_that_would_unpack_to_too_much_is_refused(engine: Engine, archive: Path) -> None:
    bomb = archive.with_name("bomb.zip")
    shutil.copy(archive, bomb)
    with (
        zipfile.ZipFile(bomb, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as members,
        members.open("files/r/b/x", "w", force_zip64=True) as one,
    ):
        for _ in range(1100):
            one.write(bytes(1 << 20))
    with zipfile.ZipFile(bomb) as members:
        said = json.loads(members.read("manifest.json"))
    said["members"]["files/r/b/x"] = {"size": 1100 << 20, "sha256": "0", "lines": 0}
    with pytest.raises(ArchiveDamaged, match="far more"):
        await engine.archives.check(changed_manifest(bomb, said))


def changed_manifest(archive: Path, said: dict[str, Any]) -> Path:
    """A copy whose other members are taken over as they lie there."""
    path = archive.with_name("said.zip")
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for info in old.infolist():
            if info.filename == "manifest.json":
                new.writestr("manifest.json", json.dumps(said))
            else:
                with old.open(info) as source, new.open(info.filename, "w", force_zip64=True) as target:
                    shutil.copyfileobj(source, target)
    return path


async def test_a_user_who_is_there_is_not_imported_again(engine: Engine, user: User, archive: Path) -> None:
    with pytest.raises(Conflict, match="is here already"):
        await engine.archives.restore(archive)
    await empty(engine)
    await engine.workspace.users.create(user.handle.upper())
    with pytest.raises(Conflict, match="looks the same"):
        await engine.archives.restore(archive)
    await empty(engine)
    await engine.archives.restore(archive)
    with pytest.raises(Conflict, match="is here already"):
        await engine.archives.restore(archive)
    assert await _dave(engine.memory(user.user_id))


async def test_nothing_is_imported_or_removed_while_writing_is_stopped(
    engine: Engine, user: User, archive: Path
) -> None:
    """Postgres may be the older store: what the graph has of a user whom it does not know is then no rest of an import."""
    await empty(engine)
    label = "CREATE (:Entity {user_id: $user_id, key: 'kept', entity_id: $user_id})"
    await engine.neo4j.write(label, user_id=str(user.user_id))
    await engine.postgres.change_as_service(sql_text("installation/stop"), {"reason": "The graph is newer."})
    try:
        with pytest.raises(WritingStopped, match="The graph is newer"):
            await engine.archives.restore(archive)
    finally:
        await engine.postgres.change_as_service(sql_text("installation/stop"), {"reason": None})
    assert await engine.neo4j.read("MATCH (e:Entity {key: 'kept'}) RETURN count(e) AS n", row=int) == [1]
    await empty(engine)
    await engine.archives.restore(archive)


async def test_a_user_who_was_forgotten_is_not_brought_back(engine: Engine, user: User, archive: Path) -> None:
    one = await engine.workspace.users.forget(user.user_id)
    while one.state == "running":
        one = await engine.workspace.users.forget(user.user_id)
    before = await found(engine, ["Iltis"])
    with pytest.raises(Forgotten):
        await engine.archives.restore(archive)
    assert await found(engine, ["Iltis"]) == before
    await empty(engine)


async def _dave(memory: Memory) -> bool:
    return any("Ghent" in hit.content for hit in (await memory.search(SearchRequest("Where does Dave live?"))).hits)


@pytest.mark.parametrize("step", ["files_put", "graph_made", "rows_entered"])
async def test_an_import_that_ends_early_is_taken_back(engine: Engine, user: User, archive: Path, step: str) -> None:
    await empty(engine)
    ended = asyncio.CancelledError()

    def end(name: str) -> None:
        if name == step:
            raise ended

    stores = (engine.postgres, engine.neo4j, engine.objects)
    broken = Archives(stores, engine.settings.workspace, engine.parts[Shells], engine.parts.clock, end)
    with pytest.raises(asyncio.CancelledError):
        await broken.restore(archive)
    with pytest.raises(NotFound):
        await engine.workspace.users.get(user.user_id)
    assert await found(engine, ["Iltis"]) == set()
    await engine.archives.restore(archive)
    assert await _dave(engine.memory(user.user_id))


class Ending(Silent):
    """Ends the work after so many lines, in the middle of a member."""

    def __init__(self, lines: int) -> None:
        self._left = float(lines)

    def advance(self, task: str, amount: float = 1) -> None:
        self._left -= amount
        if self._left < 0:
            raise asyncio.CancelledError


async def test_an_export_goes_on_where_it_was_interrupted(
    engine: Engine, user: User, archive: Path, tmp_path: Path
) -> None:
    path, part = tmp_path / "again.zip", tmp_path / "again.zip.part"
    await _interrupted(engine, user, path)
    assert part.stat().st_mode & 0o777 == 0o600 and not path.exists()
    report = await engine.archives.export(user.user_id, path)
    assert report.resumed > 5
    assert _sizes(await engine.archives.check(path)) == _sizes(await engine.archives.check(archive))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["again.zip", "whole.zip"]  # noqa: ASYNC240

    await _interrupted(engine, user, path)
    await engine.memory(user.user_id).records.remember_text("Later", "The Wiesel is dry.")
    report = await engine.archives.export(user.user_id, path)
    assert report.resumed == 0 and report.counts["records"] == 3


def _sizes(manifest: ArchiveManifest) -> dict[str, tuple[int, int]]:
    return {name: (one.lines, one.size) for name, one in manifest.members.items()}


async def _interrupted(engine: Engine, user: User, path: Path) -> None:
    with pytest.raises(asyncio.CancelledError):
        await engine.archives.export(user.user_id, path, Ending(25))


async def test_readers_get_what_they_may_read_and_nothing_else(
    engine: Engine, user: User, memory: Memory, tmp_path: Path
) -> None:
    root = user.user_id
    family = await memory.nodes.provision(NewNode(root, "Familienhort"))
    boats = await memory.nodes.provision(NewNode(family.node_id, "Boats"))
    coach = await memory.nodes.provision(NewNode(root, "Coach", "persona"))
    await memory.records.remember_text("Secretissima", "The Hidden is grey.", node_id=family.node_id)
    await memory.records.remember_text("Private", "The Privatim is red.", node_id=boats.node_id, privacy="private")
    await memory.records.remember_text("Iltis", "The Iltis leaks at the mast.", node_id=boats.node_id)
    report = await memory.records.remember_text("Code", "The code is Urzahl.", node_id=boats.node_id)
    hit = next(one for one in (await memory.search(SearchRequest("code"))).hits if "Urzahl" in one.content)
    fields = {"content": "The code is gone."}
    await memory.history.change(Change("item", hit.item_id, fields, boats.node_id, correction=True))
    await memory.edges.make(family.node_id, boats.node_id, "SHARED_WITH")
    await memory.edges.make(boats.node_id, coach.node_id, "rows with")
    shop = await engine.workspace.integrations.create(f"Shop {user.handle}")
    for kind, subject in (("third_party", shop.integration_id), ("persona", coach.node_id)):
        await memory.grants.give(NewGrant(boats.node_id, kind, subject))

    integration = Principal("third_party", shop.integration_id, root)
    members = await _shown(engine, integration, tmp_path / "shop.zip")
    assert {line["name"] for line in _lines(members, "nodes.jsonl")} == {"Boats"}
    assert {line["title"] for line in _lines(members, "records.jsonl")} == {"Iltis", "Code"}
    assert _lines(members, "graph/edges.jsonl") == []
    files = [content for name, content in members.items() if name.startswith("files/")]
    assert len(files) == 2 and any(b"leaks" in one for one in files) and report.records
    hidden = ["Hidden", "Secretissima", "Privatim", "Urzahl", "Familienhort", "familienhort", user.handle, "Bob Harlan"]
    hidden += [str(family.node_id)]
    held = {word for word in hidden for name, one in members.items() if word.encode() in name.encode() + one}
    assert held == set()

    persona = await _shown(engine, Principal("persona", coach.node_id, root), tmp_path / "coach.zip")
    assert {line["name"] for line in _lines(persona, "nodes.jsonl")} == {"Boats", "Coach"}
    assert [line["type"] for line in _lines(persona, "graph/edges.jsonl")] == ["rows with"]
    with pytest.raises(ArchiveError, match="not imported"):
        await engine.archives.restore(tmp_path / "coach.zip")
    nobody = await engine.workspace.integrations.create(f"Nobody {user.handle}")
    with pytest.raises(NotFound):
        await _shown(engine, Principal("third_party", nobody.integration_id, root), tmp_path / "nobody.zip")


async def _shown(engine: Engine, reader: Principal, path: Path) -> Members:
    await engine.archives.export_shown(reader, path)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _lines(members: Members, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in members[name].splitlines()]


async def test_an_archive_made_and_imported_by_hand(engine: Engine, user: User, archive: Path, tmp_path: Path) -> None:
    run: Callable[..., Awaitable[Any]] = lambda *words: typed(engine, tmp_path, None, *words)  # noqa: E731
    made = await run("archive", "export", "bob.zip", "--user", user.handle)
    assert made.returncode == 0 and made.stdout.startswith("bob.zip: "), made.stderr
    checked = await run("archive", "check", "bob.zip")
    assert "is as it was written: " + user.handle in checked.stdout, checked.stderr
    refused = await run("archive", "import", "bob.zip")
    assert refused.returncode == 1 and "is here already" in refused.stderr
    await empty(engine)
    done = await run("archive", "import", "bob.zip", "--json")
    assert json.loads(done.stdout)["counts"]["records"] == 2, done.stderr
    assert await _dave(engine.memory(user.user_id))
