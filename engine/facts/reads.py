"""Reads of facts and their chains, for the user of the graph."""

from __future__ import annotations

from uuid import UUID

from engine.domain.clock import Clock
from engine.domain.fact import Attribute, DoubtPlace, Fact, FactDoubt, FactFilter, subject_hash
from engine.domain.names import name_key
from engine.domain.principal import Principal
from engine.domain.read_limits import check_page
from engine.errors import InvalidInput, NotFound
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text

_ONE = {"subject": None, "node_id": None, "status": None, "doubt": None, "after": None, "limit": 10_000}


class KnownFacts:
    """Facts with their texts. Others than the user find facts by a search."""

    def __init__(self, postgres: Postgres, clock: Clock) -> None:
        self._postgres, self._clock = postgres, clock

    async def page(self, principal: Principal, wanted: FactFilter) -> tuple[Fact, ...]:
        """Facts by id, one page. Raises InvalidInput."""
        check_page(wanted.limit)
        about = None if wanted.about is None else name_key(wanted.about)
        if about == "":
            raise InvalidInput("about: a name with at least one letter or digit")
        parameters = {
            "subject": subject_hash(principal.user_id, about) if about is not None else None,
            "node_id": wanted.node_id,
            "status": wanted.status,
            "doubt": "contradicts" if wanted.contradicting else "any" if wanted.doubtful else None,
            "fact_id": None,
            "after": wanted.after,
            "limit": wanted.limit,
            "now": self._clock.now(),
        }
        return tuple(await self._postgres.fetch(principal, sql_text("fact/page"), parameters, row=Fact))

    async def doubts(self, principal: Principal, after: DoubtPlace | None, limit: int) -> tuple[FactDoubt, ...]:
        """Pairs in doubt that nobody decided, the newest first, one page. Raises InvalidInput."""
        check_page(limit)
        asked = dict(zip(("since", "newer", "older"), after or (None, None, None), strict=True)) | {"limit": limit}
        return tuple(await self._postgres.fetch(principal, sql_text("fact/doubts"), asked, row=FactDoubt))

    async def attributes(self, principal: Principal, after: str, limit: int) -> tuple[Attribute, ...]:
        """The attributes of which live facts speak, by their keys, one page. Raises InvalidInput."""
        check_page(limit)
        asked = {"after": after, "limit": limit}
        return tuple(await self._postgres.fetch(principal, sql_text("fact/attributes"), asked, row=Attribute))

    async def chain(self, principal: Principal, fact_id: UUID) -> tuple[Fact, ...]:
        """The chain of a fact, the newest first; a fact that only confirmed another one has that one's. Raises NotFound."""
        asked = _ONE | {"fact_id": fact_id, "now": self._clock.now()}
        found = await self._postgres.fetch(principal, sql_text("fact/page"), asked, row=Fact)
        followed = {fact.supersedes: fact for fact in found}
        if not found:
            raise NotFound
        # one that confirmed another and was withdrawn since stands beside the line
        alone = [fact for fact in found if fact.supersedes is None]
        first = max(
            alone, key=lambda one: (one.fact_id in followed, one.status != "withdrawn", one.fact_id == one.chain_id)
        )
        line = [first]
        while following := followed.get(line[-1].fact_id):
            line.append(following)
        return tuple(reversed(line))
