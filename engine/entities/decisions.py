"""What the user decides of entities: a display name and a kind that are right, whatever texts say from then on.

The key of an entity stays, so that it is found by it as before; the old name still leads to it.
"""

from __future__ import annotations

from uuid import UUID

from engine.commit.changes import EntityCorrected
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.clock import NOW, Clock
from engine.domain.entity import Entity
from engine.domain.entity_decision import EntityCorrection
from engine.domain.names import clean_name, name_key
from engine.domain.principal import Principal
from engine.entities.reads import EntityReads
from engine.errors import InvalidInput
from engine.naming.configuration import Domain


class EntityDecisions:
    """Keeps them, for the user of a graph."""

    def __init__(self, reads: EntityReads, units: UnitsOfWork, clock: Clock, domain: Domain) -> None:
        self._reads, self._units, self._clock, self._domain = reads, units, clock, domain

    async def correct(
        self, principal: Principal, entity_id: UUID, *, name: str | None, kind: str | None, reason: str
    ) -> Entity:
        """See `engine.operations.entities`. Of a merged entity that which it is part of is corrected."""
        if name is None and kind is None:
            raise InvalidInput("Give a name or a kind.")
        labels = self._domain.labels
        if kind is not None and kind not in labels:
            raise InvalidInput(f"{kind[:80]} is no kind of entities here; kinds are {', '.join(labels)}.")
        written = None if name is None else clean_name(name)
        known = await self._reads.entity(principal, entity_id, NOW)
        correction = EntityCorrection(
            entity_id=known.entity_id,
            user_id=principal.user_id,
            name=written,
            name_key=None if written is None else name_key(written),
            kind=kind,
            label=None if kind is None else labels[kind],
            at=self._clock.now(),
            reason=reason,
        )
        async with self._units.begin(principal) as unit:
            await unit.accept(EntityCorrected(correction))
        return await self._reads.entity(principal, known.entity_id, NOW)
