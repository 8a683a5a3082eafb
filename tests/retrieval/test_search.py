"""Searching on the real stores: navigation, scope, isolation, time, bad questions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import numpy as np
import pytest

from engine.domain.clock import NOW, Moment
from engine.domain.delta import Change
from engine.domain.embedding import EmbeddedQuery
from engine.domain.fact import WrittenFact
from engine.domain.history import Conversation, History, PlannedEdge, PlannedNode, Turn
from engine.domain.node import NewNode
from engine.domain.search import SearchRequest
from engine.errors import InvalidInput, ProviderUnavailable, WrongDimension
from engine.providers.active import ActiveModel
from engine.retrieval.pipeline import Search
from engine.retrieval.weights import load_weights

WORK, FISHING, FAMILY = ("Work", "Dave"), ("Fishing", "Dave"), ("Family", "Ellen")


def conversation(number: int, *texts: str, node=None) -> Conversation:
    turns = tuple(Turn(("Bob", "Iris")[place % 2], text, ref=f"{number}:{place}") for place, text in enumerate(texts))
    return Conversation(f"talk-{number}", turns, f"Talk {number}", datetime(2025, 3, number, 9, tzinfo=UTC), node)


CONVERSATIONS = (
    conversation(1, "Dave is foreman since February and runs the crew.", "Noted: foreman.", node=WORK),
    conversation(2, "Dave and I own a boat called Second Coat.", "Which lake do you fish?", "Halfmoon Lake.", node=FISHING),
    conversation(3, "Ellen moved to Osprey Lane.", "When did she move?", "On October 18, 2025.", node=FAMILY),
    conversation(4, "I had pancakes with maple syrup for breakfast.", "Sounds good."),
)  # fmt: skip
NODES = tuple(
    PlannedNode(path, summary=summary, aliases=aliases)
    for path, summary, aliases in (
        (("Work",), "The joinery and its people.", ("the shop",)),
        (WORK, "Dave at work.", ()),
        (("Fishing",), "Boat, lake, bait.", ()),
        (FISHING, "Dave on the lake.", ()),
        (("Family",), "Sister and parents.", ()),
        (FAMILY, "Bob's sister, a nurse.", ("Bob's sister",)),
    )
)


@pytest.fixture(scope="module")
async def bob(engine):
    """A memory with three places, two of them called Dave."""
    handle = f"bob{uuid4().hex[:12]}"
    await engine.ingest(
        History(
            handle,
            "Bob Harlan",
            CONVERSATIONS,
            nodes=NODES,
            edges=(PlannedEdge(WORK, FISHING, "same_person"),),
        )
    )
    return engine.memory((await engine.workspace.users.find(handle)).user_id)


@pytest.fixture(scope="module")
async def stranger(engine):
    """A memory of somebody else with the same names in it."""
    handle = f"eve{uuid4().hex[:12]}"
    talk = conversation(1, "Dave has a secret boat of gold in Osprey Lane.", node=("Dave",))
    await engine.ingest(History(handle, "Eve", (talk,)))
    return engine.memory((await engine.workspace.users.find(handle)).user_id)


@pytest.mark.ledger("N04", "N24")
async def test_a_name_leads_to_every_place_where_it_lives(bob):
    answer = await bob.search(SearchRequest("Who is Dave?", limit=3, widen="never"))
    named = [anchor for anchor in answer.anchors if "name" in anchor.reasons]
    assert {anchor.path for anchor in named} == {("Bob Harlan", *WORK), ("Bob Harlan", *FISHING)}
    assert [edge.edge_type for edge in named[0].edges] == ["same_person"]
    assert not answer.widened
    assert {hit.path for hit in answer.hits} >= {("Bob Harlan", *WORK), ("Bob Harlan", *FISHING)}


@pytest.mark.ledger("N24", "F14")
async def test_only_the_anchors_are_searched(bob):
    answer = await bob.search(SearchRequest("Which foreman is in the shop?", widen="never"))
    assert not answer.widened
    assert answer.nodes_searched < 7
    assert all(hit.path[1] == "Work" for hit in answer.hits if "Work" in hit.why)
    assert "foreman" in answer.hits[0].content
    assert answer.hits[0].why.startswith("Bob Harlan > Work > Dave")


@pytest.mark.ledger("N24")
async def test_where_the_anchors_hold_nothing_everything_is_searched(memory):
    """A node may have a name before anything lies at it."""
    await memory.nodes.provision_path(("Lake", "Halfmoon"))
    diary = await memory.nodes.provision_path(("Diary",))
    await memory.records.remember_text("Note", "The cabin at Halfmoon was sold.", node_id=diary.node_id)
    answer = await memory.search(SearchRequest("Halfmoon"))
    assert [anchor.path[-1] for anchor in answer.anchors] == ["Halfmoon"] and answer.widened
    assert answer.hits[0].path[-1] == "Diary"
    narrow = await memory.search(SearchRequest("Halfmoon", widen="never"))
    assert not narrow.hits and not narrow.widened


async def test_without_an_anchor_everything_is_searched(bob):
    answer = await bob.search(SearchRequest("pancakes"))
    assert answer.widened
    assert answer.nodes_searched == 7
    assert "pancakes" in answer.hits[0].content
    assert answer.items_searched == 10


async def test_never_widening_finds_nothing_without_anchors(bob):
    answer = await bob.search(SearchRequest("zzzz qqqq", widen="never", limit=1))
    assert not answer.widened
    assert answer.nodes_searched <= 7


async def test_a_hit_knows_its_record_file_and_signals(bob):
    hit = (await bob.search(SearchRequest("When did Bob's sister move to Osprey Lane?", limit=10))).hits[0]
    assert hit.path == ("Bob Harlan", *FAMILY)
    assert (hit.kind, hit.content_type, hit.record_title) == ("turn", "conversation", "Talk 3")
    assert hit.file_name and hit.file_id and hit.file_state == "dormant"
    assert hit.occurred_at == datetime(2025, 3, 3, 9, tzinfo=UTC)
    assert hit.score == pytest.approx(sum(hit.signals.values()), abs=0.01)


async def test_the_answer_follows_its_question(bob):
    answer = await bob.search(SearchRequest("When did Ellen move?", limit=3))
    assert "October 18, 2025" in " ".join(hit.content for hit in answer.hits[:2])


@pytest.mark.ledger("N03")
async def test_shells_of_a_bigger_graph_are_found_by_the_index(bob, monkeypatch):
    small = await bob.search(SearchRequest("nursing in a hospital"))
    monkeypatch.setattr("engine.retrieval.anchors.EXACT_SHELLS", 7)
    big = await bob.search(SearchRequest("nursing in a hospital"))
    assert [anchor.path for anchor in big.anchors] == [anchor.path for anchor in small.anchors]
    assert "meaning" in big.anchors[0].reasons


@pytest.mark.ledger("N03")
async def test_words_of_a_summary_lead_to_its_shell(bob):
    answer = await bob.search(SearchRequest("Which bait is best?"))
    assert ("Bob Harlan", "Fishing") in {anchor.path for anchor in answer.anchors if "text" in anchor.reasons}


async def test_stage_times_are_told(bob):
    answer = await bob.search(SearchRequest("boat"))
    assert set(answer.timings_ms) == {"parse", "embed", "anchors", "search", "rank", "contents", "total"}


async def test_nodes_may_be_named(bob):
    work = next(anchor for anchor in await bob.nodes.anchors("Dave") if "Work" in anchor.path)
    answer = await bob.search(SearchRequest("boat", nodes=(work.node_id,)))
    assert (answer.nodes_searched, answer.anchors, answer.widened) == (1, (), False)
    assert {hit.node_id for hit in answer.hits} == {work.node_id}


async def test_kinds_may_be_named(bob):
    assert (await bob.search(SearchRequest("boat", kinds=("chunk",)))).hits == ()
    assert (await bob.search(SearchRequest("boat", kinds=("turn",)))).hits


async def test_nobody_finds_what_is_anothers(bob, stranger):
    theirs = (await stranger.search(SearchRequest("gold boat", widen="always"))).hits
    assert theirs
    for request in (
        SearchRequest("secret boat of gold", widen="always", limit=200),
        SearchRequest("Dave gold", limit=200),
        SearchRequest("gold", nodes=(theirs[0].node_id,)),
    ):
        answer = await bob.search(request)
        assert not any("gold" in hit.content for hit in answer.hits)
        assert {anchor.path[0] for anchor in answer.anchors} <= {"Bob Harlan"}
    assert (await bob.search(SearchRequest("gold", nodes=(theirs[0].node_id,)))).nodes_searched == 0
    assert (await bob.search(SearchRequest("gold", nodes=(uuid4(),)))).nodes_searched == 0


async def test_what_was_not_yet_known_is_not_found(bob):
    before = datetime.now(UTC) - timedelta(days=1)
    answer = await bob.search(SearchRequest("Dave boat", moment=Moment(known_at=before)))
    assert (answer.hits, answer.anchors, answer.nodes_searched) == ((), (), 0)
    assert (await bob.search(SearchRequest("Dave boat", moment=Moment(as_of=datetime.now(UTC))))).hits


@pytest.mark.ledger("N03")
async def test_an_anchor_has_the_summary_that_its_shell_had_at_the_moment(memory, user):
    boats = await memory.nodes.provision(NewNode(user.user_id, "Boats", summary="Dinghies in the harbour."))
    before = datetime.now(UTC)
    await memory.history.change(Change("node", boats.node_id, {"summary": "Kayaks on the river."}))
    for moment, summary in (
        (NOW, "Kayaks on the river."),
        (Moment(as_of=before), "Dinghies in the harbour."),
        (Moment(known_at=before), "Dinghies in the harbour."),
    ):
        found = (await memory.search(SearchRequest("Boats", moment=moment))).anchors
        named = await memory.nodes.anchors("Boats", moment)
        shell = await memory.nodes.shell(boats.node_id, moment)
        assert {one.summary for one in found if one.node_id == boats.node_id} == {summary}
        assert ([one.summary for one in named], shell.summary) == ([summary], summary)


@pytest.mark.parametrize(
    "text",
    [
        "the of and a", "?", "🙂", "x" * 100_000, "Dave " * 20_000, "\x00Dave\x00", "Dave \ud800", "日本語のボート",
        '+user_key:* OR name:(x) "\\ ^2 ~ [a TO b] {', "'; DROP TABLE engine.nodes; --", "%s %(x)s {schema} $1",
        "AND OR NOT && ||", "\"" * 50, "\u202e\u200b",
    ],
)  # fmt: skip
async def test_no_question_breaks_the_search(bob, text):
    answer = await bob.search(SearchRequest(text))
    assert len(answer.hits) <= 10


@pytest.mark.parametrize(
    "request_",
    [
        SearchRequest(""), SearchRequest(" \n"), SearchRequest("\x00"), SearchRequest("x", limit=0),
        SearchRequest("x", limit=201), SearchRequest("x", kinds=()), SearchRequest("x", nodes=()),
        SearchRequest("x", moment=Moment(as_of=datetime(2025, 1, 1))),
    ],
)  # fmt: skip
async def test_requests_that_cannot_be_answered_are_refused(bob, request_):
    with pytest.raises(InvalidInput):
        await bob.search(request_)


async def test_a_long_question_is_cut_and_the_answer_says_so(bob):
    answer = await bob.search(SearchRequest("Who is Dave? " * 10_000))
    assert "cut" in answer.notes[0]
    assert len(answer.query) <= 4_000


class Embedder:
    """An embedding service that does not answer, or gives vectors of another length."""

    def __init__(self, vector: np.ndarray | None) -> None:
        self._vector = vector

    async def embed_query(self, _: str) -> EmbeddedQuery:
        if self._vector is None:
            raise ProviderUnavailable
        return EmbeddedQuery(self._vector)


def search_with(engine, vector: np.ndarray | None) -> Search:
    model = replace(engine.active.current, embedder=Embedder(vector))
    return Search(engine.postgres, engine.neo4j, ActiveModel(model, None, None), load_weights())


@pytest.mark.ledger("L06")
async def test_without_an_embedding_service_words_still_find(engine, bob):
    answer = await search_with(engine, None).search(bob.principal, SearchRequest("pancakes with syrup"))
    assert "pancakes" in answer.hits[0].content
    assert "words only" in answer.notes[0]


async def test_a_vector_of_another_length_is_refused_before_the_database_is_asked(engine, bob):
    with pytest.raises(WrongDimension):
        await search_with(engine, np.ones(3, np.float32)).search(bob.principal, SearchRequest("boat"))


async def test_a_user_without_anything_gets_an_empty_answer(memory):
    answer = await memory.search(SearchRequest("boat"))
    assert (answer.hits, answer.items_searched, answer.nodes_searched) == ((), 0, 1)


@pytest.mark.ledger("N24")
async def test_a_question_that_names_a_day_has_what_was_stated_of_that_day_first(memory) -> None:
    said = {
        9: "I glued the birdhouse.",
        10: "I varnished the oars.",
        11: "I weeded the asparagus.",
        12: "I bottled the cider.",
    }
    for day, text in said.items():
        await memory.facts.write(WrittenFact(text, at=datetime(2026, 3, day, 12, tzinfo=UTC)))
    for day, text in said.items():
        [first, *_] = (await memory.search(SearchRequest(f"What did I do on March {day}, 2026?"))).hits
        assert first.content == text, day
