"""A perspective for Neo4j Bloom on the graph of one user, in the form that Bloom 2.7 exports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, UUID, uuid5

from engine.domain.node import User
from engine.exploring import looks
from engine.exploring.looks import Category, RelationshipLook, Rule, Saved, categories, lines
from engine.naming.configuration import load_domain

if TYPE_CHECKING:
    from engine.neurigraph import Engine

VERSION = "2.7.0"
PALETTE = (
    "#FFE081", "#C990C0", "#F79767", "#57C7E3", "#F16667", "#D9C8AE", "#8DCC93",
    "#ECB5C9", "#4C8EDA", "#FFC454", "#DA7194", "#569480", "#848484", "#D9D9D9",
)  # fmt: skip
_TYPES = {"STRING": "string", "INTEGER": "bigint", "FLOAT": "number", "BOOLEAN": "boolean", "ZONED": "datetime"}
_FOR_PROGRAMS = (
    "_id",
    "schema_name",
    "key",
    "keys",
    "_seq",
    "reader",
    "revision",
    "version",
    "embedding",
    "embedding_b",
    "vector",
)
"""Ends of names of properties that say nothing to people."""
_TYPE_AS_CAPTION = "0_REL_TYPE_CAPTION_KEY"
_CATEGORY_AS_CAPTION = "0_CATEGORY_NAME_CAPTION_KEY"


@dataclass(frozen=True, slots=True)
class Labelled:
    """What the nodes with a label have: [name, type] of each property."""

    name: str
    properties: list[list[str]]


@dataclass(frozen=True, slots=True)
class Typed:
    """What the relationships of a type have, and the labels at their ends."""

    name: str
    properties: list[list[str]]
    ends: list[list[str]]


async def perspective(engine: Engine, user: User) -> dict[str, Any]:
    """The perspective, as the file holds it."""
    neo4j, domain, at = engine.neo4j, load_domain(engine.settings.domain), engine.parts.clock.now()
    boxes, styles, given = list(categories(domain)), list(lines(domain)), {"user_id": str(user.user_id)}
    labels = {box.label: box for box in boxes}
    nodes = await neo4j.read(looks.schema("labels"), row=Labelled, labels=list(labels), **given)
    types = [style.type for style in styles]
    related = await neo4j.read(looks.schema("relationships"), row=Typed, types=types, **given)
    found, between = {one.name: one.properties for one in nodes}, {one.name: one for one in related}
    now = round(at.timestamp() * 1000)
    made = {"createdAt": now, "lastEditedAt": now}
    return {
        "name": f"Neurigraph, {user.handle}",
        "id": str(uuid5(NAMESPACE_URL, f"neurigraph/bloom/{user.user_id}")),
        "categories": [_category(n, box, found[box.label]) | made for n, box in enumerate(boxes, 1)],
        "labels": {label: _properties(label, found[label]) for label in labels},
        "relationshipTypes": [_line(style, between[style.type]) for style in styles],
        "palette": {"colors": list(PALETTE), "currentIndex": len(boxes) % len(PALETTE)},
        **made,
        "templates": [_phrase(phrase, user.user_id, now + n) for n, phrase in enumerate(looks.phrases())],
        "sceneActions": [_action(action, user.user_id, now + n) for n, action in enumerate(looks.actions())],
        "hiddenRelationshipTypes": [],
        "hiddenCategories": [],
        "hideUncategorisedData": True,  # migrations and the mark of the installation are no part of a graph
        "isAuto": False,
        "parentPerspectiveId": None,
        "metadata": {
            "pathSegments": [
                {"source": source, "relationshipType": one.name, "target": target}
                for one in related
                for source, target in sorted(one.ends)
            ],
            "indexes": [],
            "stats": {"labels": {}, "relationshipTypes": {}},
        },
        "version": VERSION,
    }


def _data_type(stored: str) -> str:
    return _TYPES.get(stored.split()[0], "array")


def _category(number: int, box: Category, properties: Iterable[list[str]]) -> dict[str, Any]:
    types = dict.fromkeys(box.captions, "string") | {name: _data_type(stored) for name, stored in properties}
    return {
        "id": number,
        "name": box.label,
        "labels": [box.label],
        "properties": [
            {"name": name, "exclude": name.endswith(_FOR_PROGRAMS), "dataType": kind} for name, kind in types.items()
        ],
        "color": box.color,
        "size": box.size,
        "icon": box.icon,
        "captionKeys": list(box.captions),
        "styleRules": [_rule(f"rule:{number}{n:02}", rule) for n, rule in enumerate(box.rules)],
    }


def _rule(rule_id: str, rule: Rule) -> dict[str, Any]:
    kind = {str: "string", int: "bigint", bool: "boolean"}[type(rule.value)]
    return {
        "id": rule_id,
        "type": "single",
        "basedOn": f"{rule.key}_{kind}",
        "condition": "equals",
        "conditionValue": rule.value,
        "rangeValue": None,
        "applyColor": rule.color is not None,
        "color": rule.color or PALETTE[0],
        "applySize": rule.size is not None,
        "size": rule.size or 1,
        "applyCaption": False,
        "captionKeys": [_CATEGORY_AS_CAPTION],
        # What follows serves rules of other types; Bloom writes it into every rule.
        "minSize": 1,
        "maxSize": 2,
        "minColor": "#D5EEE2",
        "midColor": "#81CCA8",
        "maxColor": "#428C6A",
        "minPoint": "unprocessed",
        "maxPoint": "unprocessed",
        "isTimeZoneConvertEnabled": False,
        "selectedTimeZone": "Z",
        "valuesMapper": [],
        "existingValues": [],
    }


def _properties(of: str, properties: Iterable[list[str]]) -> list[dict[str, str]]:
    return [{"propertyKey": name, "type": of, "dataType": _data_type(stored)} for name, stored in properties]


def _line(style: RelationshipLook, found: Typed) -> dict[str, Any]:
    return {
        "id": style.type,
        "name": style.type,
        "properties": _properties(style.type, found.properties),
        "color": style.color,
        "size": style.size,
        "captionKeys": [style.caption or _TYPE_AS_CAPTION],
    }


def _phrase(phrase: Saved, user_id: UUID, made: int) -> dict[str, Any]:
    return {
        "name": _sentence(phrase.purpose),
        "id": f"tmpl:{made}",
        "createdAt": made,
        "text": phrase.text,
        "cypher": phrase.of(user_id),
        "isUpdateQuery": None,
        "params": list(_parameters(phrase, user_id)),
        "hasCypherErrors": False,
    }


def _parameters(phrase: Saved, user_id: UUID) -> Iterator[dict[str, Any]]:
    for name, listed in phrase.suggestions.items():
        yield {
            "name": f"${name}",
            "dataType": "String",
            "collapsed": False,
            "suggestionLabel": None,
            "suggestionProp": None,
            "suggestionBoolean": False,
            "cypher": looks.suggestions(listed, user_id),
        }


def _action(action: Saved, user_id: UUID, made: int) -> dict[str, Any]:
    return {
        "name": action.text,
        "id": str(uuid5(NAMESPACE_URL, f"neurigraph/bloom/{user_id}/{action.name}")),
        "createdAt": made,
        "cypher": action.of(user_id),
        "isUpdateQuery": None,
        "categories": None,
        "relationshipTypes": None,
        "hasCypherErrors": False,
    }


def _sentence(purpose: str) -> str:
    return purpose[:1].upper() + purpose[1:]
