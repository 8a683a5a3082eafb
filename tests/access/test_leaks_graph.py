"""A predicate of a Cypher statement that is taken away is noticed by the leak fuzzer."""

from __future__ import annotations

import re
from random import Random

import pytest

from engine.lab.leaks.forest import grow
from engine.lab.leaks.model import World
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.retrieval import anchors
from tests.access.mutations import ONE_GRAPH, as_service, known, noticed, rewrite, statement_text
from tests.access.test_interference import (
    test_who_is_merged_into_somebody_hidden_is_met_as_before as merged_into_somebody_hidden,
)
from tests.access.test_named_in_questions import (
    a_name_that_came_with_a_moved_record,
    another_entity_that_the_user_merged,
)
from tests.entities.test_lone_names import (
    test_neither_passages_nor_facts_that_a_reader_may_not_read_count as passages_and_facts_not_readable,
)
from tests.retrieval.test_touches import (
    test_what_was_read_and_when_is_shown_to_the_owner_alone as what_was_read_and_when,
)

pytestmark = pytest.mark.usefixtures("guards")

CYPHER_AIM = {
    "node/shell": "shell",
    "edge/state": "edge",
    "node/anchors_by_name": "anchors",
    "node/of_user": "store refused",
    "node/tree": "tree",
    "node/timeline": "timeline",
    "edge/ends": "relate refused",
    "edge/by_id": "change refused",
    "node/state": "change refused",
    "edge/of_user": "edges",
    "search/anchors": "search",
    "search/entities": "search",
    "entity/page": "entities",
    "entity/shown": "entity",
    "entity/relations": "relations",
    "entity/relations_then": "relations",
    "entity/why": "why",
}
ASKS = "$principal = $user_id"


def spans(text: str) -> list[tuple[int, int]]:
    """Where the filters of a statement stand: the whole predicate, or the bare question whether the user asks."""
    found = []
    for match in re.finditer(re.escape(ASKS), text):
        start, end = match.span()
        if text[end:].startswith(" THEN [] ELSE COLLECT"):
            continue  # without it nothing is collected, and others read nothing
        if text[start - 1] == "(" and text[end:].startswith(" OR EXISTS {"):
            depth, end = 1, start
            while depth:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            start -= 1
        found.append((start, end))
    return found


RULES_ALONE = {"entity/relations_then", "entity/why"}
"""Statements of which only the graph and the rules of moments are taken away, see also test_entities_of_others.py."""
PREDICATES = {
    f"{name}#{number}": name
    for name in CYPHER_AIM
    if name not in RULES_ALONE
    for number in range(len(spans(statement_text(name))))
}
REDUNDANT_PREDICATES = {
    "node/tree#0": "the operation is declared for the user alone",
    "node/timeline#0": "so is this one",
    "edge/by_id#0": "integrations may call no change of an edge, and Postgres takes no commit of one from a persona",
    "edge/ends#0": "the delta and the commit of an edge are written under Postgres' policies, which take a user's own only",
    "search/anchors#7": "the nodes above an anchor only say where to search, which Postgres' policies narrow again",
    "search/anchors#10": "so do the nodes below it",
    "entity/shown#8": "these are the mentions of records that were found by the same question",
    "entity/relations#0": "it is sent for the user alone",
    "entity/page#0": "counts are taken as kept for the user alone",
    "entity/page#6": "counts are taken as kept for the user alone",
    "entity/page#10": "the facts of a private record are private themselves",
    "entity/page#18": "the facts of a private record are private themselves",
    "entity/shown#16": "the facts of a private record are private themselves",
    "entity/page#11": "facts are counted as of now, after every move",
    "entity/page#19": "facts are counted as of now, after every move",
    "entity/shown#17": "facts are counted as of now, after every move",
    "entity/page#13": "items are open only where records are",
    "entity/page#21": "items are open only where records are",
    "entity/shown#19": "items are open only where records are",
}
OF_THEIR_OWN = {
    "entity/page#5": merged_into_somebody_hidden,
    "entity/shown#5": merged_into_somebody_hidden,
    "entity/page#12": passages_and_facts_not_readable,
    "entity/page#15": passages_and_facts_not_readable,
    "node/shell#12": what_was_read_and_when,
    "entity/shown#21": what_was_read_and_when,
    "entity/shown#22": what_was_read_and_when,
    "search/anchors#13": a_name_that_came_with_a_moved_record,
    "search/anchors#15": another_entity_that_the_user_merged,
}
"""Tests with what no forest has: documents of two passages and private facts, counts of reads, a question of the past by a name that moved, entities
that are merged. They are asked here whether they notice it."""
ELSEWHERE = {"node/shell#5"}
"""Noticed where somebody may read a child without its records."""


