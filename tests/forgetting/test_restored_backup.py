"""A backup that is older than a forgetting: what was forgotten since does not come back with it."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from engine.backup import back_up, restore
from engine.domain.forgetting import Forgetting, ForgettingSubject
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.search import SearchRequest
from engine.embedded import stop
from engine.errors import BackupError, Forgotten, NotFound, ReceiptChanged, StackError
from engine.forgetting.erasure import Erasure
from engine.lifecycle.backup_files import read_manifest
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.faults import mend_victim
from tests.forgetting.searched import found
from tests.processes import run_module

KEY = base64.b64encode(bytes(range(32))).decode()
GONE = ["Trundlewick", "Zanderbrook", "Marmolite", "Vexhollow", "Quexmoor", "Ostrimund"]


@pytest.fixture(scope="module", autouse=True)
def nothing_pending() -> None:
    """These tests have homes of their own."""


def settings(home: Path, cache: Path) -> Settings:
    more: dict[str, Any] = {"statement_timeout_s": 120, "forget_settle_s": 0, "local_accounts": "any"}
    more |= {"encrypt": True, "encryption_keys": SecretStr(KEY)}
    return Settings(_env_file=None, home=home, cache=cache, workspace="tests", openai_api_key=None, **more)


async def stored(engine: Engine) -> None:
    bob = engine.memory((await engine.workspace.users.create("bob")).user_id)
    ann = engine.memory((await engine.workspace.users.create("trundlewick-ann")).user_id)
    await bob.records.remember_text("Lease", "The lease of the orchard ends in June.", source_id="lease")
    await bob.records.remember_text("Cello", "A cello of Zanderbrook stands in the hall.", source_id="cello")
    await bob.records.remember_text("Stone", "Marmolite is mined near the orchard.", source_id="stone")
    farm = await bob.nodes.provision(NewNode(bob.principal.user_id, "Quexmoor"))
    await bob.nodes.provision(NewNode(farm.node_id, "Barn"))
    await bob.records.remember_text("Herd", "The herd of Ostrimund.", source_id="herd", node_id=farm.node_id)
    await ann.records.remember(Conversation("ann-chat", (Turn("user", "I live in Vexhollow."),)))


async def forgotten_since(engine: Engine) -> None:
    """A source, one record, one that came after the backup, a node, and a user."""
    bob = await memory_of_bob(engine)
    await bob.records.remember_text("Late", "A late boat.", source_id="late")
    stone = next(one for one in (await bob.nodes.metadata(bob.principal.user_id)).records if one.title == "Stone")
    [farm] = await bob.nodes.children(bob.principal.user_id)
    subjects = (
        ("source", "cello"), ("record", str(stone.record_id)), ("source", "late"), ("node", str(farm.node_id)),
    )  # fmt: skip
    for kind, named in subjects:
        await to_its_end(engine, await bob.forgettings.forget(ForgettingSubject(kind, named)))
    ann = await engine.workspace.users.find("trundlewick-ann")
    await to_its_end(engine, await engine.workspace.users.forget(ann.user_id))


async def to_its_end(engine: Engine, one: Forgetting) -> None:
    """A call ends after 20 seconds, which a busy machine may need."""
    assert (await engine.parts[Erasure].carry_on(one, within_s=300)).state == "done"


async def memory_of_bob(engine: Engine) -> Memory:
    return engine.memory((await engine.workspace.users.find("bob")).user_id)


@pytest.mark.ledger("F13", "X07", "X12")
async def test_what_was_forgotten_after_a_backup_does_not_come_back_with_it(tmp_path: Path, cache: Path) -> None:
    home, other, backup = tmp_path / "home", tmp_path / "other", tmp_path / "backup"
    async with open_engine(settings(home, cache), warming=False) as engine:
        await stored(engine)
        await back_up(settings(home, cache), backup)
        await linked(settings(home, cache), backup, tmp_path / "next")
        await forgotten_since(engine)
        assert await found(engine, GONE) == set()
    await stop(home)
    handed = sorted(one.name for one in (backup / "forgotten").iterdir())
    assert len(handed) == 5 and handed == sorted(one.name for one in (home / "receipts").iterdir())
    assert len([*(home / "user-keys").rglob("*")]) == 1  # that of the forgotten user is destroyed; a backup has none
    text = b"".join(one.read_bytes() for one in (backup / "forgotten").iterdir()).decode()
    assert not [word for word in (*GONE, "cello", "late", "bob") if word.lower() in text.lower()]

    shutil.copytree(backup / "forgotten", tmp_path / "receipts")
    await refused(settings(home, cache), backup, tmp_path / "receipts")
    ended = await asyncio.to_thread(
        run_module, mend_victim.__name__, str(other), str(cache), "restore", str(backup), "forgetting_graph"
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    with pytest.raises(StackError, match="cut off"):
        async with open_engine(settings(other, cache), warming=False):
            pass
    report = (await restore(settings(other, cache), backup)).forgotten
    assert report is not None and report.applied == 5
    async with open_engine(settings(other, cache), warming=False) as engine:
        assert await found(engine, GONE) == set()
        with pytest.raises(NotFound):
            await engine.workspace.users.find("trundlewick-ann")
        bob = await memory_of_bob(engine)
        assert await bob.nodes.children(bob.principal.user_id) == ()
        hits = (await bob.search(SearchRequest("When does the lease end?"))).hits
        assert [hit.content for hit in hits] == ["The lease of the orchard ends in June."]
        for named in ("cello", "late", "herd"):
            with pytest.raises(Forgotten):
                await bob.records.remember_text("Again", "Once more.", source_id=named)
        assert (await engine.doctor.examine()) == []
    await stop(other)


async def linked(home: Settings, base: Path, target: Path) -> None:
    """A backup on the base of another has the files of objects that are the same, and is whole without it."""
    await back_up(home, target, base=base)
    objects = [one.relative_to(target) for one in (target / "objects").rglob("*.gz")]
    assert objects and all((target / one).samefile(base / one) for one in objects)
    names = {name: entry for name, entry in read_manifest(target).files.items() if name.endswith(".gz")}
    assert names == {name: entry for name, entry in read_manifest(base).files.items() if name.endswith(".gz")}


async def refused(home: Settings, backup: Path, receipts: Path) -> None:
    """A receipt that is cut, that was changed, and a file in place of a folder: nothing is restored."""
    before = sorted(one.name for one in home.home.iterdir())
    file = min(receipts.iterdir())  # noqa: ASYNC240
    whole = json.loads(file.read_text())
    file.write_text(json.dumps(whole)[:-40])
    with pytest.raises(BackupError, match="must not come back"):
        await restore(home, backup, force=True, receipts=[receipts])
    whole["signed"]["receipt"] |= {"number": 77, "forgetting_id": "00000000-0000-4000-8000-000000000000"}
    file.write_text(json.dumps(whole))
    with pytest.raises(ReceiptChanged):
        await restore(home, backup, force=True, receipts=[receipts])
    for none in (file, receipts / "nowhere"):
        with pytest.raises(BackupError, match="no folder"):
            await restore(home, backup, force=True, receipts=[none])
    assert sorted(one.name for one in home.home.iterdir()) == before
