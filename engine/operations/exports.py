"""Exports of the own graph."""

from __future__ import annotations

from engine.domain.written import ExportPage, ExportPlace, LeftOutOfExport
from engine.lifecycle.exporting import Exporting
from engine.operations.caller import owner
from engine.operations.declaring import OfGraph, reads
from engine.operations.parts import Part


class Exports(OfGraph, name="exports"):
    """What the user stored, as lines that an import takes back; for the user of the graph alone."""

    _exporting = Part(Exporting)

    @reads(owner, limited=False)
    async def page(self, place: ExportPlace | None = None) -> ExportPage:
        """Conversations and texts, oldest first, some at a time: from the beginning, or from the place of the page before on.

        What comes in after the first page is left out. A source that cannot be read is a line that says so.
        """
        return await self._exporting.page(self._principal, place)

    @reads(owner)
    async def left_out(self, place: ExportPlace) -> LeftOutOfExport:
        """What such an export does not give."""
        return await self._exporting.left_out(self._principal, place)
