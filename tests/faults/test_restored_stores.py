"""One store is restored from an older backup, replaced by another's or has lost something: it is noticed and named, writing stops,
reads go on, nothing is deleted; `neurigraph mend` brings back what another store knows. Backups of all three stores as one."""

from __future__ import annotations

import asyncio
import io
import json
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest
from psycopg import sql
from pydantic import SecretStr

from engine.backup import back_up, restore, verified
from engine.domain.delta import Change
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.search import SearchRequest
from engine.embedded import stop
from engine.errors import BackupError, StackError, StoresDoNotBelong, WritingStopped
from engine.lifecycle.installation import KEY
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.clean_environment import CLEAN
from tests.clock import Ahead
from tests.door import new_door
from tests.faults import mend_victim
from tests.faults.killing import LIVED
from tests.faults.servers import server_pid, until_healthy
from tests.processes import run_module

PATIENT = {"statement_timeout_s": 120}
"""Each test begins with a cold graph server, which plans every statement anew; on a busy machine that takes its time."""
OLD_TEXT, NEW_TEXT = "A walleye was caught at dusk.", "The heron nests at Loon Lake."


@dataclass(frozen=True)
class Stages:
    """Two backups of one home: before and after things were written and changed; what the graph showed at the second. But for the long
    form the older one has the graph alone."""

    old: Path
    new: Path
    cache: Path
    shown: dict[str, object] = field(default_factory=dict)

    def settings(self, home: Path, **more: object) -> Settings:
        return Settings(
            _env_file=None,
            home=home,
            cache=self.cache,
            workspace="tests",
            openai_api_key=None,
            local_accounts="any",
            **PATIENT,
            **more,
        )


async def bob(engine: Engine) -> Memory:
    return engine.memory((await engine.workspace.users.find("bob")).user_id)


async def first(engine: Engine) -> None:
    user = await engine.workspace.users.create("bob")
    memory = engine.memory(user.user_id)
    family = await memory.nodes.provision(NewNode(user.user_id, "Family", summary="Those at home."))
    await memory.nodes.provision(NewNode(user.user_id, "Fishing"))
    await memory.records.remember_text("Dusk", OLD_TEXT, node_id=family.node_id)
    await memory.records.remember(
        Conversation("c1", (Turn("Bob", "Dave married my sister in May."),)), node_id=family.node_id
    )


async def then(engine: Engine) -> None:
    memory = await bob(engine)
    root = memory.principal.user_id
    nodes = {child.name: child.node_id for child in (await memory.nodes.shell(root)).children}
    lake = await memory.nodes.provision(NewNode(nodes["Fishing"], "Lake", aliases=("Loon Lake",), keywords=("heron",)))
    report = await memory.records.remember_text("Heron", NEW_TEXT, node_id=lake.node_id)
    await memory.history.change(Change("record", report.records[0].record_id, {"title": "The heron"}, lake.node_id))
    await memory.history.change(Change("node", nodes["Family"], {"name": "Kin"}))
    await memory.edges.make(nodes["Family"], lake.node_id, "goes to", {"since": "2001"})
    dusk = next(one for one in (await memory.nodes.metadata(nodes["Family"])).records if one.title == "Dusk")
    await memory.records.move(dusk.record_id, nodes["Family"], lake.node_id)
    mailbox = await engine.workspace.integrations.create("mailbox")
    await memory.grants.give(NewGrant(lake.node_id, "third_party", mailbox.integration_id))


async def shown(memory: Memory) -> dict[str, object]:
    """What the graph shows of everything: the tree, its counts, manifests, edges."""
    shown: dict[str, object] = {}
    for node in await memory.nodes.writable():
        shell = await memory.nodes.shell(node.node_id)
        manifest = sorted((entry.title, entry.content_type) for entry in shell.manifest)
        shown["/".join(node.path)] = (shell.name, shell.layer, shell.records, shell.items, shell.summary, manifest)
    shown["edges"] = [(edge.edge_type, edge.source_name, edge.target_name) for edge in await memory.edges.list()]
    return shown


@pytest.fixture(scope="module", autouse=True)
def nothing_pending() -> None:
    """These tests have homes of their own."""


