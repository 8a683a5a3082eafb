"""Archives of users: made, checked, imported. For the operator, who may read and make any user."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

from engine.archive.exporting import ArchiveExports
from engine.archive.importing import ArchiveImports
from engine.archive.parts import PartExports
from engine.archive.shown import ShownExports
from engine.commit.outbox import StepHook, no_step
from engine.domain.archive import ArchiveManifest, ArchivePart, ArchiveReport
from engine.domain.clock import Clock
from engine.domain.principal import Principal
from engine.hierarchy.shells import Shells
from engine.progress import Progress
from engine.stores.neo4j import Neo4j
from engine.stores.objects import ObjectStore
from engine.stores.postgres import Postgres


class Archives:
    """Archives of the users of one workspace."""

    def __init__(
        self,
        stores: tuple[Postgres, Neo4j, ObjectStore],
        workspace: str,
        shells: Shells,
        clock: Clock,
        on_step: StepHook = no_step,
    ) -> None:
        self._exports = ArchiveExports(*stores, clock)
        self._shown = ShownExports(self._exports, stores[0], shells, clock)
        self._parts = PartExports(self._exports, stores[0], stores[1])
        self._imports = ArchiveImports(stores, self._exports, workspace, on_step)

    async def export(self, user_id: UUID, path: Path, progress: Progress | None = None) -> ArchiveReport:
        """Writes the archive of a user; see `ArchiveExports.export`."""
        return await self._exports.export(user_id, path, progress)

    async def export_shown(self, principal: Principal, path: Path, progress: Progress | None = None) -> ArchiveReport:
        """Writes what a persona or an integration may read; see `ShownExports.export`."""
        return await self._shown.export(principal, path, progress)

    async def export_part(
        self, user_id: UUID, part: ArchivePart, path: Path, progress: Progress | None = None
    ) -> ArchiveReport:
        """Writes the archive of a node with all below it, of a source, or of an entity; see `PartExports.export`."""
        return await self._parts.export(user_id, part, path, progress)

    async def check(self, path: Path, progress: Progress | None = None) -> ArchiveManifest:
        """The manifest of an archive that is whole and as it was written; see `ArchiveImports.check`."""
        return await self._imports.check(path, progress)

    async def restore(self, path: Path, progress: Progress | None = None) -> ArchiveReport:
        """Makes the user of an archive; see `ArchiveImports.restore`."""
        return await self._imports.restore(path, progress)
