"""A person's own history gets a hierarchy: proposed from what is said, shown, made, and taken back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from engine.domain.assignment import AssignmentFilter
from engine.domain.history import Conversation, History, Turn
from engine.domain.ingest import Limits, Terms
from engine.domain.node import User
from engine.domain.principal import Principal
from engine.domain.proposal import Proposal, ProposedNode, with_nodes
from engine.domain.scope import MemoryScope, Origin
from engine.errors import InvalidInput, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.progress import counted
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.commands import typed
from tests.door import new_door
from tests.encoder import embedding
from tests.model_server import Asked, model_server
from tests.reader import reader

SISTER = ("My sister Ellen moves to Duluth.", "Ellen said that the piano goes along.", "I drive the van for Ellen.")
CHOIR = (
    "The choir rehearses the cantata on Thursday.",
    "The organ in the choir is out of tune.",
    "The cantata is long.",
)
EMAIL, PHONE, ALIAS = "zyxquill@vorplex.example", "415-555-2671", "plovvert@vorplex.example"


@pytest.fixture
async def redacting(engine: Engine, settings: Settings) -> AsyncIterator[Engine]:
    """A second engine on the session's servers that redacts everything it knows."""
    async with open_engine(settings.model_copy(update={"redact": ("all",)})) as opened:
        yield opened


def told_to(history: History) -> History:
    """The same history, each speaker and each turn with personal data."""
    return replace(
        history,
        conversations=tuple(
            replace(
                one,
                turns=tuple(
                    Turn(f"Rosa {ALIAS}", f"{turn.text} Write to {EMAIL}, call {PHONE}.") for turn in one.turns
                ),
            )
            for one in history.conversations
        ),
    )


def history(handle: str) -> History:
    conversations = [
        Conversation(f"{name}{number}", tuple(Turn("Rosa", f"{text} ({number})") for text in said), f"{name} {number}")
        for name, said in (("sister", SISTER), ("choir", CHOIR))
        for number in range(5)
    ]
    return History(handle, "Rosa", tuple(conversations))


@pytest.mark.ledger("X13")
async def test_stored_history_gets_nodes_and_its_records_move_there_and_back(
    engine: Engine, memory: Memory, user: User
) -> None:
    await engine.ingest(history(user.handle))
    assert {node.layer for node in await memory.nodes.writable()} == {0}
    proposal = await memory.proposals.propose()
    assert ("Ellen",) in {node.path for node in proposal.nodes}
    assert {node.layer for node in await memory.nodes.writable()} == {0}  # nothing was made
    applied = await memory.proposals.make(proposal)
    assert applied.nodes_created == len(proposal.nodes)
    paths = {node.node_id: node.path[1:] for node in await memory.nodes.writable()}
    lies = {one.title: paths[one.node_id] for one in applied.moved}
    assert {title for title, path in lies.items() if path == ("Ellen",)} == {f"sister {n}" for n in range(5)}
    again = await memory.proposals.make(proposal)
    assert (again.nodes_created, again.moved) == (0, ())
    first = applied.moved[0]
    await memory.records.move(first.record_id, first.node_id, user.user_id, reason="by hand")
    back = await memory.proposals.undo(applied.proposal_id)
    assert {one.record_id for one in back} == {one.record_id for one in applied.moved[1:]}
    at_root = await memory.records.assignments(AssignmentFilter(node_id=user.user_id))
    assert {one.record_id for one in applied.moved} <= {one.record_id for one in at_root}
    assert await memory.proposals.undo(applied.proposal_id) == ()
    with pytest.raises(NotFound):
        await memory.proposals.undo(uuid4())


@pytest.mark.ledger("X13")
async def test_a_history_that_comes_with_its_proposal_is_placed_turn_by_turn(engine: Engine, user: User) -> None:
    came, memory = history(user.handle), engine.memory(user.user_id)
    proposal = await memory.proposals.propose(came.conversations)
    report = await engine.ingest(with_nodes(came, proposal))
    assert report.nodes_created == len(proposal.nodes) > 0
    places = {record.path[1:] for record in report.records}
    assert places - {()} <= {node.path for node in proposal.nodes} and places - {()}


