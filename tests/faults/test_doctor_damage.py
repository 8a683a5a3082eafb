"""Every kind of damage, inflicted on the real stores: found, named right, and settled by the remedy that the doctor names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO
from uuid import UUID

import pytest
from psycopg import sql

from engine.domain.delta import Change
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.principal import Principal
from engine.domain.search import SearchRequest
from engine.errors import DamagedFile, InvalidInput, NotFound
from engine.lifecycle.doctor import Finding
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.commands import typed

pytestmark = pytest.mark.usefixtures("alone")

TALK = Conversation("talk", tuple(Turn("Bob", f"The walleye number {number} bites.") for number in range(4)))
DEEP = 10_000


@dataclass(frozen=True)
class Ground:
    """A user with a node Lake that holds a conversation and a document, and a child Bay."""

    engine: Engine
    memory: Memory
    node: UUID
    schema: str
    child: UUID
    record: UUID
    file: UUID
    key: str

    async def write(self, *statements: str) -> None:
        """Changes Lake's tables behind the engine's back."""
        async with self.engine.postgres.as_service() as connection:
            for statement in statements:
                words = sql.SQL(statement).format(
                    schema=sql.Identifier(self.schema),
                    node=self.node,
                    record=self.record,
                    user=self.memory.principal.user_id,
                )
                await connection.execute(words)

    async def graph(self, statement: str) -> None:
        """Changes the graph behind the engine's back."""
        await self.engine.neo4j.write(
            f"{statement} RETURN 1 AS done", node=str(self.node), child=str(self.child), record=str(self.record)
        )

    async def object(self) -> bytes:
        return b"".join([block async for block in self.engine.objects.read(self.key)])

    async def put(self, content: bytes) -> None:
        await self.engine.objects.put(self.key, BytesIO(content))

    async def findings(self, read_files: int = 0) -> list[Finding]:
        mine = {self.node, self.child, self.memory.principal.user_id}
        return [one for one in await self.engine.doctor.examine(read_files=read_files) if one.node_id in mine]


@pytest.fixture
async def ground(engine: Engine, memory: Memory) -> Ground:
    lake = await memory.nodes.provision(
        NewNode(memory.principal.user_id, "Lake", summary="A cold lake.", keywords=("ice",))
    )
    bay = await memory.nodes.provision(NewNode(lake.node_id, "Bay"))
    report = await memory.records.remember(TALK, node_id=lake.node_id)
    await memory.records.remember_text("Manual", "The gasket of the boat leaks.", node_id=lake.node_id)
    record = report.records[0]
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            sql.SQL("SELECT storage_path FROM {}.file_manifest WHERE file_id = %s").format(
                sql.Identifier(lake.schema_name)
            ),
            [record.file_id],
        )
        row = await cursor.fetchone()
    assert row is not None
    return Ground(
        engine,
        memory,
        lake.node_id,
        lake.schema_name,
        bay.node_id,
        record.record_id,
        record.file_id,
        row["storage_path"],
    )


async def truncated(ground: Ground) -> None:
    await ground.put((await ground.object())[:-20])


async def emptied(ground: Ground) -> None:
    await ground.put(b"")


