"""Profiles of entities, and of the user by facts."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from engine.domain.profile import FactGroup, Profile
from engine.domain.read_limits import check_page
from engine.facts.profiles import ProfileComposer
from engine.operations.caller import owner, readers
from engine.operations.declaring import OfGraph, reads
from engine.operations.parts import Part
from engine.retrieval.touches import Touches


class Profiles(OfGraph, name="profiles"):
    """What is known, in a few lines; composed at each call of what the caller may read."""

    _profiles = Part(ProfileComposer)
    _touches = Part(Touches)

    @reads(readers)
    async def entity(self, entity_id: UUID) -> Profile:
        """The profile of an entity as of now: who it is, relations, facts, what was said of it last. Counts as a read
        of it. Raises NotFound."""
        profile = await self._profiles.entity(self._principal, entity_id)
        self._touches.note_entities([profile.entity_id])
        return profile

    @reads(owner)
    async def user(self, by: Literal["type", "category"] = "type", *, limit: int = 10) -> tuple[FactGroup, ...]:
        """The live facts of the user's memory by type or category, with the strongest `limit` of each; those within threads and
        workflows are left out. Nothing where no model has read facts."""
        check_page(limit, 50)
        return await self._profiles.groups(self._principal, by, limit=limit)