GRAPHS = dict.fromkeys(
    (
        "node/shell of n.user_id", "edge/by_id of n.user_id", "node/state of n.user_id", "entity/shown of asked.user_id",
        "entity/relations of n.user_id", "entity/relations_then of asked.user_id", "entity/why of source.user_id",
        "search/entities of asked.user_id",
    ),
    "",
)  # fmt: skip
REDUNDANT_GRAPHS = {
    "node/shell of n.user_id": "the way down must begin at the root of the graph that was asked for",
    "edge/by_id of n.user_id": "the other end must be of the graph, too, and edges do not leave a graph",
}


@pytest.mark.ledger("X01", "N28")
@pytest.mark.parametrize("filtered", known(GRAPHS, REDUNDANT_GRAPHS))
async def test_the_graph_taken_away_is_noticed(
    engine: Engine, world: World, monkeypatch: pytest.MonkeyPatch, filtered: str
) -> None:
    name, column = filtered.split(" of ")
    text = statement_text(name)
    assert f"{column} = $user_id" in text
    rewrite(monkeypatch, name, text.replace(f"{column} = $user_id", "true", 1))
    forest, redundant = world, filtered in REDUNDANT_GRAPHS
    found = await noticed(engine, forest, CYPHER_AIM[name], redundant=redundant, planned=False)
    assert bool(found) != redundant, (REDUNDANT_GRAPHS.get(filtered), found)


MOMENTS = {
    f"{name}: {rule}": (name, text)
    for name in (
        "node/shell", "node/anchors_by_name", "edge/of_user", "edge/state", "search/anchors", "entity/page", "entity/shown",
        "entity/relations_then", "entity/why",
    )
    for rule, text in (
        ("since the grant", "(g.granted_at <= $earliest OR g.past)"),
        ("since the move of a node", "all(step IN way WHERE coalesce(endNode(step).placed_at <= $earliest, true))"),
    )
} | {
    "node/shell: since the move of a record": (
        "node/shell", "coalesce(r.moved_at <= $earliest, r.moved_revision IS NULL OR $earliest > datetime())",
    )
}  # fmt: skip


