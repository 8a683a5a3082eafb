"""A question that asks for a relation of an entity that it names gets it with its source, wherever that lies."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.domain.clock import Moment
from engine.domain.context import ContextRequest
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.domain.scope import MemoryScope
from engine.domain.search import Filters, SearchRequest
from engine.memory import Memory
from engine.neurigraph import Engine

WHEN = datetime(2024, 3, 9, 18, tzinfo=UTC)
MARRIED = "Ellen Harlan is married to Dave Kowalski since 2003"
ASKED = "Whom is Ellen Harlan married to?"


async def say(memory: Memory, name: str, *texts: str, day: int = 0, **where: Any) -> None:
    turns = tuple(Turn("Bob", text) for text in texts)
    await memory.records.remember(Conversation(name, turns, name, WHEN + timedelta(days=day)), **where)


async def relations(memory: Memory, question: str, **request: Any) -> list[str]:
    found = await memory.search(SearchRequest(question, **request, relations=True))
    return [one.relation.statement(one.entity_name) for one in found.relations]


@pytest.fixture
async def bob(memory: Memory, user: User) -> Memory:
    """What states the marriage lies at another node than all else of Ellen."""
    ellen, fishing = [
        await memory.nodes.provision(NewNode(user.user_id, name, keywords=(word,)))
        for name, word in (("Ellen Harlan", "hospital"), ("Fishing", "walleye"))
    ]
    await say(memory, "Shift", "Ellen Harlan has the late shift at the hospital.", node_id=ellen.node_id)
    talk = ("We fished for walleye.", "Ellen Harlan married Dave Kowalski in 2003, before the boat was bought.")
    await say(memory, "Opener", *talk, node_id=fishing.node_id)
    await say(memory, "Family", "Ruth Harlan is the mother of Ellen Harlan. Katie Kowalski is her daughter.", day=1)
    await say(memory, "Me", "Dave Kowalski is my brother-in-law.", "My sister Ellen Harlan called.", day=2)
    return memory


@pytest.mark.ledger("A09", "X02")
@pytest.mark.parametrize(
    "question",
    [
        ASKED, "Who is Ellen Harlan's husband?", "Is Ellen Harlan married?", "Mit wem ist Ellen Harlan verheiratet?",
        "¿Quién es el marido de Ellen Harlan?", "Qui est le mari d'Ellen Harlan ?", "Wer ist Ellen Harlans Mann?", "How are Ellen Harlan and Dave Kowalski related?",
    ],
)  # fmt: skip
async def test_it_is_found_where_no_anchor_leads(bob: Memory, question: str) -> None:
    answer = await bob.search(SearchRequest(question, relations=True))
    [married] = [one for one in answer.relations if one.relation.relation_type == "MARRIED_TO"]
    assert married.relation.statement(married.entity_name) == MARRIED
    assert (married.title, married.text) == (
        "Opener",
        "Ellen Harlan married Dave Kowalski in 2003, before the boat was bought.",
    )
    assert married.relation.relation_id == (await bob.entities.why(married.relation.relation_id)).relation_id
    assert married.at == WHEN


@pytest.mark.ledger("A09")
async def test_only_what_is_asked_for(bob: Memory) -> None:
    assert await relations(bob, "What does Ellen Harlan eat?") == []
    assert await relations(bob, "Who is married?") == [], "nobody is named"
    assert await relations(bob, "Who is Ellen Harlan's mother?") == ["Ellen Harlan is a child of Ruth Harlan"]
    assert await relations(bob, "Whose mother is Ruth Harlan?") == ["Ruth Harlan is a parent of Ellen Harlan"]
    assert await relations(bob, "Who is my brother-in-law?") == ["Bob Harlan is an in-law of Dave Kowalski"]
    assert await relations(bob, "Who is my sister?") == ["Bob Harlan is a sibling of Ellen Harlan"]
    root = bob.principal.user_id
    assert await relations(bob, "Who is my sister?", nodes=(root,)) == [], "where to look is said"
    assert await relations(bob, ASKED, filters=Filters(tags=("walleye",))) == []
    assert await relations(bob, ASKED, kinds=("fact",)) == []


@pytest.mark.ledger("A09")
async def test_words_of_another_language_or_another_phrase_ask_for_nothing(bob: Memory) -> None:
    await say(bob, "More", "Ellen Harlan lives with Dave Kowalski.", "Ellen Harlan lives in Galway.")
    await say(bob, "Late", "Ellen Harlan died in Galway.", day=3)
    await say(bob, "Work", "Dave Kowalski runs Acme Boats. Dave Kowalski plays for Leeds United.")
    assert await relations(bob, "Où est son bateau, Ellen Harlan ?") == [], "her boat, no son"
    assert await relations(bob, "Wo hat Ellen Harlan die Schlüssel?") == [], "the keys, no death"
    assert await relations(bob, "Where does Ellen Harlan live?") == ["Ellen Harlan lives in Galway"]
    assert await relations(bob, "Who does Ellen Harlan live with?") == ["Ellen Harlan lives with Dave Kowalski"]
    assert await relations(bob, "How often does Dave Kowalski run?") == []
    assert await relations(bob, "What game does Dave Kowalski play?") == []
    assert await relations(bob, "Who does Dave Kowalski play for?") == ["Dave Kowalski plays for Leeds United"]
    assert MARRIED in await relations(bob, "Wer ist der Mann von Ellen Harlan?"), "a stop word of German, too"


@pytest.mark.ledger("A09")
async def test_on_the_first_page_alone(bob: Memory) -> None:
    first = await bob.search(SearchRequest(ASKED, limit=1, relations=True))
    second = await bob.search(SearchRequest(ASKED, limit=1, cursor=first.next_cursor, relations=True))
    assert first.relations and not second.relations
    assert (await bob.search(SearchRequest(ASKED))).relations == (), "not wanted"


@pytest.mark.ledger("A09")
async def test_of_the_moment_that_is_asked_for(memory: Memory, engine: Engine) -> None:
    for number, town in enumerate(("Galway", "Lunenburg")):
        await say(memory, town, f"Teresa Vang lives in {town}.", day=365 * number)
    where = "Where does Teresa Vang live?"
    assert await relations(memory, where) == ["Teresa Vang lives in Lunenburg"]
    both = await relations(memory, "Where did Teresa Vang live before?")
    assert sorted(both) == ["Teresa Vang lives in Galway until 2025-03-09", "Teresa Vang lives in Lunenburg"]
    assert await relations(memory, where, moment=Moment(known_at=WHEN)) == []
    answer = await memory.search(SearchRequest(where, moment=Moment(known_at=engine.parts.clock.now()), relations=True))
    assert [one.text for one in answer.relations] == [None], "the past has no words"


@pytest.mark.ledger("A09", "X01")
async def test_as_far_as_its_source_may_be_read(bob: Memory, engine: Engine, user: User) -> None:
    coach, hidden = [
        await bob.nodes.provision(NewNode(user.user_id, name, kind))
        for name, kind in (("Coach", "persona"), ("Hidden", "concept"))
    ]
    thread = bob.within(MemoryScope("thread", "t"))
    await say(thread, "Thread", "Ellen Harlan is a friend of Zacharias Quill.")
    assert await relations(bob, "Who is a friend of Ellen Harlan?") == []
    assert await relations(thread, "Who is a friend of Ellen Harlan?") == [
        "Ellen Harlan is a friend of Zacharias Quill"
    ]
    await say(bob, "Hidden", "Ellen Harlan is a neighbor of Otto Brandt.", node_id=hidden.node_id)
    await say(bob, "Private", "Ellen Harlan is a cousin of Mona Sandvik.", node_id=hidden.node_id, privacy="private")
    question = "Who is a neighbor, cousin, friend, husband, mother of Ellen Harlan?"
    reader = engine.memory_as(Principal("persona", coach.node_id, user.user_id))
    assert await relations(reader, question) == []
    await bob.grants.give(NewGrant(hidden.node_id, "persona", coach.node_id, "read"))
    assert await relations(reader, question, widen="always") == ["Ellen Harlan is a neighbor of Otto Brandt"]
    assert len(await relations(bob, question)) == 4


@pytest.mark.ledger("A09")
async def test_beside_many_stronger_relations(bob: Memory, engine: Engine) -> None:
    await say(bob, "Friend", "Ellen Harlan is a friend of Otto Brandt.")
    await engine.neo4j.write(
        "MATCH (a:Entity {user_id: $user_id})-[x:FRIEND_OF]->(b) UNWIND range(1, 210) AS number CREATE (a)-[y:FRIEND_OF]->(b)"
        " SET y = properties(x), y.relation_id = randomUUID(), y.strength = 9 WITH y, x MATCH (r)-[v:EVIDENCE {relation_id: x.relation_id}]->(e)"
        " CREATE (r)-[w:EVIDENCE]->(e) SET w = properties(v), w.relation_id = y.relation_id",
        user_id=str(bob.principal.user_id),
    )  # fmt: skip
    assert await relations(bob, ASKED) == [MARRIED]
    both = await relations(bob, "Is Ellen Harlan a friend of Dave Kowalski?")
    assert (len(both), both[0]) == (5, MARRIED), "what is between the named ones comes first"


@pytest.mark.ledger("A09", "X14")
async def test_a_short_context_has_it_first(bob: Memory) -> None:
    for tokens in (60, 150, 300, 2000):
        context = await bob.context(ContextRequest(ASKED, tokens))
        assert context.pieces[0].text == f"{MARRIED}."
        assert [piece.text for piece in context.pieces].count(f"{MARRIED}.") == 1
