"""Facts that the graph has not as they are: those of before facts were there, those that a job, a move or a discarded commit
changed.

Postgres says which those are, so a run that was interrupted is simply started again. Their names are looked up as those of new
records are; what only a fact names is mentioned by its record from then on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from engine.commit.changes import EntitiesMentioned
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.clock import Clock
from engine.domain.fact import FactRow
from engine.domain.graph import AboutEntity, RecordMentions
from engine.domain.principal import Principal
from engine.facts.graph_entries import ShownFact, stated
from engine.knowledge.entity_finder import EntityFinder, Spoken
from engine.naming.mentions import ReadFact, fact_text
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

PAGE, USERS = 200, 100


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
        page = await self._postgres.fetch(principal, sql_text("fact/behind"), asked, row=_Behind)
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
