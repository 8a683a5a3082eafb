"""Properties of the graph as JSON, and back: times as text with all of their digits."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from neo4j.time import DateTime
from neo4j.vector import Vector


def plain(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Properties as values of JSON."""
    return {name: _plain(value) for name, value in properties.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, DateTime):
        return value.iso_format()
    if isinstance(value, Vector):
        return value.to_native()
    return [_plain(one) for one in value] if isinstance(value, list) else value


def stored(properties: Mapping[str, Any], times: Collection[str]) -> dict[str, Any]:
    """Properties as the graph has them; `times`: those that are times, or lists of these. Raises ValueError for a text that is
    none, TypeError."""
    return {name: _stored(value) if name in times else value for name, value in properties.items()}


def _stored(value: Any) -> Any:
    return [_stored(one) for one in value] if isinstance(value, list) else DateTime.from_iso_format(value)
