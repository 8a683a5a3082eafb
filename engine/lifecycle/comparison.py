"""The comparison of two embedding versions: the same questions over the same scopes, answered with each."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any
from uuid import UUID

from engine.domain.principal import Principal
from engine.domain.search import SearchAnswer, SearchRequest
from engine.errors import UNREADABLE, unreadable
from engine.providers.active import Model
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_in, sql_text

Ask = Callable[[Principal, SearchRequest, Model], Awaitable[SearchAnswer]]
"""Searches with the model of a version."""

DEPTH = 10
A_NODE = 4
"""Items taken as questions from one node at most."""
LONGEST = 300


@dataclass(frozen=True, slots=True)
class SampledQuery:
    """A question of a user. `item`: the stored item that it is; `expected`: what the source calls the items that answer it."""

    user_id: UUID
    text: str
    item: UUID | None = None
    expected: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Node:
    user_id: UUID
    schema_name: str


@dataclass(frozen=True, slots=True)
class _Item:
    item_id: UUID
    content: str


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """A question as a file gives it, with the handle of the user."""

    user: str
    query: str
    expected: frozenset[str]


def labelled_queries(path: Path) -> list[LabelledQuery]:
    """Questions of a file: a JSON list of {user, query, expected: [source_ref, …]}. Raises InvalidInput."""
    try:
        return [
            LabelledQuery(str(entry["user"]), str(entry["query"]), frozenset(map(str, entry.get("expected", ()))))
            for entry in json.loads(path.read_text("utf-8"))
        ]
    except UNREADABLE as error:
        raise unreadable(path, "a list of {user, query, expected}", error) from error


async def sampled(postgres: Postgres, most: int) -> list[SampledQuery]:
    """Stored items of all users as questions; those of one node are few."""
    found: list[SampledQuery] = []
    async with postgres.as_service() as connection:
        for node in await connection.fetch(sql_text("embedding/sample_nodes"), {"most": most * 4}, row=_Node):
            items, wanted = sql_in("embedding/sample_items", node.schema_name), min(A_NODE, most - len(found))
            found += [
                SampledQuery(node.user_id, item.content[:LONGEST], item.item_id)
                for item in await connection.fetch(items, {"most": wanted}, row=_Item)
            ]
            if len(found) >= most:
                break
    return found


async def compared(ask: Ask, queries: Sequence[SampledQuery], active: Model, canary: Model) -> dict[str, Any]:
    """Means over the queries: how many of the first ten hits are the same, how often a stored item finds itself among
    them, and the recall where labels are given; fractions."""
    overlaps: list[float] = []
    measures: dict[str, list[float]] = {}
    for query in queries:
        request = SearchRequest(query.text, limit=DEPTH, widen="always")
        principal = Principal.user(query.user_id)
        one, two = await ask(principal, request, active), await ask(principal, request, canary)
        hits = [{hit.item_id for hit in answer.hits} for answer in (one, two)]
        overlaps.append(len(hits[0] & hits[1]) / max(map(len, hits)) if any(hits) else 1.0)
        for name, answer in (("active", one), ("canary", two)):
            for measure, value in _measured(query, answer).items():
                measures.setdefault(f"{measure}, {name}", []).append(value)
    means: Mapping[str, float] = {name: round(fmean(values), 4) for name, values in sorted(measures.items())}
    overlap = round(fmean(overlaps), 4) if overlaps else None
    return {"active": active.name, "canary": canary.name, "queries": len(queries), f"overlap@{DEPTH}": overlap, **means}


def _measured(query: SampledQuery, answer: SearchAnswer) -> dict[str, float]:
    measured = {}
    if query.item is not None:
        measured[f"found itself@{DEPTH}"] = float(query.item in {hit.item_id for hit in answer.hits})
    if query.expected:
        named = {hit.source_ref for hit in answer.hits}
        measured[f"recall@{DEPTH}"] = len(query.expected & named) / len(query.expected)
    return measured
