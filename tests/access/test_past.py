"""What readers other than the user are shown of the past, and of files that lie at several nodes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID, uuid4

import httpx
import pytest

from engine.domain.clock import NOW, Moment
from engine.domain.delta import Change
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import NewToken, Principal
from engine.domain.search import SearchRequest
from engine.errors import NeurigraphError, NotFound
from engine.history.reading import Past
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.door import new_door

LAKE = "We took the boat to the lake for walleye. " * 18
MONEY = "The payroll waits for the invoice of the library. " * 16
LATER = f"# Lake\n\n{LAKE}\n\n{LAKE.replace('boat', 'canoe')}\n\n# Money\n\n{MONEY}\n\n{MONEY}"
WEEK = f"# Lake\n\n{LAKE}\n\n{LAKE}\n\n# Money\n\n{MONEY}\n\n{MONEY}"


@dataclass(frozen=True)
class Graph:
    """Fishing, Finances and Hidden below the root; a persona with a node below it; an integration."""

    owner: Memory
    fishing: UUID
    finances: UUID
    hidden: UUID
    persona: UUID
    cases: UUID
    integration: UUID
    as_persona: Memory
    as_integration: Memory

    async def give(self, node: UUID, **more: object) -> UUID:
        """A grant to the integration, or to the persona where it may write."""
        persona = more.get("mode") == "read_write"
        kind, subject = ("persona", self.persona) if persona else ("third_party", self.integration)
        return (await self.owner.grants.give(NewGrant(node, kind, subject, **more))).grant_id

    async def renamed_and_moved(self, target: UUID) -> tuple[UUID, datetime, datetime]:
        """A record with a secret title at the hidden node, then renamed and moved; a time before, and one between."""
        note = (await self.owner.records.remember_text("Secret title", "Of the walleye.", node_id=self.hidden)).records[
            0
        ]
        before = datetime.now(UTC)
        title = {"title": "Plain title"}
        await self.owner.history.change(Change("record", note.record_id, title, self.hidden, reason="the divorce"))
        await self.owner.records.move(note.record_id, self.hidden, target, reason="out of the divorce")
        return note.record_id, before, datetime.now(UTC)


@pytest.fixture
async def graph(engine: Engine, user: User, memory: Memory) -> Graph:
    async def node(name: str, *keywords: str, parent: UUID = user.user_id, kind: str = "concept") -> UUID:
        return (await memory.nodes.provision(NewNode(parent, name, kind, keywords=keywords))).node_id

    fishing = await node("Fishing", "boat", "walleye", "lake")
    finances = await node("Finances", "payroll", "invoice", "invoices")
    hidden, persona = await node("Divorce"), await node("Lawyer", kind="persona")
    cases, integration = await node("Cases", parent=persona), uuid4()
    async with engine.postgres.as_service() as connection:
        await connection.execute(
            "INSERT INTO engine.integrations SELECT %s, workspace_id, %s FROM engine.users WHERE user_id = %s",
            [integration, f"past {integration.hex}", user.user_id],
        )
    return Graph(
        memory, fishing, finances, hidden, persona, cases, integration,
        engine.memory_as(Principal("persona", persona, user.user_id)),
        engine.memory_as(Principal("third_party", integration, user.user_id)),
    )  # fmt: skip


async def shown_to(reader: Memory, node: UUID, record: UUID, moment: Moment) -> str:
    """Everything that a reader is shown of a record, its node and its surroundings at a moment, as one text."""
    answers: list[object] = []
    for asked in (
        lambda: reader.nodes.shell(node, moment),
        lambda: reader.nodes.metadata(node, moment=moment),
        lambda: reader.history.state("record", record, node_id=node, moment=moment),
        lambda: reader.search(SearchRequest("secret plain walleye", widen="always", moment=moment)),
        lambda: reader.nodes.anchors("Divorce", moment),
        lambda: reader.edges.list(moment),
        lambda: reader.history.deltas("record", record, node_id=node),
    ):
        try:
            answers.append(await asked())
        except NeurigraphError as error:
            answers.append(error)
    return repr(answers).replace("secret plain walleye", "")


# the past --------------------------------------------------------------------------------------------------


@pytest.mark.ledger("N30", "X01")
async def test_a_title_from_before_the_grant_is_shown_on_neither_clock(graph: Graph) -> None:
    record, before, between = await graph.renamed_and_moved(graph.fishing)
    await graph.give(graph.fishing)
    for moment in (Moment(known_at=before), Moment(as_of=before), Moment(before, before), Moment(known_at=between)):
        text = await shown_to(graph.as_integration, graph.fishing, record, moment)
        assert "Secret title" not in text and "Plain title" not in text and "walleye" not in text
        with pytest.raises(NotFound):
            await graph.as_integration.nodes.shell(graph.fishing, moment)
        with pytest.raises(NotFound):
            await graph.as_integration.nodes.metadata(graph.fishing, moment=moment)
    for moment in (NOW, Moment(known_at=datetime.now(UTC)), Moment(as_of=datetime.now(UTC))):
        text = await shown_to(graph.as_integration, graph.fishing, record, moment)
        assert "Plain title.txt" in text and "Secret title" not in text  # neither as the name of the file
    [entry] = (await graph.as_integration.nodes.metadata(graph.fishing)).records
    async with graph.as_integration.files.open(graph.fishing, entry.file_id) as file:
        assert file.name == "Plain title.txt"
    assert "Secret title" in await shown_to(graph.owner, graph.fishing, record, Moment(known_at=before))


@pytest.mark.ledger("N30", "X01")
async def test_a_grant_with_the_past_shows_it_but_not_what_was_elsewhere_then(graph: Graph) -> None:
    here = (await graph.owner.records.remember_text("Old title", "Of the perch.", node_id=graph.fishing)).records[0]
    before = Moment(known_at=datetime.now(UTC))
    await graph.owner.history.change(Change("record", here.record_id, {"title": "New title"}, graph.fishing))
    moved, _, _ = await graph.renamed_and_moved(graph.fishing)
    await graph.give(graph.fishing, past=True)
    text = await shown_to(graph.as_integration, graph.fishing, here.record_id, before)
    assert "Old title" in text and "New title" not in text
    for moment in (before, Moment(as_of=before.known_at), NOW):
        assert "Secret title" not in await shown_to(graph.as_integration, graph.fishing, moved, moment)
    [grant] = await graph.owner.grants.list()
    assert grant.past
    viewers = await graph.owner.grants.audience(graph.fishing)
    assert {viewer.subject_kind: viewer.past for viewer in viewers} == {"user": True, "third_party": True}


@pytest.mark.ledger("N29", "X01")
async def test_what_is_moved_into_an_own_subtree_is_shown_from_the_move_on(graph: Graph) -> None:
    here = (await graph.owner.records.remember_text("Old title", "Of the perch.", node_id=graph.cases)).records[0]
    made = Moment(known_at=datetime.now(UTC))
    await graph.owner.history.change(Change("record", here.record_id, {"title": "New title"}, graph.cases))
    record, before, between = await graph.renamed_and_moved(graph.cases)
    assert "Old title" in await shown_to(graph.as_persona, graph.cases, here.record_id, made)
    for moment in (Moment(known_at=before), Moment(as_of=before), Moment(before, before)):
        text = await shown_to(graph.as_persona, graph.cases, record, moment)
        assert "Secret title" not in text and "Plain title" not in text
    assert "Plain title" in await shown_to(graph.as_persona, graph.cases, record, Moment(known_at=between))


@pytest.mark.ledger("N29", "N30", "X01")
async def test_a_node_that_is_moved_to_where_it_may_be_read_is_shown_from_the_move_on(graph: Graph) -> None:
    await graph.give(graph.fishing, depth=2, past=True)
    inner = (await graph.owner.nodes.provision(NewNode(graph.hidden, "Custody", summary="Of the divorce."))).node_id
    await graph.owner.records.remember_text("Hearing", "Of the walleye.", node_id=inner)
    before = datetime.now(UTC)
    changed = {"name": "Weekends", "summary": "Of weekends.", "parent_id": str(graph.fishing)}
    await graph.owner.history.change(Change("node", inner, {"name": "Weekends", "summary": "Of weekends."}))
    await graph.owner.history.change(Change("node", inner, {"parent_id": changed["parent_id"]}))
    after = datetime.now(UTC)
    await graph.owner.history.change(Change("node", inner, {"parent_id": str(graph.cases)}))
    later = datetime.now(UTC)
    await graph.owner.history.change(Change("node", inner, {"parent_id": str(graph.fishing)}))
    for moment in (Moment(known_at=before), Moment(as_of=before), Moment(known_at=after), Moment(known_at=later)):
        for reader in (graph.as_integration, graph.as_persona):
            for asked in (reader.nodes.shell(inner, moment), reader.nodes.metadata(inner, moment=moment)):
                with pytest.raises(NotFound):
                    await asked
            found = await reader.search(SearchRequest("walleye Custody Weekends", widen="always", moment=moment))
            assert found.hits == () and "Custody" not in repr(found.anchors)
    assert (await graph.as_integration.nodes.shell(inner, Moment(known_at=datetime.now(UTC)))).name == "Weekends"


# what is written by others -----------------------------------------------------------------------------------


@pytest.mark.ledger("N23", "N30")
async def test_a_writing_persona_changes_a_record_whose_past_it_may_not_read(graph: Graph) -> None:
    await graph.give(graph.fishing, mode="read_write")
    record, before, _ = await graph.renamed_and_moved(graph.fishing)
    mine = graph.as_persona
    await mine.history.change(Change("record", record, {"title": "Third title"}, graph.fishing))
    await mine.history.change(Change("record", record, {"summary": "Mine."}, graph.fishing, correction=True))
    await mine.history.change(Change("record", record, {"title": "Back then"}, graph.fishing, effective_at=before))
    for moment in (NOW, Moment(known_at=before), Moment(as_of=before)):
        text = await shown_to(mine, graph.fishing, record, moment)
        assert "Secret title" not in text and "divorce" not in text and str(graph.hidden) not in text
    deltas = await mine.history.deltas("record", record, node_id=graph.fishing)
    assert [delta.operation for delta in deltas] == ["moved", "changed", "changed", "changed"]
    assert deltas[0].fields["node_id"].before is None and deltas[0].reason == ""
    assert deltas[1].fields["title"].before == "Plain title"
    past = graph.owner._caller.parts[Past]
    for moment in (NOW, Moment(known_at=before), Moment(as_of=before)):  # the slices are those of the whole chain
        shown = await graph.owner.history.state("record", record, node_id=graph.fishing, moment=moment)
        again = await past.reconstructed(graph.owner.principal, "record", graph.fishing, record, moment)
        assert {name: shown.fields[name] for name in again if name in shown.fields} == dict(again)
    whole = await graph.owner.history.deltas("record", record, node_id=graph.fishing)
    assert whole[2].fields["node_id"].before == str(graph.hidden) and whole[2].reason == "out of the divorce"


@pytest.mark.ledger("N30", "F02")
async def test_documents_of_a_persona_are_told_while_it_may_read_where_they_lie(graph: Graph) -> None:
    mine = graph.as_persona
    grant = await graph.give(graph.fishing, mode="read_write")
    stored = await mine.records.remember_text("Mine", "Of the walleye.", source_id="mine", node_id=graph.fishing)
    await mine.records.remember_text("Mine anew", "Of two walleye.", source_id="mine", node_id=graph.fishing)
    document = stored.records[0].record_id
    assert [one.node_id for one in await mine.documents.list()] == [graph.fishing]
    assert len(await mine.documents.versions(document)) == 2
    await graph.owner.grants.revoke(grant)
    await graph.owner.records.move(document, graph.fishing, graph.hidden)
    assert await mine.documents.list() == ()
    for asked in (mine.documents.versions(document), mine.documents.chunks(document), mine.documents.read(document)):
        with pytest.raises(NotFound):
            await asked
    await graph.owner.records.move(document, graph.hidden, graph.fishing)
    await graph.give(graph.fishing, mode="read_write")
    assert [one.version for one in await mine.documents.versions(document)] == [2]
    with pytest.raises(NotFound):
        await mine.documents.read(document, 1)
    assert await mine.documents.read(document) == b"Of two walleye."


@pytest.mark.ledger("N04", "N30")
async def test_an_edge_is_answered_for_readers_whose_list_shows_it(graph: Graph) -> None:
    edge = (await graph.owner.edges.make(graph.fishing, graph.finances, "PAYS", {"since": "2003"})).edge_id
    ended = (await graph.owner.edges.make(graph.fishing, graph.finances, "ENDED")).edge_id
    await graph.owner.history.change(Change("edge", ended, {"ended": True}))
    other = (await graph.owner.edges.make(graph.fishing, graph.hidden, "CONCERNS")).edge_id
    before = Moment(known_at=datetime.now(UTC))
    await graph.give(graph.fishing)
    with pytest.raises(NotFound):
        await graph.as_integration.history.state("edge", edge)
    await graph.give(graph.finances)
    assert [one.edge_id for one in await graph.as_integration.edges.list()] == [edge]
    state = await graph.as_integration.history.state("edge", edge)
    assert state.fields == (await graph.owner.history.state("edge", edge)).fields == {"properties": {"since": "2003"}}
    for asked, moment in ((other, NOW), (ended, NOW), (edge, before)):
        with pytest.raises(NotFound):
            await graph.as_integration.history.state("edge", asked, moment=moment)
    assert await graph.as_integration.edges.list(before) == ()


# files at several nodes ---------------------------------------------------------------------------------------


@pytest.mark.ledger("N14", "N30", "F02")
async def test_a_file_at_several_nodes_is_given_in_part_to_all_but_the_user(engine: Engine, graph: Graph) -> None:
    report = await graph.owner.records.remember_text("A week", WEEK, source_id="week")
    assert {record.node_id for record in report.records} == {graph.fishing, graph.finances}
    file = report.records[0].file_id
    await graph.give(graph.fishing)
    await graph.give(graph.finances, mode="read_write")
    for reader, node, own, foreign in (
        (graph.as_integration, graph.fishing, "walleye", "payroll"), (graph.as_persona, graph.finances, "payroll", "walleye"),
    ):  # fmt: skip
        async with reader.files.open(node, file) as opened:
            text = opened.content.read().decode()
            assert opened.part and opened.size_bytes == len(text.encode())
        assert own in text and foreign not in text and text.startswith("[Part of ")
        [record] = (await reader.nodes.metadata(node)).records
        assert record.file_part and record.file_id == file and (record.size_bytes, record.stored_bytes) == (None, None)
        found = await reader.search(SearchRequest("walleye payroll", widen="always"))
        assert {hit.file_id for hit in found.hits} == {file}
        assert (await reader.files.state(node, file)).state == (await reader.files.wake(node, file)).state == "active"
        with pytest.raises(NotFound):
            await reader.files.sleep(node, file)
    with pytest.raises(NotFound):
        await graph.as_integration.files.read(graph.finances, file)
    async with graph.owner.files.open(graph.fishing, file) as opened:
        assert not opened.part and opened.content.read() == WEEK.encode()
    assert not (await graph.owner.nodes.metadata(graph.fishing)).records[0].file_part
    door = new_door(engine.settings, engine=engine)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(door), base_url="http://localhost") as client:
        answer = await client.get(f"/v1/users/{graph.owner.principal.user_id}/nodes/{graph.fishing}/files/{file}")
    assert answer.content == WEEK.encode() and "neurigraph-part" not in answer.headers
    for kind, holder, node in (
        ("third_party", graph.integration, graph.fishing), ("persona", graph.persona, graph.finances),
    ):  # fmt: skip
        secret = (await engine.workspace.tokens.create(NewToken(kind, holder, kind))).secret
        home, bearer = f"/v1/users/{graph.owner.principal.user_id}", {"Authorization": f"Bearer {secret}"}
        async with httpx.AsyncClient(transport=httpx.ASGITransport(door), base_url="http://localhost", headers=bearer) as client:  # fmt: skip
            part = await client.get(f"{home}/nodes/{node}/files/{file}")
        assert part.status_code == 200 and part.text.startswith("[Part of ")
        assert part.headers["neurigraph-part"] == "true"
        assert part.headers["content-type"] == "text/plain; charset=utf-8"


@pytest.mark.ledger("N30", "F02")
async def test_older_versions_of_a_file_at_several_nodes_are_parts_too(graph: Graph) -> None:
    await graph.give(graph.fishing, past=True)
    first = await graph.owner.records.remember_text("A week", WEEK, source_id="week")
    known = Moment(known_at=datetime.now(UTC))
    await graph.owner.records.remember_text("A week", LATER, source_id="week")
    file = first.records[0].file_id
    text = (await graph.as_integration.files.read(graph.fishing, file)).decode()
    assert "boat" in text and "canoe" not in text and "payroll" not in text
    [now] = (await graph.as_integration.nodes.metadata(graph.fishing)).records
    [then] = (await graph.as_integration.nodes.metadata(graph.fishing, moment=known)).records
    assert (then.file_id, then.file_part, now.file_part) == (file, True, True)
    assert b"canoe" in await graph.as_integration.files.read(graph.fishing, now.file_id)
    await graph.give(graph.fishing, mode="read_write")
    with pytest.raises(NotFound):  # the version ended before the grant
        await graph.as_persona.files.read(graph.fishing, file)


@pytest.mark.ledger("N14", "N30")
async def test_a_conversation_over_several_nodes_has_a_file_at_each_with_its_turns(graph: Graph) -> None:
    lake = [Turn("Bob", f"Dave and I took the boat out to the lake for walleye, {n} walleye.") for n in range(4)]
    money = [Turn("Bob", f"I have to run payroll {n} before Friday, the invoices are late.") for n in range(4)]
    report = await graph.owner.records.remember(Conversation("talk", (*lake, *money), "Talk"))
    assert {graph.fishing, graph.finances} <= {record.node_id for record in report.records}
    assert len({record.file_id for record in report.records}) == len(report.records)
    await graph.give(graph.fishing)
    file = next(record.file_id for record in report.records if record.node_id == graph.fishing)
    found = await graph.as_integration.search(
        SearchRequest("boat lake walleye payroll invoices", widen="always", limit=50)
    )
    here = {hit.content for hit in found.hits}
    async with graph.as_integration.files.open(graph.fishing, file) as opened:
        text = opened.content.read().decode()
    assert not opened.part and here == {turn.text for turn in (*lake, *money) if turn.text in text} and len(here) < 8
