"""Embedding versions: built, compared, promoted and taken back; token bits beside every vector, made for items of before."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from psycopg import sql

from engine.domain.clock import Moment
from engine.domain.delta import Change
from engine.domain.embedding import ModelChoice, Pace
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.search import SearchRequest
from engine.errors import Conflict, InvalidInput, NotFound, SettingsError
from engine.hierarchy.shells import Shells
from engine.lifecycle import embedding_versions
from engine.lifecycle.embedding_versions import LabelledQuery
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.wiring.open_engine import open_engine
from tests.commands import typed
from tests.door import new_door
from tests.hierarchy.test_upgrades import outdated
from tests.lifecycle import versions
from tests.lifecycle.versions import E5, FAST, MINILM, QUESTIONS, TURNS, asked, canary, shown
from tests.processes import run_module

engine, memory = versions.engine, versions.memory  # without other users, as with "few_nodes"
NO_TOKENS = ("UPDATE {schema}.memory_items SET tokens = NULL, tokens_b = NULL",)


async def rows(engine: Engine, node: UUID) -> list[dict[str, Any]]:
    """The rows of the items of a node, but for those that hold a whole input."""
    async with engine.postgres.as_service() as connection:
        [schema] = await connection.fetch(
            "SELECT schema_name FROM engine.nodes WHERE node_id = %(id)s", {"id": node}, row=str
        )
        statement = "SELECT * FROM {}.memory_items WHERE category <> 'whole' ORDER BY item_id"
        cursor = await connection.execute(sql.SQL(statement).format(sql.Identifier(schema)))
        return await cursor.fetchall()


async def missing(engine: Engine, memory: Memory) -> dict[str, int]:
    """Items without tokens in the slots that have a vector, over all nodes of the user."""
    found = {"a": 0, "b": 0}
    for node in await memory.nodes.writable():
        for row in await rows(engine, node.node_id):
            found["a"] += row["embedding"] is not None and row["tokens"] is None
            found["b"] += row["embedding_b"] is not None and row["tokens_b"] is None
    return found


async def as_it_was(engine: Engine, memory: Memory) -> None:
    """All nodes with the tables of a release that knew no tokens, upgraded."""
    for node in await memory.nodes.writable():
        shell = await memory.nodes.shell(node.node_id)
        await outdated(engine, [shell], 8, NO_TOKENS)
    await engine.upgrades.run()


@pytest.mark.ledger("F10", "N24")
async def test_tokens_lie_beside_every_vector(engine: Engine, memory: Memory) -> None:
    """Of an ingest, a document and its next version, a change by hand, a move, and a canary's."""
    root = memory.principal.user_id
    await memory.records.remember_text("Notes", "The hull leaks.", source_id="notes", node_id=root)
    await memory.records.remember_text("Notes", "The hull is dry again.", source_id="notes", node_id=root)
    hit = (await memory.search(SearchRequest("walleye", widen="always"))).hits[0]
    await memory.history.change(Change("item", hit.item_id, {"content": "The zander bites at noon."}, hit.node_id))
    await memory.records.move(hit.record_id, hit.node_id, root)
    assert await missing(engine, memory) == {"a": 0, "b": 0}
    moved = await rows(engine, root)
    assert all(len(row["tokens"]) % 48 == 0 for row in moved) and any(len(row["tokens"]) > 48 for row in moved)
    await canary(engine)
    assert await missing(engine, memory) == {"a": 0, "b": 0}
    [one] = [row for row in await rows(engine, root) if row["content"] == "The zander bites at noon."]
    assert one["embedding_b_version"] == MINILM and one["tokens"] != one["tokens_b"]


@pytest.mark.ledger("F10")
async def test_items_of_before_get_their_tokens_and_keep_their_vectors(engine: Engine, memory: Memory) -> None:
    places = await memory.nodes.writable()
    before = [row for node in places for row in await rows(engine, node.node_id)]
    await as_it_was(engine, memory)
    lacking = (await missing(engine, memory))["a"]
    assert lacking == len(before) > 90
    report = await engine.derivations.of_job("pending-embeddings")
    assert report["tokens_tokens"] == lacking and (report.get("vectors_filled", 0), report["tokens_waiting"]) == (0, 0)
    after = [row for node in places for row in await rows(engine, node.node_id)]
    for old, new in zip(before, after, strict=True):
        assert str(old["embedding"]) == str(new["embedding"]) and len(old["tokens"]) == len(new["tokens"])
    # not all alike: the scale of the quantized encoder depends on the other texts of a batch
    pairs = [(old["tokens"], new["tokens"]) for old, new in zip(before, after, strict=True)]
    other = sum((one ^ two).bit_count() for old, new in pairs for one, two in zip(old, new, strict=True))
    assert other < 0.15 * 8 * sum(len(old) for old, _ in pairs)
    assert (await engine.derivations.run("tokens")).get("tokens", 0) == 0
    assert await engine.doctor.examine() == []


