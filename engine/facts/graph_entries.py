"""Facts in their chains as a change of the graph. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from engine.commit.changes import FactsStated
from engine.domain.delta import BEGINNING
from engine.domain.fact import FactRow
from engine.domain.graph import AboutEntity
from engine.domain.stated_fact import FactState, RecordFacts, StatedDoubt, StatedFact

LONGEST_CAPTION = 120


@dataclass(frozen=True, slots=True)
class ShownFact:
    """What the graph shows of a fact beside its row: new ones have `text` and `about`; `copied`: of which fact it has both.
    `item` False: it never was an item of its own."""

    text: str | None = None
    about: Sequence[AboutEntity] | None = None
    copied: UUID | None = None
    item: bool = True


AS_BEFORE = ShownFact()
NO_RECORDS: Mapping[UUID, UUID] = {}


def stated(
    user_id: UUID,
    commit_id: UUID,
    rows: Iterable[FactRow],
    shown: Mapping[UUID, ShownFact],
    records: Mapping[UUID, UUID] = NO_RECORDS,
) -> FactsStated:
    """The change that enters these facts, by their records. `records`: these are in it without facts, too, each with its node."""
    facts: dict[tuple[UUID, UUID], list[StatedFact]] = {place: [] for place in records.items()}
    for row in sorted(rows, key=lambda one: one.fact_id):
        own = facts.setdefault((row.record_id, row.node_id), [])
        own.append(_fact(row, shown.get(row.fact_id, AS_BEFORE)))
    return FactsStated(
        [
            RecordFacts(record_id=record, user_id=user_id, node_id=node, commit_id=commit_id, stated=own)
            for (record, node), own in sorted(facts.items())
        ]
    )


def caption(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_CAPTION else f"{line[: LONGEST_CAPTION - 1]}…"


def _fact(row: FactRow, shown: ShownFact) -> StatedFact:
    item = shown.item and row.status != "confirmation"
    return StatedFact(
        fact_id=row.fact_id,
        revision=row.revision,
        item=item,
        caption=caption(shown.text) if item and shown.text is not None else None,
        about=shown.about if item else None,
        copied=shown.copied,
        confirms=row.confirms,
        supersedes=row.supersedes,
        doubts=[StatedDoubt(older=one.older, kind=one.kind) for one in row.doubts if one.decision is None],
        state=_state(row),
    )


def _state(row: FactRow) -> FactState:
    begins = row.valid_from or BEGINNING
    never = row.status == "withdrawn" or (row.valid_to is not None and row.valid_to <= begins)
    return FactState(
        status=row.status,
        privacy=row.privacy,
        scope=row.scope,
        fact_type=row.fact_type,
        category=row.category,
        confirmations=row.confirmations,
        stale=row.stale,
        valid_from=None if begins == BEGINNING else begins,
        valid_to=row.valid_to,
        holds_until=row.holds_until,
        said_at=row.said_at,
        known_from=row.known_from,
        known_to=row.invalidated_at if never else None,
        invalidated_at=row.invalidated_at,
        last_confirmed_at=row.last_confirmed_at,
    )