@pytest.mark.ledger("X13", "N28")
async def test_only_its_user_gets_and_makes_proposals(engine: Engine, memory: Memory, user: User) -> None:
    await memory.records.remember(Conversation("c1", (Turn("Rosa", "Hello."),)))
    stranger = engine.memory_as(Principal("user", uuid4(), uuid4()))
    node = ProposedNode(("Family",), "concept", "", (), (), 0, 0, "")
    integration = engine.memory_as(Principal("third_party", uuid4(), user.user_id))
    for other in (stranger, integration):
        with pytest.raises(NotFound):
            await other.proposals.propose()
        with pytest.raises(NotFound):
            await other.proposals.make(Proposal((node,), 0, 0))
        with pytest.raises(NotFound):
            await other.proposals.undo(uuid4())
    assert (await memory.proposals.propose()).nodes == ()
    with pytest.raises(InvalidInput, match="Parents"):
        await memory.proposals.make(Proposal((ProposedNode(("Lost", "Child"), "concept", "", (), (), 0, 0, ""),), 0, 0))


@pytest.mark.ledger("X13")
async def test_a_proposal_that_moved_nothing_is_undone_without_an_error(
    engine: Engine, memory: Memory, user: User
) -> None:
    applied = await memory.proposals.make(Proposal((ProposedNode(("Boats",), "concept", "", (), (), 0, 0, ""),), 0, 0))
    assert (applied.nodes_created, applied.moved) == (1, ())
    assert await memory.proposals.undo(applied.proposal_id) == ()
    other = engine.memory((await engine.workspace.users.create(f"o{uuid4().hex[:12]}")).user_id)
    with pytest.raises(NotFound):
        await other.proposals.undo(applied.proposal_id)


# what is redacted ------------------------------------------------------------------------------------------