@pytest.mark.ledger("F11")
async def test_a_version_that_is_searched_again_gets_what_it_lacks(engine: Engine, memory: Memory) -> None:
    name = await canary(engine)
    await as_it_was(engine, memory)
    await engine.workspace.embeddings.promote(name)
    assert (await missing(engine, memory))["b"] > 0
    await engine.derivations.of_job("pending-embeddings")
    assert (await missing(engine, memory))["b"] == 0 < (await missing(engine, memory))["a"]
    await engine.workspace.embeddings.roll_back()
    await engine.derivations.of_job("pending-embeddings")
    assert await missing(engine, memory) == {"a": 0, "b": 0}
    await memory.records.remember(
        Conversation("late", (Turn("Bob", "A late heron."),)), node_id=memory.principal.user_id
    )
    await engine.workspace.embeddings.build(name, pace=FAST)
    assert await missing(engine, memory) == {"a": 0, "b": 0}


@pytest.mark.ledger("F10", "F11")
async def test_a_canary_is_built_compared_promoted_and_taken_back(engine: Engine, memory: Memory) -> None:
    before = await asked(memory)
    assert {answer.embeddings for answer in before} == {E5}
    version = await engine.workspace.embeddings.start(ModelChoice("onnx", "minilm"))
    assert (version.name, version.status, version.slot, version.dimension) == (MINILM, "canary", "b", 384)
    assert (await engine.workspace.embeddings.get()).done == 0
    with pytest.raises(Conflict, match="build it to the end"):
        part = await engine.workspace.embeddings.build(pace=Pace(duty=1, most=64))
        assert 64 <= part.filled < 192 and part.remaining > 0
        await promote_at_once(engine)
    report = await engine.workspace.embeddings.build(pace=FAST)
    assert report.remaining == 0 and report.filled > 0
    assert (await engine.workspace.embeddings.build(pace=FAST)).filled == 0
    assert (await engine.workspace.embeddings.get()).version.built_at is not None
    assert [shown(answer) for answer in await asked(memory)] == [shown(answer) for answer in before]

    comparison = await engine.workspace.embeddings.compare(20)
    assert comparison["queries"] > 0 and 0 < comparison["overlap@10"] <= 1
    assert comparison["found itself@10, canary"] > 0.9
    assert (await engine.workspace.embeddings.get()).version.comparison == comparison

    far = await engine.workspace.embeddings.promote()
    assert (far.version.name, far.version.status, far.remaining) == (MINILM, "active", 0)
    assert await of_centroids(engine) == {MINILM}
    after = await asked(memory)
    assert {answer.embeddings for answer in after} == {MINILM}
    assert [shown(answer) for answer in after] != [shown(answer) for answer in before]
    await memory.records.remember(Conversation("later", (Turn("Bob", "The harbour froze over."),)))
    assert (await engine.workspace.embeddings.get(MINILM)).remaining == 0

    back = await engine.workspace.embeddings.roll_back()
    assert (back.version.name, back.remaining) == (E5, 0)
    assert await of_centroids(engine) == {E5}
    assert {answer.embeddings for answer in await asked(memory)} == {E5}
    assert (await engine.workspace.embeddings.get()).version.name == MINILM  # a canary again
    again = await engine.workspace.embeddings.promote()
    assert again.version.name == MINILM


async def of_centroids(engine: Engine) -> set[str]:
    """The versions of the centroids of all nodes, after their job."""
    assert (await engine.derivations.run("centroids"))["made"] == 3, "all nodes"
    async with engine.postgres.as_service() as connection:
        found = await connection.execute("SELECT c.version FROM engine.node_centroids AS c")
        return {row["version"] for row in await found.fetchall()}


