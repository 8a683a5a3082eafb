"""Compares vector formats: single precision, half precision, and one bit a dimension with rescoring.

The texts are conversations of `--data` (as LoCoMo) or the bundled ones; each conversation is a table, like that of a
node, and is searched with its own questions. Recall is measured against single precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean
from string import ascii_letters, digits
from typing import Any

import numpy as np
from pgvector import Bit, HalfVector, Vector
from psycopg import sql

from engine.domain.history import History
from engine.lab.benchmarks.corpus import base_history
from engine.lab.benchmarks.ground import Ground, empty_ground
from engine.lab.benchmarks.report import Figure, Report
from engine.progress import Progress
from engine.providers.embedder import Vectors
from engine.settings import Settings
from engine.stores.postgres import Connection
from engine.stores.statements import sql_text


def random_text(characters: int) -> str:
    """A text without any pattern, the same every time."""
    return "".join(Random(0).choices(ascii_letters + digits, k=characters))


LEAST_TURNS = 600
"""Least number of turns in a table; small conversations share one."""
QUESTIONS = 40
ROUNDS = 30
DEPTH = 10
CANDIDATES = 50
PADDING = random_text(450)
"""About the size of an item's other columns; incompressible."""


@dataclass(frozen=True, slots=True)
class _Form:
    """One format of a stored vector."""

    name: str
    type_name: str
    statement: str


FORMS = (
    _Form("float32", "vector", "bench/vectors_search"),
    _Form("halfvec", "halfvec", "bench/vectors_search"),
    _Form("bit", "bit", "bench/vectors_rescored"),
)


async def measure(settings: Settings, data: Path | None, progress: Progress) -> Report:
    """CPU of a scan, size, and recall@10 of each form."""
    base = await base_history(data, settings.max_text_bytes, progress)
    async with empty_ground(settings, progress) as ground:
        groups = [await _embedded(ground, texts) for texts in _grouped(base)]
        together = np.concatenate([vectors for vectors, _ in groups])
        groups.append((together, [question for _, questions in groups for question in questions]))
        before = ground.meter.read()
        figures: list[Figure] = []
        async with ground.engine.postgres.service.connection() as connection:
            for title, tables in ((f"tables of about {LEAST_TURNS}", groups[:-1]), ("one table", groups[-1:])):
                truth: list[list[int]] = []
                for form in FORMS:
                    found, cpu, size = await _measured(ground, connection, form, tables)
                    truth = truth or found
                    figures += _figures(f"{title}, {form.name}", _recall(truth, found), cpu, size)
                await connection.execute(sql_text("bench/vectors_gone"))
        whole = ground.meter.read().since(before)
    details = {"tables": len(groups) - 1, "vectors": len(together), "candidates": CANDIDATES}
    return Report("compression", tuple(figures), whole.wall, dict(whole.cpu), details)


def _grouped(base: History) -> list[list[str]]:
    groups: list[list[str]] = [[]]
    for conversation in base.conversations:
        groups[-1] += [turn.text for turn in conversation.turns]
        if len(groups[-1]) >= LEAST_TURNS:
            groups.append([])
    return [group for group in groups if group]


async def _embedded(ground: Ground, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
    model = ground.engine.active.current
    asked = [text for text in texts if text.rstrip().endswith("?")] or list(texts)
    step = max(len(asked) // QUESTIONS, 1)
    questions = [(await model.embed_query(text)).vector for text in asked[::step][:QUESTIONS]]
    return await model.vectors(texts), questions


async def _measured(
    ground: Ground, connection: Connection, form: _Form, groups: Sequence[tuple[Vectors, list[Vectors]]]
) -> tuple[list[list[int]], float, float]:
    """The results, CPU milliseconds of one question (only Postgres), bytes of one vector's row."""
    size, rows = 0, 0
    for number, (vectors, _) in enumerate(groups):
        await _filled(connection, form, number, vectors)
        table = {"table": f"bench_{form.name}_{number}"}
        [taken] = await connection.fetch(sql_text("bench/vectors_size"), table, row=int)
        size, rows = size + taken, rows + len(vectors)
    found: list[list[int]] = []
    before = ground.meter.read()
    for turn in range(ROUNDS + 1):
        if turn == 1:
            before = ground.meter.read()  # the first round warms
        found = [
            await _search(connection, form, number, question)
            for number, (_, questions) in enumerate(groups)
            for question in questions
        ]
    spent = ground.meter.read().since(before).cpu.get("postgres", 0.0)
    return found, spent / len(found) / ROUNDS * 1000, size / rows


def _table(form: _Form, number: int) -> sql.Identifier:
    return sql.Identifier(f"bench_{form.name}_{number}")


async def _filled(connection: Connection, form: _Form, number: int, vectors: Vectors) -> None:
    table = _table(form, number)
    kind = sql.Identifier(form.type_name) if form.name != "bit" else sql.SQL("bit({})").format(vectors.shape[1])
    await connection.execute(sql_text("bench/vectors_table").format(table=table, type=kind))
    await connection.execute(sql_text("bench/vectors_plain").format(table=table))
    rows: list[dict[str, Any]] = [
        {"place": place, "short": _short(form, vector), "whole": Vector(vector) if form.name == "bit" else None}
        | {"padding": PADDING}
        for place, vector in enumerate(vectors)
    ]
    async with connection.cursor() as cursor:
        await cursor.executemany(sql_text("bench/vectors_insert").format(table=table), rows)


def _short(form: _Form, vector: Vectors) -> Vector | HalfVector | Bit:
    if form.name == "bit":
        return Bit(vector > 0)
    return HalfVector(vector) if form.name == "halfvec" else Vector(vector)


async def _search(connection: Connection, form: _Form, number: int, question: Vectors) -> list[int]:
    asked = HalfVector(question) if form.name == "halfvec" else Vector(question)
    parameters = {"vector": asked, "limit": DEPTH, "candidates": CANDIDATES}
    return await connection.fetch(sql_text(form.statement).format(table=_table(form, number)), parameters, row=int)


def _recall(truth: Sequence[Sequence[int]], found: Sequence[Sequence[int]]) -> float:
    return fmean(len(np.intersect1d(one, two)) / max(len(one), 1) for one, two in zip(truth, found, strict=True))


def _figures(title: str, recall: float, cpu: float, size: float) -> list[Figure]:
    return [
        Figure(f"{title}: recall@{DEPTH} against float32", round(recall, 4), ""),
        Figure(f"{title}: CPU of a search in Postgres", round(cpu, 3), "ms"),
        Figure(f"{title}: bytes of a row", round(size), "bytes"),
    ]