async def flipped(ground: Ground) -> None:
    content = bytearray(await ground.object())
    content[len(content) // 2] ^= 1
    await ground.put(bytes(content))


async def deleted(ground: Ground) -> None:
    await ground.engine.objects.delete(ground.key)


def written(*statements: str) -> Callable[[Ground], Awaitable[None]]:
    async def inflict(ground: Ground) -> None:
        await ground.write(*statements)

    return inflict


def graphed(statement: str) -> Callable[[Ground], Awaitable[None]]:
    async def inflict(ground: Ground) -> None:
        await ground.graph(statement)

    return inflict


UNGUARDED = (
    "ALTER TABLE {schema}.delta_log DISABLE TRIGGER USER",
    "ALTER TABLE {schema}.delta_log ENABLE TRIGGER USER",
)
RECORD_GONE = (
    "DELETE FROM {schema}.memory_items WHERE record_id = {record}",
    "DELETE FROM {schema}.file_manifest WHERE record_id = {record}",
    "DELETE FROM {schema}.metadata_records WHERE record_id = {record}",
)
DAMAGE: dict[str, tuple[Callable[[Ground], Awaitable[None]], set[str], str, str]] = {
    # what: how it is inflicted, the kinds that are found, words of the finding, the remedy
    "truncated object": (truncated, {"file-lost"}, "bytes instead of", "accept"),
    "emptied object": (emptied, {"file-lost"}, "0 bytes instead of", "accept"),
    "changed object": (flipped, {"file-lost"}, "not those that were stored", "accept"),
    "lost object": (deleted, {"file-lost"}, "missing", "accept"),
    "lost HAS_CHILD": (
        graphed("MATCH ()-[h:HAS_CHILD]->(:Node {node_id: $child}) DELETE h"), {"shell-wrong"}, "hangs below no node", "fix",
    ),
    "second HAS_CHILD": (
        graphed("MATCH (c:Node {node_id: $child}) MATCH (u:User {user_id: c.user_id}) CREATE (u)-[:HAS_CHILD]->(c)"),
        {"shell-wrong"}, "hangs below", "fix",
    ),
    "renamed shell": (
        graphed("MATCH (n:Node {node_id: $node}) SET n.name = 'Sea', n.name_key = 'sea'"), {"shell-wrong"}, "'Sea'", "fix",
    ),
    "lost label of a user": (
        graphed("MATCH (c:Node {node_id: $node}) MATCH (u:User {user_id: c.user_id}) REMOVE u:User"), {"shell-wrong"}, "label User", "fix",
    ),
    "lost shell": (
        graphed("MATCH (n:Node {node_id: $node}) DETACH DELETE n"), {"shell-missing", "shell-wrong", "knowledge-off"}, "missing", "fix",
    ),
    "lost vector of a shell": (
        graphed("MATCH (n:Node {node_id: $node}) SET n.embedding = null"), {"vector-lost"}, "no vector", "fix",
    ),
    "counts of a shell": (
        graphed("MATCH (n:Node {node_id: $node}) SET n.items = n.items + 3"), {"counts-off"}, "nothing is lost", "fix",
    ),
    "lost line of a manifest": (
        graphed("MATCH (r:Record {record_id: $record}) DETACH DELETE r"), {"manifest-lost", "knowledge-off"}, "lists 1 record,", "fix",
    ),
    "line at another node": (
        graphed("MATCH (:Node {node_id: $node})-[h:HOLDS]->(r:Record {record_id: $record}) MATCH (c:Node {node_id: $child})"
                " DELETE h CREATE (c)-[:HOLDS]->(r)"),
        {"manifest-lost", "knowledge-off"}, "1 record of other nodes", "fix",
    ),
    "line at another node, too": (
        graphed("MATCH (r:Record {record_id: $record}) MATCH (c:Node {node_id: $child}) CREATE (c)-[:HOLDS]->(r)"),
        {"manifest-lost", "knowledge-off"}, "1 record of other nodes", "fix",
    ),
    "policy of nobody": (
        written("CREATE POLICY everybody ON {schema}.memory_items FOR SELECT TO PUBLIC USING (true)"),
        {"tables-damaged"}, "policy everybody of its table memory_items", "fix",
    ),
    "lost vectors": (
        written("UPDATE {schema}.memory_items SET embedding = NULL, embedding_version = NULL"), {"vector-lost"}, "no vector", "fix",
    ),
    "vectors of another size": (
        written("UPDATE {schema}.memory_items SET embedding = '[1,2,3]'"), {"vector-lost"}, "no vector", "fix",
    ),
    "changed text": (
        written("UPDATE {schema}.memory_items SET content = 'Nothing bites.' WHERE position = 1 AND kind = 'turn'"),
        {"text-changed", "vector-lost"}, "text of 1 item ", "accept",
    ),
    "lost line of a file": (
        written("DELETE FROM {schema}.file_manifest WHERE record_id = {record}"), {"entry-lost"}, "files of 1 record:", "fix",
    ),
    "lost line of a file of which nothing tells": (
        written("DELETE FROM {schema}.file_manifest WHERE record_id = {record}", "ALTER TABLE engine.raw_resources DISABLE TRIGGER USER",
                "DELETE FROM engine.raw_resources WHERE record_id = {record}", "ALTER TABLE engine.raw_resources ENABLE TRIGGER USER"),
        {"entry-lost"}, "files of 1 record:", "accept",
    ),
    "lost items": (
        written("DELETE FROM {schema}.memory_items WHERE position = 1 AND kind = 'turn'"), {"items-gone"}, "1 item lost", "accept",
    ),
    "lost record": (written(*RECORD_GONE), {"records-gone"}, "1 record lost", "accept"),
    "emptied delta log": (
        written(UNGUARDED[0], "DELETE FROM {schema}.delta_log", UNGUARDED[1]), {"deltas-lost"}, "lacks 2 entries", "fix",
    ),
    "emptied sources": (
        written("DELETE FROM engine.sources WHERE user_id = {user}"), {"source-lost"}, "stored twice", "fix",
    ),
    "lost column": (
        written("ALTER TABLE {schema}.memory_items DROP COLUMN tags"), {"tables-damaged"}, "column tags", "fix",
    ),
    "lost rights": (
        written("REVOKE SELECT ON {schema}.memory_items FROM neurigraph_request"), {"tables-damaged"}, "rights", "fix",
    ),
    "lost row-level security": (
        written("ALTER TABLE {schema}.memory_items DISABLE ROW LEVEL SECURITY"), {"tables-damaged"}, "rights", "fix",
    ),
    "lost table": (written("DROP TABLE {schema}.memory_items CASCADE"), {"tables-lost"}, "memory_items is missing", "accept"),
    "lost schema": (written("DROP SCHEMA {schema} CASCADE"), {"tables-lost"}, "its schema is missing", "accept"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE)
async def test_damage_is_found_named_and_settled(ground: Ground, damage: str) -> None:
    inflict, kinds, words, remedy = DAMAGE[damage]
    await inflict(ground)
    found = await ground.findings(DEEP if damage == "changed object" else 0)
    assert {one.kind for one in found} == kinds, found
    assert any(words in one.problem or words in one.remedy for one in found), found
    if remedy == "accept":
        [one] = [one for one in found if one.kind != "vector-lost"]
        deep = "--deep " if damage == "changed object" else ""
        assert f"doctor {deep}--accept {one.kind} {one.node_id}" in one.remedy and "backup" in one.remedy
        assert one.severity == "error" and "harmless" not in one.remedy
        await ground.engine.remedies.accept(one.kind, one.node_id, found)
    else:
        assert all("doctor --fix" in one.remedy for one in found), found
        assert [one.failure for one in await ground.engine.remedies.fix(found) if one.failure] == []
    assert (await ground.memory.nodes.shell(ground.node)).path[-1] == "Lake"  # the node serves
    assert (await ground.memory.records.remember(Conversation("later", TALK.turns), node_id=ground.node)).turns == 4
    await ground.engine.derivations.run("entities")
    await ground.engine.sweep.run(grace=timedelta(0))
    assert await ground.engine.doctor.examine(read_files=DEEP if damage == "changed object" else 0) == []


async def test_a_commit_under_way_is_no_loss(ground: Ground) -> None:
    """Between the graph's part and the end of a commit the manifest is ahead of the node."""
    begun = "UPDATE engine.outbox SET state = 'pending', done_at = NULL WHERE user_id = %s AND state = 'done'"
    ended = "UPDATE engine.outbox SET state = 'done', done_at = now() WHERE user_id = %s AND state = 'pending'"
    of_user = ground.memory.principal.user_id
    async with ground.engine.postgres.as_service() as connection:
        await connection.execute(
            sql.SQL("UPDATE {}.metadata_records SET state = 'pending'").format(sql.Identifier(ground.schema))
        )
        await connection.execute(begun, [of_user])
    assert "records-gone" not in {one.kind for one in await ground.findings()}
    async with ground.engine.postgres.as_service() as connection:
        await connection.execute(ended, [of_user])
    assert "records-gone" in {one.kind for one in await ground.findings()}


async def test_without_deep_no_file_is_read_and_a_limit_is_told(ground: Ground) -> None:
    await flipped(ground)
    assert await ground.findings() == []
    found = [one.problem for one in await ground.engine.doctor.examine(read_files=1)]
    assert any(" not read: the limit" in problem for problem in found)
    [found] = await ground.findings(DEEP)
    assert found.files == (ground.file,)
    await ground.engine.remedies.accept("file-lost", ground.node, [found])


async def test_a_lost_line_of_an_older_version_is_told_and_its_file_stays(ground: Ground) -> None:
    for text in ("The hull is of wood.", "The hull is of steel."):
        manual = await ground.memory.records.remember_text("Hull", text, source_id="hull", node_id=ground.node)
    path = f"(SELECT file_pointer FROM {{schema}}.metadata_records WHERE record_id = '{manual.records[0].record_id}')"
    of_old = f"record_id = '{manual.records[0].record_id}' AND storage_path <> {path}"
    await ground.write(
        "CREATE TABLE {schema}.kept AS SELECT * FROM {schema}.file_manifest",
        f"DELETE FROM {{schema}}.file_manifest WHERE {of_old}",
    )
    found = [one for one in await ground.engine.doctor.examine() if "raw inputs name them" in one.problem]
    assert [(one.severity, one.subject.partition(" ")[0]) for one in found] == [("error", "1")]
    assert (await ground.engine.sweep.run(grace=timedelta(0))).stopped
    await ground.write(
        f"INSERT INTO {{schema}}.file_manifest SELECT * FROM {{schema}}.kept WHERE {of_old}", "DROP TABLE {schema}.kept"
    )
    assert await ground.engine.doctor.examine() == []


async def test_a_file_from_the_backup_needs_no_acceptance(ground: Ground) -> None:
    kept = await ground.object()
    await emptied(ground)
    assert [one.kind for one in await ground.findings()] == ["file-lost"]
    await ground.put(kept)
    assert await ground.findings() == []


async def test_an_accepted_file_still_tells_its_reader_and_others_are_still_found(ground: Ground) -> None:
    await deleted(ground)
    found = await ground.findings()
    with pytest.raises(InvalidInput):
        await ground.engine.remedies.accept("counts-off", ground.node, found)
    with pytest.raises(NotFound):
        await ground.engine.remedies.accept("items-gone", ground.node, found)
    await ground.engine.remedies.accept("file-lost", ground.node, found)
    assert await ground.findings() == []
    with pytest.raises(DamagedFile):
        await ground.memory.files.read(ground.node, ground.file)


async def test_a_lost_shell_comes_back_with_its_words_manifest_and_grants(ground: Ground) -> None:
    me = ground.memory.principal
    guide = (await ground.memory.nodes.provision(NewNode(me.user_id, "Guide", "persona"))).node_id
    await ground.memory.grants.give(NewGrant(ground.node, "persona", guide))
    before = await ground.memory.nodes.shell(ground.node)
    await ground.graph("MATCH (n:Node) WHERE n.node_id IN [$node, $child] DETACH DELETE n")  # parent and child
    assert [one.failure for one in await ground.engine.remedies.fix(await ground.findings()) if one.failure] == []
    assert [one.failure for one in await ground.engine.remedies.fix(await ground.findings()) if one.failure] == []
    after = await ground.memory.nodes.shell(ground.node)
    assert (after.summary, after.keywords, after.records, after.items) == (
        before.summary,
        before.keywords,
        before.records,
        before.items,
    )
    assert {line.record_id for line in after.manifest} == {line.record_id for line in before.manifest}
    persona = ground.engine.memory_as(Principal("persona", guide, me.user_id))
    assert (await persona.nodes.shell(ground.node)).records == 2
    assert await ground.engine.doctor.examine() == []


async def test_a_log_of_many_changes_says_what_was_lost(ground: Ground) -> None:
    await ground.memory.history.change(Change("record", ground.record, {"title": "Fishing talk"}, ground.node))
    await ground.write(UNGUARDED[0], "DELETE FROM {schema}.delta_log", UNGUARDED[1])
    assert [one.kind for one in await ground.findings()] == ["deltas-lost"]
    await ground.engine.remedies.fix(await ground.findings())
    assert await ground.findings() == []
    created, changed = await ground.memory.history.deltas("record", ground.record, node_id=ground.node)
    assert created.operation == "created" and "lost" in changed.reason and not changed.fields
    await ground.memory.history.change(Change("record", ground.record, {"title": "Talk of fishing"}, ground.node))
    assert await ground.findings() == []


async def test_sources_that_nothing_tells_of_are_accepted(ground: Ground) -> None:
    await ground.write(
        "DELETE FROM engine.sources WHERE user_id = {user}",
        "ALTER TABLE engine.ingest_sources DISABLE TRIGGER USER",
        "DELETE FROM engine.ingest_sources WHERE user_id = {user}",
        "ALTER TABLE engine.ingest_sources ENABLE TRIGGER USER",
    )
    [found] = await ground.findings()
    [mended] = await ground.engine.remedies.fix([found])
    assert "is unknown how much" in mended.failure  # of the conversation; the document's is in its versions
    [found] = await ground.findings()
    await ground.engine.remedies.accept("source-lost", ground.node, [found])
    assert await ground.findings() == []


async def test_a_source_that_was_mended_is_not_stored_twice(ground: Ground) -> None:
    await ground.write("DELETE FROM engine.sources WHERE user_id = {user}")
    await ground.engine.remedies.fix(await ground.findings())
    assert (await ground.memory.records.remember(TALK, node_id=ground.node)).turns == 0
    longer = Conversation(TALK.source_id, (*TALK.turns, Turn("Bob", "And the pike.")))
    assert (await ground.memory.records.remember(longer, node_id=ground.node)).turns == 1
    assert len((await ground.memory.search(SearchRequest("walleye", nodes=(ground.node,)))).hits) >= 5


async def test_the_shell_mends_and_accepts(ground: Ground, tmp_path) -> None:
    await ground.graph("MATCH (n:Node {node_id: $node}) SET n.name = 'Sea'")
    await deleted(ground)
    found = await typed(ground.engine, tmp_path, None, "doctor", "--fix")
    assert found.returncode == 1 and "mended" in found.stdout and "--accept" in found.stdout, found.stderr
    settled = await typed(ground.engine, tmp_path, None, "doctor", "--deep", "--accept", "file-lost", str(ground.node))
    assert (settled.returncode, "nothing is wrong" in settled.stdout) == (0, True), settled.stdout