@pytest.fixture(scope="module")
async def stages(tmp_path_factory: pytest.TempPathFactory, cache: Path, long: bool) -> Stages:
    folder = tmp_path_factory.mktemp("stages")
    stages = Stages(folder / "old", folder / "new", cache)
    settings = stages.settings(folder / "home")
    async with open_engine(settings, warming=False) as engine:
        await first(engine)
        if long:
            await back_up(settings, stages.old)
            await until_healthy(engine)
        else:  # a backup stops the servers, and another graph server plans all statements anew
            copy_of_graph(engine, stages.old)
        await then(engine)
        stages.shown.update(await shown(await bob(engine)))
        made = await back_up(settings, stages.new)  # while this process goes on using the servers
        assert made.files > 100
    await stop(settings.home)
    return stages


def copy_of_graph(engine: Engine, stage: Path) -> None:
    """The files of the graph server as they are at one moment, as a snapshot of a disk has them: it recovers from them."""
    graph = server_pid(engine, "neo4j")
    os.kill(graph, signal.SIGSTOP)
    try:
        shutil.copytree(engine.settings.home / "neo4j", stage / "neo4j")
    finally:
        os.kill(graph, signal.SIGCONT)


@pytest.fixture
async def home(stages: Stages, tmp_path: Path) -> AsyncIterator[Path]:
    """A home as it was in the newer backup."""
    await restore(stages.settings(tmp_path / "home"), stages.new)
    yield tmp_path / "home"
    await stop(tmp_path / "home")


def put_back(home: Path, stage: Path, part: str) -> None:
    """One store alone from a backup."""
    shutil.rmtree(home / part)
    shutil.copytree(stage / part, home / part)


