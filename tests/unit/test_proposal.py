"""Proposed hierarchies: people need evidence, matters need words and several conversations, and names of others stay out."""

from __future__ import annotations

import numpy as np
import pytest

from engine.ingest.hierarchy import SaidTurns, clusters, matters, people, proposed
from engine.ingest.proposals import Hierarchy, _nodes
from engine.language.detection import language_of

SPEAKERS = frozenset({"Rosa", "Assistant"})


@pytest.mark.parametrize(
    ("texts", "name", "relation", "group"),
    [
        (["My sister Ellen called.", "Ellen wants the boat."], "Ellen", "sister", "family"),
        (["Meine Schwester Britta kommt.", "Britta bringt Kuchen."], "Britta", "schwester", "family"),
        (["Mi jefa Carmen se enfadó.", "Hablé con Carmen."], "Carmen", "jefa", "work"),
        (["O meu vizinho Tiago ajudou.", "Tiago trouxe pão."], "Tiago", "vizinho", "friends"),
        (["Dave, my landlord, came by.", "I paid Dave."], "Dave", "landlord", "work"),
    ],
)
def test_people_are_found_by_kin_and_role_words(texts: list[str], name: str, relation: str, group: str) -> None:
    [person] = people(texts, SPEAKERS)
    assert (person.name, person.relation, person.group, len(person.turns)) == (name, relation, group, 2)


@pytest.mark.parametrize(
    "texts",
    [
        [
            "Der Kaffee ist kalt.",
            "Mit Kaffee geht es.",
            "Kaffee hat mir gefehlt.",
            "Ich will Kaffee.",
            "Für Kaffee immer.",
        ],
        ["Rosa said so.", "Rosa asked.", "Rosa told me.", "Rosa wants it.", "Rosa thinks."],
        ["Monday said nothing.", "On Monday.", "Monday says.", "Monday wants."],
    ],
)
def test_words_speakers_and_days_are_nobody(texts: list[str]) -> None:
    assert people(texts, SPEAKERS) == []


def spread(subjects: list[list[str]]) -> tuple[SaidTurns, np.ndarray]:
    """Turns of subjects, two conversations each, with vectors that point where the subject says."""
    texts, conversations, vectors = [], [], []
    for number, said in enumerate(subjects):
        for place, text in enumerate(said):
            texts.append(text)
            conversations.append(2 * number + (place >= len(said) // 2))
            vector = np.zeros(16, dtype=np.float32)
            vector[number] = 1
            vector[8 + place % 3] = 0.2
            vectors.append(vector / np.linalg.norm(vector))
    return SaidTurns(tuple(texts), tuple(conversations), SPEAKERS), np.stack(vectors)


GARDEN = [f"The tomatoes and the compost need water, bed {n}." for n in range(20)]
CHOIR = [f"The choir rehearses the cantata with the organ, bar {n}." for n in range(20)]
TAXES = [f"The tax office wants the receipts for the depot, form {n}." for n in range(20)]


def test_matters_have_words_of_their_own_and_come_up_in_several_conversations() -> None:
    said, vectors = spread([GARDEN, CHOIR, TAXES])
    proposal = proposed(said, vectors)
    words = [set(node.keywords) for node in proposal.nodes]
    assert len(words) == 3 and all(node.conversations == 2 for node in proposal.nodes)
    for expected in ({"tomatoes", "compost"}, {"choir", "cantata"}, {"tax", "receipts"}):
        assert any(expected & found for found in words)
    assert proposal.covered == proposal.turns == 60
    assert matters(said.texts, vectors, [0] * 60, frozenset()) == []  # one conversation alone is no lasting matter


def test_the_same_turns_give_the_same_proposal_and_existing_names_stay_out() -> None:
    said, vectors = spread([[*GARDEN, "My brother Jan waters them.", "Jan said so."], CHOIR, TAXES])
    once = proposed(said, vectors)
    assert once == proposed(said, vectors)
    assert any(node.path[-1] == "Jan" and node.node_type == "persona" for node in once.nodes)
    assert not any(node.path[-1] == "Jan" for node in proposed(said, vectors, frozenset({"jan"})).nodes)


def test_two_of_a_group_lie_below_it_in_the_language_that_is_spoken() -> None:
    texts = (
        "Meine Schwester Britta kommt heute nicht.",
        "Britta ruft an.",
        "Mein Bruder Kai ist krank.",
        "Kai schläft.",
    )
    said = SaidTurns(texts, (0, 0, 1, 1), SPEAKERS)
    paths = [node.path for node in proposed(said, np.eye(4, 16, dtype=np.float32)).nodes]
    assert paths == [("Familie",), ("Familie", "Britta"), ("Familie", "Kai")] or paths == [
        ("Familie",), ("Familie", "Kai"), ("Familie", "Britta"),
    ]  # fmt: skip


@pytest.mark.parametrize("amount", [2, 5, 16])
def test_clusters_take_any_vectors(amount: int) -> None:
    labels, cohesion = clusters(np.zeros((amount, 4), dtype=np.float32), amount)
    assert len(labels) == amount and np.isfinite(cohesion).all()


def test_nothing_is_proposed_for_too_little() -> None:
    assert proposed(SaidTurns(("Hello.",), (0,), SPEAKERS), np.ones((1, 4), dtype=np.float32)).nodes == ()


def test_a_models_bad_nodes_are_left_out() -> None:
    answer = Hierarchy.model_validate(
        {
            "nodes": [
                {"path": ["Family"], "turns": [0, 7, "x"]},
                {"path": ["Family", "Jan"], "type": "persona", "keywords": ["brother"]},
                {"path": ["Lost", "Child"]}, {"path": []}, {"path": ["Family"]}, "nonsense",
                {"path": ["a", "b", "c", "d", "e", "f"]},
            ]
        }
    )  # fmt: skip
    nodes, covered = _nodes(answer, SaidTurns(("Jan called.",), (0,), SPEAKERS))
    assert [node.path for node in nodes] == [("Family",), ("Family", "Jan")] and covered == {0}


def test_languages_are_told_apart() -> None:
    assert language_of(["Ich weiß nicht, was das ist."]) == "de"
    assert language_of(["No sé lo que es esto, pero está bien."]) == "es"
    assert language_of(["I do not know what this is."]) == "en" == language_of([""])