async def promote_at_once(engine: Engine) -> None:
    """Without the help that a promotion gives for the last gaps."""
    far = await engine.workspace.embeddings.get()
    limit, embedding_versions.LAST_GAPS = embedding_versions.LAST_GAPS, 0
    try:
        assert far.remaining > 0
        await engine.workspace.embeddings.promote()
    finally:
        embedding_versions.LAST_GAPS = limit


@pytest.mark.ledger("F11")
async def test_no_answer_ever_mixes_versions(engine: Engine, memory: Memory) -> None:
    """Answers given while versions are built, promoted and taken back are, to the digit, those of one version alone."""
    pure: dict[str, dict[str, list[tuple[object, ...]]]] = {E5: {}, MINILM: {}}

    async def learn(name: str) -> None:
        for answer in await asked(memory):
            assert answer.embeddings == name
            pure[name][answer.query] = shown(answer)

    await learn(E5)
    name = await canary(engine)
    await engine.workspace.embeddings.promote()
    await learn(MINILM)
    await engine.workspace.embeddings.roll_back()
    await engine.workspace.embeddings.drop(name)

    stop, promoted = asyncio.Event(), asyncio.Event()
    seen: list[str] = []

    async def ask() -> None:
        while not stop.is_set():
            for question in QUESTIONS:
                answer = await memory.search(SearchRequest(question, limit=20, widen="always"))
                assert shown(answer) == pure[answer.embeddings][answer.query], f"mixed: {answer.embeddings}"
                seen.append(answer.embeddings)
                if answer.embeddings == MINILM:
                    promoted.set()

    async def change() -> None:
        try:
            await canary(engine)
            for _ in range(3):
                promoted.clear()
                await engine.workspace.embeddings.promote()
                async with asyncio.timeout(60):  # a search falls between, however busy the machine is
                    await promoted.wait()
                await engine.workspace.embeddings.roll_back()
        finally:
            stop.set()

    await asyncio.gather(ask(), ask(), change())
    assert set(seen) == {E5, MINILM}


async def test_another_engine_follows_a_promotion(engine: Engine, memory: Memory) -> None:
    async with open_engine(engine.settings, warming=False) as other:
        stale = other.active.current
        theirs = other.memory(memory.principal.user_id)
        await canary(engine)
        await engine.workspace.embeddings.promote()
        other.active._model = stale  # as if its look in the background had not come yet
        answer = await theirs.search(SearchRequest("What leaks?"))
        assert answer.embeddings == MINILM and answer.notes == ()
        other.active._model = stale
        await theirs.records.remember(Conversation("theirs", (Turn("Dave", "The pier is closed for repairs."),)))
        other.active._model = stale
        record = (await theirs.nodes.metadata(memory.principal.user_id)).records[0]
        await theirs.history.change(
            Change("record", record.record_id, {"summary": "A closed pier."}, node_id=memory.principal.user_id)
        )
        assert (await engine.workspace.embeddings.get(MINILM)).remaining == 0
    assert {version.status for version in await engine.workspace.embeddings.list()} == {"active", "archived"}


async def test_an_engine_that_cannot_make_the_active_vectors_answers_by_words(engine: Engine, memory: Memory) -> None:
    async with open_engine(engine.settings, warming=False) as other:
        theirs, stale = other.memory(memory.principal.user_id), other.active.current

        async def load(choice: ModelChoice) -> None:
            raise SettingsError(f"no {choice.model} here")

        other.active._load, other.active._embedders = load, {}
        await canary(engine)
        await engine.workspace.embeddings.promote()
        other.active._model = stale
        answer = await theirs.search(SearchRequest("walleye"))
        assert answer.embeddings == "" and "walleye" in answer.hits[0].content
        assert "words only" in answer.notes[0] and MINILM in answer.notes[0]


