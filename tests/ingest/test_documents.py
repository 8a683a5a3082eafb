"""Documents in versions: what stays keeps id and vector, every older version is found as it was known, nothing is done twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from random import Random
from uuid import UUID, uuid4

import psycopg
import pytest

from engine.domain.clock import NOW, Moment
from engine.domain.delta import Change
from engine.domain.document import DocumentChunk
from engine.domain.grant import NewGrant
from engine.domain.node import NewNode
from engine.domain.principal import Principal
from engine.domain.scope import MemoryScope
from engine.domain.search import SearchRequest
from engine.errors import Conflict, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.encoder import embedding
from tests.reader import untroubled

pytestmark = pytest.mark.usefixtures("few_nodes")  # the doctor looks at all users

TICK = timedelta(microseconds=1)
MIGRATION = next((Path(__file__).parents[2] / "migrations" / "postgres").glob("V*__documents.sql"))
WORDS = "walleye harbour lease gasket thunder orchard canoe ledger winter stern basket copper".split()


@pytest.fixture(scope="module", autouse=True)
async def nothing_pending(engine: Engine) -> None:
    """What other tests left is done: the doctor, who looks at all users, has nothing to say of them."""
    await engine.derivations.run("vectors")
    await engine.sweep.run(grace=timedelta(0))


@pytest.fixture
async def node(memory: Memory) -> UUID:
    return (await memory.nodes.provision(NewNode(memory.principal.user_id, f"Papers {uuid4().hex[:6]}"))).node_id


def paragraph(rng: Random) -> str:
    """One passage of its own: two never fit into one chunk."""
    return f"Walleye number {rng.randrange(10**9)}. " + " ".join(rng.choice(WORDS) for _ in range(90)) + "."


@dataclass
class Paper:
    """A document as a person edits it: sections of paragraphs."""

    sections: list[tuple[str, list[str]]] = field(default_factory=list)

    def text(self) -> str:
        return "".join(f"# {title}\n\n" + "\n\n".join(parts) + "\n\n" for title, parts in self.sections)

    def chunks(self) -> list[tuple[str, str]]:
        return [(title, part) for title, parts in self.sections for part in parts]

    def edit(self, rng: Random) -> None:
        parts = rng.choice(self.sections)[1]
        place = rng.randrange(len(parts))
        match rng.choice(["change", "insert", "delete", "move", "twice", "rename", "section"]):
            case "change":
                parts[place] = paragraph(rng)
            case "insert":
                parts.insert(place, paragraph(rng))
            case "delete" if len(parts) > 1:
                del parts[place]
            case "move":
                rng.choice(self.sections)[1].append(parts[place])
                if len(parts) > 1:
                    del parts[place]
            case "twice":
                parts.insert(0, parts[place])
            case "rename":
                index = rng.randrange(len(self.sections))
                self.sections[index] = (f"Part {rng.randrange(10**6)}", self.sections[index][1])
            case _:
                self.sections.append((f"Part {rng.randrange(10**6)}", [paragraph(rng)]))


async def versions_of(memory: Memory, document: UUID) -> list[DocumentChunk]:
    return list(await memory.documents.chunks(document, limit=500))


async def found(memory: Memory, node: UUID, moment: Moment = NOW) -> Counter[str]:
    answer = await memory.search(SearchRequest("walleye number", nodes=(node,), limit=200, moment=moment))
    return Counter(hit.content for hit in answer.hits)


async def counts(engine: Engine, schema: str) -> dict[tuple[str, int], int]:
    async with engine.postgres.as_service() as connection:
        query = (
            "SELECT unit, term, documents FROM engine.term_counts JOIN engine.nodes USING (node_id)"
            " WHERE documents > 0 AND schema_name = %s"
        )
        rows = await (await connection.execute(query, [schema])).fetchall()
    return {(row["unit"], row["term"]): row["documents"] for row in rows}


# any history of edits --------------------------------------------------------------------------------------


@pytest.mark.ledger("F02", "F03")
@pytest.mark.parametrize(
    "seed", [0, 1, pytest.param(2, marks=pytest.mark.long), pytest.param(3, marks=pytest.mark.long)]
)
async def test_any_edits_give_versions_that_keep_what_did_not_change(
    engine: Engine, memory: Memory, node: UUID, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = Random(seed)
    paper = Paper([("Part 1", [paragraph(rng) for _ in range(4)]), ("Part 2", [paragraph(rng) for _ in range(3)])])
    kept: list[tuple[str, list[tuple[str, str]]]] = []
    ids: list[tuple[tuple[str, str], UUID]] = []
    document = None
    for number in range(1, 8):
        text = paper.text()
        with embedding(engine, monkeypatch) as calls:
            report = await memory.records.remember_text("Paper", text, source_id="paper", node_id=node)
        change = report.documents[0]
        document = document or change.document_id
        wanted = paper.chunks()
        stored = await versions_of(memory, document)
        assert [(chunk.section, chunk.content) for chunk in stored] == wanted
        assert [chunk.index for chunk in stored] == list(range(len(wanted)))
        assert [text[slice(*chunk.span)] for chunk in stored if chunk.span] == [content for _, content in wanted]
        stays = Counter(key for key, _ in ids) & Counter(wanted)
        assert (change.document_id, change.version, change.kept) == (document, number, stays.total())
        assert (change.added, change.superseded) == (len(wanted) - stays.total(), len(ids) - stays.total())
        now = [(key, chunk.item_id) for key, chunk in zip(wanted, stored, strict=True)]
        for key in stays:
            before = {item for other, item in ids if other == key}
            assert len(before & {item for other, item in now if other == key}) == stays[key]
        assert sum(map(len, calls)) == change.added + (number > 1)  # the chunks that are new, and the new summary
        kept.append((text, wanted))
        ids = now
        while paper.text() == text:
            paper.edit(rng)
    versions = await memory.documents.versions(document)
    assert [one.version for one in versions] == list(range(1, 8))
    for one, (text, wanted) in zip(versions, kept, strict=True):
        assert await memory.documents.read(document, one.version) == text.encode()
        assert await found(memory, node, Moment(known_at=one.known_at)) == Counter(part for _, part in wanted)
        if one.version > 1:
            earlier = Moment(known_at=one.known_at - TICK)
            assert await found(memory, node, earlier) == Counter(part for _, part in kept[one.version - 2][1])
    assert await found(memory, node) == Counter(part for _, part in kept[-1][1])
    await same_as_anew(engine, memory, node, kept[-1][0])
    await untroubled(engine, memory.principal)


async def same_as_anew(engine: Engine, memory: Memory, node: UUID, text: str) -> None:
    """Words are counted as if only the newest version had ever been stored."""
    other = engine.memory((await engine.workspace.users.create(f"u{uuid4().hex[:12]}")).user_id)
    place = await other.nodes.provision(NewNode(other.principal.user_id, "Papers"))
    await other.records.remember_text("Paper", text, source_id="paper", node_id=place.node_id)
    schema = (await memory.nodes.shell(node)).schema_name
    assert await counts(engine, schema) == await counts(engine, place.schema_name)


@pytest.mark.ledger("F02")
async def test_the_same_content_again_costs_nothing_and_changes_nothing(
    engine: Engine, memory: Memory, node: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = Random(1)
    text = "\n\n".join(paragraph(rng) for _ in range(5))
    first = await memory.records.remember_text("Paper", text, source_id="paper", node_id=node)
    before = await memory.documents.list()
    with embedding(engine, monkeypatch) as calls:
        again = await memory.records.remember_text("Paper", text, source_id="paper")
    assert (again.records, again.documents, calls) == ((), (), [])
    assert [skip.reason for skip in again.skipped] == ["Stored already."]
    assert await memory.documents.list() == before
    assert before[0].document_id == first.records[0].record_id
    assert before[0].version == 1


@pytest.mark.ledger("F02")
async def test_a_document_stays_at_its_node_whatever_the_new_version_says(memory: Memory, node: UUID) -> None:
    root = memory.principal.user_id
    boats = await memory.nodes.provision(NewNode(root, "Boats", keywords=("gasket", "hull")))
    first = await memory.records.remember_text("Note", "The boats need a gasket for the hull.", source_id="note")
    assert first.records[0].node_id == boats.node_id  # placed by the engine
    second = await memory.records.remember_text(
        "Note", "The lease of the orchard ends.", source_id="note", node_id=node
    )
    assert (second.records[0].node_id, second.records[0].record_id) == (boats.node_id, first.records[0].record_id)
    page = (await memory.nodes.metadata(boats.node_id)).records
    assert [(one.record_id, one.file_id) for one in page] == [(first.records[0].record_id, second.documents[0].file_id)]
    shell = await memory.nodes.shell(boats.node_id)
    assert (shell.records, shell.items, [one.title for one in shell.manifest]) == (1, 2, ["Note"])


@pytest.mark.ledger("F02", "L02", "L06")
async def test_the_fact_that_holds_a_whole_version_ends_with_it(memory: Memory, node: UUID) -> None:
    texts = ["The lease ends in May.", "The lease ends in June."]
    for text in texts:
        await memory.records.remember_text("Lease", text, source_id="lease", node_id=node)
    [document] = await memory.documents.list()
    first, _ = await memory.documents.versions(document.document_id)
    for moment, text in ((NOW, texts[1]), (Moment(known_at=first.known_at), texts[0])):
        answer = await memory.search(SearchRequest("lease", kinds=("fact",), nodes=(node,), moment=moment))
        assert [hit.content for hit in answer.hits] == [text]


@pytest.mark.ledger("F02")
async def test_of_two_new_versions_at_once_one_wins_and_none_is_half(memory: Memory, node: UUID) -> None:
    rng = Random(5)
    texts = ["\n\n".join(paragraph(rng) for _ in range(4)) for _ in range(7)]
    await memory.records.remember_text("Paper", texts[0], source_id="paper", node_id=node)
    outcomes = await asyncio.gather(
        *(memory.records.remember_text("Paper", text, source_id="paper") for text in texts[1:]), return_exceptions=True
    )
    failed = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    assert all(isinstance(error, Conflict) for error in failed)
    document = (await memory.documents.list())[0]
    versions = await memory.documents.versions(document.document_id)
    assert [one.version for one in versions] == list(range(1, len(texts) - len(failed) + 1))
    for one in versions:
        text = (await memory.documents.read(document.document_id, one.version)).decode()
        assert await found(memory, node, Moment(known_at=one.known_at)) == Counter(text.split("\n\n"))


@pytest.mark.ledger("F02", "N23")
async def test_what_was_changed_by_hand_survives_a_new_version(memory: Memory, node: UUID) -> None:
    rng = Random(9)
    parts = [paragraph(rng) for _ in range(3)]
    report = await memory.records.remember_text("Paper", "\n\n".join(parts), source_id="paper", node_id=node)
    document = report.documents[0].document_id
    chunk = (await versions_of(memory, document))[0]
    await memory.history.change(Change("item", chunk.item_id, {"content": "Walleye number zero, as Ellen says."}, node))
    await memory.history.change(Change("record", document, {"title": "Ellen's paper"}, node))
    parts[2] = paragraph(rng)
    change = (await memory.records.remember_text("Paper", "\n\n".join(parts), source_id="paper")).documents[0]
    assert (change.kept, change.added, change.superseded) == (2, 1, 1)
    assert await found(memory, node) == Counter(["Walleye number zero, as Ellen says.", *parts[1:]])
    assert (await memory.history.state("record", document, node_id=node)).fields["title"] == "Ellen's paper"
    versions = await memory.documents.versions(document)
    assert await found(memory, node, Moment(known_at=versions[0].known_at)) != await found(memory, node)
    parts[0] = paragraph(rng)  # now the source changed what was changed by hand
    await memory.records.remember_text("Paper", "\n\n".join(parts), source_id="paper")
    assert await found(memory, node) == Counter(parts)
    chain = await memory.history.deltas("item", chunk.item_id, node_id=node)
    assert [delta.operation for delta in chain] == ["changed", "ended"]


@pytest.mark.ledger("F02")
async def test_a_document_that_was_ended_by_hand_does_not_come_back(memory: Memory, node: UUID) -> None:
    report = await memory.records.remember_text("Paper", "Walleye number one.", source_id="paper", node_id=node)
    document = report.documents[0].document_id
    await memory.history.change(Change("record", document, {"ended": True}, node, correction=True))
    again = await memory.records.remember_text("Paper", "Walleye number two.", source_id="paper")
    assert again.documents == () and "ended by hand" in again.skipped[0].reason
    assert f"neurigraph change record {document} ended=false --node {node}" in again.skipped[0].reason
    assert await found(memory, node) == Counter()
    with pytest.raises(NotFound):
        await memory.documents.versions(document)


@pytest.mark.ledger("F02", "F12")
async def test_a_version_is_never_for_more_readers_than_was_said(memory: Memory, node: UUID) -> None:
    await memory.records.remember_text("Open", "Walleye number one.", source_id="open", node_id=node)
    refused = await memory.records.remember_text("Open", "Walleye number two.", source_id="open", privacy="private")
    assert refused.documents == () and "more readers" in refused.skipped[0].reason
    await memory.records.remember_text(
        "Secret", "Walleye number three.", source_id="secret", node_id=node, privacy="private"
    )
    await memory.records.remember_text("Secret", "Walleye number four.", source_id="secret")
    reader = await granted_reader(memory, node)
    assert await found(reader, node) == Counter(["Walleye number one."])
    assert await found(memory, node) == Counter(["Walleye number one.", "Walleye number four."])
    thread = memory.within(MemoryScope("thread", "t1"))
    await thread.records.remember_text("Talk", "Walleye number five.", source_id="talk", node_id=node)
    await thread.records.remember_text("Talk", "Walleye number six.", source_id="talk")
    assert "Walleye number six." in await found(thread, node)
    assert "Walleye number six." not in await found(memory, node)


async def granted_reader(memory: Memory, node: UUID, mode: str = "read") -> Memory:
    """A persona that was granted the node."""
    persona = await memory.nodes.provision(NewNode(memory.principal.user_id, f"Persona {uuid4().hex[:6]}", "persona"))
    grant = NewGrant(node, "persona", persona.node_id, mode)
    await memory.grants.give(grant)
    return Memory(replace(memory._caller, principal=Principal("persona", persona.node_id, memory.principal.user_id)))


@pytest.mark.ledger("F02", "N30")
async def test_a_persona_changes_its_own_documents_and_sees_no_others(memory: Memory, node: UUID) -> None:
    await memory.records.remember_text("Own", "Walleye number one.", source_id="same", node_id=node)
    persona = await granted_reader(memory, node, "read_write")
    first = await persona.records.remember_text("Hers", "Walleye number two.", source_id="same", node_id=node)
    second = await persona.records.remember_text("Hers", "Walleye number three.", source_id="same", node_id=node)
    assert (first.documents[0].version, second.documents[0].version) == (1, 2)
    assert [one.title for one in await persona.documents.list()] == ["Hers"]
    assert {one.title for one in await memory.documents.list()} == {"Own", "Hers"}
    own = next(one for one in await memory.documents.list() if one.title == "Own")
    with pytest.raises(NotFound):
        await persona.documents.versions(own.document_id)
    with pytest.raises(NotFound):
        await persona.documents.read(own.document_id)


@pytest.mark.ledger("F02")
async def test_what_was_stored_before_there_were_versions_gets_its_next_one(
    engine: Engine, memory: Memory, node: UUID
) -> None:
    rng = Random(4)
    parts = [paragraph(rng) for _ in range(4)]
    persona = await granted_reader(memory, node, "read_write")
    for writer in (memory, persona):
        await writer.records.remember_text("Paper", "# Part\n\n" + "\n\n".join(parts), source_id="paper", node_id=node)
    before = await memory.documents.list()
    chunks = [await versions_of(memory, one.document_id) for one in before]
    async with engine.postgres.as_service() as connection:  # as it was before the migration
        for table in ("document_versions", "documents"):
            await connection.execute(f"ALTER TABLE engine.{table} DISABLE TRIGGER USER")
            await connection.execute(f"DELETE FROM engine.{table} WHERE user_id = %s", [memory.principal.user_id])
            await connection.execute(f"ALTER TABLE engine.{table} ENABLE TRIGGER USER")
        text = MIGRATION.read_text(encoding="utf-8")
        begins = text.index("DO $$")
        await connection.execute(text[begins : text.index("END $$;", begins) + 7])
    assert await memory.documents.list() == before
    assert [await versions_of(memory, one.document_id) for one in before] == chunks
    parts[1] = paragraph(rng)
    for writer in (memory, persona):
        report = await writer.records.remember_text(
            "Paper", "# Part\n\n" + "\n\n".join(parts), source_id="paper", node_id=node
        )
        assert [(one.version, one.kept, one.added, one.superseded) for one in report.documents] == [(2, 3, 1, 1)]


@pytest.mark.ledger("F02")
async def test_no_role_of_the_service_changes_a_version(engine: Engine, memory: Memory, node: UUID) -> None:
    await memory.records.remember_text("Paper", "Walleye number one.", source_id="paper", node_id=node)
    for statement in (
        "UPDATE engine.document_versions SET title = 'x'",
        "DELETE FROM engine.document_versions",
        "TRUNCATE engine.document_versions",
    ):
        with pytest.raises((psycopg.errors.InsufficientPrivilege, NotFound)):
            async with engine.postgres.as_service() as connection:
                await connection.execute(statement)
