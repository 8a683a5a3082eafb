"""The files for Bloom and Browser, as the commands write them: their form, and that each statement in them finds what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4
from zipfile import ZipFile

import pytest
from neo4j.graph import Node, Relationship
from neo4j.graph import Path as Way

from engine.connectors import read_history
from engine.demo.script import DINER, FACTS, HISTORY, SHORT
from engine.domain.node import User
from engine.exploring.looks import FOLDER, actions, phrases, suggestions
from engine.neurigraph import Engine
from engine.progress import Silent
from engine.wiring.job_catalogue import CATALOGUE
from tests.crowd import crowded
from tests.hierarchy.test_graph_commands import Shell

Json = dict[str, Any]
DOCS = Path(__file__).resolve().parents[2] / "docs"
EMPTY = {one.text for one in phrases() if one.empty}

NUMBER, TEXT, FLAG = int | float, str, bool
PROPERTY = {"propertyKey": TEXT, "type": TEXT, "dataType": TEXT}
RULE = {
    "id": TEXT, "type": TEXT, "basedOn": TEXT, "condition": TEXT, "conditionValue": TEXT | NUMBER | FLAG, "rangeValue": None,
    "applyColor": FLAG, "color": TEXT, "applySize": FLAG, "size": NUMBER, "applyCaption": FLAG, "captionKeys": [TEXT],
    "minSize": NUMBER, "maxSize": NUMBER, "minColor": TEXT, "midColor": TEXT, "maxColor": TEXT, "minPoint": TEXT, "maxPoint": TEXT,
    "isTimeZoneConvertEnabled": FLAG, "selectedTimeZone": TEXT, "valuesMapper": [TEXT], "existingValues": [TEXT],
}  # fmt: skip
MADE = {"createdAt": int, "lastEditedAt": int}
SHAPE = MADE | {
    "name": TEXT,
    "id": TEXT,
    "categories": [
        MADE | {
            "id": int, "name": TEXT, "labels": [TEXT], "color": TEXT, "size": NUMBER, "icon": TEXT, "captionKeys": [TEXT],
            "properties": [{"name": TEXT, "exclude": FLAG, "dataType": TEXT}], "styleRules": [RULE],
        }
    ],
    "labels": {TEXT: [PROPERTY]},
    "relationshipTypes": [{"id": TEXT, "name": TEXT, "properties": [PROPERTY], "color": TEXT, "size": NUMBER, "captionKeys": [TEXT]}],
    "palette": {"colors": [TEXT], "currentIndex": int},
    "templates": [
        {
            "name": TEXT, "id": TEXT, "createdAt": int, "text": TEXT, "cypher": TEXT, "isUpdateQuery": None, "hasCypherErrors": FLAG,
            "params": [
                {"name": TEXT, "dataType": TEXT, "collapsed": FLAG, "suggestionLabel": None, "suggestionProp": None, "suggestionBoolean": FLAG, "cypher": TEXT}
            ],
        }
    ],
    "sceneActions": [
        {"name": TEXT, "id": TEXT, "createdAt": int, "cypher": TEXT, "isUpdateQuery": None, "categories": None, "relationshipTypes": None, "hasCypherErrors": FLAG}
    ],
    "hiddenRelationshipTypes": [TEXT],
    "hiddenCategories": [TEXT],
    "hideUncategorisedData": FLAG,
    "isAuto": FLAG,
    "parentPerspectiveId": None,
    "metadata": {
        "pathSegments": [{"source": TEXT, "relationshipType": TEXT, "target": TEXT}],
        "indexes": [{"label": TEXT, "type": TEXT, "propertyKeys": [{"key": TEXT, "metadataProp": FLAG}]}],
        "stats": {"labels": {TEXT: NUMBER}, "relationshipTypes": {TEXT: NUMBER}},
    },
    "version": TEXT,
}  # fmt: skip
"""The form of a perspective, with the keys and types that exports of Bloom 2.7 have."""


def misfits(value: object, shape: object, at: str = "") -> Iterator[str]:
    """Where a value differs from a shape."""
    if isinstance(shape, dict) and isinstance(value, dict):
        if TEXT in shape:
            shape = dict.fromkeys(value, shape[TEXT])
        yield from (f"{at}.{key}" for key in shape.keys() ^ value.keys())
        for key in shape.keys() & value.keys():
            yield from misfits(value[key], shape[key], f"{at}.{key}")
    elif isinstance(shape, list) and isinstance(value, list):
        for number, one in enumerate(value):
            yield from misfits(one, shape[0], f"{at}[{number}]")
    elif shape is None or isinstance(shape, dict | list):
        if value is not None or shape is not None:
            yield at
    elif not isinstance(value, shape) or (isinstance(value, bool) and shape in (int, NUMBER)):  # type: ignore[arg-type]
        yield at


async def stored(engine: Engine, handle: str) -> User:
    """A user with the bundled history and what the demo states, with a merge, and with communities."""
    [history] = await read_history(HISTORY, max_text_bytes=1 << 20, progress=Silent())
    report = await engine.ingest(replace(history, handle=handle))
    memory = engine.memory(report.user_id)
    for fact in FACTS:
        await memory.facts.write(fact)
    diner, short = [(await memory.entities.list(name=name))[0] for name in (DINER, SHORT)]
    await memory.entities.merge(diner.entity_id, short.entity_id, "the same place")
    return await engine.workspace.users.find(handle)


@pytest.fixture(scope="module")
async def both(engine: Engine) -> list[User]:
    """Two users with the same names in their graphs."""
    found = [await stored(engine, f"bob-{uuid4().hex[:12]}") for _ in range(2)]
    [job] = [job for job in CATALOGUE if job.name == "communities"]
    await job.work(engine)
    return found


@pytest.fixture(scope="module")
def bob(both: list[User]) -> User:
    return both[0]


@pytest.fixture(scope="module")
async def exported(engine: Engine, bob: User, tmp_path_factory: pytest.TempPathFactory) -> Json:
    folder = tmp_path_factory.mktemp("bloom")
    await Shell(engine, folder, bob.handle).prints("bloom", "export", "--out", "perspective.json")
    found: Json = json.loads((folder / "perspective.json").read_text(encoding="utf-8"))
    return found


async def drawn(engine: Engine, statement: str, **given: object) -> list[Node | Relationship]:
    """The nodes and relationships that a statement returns, as explorers draw them."""
    found = await engine.neo4j.driver.execute_query(statement, parameters_=given)  # type: ignore[arg-type]
    return list(_parts(value for record in found.records for value in record.values()))


def _parts(values: Iterable[object]) -> Iterator[Node | Relationship]:
    for value in values:
        if isinstance(value, Way):
            yield from (*value.nodes, *value.relationships)
        elif value is not None:
            assert isinstance(value, Node | Relationship), value
            yield value


@pytest.mark.ledger("U01")
async def test_the_perspective_has_the_form_of_an_export(exported: Json) -> None:
    assert list(misfits(exported, SHAPE)) == []
    for kind in ("categories", "relationshipTypes", "templates", "sceneActions"):
        ids = [one["id"] for one in exported[kind]]
        assert len(ids) == len(set(ids)) > 10, kind
    for template in exported["templates"]:
        asked = re.findall(r"\$\w+", template["text"])
        assert asked == [one["name"] for one in template["params"]] and "$user_id" not in template["cypher"]
        assert set(asked) == set(re.findall(r"\$\w+", template["cypher"])), template["text"]


@pytest.mark.ledger("U01")
async def test_it_covers_what_the_graph_has_and_shows_names(engine: Engine, bob: User, exported: Json) -> None:
    captions = {one["labels"][0]: one["captionKeys"] for one in exported["categories"]}
    types = {one["id"]: one["captionKeys"] for one in exported["relationshipTypes"]}
    rows = await engine.neo4j.driver.execute_query(
        "MATCH (a {user_id: $user})-[r]->(b) RETURN DISTINCT labels(a) AS a, type(r) AS type, labels(b) AS b",
        user=str(bob.user_id),
    )
    for source, kind, target in rows.records:
        assert kind in types and captions.keys() & set(source) and captions.keys() & set(target)
    for key in (key for keys in (*captions.values(), *types.values()) for key in keys):
        assert not key.endswith(("_id", "_key")), key
    styled = {rule["basedOn"] for one in exported["categories"] for rule in one["styleRules"]}
    assert styled >= {"state_string", "layer_bigint", "kind_string", "status_string", "privacy_string"}
    assert {"Persona", "Person", "Organization", "Place"} <= captions.keys()


@pytest.mark.ledger("U01")
@pytest.mark.parametrize("text", [one.text for one in phrases()])
async def test_a_phrase_finds_something_of_its_user_alone(engine: Engine, bob: User, exported: Json, text: str) -> None:
    [example] = [one.example for one in phrases() if one.text == text]
    [phrase] = [one for one in exported["templates"] if one["text"] == text]
    found = await drawn(engine, phrase["cypher"], **example)
    assert bool(found) == (text not in EMPTY)
    assert {one["user_id"] for one in found if isinstance(one, Node)} <= {str(bob.user_id)}
    for parameter in phrase["params"]:
        listed = [row[0] for row in (await engine.neo4j.driver.execute_query(parameter["cypher"])).records]
        assert listed and all(isinstance(value, str) for value in listed)


@pytest.mark.ledger("U01")
async def test_what_is_suggested_is_understood(engine: Engine, exported: Json) -> None:
    for text in ("records that mention $entity", "the way to $node", "all of kind $kind", "who is $relation whom"):
        [phrase] = [one for one in exported["templates"] if one["text"] == text]
        [parameter] = phrase["params"]
        for row in (await engine.neo4j.driver.execute_query(parameter["cypher"])).records[:12]:
            found = await drawn(engine, phrase["cypher"], **{parameter["name"][1:]: row[0]})
            assert found or text.startswith("who is"), (text, row[0])


@pytest.mark.ledger("U01")
@pytest.mark.parametrize("name", [one.text for one in actions()])
async def test_an_action_finds_something_for_what_is_selected(
    engine: Engine, both: list[User], exported: Json, name: str
) -> None:
    """Everything is selected, of both users: what is found is of one."""
    [action] = [one for one in exported["sceneActions"] if one["name"] == name]
    users = [str(user.user_id) for user in both]
    nodes, edges = [
        [row[0] for row in (await engine.neo4j.driver.execute_query(statement, users=users)).records]
        for statement in (
            "MATCH (n) WHERE n.user_id IN $users RETURN elementId(n)",
            "MATCH (n)-[r]->() WHERE n.user_id IN $users RETURN elementId(r)",
        )
    ]
    chosen = {name: ids for name, ids in (("nodes", nodes), ("relationships", edges)) if f"${name}" in action["cypher"]}
    assert len(chosen) == 1
    found = await drawn(engine, action["cypher"], **chosen)
    assert {one["user_id"] for one in found if isinstance(one, Node)} == {users[0]}
    assert await drawn(engine, action["cypher"], **{key: [] for key in chosen}) == []


async def test_no_plan_depends_on_the_rows_of_others(engine: Engine, bob: User) -> None:
    listed = [path.stem for path in (FOLDER / "suggestions").glob("*.cypher")]
    chosen = {"nodes": ["4:x:1"], "relationships": ["5:x:1"]}
    async with crowded(engine) as plan:
        for statement, given in (
            *((one.of(bob.user_id), one.example) for one in phrases()),
            *((one.of(bob.user_id), chosen) for one in actions()),
            *((suggestions(name, bob.user_id), {}) for name in listed),
        ):
            await plan(statement, given)


@pytest.mark.ledger("U01")
async def test_there_are_favourites_and_a_style_sheet_for_browser(engine: Engine, bob: User, tmp_path: Path) -> None:
    await Shell(engine, tmp_path, bob.handle).prints("browser", "export", "--out", "browser")
    with ZipFile(BytesIO((tmp_path / "browser" / "neurigraph-favourites.zip").read_bytes())) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert len(texts) == len(phrases())
    for name, text in texts.items():
        assert name.startswith("Neurigraph/") and name.endswith(".cypher") and text.startswith("// ")
        given = dict(re.findall(r'^// First: :param (\w+) => "(.*)"$', text, re.MULTILINE))
        found = await drawn(engine, text, **given)
        assert bool(found) == (text.splitlines()[0].removeprefix("// ") not in EMPTY)
    sheet = (tmp_path / "browser" / "neurigraph.grass").read_text(encoding="utf-8")
    blocks = re.findall(r"^(\S+) \{\n((?:  [a-z-]+: [^;:]+;\n)+)\}$", sheet, re.MULTILINE)
    assert "".join(f"{name} {{\n{rules}}}\n" for name, rules in blocks) == sheet
    assert "caption: '{title}'" in dict(blocks)["node.Record"]
    assert "caption: '{edge_type}'" in dict(blocks)["relationship.RELATED"]
    order = [name for name, _ in blocks]  # of blocks that fit a node the last one wins
    assert order.index("node") < order.index("node.Entity") < order.index("node.Person")


async def test_the_page_lists_the_phrases_and_actions_that_there_are() -> None:
    page = (DOCS / "bloom.md").read_text(encoding="utf-8")
    lines = [
        f"| {one.text} | {one.purpose}{f' *Empty on the bundled history:* {one.empty}' if one.empty else ''} |"
        for one in (*phrases(), *actions())
    ]
    assert [line for line in lines if line not in page.splitlines()] == []
    assert len(phrases()) >= 15