@pytest.mark.ledger("X01")
@pytest.mark.parametrize("rule", known(MOMENTS, {}))
async def test_a_right_that_is_not_asked_of_the_past_is_noticed(
    engine: Engine, world: World, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    name, condition = MOMENTS[rule]
    text = statement_text(name)
    assert condition in text
    rewrite(monkeypatch, name, text.replace(condition, "true"))
    assert await noticed(engine, world, CYPHER_AIM[name], planned=False)


RIGHTS = {
    "whose right": "subject_id: $principal, ",
    "not revoked": "g.revoked_at IS NULL AND ",
    "not over": "coalesce(g.expires_at > datetime(), true) AND ",
    "how deep": " AND right.depth >= size(way)",
    "where": "right.node_id = top.node_id AND ",
    "which fields": " AND 'records' IN right.fields",
    "the persona that asks": " {node_id: $principal}",
    "personas only": "trim($kind) = 'persona' AND ",
    "the graph of the grant": ", user_id: $user_id",
    "the graph of the persona": " AND top.user_id = $user_id",
}
"""Conditions of the parts about rights, as they stand in a statement."""
REDUNDANT_RIGHTS = {
    "personas only": "no other principal has the id of a persona",
    "the graph of the grant": "the node that is asked for is of the graph, and so is all above it",
    "the graph of the persona": "so it is with a persona",
}


@pytest.mark.ledger("X01", "N28")
@pytest.mark.parametrize("condition", known(RIGHTS, REDUNDANT_RIGHTS, large=("",)))
async def test_a_condition_of_a_right_is_noticed(
    engine: Engine, world: World, named_only: World, monkeypatch: pytest.MonkeyPatch, condition: str
) -> None:
    text = statement_text("node/shell")
    assert RIGHTS[condition] in text
    rewrite(monkeypatch, "node/shell", text.replace(RIGHTS[condition], ""))
    redundant = condition in REDUNDANT_RIGHTS
    forest = named_only if condition == "which fields" else world
    found = await noticed(engine, forest, "shell", redundant=redundant, planned=False)
    assert bool(found) != redundant, (REDUNDANT_RIGHTS.get(condition), found)


@pytest.mark.ledger("X01")
@pytest.mark.parametrize(("trigger", "kinds"), [("assignments moved", "metadata, state"), ("nodes placed", "metadata")])
async def test_a_move_whose_time_is_not_kept_is_noticed(engine: Engine, trigger: str, kinds: str) -> None:
    table, name = trigger.split()
    try:
        await as_service(engine, f"ALTER TABLE engine.{table} DISABLE TRIGGER {name}")
        forest = await grow(engine, Random(14), ONE_GRAPH)
    finally:
        await as_service(engine, f"ALTER TABLE engine.{table} ENABLE TRIGGER {name}")
    assert await noticed(engine, forest, kinds)


MOMENTS_ASKED = {
    "nodes.shell", "nodes.children", "nodes.tree", "nodes.metadata", "nodes.anchors", "edges.list", "history.state",
    "entities.list", "entities.get", "entities.relations", "entities.relations_between", "entities.why", "entities.merges",
}  # fmt: skip


@pytest.mark.ledger("X01")
async def test_every_read_that_takes_a_moment_is_asked_of_the_past(memory: Memory) -> None:
    """Reads of a memory that take a moment; a search takes it in its request, events by `known_at`."""
    taking = {
        f"{subject}.{name}"
        for subject, operations in vars(memory).items()
        for name, one in vars(type(operations)).items()
        if "moment" in getattr(one, "__annotations__", {})
    }
    assert taking == MOMENTS_ASKED


@pytest.mark.ledger("X01")
@pytest.mark.parametrize("predicate", known({one: PREDICATES[one] for one in OF_THEIR_OWN}, {}))
async def test_a_predicate_taken_away_is_noticed_by_a_test_of_its_own(
    engine: Engine, memory: Memory, monkeypatch: pytest.MonkeyPatch, predicate: str
) -> None:
    name, number = predicate.split("#")
    text = statement_text(name)
    start, end = spans(text)[int(number)]
    rewrite(monkeypatch, name, text[:start] + "true" + text[end:])
    with pytest.raises(AssertionError):
        await OF_THEIR_OWN[predicate](engine, memory)


@pytest.mark.ledger("X01")
@pytest.mark.parametrize(
    "predicate", known({one: PREDICATES[one] for one in PREDICATES if one not in OF_THEIR_OWN}, REDUNDANT_PREDICATES)
)
async def test_a_predicate_taken_away_is_noticed(
    engine: Engine, world: World, named_only: World, growing: World, monkeypatch: pytest.MonkeyPatch, predicate: str
) -> None:
    name, number = predicate.split("#")
    text = statement_text(name)
    start, end = spans(text)[int(number)]
    rewrite(monkeypatch, name, text[:start] + "true" + text[end:])
    if " ".join(text[:start].split()).endswith("WITH n, cosine WHERE ("):
        monkeypatch.setattr(anchors, "EXACT_SHELLS", 3)  # so that the vector index is asked in a small graph
    changing = predicate == "node/of_user#1"
    forest = named_only if predicate in ELSEWHERE else growing if changing else world
    reason = REDUNDANT_PREDICATES.get(predicate)
    found = await noticed(
        engine, forest, CYPHER_AIM[name], redundant=reason is not None, changing=changing, planned=False
    )
    assert bool(found) == (reason is None), (reason, found)