async def test_a_changed_text_has_no_stale_vector_in_either_slot(engine: Engine, memory: Memory) -> None:
    root = memory.principal.user_id
    await memory.records.remember(Conversation("one", (Turn("Bob", "The cat sleeps on the stove."),)), node_id=root)
    hit = (await memory.search(SearchRequest("cat on the stove", limit=1))).hits[0]
    learnt = engine.parts[Shells]._clock.now()
    await canary(engine)
    changed = Change("item", hit.item_id, {"content": "Stocks fell by a third."}, node_id=root)
    await memory.history.change(changed)
    assert (await engine.workspace.embeddings.get()).remaining > 0  # the row and its past state, for the job
    await engine.workspace.embeddings.promote()
    assert (await engine.workspace.embeddings.get(MINILM)).remaining == 0
    now = (await memory.search(SearchRequest("the market crashed", limit=1))).hits[0]
    assert now.content == "Stocks fell by a third."
    past = await memory.search(SearchRequest("kitten on the oven", limit=3, moment=Moment(known_at=learnt)))
    assert "The cat sleeps on the stove." in [one.content for one in past.hits]
    await engine.workspace.embeddings.roll_back()
    assert (await engine.workspace.embeddings.get(E5)).remaining == 0


async def downgraded(engine: Engine, schema: str) -> None:
    """A node as it was before there were slots: template 3."""
    statements = (
        "ALTER TABLE {schema}.memory_items DROP COLUMN embedding_b, DROP COLUMN embedding_b_version",
        "ALTER TABLE {schema}.metadata_records DROP COLUMN embedding_b, DROP COLUMN embedding_b_version",
        "ALTER TABLE {schema}.metadata_records ADD CONSTRAINT metadata_records_check"
        " CHECK (embedding_pending = (embedding IS NULL))",
        "DROP TRIGGER forget_meaning ON {schema}.memory_items",
        "DROP TRIGGER forget_meaning ON {schema}.metadata_records",
    )
    async with engine.postgres.as_service() as connection:
        for statement in statements:
            await connection.execute(sql.SQL(statement).format(schema=sql.Identifier(schema)))
        await connection.execute("UPDATE engine.nodes SET template_version = 3 WHERE schema_name = %s", [schema])


async def test_upgraded_nodes_of_the_old_template_serve_beside_new_ones(engine: Engine, memory: Memory) -> None:
    root = await memory.nodes.shell(memory.principal.user_id)
    old = await memory.nodes.shell(root.children[0].node_id)
    statement = "UPDATE {}.memory_items SET tokens = NULL, entities = '{{}}', about = '{{}}'"  # younger than slots
    async with engine.postgres.as_service() as connection:
        await connection.execute(sql.SQL(statement).format(sql.Identifier(old.schema_name)))
    before = await asked(memory)
    await downgraded(engine, old.schema_name)
    assert (await engine.upgrades.run()).damaged == 0
    assert [shown(answer) for answer in await asked(memory)] == [shown(answer) for answer in before]
    await memory.records.remember(
        Conversation("more", (Turn("Bob", "A heron stood in the reeds."),)), node_id=old.node_id
    )
    hits = (await memory.search(SearchRequest("a wading bird", limit=5, widen="always"))).hits
    assert "A heron stood in the reeds." in [hit.content for hit in hits]
    await engine.workspace.embeddings.start(ModelChoice("onnx", "minilm"))
    assert (await engine.workspace.embeddings.get()).remaining > 0  # counted, too
    assert [shown(answer) for answer in await asked(memory)]
    await engine.workspace.embeddings.build(pace=FAST)
    assert (await engine.workspace.embeddings.promote()).remaining == 0
    found = (await memory.search(SearchRequest("a wading bird", limit=5, widen="always"))).hits
    assert "A heron stood in the reeds." in [hit.content for hit in found]


@pytest.mark.long
async def test_half_precision_lies_beside_single_precision(engine: Engine, memory: Memory) -> None:
    version = await engine.workspace.embeddings.start(ModelChoice("onnx", "e5-small"), "halfvec")
    assert version.name == f"{E5}-halfvec"
    fresh = await memory.nodes.provision(NewNode(memory.principal.user_id, "Fresh"))  # made while there is a canary
    await memory.records.remember(Conversation("fresh", (Turn("Bob", "New shoes."),)), node_id=fresh.node_id)
    before = await asked(memory)
    await engine.workspace.embeddings.build(pace=FAST)
    await engine.workspace.embeddings.promote()
    after = await asked(memory)
    assert {answer.embeddings for answer in after} == {version.name}
    for one, two in zip(before, after, strict=True):  # the encoder itself depends a little on what shares a batch
        sentences = [{hit.content.split(" It was day")[0] for hit in answer.hits[:5]} for answer in (one, two)]
        assert sentences[0] & sentences[1]
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT DISTINCT format_type(a.atttypid, NULL) AS type FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid"
            " JOIN pg_namespace AS s ON s.oid = c.relnamespace JOIN engine.nodes AS n ON n.schema_name = s.nspname"
            " WHERE a.attname = 'embedding_b'"
        )
        assert [row["type"] for row in await cursor.fetchall()] == ["halfvec"]


