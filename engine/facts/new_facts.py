"""New facts meet those that are known, inside the transaction of the commit that brings them.

    wait for the subjects' locks → the nearest known facts → the plan → rows of chains, ended items

Two commits about one subject decide one after the other; commits about others do not wait. A commit without facts asks nothing.
A fact that says again what its node knows for the same readers is not stored a second time: a search would find it twice. The
row of its confirmation keeps which record said it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

import numpy as np

from engine.commit.changes import FactsStated
from engine.commit.rows import facts as fact_rows
from engine.commit.unit_of_work import UnitOfWork
from engine.domain.embedding import vector_of
from engine.domain.fact import EndingFact, FactAttribute, FactRow, subject_hash
from engine.domain.graph import ManifestLine
from engine.domain.names import name_key
from engine.domain.principal import Principal
from engine.domain.record import EmbeddedRecord, ItemDraft, RecordDraft
from engine.entities.resolution.romanized import words_of
from engine.facts.chains import ChainChanges, Chains, FactVerdicts, Known, Likeness, attribute_of, planned
from engine.facts.graph_entries import ShownFact, stated
from engine.facts.items import FactItems
from engine.providers.active import Model
from engine.providers.embedder import Vectors
from engine.stores.postgres import Connection, Jsonb
from engine.stores.statements import sql_text

MOST = 24
"""Known facts that a new one is compared with."""
USER = "user"
"""The subject of a fact that names none."""


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact on its way into the chains. `subject`: the words that name what it is about; `verdicts`: a model's, of its record's
    facts."""

    known: Known
    subject: str
    schema: str
    vector: Vectors | None
    verdicts: FactVerdicts = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Near:
    row: FactRow
    schema_name: str
    writable: bool
    content: str | None
    place: int | None
    likeness: Mapping[str, float | None] | None


@dataclass(frozen=True, slots=True)
class _Apart:
    node_id: UUID
    others: list[UUID]


@dataclass(frozen=True, slots=True)
class Decided:
    """What new facts do, the schema of the node of each fact, and the attributes of new ones."""

    changes: ChainChanges
    schemas: Mapping[UUID, str]
    attributes: Sequence[FactAttribute] = ()


class FactEntry:
    """Decides about new facts, and writes what was decided."""

    def __init__(self, items: FactItems, threshold: float) -> None:
        """`threshold`: how near two meanings are from which on one may replace the other."""
        self._items, self._threshold = items, threshold

    async def decided(self, unit: UnitOfWork, new: Sequence[NewFact], model: Model, now: datetime) -> Decided | None:
        """What these facts do; None without facts. Their subjects stay locked until the end of the transaction."""
        if not new:
            return None
        found = await _found(unit.connection, new, model, MOST)
        subjects = {one.known.row.subject: one.subject for one in new}
        verdicts = {pair: told for one in new for pair, told in one.verdicts.items()}
        known, fresh = _known(found), [one.known for one in new]
        apart = await _apart(unit.connection, {one.row.node_id for one in (*known, *fresh)})
        known, fresh = ([replace(one, apart=apart[one.row.node_id]) for one in facts] for facts in (known, fresh))
        chains = Chains(known, subjects, _likeness(new, found), self._threshold, now, verdicts)
        fresh = [one for one in fresh if one.row.fact_id not in chains.known]
        changes = planned(chains, fresh)
        for fact, row in changes.rows.items():
            changes.rows[fact] = replace(row, revision=row.revision + 1)
        schemas = {one.row.fact_id: one.schema_name for one in found}
        spoken_of = [
            attribute_of(one.row.fact_id, one.text, subjects[one.row.subject], one.row.said_at, one.row.known_from)
            for one in fresh
            if one.row.fact_id in changes.rows
        ]
        for plan in spoken_of:
            changes.rows[plan.fact_id] = replace(changes.rows[plan.fact_id], holds_until=plan.holds_until)
        return Decided(changes, schemas | {one.known.row.fact_id: one.schema for one in new}, spoken_of)

    async def write(self, unit: UnitOfWork, decided: Decided, model: Model, *, in_graph: bool) -> None:
        """Writes the chains, and ends the items of facts that no longer hold, when the new items are there.

        `in_graph`: a commit of this transaction has them, else a job carries them into the graph."""
        changes = decided.changes
        await fact_rows.enter(unit.connection, changes.rows.values(), in_graph=in_graph)
        await fact_rows.enter_attributes(unit.connection, decided.attributes, in_graph=in_graph)
        ending = [
            EndingFact(changes.rows[fact].node_id, decided.schemas[fact], fact, at) for fact, at in changes.ends.items()
        ]
        if ending:
            await unit.require(whole_past=True)
            await self._items.end(unit.connection, unit.principal, model, ending)


async def near_facts(
    connection: Connection, new: Sequence[NewFact], model: Model, most: int
) -> tuple[list[Known], Likeness]:
    """The known facts that are nearest to new ones, with their chains, and how near they are. Their subjects stay locked until
    the end of the transaction."""
    found = await _found(connection, new, model, most)
    return _known(found), _likeness(new, found)