async def command(home: Path, cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    place = ("--home", str(home), "--cache", str(cache))
    env = CLEAN | {"NEURIGRAPH_WORKSPACE": "tests", "NEURIGRAPH_STATEMENT_TIMEOUT_S": "120"}
    return await asyncio.to_thread(run_module, "engine.cli", *place, *arguments, env=env, timeout=300)


async def killed(home: Path, cache: Path, *arguments: str) -> bool:
    ended = await asyncio.to_thread(run_module, mend_victim.__name__, str(home), str(cache), *arguments, timeout=300)
    assert LIVED in ended.stdout or ended.returncode == -signal.SIGKILL, ended.stderr
    return LIVED not in ended.stdout


@asynccontextmanager
async def rest(engine: Engine) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(new_door(engine.settings, engine=engine), client=("127.0.0.1", 50000))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def refuses_writes_and_reads_on(engine: Engine, store: str) -> None:
    """Writing is stopped for every kind of write, and the store is named; what is there is read."""
    memory = await bob(engine)
    for write in (
        lambda: memory.records.remember_text("Late", "Too late."),
        lambda: memory.nodes.provision(NewNode(memory.principal.user_id, "Late")),
        lambda: engine.workspace.users.create("late"),
    ):
        with pytest.raises(WritingStopped, match=store):
            await write()
    async with rest(engine) as client:
        answer = await client.post("/v1/users", json={"handle": "late"})
        assert answer.status_code == 503 and answer.headers["Retry-After"]
        assert answer.json()["type"].endswith(":writing-stopped") and store in answer.json()["detail"]
    assert (await memory.search(SearchRequest("who married my sister"))).hits


@pytest.mark.ledger("X12")
async def test_an_older_graph_is_noticed_and_mended_from_postgres(stages: Stages, home: Path) -> None:
    put_back(home, stages.old, "neo4j")
    right = stages.shown
    async with open_engine(stages.settings(home), warming=False) as engine:
        await refuses_writes_and_reads_on(engine, "Neo4j")
        findings = await engine.doctor.examine()
        assert findings[0].store == "neo4j" and "older" in findings[0].problem and "mend" in findings[0].remedy
        dry = await engine.mending.run(dry_run=True)
        assert dry.mended["shells"] == 1 and dry.mended["records in manifests"] >= 1 and dry.stopped and not dry.lifted
        assert await shown(await bob(engine)) != right, "a dry run has changed something"
        for step in ("mended_shells", "mended_changes", "mended_manifests"):
            assert await killed(home, stages.cache, "mend", "-", step)
        assert await engine.installation.stopped()
        mended = await command(home, stages.cache, "mend")
        assert mended.returncode == 0 and "Writing goes on" in mended.stdout, mended.stdout + mended.stderr
        memory = await bob(engine)
        assert await shown(memory) == right
        assert await engine.doctor.examine() == [], "what records mention is brought back, too: none waits for a reader"
        assert {"name": "Loon Lake"} in await engine.neo4j.read("MATCH (e:Entity) RETURN e.name AS name")
        assert (await memory.search(SearchRequest("heron"))).hits[0].path[-1] == "Lake"
        await memory.nodes.provision(NewNode(memory.principal.user_id, "After"))  # its statement is there
        again = await engine.mending.run()
        assert not again.left and not again.mended, "the second time there is nothing to be mended"
        await lost_pieces_are_mended_without_a_stop(engine)


async def lost_pieces_are_mended_without_a_stop(engine: Engine) -> None:
    """Links, names, vectors, counts, edges of the graph."""
    memory = await bob(engine)
    right = await shown(memory)
    lake = next(node for node in await memory.nodes.writable() if node.path[-1:] == ("Lake",))
    parameters = {"lake": str(lake.node_id), "root": str(memory.principal.user_id)}
    for damage in (
        "MATCH (:Node)-[h:HAS_CHILD]->(n:Node {node_id: $lake}) WHERE $root <> '' DELETE h",
        "MATCH (n:Node {node_id: $lake}) WHERE $root <> '' SET n.name = 'Pond', n.embedding = null, n.embedding_version = null",
        "MATCH (n:Node {node_id: $lake})-[h:HOLDS]->(:Record {title: 'Dusk'}) WHERE $root <> '' DELETE h",
        "MATCH (n:Node {node_id: $root}) WHERE $lake <> '' SET n.records = 7",
        "MATCH ()-[e:RELATED]->(:Node {node_id: $lake}) WHERE $root <> '' DELETE e",
        "MATCH ()-[g:GRANTED]->(:Node {node_id: $lake}) WHERE $root <> '' SET g.subject_id = null, g.user_id = null",
    ):
        await engine.neo4j.write(damage, **parameters)
    report = await engine.mending.run()
    assert report.mended["grants"] == 1, "an older process may write such a grant"
    assert not report.left and not report.lifted
    assert await shown(memory) == right
    assert [finding for finding in await engine.doctor.examine() if finding.severity == "error"] == []
    shells = await engine.neo4j.read(
        "MATCH (n:Node {node_id: $lake}) RETURN n.embedding IS NOT NULL AS there", lake=str(lake.node_id)
    )
    assert shells[0]["there"]
    await memory.nodes.provision(NewNode(lake.node_id, "After"))


@pytest.mark.ledger("X12")
@pytest.mark.long
async def test_an_older_postgres_is_noticed_and_no_file_is_lost(stages: Stages, home: Path) -> None:
    put_back(home, stages.old, "postgres")
    objects = home / "objects"
    files = sorted(path for path in objects.rglob("*.gz"))
    assert files
    async with open_engine(stages.settings(home), clock=Ahead(hours=2), warming=False) as engine:
        await refuses_writes_and_reads_on(engine, "Postgres")
        assert any(
            "Postgres" in finding.subject and "older" in finding.problem for finding in await engine.doctor.examine()
        )
        shown = await engine.neo4j.read("MATCH (n:Node) RETURN n.name AS name ORDER BY name")
        swept = await engine.sweep.run(grace=timedelta(0))
        assert swept.stopped and swept.quarantined == swept.deleted == 0
        report = await engine.mending.run()
        assert not report.lifted and report.stopped and report.surplus["nodes"] == 1 and report.surplus["records"] >= 1
        assert sorted(objects.rglob("*.gz")) == files
        assert await engine.neo4j.read("MATCH (n:Node) RETURN n.name AS name ORDER BY name") == shown, "the newer graph"
        accepted = await engine.mending.run(accept_loss=True)
        assert accepted.lifted and accepted.surplus_file is not None
        taken = json.loads(await asyncio.to_thread(Path(accepted.surplus_file).read_text))
        assert [node["name"] for node in taken["nodes"]] == ["Lake"] and len(taken["grants"]) == len(
            taken["edges"]
        ) == 1
        memory = await bob(engine)
        assert {node.path[-1] for node in await memory.nodes.writable()} == {"bob", "Family", "Fishing"}
        assert [finding for finding in await engine.doctor.compared() if finding.severity == "error"] == []
        family = next(node for node in await memory.nodes.writable() if node.path[-1] == "Family")
        await memory.history.change(Change("node", family.node_id, {"name": "Relatives"}))  # its revisions agree again
        swept = await engine.sweep.run(grace=timedelta(0))
        assert swept.quarantined == 1 and not swept.stopped, "the file of the record that was accepted as lost"
        [aside] = [file async for file in engine.quarantine.listing()]
        assert aside.file_id is not None
        assert await engine.quarantine.give_back_files({aside.file_id}) == 1 and (objects / aside.key).exists()
        assert (await engine.sweep.run(grace=timedelta(0))).quarantined == 1
        assert await engine.doctor.examine() == []


@pytest.mark.ledger("X12")
@pytest.mark.long
async def test_an_older_object_store_is_noticed_and_mended_from_quarantine(stages: Stages, home: Path) -> None:
    put_back(home, stages.old, "objects")
    async with open_engine(stages.settings(home), clock=Ahead(hours=2), warming=False) as engine:
        await refuses_writes_and_reads_on(engine, "object store")
        report = await engine.mending.run()
        assert not report.lifted and [finding.store for finding in report.left] == ["objects"]
        newer = stages.new / "objects"
        for file in newer.rglob("*.gz"):
            kept = home / "objects" / ".neurigraph" / "quarantine" / "20260101" / file.relative_to(newer)
            kept.parent.mkdir(parents=True)
            shutil.copy(file, kept)
        assert (await engine.mending.run()).lifted
        assert await engine.doctor.examine() == []
        memory = await bob(engine)
        records = [
            one for node in await memory.nodes.writable() for one in (await memory.nodes.metadata(node.node_id)).records
        ]
        heron = next(one for one in records if one.title == "The heron")
        lake = next(node for node in await memory.nodes.writable() if node.path[-1:] == ("Lake",))
        assert await memory.files.read(lake.node_id, heron.file_id) == NEW_TEXT.encode()
        await memory.files.sleep(lake.node_id, heron.file_id)
        await only_orphans_of_its_own_are_touched(engine)
    await stop(home)
    shutil.rmtree(home / "objects")
    shutil.copytree(stages.new / "objects", home / "objects")
    async with open_engine(stages.settings(home), warming=False) as engine:
        assert "object store" in (await engine.installation.stopped() or "")
    shutil.rmtree(home / "objects" / ".neurigraph")
    with pytest.raises(StoresDoNotBelong, match="mend --adopt"):
        async with open_engine(stages.settings(home), warming=False):
            pass
    adopted = await command(home, stages.cache, "mend", "--adopt")
    assert adopted.returncode == 0 and "Writing goes on" in adopted.stdout, adopted.stdout + adopted.stderr


@pytest.mark.ledger("X12")
async def test_a_wrong_address_is_refused_by_name(engine: Engine, user: User, tmp_path: Path) -> None:
    own, others = engine.settings.home / "objects", tmp_path / "others"
    mark = json.loads((own / KEY).read_text()) | {"installation_id": str(uuid4())}
    (others / KEY).parent.mkdir(parents=True)
    (others / KEY).write_text(json.dumps(mark))
    (others / "kept.txt").write_text("Another's.")
    for address, says in (
        (others, "The object store belongs to installation"),
        (tmp_path / "empty", "carries no mark"),
    ):
        with pytest.raises(StoresDoNotBelong, match=says):
            wrong = engine.settings.model_copy(update={"objects_url": SecretStr(address.as_uri())})
            async with open_engine(wrong, warming=False):
                pass
    assert json.loads((others / KEY).read_text()) == mark and (others / "kept.txt").exists()


async def only_orphans_of_its_own_are_touched(engine: Engine) -> None:
    """Foreign files stay; many orphans, and files that another store knows, stop the sweep."""
    memory = await bob(engine)
    root = (await memory.nodes.shell(memory.principal.user_id)).schema_name
    foreign = ["notes/todo.txt", f"photos/{uuid4()}/dave.png", f"{uuid4()}.bak", f"{root}/notes.txt"]
    for key in foreign:
        await engine.objects.put(key, io.BytesIO(b"not the engine's"))
    swept = await engine.sweep.run(grace=timedelta(0))
    assert (swept.foreign, swept.orphans) == (len(foreign), 0)
    await implausible(engine, root)
    await known_elsewhere(engine, memory)
    assert {entry.key async for entry in engine.objects.listing("")} >= set(foreign)


async def implausible(engine: Engine, root: str) -> None:
    """Many orphans stop the sweep; the operator's word sets them aside."""
    keys = [f"{root}/{uuid4()}/x.txt.gz" for _ in range(30)]
    for key in keys:
        await engine.objects.put(key, io.BytesIO(b"orphan"))
    swept = await engine.sweep.run(grace=timedelta(0))
    assert "too many" in swept.stopped and swept.quarantined == 0
    assert any("too many" in finding.problem for finding in await engine.doctor.examine())
    assert (await engine.sweep.run(grace=timedelta(0), force=True)).quarantined == 30
    assert {file.key async for file in engine.quarantine.listing()} == set(keys)


async def known_elsewhere(engine: Engine, memory: Memory) -> None:
    """A file that left its manifest but that the graph knows stops the sweep; its line comes back from the raw input."""
    [node] = [node for node in await memory.nodes.writable() if node.path[-1:] == ("Lake",)]
    async with engine.postgres.as_service() as connection:
        place = sql.Identifier(node.schema_name)
        cursor = await connection.execute(sql.SQL("DELETE FROM {}.file_manifest RETURNING file_id").format(place))
        lost = {row["file_id"] for row in await cursor.fetchall()}
    assert lost
    swept = await engine.sweep.run(grace=timedelta(0), force=True)
    assert "known to the graph" in swept.stopped and swept.quarantined == 0
    assert UUID(swept.stopped.split("first ")[1].split(":")[0]) in lost
    mended = await engine.remedies.fix(await engine.doctor.examine())
    assert [(one.kind, one.failure) for one in mended] == [("entry-lost", "")]
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(sql.SQL("SELECT file_id FROM {}.file_manifest").format(place))
        assert {row["file_id"] for row in await cursor.fetchall()} == lost


@pytest.mark.ledger("X12")
async def test_a_backup_is_whole_or_not_there_and_a_restore_too(
    stages: Stages, home: Path, tmp_path: Path, long: bool
) -> None:
    assert await verified(stages.settings(home), stages.new) == []
    target = tmp_path / "backup"
    for step in ("objects_copied", "servers_stopped", "databases_copied") if long else ("databases_copied",):
        assert await killed(home, stages.cache, "backup", str(target), step)
        assert not target.exists()
        with pytest.raises(BackupError, match="not a backup"):
            await restore(stages.settings(tmp_path / "elsewhere"), target.with_name("backup.unfinished"))
    assert not await killed(home, stages.cache, "backup", str(target), "-")
    with pytest.raises(BackupError, match="exists already"):
        await back_up(stages.settings(home), target)
    other = tmp_path / "other"
    for step in ("restore_begun", "copied_back", "part_restored"):
        assert await killed(other, stages.cache, "restore", str(target), step)
        with pytest.raises(StackError, match="cut off"):
            async with open_engine(stages.settings(other), warming=False):
                pass
    restored = await command(other, stages.cache, "restore", str(target))
    assert restored.returncode == 0, restored.stderr
    refused = await command(other, stages.cache, "restore", str(target))
    assert refused.returncode == 1 and "--force" in refused.stderr
    shutil.copytree(target, tmp_path / "damaged")
    damaged = next(path for path in (tmp_path / "damaged" / "objects").rglob("*.gz"))
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
    with pytest.raises(BackupError, match="damaged"):
        await restore(stages.settings(tmp_path / "from-damaged"), tmp_path / "damaged")
    assert not [*(tmp_path / "from-damaged").glob(".restoring-*"), *(tmp_path / "from-damaged").glob("restoring*")]
    os.unlink(damaged)
    with pytest.raises(BackupError, match="not whole"):
        await restore(stages.settings(tmp_path / "from-damaged"), tmp_path / "damaged")