@pytest.mark.ledger("X13", "F12")
async def test_the_encoder_sees_nothing_that_is_redacted(
    engine: Engine, redacting: Engine, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither of a history that comes in, nor of what was stored before redaction was configured."""
    came = told_to(history(user.handle))
    await engine.ingest(came)
    for conversations in (came.conversations, None):
        with embedding(engine, monkeypatch) as calls:
            proposal = await redacting.memory(user.user_id).proposals.propose(conversations)
        seen = [text for call in calls for text in call]
        assert len(seen) >= 30 and any("[email], call [phone]" in text for text in seen)
        assert ("Ellen",) in {node.path for node in proposal.nodes}
        assert not any(planted in f"{seen} {proposal}" for planted in (EMAIL, PHONE, ALIAS))


@pytest.mark.ledger("X13", "F12")
async def test_a_model_sees_nothing_that_is_redacted_and_brings_nothing_of_the_kind(
    engine: Engine, settings: Settings, user: User
) -> None:
    def hierarchy(asked: Asked) -> dict[str, Any]:
        said = asked.text.splitlines()[-1]
        node = {
            "path": ["Family"],
            "summary": said,
            "keywords": [EMAIL, "van"],
            "aliases": [ALIAS],
            "turns": [0],
            "reason": PHONE,
        }
        return {"nodes": [node, node | {"path": [f"Of {EMAIL}"]}, node | {"path": [f"Of {EMAIL}", "Ellen"]}]}

    came = told_to(history(user.handle))
    await engine.ingest(came)
    with model_server(hierarchy) as server:
        async with reader(settings, server, redact=("all",)) as opened:
            for conversations in (came.conversations, None):
                proposal = await opened.memory(user.user_id).proposals.propose(conversations)
                asked = server.requests[-1].text
                assert "[email], call [phone]" in asked and not any(one in asked for one in (EMAIL, PHONE, ALIAS))
                [node] = proposal.nodes
                assert node.path == ("Family",) and "[email], call [phone]" in node.summary
                assert (node.keywords, node.aliases, node.reason) == (("van",), (), "[phone]")


@pytest.mark.ledger("X08", "X13")
async def test_a_proposal_and_the_ingest_that_it_is_for_share_their_limits(
    engine: Engine, settings: Settings, user: User
) -> None:
    said = (came := history(user.handle)).conversations
    with model_server(lambda _: {"nodes": [{"path": ["Choir"], "turns": [0]}]}) as server:
        async with reader(settings, server) as opened:
            memory = opened.memory(user.user_id)
            unasked = await memory.on_terms(Terms(limits=Limits(model_calls=0))).proposals.propose(said)
            assert (unasked.by, [one.what for one in unasked.left_out], server.requests) == (
                "rules",
                ["placements"],
                [],
            )
            assert any(node.node_type == "concept" for node in unasked.nodes)
            with opened.spending(Limits(model_calls=1)):
                assert (await memory.proposals.propose(said)).left_out == ()
                report = await opened.ingest(came)
            assert len(server.requests) == 1 and "readings" in {one.what for one in report.left_out}
            without_vectors = (
                await engine.memory(user.user_id).on_terms(Terms(limits=Limits(tokens=0))).proposals.propose()
            )
    assert {node.node_type for node in without_vectors.nodes} == {"persona"}
    assert [(one.what, one.items) for one in without_vectors.left_out] == [("embeddings", without_vectors.turns)]


@pytest.mark.ledger("X08", "X13")
async def test_a_proposal_beyond_its_tokens_takes_none_of_them(
    engine: Engine, settings: Settings, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither for a model's call nor for vectors: what is left out leaves the tokens to what still fits."""
    said = history(user.handle).conversations
    texts = [turn.text for one in said for turn in one.turns]
    fitting = sum(map(engine.embedder.count_tokens, texts))
    with model_server(lambda _: {"nodes": [{"path": ["Choir"], "turns": [0]}]}) as server:
        async with reader(settings, server) as opened:
            proposals = opened.memory(user.user_id).proposals
            with opened.spending(Limits(tokens=fitting)):
                by_rules = await proposals.propose(said)
            with embedding(opened, monkeypatch) as calls, opened.spending(Limits(tokens=fitting - 1)):
                beyond = await proposals.propose(said)
                assert calls == []
                fewer = await proposals.propose(said[1:])
                assert len(calls[0]) == len(texts) - len(said[0].turns)
    assert server.requests == []
    assert [(one.what, one.items) for one in by_rules.left_out] == [("placements", len(texts))]
    assert any(node.node_type == "concept" for node in by_rules.nodes)
    assert [one.what for one in beyond.left_out] == ["placements", "embeddings"]
    assert {f"This operation may give {fitting - 1} tokens to models."} == {one.reason for one in beyond.left_out}
    assert [one.what for one in fewer.left_out] == ["placements"]


@pytest.mark.ledger("X13", "F12")
async def test_what_a_proposal_says_of_a_node_is_redacted_when_it_is_made(redacting: Engine, user: User) -> None:
    memory = redacting.memory(user.user_id)
    node = ProposedNode(("Boats",), "concept", f"Ask {EMAIL}", ("boat", EMAIL), ("Ships", ALIAS), 0, 0, "")
    await memory.proposals.make(Proposal((node,), 0, 0))
    [boats] = (await memory.nodes.shell(user.user_id)).children
    shell = await memory.nodes.shell(boats.node_id)
    assert (shell.summary, shell.keywords, shell.aliases) == ("Ask [email]", ("boat",), ("Ships",))


# what is private or scoped -------------------------------------------------------------------------------------


def open_choir(handle: str) -> History:
    """What is said of the sister is private by its conversation or its turns, or belongs to a thread; the choir is open."""
    thread = Origin(MemoryScope("thread", "t1"))
    conversations = [
        one if one.source_id.startswith("choir")
        else replace(one, privacy="private") if number % 3 == 0
        else replace(one, origin=thread) if number % 3 == 1
        else replace(one, turns=tuple(replace(turn, privacy="private") for turn in one.turns))
        for number, one in enumerate(history(handle).conversations)
    ]  # fmt: skip
    return History(handle, "Rosa", tuple(conversations))


@pytest.mark.ledger("X13", "F12", "L05")
async def test_what_is_private_or_scoped_names_no_node(engine: Engine, settings: Settings, user: User) -> None:
    came = open_choir(user.handle)
    await engine.ingest(came)
    with model_server(lambda _: {"nodes": [{"path": ["Choir"], "turns": [0]}]}) as server:
        async with reader(settings, server) as opened:
            for conversations in (came.conversations, None):
                by_rules = await engine.memory(user.user_id).proposals.propose(conversations)
                assert by_rules.turns == 15 and "Ellen" not in str(by_rules)
                assert (await opened.memory(user.user_id).proposals.propose(conversations)).turns == 15
                assert "cantata" in server.requests[-1].text and "Ellen" not in server.requests[-1].text
    thread = engine.memory(user.user_id).within(MemoryScope("thread", "t1"))
    assert (await thread.proposals.propose(history(user.handle).conversations)).turns == 0
    assert (await thread.proposals.propose(history(user.handle).private().conversations)).turns == 0


@pytest.mark.ledger("X13", "F12")
async def test_what_is_private_moves_to_a_node_that_was_made_of_something_else(
    engine: Engine, memory: Memory, user: User
) -> None:
    private = await engine.ingest(history(user.handle).private())
    node = ProposedNode(("Ellen",), "persona", "", (), (), 0, 0, "")
    applied = await memory.proposals.make(Proposal((node,), 0, 0))
    assert {one.title for one in applied.moved} == {f"sister {number}" for number in range(5)}
    assert len(private.records) == 10


@pytest.mark.ledger("X13", "L05")
@pytest.mark.parametrize("how", [(), ("--private",), ("--scope", "thread:t1")])
async def test_no_command_names_nodes_after_what_it_stores_for_the_user_alone(
    engine: Engine, user: User, tmp_path: Path, how: tuple[str, ...]
) -> None:
    conversations = [
        {"id": f"c{number}", "turns": [{"speaker": "Rosa", "text": f"{text} ({number})"} for text in SISTER]}
        for number in range(5)
    ]
    asked = {"format": "neurigraph-history/1", "user": {"handle": user.handle}, "conversations": conversations}
    (tmp_path / "h.json").write_text(json.dumps(asked))
    done = await typed(engine, tmp_path, user.handle, "ingest", "h.json", "--nodes", "auto", *how)
    assert done.returncode == 0, done.stderr
    made = {node.path[1:] for node in await engine.memory(user.user_id).nodes.writable()} - {()}
    assert made == set() if how else ("Ellen",) in made


@pytest.mark.ledger("X13")
async def test_a_proposal_is_made_and_undone_over_rest(engine: Engine, memory: Memory, user: User) -> None:
    await engine.ingest(history(user.handle))
    transport = httpx.ASGITransport(new_door(engine.settings, engine=engine), client=("127.0.0.1", 1))
    path = f"/v1/users/{user.user_id}/node-proposal"
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        hasty = (await door.get(path, params={"milliseconds": 0})).json()
        assert [one["what"] for one in hasty["left_out"]] == ["embeddings"]
        proposed = (await door.get(path)).json()["nodes"]
        assert ["Ellen"] in [node["path"] for node in proposed]
        fields = ("path", "node_type", "summary", "keywords", "aliases")
        wanted = [{field: node[field] for field in fields} for node in proposed]
        made = await door.post(path, json={"nodes": wanted})
        assert (made.status_code, made.json()["nodes_created"]) == (201, len(wanted)), made.text
        moved = {one["record_id"] for one in made.json()["moved"]}
        undone = await door.post(f"{path}/{made.json()['proposal_id']}/undo", json={})
        assert undone.status_code == 200, undone.text
    assert moved and {one["record_id"] for one in undone.json()} == moved
    at_root = await memory.records.assignments(AssignmentFilter(node_id=user.user_id))
    assert moved <= {str(one.record_id) for one in at_root}


@pytest.mark.ledger("X13", "U05")
async def test_a_proposal_is_made_and_undone_in_the_shell(
    engine: Engine, memory: Memory, user: User, tmp_path: Path
) -> None:
    await engine.ingest(history(user.handle))
    shown = await typed(engine, tmp_path, user.handle, "nodes", "propose")
    assert shown.returncode == 0 and "Nothing was made" in shown.stdout, shown.stderr
    made = await typed(engine, tmp_path, user.handle, "nodes", "propose", "--apply", "--json")
    assert made.returncode == 0, made.stderr
    applied = json.loads(made.stdout)["applied"]
    assert applied["nodes_created"] > 0 and applied["moved"]
    undone = await typed(engine, tmp_path, user.handle, "nodes", "undo", applied["proposal_id"])
    assert undone.returncode == 0, undone.stderr
    assert undone.stdout.strip() == f"{counted(len(applied['moved']), 'record')} moved back."
