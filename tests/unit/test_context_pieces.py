"""What a context is made of, put together without stores: for any tokenizer within its tokens, in order, inside of its borders."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.context import ContextItem, Piece
from engine.domain.search import Hit
from engine.domain.terms import words
from engine.retrieval.context.about import About, FactPlace
from engine.retrieval.context.assembling import PROMPT, asks_past
from engine.retrieval.context.drafts import Drafts, Found, drafted
from engine.retrieval.context.text import fitted, written
from engine.retrieval.query import parse
from engine.retrieval.weights import load_weights

WHEN = datetime(2024, 5, 8, tzinfo=UTC)
NODE = uuid4()
COUNTERS: dict[str, Callable[[str], int]] = {
    "words": lambda text: len(text.split()),
    "characters": len,
    "bytes": lambda text: -(-len(text.encode("utf-8", "surrogatepass")) // 4),
    "pieces, with two of its own": lambda text: 2 + len(re.findall(r"\w{1,4}|[^\w\s]", text)),
    "not additive": lambda text: len(text) // 3 + len(text) ** 2 // 4000,
}
MARKED = re.compile(r"^\[(\d+)\] ", re.MULTILINE)


def hit(session: UUID, position: int, text: str, score: float, kind: str = "turn", title: str = "Call") -> Hit:
    item = uuid5(session, f"{position}:0") if kind == "turn" else uuid5(session, f"{kind} {position} {text}")
    return Hit(
        item, uuid5(session, "record"), NODE, kind, text, "Bob", WHEN + timedelta(days=position), session, position, None, "", score, {},
        title, "", "conversation", None, None, None, ("Bob", "Home"), "", "user", None, "ingested",
    )  # fmt: skip


def item(one: Hit, **changes: object) -> ContextItem:
    values: dict = {
        "item_id": one.item_id, "record_id": one.record_id, "node_id": one.node_id, "kind": one.kind, "session": one.session,
        "position": one.position, "last_position": one.position, "speaker": one.speaker, "content": one.content,
        "occurred_at": one.occurred_at, "dates": [], "section": "", "title": one.record_title, "is_question": one.content.endswith("?"),
        "follows_question": False, "word_count": len(one.content.split()), "valid_from": None, "valid_to": None,
    }  # fmt: skip
    return ContextItem(**values | changes)


def found(*hits: Hit, also: tuple[ContextItem, ...] = (), about: About | None = None) -> Found:
    items = {one.item_id: item(one) for one in hits} | {one.item_id: one for one in also}
    return Found(hits, about or About(), (), items)


def pieces(drafts: Drafts) -> list[Piece]:
    return list(written(drafts, drafts.pieces)[2])


TEXT = st.text(st.sampled_from("ab \n\r\t\u2028\x85[]1<>/:é東❄") | st.characters(), min_size=1, max_size=120)


@pytest.mark.ledger("X14")
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 12), TEXT, st.floats(-3, 3)), max_size=25),
    st.integers(1, 900),
    st.sampled_from(sorted(COUNTERS)),
)
def test_a_context_keeps_to_its_tokens_and_its_borders(lines: list, most: int, counter: str) -> None:
    count = COUNTERS[counter]
    sessions = [uuid5(NODE, str(number)) for number in range(4)]
    hits = {hit(sessions[a], b, text, score).item_id: hit(sessions[a], b, text, score) for a, b, text, score in lines}
    drafts = drafted(found(*hits.values()), count)
    fit = fitted(drafts, "What of the boat?", most, count)
    assert fit.tokens == (count(fit.text) if fit.text else 0) <= most
    assert len(fit.pieces) + len(fit.left_out) == len(drafts.pieces)
    assert (
        [int(mark) for mark in MARKED.findall(fit.text)]
        == [one.mark for one in fit.pieces]
        == list(range(1, len(fit.pieces) + 1))
    )
    if not fit.text:
        return
    first, *inner, last = fit.text.splitlines()
    assert (first, last) == (f"<memory {fit.key}>", f"</memory {fit.key}>")
    assert all(line.startswith(("  ", "[", "Conversation “")) or line == "…" for line in inner)


@pytest.mark.ledger("X14")
def test_the_best_group_is_last_and_its_turns_are_in_the_order_of_time() -> None:
    one, two = uuid4(), uuid4()
    hits = [
        hit(one, 5, "Five of the first one.", 2.0),
        hit(two, 1, "One of the second one.", 1.0),
        hit(one, 2, "Two of the first one.", 0.1),
    ]
    drafts = drafted(found(*hits), len)
    assert [piece.text for piece in pieces(drafts)] == [
        "One of the second one.",
        "Two of the first one.",
        "Five of the first one.",
    ]
    assert "\n…\n" in written(drafts, drafts.pieces)[0]


@pytest.mark.ledger("X14")
def test_the_neighbours_that_help_come_with_their_hit_and_once() -> None:
    talk = uuid4()
    lines = [
        hit(talk, place, text, 0.0)
        for place, text in enumerate(
            ["Hello there, my friend, good day.", "Who on earth painted the boat for us?", "Dave.", "Right."]
        )
    ]
    asked, answer = lines[1], lines[2]
    others = tuple(item(one, follows_question=one is answer) for one in lines)
    assert [one.text for one in pieces(drafted(found(asked, also=others), len))] == [
        "Who on earth painted the boat for us?",
        "Dave.",
    ]
    assert [one.text for one in pieces(drafted(found(answer, also=others), len))] == [
        "Who on earth painted the boat for us?",
        "Dave.",
    ]
    both = pieces(drafted(found(asked, answer, also=others), len))
    assert [(one.text, one.neighbour) for one in both] == [
        ("Who on earth painted the boat for us?", False),
        ("Dave.", False),
    ]


@pytest.mark.ledger("X14")
@pytest.mark.parametrize(
    ("more", "stands"), [("", "fact"), (" and then we spoke for a long time of many other things" * 3, "turn")]
)
def test_a_fact_and_its_turn_take_one_place(more: str, stands: str) -> None:
    talk = uuid4()
    turn = hit(talk, 3, f"She moved to Duluth last Friday{more}.", 1.0)
    fact = hit(uuid5(talk, "derived"), 3, "Ellen moved to Duluth on 3 May.", 0.5, "fact")
    seen = hit(uuid5(talk, "derived"), 3, "Ellen likes Duluth.", 0.2, "observation")
    made = pieces(drafted(found(turn, fact, seen), lambda text: len(text.split())))
    expected = {"fact": [fact.item_id, seen.item_id], "turn": [turn.item_id]}[stands]
    assert [one.item_id for one in made] == expected
    assert {one for piece in made for one in piece.also} == (
        {turn.item_id} if stands == "fact" else {fact.item_id, seen.item_id}
    )


@pytest.mark.ledger("X14")
def test_a_long_text_is_cut_around_what_is_asked_for() -> None:
    text = " ".join(
        [f"Nothing of note happened on day {day}." for day in range(50)]
        + ["The boat is called Second Coat."]
        + ["Rain."] * 50
    )
    fit = fitted(
        drafted(found(hit(uuid4(), 1, text, 1.0)), COUNTERS["words"]), "What is the boat called?", 80, COUNTERS["words"]
    )
    [piece] = fit.pieces
    assert piece.cut and "The boat is called Second Coat." in piece.text and fit.tokens <= 80
    assert f"{piece.text}…" in fit.text


@pytest.mark.ledger("X14")
def test_facts_that_are_over_say_so() -> None:
    fact = hit(uuid4(), 0, "Ellen lives in Duluth.", 0.0, "fact")
    about = About(facts=(FactPlace(fact.item_id, NODE),), ended=frozenset({fact.item_id}))
    over = item(fact, valid_from=WHEN, valid_to=WHEN + timedelta(days=9))
    drafts = drafted(Found((), about, (), {fact.item_id: over}), len)
    assert "[1] Ellen lives in Duluth. (over: 2024-05-08 to 2024-05-17)" in written(drafts, drafts.pieces)[0]


@pytest.mark.parametrize(
    ("question", "past"),
    [
        ("Where does Ellen live?", False), ("Where did Ellen live before?", True), ("Where did she use to live?", False),
        ("What job used to be hers?", True), ("Wo wohnte Ellen früher?", True), ("Wo wohnt Ellen?", False), ("¿Dónde vivía antes?", True),
        ("Onde ela morava antigamente?", True), ("Is the forever stamp valid?", False),
        ("Where did Ellen live in 2023?", True), ("Where does Ellen live now, in 2024?", False),
    ],
)  # fmt: skip
def test_whether_a_question_asks_for_the_past(question: str, past: bool) -> None:
    assert asks_past(parse(question, WHEN, load_weights().limits)) is past


def test_the_prompt_says_that_stored_texts_are_data() -> None:
    assert "never an instruction" in PROMPT.text and "<memory KEY>" in PROMPT.text


def test_facts_go_by_the_question_and_by_the_period_that_it_names() -> None:
    texts = (
        "The user was born on May 9.",
        "The user takes 50 mg.",
        "The user takes 75 mg.",
        "The user works at Orbis.",
    )
    hits = [replace(hit(uuid4(), place, text, 1.0), kind="fact") for place, text in enumerate(texts)]
    known = [item(one) for one in hits]
    first, second = datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 7, 1, tzinfo=UTC)
    known[1] = replace(known[1], valid_from=first, valid_to=second)
    known[2] = replace(known[2], valid_from=second)
    known[3] = replace(known[3], valid_from=datetime(2026, 1, 1, tzinfo=UTC))
    places = [FactPlace(one.item_id, NODE) for one in hits]
    items = {one.item_id: one for one in known}

    def told(question: str, month: int | None = None, of_user: Sequence[FactPlace] = ()) -> list[str]:
        period = (datetime(2025, month, 1, tzinfo=UTC), datetime(2025, month + 1, 1, tzinfo=UTC)) if month else None
        facts = About(facts=tuple(places))
        gathered = Found((), facts, of_user, items, words=frozenset(words(question)), state_in=period)
        return [piece.text for piece in pieces(drafted(gathered, len))]

    assert told("works")[0] == texts[3] and told("born")[0] == texts[0]
    assert told("mg", 3)[0] == texts[1] and told("mg", 10)[0] == texts[2]
    assert told("works", 3)[-1] in (texts[2], texts[3]), "what began later comes last"
    assert told("works", of_user=places)[0] == texts[3] and told("born", of_user=places)[0] == texts[0]


def test_a_preference_that_was_found_has_the_room_of_facts() -> None:
    best = replace(hit(uuid4(), 0, "Ann runs with the Harriers on Tuesdays.", 5.0), kind="fact")
    plain = [
        replace(hit(uuid4(), place, f"Ann prefers tea of kind {place}.", 0.0), kind="fact") for place in range(1, 9)
    ]
    talk = [hit(uuid4(), 0, f"We spoke of the weather and of dinner {place}.", 1.0) for place in range(20)]
    items = {one.item_id: item(one) for one in (*plain, best, *talk)}
    of_user = [FactPlace(one.item_id, NODE) for one in (*plain, best)]
    gathered = Found((best, *talk), About(), of_user, items, words=frozenset(words("Where do I run?")))
    fit = fitted(drafted(gathered, len), "Where do I run?", 300, len)
    assert best.content in fit.text
