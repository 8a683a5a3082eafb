"""Three URLs point the same code at stores that somebody else runs; here, at the embedded ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from engine.domain.history import Conversation, Turn
from engine.domain.search import SearchRequest
from engine.embedded import attached
from engine.errors import SettingsError, StoreUnavailable
from engine.neurigraph import Engine
from engine.progress import Silent
from engine.settings import Settings
from engine.stores import postgres
from engine.wiring.open_engine import open_engine


@pytest.mark.ledger("U07")
async def test_the_same_code_works_on_managed_stores(engine: Engine, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "objects with space").symlink_to(
        settings.home / "objects"
    )  # the stores of one installation stay together
    async with attached(settings.home, settings.cache, progress=Silent()) as stack:
        managed = settings.model_copy(
            update={
                "home": tmp_path / "unused",
                "neo4j_url": stack.neo4j_url,
                "neo4j_password": SecretStr(stack.neo4j_password),
                "postgres_url": SecretStr(stack.postgres_url),
                "objects_url": SecretStr((tmp_path / "objects with space").as_uri()),
            }
        )
        async with open_engine(managed) as other:
            user = await other.workspace.users.create("managed")
            await other.memory(user.user_id).records.remember(
                Conversation("c", (Turn("Ann", "The walleye of Loon Lake."),))
            )
            assert len((await other.memory(user.user_id).search(SearchRequest("walleye"))).hits) == 1
            assert list((tmp_path / "objects with space").glob("managed*/**/*.gz"))
            assert not (tmp_path / "unused").exists()


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"neo4j_url": "bolt://127.0.0.1:1"}, SettingsError, "both"),
        (
            {"neo4j_url": "bolt://127.0.0.1:1", "postgres_url": SecretStr("postgresql://x@127.0.0.1:1/x")},
            SettingsError,
            "PASSWORD",
        ),
        ({"objects_url": SecretStr("ftp://somewhere")}, SettingsError, "s3://"),
        ({"encoder": "bert"}, SettingsError, "bert"),
    ],
)
async def test_settings_that_do_not_fit_are_one_sentence(
    engine: Engine, settings: Settings, change: dict, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        async with open_engine(settings.model_copy(update=change)):
            pass


async def test_managed_stores_that_do_not_answer_are_named(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "OPENING", 1.0)
    nowhere = {
        "neo4j_url": "bolt://127.0.0.1:1", "neo4j_password": SecretStr("x"),
        "postgres_url": SecretStr("postgresql://x:secret@127.0.0.1:1/x"), "connect_timeout_s": 2.0,
    }  # fmt: skip
    with pytest.raises(StoreUnavailable, match="metadata store") as error:
        async with open_engine(settings.model_copy(update=nowhere)):
            pass
    assert "secret" not in str(error.value)
