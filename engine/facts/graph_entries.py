"""Facts in their chains as a change of the graph; and those that the graph has not as they are: those of before facts were there,
those that a job, a move or a discarded commit changed.

Postgres says which those are, so a run that was interrupted is simply started again. Their names are looked up as those of new
records are; what only a fact names is mentioned by its record from then on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from engine.commit.changes import EntitiesMentioned, FactsStated
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.clock import Clock
from engine.domain.delta import BEGINNING
from engine.domain.fact import FactRow
from engine.domain.graph import AboutEntity, FactState, RecordFacts, RecordMentions, StatedDoubt, StatedFact
from engine.domain.principal import Principal
from engine.knowledge.entity_finder import EntityFinder, Spoken
from engine.naming.mentions import ReadFact, fact_text
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

LONGEST_CAPTION = 120
PAGE, USERS = 200, 100


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


@dataclass(frozen=True, slots=True)
class _Behind:
    row: FactRow
    text: str | None
    subjects: tuple[str, ...]
    speaker: str
    private: bool
    known: bool


class CarriedFacts:
    """Carries facts into the graph; for the service, in the name of each user."""

    def __init__(self, postgres: Postgres, units: UnitsOfWork, entities: EntityFinder, clock: Clock) -> None:
        self._postgres, self._units, self._entities, self._clock = postgres, units, entities, clock

    async def run(self) -> int:
        """Carries all of them, page by page; how many. Raises StoreUnavailable; what was carried stays."""
        carried = 0
        async for user_id in self._users():
            principal = Principal.user(user_id)
            while more := await self._page(principal):
                carried += more
        return carried

    async def _users(self) -> AsyncIterator[UUID]:
        after = UUID(int=0)
        while True:
            asked = {"after": after, "most": USERS}
            page = await self._postgres.fetch_as_service(sql_text("fact/users_behind"), asked, row=UUID)
            for user_id in page:
                yield user_id
            if len(page) < USERS:
                return
            after = page[-1]

    async def _page(self, principal: Principal) -> int:
        """Names are looked up before the transaction, which reads again what the facts are."""
        asked = {"facts": None, "most": PAGE}
        page = await self._postgres.fetch(principal, sql_text("fact/behind"), asked, row=_Behind, writes=True)
        if not page:
            return 0
        spoken = await self._spoken(principal, page)
        about = {fact: keys for one in spoken.values() for fact, keys in one.about.items()}
        async with self._units.begin(principal) as unit:
            again = {"facts": [one.row.fact_id for one in page], "most": PAGE}
            held = await unit.connection.fetch(sql_text("fact/behind"), again, row=_Behind)
            if not held:
                return 0
            commit_id = uuid4()
            shown = {one.row.fact_id: _shown(one, about) for one in held}
            facts = stated(principal.user_id, commit_id, [one.row for one in held], shown)
            await unit.accept(self._mentioned(principal, commit_id, page, spoken), facts, commit_id=commit_id)
        return len(held)

    async def _spoken(self, principal: Principal, page: Sequence[_Behind]) -> Mapping[UUID, Spoken]:
        """What the facts of each record name."""
        texts = defaultdict(list)
        for one in page:
            if one.text is not None and not one.known:
                fact = ReadFact(one.subjects, one.private)
                texts[one.row.record_id].append(fact_text(one.row.fact_id, one.text, one.speaker, fact))
        spoken = await self._entities.spoken(principal, list(texts.values())) if texts else []
        return dict(zip(texts, spoken, strict=True))

    def _mentioned(
        self, principal: Principal, commit_id: UUID, page: Sequence[_Behind], spoken: Mapping[UUID, Spoken]
    ) -> EntitiesMentioned:
        """The mentions of records that still state one of them; nothing that a record mentions already is entered again."""
        places = {one.row.record_id: one.row for one in page if one.row.status == "live"}
        now = self._clock.now()
        return EntitiesMentioned(
            [
                RecordMentions(
                    record_id=record_id,
                    user_id=principal.user_id,
                    node_id=places[record_id].node_id,
                    commit_id=commit_id,
                    revision=None,
                    known_from=now,
                    at=places[record_id].said_at or places[record_id].known_from,
                    entities=one.entities,
                )
                for record_id, one in spoken.items()
                if one.entities and record_id in places
            ]
        )


def _shown(one: _Behind, about: Mapping[UUID, Sequence[AboutEntity]]) -> ShownFact:
    return ShownFact(one.text, about.get(one.row.fact_id), item=one.text is not None)
