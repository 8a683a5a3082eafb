"""The nodes and edges that a history of the own format plans, in an order in which they can be created."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from pydantic import Field

from engine.connectors.places import Few, Form, identifier, joined, kind_of, named, storable
from engine.domain.history import NodePath, PlannedEdge, PlannedNode
from engine.domain.names import name_key
from engine.domain.node import MAX_LAYER
from engine.errors import DepthExceeded, InvalidHistory

LONGEST_SUMMARY = 2_000
MOST_TERMS = 100
"""Keywords, and aliases, of one node."""


class NodeForm(Form):
    """An entry of `nodes`."""

    path: Few[str]
    type: Literal["concept", "persona"] = "concept"
    summary: str = ""
    keywords: Few[str] = Field(default_factory=list)
    aliases: Few[str] = Field(default_factory=list)


class EdgeForm(Form):
    """An entry of `edges`."""

    source: Few[str] = Field(alias="from")
    target: Few[str] = Field(alias="to")
    type: str
    properties: dict[str, object] = Field(default_factory=dict)


class Outline:
    """Collects nodes; each path is kept in the spelling in which it was first listed, ancestors included."""

    def __init__(self) -> None:
        self._nodes: dict[NodePath, PlannedNode] = {}  # by path of keys
        self._listed: set[NodePath] = set()

    def list_nodes(self, forms: list[NodeForm], place: str) -> None:
        """Takes the nodes that the history lists. Raises InvalidHistory when one is listed twice."""
        for number, form in enumerate(forms):
            where = joined(place, number)
            keys = self._take(form.path, joined(where, "path"))
            if not keys:
                raise InvalidHistory("A node's path has at least one name.", path=joined(where, "path"))
            if keys in self._listed:
                raise InvalidHistory(f"The node {form.path} is listed twice.", path=where)
            self._listed.add(keys)
            self._nodes[keys] = replace(_described(form, where), path=self._nodes[keys].path)

    def path(self, names: list[str] | None, place: str) -> NodePath | None:
        """The path in the listed spelling; a path that is not listed joins the outline as concepts."""
        if names is None:
            return None
        keys = self._take(names, place)
        return self._nodes[keys].path if keys else ()

    def edges(self, forms: list[EdgeForm], place: str) -> tuple[PlannedEdge, ...]:
        """The edges. Raises InvalidHistory where an end is no node of the outline, or both ends are one."""
        return tuple(self._edge(form, joined(place, number)) for number, form in enumerate(forms))

    def nodes(self) -> tuple[PlannedNode, ...]:
        """All nodes, parents before children, otherwise in the order of the history."""
        return tuple(sorted(self._nodes.values(), key=lambda node: len(node.path)))

    def _edge(self, form: EdgeForm, place: str) -> PlannedEdge:
        source = self._known(form.source, joined(place, "from"))
        target = self._known(form.target, joined(place, "to"))
        if source == target:
            raise InvalidHistory("An edge needs two different nodes.", path=place)
        return PlannedEdge(source, target, named(form.type, joined(place, "type")), _properties(form.properties, place))

    def _known(self, names: list[str], place: str) -> NodePath:
        keys = _keys(names, place)
        if keys not in self._nodes:
            raise InvalidHistory(f"No node of this history has the path {names}.", path=place)
        return self._nodes[keys].path

    def _take(self, names: list[str], place: str) -> NodePath:
        keys = _keys(names, place)
        path: NodePath = ()
        for depth in range(1, len(keys) + 1):
            name = named(names[depth - 1], joined(place, depth - 1))
            path = self._nodes.setdefault(keys[:depth], PlannedNode((*path, name))).path
        return keys


def _keys(names: list[str], place: str) -> NodePath:
    if len(names) > MAX_LAYER:
        raise DepthExceeded(f"A path has at most {MAX_LAYER} names; this one has {len(names)} (at {place}).")
    return tuple(name_key(named(name, joined(place, number))) for number, name in enumerate(names))


def _described(form: NodeForm, place: str) -> PlannedNode:
    summary = storable(form.summary, joined(place, "summary"))
    if len(summary) > LONGEST_SUMMARY:
        detail = f"A summary has at most {LONGEST_SUMMARY:,} characters; this one has {len(summary):,}."
        raise InvalidHistory(detail, path=joined(place, "summary"))
    keywords = _terms(form.keywords, joined(place, "keywords"))
    return PlannedNode((), form.type, summary, keywords, _terms(form.aliases, joined(place, "aliases")))


def _terms(raw: list[str], place: str) -> tuple[str, ...]:
    if len(raw) > MOST_TERMS:
        raise InvalidHistory(f"A node has at most {MOST_TERMS} of these, not {len(raw):,}.", path=place)
    return tuple(named(term, joined(place, number)) for number, term in enumerate(raw))


def _properties(raw: Mapping[str, object], place: str) -> dict[str, str]:
    properties: dict[str, str] = {}
    for key, value in raw.items():
        where = joined(place, "properties", key)
        if not isinstance(value, str):
            raise InvalidHistory(f"Expected a text, found {kind_of(value)}.", path=where)
        properties[identifier(key, where)] = storable(value, where)
    return properties