async def _apart(connection: Connection, nodes: Collection[UUID]) -> Mapping[UUID, frozenset[UUID]]:
    """For each of these nodes the others which somebody may not read who may read it."""
    found: list[_Apart] = []
    if len(nodes) > 1:
        found = await connection.fetch(sql_text("fact/apart"), {"nodes": sorted(nodes)}, row=_Apart)
    return dict.fromkeys(nodes, frozenset[UUID]()) | {one.node_id: frozenset(one.others) for one in found}


async def _found(connection: Connection, new: Sequence[NewFact], model: Model, most: int) -> list[_Near]:
    lines = [
        {
            "fact": str(one.known.row.fact_id),
            "subject": one.known.row.subject,
            "entity": one.known.row.entity,
            "at": at.isoformat() if (at := one.known.row.valid_from) else None,
            "vector": _text(one.vector),
        }
        for one in new
    ]
    parameters = {"lines": Jsonb(lines), "column": model.version.column, "version": model.name, "most": most}
    return await connection.fetch(sql_text("fact/near"), parameters, row=_Near)


def _known(found: Sequence[_Near]) -> list[Known]:
    return [Known(one.row, one.content or "", one.writable, one.place or 0) for one in found]


def new_facts(principal: Principal, records: Sequence[EmbeddedRecord], now: datetime) -> list[NewFact]:
    """The facts that a model found in these records; whole inputs are none."""
    return [fact for record in records for fact in _of_record(principal, record, now)]


def _of_record(principal: Principal, record: EmbeddedRecord, now: datetime) -> Iterator[NewFact]:
    draft = record.draft
    lines: dict[int, ItemDraft] = {}
    for item, embedded in zip(draft.items, record.item_vectors, strict=True):
        if item.derived is None:
            lines[item.position] = item
        elif item.kind == "fact" and not item.whole:
            said = lines.get(item.position, item)
            # of whom nobody says who it is about meets the same words alone: who speaks is not who is spoken of
            subject = next(iter(item.derived.subjects), "") or item.content
            row = _row(principal, draft, item, said.occurred_at, now)
            key = name_key(subject) or USER
            entity = next((one.key for one in draft.about.get(item.item_id, ()) if one.primary), None)
            row = replace(
                row,
                subject=subject_hash(principal.user_id, key),
                entity=subject_hash(principal.user_id, entity) if entity else None,
            )
            known = Known(row, item.content, True, item.position)
            names = f"{key} {words_of(entity)}" if entity else key
            yield NewFact(known, names, draft.node.schema_name, vector_of(embedded), record.verdicts)


def _row(principal: Principal, draft: RecordDraft, item: ItemDraft, said_at: datetime | None, now: datetime) -> FactRow:
    return FactRow(
        fact_id=item.item_id,
        user_id=principal.user_id,
        node_id=draft.node.node_id,
        record_id=draft.record_id,
        chain_id=item.item_id,
        subject=0,
        known_from=now,
        privacy="private" if item.derived and item.derived.private else draft.privacy,
        scope=draft.origin.scope.kind,
        scope_id=draft.origin.scope.scope_id,
        valid_from=None if item.occurred_at is None else min(item.occurred_at, now),
        said_at=said_at,
        fact_type=item.section,
        category=item.derived.category if item.derived else "",
    )


def confirmed(record: EmbeddedRecord, changes: ChainChanges) -> EmbeddedRecord:
    """The record without those of its facts that only say again what is known: a relation that one of them states names the known
    fact."""
    known = {fact: changes.rows[fact].confirms or fact for fact in changes.confirming}
    relations = tuple(
        replace(
            one,
            item_id=known.get(one.item_id, one.item_id),
            fact_id=known.get(one.fact_id, one.fact_id) if one.fact_id else None,
        )
        for one in record.draft.relations
    )
    return replace(record, draft=replace(record.draft, relations=relations)).without(known)


def in_graph(lines: Sequence[ManifestLine], records: Sequence[EmbeddedRecord], decided: Decided | None) -> FactsStated:
    """The graph's part of facts: new ones of these records, and known ones that they change, of other records, too."""
    shown = {
        item.item_id: ShownFact(item.content, record.draft.about.get(item.item_id, ()))
        for record in records
        for item in record.draft.items
        if item.kind == "fact"
    }
    places, rows = {line.record_id: line.node_id for line in lines}, decided.changes.rows.values() if decided else ()
    return stated(lines[0].user_id, lines[0].commit_id, rows, shown, places)


def _likeness(new: Sequence[NewFact], found: Sequence[_Near]) -> Likeness:
    told = {(UUID(fact), one.row.fact_id): value for one in found for fact, value in (one.likeness or {}).items()}
    vectors = {one.known.row.fact_id: one.vector for one in new}

    def likeness(fact: UUID, other: UUID) -> float | None:
        a, b = vectors.get(fact), vectors.get(other)
        if a is None or b is None:
            return told.get((fact, other))
        return float(np.dot(a, b) / ((np.linalg.norm(a) * np.linalg.norm(b)) or 1.0))

    return likeness


def _text(vector: Vectors | None) -> str | None:
    return None if vector is None else "[" + ",".join(f"{value:.7g}" for value in vector.tolist()) + "]"
