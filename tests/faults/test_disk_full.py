"""A disk that is full: each store says that it has no room, and goes on by itself when there is room again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.domain.history import Conversation, Turn
from engine.errors import StoreFull
from engine.settings import Settings
from engine.stores.statements import cypher
from engine.wiring.open_engine import open_engine
from tests.faults.servers import until_healthy
from tests.small_disk import mounted


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A home just fits on it."""
    with mounted(tmp_path / "disk", "600m") as disk:
        yield disk


def filled(disk: Path) -> Path:
    """A file that takes all the room there is."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as writer:
        for size in (1 << 20, 1 << 12):
            try:
                while writer.write(bytes(size)) == size:
                    pass
            except OSError:
                continue
    return filler


@pytest.mark.ledger("N15", "L04")
async def test_every_store_says_that_it_is_full_and_recovers(settings: Settings, small_disk: Path) -> None:
    own = settings.model_copy(update={"home": small_disk / "home"})
    async with open_engine(own, warming=False) as engine:
        memory = engine.memory((await engine.workspace.users.create("bob")).user_id)
        await memory.records.remember(Conversation("before", (Turn("Bob", "A walleye."),)))
        filler = filled(small_disk)
        with pytest.raises(StoreFull, match="object store has no room"):
            await memory.records.remember(Conversation("during", (Turn("Bob", "Another walleye. " * 5000),)))
        with pytest.raises(StoreFull, match="metadata store has no room"):
            async with engine.postgres.as_service() as connection:
                await connection.execute("CREATE TABLE engine.filling AS SELECT generate_series(1, 1000000) AS number")
        with pytest.raises(StoreFull, match="graph store has no room"):
            for number in range(2000):  # until its open files have no room left
                version = {"version": 100_000 + number, "name": "x" * 20_000, "checksum": ""}
                await engine.neo4j.write(cypher("schema/migration_applied"), **version)
        for health in await engine.health():
            assert health.healthy or "no room" in health.detail, health
        filler.unlink()
        await until_healthy(engine)
        assert (await memory.records.remember(Conversation("after", (Turn("Bob", "A third walleye."),)))).turns == 1