async def test_a_build_killed_at_any_batch_goes_on_where_it_was(engine: Engine, memory: Memory) -> None:
    await engine.workspace.embeddings.start(ModelChoice("onnx", "minilm"))
    home, cache = str(engine.settings.home), str(engine.settings.cache)
    done = 0
    for batches in (1, 2):
        ended = await asyncio.to_thread(run_module, "tests.faults.builder", home, cache, str(batches))
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        far = await engine.workspace.embeddings.get()
        assert far.done > done and far.remaining > 0
        done = far.done
    left = far.remaining
    assert (await engine.workspace.embeddings.build(pace=FAST)).filled == left  # nothing twice
    assert (await engine.workspace.embeddings.promote()).remaining == 0


@pytest.mark.long
async def test_two_builds_at_once_do_no_harm(engine: Engine, memory: Memory) -> None:
    await engine.workspace.embeddings.start(ModelChoice("onnx", "minilm"))
    total = (await engine.workspace.embeddings.get()).total
    reports = await asyncio.gather(*(engine.workspace.embeddings.build(pace=FAST) for _ in range(2)))
    assert [report.remaining for report in reports] == [0, 0]
    assert total <= sum(report.filled for report in reports) <= 2 * total
    await memory.records.remember(Conversation("while", TURNS[:3]))
    assert (await engine.workspace.embeddings.promote()).remaining == 0


async def test_what_does_not_fit_the_state_is_refused(engine: Engine, memory: Memory) -> None:
    versions = engine.workspace.embeddings
    for wrong in (versions.promote(), versions.build(), versions.compare(), versions.drop("no-such")):
        with pytest.raises(NotFound):
            await wrong
    with pytest.raises(Conflict):
        await versions.roll_back()
    with pytest.raises(Conflict, match="active"):
        await versions.start(ModelChoice("onnx", "e5-small"))
    with pytest.raises(Conflict, match="active"):
        await versions.drop(E5)
    with pytest.raises(InvalidInput, match="no-such"):
        await versions.start(ModelChoice("onnx", "no-such"))
    with pytest.raises(InvalidInput, match="OPENAI_API_KEY"):
        await versions.start(ModelChoice("openai", "text-embedding-3-small"))
    first = await versions.start(ModelChoice("onnx", "minilm"))
    assert await versions.start(ModelChoice("onnx", "minilm")) == first
    with pytest.raises(Conflict, match="another canary"):
        await versions.start(ModelChoice("onnx", "bge-small"))
    for pace in (Pace(duty=0), Pace(duty=1.5)):
        with pytest.raises(InvalidInput):
            await versions.build(pace=pace)
    with pytest.raises(InvalidInput):
        await versions.compare(0)
    await versions.build(pace=FAST)
    dropped = await versions.drop(MINILM)
    assert (dropped.status, dropped.slot) == ("archived", None)
    with pytest.raises(Conflict, match="start it as a canary again"):
        await versions.build(MINILM)
    assert (await versions.get(MINILM)).done == 0
    async with engine.postgres.as_service() as connection:
        shell = await memory.nodes.shell(memory.principal.user_id)
        count = sql.SQL("SELECT count(embedding_b) AS left FROM {}.memory_items")
        cursor = await connection.execute(count.format(sql.Identifier(shell.schema_name)))
        assert (await cursor.fetchone())["left"] == 0


@pytest.mark.long
async def test_labelled_questions_give_recall(engine: Engine, memory: Memory) -> None:
    user = await engine.workspace.users.create(f"v{uuid4().hex[:12]}")
    await engine.memory(user.user_id).records.remember(
        Conversation("c", (Turn("Bob", "The stern leaks.", ref="D1:1"), *TURNS[5:9]))
    )
    await canary(engine)
    queries = [LabelledQuery(user.handle, "What leaks?", frozenset({"D1:1"}))]
    report = await engine.workspace.embeddings.compare(queries=queries)
    assert (report["recall@10, active"], report["recall@10, canary"]) == (1, 1)
    with pytest.raises(NotFound):
        await engine.workspace.embeddings.compare(queries=[LabelledQuery("nobody", "x", frozenset())])


