"""Nodes, edges and changes without personal data: their descriptions are redacted, names that hold some are refused.

A name cannot be redacted: siblings are known by their names, so two people would silently become one node `[email]`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from engine.domain.delta import Change
from engine.domain.node import NewNode
from engine.errors import InvalidName
from engine.privacy.redact import Redactor


def check_names(names: Iterable[str], redactor: Redactor) -> None:
    """Raises InvalidName, without repeating the name, where one holds what is redacted."""
    for name in names:
        if kinds := redactor.found(name):
            raise InvalidName(f"A name holds what is redacted here ({', '.join(kinds)}); choose another.")


def redacted_node(new: NewNode, redactor: Redactor, counts: Counter[str] | None = None) -> NewNode:
    """The node with summary, keywords and aliases redacted; a keyword or alias that held something is left out, since
    a marker would stand for many. Raises InvalidName."""
    if not redactor:
        return new
    check_names([new.name], redactor)
    keywords, aliases = (_without(terms, redactor, counts) for terms in (new.keywords, new.aliases))
    return replace(new, summary=redactor.text(new.summary, counts), keywords=keywords, aliases=aliases)


def redacted_edge(edge_type: str, properties: Mapping[str, str], redactor: Redactor) -> dict[str, str]:
    """The properties of an edge, redacted. Raises InvalidName for a type or a property's name that holds something."""
    check_names([edge_type, *properties], redactor)
    return {name: redactor.text(value) for name, value in properties.items()}


def redacted_change(change: Change, redactor: Redactor) -> Change:
    """The change with its texts redacted. Raises InvalidName for a node's new name that holds something."""
    if not redactor:
        return change
    fields = redactor.value(dict(change.fields))
    if change.subject_kind == "node":
        check_names([str(change.fields.get("name", ""))], redactor)
    for name in {"keywords", "aliases"} & fields.keys():
        fields[name] = _without(tuple(change.fields[name]), redactor, None)
    return replace(change, fields=fields, reason=redactor.text(change.reason))


def _without(terms: tuple[str, ...], redactor: Redactor, counts: Counter[str] | None) -> tuple[str, ...]:
    return tuple(term for term in terms if redactor.text(term, counts) == term)