@pytest.mark.long
async def test_settings_may_name_any_version_of_the_home_but_no_other_model(engine: Engine, memory: Memory) -> None:
    with pytest.raises(SettingsError, match="embeddings canary start --encoder bge-small"):
        async with open_engine(engine.settings.model_copy(update={"encoder": "bge-small"}), warming=False) as _:
            pass
    await canary(engine)
    await engine.workspace.embeddings.promote()
    for encoder in ("e5-small", "minilm"):
        async with open_engine(engine.settings.model_copy(update={"encoder": encoder}), warming=False) as other:
            assert other.active.current.name == MINILM


async def test_a_version_promoted_by_force_is_made_up_later(
    engine: Engine, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_versions, "LAST_GAPS", 1)
    await engine.workspace.embeddings.start(ModelChoice("onnx", "minilm"), "halfvec")
    far = await engine.workspace.embeddings.promote(force=True)
    assert far.version.status == "active" and far.remaining > 0
    answer = await memory.search(SearchRequest("walleye"))
    assert "walleye" in answer.hits[0].content and {hit.signals.get("meaning") for hit in answer.hits} <= {None, 0}
    await memory.records.remember(Conversation("after", (Turn("Bob", "The ferry was late."),)))
    report = await engine.workspace.embeddings.build(f"{MINILM}-halfvec", pace=FAST)
    assert report.remaining == 0
    found = (await memory.search(SearchRequest("a delay of the ship", limit=5))).hits
    assert "The ferry was late." in [hit.content for hit in found]


async def test_a_build_can_be_done_in_pieces_over_rest(engine: Engine, memory: Memory) -> None:
    app = new_door(engine.settings, engine=engine)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=("127.0.0.1", 50000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        path = f"/v1/embedding-versions/{MINILM}"
        started = await door.post("/v1/embedding-versions", json={"model": "minilm"})
        assert (started.status_code, started.json()["name"]) == (201, MINILM)
        assert (await door.post(f"{path}/promote", json={})).status_code in (200, 409)
        while (await door.post(f"{path}/build", json={"most": 300})).json()["remaining"]:
            pass
        compared = (await door.post(f"{path}/compare", json={"samples": 5})).json()
        assert compared["queries"] == 5 and compared["remaining"] == 0
        versions = {one["name"]: one for one in (await door.get("/v1/embedding-versions")).json()}
        if versions[MINILM]["status"] == "canary":
            assert (await door.post(f"{path}/promote", json={})).status_code == 200
        assert (await door.get(path)).json()["version"]["status"] == "active"
        assert (await door.delete(path)).status_code == 409
        assert (await door.post(f"/v1/embedding-versions/{E5}/rollback", json={})).status_code == 409
        assert (await door.post(f"{path}/rollback", json={})).json()["version"]["name"] == E5
        assert (await door.delete(path)).json()["slot"] is None
        for missing in ("promote", "build", "rollback"):
            answer = await door.post(f"/v1/embedding-versions/none/{missing}", json={})
            assert answer.status_code == 404
        assert (await door.post("/v1/embedding-versions", json={"model": "none"})).status_code == 422


@pytest.mark.ledger("F10")
async def test_the_shell_goes_through_the_life_of_a_version(engine: Engine, memory: Memory, tmp_path: Path) -> None:
    async def run(*arguments: str) -> tuple[int, str]:
        ended = await typed(engine, tmp_path, None, "embeddings", *arguments)
        return ended.returncode, ended.stdout + ended.stderr

    assert (await run("canary", "start"))[0] == 1
    code, said = await run("canary", "start", "--encoder", "minilm", "--duty", "1")
    assert code == 0 and "canary" in said, said
    assert "overlap@10" in (await run("compare", "--samples", "5"))[1]
    assert "overlap@10" in (await run("status"))[1]
    code, said = await run("promote", "--json")
    assert code == 0 and json.loads(said)["status"] == "active", said
    assert (await memory.search(SearchRequest("What leaks?"))).embeddings == MINILM
    assert E5 in (await run("rollback"))[1]
    listed = json.loads((await run("list", "--json"))[1])["versions"]
    assert {one["name"]: one["status"] for one in listed}[MINILM] == "canary"
    assert "gone" in (await run("drop", MINILM))[1]
